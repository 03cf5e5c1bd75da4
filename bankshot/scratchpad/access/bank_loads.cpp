#include "bankshot/scratchpad/access/bank_loads.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "bankshot/scratchpad/access/word_set.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC 12's own intrinsics, in the lanes they leave undefined
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace bankshot::scratchpad {
namespace {

/// @param bank_of  bank_of(i): of word i, below `banks`
/// @param fresh    fresh(i): 1 if word i is not among the words before it, else 0
template <class B, class F>
Loads loads(unsigned count, unsigned banks, B bank_of, F fresh) {
  constexpr uint32_t kLane = 1u << 16;  // a bank's lanes in the upper half, its distinct words in the lower
  std::array<uint32_t, kMaxBanks> load{};
  for (unsigned i = 0; i < count; ++i) load[bank_of(i)] += kLane + fresh(i);
  Loads most;
  for (unsigned bank = 0; bank < banks; ++bank) {
    most.lanes = std::max(most.lanes, load[bank] / kLane);
    most.words = std::max(most.words, load[bank] % kLane);
  }
  return most;
}

}  // namespace

WordSet& WordSet::local() {
  static thread_local WordSet set;
  return set;
}

namespace {

uint32_t all_bits_of(const uint32_t* word, unsigned count) {
  uint32_t all = 0;
  for (unsigned i = 0; i < count; ++i) all |= word[i];
  return all;
}

/// Words that fit a WordSet.
template <class B>
Loads loads_of_set(const uint32_t* word, unsigned count, unsigned banks, B bank_of) {
  WordSet& seen = WordSet::local();
  const Loads most = loads(count, banks, bank_of, [&](unsigned i) { return seen.add(word[i]); });
  for (unsigned i = 0; i < count; ++i) seen.remove(word[i]);
  return most;
}

template <class B>
Loads loads_of_sorted(const uint32_t* word, unsigned count, unsigned banks, B bank_of) {
  return loads(count, banks, bank_of, [&](unsigned i) { return i == 0 || word[i] != word[i - 1] ? 1u : 0u; });
}

}  // namespace

Loads loads_portable(uint32_t* word, unsigned count, unsigned banks) {
  const auto bank_of = [&](unsigned i) { return word[i] & (banks - 1); };
  if (all_bits_of(word, count) < WordSet::kWords) return loads_of_set(word, count, banks, bank_of);
  // No shared memory is this large; such addresses are counted all the same, slowly.
  std::sort(word, word + count);
  return loads_of_sorted(word, count, banks, bank_of);
}

Loads loads_hashed(uint32_t* word, unsigned count, const BankHash& hash) {
  const bool usual = all_bits_of(word, count) < WordSet::kWords;
  if (!usual) std::sort(word, word + count);
  std::array<uint32_t, kMaxPhaseWords> bank;
  banks_of(hash, {word, count}, bank.data());
  if (usual && count <= 32 && has_loads_avx512()) {
    // Words that are as different as before, with the bank in the low bits.
    for (unsigned i = 0; i < count; ++i) bank[i] |= word[i] << hash.bank_bits;
    return loads_avx512(bank.data(), count, hash.banks());
  }
  const auto bank_of = [&](unsigned i) { return bank[i]; };
  return usual ? loads_of_set(word, count, hash.banks(), bank_of) : loads_of_sorted(word, count, hash.banks(), bank_of);
}

#if defined(__x86_64__)

#define BANKSHOT_AVX512 __attribute__((target("avx512f,avx512bw,avx512cd,avx512vbmi,avx512vpopcntdq,gfni")))

bool has_loads_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
                          __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("gfni");
  return has;
}

namespace {

/// Where bytes go when 32 words become 32 sets of words, one a bit: half of the bits at a time.
struct Transposition {
  alignas(64) std::array<uint8_t, 64> planes{};    ///< of byte 0 of all words, then byte 1: eights of words, backwards
  alignas(64) std::array<uint8_t, 64> together{};  ///< the four bytes of each set
  constexpr Transposition() {
    for (unsigned k = 0; k < 64; ++k) {
      planes[k] = static_cast<uint8_t>(4 * (k / 8 % 4 * 8 + 7 - k % 8) + k / 32);
      together[k] = static_cast<uint8_t>((k / 32 * 4 + k % 4) * 8 + k / 4 % 8);
    }
  }
};
constexpr Transposition kTransposition;

/// The sets of 32 words that have each of 16 bits. @param first_byte  that has the lowest of them: 0 or 2
BANKSHOT_AVX512 inline __m512i sets_of_bits(__m512i low, __m512i high, uint8_t first_byte) {
  const __m512i planes =
      _mm512_add_epi8(_mm512_load_si512(kTransposition.planes.data()), _mm512_set1_epi8(static_cast<char>(first_byte)));
  // A product of matrices of 8 x 8 bits, one of which has its rows in turn: eights of bytes become their bits.
  const __m512i unit = _mm512_set1_epi64(static_cast<int64_t>(0x8040201008040201));
  const __m512i bits = _mm512_gf2p8affine_epi64_epi8(unit, _mm512_permutex2var_epi8(low, planes, high), 0);
  return _mm512_permutexvar_epi8(_mm512_load_si512(kTransposition.together.data()), bits);
}

/// The bits in which words differ: neither none nor all of the 32 have them.
BANKSHOT_AVX512 inline uint32_t varying_bits(__m512i sets) {
  const __m512i all = _mm512_set1_epi32(-1);
  return _mm512_mask_cmpneq_epi32_mask(_mm512_test_epi32_mask(sets, sets), sets, all);
}

/// For each of 32 words the set of words that agree with it in the bits looked at so far.
struct Peers {
  __m512i low, high;
};

/// Looks at more bits. Of each bit, the set of words that have it are the peers of those that have it, the others of
/// those that have not. @param set_of  by bit: that set
BANKSHOT_AVX512 inline void keep_equal(Peers& peers, __m512i low, __m512i high, uint32_t bits, const uint32_t* set_of) {
  for (; bits != 0; bits &= bits - 1) {
    const __m512i bit = _mm512_set1_epi32(static_cast<int>(bits & (0 - bits)));
    const __m512i set = _mm512_set1_epi32(static_cast<int>(set_of[std::countr_zero(bits)]));
    const __mmask16 in_low = _mm512_test_epi32_mask(low, bit), in_high = _mm512_test_epi32_mask(high, bit);
    peers.low = _mm512_mask_and_epi32(_mm512_andnot_si512(set, peers.low), in_low, peers.low, set);
    peers.high = _mm512_mask_and_epi32(_mm512_andnot_si512(set, peers.high), in_high, peers.high, set);
  }
}

/// The greatest number of peers among some words, by word.
BANKSHOT_AVX512 inline __m512i counts_of(const Peers& peers, __m512i among) {
  return _mm512_max_epu32(_mm512_popcnt_epi32(_mm512_and_si512(peers.low, among)),
                          _mm512_popcnt_epi32(_mm512_and_si512(peers.high, among)));
}

}  // namespace

BANKSHOT_AVX512
Loads loads_avx512(const uint32_t* word, unsigned count, unsigned banks) {
  const uint32_t active = ~uint32_t{0} >> (32 - count);
  // Entries behind the last word repeat the first one, and have no peers.
  const __m512i first = _mm512_set1_epi32(static_cast<int>(word[0]));
  const __m512i low = _mm512_mask_mov_epi32(first, static_cast<__mmask16>(active), _mm512_loadu_si512(word));
  const __m512i high =
      _mm512_mask_mov_epi32(first, static_cast<__mmask16>(active >> 16), _mm512_loadu_si512(word + 16));
  const __m512i lower_sets = sets_of_bits(low, high, 0), upper_sets = sets_of_bits(low, high, 2);
  const uint32_t varying = varying_bits(lower_sets) | varying_bits(upper_sets) << 16;
  alignas(64) std::array<uint32_t, 32> set_of;
  _mm512_store_si512(set_of.data(), lower_sets);
  _mm512_store_si512(set_of.data() + 16, upper_sets);

  const __m512i all = _mm512_set1_epi32(static_cast<int>(active));
  Peers peers{all, all};
  keep_equal(peers, low, high, banks - 1, set_of.data());  // does not wait for `varying`
  const Peers on_bank = peers;
  keep_equal(peers, low, high, varying & ~(banks - 1), set_of.data());
  // The first of each set of equal words has no peer before it.
  const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i one = _mm512_set1_epi32(1), bit = _mm512_sllv_epi32(one, lane);
  const __m512i before_low = _mm512_sub_epi32(bit, one);
  const __m512i before_high = _mm512_sub_epi32(_mm512_slli_epi32(bit, 16), one);
  const __m512i fresh_low = _mm512_broadcastmw_epi32(_mm512_testn_epi32_mask(peers.low, before_low));
  const __m512i fresh_high = _mm512_broadcastmw_epi32(_mm512_testn_epi32_mask(peers.high, before_high));
  const __m512i fresh = _mm512_or_si512(fresh_low, _mm512_slli_epi32(fresh_high, 16));
  // Both greatest numbers at once: lanes in the upper halves, words in the lower ones.
  const __m512i lanes = counts_of(on_bank, all);
  const __m512i words = counts_of(on_bank, fresh);
  const __m512i both = _mm512_or_si512(_mm512_slli_epi32(lanes, 16), words);
  const __m256i halves = _mm256_max_epu16(_mm512_castsi512_si256(both), _mm512_extracti64x4_epi64(both, 1));
  __m128i most = _mm_max_epu16(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
  most = _mm_max_epu16(most, _mm_shuffle_epi32(most, 0x4e));
  most = _mm_max_epu16(most, _mm_shuffle_epi32(most, 0xb1));
  const auto result = static_cast<uint32_t>(_mm_cvtsi128_si32(most));
  return {result >> 16, result & 0xffff};
}

#else

bool has_loads_avx512() { return false; }
Loads loads_avx512(const uint32_t*, unsigned, unsigned) { return {}; }

#endif

}  // namespace bankshot::scratchpad

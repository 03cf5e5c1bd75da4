#include "bankshot/scratchpad/access/bank_loads.hpp"

#include <algorithm>
#include <array>

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

#define BANKSHOT_AVX512 __attribute__((target("avx512f,avx512vpopcntdq")))

bool has_loads_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq");
  return has;
}

namespace {

/// For each of 32 words the set of words that agree with it in the bits looked at so far.
struct Peers {
  __m512i low, high;
};

/// Looks at more bits. Of each bit, the set of words that have it are the peers of those that have it, the others of
/// those that have not.
BANKSHOT_AVX512 inline void keep_equal(Peers& peers, __m512i low, __m512i high, uint32_t bits) {
  for (; bits != 0; bits &= bits - 1) {
    const __m512i bit = _mm512_set1_epi32(static_cast<int>(bits & (0 - bits)));
    const __mmask16 in_low = _mm512_test_epi32_mask(low, bit), in_high = _mm512_test_epi32_mask(high, bit);
    const __m512i set = _mm512_set1_epi32(static_cast<int>(uint32_t{in_low} | uint32_t{in_high} << 16));
    peers.low = _mm512_mask_and_epi32(_mm512_andnot_si512(set, peers.low), in_low, peers.low, set);
    peers.high = _mm512_mask_and_epi32(_mm512_andnot_si512(set, peers.high), in_high, peers.high, set);
  }
}

BANKSHOT_AVX512 inline uint32_t most_peers(const Peers& peers, uint32_t among) {
  const __m512i mask = _mm512_set1_epi32(static_cast<int>(among));
  const __m512i low = _mm512_popcnt_epi32(_mm512_and_si512(peers.low, mask));
  const __m512i high = _mm512_popcnt_epi32(_mm512_and_si512(peers.high, mask));
  return _mm512_reduce_max_epu32(_mm512_max_epu32(low, high));
}

}  // namespace

BANKSHOT_AVX512
Loads loads_avx512(const uint32_t* word, unsigned count, unsigned banks) {
  const uint32_t active = ~uint32_t{0} >> (32 - count);
  // Entries behind the last word repeat the first one, and are nobody's peers.
  const __m512i first = _mm512_set1_epi32(static_cast<int>(word[0]));
  const __m512i low = _mm512_mask_loadu_epi32(first, static_cast<__mmask16>(active), word);
  const __m512i high = _mm512_mask_loadu_epi32(first, static_cast<__mmask16>(active >> 16), word + 16);
  const __m512i differ = _mm512_or_si512(_mm512_xor_si512(low, first), _mm512_xor_si512(high, first));
  const auto varying = static_cast<uint32_t>(_mm512_reduce_or_epi32(differ));
  const __m512i all = _mm512_set1_epi32(static_cast<int>(active));
  Peers peers{all, all};
  keep_equal(peers, low, high, varying & (banks - 1));
  const Peers on_bank = peers;
  keep_equal(peers, low, high, varying & ~(banks - 1));
  // The first of each set of equal words has no peer before it.
  const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i one = _mm512_set1_epi32(1), bit = _mm512_sllv_epi32(one, lane);
  const __m512i before_low = _mm512_sub_epi32(bit, one);
  const __m512i before_high = _mm512_sub_epi32(_mm512_slli_epi32(bit, 16), one);
  const uint32_t fresh = active & (uint32_t{_mm512_testn_epi32_mask(peers.low, before_low)} |
                                   uint32_t{_mm512_testn_epi32_mask(peers.high, before_high)} << 16);
  return {most_peers(on_bank, active), most_peers(on_bank, fresh)};
}

#else

bool has_loads_avx512() { return false; }
Loads loads_avx512(const uint32_t*, unsigned, unsigned) { return {}; }

#endif

}  // namespace bankshot::scratchpad

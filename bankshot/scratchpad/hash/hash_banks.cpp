// The banks of the words of a warp, several at a time: a simulated or counted access under a hash waits for nothing
// else.
#include <algorithm>
#include <array>

#include "bankshot/scratchpad/base/clones.hpp"
#include "bankshot/scratchpad/hash/hash.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bankshot::scratchpad {
namespace {

/// For any host: the bits of a word that a row takes are folded into four, whose parity a constant holds.
BANKSHOT_CLONES
void banks_of_linear(const BankHash& hash, const uint32_t* word, size_t count, uint32_t* bank) {
  static_assert(kMaxAddressBits <= 16);
  constexpr size_t kBlock = 16;             // words side by side; loops of a fixed length become vector instructions
  constexpr uint32_t kOddNibbles = 0x6996;  // bit n: whether n has an odd number of ones
  for (size_t first = 0; first < count; first += kBlock) {
    const size_t some = std::min(kBlock, count - first);
    std::array<uint32_t, kBlock> from{}, to{};
    std::copy_n(word + first, some, from.begin());
    for (unsigned bit = 0; bit < hash.bank_bits; ++bit) {
      const uint32_t row = hash.row[bit];
      for (size_t i = 0; i < kBlock; ++i) {
        uint32_t x = from[i] & row;
        x ^= x >> 8;
        x ^= x >> 4;
        to[i] |= (kOddNibbles >> (x & 15) & 1) << bit;
      }
    }
    std::copy_n(to.begin(), some, bank + first);
  }
}

#if defined(__x86_64__)

bool has_popcount_of_lanes() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq");
  return has;
}

__attribute__((target("avx512f,avx512vpopcntdq"))) void banks_of_linear_avx512(const BankHash& hash,
                                                                               const uint32_t* word, size_t count,
                                                                               uint32_t* bank) {
  const __m512i one = _mm512_set1_epi32(1);
  for (size_t first = 0; first < count; first += 16) {
    const auto lanes = static_cast<__mmask16>(count - first >= 16 ? 0xffff : (1u << (count - first)) - 1);
    const __m512i words = _mm512_maskz_loadu_epi32(lanes, word + first);
    __m512i banks = _mm512_setzero_si512();
    for (unsigned bit = hash.bank_bits; bit-- > 0;) {
      const __m512i row = _mm512_set1_epi32(static_cast<int>(hash.row[bit]));
      const __m512i ones = _mm512_popcnt_epi32(_mm512_and_si512(words, row));
      banks = _mm512_or_si512(_mm512_add_epi32(banks, banks), _mm512_and_si512(ones, one));
    }
    _mm512_mask_storeu_epi32(bank + first, lanes, banks);
  }
}

#else

bool has_popcount_of_lanes() { return false; }
void banks_of_linear_avx512(const BankHash&, const uint32_t*, size_t, uint32_t*) {}

#endif

}  // namespace

void banks_of(const BankHash& hash, std::span<const uint32_t> words, uint32_t* banks) {
  if (!hash.linear()) return hash.formula->banks(words, hash.size(), banks);
  if (has_popcount_of_lanes()) return banks_of_linear_avx512(hash, words.data(), words.size(), banks);
  banks_of_linear(hash, words.data(), words.size(), banks);
}

}  // namespace bankshot::scratchpad

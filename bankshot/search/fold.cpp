#include "bankshot/search/fold.hpp"

#include <bit>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define BANKSHOT_HAS_FOLD 1
#endif

namespace bankshot::search {

#ifdef BANKSHOT_HAS_FOLD

bool can_fold(uint32_t coset, size_t sums) {
  static const bool has_vectors = __builtin_cpu_supports("avx512f");
  return has_vectors && coset >= 16 && sums >= 32;
}

__attribute__((target("avx512f"))) size_t fold(const int32_t* from, size_t sums, uint32_t coset, int32_t room,
                                               int32_t gone, int32_t* to, uint32_t* list) {
  const unsigned top = static_cast<unsigned>(std::bit_width(coset)) - 1;
  const uint32_t below = (uint32_t{1} << top) - 1, far = coset & ~uint32_t{15};
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i partner = _mm512_xor_si512(lanes, _mm512_set1_epi32(static_cast<int>(coset & 15)));
  const __m512i most = _mm512_set1_epi32(room), none = _mm512_set1_epi32(gone);
  size_t count = 0;
  for (uint32_t index = 0; index < sums / 2; index += 16) {
    const uint32_t x = (index & ~below) << 1 | (index & below);
    const __m512i a = _mm512_loadu_si512(from + x);
    const __m512i b = _mm512_maskz_permutexvar_epi32(0xffff, partner, _mm512_loadu_si512(from + (x ^ far)));
    const __m512i sum = _mm512_add_epi32(a, b);
    const __mmask16 stays = _mm512_cmple_epi32_mask(sum, most);
    _mm512_storeu_si512(to + index, _mm512_mask_mov_epi32(none, stays, sum));
    if (stays == 0) continue;
    const __m512i indices = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(index)));
    _mm512_storeu_si512(list + count, _mm512_maskz_compress_epi32(stays, indices));  // to memory itself it is slow
    count += static_cast<size_t>(std::popcount(static_cast<unsigned>(stays)));
  }
  return count;
}

#else

bool can_fold(uint32_t, size_t) { return false; }
size_t fold(const int32_t*, size_t, uint32_t, int32_t, int32_t, int32_t*, uint32_t*) { return 0; }

#endif

}  // namespace bankshot::search

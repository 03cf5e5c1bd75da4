// Lanes and masks: choosing lanes by a mask, and comparing lanes into one. Bit l of a mask is lane l.
// Compiled once for each instruction set of the host.
#pragma once

#include <cstdint>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#else
#include <emmintrin.h>
#endif

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // a loop that stays scalar is not a defect
#define BANKSHOT_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define BANKSHOT_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace bankshot::simt::BANKSHOT_ISA {

constexpr int kLanes = BANKSHOT_LANES;
constexpr uint64_t kAllLanes = kLanes == 64 ? ~uint64_t{0} : (uint64_t{1} << (kLanes & 63)) - 1;

/// The unsigned integer of N bytes.
template <int N>
using Bits = std::conditional_t<N == 1, uint8_t,
                                std::conditional_t<N == 2, uint16_t, std::conditional_t<N == 4, uint32_t, uint64_t>>>;

/// 1, 2, 4 …: shifting a mask by the lane number is not one vector instruction everywhere, testing it with this is.
template <class U>
struct BitTable {
  alignas(64) U bit[8 * sizeof(U)];
  constexpr BitTable() : bit() {
    for (unsigned l = 0; l < 8 * sizeof(U); ++l) bit[l] = static_cast<U>(U{1} << l);
  }
};
template <class U>
constexpr BitTable<U> kBitTable{};

/// out[l] = mask bit l ? a[l] : b[l]. `out` may be a or b.
template <class T>
inline void select_lanes(T* out, const T* a, const T* b, uint64_t mask) {
  using U = Bits<sizeof(T)>;
#if defined(__AVX512BW__)
  constexpr int kStep = 64 / static_cast<int>(sizeof(T));
  if constexpr (kStep <= kLanes) {
#pragma GCC unroll 8
    for (int l = 0; l < kLanes; l += kStep) {
      const __m512i x = _mm512_loadu_si512(a + l), y = _mm512_loadu_si512(b + l);
      __m512i chosen;
      if constexpr (sizeof(T) == 2) chosen = _mm512_mask_blend_epi16(static_cast<__mmask32>(mask >> l), y, x);
      if constexpr (sizeof(T) == 4) chosen = _mm512_mask_blend_epi32(static_cast<__mmask16>(mask >> l), y, x);
      if constexpr (sizeof(T) == 8) chosen = _mm512_mask_blend_epi64(static_cast<__mmask8>(mask >> l), y, x);
      _mm512_storeu_si512(out + l, chosen);
    }
    return;
  }
#endif
  constexpr int kChunk = 8 * sizeof(U) < kLanes ? 8 * sizeof(U) : kLanes;
  U* const o = reinterpret_cast<U*>(out);
  const U* const x = reinterpret_cast<const U*>(a);
  const U* const y = reinterpret_cast<const U*>(b);
  for (int c = 0; c < kLanes; c += kChunk) {
    const U m = static_cast<U>(mask >> c);
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < kChunk; ++l) {
      const U chosen = x[c + l], other = y[c + l];
      o[c + l] = (m & kBitTable<U>.bit[l]) != 0 ? chosen : other;
    }
  }
}

/// out[l] = mask bit l ? a : b
template <class T>
inline void spread_mask(T* out, uint64_t mask, T a, T b) {
  using U = Bits<sizeof(T)>;
  constexpr int kChunk = 8 * sizeof(U) < kLanes ? 8 * sizeof(U) : kLanes;
  for (int c = 0; c < kLanes; c += kChunk) {
    const U m = static_cast<U>(mask >> c);
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < kChunk; ++l) out[c + l] = (m & kBitTable<U>.bit[l]) != 0 ? a : b;
  }
}

/// d[l] = mask bit l ? t[l] : d[l]
template <class T>
inline void blend(T* d, const T* t, uint64_t mask) {
#if defined(__AVX512BW__) && BANKSHOT_LANES == 32
  if constexpr (sizeof(T) == 4) {
    _mm512_mask_storeu_epi32(d, static_cast<__mmask16>(mask), _mm512_loadu_si512(t));
    _mm512_mask_storeu_epi32(d + 16, static_cast<__mmask16>(mask >> 16), _mm512_loadu_si512(t + 16));
    return;
  }
  if constexpr (sizeof(T) == 8) {
    for (int k = 0; k < 4; ++k) {
      _mm512_mask_storeu_epi64(d + 8 * k, static_cast<__mmask8>(mask >> (8 * k)), _mm512_loadu_si512(t + 8 * k));
    }
    return;
  }
  if constexpr (sizeof(T) == 2) {
    _mm512_mask_storeu_epi16(d, static_cast<__mmask32>(mask), _mm512_loadu_si512(t));
    return;
  }
#endif
  select_lanes(d, t, d, mask);
}

#if defined(__AVX512BW__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

/// A vector register of T.
template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};

/// One bit an element of a vector whose elements are 0 or all ones.
template <int ElementBytes, class V>
inline uint64_t bits_of(V v) {
#if defined(__AVX512BW__)
  const __m512i x = reinterpret_cast<__m512i>(v);
  if constexpr (ElementBytes == 1) return _mm512_movepi8_mask(x);
  if constexpr (ElementBytes == 2) return _mm512_movepi16_mask(x);
  if constexpr (ElementBytes == 4) return _mm512_movepi32_mask(x);
  if constexpr (ElementBytes == 8) return _mm512_movepi64_mask(x);
#elif defined(__AVX2__)
  const __m256i x = reinterpret_cast<__m256i>(v);
  if constexpr (ElementBytes == 1) return static_cast<uint32_t>(_mm256_movemask_epi8(x));
  if constexpr (ElementBytes == 2) {
    const __m128i packed = _mm_packs_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return static_cast<uint32_t>(_mm_movemask_epi8(packed));
  }
  if constexpr (ElementBytes == 4) return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(x)));
  if constexpr (ElementBytes == 8) return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(x)));
#else
  const __m128i x = reinterpret_cast<__m128i>(v);
  if constexpr (ElementBytes == 1) return static_cast<uint32_t>(_mm_movemask_epi8(x));
  if constexpr (ElementBytes == 2)
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(x, _mm_setzero_si128())));
  if constexpr (ElementBytes == 4) return static_cast<uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(x)));
  if constexpr (ElementBytes == 8) return static_cast<uint32_t>(_mm_movemask_pd(_mm_castsi128_pd(x)));
#endif
}

/// Relations from which all comparison operators follow by swapping the operands and negating the result. The last two
/// are for floats only: `apart` is a < b or a > b, `unordered` is a or b NaN.
enum class Relation { equal, less, less_equal, apart, unordered };

/// The lanes of one vector for which the relation holds.
template <Relation R, class T>
inline uint64_t compare_vector(const T* a, const T* b) {
#if defined(__AVX512BW__) && !defined(__clang__)
  // GCC 12 turns a vector comparison into a mask, into a vector and back into a mask; hence by hand.
  constexpr bool kFloat = std::is_floating_point_v<T>, kSigned = std::is_signed_v<T>;
  if constexpr (kFloat) {
    constexpr int kHow = R == Relation::equal        ? _CMP_EQ_OQ
                         : R == Relation::less       ? _CMP_LT_OQ
                         : R == Relation::less_equal ? _CMP_LE_OQ
                         : R == Relation::apart      ? _CMP_NEQ_OQ
                                                     : _CMP_UNORD_Q;
    if constexpr (sizeof(T) == 4) return _mm512_cmp_ps_mask(_mm512_loadu_ps(a), _mm512_loadu_ps(b), kHow);
    if constexpr (sizeof(T) == 8) return _mm512_cmp_pd_mask(_mm512_loadu_pd(a), _mm512_loadu_pd(b), kHow);
  } else {
    constexpr int kHow = R == Relation::equal ? _MM_CMPINT_EQ : R == Relation::less ? _MM_CMPINT_LT : _MM_CMPINT_LE;
    const __m512i x = _mm512_loadu_si512(a), y = _mm512_loadu_si512(b);
    if constexpr (sizeof(T) == 2 && kSigned) return _mm512_cmp_epi16_mask(x, y, kHow);
    if constexpr (sizeof(T) == 2 && !kSigned) return _mm512_cmp_epu16_mask(x, y, kHow);
    if constexpr (sizeof(T) == 4 && kSigned) return _mm512_cmp_epi32_mask(x, y, kHow);
    if constexpr (sizeof(T) == 4 && !kSigned) return _mm512_cmp_epu32_mask(x, y, kHow);
    if constexpr (sizeof(T) == 8 && kSigned) return _mm512_cmp_epi64_mask(x, y, kHow);
    if constexpr (sizeof(T) == 8 && !kSigned) return _mm512_cmp_epu64_mask(x, y, kHow);
  }
#else
  typename VectorOf<T>::type x, y;
  __builtin_memcpy(&x, a, sizeof x);
  __builtin_memcpy(&y, b, sizeof y);
  if constexpr (R == Relation::equal) return bits_of<sizeof(T)>(x == y);
  if constexpr (R == Relation::less) return bits_of<sizeof(T)>(x < y);
  if constexpr (R == Relation::less_equal) return bits_of<sizeof(T)>(x <= y);
  if constexpr (R == Relation::apart) return bits_of<sizeof(T)>((x < y) | (x > y));
  if constexpr (R == Relation::unordered) return bits_of<sizeof(T)>((x != x) | (y != y));
#endif
}

/// The lanes for which the relation holds between two rows.
template <Relation R, class T>
inline uint64_t compare_lanes(const T* a, const T* b) {
  constexpr int kStep = kVectorBytes / static_cast<int>(sizeof(T));
  uint64_t mask = 0;
  if constexpr (kStep <= kLanes) {
#pragma GCC unroll 16
    for (int l = 0; l < kLanes; l += kStep) mask |= compare_vector<R>(a + l, b + l) << l;
  } else {  // a row is less than a vector: values that are the same for all lanes
    for (int l = 0; l < kLanes; ++l) {
      const bool holds = R == Relation::equal        ? a[l] == b[l]
                         : R == Relation::less       ? a[l] < b[l]
                         : R == Relation::less_equal ? a[l] <= b[l]
                         : R == Relation::apart      ? a[l] < b[l] || a[l] > b[l]
                                                     : a[l] != a[l] || b[l] != b[l];
      mask |= static_cast<uint64_t>(holds) << l;
    }
  }
  return mask;
}

/// Bit l set iff t[l] is not zero.
template <class T>
inline uint64_t mask_of(const T* t) {
  constexpr int kBytes = kLanes * static_cast<int>(sizeof(T));
  if constexpr (kBytes >= kVectorBytes && std::is_integral_v<T>) {
    uint64_t zero = 0;
    constexpr int kStep = kVectorBytes / static_cast<int>(sizeof(T));
#pragma GCC unroll 16
    for (int l = 0; l < kLanes; l += kStep) {
      typename VectorOf<T>::type x;
      __builtin_memcpy(&x, t + l, sizeof x);
      zero |= bits_of<sizeof(T)>(x == 0) << l;
    }
    return ~zero & kAllLanes;
  }
#if defined(__AVX512BW__)
  if constexpr (kBytes == 32 && sizeof(T) == 1) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(t));
    return _mm256_test_epi8_mask(all, all);
  }
#endif
  uint64_t mask = 0;
  for (int l = 0; l < kLanes; ++l) mask |= static_cast<uint64_t>(t[l] != 0) << l;
  return mask;
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// 16-bit floats: f16 (1+5+10 bits) and bf16 (1+8+7 bits). Rows are widened to f32, computed there and narrowed once.
//
// Why f32 is enough: rounding to 24 bits and then to p bits gives the correctly rounded sum, difference or product of
// p-bit numbers when 24 >= 2p + 2 (Figueroa, "When is double rounding innocuous?", SIGNUM 1995): p = 11 and p = 8.
// Not so for fma, where the first rounding must be to odd: see odd() below.
// NaN results are 0x7fff in both formats. Source: PTX ISA, half precision floating-point instructions.
#pragma once

#include "bankshot/simt/isa/lanes/float_bits.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

template <class H>
constexpr bool kIsHalf = std::is_same_v<H, f16> || std::is_same_v<H, bf16>;

constexpr u16 kHalfNan = 0x7fff;

/// The numbers of a format with `Exponent` and `Mantissa` stored bits.
template <int Exponent, int Mantissa>
struct Format {
  static constexpr int kExponent = Exponent, kMantissa = Mantissa;
  static constexpr int kBias = (1 << (Exponent - 1)) - 1;
  static constexpr u32 kInfinity = ((1u << Exponent) - 1) << Mantissa;
  static constexpr u32 kSign = 1u << (Exponent + Mantissa);
};
template <class H>
using FormatOf = std::conditional_t<std::is_same_v<H, f16>, Format<5, 10>, Format<8, 7>>;

/// Magnitude of x rounded to the format as if its exponents had no upper end: the pattern may lie above kInfinity.
/// @param mode  FpMode rounding; the sign of x decides what kUp and kDown mean. x is not NaN or infinite.
template <class F>
inline u64 round_magnitude(f64 x, int mode) {
  const u64 bits = as_bits(x);
  const bool negative = bits >> 63;
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  const u64 significand = (bits & ((u64{1} << 52) - 1)) | (biased != 0 ? u64{1} << 52 : 0);
  const int exponent = (biased != 0 ? biased : 1) - 1023;
  constexpr int kLeast = 1 - F::kBias;  // exponent of the smallest normal number
  int shift = 52 - F::kMantissa + (exponent < kLeast ? kLeast - exponent : 0);
  shift = shift < 54 ? shift : 54;  // beyond, only "not zero" matters
  const u64 quotient = significand >> shift, rest = significand & ((u64{1} << shift) - 1), half = u64{1} << (shift - 1);
  const bool up = mode == FpMode::kNearest ? rest > half || (rest == half && (quotient & 1))
                  : mode == FpMode::kUp    ? rest != 0 && !negative
                  : mode == FpMode::kDown  ? rest != 0 && negative
                                           : false;
  const u64 field = static_cast<u64>(exponent < kLeast ? 1 : exponent + F::kBias);
  return (field << F::kMantissa) + quotient + up - (u64{1} << F::kMantissa);
}

/// x rounded once to f16 or bf16, in software. @param mode  FpMode rounding
template <class H>
inline H narrow(f64 x, int mode) {
  using F = FormatOf<H>;
  if (x != x) return H{kHalfNan};
  const u64 bits = as_bits(x);
  const bool negative = bits >> 63;
  u64 magnitude = F::kInfinity;
  if ((bits << 1) != (u64{0x7ff} << 53)) {
    magnitude = round_magnitude<F>(x, mode);
    const bool away = mode == FpMode::kNearest || mode == (negative ? FpMode::kDown : FpMode::kUp);
    if (magnitude >= F::kInfinity) magnitude = away ? F::kInfinity : F::kInfinity - 1;
  }
  return H{static_cast<u16>(magnitude | (negative ? F::kSign : 0))};
}

/// Exact in every mode of MXCSR: nothing in between is subnormal or depends on rounding. NaN stays some NaN.
inline f32 widen(f16 h) {
  const u32 magnitude = h.bits & 0x7fffu, sign = (h.bits & 0x8000u) << 16;
  const u32 normal = (magnitude << 13) + (112u << 23);
  const u32 special = (magnitude << 13) | 0x7f800000u;
  const u32 subnormal = as_bits(static_cast<f32>(static_cast<s32>(magnitude)) * 0x1p-24f);
  const u32 finite = magnitude < 0x400u ? subnormal : normal;
  return as_float((magnitude < 0x7c00u ? finite : special) | sign);
}
inline f32 widen(bf16 h) { return as_float(static_cast<u32>(h.bits) << 16); }

/// To nearest even; MXCSR must say nearest.
inline void narrow_nearest(f32 x, f16& out) {
  const u32 bits = as_bits(x), magnitude = bits & 0x7fffffffu;
  const u32 normal = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1)) >> 13;
  // Adding 1/2 puts the last place at 2^-24, where that of f16's subnormal numbers is: the adder rounds.
  const u32 subnormal = as_bits(as_float(magnitude) + 0.5f) - 0x3f000000u;
  const u32 finite = magnitude < 0x38800000u ? subnormal : normal;
  const u32 large = magnitude > 0x7f800000u ? 0x7fffu : 0x7c00u | bits >> 31 << 15;
  out.bits = static_cast<u16>(magnitude < 0x47800000u ? finite | bits >> 31 << 15 : large);
}
inline void narrow_nearest(f32 x, bf16& out) {
  const u32 bits = as_bits(x);
  const u32 rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  out.bits = static_cast<u16>((bits & 0x7fffffffu) > 0x7f800000u ? kHalfNan : rounded);
}

/// Rows of N numbers.
template <int N, class H>
inline void widen_row(const H* from, f32* to) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<H, f16> && N % 16 == 0) {
    for (int l = 0; l < N; l += 16) {
      const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + l));
      _mm512_storeu_ps(to + l, _mm512_maskz_cvtph_ps(0xffff, halves));
    }
    return;
  }
#elif defined(__F16C__)
  if constexpr (std::is_same_v<H, f16> && N % 8 == 0) {  // one lane alone has fewer
    for (int l = 0; l < N; l += 8) {
      const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + l));
      _mm256_storeu_ps(to + l, _mm256_cvtph_ps(halves));
    }
    return;
  }
#endif
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < N; ++l) to[l] = widen(from[l]);
}

/// To nearest even; MXCSR must say nearest.
template <int N, class H>
inline void narrow_row(const f32* from, H* to) {
#if defined(__F16C__)
  if constexpr (std::is_same_v<H, f16> && N % 16 == 0) {
#if defined(__AVX512F__)
    for (int l = 0; l < N; l += 16) {
      const __m256i halves = _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(from + l), _MM_FROUND_TO_NEAREST_INT);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + l), halves);
    }
#else
    for (int l = 0; l < N; l += 8) {
      const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + l), _MM_FROUND_TO_NEAREST_INT);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + l), halves);
    }
#endif
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < N; ++l) to[l].bits = (to[l].bits & 0x7fff) > 0x7c00 ? kHalfNan : to[l].bits;
    return;
  }
#endif
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < N; ++l) narrow_nearest(from[l], to[l]);
}

/// s, or if s + error is not a float and s ends with an even bit, the neighbour of s on the error's side: "rounded to
/// odd". Rounding that again to at most 22 bits gives what one rounding of s + error would have given (Boldo and
/// Melquiond, "Emulation of FMA and correctly rounded sums", IEEE ToC 2008).
/// @param error  only its sign matters; NaN, which an infinite s has, counts as 0
inline f32 odd(f32 s, f32 error) {
  const u32 bits = as_bits(s), lost = as_bits(error);
  const bool inexact = (lost & 0x7fffffffu) - 1 < 0x7f800000u;
  const u32 away = 1u - 2u * ((bits ^ lost) >> 31);  // +1 or -1: the neighbour of larger or smaller magnitude
  return as_float(bits + (inexact && (bits & 1) == 0 ? away : 0u));
}

/// a*b + c rounded to odd. f16 products are exact in f32; the error of the sum is Knuth's.
inline f32 fma_odd(f16, f32 a, f32 b, f32 c) {
  const f32 p = a * b, s = p + c, t = s - p;
  return odd(s, (p - (s - t)) + (c - t));
}
/// bf16 has f32's exponents, so products are exact in f64 only.
inline f32 fma_odd(bf16, f32 a, f32 b, f32 c) {
  const f64 p = static_cast<f64>(a) * static_cast<f64>(b), s = p + static_cast<f64>(c), t = s - p;
  const f32 f = static_cast<f32>(s);
  const f64 coarse = s - static_cast<f64>(f), fine = (p - (s - t)) + (static_cast<f64>(c) - t);
  const f64 error = coarse != 0 ? coarse : fine;  // both exact, and the second is below the last place of the first
  return odd(f, error > 0 ? 1.0f : error < 0 ? -1.0f : 0.0f);
}

/// .ftz: a subnormal number becomes the zero of its sign.
template <class H>
  requires kIsHalf<H>
inline H flushed(H h) {
  return H{static_cast<u16>((h.bits & FormatOf<H>::kInfinity) == 0 ? h.bits & 0x8000 : h.bits)};
}

}  // namespace bankshot::simt::BANKSHOT_ISA

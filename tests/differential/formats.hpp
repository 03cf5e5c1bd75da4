// Floating-point formats as numbers: a pattern of bits as a double, and a number rounded to a pattern once.
#pragma once

#include <cstdint>

#include "bankshot/ptx/module.hpp"

namespace bankshot::differential {

struct Format {
  int exponent_bits, mantissa_bits;  ///< as stored
};
constexpr Format kF16{5, 10}, kBf16{8, 7}, kF32{8, 23}, kTf32{8, 10}, kE5m2{5, 2}, kE4m3{4, 3};
Format format_of(ptx::Type type);  ///< of f16, bf16 or f32

constexpr uint64_t kNan16 = 0x7fff, kNan32 = 0x7fffffff, kNan64 = 0xfff8000000000000;
constexpr int kTiesAway = 1 << 20;  ///< a rounding that <cfenv> does not have

bool is_nan(uint64_t bits, Format format);
/// Exact. NaN for NaN; e4m3 has no infinity, see convert.
double decoded(uint64_t bits, Format format);
/// A number, not NaN, rounded once. @param mode  of <cfenv>, or kTiesAway; too large a number becomes infinity or the
/// largest
uint64_t encoded(long double x, Format format, int mode);
/// The zero of its sign if the pattern is subnormal.
uint64_t flushed(uint64_t bits, Format format);

/// An f32 result with .ftz: zero if it would be below the normal numbers were exponents without an end (tiny after
/// rounding, IEEE 754-2019, 7.5). The manual leaves open whether before or after. @param exact  the result, exact or
/// rounded to odd
uint64_t flushed_result(uint64_t bits, long double exact, int mode);

float f32_of(uint64_t bits);
double f64_of(uint64_t bits);
uint64_t bits_of(float x);
uint64_t bits_of(double x);

/// The result of `compute` under a rounding mode of <cfenv>. What it computes with must be volatile.
template <class F, class Compute>
F rounded(int mode, Compute compute);
/// The result of `compute`, on doubles, rounded to odd: rounding it again to fewer than 52 bits is as good as rounding
/// once. Source: Boldo, Melquiond, "Emulation of FMA and correctly rounded sums", IEEE Trans. Computers 57 (2008).
template <class Compute>
double rounded_to_odd(Compute compute);

}  // namespace bankshot::differential

#include <cfenv>
#include <cstring>

namespace bankshot::differential {

template <class F, class Compute>
F rounded(int mode, Compute compute) {
  std::fesetround(mode);
  volatile F result = compute();
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class Compute>
double rounded_to_odd(Compute compute) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const double towards_zero = rounded<double>(FE_TOWARDZERO, compute);
  const bool inexact = std::fetestexcept(FE_INEXACT) != 0;
  return inexact ? f64_of(bits_of(towards_zero) | 1) : towards_zero;
}

}  // namespace bankshot::differential

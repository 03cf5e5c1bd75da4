// Elementary functions of f32, computed in f64 by nothing but +, -, *, / in a fixed order, so that every host and every
// build gives the same bits. The polynomials are good to about 2^-32 relative, so that results are nearly always the
// correctly rounded ones: well inside what PTX promises. Of sin and cos that is said of the reduced argument.
#pragma once

#include "bankshot/simt/isa/lanes/float_bits.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// 1.5·2^52: adding it rounds a double below 2^51 to an integer, which then stands in the sum's low bits.
constexpr f64 kToInteger = 6755399441055744.0;

/// c[0] + c[1] x + c[2] x² …
template <int N>
inline f64 polynomial(f64 x, const f64 (&c)[N]) {
  f64 sum = c[N - 1];
  for (int k = N - 2; k >= 0; --k) sum = sum * x + c[k];
  return sum;
}

inline f64 clamp_keeping_nan(f64 x, f64 low, f64 high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

/// 2^x for |x| ≤ 1000.
inline f64 exp2_of(f64 x) {
  // ln(2)^k / k!, for |fraction| ≤ 1/2
  constexpr f64 kSeries[] = {1.0,
                             0.69314718055994530942,
                             0.24022650695910071233,
                             0.055504108664821579953,
                             0.0096181291076284771619,
                             0.0013333558146428443423,
                             0.00015403530393381609954,
                             0.000015252733804059840280,
                             0.0000013215486790144309488,
                             0.00000010178086009239699727};
  const f64 shifted = x + kToInteger;
  const f64 fraction = x - (shifted - kToInteger);
  return as_float(as_bits(polynomial(fraction, kSeries)) + (as_bits(shifted) << 52));
}

/// log2(x) of a positive normal number.
inline f64 log2_of(f64 x) {
  constexpr u64 kRootHalf = 0x3fe6a09e667f3bcdu;  // sqrt(1/2): the mantissa shall lie between it and its double
  const u64 exponent = ((as_bits(x) - kRootHalf + (u64{1024} << 52)) >> 52) - 1024;
  const f64 mantissa = as_float(as_bits(x) - (exponent << 52));
  const f64 whole = as_float(as_bits(kToInteger) + exponent) - kToInteger;
  // log2(m) = 2/ln(2) artanh(s)
  constexpr f64 kSeries[] = {2.8853900817779268147,  0.96179669392597560491, 0.57707801635558536294,
                             0.41219858311113240210, 0.32059889797532520164, 0.26230818925253880134};
  const f64 s = (mantissa - 1.0) / (mantissa + 1.0);
  return whole + s * polynomial(s * s, kSeries);
}

/// sin(x + quarter·π/2) of an f32 x, after the reduction of GPUs: x times the f32 next to 1/2π, rounded towards zero to
/// an f32, is so many turns, of which what lies below 2^-25 is cut off. So large x have the results of a GPU, and tiny
/// ones its zero. Source: docs/conformance.md, "On a real GPU".
inline f64 sine_of(f64 x, u64 quarter) {
  constexpr f64 kTurn = 0x1.45f306p-3, kHalfPi = 1.57079632679489661923;
  constexpr u64 kF32 = 0x7fffffffe0000000u;  // the bits of a positive f64 that an f32 has
  constexpr f64 kLast = 0x1p-23, kToLast = kToInteger * kLast;
  constexpr f64 kSine[] = {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800};
  constexpr f64 kCosine[] = {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600};
  const f64 turns = as_float(as_bits(x * kTurn) & kF32);              // the product has 48 bits, so f64 has it exactly
  const f64 quarters = turns < 0x1p24 ? 4.0 * turns : turns - turns;  // beyond, turns are whole
  const f64 near = (quarters + kToLast) - kToLast;
  const f64 cut = near > quarters ? near - kLast : near;
  const f64 shifted = cut + kToInteger;
  const f64 angle = (cut - (shifted - kToInteger)) * kHalfPi;
  const u64 quadrant = as_bits(shifted) + quarter;
  const f64 square = angle * angle;
  const f64 sine = angle * polynomial(square, kSine), cosine = polynomial(square, kCosine);
  const u64 chosen = (quadrant & 1) != 0 ? as_bits(cosine) : as_bits(sine);
  const u64 sign = quarter == 0 ? as_bits(x) & (u64{1} << 63) : 0;
  const f64 result = as_float(chosen ^ (quadrant & 2) << 62 ^ sign);
  return quarters == quarters ? result : quarters;
}

/// tanh(x), from e^2x. As on a GPU, x itself is the result below 129/2^15, and 1 from 8 on.
inline f64 tanh_of(f64 x) {
  constexpr f64 kTwoLog2E = 2.8853900817779268147, kNear = 129 * 0x1p-15;
  constexpr f64 kSeries[] = {1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315};
  const f64 power = exp2_of(clamp_keeping_nan(x, -20.0, 20.0) * kTwoLog2E);
  const f64 far = (power - 1.0) / (power + 1.0), near = x * polynomial(x * x, kSeries);
  const f64 inside = x < 0.0625 && x > -0.0625 ? near : far;
  const f64 limited = x >= 8.0 ? 1.0 : x <= -8.0 ? -1.0 : inside;
  return x < kNear && x > -kNear ? x : limited;
}

/// 2^a, tanh(a) of any f32.
inline f32 power_of_two(f32 a) {
  return static_cast<f32>(exp2_of(clamp_keeping_nan(static_cast<f64>(a), -200.0, 200.0)));
}
inline f32 hyperbolic_tangent(f32 a) { return static_cast<f32>(tanh_of(static_cast<f64>(a))); }

}  // namespace bankshot::simt::BANKSHOT_ISA

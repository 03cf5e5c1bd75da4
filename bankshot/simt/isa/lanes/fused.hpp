// a·b + c with one rounding, on hosts with and without an instruction for it.
#pragma once

#include "bankshot/simt/isa/lanes/float_bits.hpp"
#include "bankshot/simt/isa/lanes/scalar.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

#if defined(__FMA__)

/// @tparam Mode  FpMode rounding in force
template <int Mode>
inline f32 fused(f32 a, f32 b, f32 c) {
  return __builtin_fmaf(a, b, c);
}
template <int Mode>
inline f64 fused(f64 a, f64 b, f64 c) {
  return __builtin_fma(a, b, c);
}

#else

/// Doubles hold the product exactly. Their sum is rounded, and rounded again to f32: harmless in a directed mode, and
/// in nearest mode if the first rounding is to odd. Source: Boldo, Melquiond: Emulation of FMA and correctly rounded
/// sums: proved algorithms using rounding to odd. IEEE Trans. Computers 57(4), 2008.
template <int Mode>
inline f32 fused(f32 a, f32 b, f32 c) {
  const f64 product = static_cast<f64>(a) * static_cast<f64>(b), addend = static_cast<f64>(c);
  const f64 sum = product + addend;
  if constexpr (Mode != FpMode::kNearest) return static_cast<f32>(sum);
  const f64 back = sum - product;
  const f64 error = (product - (sum - back)) + (addend - back);  // exact: Knuth's two-sum
  const u64 bits = as_bits(sum);
  const bool inexact = (error > 0) | (error < 0);           // not if NaN
  const u64 step = (error > 0) == (sum > 0) ? 1 : ~u64{0};  // towards the exact value
  const bool to_odd = inexact & ((bits & 1) == 0);
  return static_cast<f32>(as_float(to_odd ? bits + step : bits));
}

/// A finite number other than 0 as ± significand · 2^exponent, the significand's highest bit at `kTop`.
struct Unpacked {
  static constexpr int kTop = 125;
  u128 significand;
  int exponent;
  bool negative;
};

inline Unpacked unpacked(f64 x) {
  const u64 bits = as_bits(x);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  const u64 fraction = bits & ((u64{1} << 52) - 1);
  const u64 significand = biased == 0 ? fraction : fraction | u64{1} << 52;
  const int zeros = __builtin_clzll(significand);
  constexpr int kFrom63 = Unpacked::kTop - 63;
  return {static_cast<u128>(significand << zeros) << kFrom63, (biased == 0 ? 1 : biased) - 1075 - zeros - kFrom63,
          (bits >> 63) != 0};
}

/// Shifted right; ones shifted out leave a one at the end.
inline u128 shifted_sticky(u128 x, int n) {
  if (n == 0) return x;
  if (n > 127) return x != 0;
  return x >> n | ((x & ((u128{1} << n) - 1)) != 0 ? 1 : 0);
}

/// ± significand · 2^exponent rounded to f64; the significand is not 0 and its end may be sticky.
template <int Mode>
inline f64 rounded(u128 significand, int exponent, bool negative) {
  const u64 upper = static_cast<u64>(significand >> 64);
  const int top = upper != 0 ? 127 - __builtin_clzll(upper) : 63 - __builtin_clzll(static_cast<u64>(significand));
  // The unit in the last place is 2^(exponent + drop): 53 bits stay, fewer if subnormal.
  int drop = greatest(top - 52, -1074 - exponent);
  if (drop < 2) {  // room for the half and the sticky bit
    significand <<= 2 - drop;
    exponent -= 2 - drop;
    drop = 2;
  }
  significand = shifted_sticky(significand, drop - 2);
  exponent += drop;
  const u32 rest = static_cast<u32>(significand & 3);
  u64 kept = static_cast<u64>(significand >> 2);
  const bool up = Mode == FpMode::kNearest ? rest == 3 || (rest == 2 && (kept & 1) != 0)
                  : Mode == FpMode::kUp    ? rest != 0 && !negative
                  : Mode == FpMode::kDown  ? rest != 0 && negative
                                           : false;
  kept += up;
  // Adding the significand's implicit bit to the exponent field also carries a round-up into it.
  const u64 sign = static_cast<u64>(negative) << 63;
  const u64 field = kept >> 52 == 0 ? 0 : static_cast<u64>(exponent + 1074);
  const u64 bits = (field << 52) + kept;
  constexpr u64 kInfinity = Ieee<u64>::kInfinity;
  if (bits < kInfinity && exponent + 1074 < 2046) return as_float(sign | bits);
  const bool infinite =
      Mode == FpMode::kNearest || (Mode == FpMode::kUp && !negative) || (Mode == FpMode::kDown && negative);
  return as_float(sign | (infinite ? kInfinity : kInfinity - 1));
}

template <int Mode>
inline f64 fused(f64 a, f64 b, f64 c) {
  const auto finite = [](f64 x) { return (as_bits(x) & Ieee<u64>::kMagnitude) < Ieee<u64>::kInfinity; };
  if (!finite(a) || !finite(b) || a == 0 || b == 0) return a * b + c;
  if (!finite(c)) return c + c;
  if (c == 0) return a * b;
  Unpacked x = unpacked(a), z = unpacked(c);
  const Unpacked y = unpacked(b);
  // The product of the 53-bit significands, back at kTop or one below.
  x.significand = (x.significand >> 73) * (y.significand >> 73) << (Unpacked::kTop - 105);
  x.exponent += y.exponent + 2 * 73 - (Unpacked::kTop - 105);
  x.negative ^= y.negative;
  if (x.exponent < z.exponent) {
    const Unpacked swap = x;
    x = z;
    z = swap;
  }
  z.significand = shifted_sticky(z.significand, x.exponent - z.exponent);
  if (x.negative == z.negative) return rounded<Mode>(x.significand + z.significand, x.exponent, x.negative);
  if (x.significand == z.significand) return Mode == FpMode::kDown ? -0.0 : 0.0;
  const bool flip = x.significand < z.significand;
  return rounded<Mode>(flip ? z.significand - x.significand : x.significand - z.significand, x.exponent,
                       x.negative != flip);
}

#endif

/// An FpMode rounding as a type.
template <int Mode>
struct Rounding {
  static constexpr int kMode = Mode;
};

/// Calls make(Rounding<mode>{}) for the rounding among the modifiers: only hosts without fma need to know it here.
template <class Make>
Handler by_rounding([[maybe_unused]] const Match& m, Make make) {
#if !defined(__FMA__)
  if (m.has("rz")) return make(Rounding<FpMode::kZero>{});
  if (m.has("rm")) return make(Rounding<FpMode::kDown>{});
  if (m.has("rp")) return make(Rounding<FpMode::kUp>{});
#endif
  return make(Rounding<FpMode::kNearest>{});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

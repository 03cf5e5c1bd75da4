// The sums of matrix products: what one accumulator element becomes.
//
// PTX leaves order and precision of floating-point sums open. Here they are those measured on an H100 (docs/hopper.md,
// "Sums"): all products of an instruction are exact; with the accumulator they are brought to the largest exponent
// and cut off 25 places below it, towards zero; their sum is exact, and is cut off to f32, or rounded to nearest f16. A
// product counts with the sum of its factors' exponents, of subnormal numbers the least one of their format; zeros do
// not count. Others have found the same on Hopper and Blackwell: Xie et al., "MMA-Sim: Bit-Accurate Reference Model of
// Tensor Cores and Matrix Cores", arXiv 2511.10909 (2025), the truncated fused sum with F = 25; Khattak, Mikaitis,
// "Accurate Models of NVIDIA Tensor Cores", arXiv 2512.07004 (2025).
#pragma once

#include "bankshot/simt/isa/lanes/half.hpp"
#include "bankshot/simt/isa/lanes/side_by_side.hpp"
#include "bankshot/simt/matrices/fragment.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// What is kept of addends and of sums. Factors of 8 bits have less in wgmma: docs/hopper.md, "Sums".
struct Precision {
  s32 places = 25;    ///< below the largest exponent, of addends
  s32 fraction = 23;  ///< bits of a sum, of f32
};

constexpr s32 kNoExponent = -2000;  ///< of a factor 0: its products never have the largest exponent
constexpr s32 kAllZero = -1000;     ///< below it no addend counts
constexpr s32 kInfinite = 3000;     ///< of a factor that is infinite or NaN

inline s32 least_exponent(Element element) {
  switch (element) {
    case Element::f16:
    case Element::e5m2: return -14;
    case Element::e4m3: return -6;
    case Element::e3m2: return -2;
    case Element::e2m3:
    case Element::e2m1:
    case Element::padded_e2m1: return 0;
    default: return -126;
  }
}

/// @param least  of the format that x is from
inline s32 exponent_of(f32 x, s32 least) {
  const s32 field = static_cast<s32>(as_bits(x) >> 23 & 0xff), e = field - 127;
  const s32 finite = field == 0xff ? kInfinite : e > least ? e : least;
  return x == 0 ? kNoExponent : finite;
}

inline void exponents_of(const f32* x, unsigned count, Element element, s32* out) {
  const s32 least = least_exponent(element);
  BANKSHOT_LANE_LOOP
  for (unsigned k = 0; k < count; ++k) out[k] = exponent_of(x[k], least);
}

/// 2^e for exponents of normal doubles.
inline f64 power_of_two(s32 e) { return as_float(static_cast<u64>(static_cast<s64>(e) + 1023) << 52); }

/// Cut off towards zero to the 24 bits of a normal f32; the exponent may be larger than f32 has.
inline f64 cut_normal(f64 x) { return as_float(as_bits(x) & ~((u64{1} << 29) - 1)); }

/// x rounded to f16. |x| is 0 or a normal f32.
inline f32 to_half(f64 x) {
  const f64 cut = cut_normal(x);
  // To odd, so that the second rounding is harmless: half.hpp.
  const f32 odd = static_cast<f32>(as_float(as_bits(cut) | (cut != x ? u64{1} << 29 : 0)));
  f16 h;
  narrow_nearest(odd, h);
  const f32 half = widen(h);
  return half == 0 ? 0 : half;  // no -0
}

/// x cut off towards zero to f32, or rounded to nearest f16; a zero is +0. @param fraction  bits that f32 keeps
template <bool Half>
inline f32 rounded_sum(f64 x, s32 fraction = 23) {
  if constexpr (Half) {
    const f32 half = widen(narrow<f16>(x, FpMode::kNearest));
    return half == 0 ? 0 : half;
  }
  const bool subnormal = x < 0x1p-126 && x > -0x1p-126;
  const f64 cut = subnormal ? static_cast<f64>(static_cast<s64>(x * 0x1p149)) * 0x1p-149 : cut_normal(x);
  const f32 kept = as_float(as_bits(static_cast<f32>(cut)) & ~u32{0} << (23 - fraction));
  return kept == 0 ? 0 : kept;
}

/// Any numbers: infinite ones, NaN, subnormal sums. @param product  of factors q, as f64 @param exponent  … that it
/// counts with @param c_least  exponent, of the accumulator's format @return what the accumulator becomes
template <bool Half, class Product, class Exponent>
inline f32 dot_carefully(unsigned k, Product product, Exponent exponent, s32 c_least, Precision precision, f32 c) {
  f64 plain = c;
  s32 e = exponent_of(c, c_least);
  for (unsigned q = 0; q < k; ++q) {
    plain += product(q);
    const s32 eq = exponent(q);
    e = eq > e ? eq : e;
  }
  constexpr u64 kInfinity = u64{0x7ff} << 52;
  if ((as_bits(plain) & kInfinity) == kInfinity) return static_cast<f32>(plain);  // doubles hold all finite products
  if (e < kAllZero) return 0;
  const f64 scale = power_of_two(precision.places - e);
  s64 sum = static_cast<s64>(static_cast<f64>(c) * scale);
  for (unsigned q = 0; q < k; ++q) sum += static_cast<s64>(product(q) * scale);
  return rounded_sum<Half>(static_cast<f64>(sum) * power_of_two(e - precision.places), precision.fraction);
}

/// Sixteen accumulators. @tparam K  products of each @param product, exponent  of their factors q, as vectors @return
/// false if the careful way must be taken; nothing was done then
template <bool Half, unsigned K, class Product, class Exponent>
inline bool dot_sixteen(Product product, Exponent exponent, s32 c_least, Precision precision, f32* c) {
  // With exponents from -100 on powers of two fit, and what is cut off of a subnormal product is all of it; no sum is
  // subnormal. Up to 125 products fit.
  constexpr s32 kLow = -100, kHigh = 125;
  Floats sums;
  load_vector(sums, c);
  const Ints field = (reinterpret_cast<Ints>(sums) >> 23 & 0xff) - 127, none = Ints{} + kNoExponent;
  Ints e = sums == Floats{} ? none : larger(field, Ints{} + c_least);
#pragma GCC unroll 32
  for (unsigned q = 0; q < K; ++q) e = larger(e, exponent(q));
  e = e < kAllZero ? Ints{} + kLow : e;
  if (any_negative((e - kLow) | (kHigh - e))) return false;
  const s32 places = precision.places;
  const Floats scale = reinterpret_cast<Floats>((127 + places - e) << 23);
  const Floats back = reinterpret_cast<Floats>((127 - places + e) << 23);
  Ints part = __builtin_convertvector(sums * scale, Ints);
  Doubles low{}, high{};
  // A product is below 2^27 now: eight of them and the accumulator fit.
#pragma GCC unroll 32
  for (unsigned q = 0; q < K; ++q) {
    part += __builtin_convertvector(product(q) * scale, Ints);
    if ((q + 1) % 8 == 0 || q + 1 == K) {
      low += widened<false>(part);
      high += widened<true>(part);
      part = Ints{};
    }
  }
  if constexpr (Half) {
    low *= widened<false>(back);
    high *= widened<true>(back);
    for (unsigned j = 0; j < kSideBySide; ++j) c[j] = to_half(j < 8 ? low[j] : high[j - 8]);
  } else {
    const s64 kept = ~((s64{1} << (52 - precision.fraction)) - 1);
    const auto cut = [&](Doubles x) {
      return __builtin_convertvector(reinterpret_cast<Doubles>(reinterpret_cast<Longs>(x) & kept), Eight);
    };
    sums = together(cut(low), cut(high));
    sums *= back;
    std::memcpy(c, &sums, sizeof sums);
  }
  return true;
}

}  // namespace bankshot::simt::BANKSHOT_ISA

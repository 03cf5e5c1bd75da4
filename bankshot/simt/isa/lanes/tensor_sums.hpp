// The sums of matrix products: what one accumulator element becomes.
//
// PTX leaves order and precision of floating-point sums open. Here they are those measured on Hopper and Blackwell
// (H100, B200): all products of an instruction are exact; with the accumulator they are brought to the largest exponent
// and cut off 25 places below it, towards zero; their sum is exact, and is cut off to f32, or rounded to nearest f16. A
// product counts with the sum of its factors' exponents, of subnormal numbers the least one of their format, and zero
// with that of the least normal f32. Source: Xie et al., "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and
// Matrix Cores", arXiv 2511.10909 (2025), the truncated fused sum with F = 25; Khattak, Mikaitis, "Accurate Models of
// NVIDIA Tensor Cores", arXiv 2512.07004 (2025).
#pragma once

#include "bankshot/simt/isa/lanes/half.hpp"
#include "bankshot/simt/matrices/fragment.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

constexpr int kSumPlaces = 25;        ///< below the largest exponent
constexpr s32 kLeastExponent = -126;  ///< of f32, and of zeros
constexpr s32 kNoExponent = -2000;    ///< of a factor 0: its products never have the largest exponent

inline s32 least_exponent(Element element) {
  switch (element) {
    case Element::f16:
    case Element::e5m2: return -14;
    case Element::e4m3: return -6;
    default: return -126;
  }
}

/// @param least  of the format that x is from
inline s32 exponent_of(f64 x, s32 least) {
  const s32 e = static_cast<s32>(as_bits(x) >> 52 & 0x7ff) - 1023;
  return x == 0 ? kNoExponent : e > least ? e : least;
}

/// 2^e for exponents of normal doubles.
inline f64 power_of_two(s32 e) { return as_float(static_cast<u64>(static_cast<s64>(e) + 1023) << 52); }

/// Cut off towards zero to the 24 bits of a normal f32; the exponent may be larger than f32 has.
inline f64 cut_normal(f64 x) { return as_float(as_bits(x) & ~((u64{1} << 29) - 1)); }

/// x rounded to f16 as a double. |x| is 0 or a normal f32.
inline f64 to_half(f64 x) {
  const f64 cut = cut_normal(x);
  // To odd, so that the second rounding is harmless: half.hpp.
  const f32 odd = static_cast<f32>(as_float(as_bits(cut) | (cut != x ? u64{1} << 29 : 0)));
  f16 h;
  narrow_nearest(odd, h);
  return widen(h);
}

/// One row of A times columns of B, and where the sums are.
struct Dots {
  const f64* a;   ///< k factors
  const s32* ea;  ///< … their exponents
  const f64* b;   ///< the first column's
  const s32* eb;
  unsigned k, n;  ///< products of a sum; b[q * n + j] is the factor q of column j
  s32 c_least;    ///< exponent, of the accumulator's format
};

/// Any numbers: infinite ones, NaN, subnormal sums. @return what the accumulator becomes
template <bool Half>
inline f64 dot_carefully(const Dots& dots, unsigned column, f64 c) {
  f64 plain = c;
  s32 e = kLeastExponent;
  const s32 ec = exponent_of(c, dots.c_least);
  e = ec > e ? ec : e;
  for (unsigned q = 0; q < dots.k; ++q) {
    plain += dots.a[q] * dots.b[q * dots.n + column];
    const s32 eq = dots.ea[q] + dots.eb[q * dots.n + column];
    e = eq > e ? eq : e;
  }
  constexpr u64 kInfinity = u64{0x7ff} << 52;
  if ((as_bits(plain) & kInfinity) == kInfinity) return plain;  // doubles hold all finite products
  const f64 scale = power_of_two(kSumPlaces - e);
  s64 sum = static_cast<s64>(c * scale);
  for (unsigned q = 0; q < dots.k; ++q) sum += static_cast<s64>(dots.a[q] * dots.b[q * dots.n + column] * scale);
  const f64 exact = static_cast<f64>(sum) * power_of_two(e - kSumPlaces);
  if constexpr (Half) return widen(narrow<f16>(exact, FpMode::kNearest));
  if (exact < 0x1p-126 && exact > -0x1p-126) return static_cast<f64>(static_cast<s64>(exact * 0x1p149)) * 0x1p-149;
  return cut_normal(exact);
}

/// Eight numbers side by side: loops over arrays of eight are not made vectors of.
using F8 = f64 __attribute__((vector_size(64)));
using L8 = s64 __attribute__((vector_size(64)));
using S8 = s32 __attribute__((vector_size(32)));

template <class V, class T>
inline void load_eight(V& to, const T* from) {
  static_assert(sizeof(V) == 8 * sizeof(T));
  std::memcpy(&to, from, sizeof to);
}

/// Eight columns of finite numbers. @return false if the careful way must be taken; nothing was done then
template <bool Half>
inline bool dot_eight(const Dots& dots, f64* c) {
  F8 sums, b;
  S8 e, eb;
  load_eight(sums, c);
  const L8 field = (reinterpret_cast<L8>(sums) >> 52 & 0x7ff) - 1023, least = L8{} + dots.c_least,
           zero = L8{} + kLeastExponent;
  const L8 own = field > least ? field : least;
  const L8 of_sums = sums == F8{} ? zero : own;
  e = __builtin_convertvector(of_sums > zero ? of_sums : zero, S8);
  for (unsigned q = 0; q < dots.k; ++q) {
    load_eight(eb, dots.eb + q * dots.n);
    eb += dots.ea[q];
    e = e > eb ? e : eb;
  }
  const F8 scale = reinterpret_cast<F8>((1023 + kSumPlaces - __builtin_convertvector(e, L8)) << 52);
  const F8 back = reinterpret_cast<F8>((1023 - kSumPlaces + __builtin_convertvector(e, L8)) << 52);
  S8 part = __builtin_convertvector(sums * scale, S8);
  sums = F8{};
  // A product is below 2^27 now: eight of them and the accumulator fit.
  for (unsigned q = 0; q < dots.k;) {
    for (const unsigned end = q + 8 < dots.k ? q + 8 : dots.k; q < end; ++q) {
      load_eight(b, dots.b + q * dots.n);
      part += __builtin_convertvector(dots.a[q] * b * scale, S8);
    }
    sums += __builtin_convertvector(part, F8);
    part = S8{};
  }
  const S8 at_least = e == kLeastExponent, none{};
  if (std::memcmp(&at_least, &none, sizeof none) != 0) {
    for (int j = 0; j < 8; ++j) {
      if (at_least[j] != 0 && sums[j] != 0) return false;  // perhaps subnormal
    }
  }
  sums *= back;
  if constexpr (Half) {
    for (int j = 0; j < 8; ++j) c[j] = to_half(sums[j]);
  } else {
    const L8 cut = reinterpret_cast<L8>(sums) & ~((s64{1} << 29) - 1);
    std::memcpy(c, &cut, sizeof cut);
  }
  return true;
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// What the conversions are made of: rows of registers wider than the type, rounding to integers, clamping.
#pragma once

#include <cmath>
#include <limits>

#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/half.hpp"
#include "bankshot/simt/lower/lower_convert.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// The forms that pack several numbers, tf32 and the 8-bit floats.
void convert_packed_rows(Rows& rows);
void convert_small_rows(Rows& rows);
void convert_stochastic_rows(Rows& rows);

inline unsigned destination_bytes(const Instr* i) { return i->aux & ConvertAux::kWidth; }
inline unsigned source_bytes(const Instr* i) { return i->aux >> ConvertAux::kSourceShift & ConvertAux::kWidth; }

template <class To, class From>
inline void cast_row(To* to, const From* from) {
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) to[l] = static_cast<To>(from[l]);
}

/// The row of a as S: in place if its register is as wide as S, else the low bits of each lane, in t.
template <class S>
inline const S* source_row(Warp& w, const Instr* i, S* t) {
  using U = Bits<sizeof(S)>;
  if (source_bytes(i) == sizeof(S)) return w.row<const S>(i->op[1]);
  U* const chopped = reinterpret_cast<U*>(t);
  switch (source_bytes(i)) {
    case 2: cast_row(chopped, w.row<const u16>(i->op[1])); break;
    case 4: cast_row(chopped, w.row<const u32>(i->op[1])); break;
    default: cast_row(chopped, w.row<const u64>(i->op[1])); break;
  }
  return t;
}

/// Where to compute d: its row if all of it is written and as wide as D, else t. Then call store().
template <class D>
inline D* result_row(Warp& w, const Instr* i, D* t) {
  return destination_bytes(i) == sizeof(D) && w.active == kAllLanes ? w.row<D>(i->op[0]) : t;
}

/// Sign-extends a signed D, zero-extends the others. Source: PTX ISA, "Operand size exceeding instruction-type size".
template <class Register, class D>
inline void store_extended(Warp& w, const Instr* i, const D* from) {
  using U = std::conditional_t<std::is_integral_v<D>, D, Bits<sizeof(D)>>;
  Register t[kLanes];
  cast_row(t, reinterpret_cast<const U*>(from));
  blend(w.row<Register>(i->op[0]), t, w.active);
}
/// @param out  what result_row() gave for t
template <class D>
inline void store(Warp& w, const Instr* i, const D* out, const D* t) {
  if (out != t) return;
  const unsigned bytes = destination_bytes(i);
  if (bytes == sizeof(D)) {
    blend(w.row<D>(i->op[0]), t, w.active);
  } else if (bytes == 2) {
    store_extended<u16>(w, i, t);
  } else if (bytes == 4) {
    store_extended<u32>(w, i, t);
  } else {
    store_extended<u64>(w, i, t);
  }
}

/// NaN stays NaN, made quiet, whichever way the host rounds.
template <class F, class Round>
inline void round_row(F* x, Round round) {
  for (int l = 0; l < kLanes; ++l) x[l] = x[l] == x[l] ? round(x[l]) : x[l] + x[l];
}
/// Needs MXCSR at nearest for .rni.
template <class F>
inline void round_row(F* x, ConvertRounding rounding) {
  switch (rounding) {
    case ConvertRounding::none: break;
    case ConvertRounding::nearest: round_row(x, [](F y) { return std::nearbyint(y); }); break;
    case ConvertRounding::down: round_row(x, [](F y) { return std::floor(y); }); break;
    case ConvertRounding::up: round_row(x, [](F y) { return std::ceil(y); }); break;
    case ConvertRounding::zero: round_row(x, [](F y) { return std::trunc(y); }); break;
  }
}

/// x truncated and clamped to the range of D; NaN gives `nan`.
template <class D, class F>
inline D clamped(F x, D nan) {
  using Limits = std::numeric_limits<D>;
  constexpr F kLow = static_cast<F>(Limits::min());
  // One past the largest D is a power of two, hence an F; the largest D itself may not be one.
  constexpr F kEnd = static_cast<F>(Limits::max() / 2 + 1) * 2;
  constexpr bool kExact = Limits::digits <= std::numeric_limits<F>::digits;
  constexpr F kHigh =
      kExact ? static_cast<F>(Limits::max()) : kEnd - kEnd / (F(2) * (u64{1} << (std::numeric_limits<F>::digits - 1)));
  F inside = x > kLow ? x : kLow;  // NaN too
  inside = inside < kHigh ? inside : kHigh;
  D d;
  if constexpr (sizeof(D) < 4) {
    d = static_cast<D>(static_cast<s32>(inside));
  } else {
    d = static_cast<D>(inside);
  }
  if constexpr (!kExact) d = x >= kEnd ? Limits::max() : d;
  return x == x ? d : nan;
}

/// x clamped to the range of D.
template <class D, class S>
inline D clamped_integer(S x) {
  using Limits = std::numeric_limits<D>;
  if constexpr (std::is_signed_v<S> && !std::is_signed_v<D>) {
    const std::make_unsigned_t<S> positive = x > 0 ? static_cast<std::make_unsigned_t<S>>(x) : 0;
    return clamped_integer<D>(positive);
  } else if constexpr (std::is_signed_v<S>) {
    if constexpr (sizeof(S) > sizeof(D)) {
      x = x > static_cast<S>(Limits::min()) ? x : static_cast<S>(Limits::min());
      x = x < static_cast<S>(Limits::max()) ? x : static_cast<S>(Limits::max());
    }
    return static_cast<D>(x);
  } else {
    constexpr u64 kMax = static_cast<u64>(Limits::max());
    if constexpr (kMax < std::numeric_limits<S>::max()) x = x < static_cast<S>(kMax) ? x : static_cast<S>(kMax);
    return static_cast<D>(x);
  }
}

template <class H>
inline void saturate_finite(H* x) {
  constexpr u16 kInfinity = FormatOf<H>::kInfinity;
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    x[l].bits = static_cast<u16>((x[l].bits & 0x7fff) == kInfinity ? x[l].bits - 1 : x[l].bits);
  }
}

/// A NaN of f64 as f16 or bf16: with its sign and the upper bits of its payload, made quiet.
template <class H>
inline H narrow_nan(f64 x) {
  using F = FormatOf<H>;
  const u64 bits = as_bits(x), payload = bits >> (52 - F::kMantissa) & ((1u << F::kMantissa) - 1);
  return H{static_cast<u16>(bits >> 63 << 15 | F::kInfinity | 1u << (F::kMantissa - 1) | payload)};
}

/// A row rounded to f16 or bf16 as the instruction says; .satfinite too.
template <class H, class F>
inline void narrow_by_mode(const Instr* i, const F* from, H* to) {
  const int mode = i->fp & 3;
  if constexpr (std::is_same_v<F, f32>) {
    if (mode == FpMode::kNearest) {
      narrow_row<kLanes>(from, to);
    } else {
      for (int l = 0; l < kLanes; ++l) to[l] = narrow<H>(static_cast<f64>(from[l]), mode);
    }
  } else {
    for (int l = 0; l < kLanes; ++l) to[l] = from[l] != from[l] ? narrow_nan<H>(from[l]) : narrow<H>(from[l], mode);
  }
  if (i->aux & ConvertAux::kSatFinite) saturate_finite(to);
}

/// .relu: negative numbers and -0 become 0, NaN stays.
template <class F>
inline F rectified(F x) {
  return x > 0 || x != x ? x : F(0);
}

/// The same of a row, if the instruction says so.
inline void rectify(const Instr* i, f32* x) {
  if (!(i->aux & ConvertAux::kRelu)) return;
  for (int l = 0; l < kLanes; ++l) x[l] = rectified(x[l]);
}

/// Pairs of floats of 8 bits or fewer. Such a format E has narrow(f32), rounded to nearest, widen(bits), which looks at
/// its own low bits only, and kPlace, the bits that the lower number of a pair takes.
///
/// d = {a, b}, a above.
template <class E>
BANKSHOT_LANES_ONLY const Instr* pack_small(Warp& w, const Instr* i) {
  set_fp(w, i);
  f32 a[kLanes], b[kLanes];
  u16 t[kLanes];
  std::memcpy(a, w.row<const f32>(i->op[1]), sizeof a);
  std::memcpy(b, w.row<const f32>(i->op[2]), sizeof b);
  rectify(i, a);
  rectify(i, b);
  for (int l = 0; l < kLanes; ++l) t[l] = static_cast<u16>(E::narrow(a[l]) << E::kPlace | E::narrow(b[l]));
  blend(w.row<u16>(i->op[0]), t, w.active);
  return i + 1;
}

/// To f16x2; exact.
template <class E>
BANKSHOT_LANES_ONLY const Instr* unpack_small(Warp& w, const Instr* i) {
  set_fp(w, i);
  f32 x[2 * kLanes];
  f16 t[2 * kLanes];
  const u16* const a = w.row<const u16>(i->op[1]);
  for (int l = 0; l < kLanes; ++l) {
    x[2 * l] = E::widen(a[l]);
    x[2 * l + 1] = E::widen(static_cast<u32>(a[l]) >> E::kPlace);
  }
  rectify(i, x);
  rectify(i, x + kLanes);
  narrow_row<2 * kLanes>(x, t);
  blend(w.row<u32>(i->op[0]), reinterpret_cast<const u32*>(t), w.active);
  return i + 1;
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// Floats as bit patterns: rules that must not depend on the host's rounding and flushing mode.
#pragma once

#include "bankshot/simt/isa/lanes/lanes.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// The fields of a float whose bits are a U: u32 for f32, u64 for f64.
template <class U>
struct Ieee {
  static constexpr int kMantissa = sizeof(U) == 4 ? 23 : 52;
  static constexpr U kSign = U{1} << (8 * sizeof(U) - 1);
  static constexpr U kMagnitude = ~kSign;
  static constexpr U kInfinity = sizeof(U) == 4 ? U{0x7f800000} : static_cast<U>(0x7ff0000000000000u);
  static constexpr U kLeastNormal = U{1} << kMantissa;
  static constexpr U kQuiet = U{1} << (kMantissa - 1);
  /// What f32 instructions give for NaN, and those of f64 where no operand is one. Source: PTX ISA, "Floating Point
  /// Instructions" for f32; CUDART_NAN for f64, where PTX leaves it open.
  static constexpr U kNan = sizeof(U) == 4 ? U{0x7fffffff} : static_cast<U>(0xfff8000000000000u);
};

template <class U>
inline bool is_nan(U a) {
  return (a & Ieee<U>::kMagnitude) > Ieee<U>::kInfinity;
}
/// NaN made the canonical one.
template <class U>
inline U canonical_bits(U a) {
  return is_nan(a) ? Ieee<U>::kNan : a;
}
/// .ftz: a subnormal number becomes the zero of its sign.
template <class U>
inline U flushed(U a) {
  return (a & Ieee<U>::kInfinity) == 0 ? a & Ieee<U>::kSign : a;
}
inline f32 flushed(f32 x) { return as_float(flushed(as_bits(x))); }

}  // namespace bankshot::simt::BANKSHOT_ISA

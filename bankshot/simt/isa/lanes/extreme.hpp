// The larger and the smaller of two floats, on their bits. Source: PTX ISA, "Floating Point Instructions": min, max.
#pragma once

#include "bankshot/simt/isa/lanes/float_bits.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// Options of a rule; combined by |.
enum : unsigned { kPlain = 0, kFtz = 1, kPropagateNan = 2, kXorSign = 4, kMax = 8, kAbsolute = 16 };

template <class U, unsigned Options>
inline U operand(U a) {
  return Options & kFtz ? flushed(a) : a;
}

/// The NaN that comes of one: of f32 the canonical one, of f64 the same, made quiet.
inline u32 nan_of(u32) { return Ieee<u32>::kNan; }
inline u64 nan_of(u64 a) { return a | Ieee<u64>::kQuiet; }

/// min and max. -0 is below +0. A NaN loses against a number, but wins with .NaN. Of two NaN the second counts.
template <unsigned Options>
struct Extreme {
  template <class U>
  U operator()(U a, U b) const {
    using S = std::make_signed_t<U>;
    a = operand<U, Options>(a);
    b = operand<U, Options>(b);
    const U sign = (a ^ b) & Ieee<U>::kSign;
    const bool a_nan = is_nan(a), b_nan = is_nan(b);
    if constexpr ((Options & (kXorSign | kAbsolute)) != 0) {
      a &= Ieee<U>::kMagnitude;
      b &= Ieee<U>::kMagnitude;
    }
    // Sign and magnitude in the order of two's complement.
    const auto key = [](U x) {
      return static_cast<S>(x) < 0 ? static_cast<S>(x ^ Ieee<U>::kMagnitude) : static_cast<S>(x);
    };
    const bool less = key(a) < key(b);
    U d = less == ((Options & kMax) == 0) ? a : b;
    if constexpr ((Options & kPropagateNan) == 0) {
      d = a_nan ? b : b_nan ? a : d;
    } else {
      d = a_nan || b_nan ? Ieee<U>::kNan : d;
    }
    d = is_nan(d) ? nan_of(d) : d;
    if constexpr ((Options & kXorSign) != 0) d = is_nan(d) ? d : d | sign;
    return d;
  }
  /// The three-operand form.
  template <class U>
  U operator()(U a, U b, U c) const {
    return (*this)((*this)(a, b), c);
  }
};

}  // namespace bankshot::simt::BANKSHOT_ISA

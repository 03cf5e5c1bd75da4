// Integers of the types of PTX as exact numbers, in 128 bits.
#pragma once

#include <algorithm>

#include "conformance.hpp"

namespace bankshot::simt::conformance {

__extension__ typedef __int128 Wide;

inline bool is_signed(ptx::Type type) { return type >= ptx::Type::s8 && type <= ptx::Type::s64; }

/// The number that the low bits of x hold.
inline Wide number(uint64_t x, unsigned bits, bool with_sign) {
  const uint64_t low = low_bits(x, bits);
  return with_sign && (low >> (bits - 1)) != 0 ? static_cast<Wide>(low) - (static_cast<Wide>(1) << bits)
                                               : static_cast<Wide>(low);
}
inline Wide number(uint64_t x, ptx::Type type) { return number(x, ptx::bits(type), is_signed(type)); }

/// The nearest number to x that so many bits hold.
inline Wide clamped(Wide x, unsigned bits, bool with_sign) {
  const Wide low = with_sign ? -(static_cast<Wide>(1) << (bits - 1)) : 0;
  const Wide high = (static_cast<Wide>(1) << (with_sign ? bits - 1 : bits)) - 1;
  return std::clamp(x, low, high);
}

}  // namespace bankshot::simt::conformance

// Arithmetic of registers: modulo 2^64, or 2^32.
#pragma once

#include <cstdint>

namespace bankshot::optimise {

inline int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline int64_t times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// A number of 32 bits, with its sign or with zeros in front; others as they are.
inline int64_t wrapped(int64_t value, unsigned bits, bool is_signed = true) {
  if (bits != 32) return value;
  const auto low = static_cast<uint32_t>(value);
  return is_signed ? static_cast<int64_t>(static_cast<int32_t>(low)) : static_cast<int64_t>(low);
}

}  // namespace bankshot::optimise

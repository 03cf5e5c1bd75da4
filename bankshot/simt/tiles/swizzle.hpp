// The swizzle modes of tensor maps and matrix descriptors.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace bankshot::simt {

/// Within rows of 128 bytes, units change places. Source: PTX ISA, "Swizzling modes".
struct Swizzle {
  uint8_t span = 0;   ///< bytes: 32, 64, 128; 0: none
  uint8_t unit = 16;  ///< bytes that stay together: 16, 32, 64

  auto operator<=>(const Swizzle&) const = default;
  /// "no swizzle", "a swizzle of 128 bytes", "a swizzle of 128 bytes in units of 32"
  std::string text() const {
    if (span == 0) return "no swizzle";
    return "a swizzle of " + std::to_string(span) + " bytes" +
           (unit == 16 ? "" : " in units of " + std::to_string(unit));
  }
};

}  // namespace bankshot::simt

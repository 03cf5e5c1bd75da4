// Time: cycles of a clock, and from one clock to another.
#pragma once

#include <cstdint>

namespace bankshot::timing {

using Cycle = uint64_t;
constexpr Cycle kNever = ~Cycle{0};

/// From cycles of one clock to those of another, both counted from one instant. In whole numbers: the same on every
/// host.
struct ClockRatio {
  uint64_t from_khz = 1, to_khz = 1;

  /// The first tick of the other clock that is not before this one's.
  /// @param cycle  at most 2^63 / to_khz, which is weeks of a GPU's time
  Cycle operator()(Cycle cycle) const {
    if (from_khz == to_khz || cycle == kNever) return cycle;
    uint64_t product;  // fits for hours of a GPU's time, and dividing 64 bits is many times faster than 128
    if (!__builtin_mul_overflow(cycle, to_khz, &product)) return product / from_khz + (product % from_khz != 0);
    return static_cast<Cycle>((static_cast<unsigned __int128>(cycle) * to_khz + from_khz - 1) / from_khz);
  }
};

}  // namespace bankshot::timing

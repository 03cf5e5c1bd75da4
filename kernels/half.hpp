// f16 without the headers of the toolkit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// f16 bits of a whole number of at most 11 bits.
__host__ __device__ inline uint16_t half_of(int value) {
  if (value == 0) return 0;
  uint32_t bits = 0, magnitude = value < 0 ? -value : value;
  for (int top = 10; top >= 0; --top) {
    if ((magnitude >> top & 1) == 0) continue;
    bits = (top + 15) << 10 | (magnitude << (10 - top) & 0x3ff);
    break;
  }
  return static_cast<uint16_t>(bits | (value < 0 ? 0x8000 : 0));
}

/// Small whole numbers, whose products are exact, and the same as f16.
struct WholeHalves {
  std::vector<int> whole;
  std::vector<uint16_t> halves;

  /// i * factor mod modulus, around 0.
  WholeHalves(size_t count, size_t factor, int modulus) : whole(count), halves(count) {
    for (size_t i = 0; i < count; ++i) {
      whole[i] = static_cast<int>(i * factor % modulus) - modulus / 2;
      halves[i] = half_of(whole[i]);
    }
  }
};

/// Eight halves at once.
__device__ inline void copy_line(uint16_t* to, const uint16_t* from) {
  const uint4 line = *reinterpret_cast<const uint4*>(from);
  *reinterpret_cast<uint4*>(to) = uint4{line.x, line.y, line.z, line.w};  // Clang would halve a plain copy
}

// Lanes of a warp as bits.
#pragma once

#include <bit>
#include <cstdint>

namespace bankshot::hazards {

inline uint64_t bit(unsigned lane) { return uint64_t{1} << lane; }

/// f(lane) for each of a mask, ascending.
template <class F>
void for_lanes(uint64_t lanes, F f) {
  if (lanes == 0xffffffff) {  // most are; compilers make vectors of it
    for (unsigned lane = 0; lane < 32; ++lane) f(lane);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

}  // namespace bankshot::hazards

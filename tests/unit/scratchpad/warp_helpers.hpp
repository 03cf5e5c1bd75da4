// The addresses of a warp's lanes: what the tests of single accesses share.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "bankshot/scratchpad/access/rules.hpp"

namespace bankshot::scratchpad {

constexpr uint64_t kFull = 0xffffffff;              ///< 32 lanes
using Warp = std::array<uint32_t, kMaxLanes>;       ///< byte addresses
using Address = std::function<uint32_t(uint32_t)>;  ///< lane -> byte address

/// Lane l accesses word first + l * stride.
inline Warp strided(uint32_t stride, uint32_t first = 0) {
  Warp warp{};
  for (uint32_t lane = 0; lane < kMaxLanes; ++lane) warp[lane] = 4 * (first + lane * stride);
  return warp;
}

/// 8 banks of 4 bytes for 8 lanes at a time: the elastic-pipeline paper, Table 3.
inline Rules eight_banks() {
  Rules rules;
  rules.banks = rules.lanes_b32 = 8;
  rules.lanes_b64 = 4;
  rules.lanes_b128 = 2;
  return rules;
}

}  // namespace bankshot::scratchpad

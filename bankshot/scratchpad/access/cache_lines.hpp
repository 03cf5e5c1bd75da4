// From the addresses of a warp's lanes to the lines and sectors of a cache.
#pragma once

#include <array>
#include <cstdint>

#include "bankshot/scratchpad/base/lane_mask.hpp"

namespace bankshot::scratchpad {

/// What a warp access wants of one line.
struct LineRequest {
  uint64_t line = 0;  ///< address of its first byte
  uint8_t sectors = 0;
  uint8_t full = 0;   ///< sectors all of whose bytes are accessed
  uint8_t lanes = 1;  ///< most lanes on one address: an atomic serves them in turns
};

struct LineRequests {
  std::array<LineRequest, 16 * kMaxLanes> request;  ///< local memory: up to sixteen words a lane
  unsigned count = 0;
  unsigned sectors() const;
};

/// Lines in the order of the first lane that touches them.
/// @param address  by lane, multiples of `width`
/// @param lanes    that access; not 0
/// @param width    bytes a lane, a power of two up to 64
/// @param line_bytes  64, 128 or 256
/// Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory": a warp's access takes as many
/// transactions as it touches segments.
void coalesce(const uint64_t* address, uint64_t lanes, unsigned width, unsigned line_bytes, unsigned sector_bytes,
              bool atomic, LineRequests& to);

/// Adds requests to others; requests for the same line become one.
void merge_lines(const LineRequests& more, LineRequests& to);

/// How much of a cache an access touches.
struct TouchedLines {
  unsigned lines = 0, sectors = 0;
  unsigned bytes = 0;  ///< each once, however many lanes want it
};
/// The sums of what coalesce() tells; the arguments are its own.
TouchedLines touched_lines(const uint64_t* address, uint64_t lanes, unsigned width, unsigned line_bytes,
                           unsigned sector_bytes);

}  // namespace bankshot::scratchpad

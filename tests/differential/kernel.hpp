// Random kernels: typed, without undefined behaviour or data races, the same for a seed on every host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/differential/machine.hpp"

namespace bankshot::differential {

/// Some lines of PTX that stand or fall together: without those of one group the kernel is still well-defined, or is
/// refused by the reference.
struct Line {
  std::string text;
  int group = -1;  ///< -1: always there
};

struct Kernel {
  uint64_t seed = 0;
  Shape shape;
  bool any_warp_size = false;  ///< nothing in it depends on the size of a warp
  std::vector<Line> lines;
  std::string text() const;
};

/// Entry `k(.param .u64 in, .param .u64 out)`.
Kernel random_kernel(uint64_t seed);

/// Layout of `out`, in bytes.
constexpr uint32_t kOwnBytes = 64, kDumpBytes = 320, kZoneBytes = 128;
/// Zones have cells of 8 bytes, each changed by one commutative operation only.
struct Cell {
  const char* op;
  const char* type;
};
constexpr Cell kCells[] = {{"add", "u32"}, {"add", "u64"}, {"min", "s32"}, {"max", "u32"},
                           {"and", "b32"}, {"or", "b64"},  {"xor", "b32"}, {"max", "s64"},
                           {"inc", "u32"}, {"min", "u64"}, {"xor", "b64"}, {"add", "s32"},
                           {"and", "b64"}, {"or", "b32"},  {"min", "u32"}, {"max", "s32"}};

/// What `in` holds: integers, f32 and f64, 168 of each in 8 bytes each, with the edges of the types among them.
std::vector<uint8_t> input_bytes(uint64_t seed);
/// Bytes of `out`: own words and registers of every thread, a zone of each CTA, one of the grid.
size_t output_size(const Shape& shape);
/// What the bytes of `out` at an offset are: "r3 of thread 5 of CTA 0".
std::string place_in_output(const Shape& shape, size_t offset);

}  // namespace bankshot::differential

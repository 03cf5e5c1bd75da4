// Groups laid out for counting many at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bankshot/scratchpad/patterns/pattern.hpp"

namespace bankshot::search {

inline constexpr unsigned kSide = 16;  ///< groups that are counted side by side

/// The words of a group (32 at most) whose bank bit is 1 are a mask; sixteen groups are counted side by side. Larger
/// groups (warps of 64 lanes, wide accesses) are counted one by one.
struct Sides {
  static constexpr unsigned kParts = scratchpad::kMaxAddressBits / 4;
  using Row = uint32_t[kSide];

  struct alignas(64) Side {
    Row all;  ///< a bit a word
    /// By four address bits and a part of a row: the words of odd parity in that part. A row's set is the XOR of four.
    Row odd[kParts][16];
  };
  struct Large {
    uint64_t weight;
    std::vector<uint32_t> words;
    size_t index;
  };

  explicit Sides(std::span<const scratchpad::Group> groups);

  size_t groups = 0;
  std::vector<Side> sides;
  std::vector<uint64_t> weights;  ///< kSide a side, 0 for padding
  std::vector<size_t> index;      ///< beside weights: which group it is
  std::vector<Large> large;
};

}  // namespace bankshot::search

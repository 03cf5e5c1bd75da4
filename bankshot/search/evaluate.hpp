// What groups of words cost under many XOR hashes: the inner loop of every search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bankshot/scratchpad/pattern.hpp"

namespace bankshot::search {

/// Groups laid out for evaluation. The words of a group (32 at most) whose bank bit is 1 are a mask; sixteen
/// groups are evaluated side by side. Larger groups (warps of 64 lanes, wide accesses) are counted one by one.
class Evaluator {
 public:
  static constexpr unsigned kSide = 16, kParts = scratchpad::kMaxAddressBits / 4;

  explicit Evaluator(std::span<const scratchpad::Group> groups);

  /// Sum over the groups of weight * (words on the fullest bank - 1).
  /// @param rows  1 to kMaxBankBits rows of the hash; rank-deficient ones are fine
  uint64_t excess(std::span<const uint32_t> rows) const;
  /// Words on the fullest bank of each group, in the order they were given.
  std::vector<uint32_t> degrees(std::span<const uint32_t> rows) const;
  size_t groups() const { return groups_; }

 private:
  struct alignas(64) Side {
    uint32_t all[kSide];             ///< a bit a word
    /// By four address bits and a part of a row: the words of odd parity in that part. A row's set is the XOR of four.
    uint32_t odd[kParts][16][kSide];
  };
  struct Large {
    uint64_t weight;
    std::vector<uint32_t> words;
    size_t index;
  };
  size_t groups_ = 0;
  std::vector<Side> sides_;
  std::vector<uint64_t> weights_;   ///< kSide a side, 0 for padding
  std::vector<size_t> index_;       ///< beside weights_: which group it is
  std::vector<Large> large_;
};

}  // namespace bankshot::search

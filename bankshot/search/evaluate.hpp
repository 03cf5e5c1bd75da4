// What groups of words cost under many XOR hashes: the inner loop of every search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bankshot/scratchpad/pattern.hpp"

namespace bankshot::search {

/// Groups laid out for evaluation. A group of at most 32 words is one bit a word and address bit (a bit plane); sixteen
/// groups are evaluated side by side. Larger groups (warps of 64 lanes, wide accesses) are counted one by one.
class Evaluator {
 public:
  static constexpr unsigned kSide = 16;

  Evaluator(std::span<const scratchpad::Group> groups, unsigned address_bits);

  /// Sum over the groups of weight * (words on the fullest bank - 1).
  /// @param rows  1 to kMaxBankBits rows of the hash; rank-deficient ones are fine
  uint64_t excess(std::span<const uint32_t> rows) const;
  /// Words on the fullest bank of each group, in the order they were given.
  std::vector<uint32_t> degrees(std::span<const uint32_t> rows) const;
  size_t groups() const { return groups_; }

 private:
  struct alignas(64) Side {
    uint32_t all[kSide];                                  ///< a bit a word
    uint32_t plane[scratchpad::kMaxAddressBits][kSide];   ///< words that have the address bit
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

// What groups of words cost under many XOR hashes: the inner loop of every search.
#pragma once

#include "bankshot/search/sides.hpp"

namespace bankshot::search {

class Evaluator {
 public:
  explicit Evaluator(std::span<const scratchpad::Group> groups);

  /// Sum over the groups of weight * (words on the fullest bank - 1).
  /// @param rows    1 to kMaxBankBits rows of the hash; rank-deficient ones are fine
  /// @param enough  a sum that is no less need not be exact, only no less
  uint64_t excess(std::span<const uint32_t> rows, uint64_t enough = UINT64_MAX) const;
  /// Words on the fullest bank of each group, in the order they were given.
  std::vector<uint32_t> degrees(std::span<const uint32_t> rows) const;
  size_t groups() const { return sides_.groups; }

 private:
  Sides sides_;
};

}  // namespace bankshot::search

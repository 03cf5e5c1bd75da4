// A set of cycles of the near future.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bankshot/timing/base/clock.hpp"

namespace bankshot::timing {

/// A bit a cycle, in a ring that grows to the furthest cycle that it ever holds at once.
class CycleSet {
 public:
  bool has(Cycle cycle) const {
    return cycle / 64 - first_ < words_.size() && (word(cycle / 64) >> cycle % 64 & 1) != 0;
  }
  /// Whether any of [cycle, cycle + count) is in it. @param count  1 to 64
  bool has_any(Cycle cycle, unsigned count) const {
    const uint64_t all = ~uint64_t{0} >> (64 - count);
    const unsigned shift = cycle % 64;
    const Cycle at = cycle / 64;
    uint64_t found = at - first_ < words_.size() ? word(at) >> shift : 0;
    if (shift + count > 64 && at + 1 - first_ < words_.size()) found |= word(at + 1) << (64 - shift);
    return (found & all) != 0;
  }
  /// Not before what was forgotten.
  void add(Cycle cycle, unsigned count = 1) {
    const uint64_t all = ~uint64_t{0} >> (64 - count);
    const unsigned shift = cycle % 64;
    reach((cycle + count - 1) / 64);
    word(cycle / 64) |= all << shift;
    if (shift + count > 64) word(cycle / 64 + 1) |= all >> (64 - shift);
  }
  void remove(Cycle cycle) { word(cycle / 64) &= ~(uint64_t{1} << cycle % 64); }
  /// Nobody will ask for cycles before this one.
  void forget_before(Cycle cycle) {
    const Cycle until = cycle / 64;
    if (until <= first_) return;
    for (Cycle k = first_; k < std::min<Cycle>(until, first_ + words_.size()); ++k) word(k) = 0;
    first_ = until;
  }

 private:
  uint64_t& word(Cycle index) { return words_[index & (words_.size() - 1)]; }
  const uint64_t& word(Cycle index) const { return words_[index & (words_.size() - 1)]; }
  void reach(Cycle index) {
    if (index - first_ < words_.size()) return;
    std::vector<uint64_t> more(std::bit_ceil(static_cast<size_t>(index - first_ + 1)));
    for (Cycle k = first_; k < first_ + words_.size(); ++k) more[k & (more.size() - 1)] = word(k);
    words_ = std::move(more);
  }
  std::vector<uint64_t> words_ =
      std::vector<uint64_t>(4);  ///< a power of two of them: word k mod their number is of cycles 64 k …
  Cycle first_ = 0;              ///< the first word that is kept
};

}  // namespace bankshot::timing

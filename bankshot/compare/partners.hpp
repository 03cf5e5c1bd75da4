// Which item of one list belongs to which item of another.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace bankshot::compare {

inline constexpr size_t kNone = static_cast<size_t>(-1);

/// Items are indices; each has at most one partner.
class Partners {
 public:
  Partners(size_t before, size_t after) : next_(before, kNone), previous_(after, kNone) {}

  void join(size_t before, size_t after) {
    next_[before] = after;
    previous_[after] = before;
  }
  bool is_alone_before(size_t item) const { return next_[item] == kNone; }
  bool is_alone_after(size_t item) const { return previous_[item] == kNone; }

  /// Every item of both is in one pair, kNone where it has no partner. By the order of `after`, then those of `before`
  /// that are alone.
  std::vector<std::pair<size_t, size_t>> pairs() const {
    std::vector<std::pair<size_t, size_t>> all;
    for (size_t k = 0; k < previous_.size(); ++k) all.emplace_back(previous_[k], k);
    for (size_t k = 0; k < next_.size(); ++k) {
      if (next_[k] == kNone) all.emplace_back(k, kNone);
    }
    return all;
  }

 private:
  std::vector<size_t> next_, previous_;
};

}  // namespace bankshot::compare

// Products that a warp has under way with its warpgroup (wgmma), in groups. Source: PTX ISA 9.0, "wgmma.commit_group"
// and "wgmma.wait_group".
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bankshot/timing/base/clock.hpp"

namespace bankshot::timing {

/// The groups of one warp.
class ProductGroups {
 public:
  void clear() {
    closed_.clear();
    open_ = 0;
  }
  /// @param done  when its sums are in the registers
  void issue(Cycle done) { open_ = std::max(open_, done); }
  /// Closes the group of the products since the last commit. Groups complete in order.
  void commit() {
    constexpr size_t kMost = 8;  // a program waits for all but 7 at most
    if (closed_.size() == kMost) closed_.erase(closed_.begin());
    closed_.push_back(closed_.empty() ? open_ : std::max(open_, closed_.back()));
    open_ = 0;
  }
  /// When all groups but the last `most` are complete.
  Cycle by(uint64_t most) const { return most >= closed_.size() ? 0 : closed_[closed_.size() - 1 - most]; }

 private:
  std::vector<Cycle> closed_;  ///< the last groups, oldest first: when they are complete
  Cycle open_ = 0;
};

}  // namespace bankshot::timing

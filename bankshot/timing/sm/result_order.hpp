// In which order a warp's results are kept where several of its instructions are in flight.
// Source: Gou and Gaydadjiev, Elastic Pipeline (CF'11), section 6.
#pragma once

#include <algorithm>
#include <array>

#include "bankshot/timing/base/ring.hpp"
#include "bankshot/timing/sm/scoreboard.hpp"

namespace bankshot::timing {

/// Says whether a further instruction of a warp may be in flight, and when its result may be kept. With Commit::any it
/// may always, and nothing is asked.
class ResultOrder {
 public:
  /// @param entries  of a warp's reorder buffer, for Commit::reorder
  ResultOrder(Commit commit, unsigned entries) : commit_(commit), entries_(entries) {}

  bool is_any() const { return commit_ == Commit::any; }
  /// A warp starts in a slot.
  void start(unsigned slot) {
    buffers_[slot].clear();
    in_order_[slot] = 0;
    conflicts_[slot] = false;
  }
  /// When a further instruction may issue. @param ready  called with (instruction, when it would be complete without
  /// results): when that instruction is complete
  template <class Ready>
  Wait wait(unsigned slot, Cycle now, Ready ready) {
    if (commit_ == Commit::hold) return {conflicts_[slot] ? in_order_[slot] : now, Cause::scratchpad};
    Ring<InFlight>& buffer = buffers_[slot];
    Cycle oldest = 0;
    for (size_t k = 0; k < buffer.size(); ++k) {
      InFlight& one = buffer[k];
      if (one.done) continue;
      const Cycle complete = ready(one.instr, one.ready);
      one.done = complete <= now;
      if (oldest == 0 && !one.done) oldest = complete;
    }
    while (!buffer.empty() && buffer.front().done) buffer.pop();
    return {buffer.size() < entries_ ? now : oldest, Cause::reorder};
  }
  /// An instruction issues. @param ready  of its result; kNever: not known  @param conflict  in the banks
  /// @param served  the banks of the first-level cache are through with it
  /// @return when its result may be kept
  Cycle issued(unsigned slot, uint32_t instr, Cycle now, Cycle ready, bool conflict, Cycle served) {
    if (commit_ == Commit::reorder) {
      // Where there are results wait() looks at them. What the atomics unit keeps is complete when the warp goes on.
      buffers_[slot].push({instr, ready == kNever ? now + 1 : ready, false});
    } else if (commit_ == Commit::hold) {
      // Nobody overtakes an access of the same warp: not in the stages beside those of memory either. Data of global
      // memory comes when it comes, but not before the banks of its cache have dealt with a conflict.
      if (ready != kNever) {
        ready = in_order_[slot] = std::max(ready, in_order_[slot]);
      } else if (conflict) {
        in_order_[slot] = std::max(in_order_[slot], served);
      }
      conflicts_[slot] = conflict;
    }
    return ready;
  }
  /// A result comes later than was told.
  void delayed(unsigned slot, Cycle ready) { in_order_[slot] = std::max(in_order_[slot], ready); }

 private:
  struct InFlight {
    uint32_t instr = 0;
    Cycle ready = 0;
    bool done = false;
  };
  Commit commit_;
  unsigned entries_;
  // By warp slot.
  std::array<Ring<InFlight>, 64> buffers_;  ///< the reorder buffers
  std::array<Cycle, 64> in_order_{};        ///< when the last result comes, where results come in order
  std::array<bool, 64> conflicts_{};        ///< the last access has a conflict
};

}  // namespace bankshot::timing

// Do conflicts cost anything? The cycles by which they delay data, sorted by what the SM did in them.
#pragma once

#include <cstdint>

#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/base/ring.hpp"

namespace bankshot::timing {

/// A cycle by which a conflict delays data is exposed if the SM issued nothing in it and a scheduler waited for shared
/// memory: for its data or for its banks; else it is hidden.
class Exposure {
 public:
  /// But for a conflict of an instruction, data that comes at `end` would come at `begin`; later than all before.
  /// @param now  at most begin
  void conflict(Cycle now, Cycle begin, Cycle end, uint32_t instr) {
    if (begin == end) return;
    if (conflicts_.empty()) seen_ = now;
    conflicts_.push() = {begin, end, instr};
  }
  bool empty() const { return conflicts_.empty(); }

  /// Reports what the SM did in the cycles before `until` that were not reported yet: the same in all of them.
  /// @param count  called with (instruction, cycles, exposed)
  template <class Count>
  void tell(Cycle until, bool exposed, Count count) {
    while (!conflicts_.empty() && seen_ < until) {
      Conflict& first = conflicts_.front();
      const Cycle from = first.begin > seen_ ? first.begin : seen_;
      if (from >= until) break;
      const Cycle to = first.end < until ? first.end : until;
      count(first.instr, to - from, exposed);
      seen_ = to;
      if (to == first.end) conflicts_.pop();
    }
    if (seen_ < until) seen_ = until;
  }
  /// Nothing waits any more: the remaining cycles are hidden.
  template <class Count>
  void finish(Count count) {
    tell(kNever, false, count);
  }

 private:
  struct Conflict {
    Cycle begin = 0, end = 0;
    uint32_t instr = 0;
  };
  Ring<Conflict> conflicts_;
  Cycle seen_ = 0;
};

}  // namespace bankshot::timing

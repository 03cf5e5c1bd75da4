// Bank-conflict aware scheduling: keeps memory accesses from conflicts that are foreseen.
// Source: Gou and Gaydadjiev, Elastic Pipeline (CF'11), section 4.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "bankshot/timing/base/counters.hpp"
#include "bankshot/timing/base/ring.hpp"
#include "bankshot/timing/schedulers/foresight.hpp"

namespace bankshot::timing {

/// Asks what foresees conflicts about every access that issues, teaches it when the banks have served the access, and
/// says from when on the next memory access may issue. Without a Foresight it says nothing.
class ConflictGuard {
 public:
  /// @param issue_cycles  that a warp takes of the issue stage
  ConflictGuard(std::unique_ptr<Foresight> foresight, unsigned issue_cycles, Counters& counters)
      : foresight_(std::move(foresight)), issue_cycles_(issue_cycles), counters_(counters) {}

  void begin_launch() {
    if (foresight_) foresight_->clear();
    lessons_.clear();
    memory_from_ = 0;
  }
  /// Before this cycle no memory access should issue; 0 where nothing is foreseen.
  Cycle memory_from() const { return memory_from_; }
  /// An access issues that the banks serve until `served`. @param degrees  of its sub-warps
  void accessed(Cycle now, unsigned slot, uint32_t instr, std::span<const unsigned> degrees, Cycle served) {
    if (!foresight_) return;
    for (; !lessons_.empty() && lessons_.front().at <= now; lessons_.pop()) {
      foresight_->learn(lessons_.front().instr, lessons_.front().slot, lessons_.front().conflict);
    }
    unsigned needed = 0;
    for (const unsigned degree : degrees) needed += std::max(1u, degree);
    const unsigned conflict = needed - std::min(needed, issue_cycles_);
    const unsigned foreseen = foresight_->foresee(instr, slot, conflict);
    ++(foreseen == conflict  ? counters_.foreseen_right
       : foreseen > conflict ? counters_.foreseen_over
                             : counters_.foreseen_under);
    memory_from_ = now + issue_cycles_ + foreseen;
    lessons_.push({served, instr, slot, conflict});
  }

 private:
  struct Lesson {
    Cycle at = 0;
    uint32_t instr = 0;
    unsigned slot = 0, conflict = 0;
  };
  const std::unique_ptr<Foresight> foresight_;  ///< may be null
  const unsigned issue_cycles_;
  Counters& counters_;
  Ring<Lesson> lessons_;  ///< conflicts that the banks have not dealt with yet
  Cycle memory_from_ = 0;
};

}  // namespace bankshot::timing

// What the elastic-pipeline paper (CF'11) has the scheduler do: keep memory accesses from conflicts that are foreseen
// (section 4), and keep a warp's results in order where it may have several instructions in flight (section 6).
#include <algorithm>

#include "bankshot/timing/sm/sm.hpp"

namespace bankshot::timing {

/// A memory access would come too close behind a shared one: the warp is masked, unless nobody else can issue and it
/// may.
bool Sm::is_held_back(const Issue& issue) {
  if (issue.now >= memory_from_ || yielding_) return false;
  const Operation& operation = *issue.operation;
  if (!operation.is_access() && operation.kind != Kind::constant) return false;
  held_back_ |= uint64_t{1} << issue.slot;
  // Who yields is asked again in every cycle: that is when it may turn out that nobody else can issue.
  block(issue.slot, config_.issue.aware_yields ? issue.now + 1 : memory_from_, Cause::foreseen);
  return true;
}

/// An access has issued that the banks serve until `served`. @param degrees  of its sub-warps
void Sm::foresee(const Issue& issue, std::span<const unsigned> degrees, Cycle served) {
  for (; !lessons_.empty() && lessons_.front().at <= issue.now; lessons_.pop()) {
    foresight_->learn(lessons_.front().pc, lessons_.front().slot, lessons_.front().conflict);
  }
  unsigned needed = 0;
  for (const unsigned degree : degrees) needed += std::max(1u, degree);
  const unsigned conflict = needed - std::min(needed, issue_cycles_);
  const unsigned foreseen = foresight_->foresee(issue.index, issue.slot, conflict);
  ++(foreseen == conflict  ? counters_.foreseen_right
     : foreseen > conflict ? counters_.foreseen_over
                           : counters_.foreseen_under);
  memory_from_ = issue.now + issue_cycles_ + foreseen;
  lessons_.push({served, issue.index, issue.slot, conflict});
}

/// Several instructions of a warp in flight: may a further one be?
bool Sm::may_commit(const Issue& issue) {
  const unsigned slot = issue.slot;
  if (config_.issue.commit == Commit::hold) {
    return in_order_[slot] <= issue.now || !conflicts_[slot] || block(slot, in_order_[slot], Cause::scratchpad);
  }
  Ring<InFlight>& buffer = reorder_[slot];
  Cycle oldest = 0;
  for (size_t k = 0; k < buffer.size(); ++k) {
    InFlight& one = buffer[k];
    if (one.done) continue;
    const Operation& operation = launch_.operations->of[one.instr];
    Cycle ready = operation.writes == 0 ? one.ready : 0;
    for (unsigned w = operation.reads; w < unsigned{operation.reads} + operation.writes; ++w) {
      ready = std::max(ready, ready_[slot * registers_ + launch_.operations->registers[operation.uses + w]]);
    }
    one.done = ready <= issue.now;
    if (oldest == 0 && !one.done) oldest = ready;
  }
  while (!buffer.empty() && buffer.front().done) buffer.pop();
  return buffer.size() < config_.issue.reorder_entries || block(slot, oldest, Cause::reorder);
}

/// It has issued.
void Sm::will_commit(Issue& issue, bool conflict) {
  const unsigned slot = issue.slot;
  if (config_.issue.commit == Commit::reorder) {
    // Where there are results may_commit() looks at them. What the atomics unit keeps is complete when the warp goes
    // on.
    reorder_[slot].push({issue.index, issue.ready == kNever ? issue.now + 1 : issue.ready, false});
  } else if (config_.issue.commit == Commit::hold) {
    // Nobody overtakes an access of the same warp: not in the stages beside those of memory either. Data of global
    // memory comes when it comes, but not before the banks of its cache have dealt with a conflict.
    if (issue.ready != kNever) {
      issue.ready = in_order_[slot] = std::max(issue.ready, in_order_[slot]);
    } else if (conflict) {
      in_order_[slot] = std::max(in_order_[slot], l1_served_[slot]);
    }
    conflicts_[slot] = conflict;
  }
}

}  // namespace bankshot::timing

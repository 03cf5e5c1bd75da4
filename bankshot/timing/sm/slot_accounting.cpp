#include "bankshot/timing/sm/slot_accounting.hpp"

#include <algorithm>

namespace bankshot::timing {
namespace {

/// Whether a scheduler waits for shared memory.
bool is_shared(Cause cause) {
  return cause == Cause::scratchpad || cause == Cause::scratchpad_busy || cause == Cause::atomic ||
         cause == Cause::bank_conflict || cause == Cause::replay || cause == Cause::foreseen;
}

}  // namespace

void SlotAccounting::begin_launch(Cycle begin, size_t instructions) {
  lines_.assign(instructions, {});
  begin_ = begin;
  over_time_ = {};
  for (Scheduler& scheduler : schedulers_) scheduler = {begin, Cause::no_warp, kNobody, begin};
}

void SlotAccounting::issued(unsigned index, Cycle now, unsigned instructions, uint32_t instr, Cause rest,
                            uint32_t blame, unsigned slots, Cycle free) {
  add(Cause::issued, kNobody, now, now + 1, instructions);
  if (instructions < width_) add(rest, blame, now, now + 1, width_ - instructions);
  issued_ = true;
  const bool goes_on = free == now + Cycle{issue_cycles_} * slots;
  const Cycle since = now + 1 + (goes_on ? 0 : count_standstills(now + 1, free, false));
  schedulers_[index] = {since, slots > 1 ? Cause::issued : Cause::sub_warp, instr, since - 1};
}

/// Sub-warps of what issued last are held up: counts those cycles. @return how many there are
/// @param take_back  they were counted, and the launch was stopped before
Cycle SlotAccounting::count_standstills(Cycle now, Cycle until, bool take_back) {
  Cycle all = 0;
  while (now < until) {
    const Pipeline::Standstill stands = pipeline_.standstill(now);
    if (stands.end > now) {
      const Cycle cycles = stands.end - now;
      add(stands.cause, stands.instr, now, stands.end, take_back ? uint64_t(-1) : 1);
      if (stands.cause == Cause::bank_conflict && !take_back) stood_.emplace_back(now, stands.end);
      all += cycles;
    }
    now = std::max(now + 1, stands.end);
  }
  return all;
}

void SlotAccounting::begin_event(Cycle now) {
  if (!exposure_.empty()) {
    for (const auto& [begin, end] : stood_) {
      exposure_.tell(begin, false, counter());
      exposure_.tell(end, true, counter());
    }
    const bool waiting =
        std::any_of(schedulers_.begin(), schedulers_.end(), [](const Scheduler& s) { return is_shared(s.cause); });
    // Further slots of an instruction are taken.
    const bool busy = std::any_of(schedulers_.begin(), schedulers_.end(),
                                  [](const Scheduler& s) { return s.cause == Cause::issued; });
    exposure_.tell(now, waiting && !issued_ && !busy, counter());
  }
  stood_.clear();
  issued_ = false;
}

void SlotAccounting::end_event(Cycle now) {
  if (!issued_ || exposure_.empty()) return;
  // Of this cycle it is known that it is hidden; what follows until the next event is told then.
  exposure_.tell(now + 1, false, counter());
  issued_ = issue_cycles_ > 1;
}

void SlotAccounting::finish() { exposure_.finish(counter()); }

void SlotAccounting::end_launch(unsigned index, Cycle end, Cycle free) {
  Scheduler& scheduler = schedulers_[index];
  if (scheduler.cause == Cause::sub_warp && free > end) scheduler.since -= count_standstills(end, free, true);
  account(index, end);
}

}  // namespace bankshot::timing

// The scoreboard of an SM: from when on the registers of its warps may be read and written.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/base/counters.hpp"
#include "bankshot/timing/sm/operation.hpp"

namespace bankshot::timing {

/// Whether an instruction can issue.
struct Wait {
  Cycle until = 0;               ///< not before; it can issue if this is not later than the given cycle
  Cause why = Cause::execution;  ///< what the warp waits for until then
};

/// Results are announced when an instruction issues, or, if their time is unknown then (`kNever`), when they arrive. An
/// instruction waits for what it reads and for what it writes. Cycles of issue; slots are warp slots of the SM.
class Scoreboard {
 public:
  /// A launch begins: so many slots, and so many registers of each.
  void begin_launch(size_t slots, size_t registers) {
    registers_ = std::max<size_t>(1, registers);
    ready_.assign(slots * registers_, 0);
    hold_.assign(slots * registers_, 0);
    why_.assign(slots * registers_, Cause::execution);
  }
  /// A warp starts in a slot.
  void start(unsigned slot) {
    slots_[slot] = {};
    std::fill_n(ready_.begin() + static_cast<ptrdiff_t>(slot * registers_), registers_, Cycle{0});
    std::fill_n(hold_.begin() + static_cast<ptrdiff_t>(slot * registers_), registers_, Cycle{0});
  }

  /// When an instruction of the warp can issue; of several registers the last decides.
  Wait wait(unsigned slot, const RegisterUses& uses, Cycle now) const {
    const Slot& warp = slots_[slot];
    if (warp.expected == 0 && warp.known <= now && warp.holds <= now) return {now};
    Wait found{now};
    const size_t first = slot * registers_;
    for (unsigned k = 0; k < uses.reads + uses.writes; ++k) {
      const size_t at = first + uses.registers[k];
      if (ready_[at] > found.until) found = {ready_[at], why_[at]};
      if (k >= uses.reads && hold_[at] > found.until) found = {hold_[at], Cause::ordering};
    }
    return found;
  }
  /// The host fetches what wait() reads first of each register.
  void prefetch(unsigned slot, const RegisterUses& uses) const {
    for (unsigned k = 0; k < uses.reads + uses.writes; ++k) {
      __builtin_prefetch(&ready_[slot * registers_ + uses.registers[k]]);
    }
  }
  /// When all that the warp's last instruction does is complete.
  Wait last(unsigned slot) const { return {slots_[slot].complete, slots_[slot].why}; }
  /// When all results of an instruction are there.
  Cycle ready(unsigned slot, const RegisterUses& uses) const {
    Cycle last = 0;
    for (const uint32_t use : uses.written()) last = std::max(last, ready_[slot * registers_ + use]);
    return last;
  }

  /// An instruction has issued. @param ready  of its results; kNever: arrived() will tell
  /// @param has_results  whether an instruction may wait for `ready`
  void issued(unsigned slot, const RegisterUses& uses, Cycle ready, Cause why, bool has_results) {
    Slot& warp = slots_[slot];
    for (const uint32_t use : uses.written()) {
      ready_[slot * registers_ + use] = ready;
      why_[slot * registers_ + use] = why;
    }
    if (ready != kNever && has_results) warp.known = std::max(warp.known, ready);
    warp.complete = warp.expected != 0 ? kNever : ready;
    warp.why = why;
  }
  /// An instruction whose result is what it reads in another form, and there at the same time.
  /// @return until when the warp must wait with it: if it is not known when an operand comes, or the result would
  ///         overwrite what an earlier access is to read
  Wait pass_on(unsigned slot, const RegisterUses& uses, Cycle now) {
    Slot& warp = slots_[slot];
    const size_t first = slot * registers_;
    Wait comes{now};
    for (unsigned k = 0; k < uses.reads + uses.writes; ++k) {
      const size_t at = first + uses.registers[k];
      if (ready_[at] > comes.until) comes = {ready_[at], why_[at]};
      if (k >= uses.reads && hold_[at] > now) return {hold_[at], Cause::ordering};
    }
    if (comes.until == kNever) return comes;
    for (const uint32_t use : uses.written()) {
      ready_[first + use] = comes.until;
      why_[first + use] = comes.why;
    }
    warp.known = std::max(warp.known, comes.until);
    return {now};
  }
  /// What an access reads that takes effect later must not be written until then.
  void hold(unsigned slot, const RegisterUses& uses, Cycle until) {
    for (const uint32_t use : uses.read()) hold_[slot * registers_ + use] = until;
    slots_[slot].holds = until;
  }
  /// Accesses of the warp have gone to memory, and it is not known when their data comes.
  void expect(unsigned slot, unsigned accesses) { slots_[slot].expected += accesses; }
  /// The data of one of them is there.
  void received(unsigned slot) { --slots_[slot].expected; }
  /// It is known when the results of an instruction are there.
  void arrived(unsigned slot, const RegisterUses& uses, Cycle ready) {
    Slot& warp = slots_[slot];
    for (const uint32_t use : uses.written()) ready_[slot * registers_ + use] = ready;
    warp.known = std::max(warp.known, ready);
    warp.complete = warp.expected != 0 ? kNever : warp.known;
  }
  /// The results of an instruction come later than was told. @param is_last  it is the warp's last instruction
  /// @return when the latest of them comes; 0 if none was known
  Cycle delay(unsigned slot, const RegisterUses& uses, Cycle by, bool is_last) {
    Slot& warp = slots_[slot];
    Cycle latest = 0;
    for (const uint32_t use : uses.written()) {
      Cycle& ready = ready_[slot * registers_ + use];
      if (ready != kNever) latest = std::max(latest, ready += by);
    }
    warp.known = std::max(warp.known, latest);
    if (is_last && warp.complete != kNever) warp.complete += by;
    return latest;
  }

 private:
  struct Slot {
    uint32_t expected = 0;         ///< accesses whose data comes at a time that is not known
    Cycle known = 0;               ///< by when all results are there whose time is known
    Cycle holds = 0;               ///< until when some register is held
    Cycle complete = 0;            ///< the last instruction
    Cause why = Cause::execution;  ///< stall cause charged while it is in flight
  };
  std::array<Slot, 64> slots_{};
  size_t registers_ = 0;
  // By slot and register.
  std::vector<Cycle> ready_, hold_;
  std::vector<Cause> why_;
};

}  // namespace bankshot::timing

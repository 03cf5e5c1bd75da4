// What the issue slots of an SM are spent on: every slot of every cycle has one cause.
#pragma once

#include <utility>
#include <vector>

#include "bankshot/timing/base/counters.hpp"
#include "bankshot/timing/base/slot_series.hpp"
#include "bankshot/timing/pipelines/pipeline.hpp"
#include "bankshot/timing/sm/exposure.hpp"

namespace bankshot::timing {

/// Slots are accounted for when their cause changes: a scheduler has one cause and one instruction to blame from some
/// cycle on. Also tells Exposure what the SM did meanwhile. Counts into the SM's counters and into those of lines.
class SlotAccounting {
 public:
  static constexpr uint32_t kNobody = ~0u;  ///< no instruction is to blame

  /// @param width  slots of a scheduler in a cycle
  /// @param issue_cycles  that a warp takes of the issue stage
  SlotAccounting(unsigned schedulers, unsigned width, unsigned issue_cycles, const Pipeline& pipeline,
                 Counters& counters)
      : width_(width), issue_cycles_(issue_cycles), pipeline_(pipeline), counters_(counters), schedulers_(schedulers) {}

  void begin_launch(Cycle begin, size_t instructions);
  /// Accounts for the slots of a scheduler before this cycle.
  void account(unsigned index, Cycle until) {
    Scheduler& scheduler = schedulers_[index];
    if (until <= scheduler.since) return;
    if (scheduler.cause == Cause::issued) {  // further machine instructions of the last one, and their sub-warps
      const auto begun = [&](Cycle before) { return (before - 1 - scheduler.begin) / issue_cycles_; };
      for (Cycle cycle = scheduler.since; cycle < until; ++cycle) {
        const uint64_t instructions = begun(cycle + 1) - begun(cycle);
        add(Cause::issued, kNobody, cycle, cycle + 1, instructions);
        add(Cause::sub_warp, scheduler.blame, cycle, cycle + 1, width_ - instructions);
      }
    } else {
      add(scheduler.cause, scheduler.blame, scheduler.since, until, width_);
    }
    scheduler.since = until;
  }
  /// From where it is accounted for on, its slots have this cause.
  void set_cause(unsigned scheduler, Cause cause, uint32_t blame) {
    schedulers_[scheduler].cause = cause;
    schedulers_[scheduler].blame = blame;
  }
  /// Instructions of a warp have issued in cycle `now`, of a scheduler that was accounted for until then.
  /// @param instr  the first of them  @param rest, blame  why the remaining slots of the cycle were not used
  /// @param slots  that the first of them takes, one behind the other: its machine instructions
  /// @param free   the issue stage is, from that cycle on: sub-warps and further machine instructions have it before
  void issued(unsigned scheduler, Cycle now, unsigned instructions, uint32_t instr, Cause rest, uint32_t blame,
              unsigned slots, Cycle free);

  /// Something happens in cycle `now`: passes what happened since the last time to Exposure.
  void begin_event(Cycle now);
  void end_event(Cycle now);
  /// As Exposure::conflict().
  void conflict(Cycle now, Cycle begin, Cycle end, uint32_t instr) { exposure_.conflict(now, begin, end, instr); }

  /// The launch ends. @param free  of the scheduler, as in issued()
  void end_launch(unsigned scheduler, Cycle end, Cycle free);
  /// … for all schedulers.
  void finish();

  std::vector<LineCounters>& lines() { return lines_; }
  SlotSeries& over_time() { return over_time_; }  ///< of the launch, from its beginning

 private:
  struct Scheduler {
    Cycle since = 0;               ///< accounted for up to here
    Cause cause = Cause::no_warp;  ///< of the slots since then
    uint32_t blame = kNobody;
    Cycle begin = 0;  ///< when what issued last did, and standstills since
  };
  Cycle count_standstills(Cycle now, Cycle until, bool take_back);
  /// Slots of the cycles [begin, end).
  void add(Cause cause, uint32_t blame, Cycle begin, Cycle end, uint64_t per_cycle) {
    const uint64_t slots = (end - begin) * per_cycle;
    over_time_.add(cause, begin - begin_, end - begin_, per_cycle);
    counters_.slots[static_cast<unsigned>(cause)] += slots;
    if (blame != kNobody) lines_[blame].slots[static_cast<unsigned>(cause)] += slots;
  }
  /// What Exposure calls.
  auto counter() {
    return [this](uint32_t instr, Cycle cycles, bool exposed) {
      (exposed ? counters_.conflict_cycles_exposed : counters_.conflict_cycles_hidden) += cycles;
      lines_[instr].conflict_cycles += cycles;
      if (exposed) lines_[instr].exposed += cycles;
    };
  }

  const unsigned width_, issue_cycles_;
  const Pipeline& pipeline_;
  Counters& counters_;
  std::vector<Scheduler> schedulers_;
  std::vector<LineCounters> lines_;
  Cycle begin_ = 0;  ///< of the launch
  SlotSeries over_time_;
  Exposure exposure_;
  bool issued_ = false;  ///< a warp issued in the cycle of the last event
  /// Cycles [begin, end) in which sub-warps of what issued last stand still because of a conflict.
  std::vector<std::pair<Cycle, Cycle>> stood_;
};

}  // namespace bankshot::timing

// A streaming multiprocessor: CTA slots, warps, schedulers, execution units, the scratchpad, the way to memory.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/run/launch.hpp"
#include "bankshot/simt/run/stepper.hpp"
#include "bankshot/simt/tensor_access/work.hpp"
#include "bankshot/simt/textures/texture_run.hpp"
#include "bankshot/timing/base/counters.hpp"
#include "bankshot/timing/memory/host_places.hpp"
#include "bankshot/timing/memory/memory_port.hpp"
#include "bankshot/timing/pipelines/pipeline.hpp"
#include "bankshot/timing/schedulers/scheduler.hpp"
#include "bankshot/timing/sm/async_copies.hpp"
#include "bankshot/timing/sm/bulk_stores.hpp"
#include "bankshot/timing/sm/conflict_guard.hpp"
#include "bankshot/timing/sm/execution_units.hpp"
#include "bankshot/timing/sm/l1_banks.hpp"
#include "bankshot/timing/sm/operation.hpp"
#include "bankshot/timing/sm/product_groups.hpp"
#include "bankshot/timing/sm/result_order.hpp"
#include "bankshot/timing/sm/scoreboard.hpp"
#include "bankshot/timing/sm/shared_port.hpp"
#include "bankshot/timing/sm/slot_accounting.hpp"
#include "bankshot/timing/sm/tensor_unit.hpp"
#include "bankshot/timing/sm/timeline_recorder.hpp"
#include "bankshot/timing/sm/transaction_times.hpp"

namespace bankshot::timing {

/// What all SMs share during a launch.
struct SmLaunch {
  const simt::LaunchSetup* setup = nullptr;
  const simt::Launch* launch = nullptr;
  const Operations* operations = nullptr;
  const HostPlaces* host = nullptr;
  unsigned ctas_per_sm = 1, warps_per_cta = 1;
  unsigned l1_bytes = 0;  ///< of the first-level cache
  Cycle begin = 0;
  Cycle timeline_end = 0;  ///< spans are kept of what begins before
};

/// Decides which warp issues when, and what others do meanwhile: Scoreboard and ResultOrder say when an instruction may
/// issue, ExecutionUnits, SharedPort, L1Banks and MemoryPort when its results are there, SlotAccounting counts the
/// issue slots. It shares nothing with other SMs, which may advance on different threads. It executes its warps'
/// instructions when it issues them, except for what other SMs may see in a particular order: those accesses it hands
/// out to be performed at the end of the quantum.
class Sm {
 public:
  Sm(const Config& config, unsigned index);

  void begin_launch(const SmLaunch& launch);
  bool has_room() const { return free_slots_ != 0; }
  unsigned room() const { return static_cast<unsigned>(std::popcount(free_slots_)); }  ///< for so many CTAs
  /// A CTA starts in a free slot; its warps can issue at cycle `at`. @param cluster  that it joins, or null
  void start_cta(uint64_t linear, Cycle at, const std::shared_ptr<simt::Cluster>& cluster = nullptr);

  /// Simulates the cycles before `end` that were not simulated yet; `end` is where the quantum ends.
  void advance(Cycle end);
  /// advance() to this cycle or an earlier one would change nothing.
  Cycle next_event() const;

  /// An access that waits for the end of the quantum.
  struct Pending {
    Cycle cycle = 0;
    unsigned slot = 0;
    simt::Deferred access;
    AsyncCopies::Arrival arrival{};  ///< instead, of data that has arrived: who learns of it in other CTAs
  };
  std::vector<Pending>& pending() { return pending_; }
  /// It has taken effect.
  void performed(const Pending& access, Cycle now);

  // Clusters: sm_cluster.cpp. None of these is called while an SM advances.
  /// Clusters of which lanes have arrived at the barrier, or ended, since the last time: each CTA adds its own.
  void cluster_news(std::vector<std::shared_ptr<simt::Cluster>>& clusters);
  /// Its barrier is complete: warps go on.
  void cluster_goes_on(const simt::Cluster& cluster, Cycle at);
  /// Tells the barriers of other CTAs. @return false if that faulted
  bool tell_others(const Pending& access);
  /// Lets lanes that wait at joins continue, in CTAs in which no other lane can. @return whether there were any
  bool release_blocked(Cycle now);

  MemoryPort& port() { return port_; }
  const MemoryPort& port() const { return port_; }
  simt::Worker& worker() { return *worker_; }
  /// What CTAs printed that ended; with `all`, also what those printed that are still here.
  std::vector<simt::Output>& outputs(bool all);
  bool is_idle() const { return resident_ == 0 && port_.is_idle(); }
  unsigned ctas_ended() const { return ctas_ended_; }
  unsigned index() const { return index_; }
  uint64_t clock_at(Cycle cycle) const { return clock_(cycle); }  ///< what %clock tells then
  /// Cycle of the CTA's fault, if one faulted.
  std::optional<Cycle> fault() const { return fault_; }
  void set_fault(Cycle cycle) { fault_ = std::min(cycle, fault_.value_or(cycle)); }
  /// All that live are blocked for good: lanes at joins go on. @return false if there are none, and a CTA has faulted
  bool break_deadlock(Cycle now);
  /// The cycle behind the last in which something happened.
  Cycle busy_until() const { return std::max(busy_until_, shared_.busy_until()); }

  /// The launch ends: all counters are complete up to `end`.
  void end_launch(Cycle end);
  Counters& counters() { return counters_; }
  std::vector<LineCounters>& lines() { return accounting_.lines(); }
  const SlotSeries& over_time() { return accounting_.over_time(); }
  std::vector<Span>& timeline() { return timeline_.spans(); }

 private:
  static constexpr unsigned kSlots = 64;
  using Kind = Operation::Kind;

  struct Scheduler {
    std::unique_ptr<WarpScheduler> policy;
    uint64_t share = 0;   ///< the warp slots that are its
    Cycle next = kNever;  ///< when to look again
    Cycle free = 0;       ///< the issue stage is, from here on
  };

  /// An instruction about to issue.
  struct Issue {
    unsigned slot = 0;
    Cycle now = 0;
    simt::Warp* warp = nullptr;
    const simt::Instr* instr = nullptr;
    uint32_t index = 0;
    const Operation* operation = nullptr;
    ExecutionUnits::Choice unit;
    Cycle ready = 0;               ///< its results
    Cause why = Cause::execution;  ///< stall cause charged to consumers
    bool shared = false, global = false, deferred = false;
    bool l1_banks = false;       ///< it has the first-level cache's
    bool conflict = false;       ///< in the banks
    bool kept_global = false;    ///< an access to global memory that its transaction keeps to itself
    bool in_one = false;         ///< the warp is in a transaction, some lanes at least
    bool transactional = false;  ///< these lanes, and they access shared memory
    bool alone = false;          ///< … and no other warp may be in one
    bool kept = false;           ///< the atomics unit says when the warp continues
  };

  // sm.cpp: from cycle to cycle.
  void schedule(unsigned index, Cycle now);
  void look_for_work(unsigned index, uint64_t mine, Cycle now);
  bool stands_still(unsigned index, Cycle now);
  bool issue_one(unsigned index, uint64_t ready, uint64_t mine, Cycle now);
  bool block(unsigned slot, Cycle until, Cause cause);
  bool wait_at_unit(const Issue& issue, Cycle until, Cause cause);
  void leave_unit(unsigned slot);
  uint64_t wait_on_at_units(unsigned index, uint64_t ready, Cycle now);
  bool block(unsigned slot, const Wait& wait) { return block(slot, wait.until, wait.why); }
  void wake(unsigned slot, Cycle at);
  void wake_cta(unsigned slot, Cycle at, Cause cause);
  void complete(Cycle now);
  void end_atomics();
  void put_off();
  void warp_done(unsigned slot, Cycle now);
  const simt::Instr* next_of(unsigned slot, Cycle at);
  void count_residents(Cycle until);
  // sm_issue.cpp: may an instruction issue, and what follows if it does?
  bool carry_out_parts(unsigned slot, Cycle now);
  void count_instruction(const simt::Warp& warp, uint32_t index, unsigned slots);
  bool try_issue(unsigned slot, Cycle now, unsigned scheduler);
  bool may_leave(const Issue& issue);
  bool may_commit(const Issue& issue);
  unsigned latency_of(const Operation& operation, UnitClass unit) const;
  bool is_held_back(const Issue& issue);
  bool access_accepted(Issue& issue);
  bool has_l1_banks(const Operation& operation) const;
  bool port_accepts(unsigned slot);
  void execute(Issue& issue);
  void results(const Issue& issue);
  void after(const Issue& issue, const simt::Instr* next, bool lanes_ended);
  /// The access that issues has so many wavefronts, lines or words.
  void replay(unsigned parts) {
    if (config_.issue.replays && !staged_ && parts > 1) replays_ = std::max(replays_, parts - 1);
  }
  // sm_access.cpp: what an access costs.
  const scratchpad::Rules& rules_of(const Issue& issue) const;
  scratchpad::Cost shared_cost(const Issue& issue) const;
  void charge_shared(Issue& issue, const scratchpad::Cost& cost);
  void charge_copy(Issue& issue, const scratchpad::Cost& cost);
  void charge_memory(Issue& issue);
  void charge_constant(Issue& issue);
  Cycle charge_l1(Issue& issue);
  void coalesce_texels(const Issue& issue, uint64_t lanes);
  uint64_t physical(uint64_t address) const;
  uint64_t physical_local(uint64_t offset, unsigned slot, unsigned lane) const;
  // sm_transactions.cpp
  void charge_transaction(const Issue& issue);
  void displace_others(unsigned slot, Cycle now);
  void is_displaced(unsigned slot, Cycle now);
  void send_commit(const Issue& issue);
  void committed(unsigned slot, Cycle on);
  // sm_async.cpp
  void send_bulks(unsigned slot, uint32_t instr, Cycle now);
  unsigned send_bulk(const simt::BulkArrival& bulk, MemoryPort::Access access, Cycle now);
  template <class Send>
  void add_lines(uint64_t begin, uint32_t bytes, Send send);
  bool group_may_leave(const Issue& issue);
  void stored(const MemoryPort::Completion& done, Cycle now);
  void copied(unsigned slot, uint32_t instr, Cycle now);
  void tell(unsigned slot, uint32_t instr, AsyncCopies::Arrival arrival, Cycle now);
  static bool arrive(const AsyncCopies::Arrival& arrival, simt::Warp& warp, const simt::Instr* instr, uint64_t barrier);
  void multiply(const Issue& issue, const scratchpad::Cost& operands);
  // sm_tensor.cpp
  simt::TensorWork tensor_work(const Issue& issue) const;
  void charge_tensor(Issue& issue, const simt::TensorWork& work, const scratchpad::Cost& cost, const simt::Instr* next);
  void take_tensor_unit(const Issue& issue, const simt::TensorWork& work, const scratchpad::Cost& operands);
  const simt::Instr* commit_tensor(const Issue& issue);
  void tell_commits(Cycle now);
  bool columns_free(const Issue& issue);
  unsigned columns_in_use();
  void columns_freed(Cycle now);
  // sm_cluster.cpp
  void cross(Issue& issue);
  void send_late_bulks(Cycle now);

  const Operation& operation_of(uint32_t instr) const { return launch_.operations->of[instr]; }
  RegisterUses uses_of(uint32_t instr) const { return launch_.operations->uses_of(operation_of(instr)); }
  bool is_resident(unsigned slot) const { return (resident_ >> slot & 1) != 0; }
  /// The instruction that a warp's slots are counted for: the one that is to issue, or the barrier that it waits at.
  uint32_t blamed(unsigned slot) const {
    return next_[slot] != nullptr ? static_cast<uint32_t>(next_[slot] - code_) : last_[slot];
  }
  Issued issued(const Issue& issue) const {
    return {issue.now, issue.index, static_cast<uint8_t>(issue.slot), generation_[issue.slot]};
  }
  /// Where the shared memory of a warp's CTA begins in the SM's: those of all slots lie one behind the other, in whole
  /// rows of all banks. Bytes.
  uint32_t shared_base(unsigned slot) const {
    const uint32_t row = config_.rules.banks * config_.rules.bank_bytes;
    return slot / launch_.warps_per_cta * ((launch_.launch->shared_bytes + row - 1) / row * row);
  }
  unsigned scheduler_of(unsigned slot) const { return slot % static_cast<unsigned>(schedulers_.size()); }
  simt::CtaSlot& cta_of(unsigned slot) { return ctas_[slot / launch_.warps_per_cta]; }

  const Config& config_;
  const ClockRatio clock_;  ///< from issue to what %clock counts
  const unsigned index_;
  const unsigned issue_cycles_;  ///< a warp takes of the issue stage
  Counters counters_;
  std::vector<Scheduler> schedulers_;
  const std::unique_ptr<Pipeline> pipeline_;
  const bool staged_;  ///< it is given each sub-warp, and its front may stall
  SlotAccounting accounting_;
  TimelineRecorder timeline_;
  ConflictGuard guard_;
  Scoreboard scoreboard_;
  ResultOrder order_;
  ExecutionUnits units_;
  SharedPort shared_;
  L1Banks l1_banks_;
  TensorUnit tensor_;
  TransactionTimes transactions_;
  MemoryPort port_;
  bool one_in_flight_ = false;
  unsigned replays_ = 0;    ///< issue slots that the last instruction takes again
  uint64_t held_back_ = 0;  ///< warp slots that were held up only by the guard, the last time they tried
  /// Warp slots that were held up only by their unit, or by the banks behind it, the last time they tried.
  std::array<uint64_t, ExecutionUnits::kPlaces> at_units_{};
  uint64_t at_any_unit_ = 0;  ///< the union of these
  uint64_t at_banks_ = 0;     ///< those whose access found its unit free and the banks' queue full
  bool yielding_ = false;     ///< they may issue, because no other warp can
  std::array<uint64_t, scratchpad::kMaxLanes> physical_{};  ///< where the lanes of the access to global memory go

  SmLaunch launch_;
  const simt::Instr* code_ = nullptr;
  std::optional<simt::Worker> worker_;
  std::deque<simt::CtaSlot> ctas_;
  std::vector<simt::Output> outputs_;
  uint64_t free_slots_ = 0;             ///< CTA slots
  std::array<Cycle, 64> place_free_{};  ///< by CTA slot: when a CTA may start there
  uint64_t resident_ = 0;               ///< warp slots that are in use
  uint64_t waits_for_memory_ = 0, waits_for_port_ = 0;
  uint64_t waits_for_columns_ = 0;  ///< … of tensor memory
  uint64_t kept_ = 0;               ///< warp slots whose atomic the atomics unit keeps
  unsigned ctas_ended_ = 0;
  Cycle barrier_free_ = 0;  ///< when the next arrival at a barrier can be registered
  uint64_t ages_ = 0;
  // By warp slot.
  std::array<simt::Warp*, kSlots> warp_{};
  std::array<const simt::Instr*, kSlots> next_{};
  std::array<uint32_t, kSlots> last_{};   ///< the instruction that issued last
  std::array<Cycle, kSlots> wake_{};      ///< when to try again
  std::array<Cause, kSlots> cause_{};     ///< why not before
  std::array<Cycle, kSlots> earliest_{};  ///< before which the front end has nothing for it, whatever else happens
  std::array<uint64_t, kSlots> age_{};
  std::array<uint32_t, kSlots>
      generation_{};  ///< of the warp in the slot: answers to the stores of an earlier warp are ignored
  std::array<uint32_t, kSlots> stores_{}, deferred_{};  ///< stores and atomics that are not answered; see pending_
  std::array<AsyncCopies, kSlots> copies_;
  std::array<ProductGroups, kSlots> products_;

  simt::LaneAddresses addresses_;
  scratchpad::LineRequests requests_, row_;
  simt::TexelAddresses texels_;
  std::vector<Pending> pending_;
  bool has_clusters_ = false;  ///< the launch has, of several CTAs
  struct LateBulk {
    unsigned slot = 0;
    uint32_t instr = 0;
    std::vector<simt::BulkArrival> arrivals;
  };
  std::vector<LateBulk> late_bulks_;  ///< copies that were carried out between quanta, to be sent
  std::optional<Cycle> fault_;
  Cycle now_ = 0, quantum_end_ = 0, busy_until_ = 0, resident_since_ = 0;
  std::array<BulkStores, kSlots> bulk_stores_;  ///< by warp slot; rarely used, and large: behind all else
};

}  // namespace bankshot::timing

// A streaming multiprocessor: CTA slots, warps, schedulers, execution units, the scratchpad, the way to memory.
#pragma once

#include <array>
#include <bit>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/run/launch.hpp"
#include "bankshot/simt/run/stepper.hpp"
#include "bankshot/simt/textures/texture_run.hpp"
#include "bankshot/timing/atomics/atomics_unit.hpp"
#include "bankshot/timing/base/ring.hpp"
#include "bankshot/timing/chip/launch_timing.hpp"
#include "bankshot/timing/memory/memory_port.hpp"
#include "bankshot/timing/pipelines/pipeline.hpp"
#include "bankshot/timing/schedulers/foresight.hpp"
#include "bankshot/timing/schedulers/scheduler.hpp"
#include "bankshot/timing/sm/async_copies.hpp"
#include "bankshot/timing/sm/bulk_stores.hpp"
#include "bankshot/timing/sm/exposure.hpp"
#include "bankshot/timing/sm/operation.hpp"

namespace bankshot::timing {

/// What all SMs share during a launch.
struct SmLaunch {
  const simt::LaunchSetup* setup = nullptr;
  const simt::Launch* launch = nullptr;
  const Operations* operations = nullptr;
  unsigned ctas_per_sm = 1, warps_per_cta = 1;
  Cycle begin = 0;
  Cycle timeline_end = 0;  ///< spans are kept of what begins before
};

/// Private: SMs may advance on different threads. It executes its warps' instructions when it issues them, but for what
/// other SMs may see in a particular order: those accesses it hands out to be performed at the end of the quantum.
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
  /// Lanes that wait at joins go on, in CTAs in which nobody else can. @return whether there were any
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
  Cycle busy_until() const { return busy_until_; }

  /// The launch ends: all counters are complete up to `end`.
  void end_launch(Cycle end);
  Counters& counters() { return counters_; }
  std::vector<LineCounters>& lines() { return lines_; }
  std::vector<Span>& timeline() { return timeline_; }

 private:
  static constexpr unsigned kSlots = 64;
  using Kind = Operation::Kind;

  struct Scheduler {
    std::unique_ptr<WarpScheduler> policy;
    uint64_t share = 0;            ///< the warp slots that are its
    Cycle next = kNever;           ///< when to look again
    Cycle since = 0;               ///< slots are accounted for up to here
    Cycle free = 0;                ///< the issue stage is, from here on
    Cause cause = Cause::no_warp;  ///< of the slots since then
    uint32_t blame = kNobody;      ///< the instruction that waits
  };
  static constexpr uint32_t kNobody = ~0u;

  /// An instruction about to issue.
  struct Issue {
    unsigned slot = 0;
    Cycle now = 0;
    simt::Warp* warp = nullptr;
    const simt::Instr* instr = nullptr;
    uint32_t index = 0;
    const Operation* operation = nullptr;
    uint64_t* port = nullptr;  ///< of its execution unit
    unsigned lanes = 1;        ///< that it starts a cycle
    UnitClass unit = UnitClass::alu;
    unsigned work = 32;            ///< lanes that the instruction has for it
    Cycle ready = 0;               ///< its results
    Cause why = Cause::execution;  ///< what who waits for them waits for
    bool shared = false, global = false, deferred = false;
    bool conflict = false;       ///< in the banks
    bool kept_global = false;    ///< an access to global memory that its transaction keeps to itself
    bool in_one = false;         ///< the warp is in a transaction, some lanes at least
    bool transactional = false;  ///< these lanes, and they access shared memory
    bool alone = false;          ///< … and no other warp may be in one
    bool kept = false;           ///< the atomics unit says when the warp goes on
  };

  void schedule(unsigned index, Cycle now);
  void account(Scheduler& scheduler, Cycle until);
  void look_for_work(Scheduler& scheduler, uint64_t mine, Cycle now);
  bool stands_still(Scheduler& scheduler, Cycle now);
  Cycle count_standstills(Cycle now, Cycle until, bool take_back = false);
  bool issue_one(unsigned index, uint64_t ready, uint64_t mine, Cycle now);
  bool try_issue(unsigned slot, Cycle now, unsigned scheduler);
  bool block(unsigned slot, Cycle until, Cause cause);
  bool registers_ready(const Issue& issue);
  bool may_leave(const Issue& issue);
  bool unit_free(Issue& issue, unsigned scheduler);
  bool access_accepted(Issue& issue);
  scratchpad::Cost counted_since(const Issue& issue, const scratchpad::SiteTotals& before) const;
  scratchpad::Cost shared_cost(const Issue& issue) const;
  static scratchpad::AccessKind access_kind(const Issue& issue);
  std::array<uint32_t, scratchpad::kMaxLanes> shared_offsets() const;
  void charge_shared(Issue& issue, const scratchpad::Cost& cost);
  void coalesce_texels(const Issue& issue, uint64_t lanes);
  void charge_memory(Issue& issue);
  Cycle charge_l1(Issue& issue);
  void charge_constant(Issue& issue);
  void count_banks(const Issue& issue);
  void execute(Issue& issue);
  void results(const Issue& issue);
  void after(const Issue& issue, const simt::Instr* next, bool lanes_ended);
  void wake_cta(unsigned slot, Cycle at, Cause cause);
  void charge_transaction(const Issue& issue);
  void displace_others(unsigned slot, Cycle now);
  void is_displaced(unsigned slot, Cycle now);
  void send_commit(const Issue& issue);
  void committed(unsigned slot, Cycle on);
  void count_transaction(unsigned slot, Cycle on);
  bool port_accepts(unsigned slot);
  void charge_copy(Issue& issue, const scratchpad::Cost& cost);
  void send_bulks(unsigned slot, uint32_t instr, Cycle now);
  void send_late_bulks(Cycle now);
  unsigned send_bulk(const simt::BulkArrival& bulk, MemoryPort::Access access, Cycle now);
  bool group_may_leave(const Issue& issue);
  void stored(const MemoryPort::Completion& done, Cycle now);
  template <class Send>
  void add_lines(uint64_t begin, uint32_t bytes, Send send);
  void tell(unsigned slot, uint32_t instr, AsyncCopies::Arrival arrival, Cycle now);
  void cross(Issue& issue);
  void copied(unsigned slot, uint32_t instr, Cycle now);
  void warp_done(unsigned slot, Cycle now);
  void wake(unsigned slot, Cycle at);
  void complete(Cycle now);
  void count_residents(Cycle until);
  /// The instruction that a warp's slots are counted for: the one that is to issue, or the barrier that it waits at.
  uint32_t blamed(unsigned slot) const {
    return next_[slot] != nullptr ? static_cast<uint32_t>(next_[slot] - code_) : last_[slot];
  }
  void end_atomics();
  Issued issued(Cycle now, unsigned slot, uint32_t instr) const {
    return {now, instr, static_cast<uint8_t>(slot), generation_[slot]};
  }
  Passage served(const Issued& issued, const Passage& passage, unsigned passes, unsigned ideal, unsigned extra = 0);
  void put_off();
  bool is_held_back(const Issue& issue);
  void foresee(const Issue& issue, std::span<const unsigned> degrees, Cycle served);
  bool may_commit(const Issue& issue);
  void will_commit(Issue& issue, bool conflict);
  std::span<unsigned> degrees(const Issue& issue, const scratchpad::Cost& cost, unsigned passes);
  /// What Exposure calls.
  auto conflict_counter() {
    return [this](uint32_t instr, Cycle cycles, bool exposed) {
      (exposed ? counters_.conflict_cycles_exposed : counters_.conflict_cycles_hidden) += cycles;
      lines_[instr].conflict_cycles += cycles;
      if (exposed) lines_[instr].exposed += cycles;
    };
  }
  void span(unsigned slot, uint32_t instr, Track track, unsigned index, Cycle begin, Cycle end, uint32_t degree);
  uint64_t physical(uint64_t address) const;
  /// Where the shared memory of a warp's CTA begins in the SM's: those of all slots lie one behind the other, in whole
  /// rows of all banks. Bytes.
  uint32_t shared_base(unsigned slot) const {
    const uint32_t row = config_.rules.banks * config_.rules.bank_bytes;
    return slot / launch_.warps_per_cta * ((launch_.launch->shared_bytes + row - 1) / row * row);
  }
  uint64_t physical_local(uint64_t offset, unsigned slot, unsigned lane) const;
  unsigned scheduler_of(unsigned slot) const { return slot % static_cast<unsigned>(schedulers_.size()); }
  simt::CtaSlot& cta_of(unsigned slot) { return ctas_[slot / launch_.warps_per_cta]; }

  const Config& config_;
  const ClockRatio clock_;  ///< from issue to what %clock counts
  const unsigned index_;
  const unsigned issue_cycles_;  ///< a warp takes of the issue stage
  std::vector<Scheduler> schedulers_;
  std::unique_ptr<Pipeline> pipeline_;
  const bool staged_;  ///< it is told of each sub-warp
  std::unique_ptr<AtomicsUnit> atomics_;
  /// The banks, as the atomics unit asks for them.
  struct MyBanks final : Banks {
    explicit MyBanks(Sm& of) : sm(of) {}
    Cycle accepts(Cycle now) const override { return sm.pipeline_->accepts(now); }
    Passage serve(Cycle now, unsigned slot, uint32_t instr, unsigned passes, unsigned ideal) override {
      const Issued issued = sm.issued(now, slot, instr);
      return sm.served(issued, sm.pipeline_->again(issued, passes), passes, ideal);
    }
    Sm& sm;
  };
  MyBanks banks_;
  std::unique_ptr<Foresight> foresight_;  ///< null: none
  struct Lesson {
    Cycle at = 0;
    uint32_t pc = 0;
    unsigned slot = 0, conflict = 0;
  };
  Ring<Lesson> lessons_;        ///< conflicts that the banks have not dealt with yet
  Cycle memory_from_ = 0;       ///< before which no memory access should issue
  uint64_t held_back_ = 0;      ///< warp slots that could issue but for that, the last time they tried
  bool yielding_ = false;       ///< they may, as nobody else can
  Cycle atomics_due_ = kNever;  ///< when the atomics unit has something to do
  bool one_in_flight_ = false;
  /// How far each unit is booked, in lanes: cycle * lanes of the unit. So that one may start more than a warp a cycle.
  std::array<std::vector<uint64_t>, kUnitClasses> units_;
  uint64_t load_store_ = 0;
  scratchpad::Rules l1_rules_;                              ///< of its data banks, if it has any
  std::array<uint64_t, scratchpad::kMaxLanes> physical_{};  ///< where the lanes of the access to global memory go
  std::vector<uint8_t> bank_of_;                            ///< by bank word, if there is a hash
  MemoryPort port_;
  Exposure exposure_;

  SmLaunch launch_;
  const simt::Instr* code_ = nullptr;
  std::optional<simt::Worker> worker_;
  std::deque<simt::CtaSlot> ctas_;
  std::vector<simt::Output> outputs_;
  uint64_t free_slots_ = 0;  ///< CTA slots
  uint64_t resident_ = 0;    ///< warp slots that are in use
  uint64_t waits_for_memory_ = 0, waits_for_port_ = 0;
  uint64_t commits_ = 0;         ///< warp slots whose commit is to take effect at the end of the quantum
  uint64_t answered_later_ = 0;  ///< … and whose packets are not answered
  uint64_t kept_ = 0;            ///< warp slots whose atomic the atomics unit keeps
  unsigned ctas_ended_ = 0;
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
      generation_{};  ///< of the slot's tenant: answers to an earlier one's stores count for nobody
  std::array<uint32_t, kSlots> loads_{}, stores_{}, deferred_{};
  std::array<Cycle, kSlots> known_{};       ///< by when all results whose time is known are there
  std::array<Cycle, kSlots> complete_{};    ///< of the last instruction
  std::array<Cause, kSlots> in_flight_{};   ///< what who waits for that waits for
  std::array<Cycle, kSlots> l1_served_{};   ///< the banks of the first-level cache have served the last load
  std::array<uint32_t, kSlots> l1_load_{};  ///< … which is this instruction
  std::array<Cycle, kSlots> holds_{};       ///< until when a register of a deferred access must be left alone
  struct InFlight {
    uint32_t instr = 0;
    Cycle ready = 0;
    bool done = false;
  };
  std::array<Ring<InFlight>, kSlots> reorder_;        ///< the reorder buffer
  std::array<Cycle, kSlots> in_order_{};              ///< when the last result comes, where results come in order
  std::array<Cycle, kSlots> in_transaction_since_{};  ///< kNever: not in one
  std::array<AsyncCopies, kSlots> copies_;
  std::array<Cycle, kSlots> tries_again_since_{};  ///< … in its second attempt or a later one
  std::array<bool, kSlots> conflicts_{};           ///< the last access has a conflict
  // By warp slot and register.
  size_t registers_ = 0;
  std::vector<Cycle> ready_, hold_;
  std::vector<Cause> why_;

  simt::LaneAddresses addresses_;
  LineRequests requests_, row_;
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
  bool issued_ = false;  ///< somebody, in this cycle
  /// Cycles [begin, end) in which sub-warps of what issued last stand still because of a conflict.
  std::vector<std::pair<Cycle, Cycle>> stood_;
  std::array<unsigned, scratchpad::kMaxLanes> degrees_{};  ///< by sub-warp
  Counters counters_;
  std::vector<LineCounters> lines_;
  std::vector<Span> timeline_;
  std::array<BulkStores, kSlots> bulk_stores_;  ///< by warp slot; rarely used, and large: behind all else
};

}  // namespace bankshot::timing

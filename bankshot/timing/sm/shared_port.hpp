// The way of an SM's warps to its scratchpad: the banks, and the unit of atomics before them.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "bankshot/timing/atomics/atomics_unit.hpp"
#include "bankshot/timing/sm/conflict_guard.hpp"
#include "bankshot/timing/sm/operation.hpp"
#include "bankshot/timing/sm/slot_accounting.hpp"
#include "bankshot/timing/sm/timeline_recorder.hpp"

namespace bankshot::timing {

/// Charges accesses to shared memory: their cost is given, how long that takes follows from the pipeline and from
/// the unit of atomics. Counts wavefronts, lanes by bank and conflicts; each conflict's cycles go to SlotAccounting,
/// each access's degrees to ConflictGuard.
class SharedPort final : private Banks {
 public:
  SharedPort(const Config& config, Pipeline& pipeline, ConflictGuard& guard, SlotAccounting& accounting,
             TimelineRecorder& timeline, Counters& counters);
  void begin_launch();

  /// An access that issues.
  struct Access {
    Issued issued;
    const Operation* operation = nullptr;
    const scratchpad::Rules* rules = nullptr;  ///< of the banks, with the hash of the instruction
    scratchpad::Cost cost;                     ///< in wavefronts, as these say
    uint64_t lanes = 0;                        ///< that access shared memory
    const uint64_t* offsets = nullptr;         ///< bytes in its CTA's, by lane
    uint32_t base = 0;                         ///< where that begins in the SM's
    unsigned extra = 0;                        ///< cycles after its passes that are not due to a conflict
    bool takes_turns = false;                  ///< in a transaction: banks serve one lane after the other
    bool by_atomics_unit = false;  ///< an atomic that the unit charges; else it is served as at native banks
    bool matrix = false;           ///< several accesses in one
  };
  struct Outcome {
    Cycle ready = 0;        ///< a dependent instruction can issue; kNever: done() will tell
    bool kept = false;      ///< by the atomics unit: its warp waits for done()
    bool conflict = false;  ///< in the banks
    unsigned passes = 0;    ///< through the banks
  };
  Outcome access(const Access& access);
  /// What lanes of cp.async write.
  Outcome copy(const Issued& issued, const scratchpad::Cost& cost);

  /// When the atomics unit has something to do.
  Cycle next_event() const { return due_; }
  void advance(Cycle now);
  /// Kept accesses that have come to their end. Taken by the caller, who empties it.
  std::vector<AtomicsUnit::Done>& done() { return atomics_->done(); }
  /// The cycle behind the last in which the banks serve anything.
  Cycle busy_until() const { return busy_until_; }

 private:
  Cycle accepts(Cycle now, unsigned slot) const override { return pipeline_.accepts(now, slot); }
  Passage serve(Cycle now, unsigned slot, uint32_t instr, unsigned passes, unsigned ideal) override;

  void served(const Issued& issued, const Passage& passage, unsigned passes, unsigned ideal, unsigned extra);
  std::span<unsigned> degrees(const Access& access, unsigned passes);
  std::array<uint32_t, scratchpad::kMaxLanes> offsets_of(const Access& access) const;
  void count_banks(const Access& access);
  const std::vector<uint8_t>& banks_under(const scratchpad::Rules& rules);

  const Config& config_;
  Pipeline& pipeline_;
  ConflictGuard& guard_;
  SlotAccounting& accounting_;
  TimelineRecorder& timeline_;
  Counters& counters_;
  const std::unique_ptr<AtomicsUnit> atomics_;
  const bool staged_;         ///< each sub-warp is passed to the pipeline
  const unsigned sub_warps_;  ///< of a warp
  const unsigned latency_;    ///< of an access without conflicts
  /// By bank word, of the machine's hash and those of instructions in this launch; empty of rules that have none.
  std::map<const scratchpad::Rules*, std::vector<uint8_t>> banks_of_;
  const scratchpad::Rules* latest_ = nullptr;  ///< of the latest access
  const std::vector<uint8_t>* bank_of_ = nullptr;
  std::array<unsigned, scratchpad::kMaxLanes> degrees_{};  ///< by sub-warp
  std::array<uint32_t, 64> generation_{};                  ///< by warp slot: of the last atomic's warp
  Cycle due_ = kNever;
  Cycle busy_until_ = 0;
};

}  // namespace bankshot::timing

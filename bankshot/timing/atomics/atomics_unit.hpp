// What an atomic on shared memory costs.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/timing/atomics/atomic_form.hpp"
#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/base/registry.hpp"
#include "bankshot/timing/pipelines/pipeline.hpp"

namespace bankshot::timing {

/// One warp instruction that accesses shared memory atomically.
struct AtomicAccess {
  Cycle now = 0;      ///< it issues
  unsigned slot = 0;  ///< of its warp
  uint32_t instr = 0;
  AtomicForm form = AtomicForm::machine;
  unsigned update = 0;                       ///< cycles of its arithmetic, where that is a separate instruction
  scratchpad::Cost cost;                     ///< as counted: lanes of a bank one after the other
  const scratchpad::Rules* rules = nullptr;  ///< of the instruction
  unsigned width = 4;                        ///< bytes a lane
  uint64_t lanes = 0;
  const uint64_t* offsets = nullptr;  ///< bytes in its CTA's shared memory, by lane
  uint32_t base = 0;                  ///< where that begins in the SM's
};

/// The banks, for a unit that works on an access for longer. What it asks of them is counted.
class Banks {
 public:
  virtual ~Banks() = default;
  /// The earliest cycle, not before `now`, at which a slot's access can enter.
  virtual Cycle accepts(Cycle now, unsigned slot) const = 0;
  /// An access of a warp that needs them for `passes` cycles enters. @param ideal  passes that it would need without
  /// conflicts
  virtual Passage serve(Cycle now, unsigned slot, uint32_t instr, unsigned passes, unsigned ideal) = 0;
};

/// One of each SM. An access that it keeps is done exactly once; any other has the banks for one pass at least, and for
/// no more than AtomicAccess::cost counts. tests/contract holds every member to this.
class AtomicsUnit {
 public:
  struct Charge {
    unsigned passes = 0;  ///< cycles for which it has the banks
    bool keeps = false;   ///< it is a loop that the unit walks through: its warp waits, and done() tells its end
  };
  /// A kept access that has come to its end.
  struct Done {
    unsigned slot = 0;
    uint32_t instr = 0;
    Cycle ready = 0;  ///< its warp continues
  };
  virtual ~AtomicsUnit() = default;
  virtual Charge charge(const AtomicAccess& access, Banks& banks) = 0;

  // Of units that keep accesses.
  virtual Cycle next_event() const { return kNever; }
  /// Does the work due. Called at next_event(), which is then later.
  virtual void advance(Cycle /*now*/, Banks& /*banks*/) {}
  /// Taken by the caller, who empties it.
  std::vector<Done>& done() { return done_; }
  /// A launch begins.
  virtual void clear() {}

 protected:
  std::vector<Done> done_;
};

using AtomicsRegistry = Registry<AtomicsUnit>;

}  // namespace bankshot::timing

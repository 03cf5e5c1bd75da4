// How instructions flow behind the issue stage: whom a bank conflict holds up.
#pragma once

#include <span>
#include <vector>

#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/base/counters.hpp"
#include "bankshot/timing/base/registry.hpp"

namespace bankshot::timing {

/// What kind of stages an instruction passes through.
enum class Flow : uint8_t { memory, other };

/// When the banks serve a shared access, and when its data is there.
struct Passage {
  Cycle begin = 0, end = 0;  ///< the banks deliver in [begin, end), in issue cycles
  Cycle ready = 0;           ///< a dependent instruction can issue
};

/// An instruction that issues.
struct Issued {
  Cycle now = 0;
  uint32_t instr = 0;       ///< its index in the program
  uint8_t slot = 0;         ///< of its warp
  uint32_t generation = 0;  ///< of the slot's tenant, its last bits
};
constexpr uint32_t kGenerationMask = (1u << 25) - 1;

/// One of each SM. Instructions come in the order of issue; `now` never goes back. The banks serve every sub-warp of an
/// access for its whole degree, and one access at a time; a result comes later than its instruction issues, and only
/// what has issued can come later still. tests/contract holds every member to this.
class Pipeline {
 public:
  virtual ~Pipeline() = default;

  /// The front of the pipeline stands still from some cycle up to `end`: nothing issues. None: `end` is the cycle asked
  /// for.
  struct Standstill {
    Cycle end = 0;
    Cause cause = Cause::pipeline;
    uint32_t instr = 0;  ///< whose doing it is
  };
  /// Of a cycle not before the last issue. Known exactly.
  virtual Standstill standstill(Cycle now) const { return {now}; }
  /// The earliest cycle, not before `now`, at which a slot's access to shared memory can issue if none issues before
  /// it. Known exactly; if not staged(), the same for all slots of a scheduler.
  virtual Cycle accepts(Cycle now, unsigned slot) const = 0;
  /// Whether it distinguishes the sub-warps of a warp.
  virtual bool staged() const { return false; }
  /// A shared access issues.
  /// @param degrees  if staged: cycles for which each of its sub-warps needs the banks, 0: not at all; else one for the
  /// warp
  /// @param latency  without conflicts
  virtual Passage shared(const Issued& issued, std::span<const unsigned> degrees, unsigned latency) = 0;
  /// An access that has issued before needs the banks once more, for so many cycles.
  virtual Passage again(const Issued& issued, unsigned passes) = 0;
  /// Cycles [begin, end) in which the banks served the sub-warps of the last access one after the other; of all at once
  /// if not staged. Those without lanes are left out.
  struct Service {
    Cycle begin = 0, end = 0;
  };
  std::span<const Service> services() const { return services_; }
  /// Any other instruction issues. @param latency  of its unit; 0: another part knows when its result is there
  /// @return when a dependent instruction can issue
  virtual Cycle other(const Issued& issued, Flow flow, unsigned latency) = 0;
  /// The cycle from which on the next warp can issue, behind all sub-warps of the last one, standstills or not.
  virtual Cycle behind_last(Cycle if_nothing_stands) const { return if_nothing_stands; }
  /// The data of a warp is there, from outside the core, and can be written to registers from `now` on.
  /// @return when a dependent instruction can issue
  virtual Cycle returned(Cycle now) { return now; }

  /// Results that come later than was told: what issued since is in their way.
  struct Late {
    Issued whose;
    Cycle by = 0;  ///< cycles
  };
  std::vector<Late>& late() { return late_; }
  /// A launch begins: nothing is in flight.
  virtual void clear() = 0;

 protected:
  std::vector<Late> late_;
  std::vector<Service> services_;
};

using PipelineRegistry = Registry<Pipeline>;

}  // namespace bankshot::timing

// How instructions flow behind the issue stage: whom a bank conflict holds up.
#pragma once

#include "bankshot/timing/clock.hpp"
#include "bankshot/timing/registry.hpp"

namespace bankshot::timing {

/// What kind of stages an instruction passes through.
enum class Flow : uint8_t { shared, memory, other };

/// When the banks serve a shared access, and when its data is there.
struct Passage {
  Cycle begin = 0, end = 0;  ///< the banks deliver in [begin, end), told on the scale of issue cycles
  Cycle ready = 0;           ///< a dependent instruction can issue
};

/// One of each SM. Instructions come in the order of issue; `now` never goes back.
class Pipeline {
 public:
  virtual ~Pipeline() = default;
  /// The earliest cycle, not before `now`, at which such an instruction can issue if none issues before it. Known exactly.
  virtual Cycle accepts(Cycle now, Flow flow) const = 0;
  /// A shared access that needs the banks for `passes` cycles issues. @param latency  without conflicts
  virtual Passage shared(Cycle now, unsigned passes, unsigned latency) = 0;
  /// Any other instruction issues. @return cycles by which its result is later than its unit's latency
  virtual Cycle other(Cycle now, Flow flow) = 0;
  /// A launch begins: nothing is in flight.
  virtual void clear() = 0;
};

using PipelineRegistry = Registry<Pipeline>;

}  // namespace bankshot::timing

// Which ready warp issues next.
#pragma once

#include <cstdint>

#include "bankshot/timing/base/registry.hpp"

namespace bankshot::timing {

/// The warps of one scheduler. Bit w of a mask: warp slot w of the SM.
struct WarpView {
  uint64_t ready = 0;             ///< could issue, as far as is known, units and banks included; not 0
  uint64_t resident = 0;          ///< all
  uint64_t waits_for_memory = 0;  ///< of them
  const uint64_t* age = nullptr;  ///< by slot: the lower, the longer it is here; different for all residents
};

/// One of each scheduler of each SM. It changes no warp's state, compares ages and nothing else of them, and picks the
/// same warps when the same happens. tests/contract holds every member to this.
class WarpScheduler {
 public:
  virtual ~WarpScheduler() = default;
  /// @return a slot of view.ready. It is asked again without that slot if the warp turns out not to be able to issue
  virtual unsigned pick(const WarpView& view) = 0;
  /// The warp that was picked issued.
  virtual void issued(unsigned slot) = 0;
  /// Strict barrel processing: a warp issues only when its last instruction has been completed.
  virtual bool one_in_flight() const { return false; }
};

using SchedulerRegistry = Registry<WarpScheduler>;

}  // namespace bankshot::timing

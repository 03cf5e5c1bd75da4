// What an atomic on shared memory costs.
#pragma once

#include <cstdint>
#include <span>

#include "bankshot/scratchpad/access.hpp"
#include "bankshot/timing/registry.hpp"

namespace bankshot::timing {

/// One warp instruction that accesses shared memory atomically.
struct AtomicAccess {
  scratchpad::Cost cost;       ///< as counted: lanes of a bank one after the other
  unsigned width = 4;          ///< bytes a lane
  uint64_t lanes = 0;
  const uint64_t* offsets = nullptr;  ///< bytes, by lane
};

/// One of each SM.
class AtomicsUnit {
 public:
  struct Charge {
    unsigned passes = 0;   ///< cycles for which it has the banks
    unsigned latency = 0;  ///< cycles added to the scratchpad's latency
  };
  virtual ~AtomicsUnit() = default;
  virtual Charge charge(const AtomicAccess& access) = 0;
};

using AtomicsRegistry = Registry<AtomicsUnit>;

}  // namespace bankshot::timing

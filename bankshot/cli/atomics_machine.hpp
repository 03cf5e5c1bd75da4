// The GPU that `bankshot atomics` speaks of: what its atomics on shared memory cost.
#pragma once

#include <string>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/scratchpad/atomics_model.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

/// What the options say.
struct AtomicsRequest {
  std::string gpu = "gtx580";  ///< that of the papers
  std::string form;            ///< tpds, fsm or native; empty: tpds where there are locks, else native
  std::string bank_hash = "none", lock_hash = "none";
  bool weights = false;  ///< votes add other things than 1
};

struct AtomicsMachine {
  gpu::Gpu gpu;
  std::string form;
  scratchpad::Rules rules;
  scratchpad::AtomicsModel model;
  unsigned address_bits = 14;  ///< words that it works on are below 2 to this power
};

/// Finds the GPU and makes the model. Cycles are those of the clock that programs read.
/// The error names the option and what it could be.
Result<AtomicsMachine> atomics_machine(const AtomicsRequest& request);

}  // namespace bankshot::cli

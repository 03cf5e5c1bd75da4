// The GPU that `bankshot atomics` speaks of: what its atomics on shared memory cost.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/scratchpad/atomics/atomics_model.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::library {

/// The closed models: two of a loop over locks, then those of units that need none, by their names.
inline constexpr std::array<std::string_view, 4> kAtomicsForms = {"tpds", "fsm", "native", "loadlike"};

/// What the options say.
struct AtomicsRequest {
  std::string gpu = "gtx580";  ///< that of the papers
  std::string form;            ///< one of kAtomicsForms; empty: that of the GPU's unit
  std::string bank_hash = "none", lock_hash = "none";
  bool weights = false;  ///< other things than 1 are added, or results are wanted
};

struct AtomicsMachine {
  gpu::Gpu gpu;
  std::string form;
  scratchpad::Rules rules;
  scratchpad::AtomicsModel model;
  bool combines = false;       ///< native: lanes on one word count as one
  unsigned address_bits = 14;  ///< words that it works on are below 2 to this power
  bool has_locks() const { return form == "tpds" || form == "fsm"; }
};

/// Which patterns are of atomics: those that say so, or all if none does, as in a file written by hand.
std::vector<size_t> atomics_of(const scratchpad::PatternSet& set);

/// Makes the model of a GPU that can be simulated. Cycles are those of the clock that programs read.
/// The error names the option and what it could be.
Result<AtomicsMachine> atomics_machine(const gpu::Gpu& gpu, const AtomicsRequest& request);
/// … of the GPU that the request names.
Result<AtomicsMachine> atomics_machine(const AtomicsRequest& request);

}  // namespace bankshot::library

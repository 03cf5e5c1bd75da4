// What ptxas makes of a kernel, as PTX: loops unrolled, neighbouring accesses of shared memory joined into wider ones,
// repeated loads read once, unused loads removed. A GPU executes machine code, and this is the model of what its
// accesses are. Every rule was found with ptxas 13.0; docs/wavefronts.md states each with the experiment that shows it.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "bankshot/ptx/module.hpp"

namespace bankshot::optimise {

/// Accesses of shared memory that machine code was seen to have, by the line of the PTX that they come from.
struct SeenAccesses {
  struct Widths {
    std::set<unsigned> loads, stores;  ///< bytes a lane
  };
  std::map<uint32_t, Widths> lines;
};

struct Options {
  /// Of the GPU that the code is for: 75 is sm_75. From 90 on ptxas treats the address of a shared variable as a
  /// register.
  unsigned architecture = 75;
  /// What is expected to be wider than all that machine code has at its lines is split until it is not. Null: nothing
  /// was seen.
  const SeenAccesses* seen = nullptr;
  /// For a timing model: all loops that ptxas unrolls are unrolled, not only those whose accesses are joined by that;
  /// instructions carry their `slots` (ptx::Instruction), and those of a basic block are put in the order that ptxas
  /// would choose.
  bool timing = false;
};

/// Changes the bodies of all functions but those with transactions, whose borders no access may cross. Registers that
/// programs read and all memory have the values of the original at every instruction that is left, if the program has
/// no data race; with `timing` at the ends of basic blocks, and of two faults another may come first. Instructions that
/// were joined carry `joined` and `written` (ptx::Instruction).
/// @param module  free of mistakes (ptx::check)
void optimise(ptx::Module& module, const Options& options);

}  // namespace bankshot::optimise

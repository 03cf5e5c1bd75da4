// Loops that only wait for an mbarrier. Lanes whose test failed in such a loop come back to the test with the same
// operands and have done nothing else, so that they wait for others to complete the phase. Loops that count their
// tries, look at a clock or access memory are not marked.
#pragma once

#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {

/// Gives such tests InstrFlag::kOnlyWaits. Branch targets are still indices.
void mark_waiting_loops(LoadedProgram& program);

}  // namespace bankshot::simt

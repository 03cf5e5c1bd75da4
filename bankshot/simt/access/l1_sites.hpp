// Counting accesses of global memory. Instructions get a wrapper when they are decoded; where nothing is to be counted
// there is none.
#pragma once

#include "bankshot/ptx/access.hpp"
#include "bankshot/simt/state/instr.hpp"

namespace bankshot::simt {

/// Whether lanes may access global memory with it, each at its own address: ld, st, atom, red, cp.async.
bool may_access_global(const ptx::Access& access);

/// The wrapper: counts at the site that LoadedProgram::l1_ops tells, then runs the instruction.
const Instr* run_l1_counted(Warp& w, const Instr* i);

}  // namespace bankshot::simt

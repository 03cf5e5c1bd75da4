// Short branches that ptxas replaces by guarded instructions.
#pragma once

#include "bankshot/ptx/module.hpp"

namespace bankshot::optimise {

/// Guards the instructions of short `if` and `if`-`else` bodies in place of branching around them, as ptxas does: then
/// they are part of the basic block around them. A body has up to 8 machine instructions, or 20 if one of them loads
/// from global memory; none of them is guarded, branches, calls, exchanges values between lanes or is an atomic.
/// Source: bodies of 1 to 40 instructions through ptxas 13.0 for sm_75, sm_80 and sm_90; docs/simulate.md.
void predicate(const ptx::Module& module, ptx::Function& function);

}  // namespace bankshot::optimise

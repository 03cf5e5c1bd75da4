// Lowering of branches, calls, barriers and fences.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

using LowerFunction = void(Decoder&, const ptx::Instruction&, const Match&, Instr&);

LowerFunction lower_branch, lower_branch_indexed, lower_call, lower_return, lower_exit, lower_trap, lower_barrier,
    lower_warp_barrier, lower_fence, lower_tensor_map_fence, lower_sleep, lower_event, lower_register_count,
    lower_nothing;

}  // namespace bankshot::simt

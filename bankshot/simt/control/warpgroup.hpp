// Warpgroups: warps 4 g to 4 g + 3 of a CTA, which execute some instructions together. Source: PTX ISA 9.0,
// "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
#pragma once

#include <array>
#include <string>

#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

using Warpgroup = std::array<Warp*, 4>;

/// Why an instruction to which the warp has come can never be executed by its whole warpgroup; empty if it can.
std::string never_together(const Warp& w, const Instr* i);

/// What an instruction does, once for the four warps. @return false after a fault
using WarpgroupBody = bool (*)(const Warpgroup& group, const Instr* i);

/// A warp, with all its lanes, has come to an instruction of its warpgroup. It waits there until the last warp has
/// come, which executes the body. @return what comes next in the warp, or null if it waits or has faulted
const Instr* meet_in_warpgroup(Warp& w, const Instr* i, WarpgroupBody body);

}  // namespace bankshot::simt

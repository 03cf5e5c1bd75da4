// st.async and red.async: stores and reductions of one lane each to shared memory of the cluster, which tell a barrier
// there. Source: PTX ISA 9.0, sections 9.7.9.12 and 9.7.13.7. As with other asynchronous copies all is there as soon as
// it was issued.
#pragma once

#include "bankshot/simt/state/instr.hpp"

namespace bankshot::simt {

struct Warp;

// What handlers find: op[5], the index in LoadedProgram::copies, for the barrier; op[0], imm, small and kWide are the
// address, aux its site; op[1] the list of rows of the values, op[2] bytes of one.

const Instr* run_async_store(Warp& w, const Instr* i);
/// op[3]: a Reduction, op[4]: the Type
const Instr* run_async_reduce(Warp& w, const Instr* i);

}  // namespace bankshot::simt

// Atomics of 128 bits and of vectors, lane after lane in ascending order. Source: PTX ISA 9.0, atom and red. What the
// handlers find: op[0], imm, small and kWide, the address; op[1], a list of rows: those of d (kNone where nobody reads
// it), b and c one after the other, op[3] rows each; op[2], bytes of an element; op[4], a Reduction, kExchange or
// kCompare; fp, the Type; aux, the site.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"
#include "bankshot/simt/state/instr.hpp"

namespace bankshot::simt {

constexpr uint32_t kExchange = 100, kCompare = 101;

const Instr* run_wide_atomic(Warp& w, const Instr* i);
/// mov.b128: op[0] and op[1] are lists of rows, of one row of 128 bits or two of 64.
const Instr* run_wide_move(Warp& w, const Instr* i);

void lower_wide_atomic(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_wide_move(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

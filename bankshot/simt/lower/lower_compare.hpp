// How setp of 16-bit floats, and set of all types, are laid out in an Instr.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

/// op[0] = p, op[1] = q or kNone, op[2] = a, op[3] = b, op[4] = c.
void lower_half_setp(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

/// op[0] = d, op[1] = a, op[2] = b, op[3] = c; imm: the value of d where the comparison holds, if d is one number.
void lower_set(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

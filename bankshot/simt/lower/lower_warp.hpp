// How the warp-wide instructions are laid out in an Instr. Missing operands are kNone.
//
//   shfl        op[0] = d, op[1] = p, op[2] = a, op[3] = b, op[4] = c, op[5] = membermask
//   vote        op[0] = d or p, op[1] = predicate a, op[2] = membermask
//   match       op[0] = d, op[1] = p, op[2] = a, op[3] = membermask
//   redux       op[0] = d, op[1] = a, op[2] = membermask; small: ReduxSmall
//   activemask  op[0] = d
//   elect       op[0] = d, op[1] = p, op[2] = membermask
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

struct ReduxSmall {
  static constexpr uint8_t kAbsolute = 1, kNan = 2;  ///< .abs, .NaN of the f32 forms
};

void lower_shfl(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_vote(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_match(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_redux(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_activemask(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_elect(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

// How arithmetic on 16-bit floats is laid out in an Instr: op[0] = d, op[1], op[2], op[3] = sources; flags kSaturate;
// small: HalfSmall.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

struct HalfSmall {
  static constexpr uint8_t kFlush = 1, kRelu = 2, kNan = 4, kXorSign = 8;  ///< .ftz .relu .NaN .xorsign.abs
};

void lower_half(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

/// setp: op[0] = p, op[1] = q or kNone, op[2] = a, op[3] = b, op[4] = c; set: op[0] = d, op[1] = a, op[2] = b, op[3] =
/// c.
void lower_half_comparison(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// set of numbers of 16, 32 and 64 bits: op as above; imm: what d is where the comparison holds.
void lower_set(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

// How arithmetic on 16-bit floats is laid out in an Instr: op[0] = d, op[1], op[2], op[3] = sources; flags kSaturate;
// small: HalfSmall.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

struct HalfSmall {
  static constexpr uint8_t kFlush = 1, kRelu = 2, kNan = 4, kXorSign = 8;  ///< .ftz .relu .NaN .xorsign.abs
};

void lower_half(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

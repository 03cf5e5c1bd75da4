// How the instructions on 16-bit floats are laid out in an Instr.
//
//   arithmetic  op[0] = d, op[1], op[2], op[3] = sources; flags kSaturate; small: HalfSmall
//   setp        op[0] = p, op[1] = q, op[2] = a, op[3] = b, op[4] = predicate c
//   set         op[0] = d, op[2] = a, op[3] = b, op[4] = predicate c
//               of both, small: HalfSmall::kFlush; aux: HalfRelation and, from bit 8, HalfCombine
#pragma once

#include "bankshot/simt/decode.hpp"

namespace bankshot::simt {

struct HalfSmall {
  static constexpr uint8_t kFlush = 1, kRelu = 2, kNan = 4, kXorSign = 8;  ///< .ftz .relu .NaN .xorsign.abs
};

/// Which of "less", "equal", "greater", "unordered" make a comparison true: one bit each. The four exclude each other.
struct HalfRelation {
  static constexpr uint32_t kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8;
};
enum class HalfCombine : uint32_t { none, conjunction, disjunction, exclusive };  ///< none, .and, .or, .xor

void lower_half(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_half_setp(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_half_set(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

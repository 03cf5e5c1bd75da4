// How cvt is laid out in an Instr.
//
//   op[0] = d, op[1] = a, op[2] = b (forms that pack two numbers), op[3] = c (cvt.pack)
//   fp    = rounding of results that are floats, and .ftz
//   small = rounding of floats to integers (.rni …): ConvertRounding
//   flags = kSaturate
//   aux   = ConvertAux: widths of the registers, which may be wider than the types, .relu, .satfinite
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

/// Instr::small of a cvt; but for `none` it is the FpMode rounding plus one.
enum class ConvertRounding : uint8_t { none, nearest, down, up, zero };

struct ConvertAux {
  static constexpr uint32_t kWidth = 15;       ///< bytes of the destination register
  static constexpr unsigned kSourceShift = 4;  ///< bytes of the source register, shifted by this
  static constexpr uint32_t kRelu = 256, kSatFinite = 512;
};

/// cvt d, a. Destination and source may be registers wider than their types.
/// Source: PTX ISA, "Operand size exceeding instruction-type size".
void lower_convert(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cvt d, a, b of the packed forms: d has the size of .type (m.type), a and b are of .type2.
void lower_convert_pair(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cvt d, a of pairs of numbers of 4, 6 or 8 bits without a Type, and cvt d, a, b from two f32. small: 1 for .rp.
void lower_convert_small(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cvt.rs d, a, b, c: op[3] are the random bits; and cvt.rs d, {a, b, e, f}, c: op[1] to op[4], random bits in op[5].
void lower_convert_stochastic(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// cvt.pack.sat d, a, b {, c}: all of 32 bits.
void lower_convert_pack(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

// Lowering of mov and address conversions, the same for every instruction set of the host.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

/// Instr::small of a mov: what kind of move it is. op[0] destination, op[1] source.
struct MoveKind {
  static constexpr uint8_t kRow = 0;  ///< row to row
  static constexpr uint8_t kPredicate = 1;
  static constexpr uint8_t kPack = 2;       ///< list `aux` of narrow rows -> op[0]; op[2]: bytes of one element
  static constexpr uint8_t kUnpack = 3;     ///< op[1] -> list `aux`; op[2]: bytes of one element
  static constexpr uint8_t kLocal = 4;      ///< address of a variable in the local frame: frame + imm
  static constexpr uint8_t kClock = 5;      ///< a counter; imm: how far to shift it right
  static constexpr uint8_t kClockLook = 6;  ///< the same in a loop that waits for it: clock_loops.hpp
  static constexpr uint8_t kVector = 7;     ///< list `aux`: rows to write, then as many to read
};

void lower_move(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// Of vectors, which may be a special register.
void lower_vector_move(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// imm: what is to be added to the address
void lower_convert_address(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// Instr::small of isspacep. Kernel parameters lie in the global space, constants do not. Source: PTX ISA, isspacep.
struct IsSpace {
  static constexpr uint8_t kLocal = 0, kGlobal = 1, kConstant = 2, kParam = 3, kCta = 4, kCluster = 5;
};
/// op[0] predicate, op[1] address, imm start of the window
void lower_is_space(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// op[0] the policy. Source: PTX ISA, createpolicy
void lower_cache_policy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_range_policy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_converted_policy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

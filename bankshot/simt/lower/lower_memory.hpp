// Lowering of ld and st, the same for every instruction set of the host.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

/// What a memory handler finds in its instruction.
/// Load and store: op[0] address register (kNone: imm is the whole address; in local memory it counts from the frame),
/// op[1] value row, or with a vector the index of its list; imm offset; flags kWide, kPolls, kOneWord;
/// aux the site (shared and generic); small: see below.
/// Fills everything but `body`. Operands: `[a]` and a value or a vector.
void lower_load(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_store(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// st.bulk: run_bulk_fill() says what it finds.
void lower_bulk_fill(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
/// prefetch, discard and the like: the address is checked, nothing happens.
void lower_hint(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

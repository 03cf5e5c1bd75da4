// Lowering of what CTAs of a cluster do with each other.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

/// See run_map_to_cta, run_rank_of.
void lower_map_to_cta(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_rank_of(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

// Lowering of texture and surface instructions. Bindless and unified: the sampler belongs to the texture.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

void lower_texture(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);  ///< tex, tld4
void lower_surface(Decoder& decoder, const ptx::Instruction& instruction, const Match& m,
                   Instr& out);  ///< suld, sust, sured
void lower_texture_query(Decoder& decoder, const ptx::Instruction& instruction, const Match& m,
                         Instr& out);  ///< txq, suq, istypep

}  // namespace bankshot::simt

#include "bankshot/simt/lower/lower_cluster.hpp"

#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {

using ptx::Space;
using ptx::Type;

void lower_map_to_cta(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 3)) return;
  out.op[0] = decoder.destination(instruction.operands[0], m.type);
  out.op[1] = decoder.source(instruction.operands[1], m.type);
  out.op[2] = decoder.source(instruction.operands[2], Type::u32);
  out.small = static_cast<uint8_t>(m.has("shared::cluster") ? Space::shared : Space::generic);
}

void lower_rank_of(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 2)) return;
  out.op[0] = decoder.destination(instruction.operands[0], Type::u32);
  out.op[1] = decoder.source(instruction.operands[1], m.type);
  out.small = static_cast<uint8_t>(m.has("shared::cluster") ? Space::shared : Space::generic);
}

}  // namespace bankshot::simt

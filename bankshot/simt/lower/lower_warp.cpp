#include "bankshot/simt/lower/lower_warp.hpp"

#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {
constexpr ptx::Type kWord = ptx::Type::b32;
}

void lower_shfl(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool sync = m.has("sync");
  const auto& operands = instruction.operands;
  if (!expect_operands(decoder, instruction, sync ? 5 : 4)) return;
  const Destinations d = destination_and_predicate(decoder, operands[0], kWord);
  out.op[0] = d.row;
  out.op[1] = d.predicate;
  for (size_t k = 1; k < operands.size(); ++k) out.op[k + 1] = decoder.source(operands[k], kWord);
}

void lower_vote(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool sync = m.has("sync");
  const auto& operands = instruction.operands;
  if (!expect_operands(decoder, instruction, sync ? 3 : 2)) return;
  out.op[0] = m.has("ballot") ? decoder.destination(operands[0], kWord) : decoder.predicate_destination(operands[0]);
  out.op[1] = decoder.predicate_source(operands[1]);
  if (sync) out.op[2] = decoder.source(operands[2], kWord);
}

void lower_match(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const auto& operands = instruction.operands;
  if (!expect_operands(decoder, instruction, 3)) return;
  if (operands[0].kind == ptx::Operand::Kind::pair && m.has("any")) {
    decoder.error(operands[0].position, "match.any has no predicate result");
    return;
  }
  const Destinations d = destination_and_predicate(decoder, operands[0], kWord);
  out.op[0] = d.row;
  out.op[1] = d.predicate;
  out.op[2] = decoder.source(operands[1], m.type);
  out.op[3] = decoder.source(operands[2], kWord);
}

void lower_redux(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 3)) return;
  out.op[0] = decoder.destination(instruction.operands[0], m.type);
  out.op[1] = decoder.source(instruction.operands[1], m.type);
  out.op[2] = decoder.source(instruction.operands[2], kWord);
  out.small = static_cast<uint8_t>((m.has("abs") ? ReduxSmall::kAbsolute : 0) | (m.has("NaN") ? ReduxSmall::kNan : 0));
}

void lower_activemask(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  if (!expect_operands(decoder, instruction, 1)) return;
  out.op[0] = decoder.destination(instruction.operands[0], kWord);
}

void lower_elect(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  if (!expect_operands(decoder, instruction, 2)) return;
  const Destinations d = destination_and_predicate(decoder, instruction.operands[0], kWord);
  out.op[0] = d.row;
  out.op[1] = d.predicate;
  out.op[2] = decoder.source(instruction.operands[1], kWord);
}

}  // namespace bankshot::simt

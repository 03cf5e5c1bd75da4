#include "bankshot/simt/lower/lower.hpp"

#include <string>

namespace bankshot::simt {

bool expect_operands(Decoder& decoder, const ptx::Instruction& instruction, size_t least, size_t most) {
  const size_t found = instruction.operands.size();
  if (found >= least && found <= most) return true;
  const std::string range =
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
  return decoder.error(instruction.position, "expected " + range + " operands of '" + instruction.opcode +
                                                 "' in this form, found " + std::to_string(found));
}

uint32_t register_source(Decoder& decoder, const ptx::Operand& operand, ptx::Type type) {
  if (operand.kind == ptx::Operand::Kind::identifier) return decoder.source(operand, type);
  decoder.error(operand.position, "this operand is a register in this form, not a number",
                "move the number into a register first");
  return OperandRef::kNone;
}

void lower_packed(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  const size_t count = instruction.opcode[0] == 'v' ? 4 : 3;  // vadd2 … vmax4 take a, b and c
  if (!expect_operands(decoder, instruction, count)) return;
  out.op[0] = decoder.destination(instruction.operands[0], ptx::Type::b32);
  for (size_t k = 1; k < count; ++k) out.op[k] = register_source(decoder, instruction.operands[k], ptx::Type::b32);
}

Destinations destination_and_predicate(Decoder& decoder, const ptx::Operand& operand, ptx::Type type) {
  if (operand.kind != ptx::Operand::Kind::pair) return {destination_or_none(decoder, operand, type), OperandRef::kNone};
  return {destination_or_none(decoder, operand.elements[0], type), decoder.predicate_destination(operand.elements[1])};
}

}  // namespace bankshot::simt

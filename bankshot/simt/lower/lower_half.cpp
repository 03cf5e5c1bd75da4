#include "bankshot/simt/lower/lower_half.hpp"

#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

size_t sources_of(std::string_view opcode) {
  if (opcode == "fma") return 3;
  return opcode == "neg" || opcode == "abs" || opcode == "ex2" || opcode == "tanh" ? 1 : 2;
}

bool is_pair(ptx::Type type) { return type == ptx::Type::f16x2 || type == ptx::Type::bf16x2; }

}  // namespace

void lower_half(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const size_t sources = sources_of(instruction.opcode);
  if (!expect_operands(decoder, instruction, 1 + sources)) return;
  out.op[0] = decoder.destination(instruction.operands[0], m.type);
  for (size_t k = 1; k <= sources; ++k) out.op[k] = register_source(decoder, instruction.operands[k], m.type);
  if (m.has("sat")) out.flags |= InstrFlag::kSaturate;
  out.small = static_cast<uint8_t>((m.has("ftz") ? HalfSmall::kFlush : 0) | (m.has("relu") ? HalfSmall::kRelu : 0) |
                                   (m.has("NaN") ? HalfSmall::kNan : 0) | (m.has("xorsign") ? HalfSmall::kXorSign : 0));
}

void lower_half_comparison(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool sets = instruction.opcode == "set", combines = !m.which({"and", "or", "xor"}).empty();
  if (!expect_operands(decoder, instruction, combines ? 4 : 3)) return;
  const auto& operands = instruction.operands;
  const ptx::Type compared = sets ? m.type2 : m.type;
  const bool two = !sets && is_pair(compared) && operands[0].kind == ptx::Operand::Kind::pair;
  out.op[0] = sets ? decoder.destination(operands[0], m.type)
                   : decoder.predicate_destination(two ? operands[0].elements[0] : operands[0]);
  if (two) out.op[1] = decoder.predicate_destination(operands[0].elements[1]);
  const size_t first = sets ? 1 : 2;
  for (size_t k = 0; k < 2; ++k) out.op[first + k] = register_source(decoder, operands[1 + k], compared);
  if (combines) out.op[first + 2] = decoder.predicate_source(operands[3]);
  if (m.has("ftz")) out.fp |= FpMode::kFlush;
}

void lower_set(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool combines = !m.which({"and", "or", "xor"}).empty();
  if (!expect_operands(decoder, instruction, combines ? 4 : 3)) return;
  const auto& operands = instruction.operands;
  out.op[0] = decoder.destination(operands[0], m.type);
  for (size_t k = 1; k < 3; ++k) out.op[k] = decoder.source(operands[k], m.type2);
  if (combines) out.op[3] = decoder.predicate_source(operands[3]);
  if (m.has("ftz")) out.fp |= FpMode::kFlush;
  switch (m.type) {  // true: 1.0 of floats, else all bits
    case ptx::Type::f16: out.imm = 0x3c00; break;
    case ptx::Type::bf16: out.imm = 0x3f80; break;
    case ptx::Type::f32: out.imm = 0x3f800000; break;
    default: out.imm = 0xffffffff; break;
  }
}

}  // namespace bankshot::simt

#include "bankshot/simt/lower/lower_compare.hpp"

#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

bool combines(const Match& m) { return !m.which({"and", "or", "xor"}).empty(); }

bool is_half(ptx::Type type) {
  using T = ptx::Type;
  return type == T::f16 || type == T::bf16 || type == T::f16x2 || type == T::bf16x2;
}

}  // namespace

void lower_half_setp(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, combines(m) ? 4 : 3)) return;
  const auto& operands = instruction.operands;
  const bool packed = m.type == ptx::Type::f16x2 || m.type == ptx::Type::bf16x2;
  const bool two = packed && operands[0].kind == ptx::Operand::Kind::pair;
  out.op[0] = decoder.predicate_destination(two ? operands[0].elements[0] : operands[0]);
  if (two) out.op[1] = decoder.predicate_destination(operands[0].elements[1]);
  for (size_t k = 1; k < 3; ++k) out.op[1 + k] = register_source(decoder, operands[k], m.type);
  if (combines(m)) out.op[4] = decoder.predicate_source(operands[3]);
  if (m.has("ftz")) out.fp |= FpMode::kFlush;
}

void lower_set(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, combines(m) ? 4 : 3)) return;
  const auto& operands = instruction.operands;
  out.op[0] = decoder.destination(operands[0], m.type);
  for (size_t k = 1; k < 3; ++k) {
    out.op[k] =
        is_half(m.type2) ? register_source(decoder, operands[k], m.type2) : decoder.source(operands[k], m.type2);
  }
  if (combines(m)) out.op[3] = decoder.predicate_source(operands[3]);
  if (m.has("ftz")) out.fp |= FpMode::kFlush;
  switch (m.type) {  // true: 1.0 of floats, else all bits
    case ptx::Type::f16: out.imm = 0x3c00; break;
    case ptx::Type::bf16: out.imm = 0x3f80; break;
    case ptx::Type::f32: out.imm = 0x3f800000; break;
    default: out.imm = 0xffffffff; break;
  }
}

}  // namespace bankshot::simt

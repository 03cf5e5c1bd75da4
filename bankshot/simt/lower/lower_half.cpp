#include "bankshot/simt/lower/lower_half.hpp"

#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

size_t sources_of(std::string_view opcode) {
  if (opcode == "fma") return 3;
  return opcode == "neg" || opcode == "abs" || opcode == "ex2" || opcode == "tanh" ? 1 : 2;
}

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

}  // namespace bankshot::simt

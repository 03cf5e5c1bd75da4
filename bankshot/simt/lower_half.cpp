#include "bankshot/simt/lower_half.hpp"

#include "bankshot/simt/lower.hpp"

namespace bankshot::simt {
namespace {

size_t sources_of(std::string_view opcode) {
  if (opcode == "fma") return 3;
  return opcode == "neg" || opcode == "abs" || opcode == "ex2" || opcode == "tanh" ? 1 : 2;
}

/// The manual's comparison operators. Source: PTX ISA, table "Floating-point operators for testing".
uint32_t relation_of(const Match& m) {
  using R = HalfRelation;
  struct Entry {
    std::string_view name;
    uint32_t relation;
  };
  static constexpr Entry kOrdered[] = {{"eq", R::kEqual},
                                       {"ne", R::kLess | R::kGreater},
                                       {"lt", R::kLess},
                                       {"le", R::kLess | R::kEqual},
                                       {"gt", R::kGreater},
                                       {"ge", R::kGreater | R::kEqual},
                                       {"num", R::kLess | R::kEqual | R::kGreater},
                                       {"nan", R::kUnordered}};
  static constexpr std::string_view kUnordered[] = {"equ", "neu", "ltu", "leu", "gtu", "geu"};
  for (size_t k = 0; k < 8; ++k) {
    if (m.has(kOrdered[k].name)) return kOrdered[k].relation;
    if (k < 6 && m.has(kUnordered[k])) return kOrdered[k].relation | R::kUnordered;
  }
  return 0;
}

HalfCombine combine_of(const Match& m) {
  if (m.has("and")) return HalfCombine::conjunction;
  if (m.has("or")) return HalfCombine::disjunction;
  return m.has("xor") ? HalfCombine::exclusive : HalfCombine::none;
}

/// a, b and, if there is a .BoolOp, c. @return false after an error
bool lower_comparison(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, ptx::Type type,
                      Instr& out) {
  const HalfCombine combine = combine_of(m);
  const size_t count = combine == HalfCombine::none ? 3 : 4;
  if (!expect_operands(decoder, instruction, count)) return false;
  out.op[2] = decoder.source(instruction.operands[1], type);
  out.op[3] = decoder.source(instruction.operands[2], type);
  if (count == 4) out.op[4] = decoder.predicate_source(instruction.operands[3]);
  out.aux = relation_of(m) | static_cast<uint32_t>(combine) << 8;
  out.small = m.has("ftz") ? HalfSmall::kFlush : 0;
  return true;
}

}  // namespace

void lower_half(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const size_t sources = sources_of(instruction.opcode);
  if (!expect_operands(decoder, instruction, 1 + sources)) return;
  out.op[0] = decoder.destination(instruction.operands[0], m.type);
  for (size_t k = 1; k <= sources; ++k) out.op[k] = decoder.source(instruction.operands[k], m.type);
  if (m.has("sat")) out.flags |= InstrFlag::kSaturate;
  out.small = static_cast<uint8_t>((m.has("ftz") ? HalfSmall::kFlush : 0) | (m.has("relu") ? HalfSmall::kRelu : 0) |
                                   (m.has("NaN") ? HalfSmall::kNan : 0) | (m.has("xorsign") ? HalfSmall::kXorSign : 0));
}

void lower_half_setp(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!lower_comparison(decoder, instruction, m, m.type, out)) return;
  const ptx::Operand& result = instruction.operands[0];
  const bool pair = result.kind == ptx::Operand::Kind::pair;
  out.op[0] = decoder.predicate_destination(pair ? result.elements[0] : result);
  if (pair) out.op[1] = decoder.predicate_destination(result.elements[1]);
}

void lower_half_set(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!lower_comparison(decoder, instruction, m, m.type2, out)) return;
  out.op[0] = decoder.destination(instruction.operands[0], m.type);
}

}  // namespace bankshot::simt

#include "bankshot/simt/lower/lower_video.hpp"

#include <bit>

#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Type;

/// The part of a register that `operand` names, extended as `type` says.
VideoPart part_of(const Operand& operand, std::string_view type) {
  VideoPart part;
  part.is_signed = type == "s32";
  if (operand.kind != Operand::Kind::identifier || operand.mask == 0) return part;
  part.shift = static_cast<uint8_t>(std::countr_zero(operand.mask));
  part.width = static_cast<uint8_t>(std::popcount(operand.mask));
  return part;
}

bool is_part(const Operand& operand) { return operand.kind == Operand::Kind::identifier && operand.mask != 0; }
bool is_negated(const Operand& operand) { return operand.kind == Operand::Kind::identifier && operand.integer == -1; }

/// The register or number of which `operand` may be a part or the negative.
Operand whole(Operand operand) {
  if (operand.kind != Operand::Kind::identifier) return operand;
  operand.mask = 0;
  operand.integer = 0;
  return operand;
}

uint8_t second_operation(const Match& m) {
  if (m.has("add")) return VideoSmall::kAdd;
  if (m.has("min")) return VideoSmall::kMin;
  return m.has("max") ? VideoSmall::kMax : 0;
}

/// a and b, and their parts. @param atype, btype  "s32" or "u32"
void lower_factors(Decoder& decoder, const ptx::Instruction& instruction, std::string_view atype,
                   std::string_view btype, Instr& out) {
  const Operand& a = instruction.operands[1];
  const Operand& b = instruction.operands[2];
  out.op[1] = decoder.source(whole(a), Type::b32);
  out.op[2] = decoder.source(whole(b), Type::b32);
  out.imm = part_of(a, atype).code() | part_of(b, btype).code() << 16;
}

}  // namespace

/// c is there for a secondary operation or, if d is a part of its register, to give the rest of it.
void lower_video(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const uint8_t second = second_operation(m);
  if (!expect_operands(decoder, instruction, second != 0 ? 4 : 3, 4)) return;
  const Operand& d = instruction.operands[0];
  const bool merges = is_part(d), has_c = instruction.operands.size() == 4;
  if (merges && second != 0) {
    decoder.error(d.position, "a part of '" + d.name + "' cannot be the destination of a secondary operation",
                  "write the whole register, or leave out the secondary operation");
    return;
  }
  if (merges != (has_c && second == 0)) {
    decoder.error(d.position,
                  merges ? "the rest of '" + d.name + "' comes from an operand c, which is missing"
                         : "an operand c is taken by a secondary operation, or if d is a part of a register",
                  "the forms are op d, a, b; op.add d, a, b, c and op d.b0, a, b, c");
    return;
  }
  // Results of vset are unsigned, and it has no type of d.
  const bool sets = instruction.opcode == "vset";
  out.op[0] = decoder.destination(whole(d), Type::b32);
  lower_factors(decoder, instruction, m.modifiers[sets ? 0 : 1], m.modifiers[sets ? 1 : 2], out);
  out.imm |= part_of(d, sets ? "u32" : m.modifiers[0]).code() << 32;
  if (has_c) {
    if (is_part(instruction.operands[3])) {
      decoder.error(instruction.operands[3].position, "operand c is a whole register or a number");
      return;
    }
    out.op[3] = decoder.source(instruction.operands[3], Type::b32);
  }
  out.small = second;
  if (m.has("sat")) out.flags |= InstrFlag::kSaturate;
}

/// Either the product or c may be negated; the product is if one of its factors is.
void lower_video_multiply(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 4)) return;
  const Operand& d = instruction.operands[0];
  const Operand& c = instruction.operands[3];
  if (is_part(d) || is_part(c) || is_negated(d)) {
    decoder.error((is_part(c) ? c : d).position,
                  "only a and b of vmad may be parts of registers, and d is not negated");
    return;
  }
  const bool negates_a = is_negated(instruction.operands[1]), negates_b = is_negated(instruction.operands[2]);
  const bool product = negates_a != negates_b;
  if (m.has("po") && (negates_a || negates_b || is_negated(c))) {
    decoder.error(instruction.position, "vmad.po negates nothing", "leave out .po or the minus");
    return;
  }
  if (product && is_negated(c)) {
    decoder.error(c.position, "vmad negates either the product or c", "leave out one of the minuses");
    return;
  }
  out.op[0] = decoder.destination(d, Type::b32);
  lower_factors(decoder, instruction, m.modifiers[1], m.modifiers[2], out);
  out.op[3] = decoder.source(whole(c), Type::b32);
  out.small =
      static_cast<uint8_t>((product ? VideoSmall::kNegateProduct : 0) | (is_negated(c) ? VideoSmall::kNegateC : 0) |
                           (m.has("po") ? VideoSmall::kPlusOne : 0) | (m.has("shr7") ? VideoSmall::kShift7 : 0) |
                           (m.has("shr15") ? VideoSmall::kShift15 : 0));
  if (m.has("sat")) out.flags |= InstrFlag::kSaturate;
}

}  // namespace bankshot::simt

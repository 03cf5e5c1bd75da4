#include "bankshot/simt/lower/lower_convert.hpp"

#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

/// Rounding modes, .ftz, .sat, .relu and .satfinite.
void lower_modifiers(const Match& m, Instr& out) {
  if (m.has("rn")) out.fp = FpMode::kNearest;
  if (m.has("rm")) out.fp = FpMode::kDown;
  if (m.has("rp")) out.fp = FpMode::kUp;
  if (m.has("rz")) out.fp = FpMode::kZero;
  // GPUs do not flush what becomes f16: .rp makes the least number of f16 of a subnormal f32, as without .ftz.
  if (m.has("ftz") && m.type != ptx::Type::f16) out.fp |= FpMode::kFlush;
  ConvertRounding rounding = ConvertRounding::none;
  if (m.has("rni")) rounding = ConvertRounding::nearest;
  if (m.has("rmi")) rounding = ConvertRounding::down;
  if (m.has("rpi")) rounding = ConvertRounding::up;
  if (m.has("rzi")) rounding = ConvertRounding::zero;
  out.small = static_cast<uint8_t>(rounding);
  if (m.has("sat")) out.flags |= InstrFlag::kSaturate;
  out.aux = (m.has("relu") ? ConvertAux::kRelu : 0) | (m.has("satfinite") ? ConvertAux::kSatFinite : 0);
}

/// What to ask the decoder for: the packed 8-bit pairs live in .b16 registers and tf32 in .b32, and 8-bit integers in
/// registers of at least 16 bits.
ptx::Type register_type(ptx::Type type) {
  switch (ptx::bits(type)) {
    case 8:
    case 16: return is_float(type) ? type : ptx::Type::b16;
    case 32: return is_float(type) ? type : ptx::Type::b32;
    default: return type;
  }
}

bool is_plain(ptx::Type type) {
  using T = ptx::Type;
  return is_float(type) || type == T::u8 || type == T::u16 || type == T::u32 || type == T::u64 || type == T::s8 ||
         type == T::s16 || type == T::s32 || type == T::s64;
}

/// Which roundings are required and forbidden. Source: PTX ISA, cvt, "Rounding modifiers"; where it is silent, ptxas.
bool check_rounding(Decoder& decoder, const ptx::Instruction& instruction, const Match& m) {
  const bool to_float = is_float(m.type), from_float = is_float(m.type2);
  const bool integer_rounding = !m.which({"rni", "rzi", "rmi", "rpi"}).empty();
  const bool float_rounding = !m.which({"rn", "rz", "rm", "rp"}).empty();
  const bool narrower = to_float && from_float && ptx::bits(m.type) < ptx::bits(m.type2);
  if (from_float && !to_float && !integer_rounding) {
    return decoder.error(instruction.position, "cvt from a float to an integer needs .rni, .rzi, .rmi or .rpi");
  }
  if (to_float && (!from_float || narrower) && !float_rounding) {
    return decoder.error(instruction.position, "cvt to a float that may round needs .rn, .rz, .rm or .rp");
  }
  if (integer_rounding && (!from_float || (to_float && m.type != m.type2))) {
    return decoder.error(instruction.position, "cvt with .rni, .rzi, .rmi or .rpi rounds a float to an integer");
  }
  // With bf16, a rounding may be written where there is nothing to round, and left out between bf16 and f16: .rn then.
  const bool brain = m.type == ptx::Type::bf16 || m.type2 == ptx::Type::bf16;
  if (float_rounding && from_float && !narrower && !brain) {
    return decoder.error(instruction.position, "this cvt does not round: remove .rn, .rz, .rm or .rp");
  }
  return true;
}

}  // namespace

void lower_convert(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 2)) return;
  if (is_plain(m.type) && is_plain(m.type2) && !check_rounding(decoder, instruction, m)) return;
  if (m.has("sat") && (m.type == ptx::Type::bf16 || m.type2 == ptx::Type::bf16)) {
    decoder.error(instruction.position, "cvt to or from bf16 has no .sat");
    return;
  }
  if (m.has("ftz") && m.type != ptx::Type::f32 && m.type2 != ptx::Type::f32) {
    decoder.error(instruction.position, "cvt has .ftz only to or from f32: remove it");
    return;
  }
  lower_modifiers(m, out);
  const ptx::Type to = register_type(m.type), from = register_type(m.type2);
  const bool wider_ok = is_plain(m.type) && is_plain(m.type2);
  ptx::Type destination = to, source = from;
  out.op[0] = decoder.destination(instruction.operands[0], to, wider_ok, &destination);
  out.op[1] = decoder.source(instruction.operands[1], from, wider_ok, &source);
  out.aux |= register_bytes(destination) | register_bytes(source) << ConvertAux::kSourceShift;
}

void lower_convert_pair(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 3)) return;
  lower_modifiers(m, out);
  out.op[0] = decoder.destination(instruction.operands[0], register_type(m.type));
  out.op[1] = decoder.source(instruction.operands[1], register_type(m.type2));
  out.op[2] = decoder.source(instruction.operands[2], register_type(m.type2));
}

void lower_convert_small(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  using T = ptx::Type;
  const bool from_two = m.type == T::f32, to_halves = m.modifiers[m.modifiers.size() - 2].ends_with("f16x2");
  if (!expect_operands(decoder, instruction, from_two ? 3 : 2)) return;
  lower_modifiers(m, out);
  out.fp = FpMode::kNearest;  // .rp is no rounding of the host's
  out.small = m.has("rp") ? 1 : 0;
  const T from = from_two ? T::f32 : to_halves ? T::b16 : T::b32;
  out.op[0] = decoder.destination(instruction.operands[0], to_halves ? T::b32 : T::b16);
  for (size_t k = 1; k < instruction.operands.size(); ++k) out.op[k] = decoder.source(instruction.operands[k], from);
}

void lower_convert_stochastic(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  using T = ptx::Type;
  const bool two = m.type == T::f16x2 || m.type == T::bf16x2;
  const auto& operands = instruction.operands;
  if (!expect_operands(decoder, instruction, two ? 4 : 3)) return;
  if (!two && (operands[1].kind != ptx::Operand::Kind::vector || operands[1].elements.size() != 4)) {
    decoder.error(operands[1].position, "expected four numbers in braces");
    return;
  }
  lower_modifiers(m, out);
  out.op[0] = decoder.destination(operands[0], m.has("e2m1x4") ? T::b16 : T::b32);
  size_t next = 1;
  for (const ptx::Operand& number : two ? std::vector{operands[1], operands[2]} : operands[1].elements)
    out.op[next++] = decoder.source(number, T::f32);
  out.op[next] = register_source(decoder, operands.back(), T::b32);
}

void lower_convert_pack(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  // The forms with a third type take what remains of d from c.
  const size_t count = m.has("b32") ? 4 : 3;
  if (!expect_operands(decoder, instruction, count)) return;
  out.op[0] = decoder.destination(instruction.operands[0], ptx::Type::b32);
  out.op[1] = decoder.source(instruction.operands[1], ptx::Type::s32);
  out.op[2] = decoder.source(instruction.operands[2], ptx::Type::s32);
  if (count == 4) out.op[3] = decoder.source(instruction.operands[3], ptx::Type::b32);
}

}  // namespace bankshot::simt

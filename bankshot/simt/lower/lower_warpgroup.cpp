#include "bankshot/simt/lower/lower_warpgroup.hpp"

#include "bankshot/simt/lower/lower_matrix.hpp"
#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Type;

/// An immediate that is one of two. @return false after an error
bool lower_choice(Decoder& decoder, const Operand& operand, int64_t first, int64_t second, const char* what,
                  bool& is_second) {
  int64_t value = 0;
  if (!decoder.literal(operand, value)) return false;
  is_second = value == second;
  if (value == first || value == second) return true;
  return decoder.error(operand.position, std::string(what) + " is " + std::to_string(first) + " or " +
                                             std::to_string(second) + ", found " + std::to_string(value));
}

WarpgroupForm form_of(const Match& m) {
  const std::vector<Element> types = elements_of(m);  // d, a, b
  const MatrixShape shape = shape_of(m);
  WarpgroupForm form;
  form.n = shape.n;
  form.k = shape.k;
  form.d = types[0];
  form.a = types[1];
  form.b = types[2];
  form.saturate = m.has("satfinite");
  form.sparse = m.has("sp");
  return form;
}

/// Integers have no scales, and only elements of 16 bits may lie MN-major.
size_t scales_of(const WarpgroupForm& form) { return form.d == Element::s32 ? 0 : 2; }
size_t majors_of(const WarpgroupForm& form, bool a_in_registers) {
  return bits(form.a) != 16 ? 0 : a_in_registers ? 1 : 2;
}

}  // namespace

uint32_t warpgroup_work(const Match& m) {
  const WarpgroupForm form = form_of(m);
  return WarpgroupForm::kRows * form.n * form.kept() * bits(form.a) / 16;
}

void lower_warpgroup_product(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, 4, 10)) return;
  std::vector<Operand> operands = instruction.operands;
  WarpgroupForm form = form_of(m);
  const bool in_registers = operands[1].kind == Operand::Kind::vector;
  const size_t scales = scales_of(form), majors = majors_of(form, in_registers);
  if (!expect_operands(decoder, instruction, (form.sparse ? 6 : 4) + scales + majors)) return;
  if (form.sparse) {
    if (!lower_selector(decoder, operands[4], form.selection(), form.selector)) return;
    out.op[4] = decoder.source(operands[3], Type::b32);
    operands.erase(operands.begin() + 3, operands.begin() + 5);
  }

  using Role = Fragment::Role;
  const Fragment d = form.fragment(Role::c), a = form.fragment(Role::a);
  std::vector<uint32_t> rows, read;
  // D is also an input. Lowering it as a source records the reads; the rows are those of the destination.
  if (!lower_registers(decoder, operands[0], d.registers(), d.register_bytes(), false, read) ||
      !lower_registers(decoder, operands[0], d.registers(), d.register_bytes(), true, rows)) {
    return;
  }
  if (in_registers) {
    if (!lower_registers(decoder, operands[1], a.registers(), a.register_bytes(), false, rows)) return;
  } else {
    out.op[1] = decoder.source(operands[1], Type::b64);
  }
  out.op[2] = decoder.source(operands[2], Type::b64);
  out.op[3] = decoder.predicate_source(operands[3]);
  if (scales != 0 && (!lower_choice(decoder, operands[4], 1, -1, "a scale", form.negate_a) ||
                      !lower_choice(decoder, operands[5], 1, -1, "a scale", form.negate_b))) {
    return;
  }
  if (majors == 2 &&
      !lower_choice(decoder, operands[6], 0, 1, "a transposition (0: K-major, 1: MN-major)", form.mn_major_a)) {
    return;
  }
  if (majors != 0 &&
      !lower_choice(decoder, operands.back(), 0, 1, "a transposition (0: K-major, 1: MN-major)", form.mn_major_b)) {
    return;
  }
  out.op[0] = keep_rows(decoder, std::move(rows));
  out.imm = form.packed();
  out.aux = decoder.new_site(16);
}

void lower_warpgroup_wait(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  int64_t groups = 0;
  if (!expect_operands(decoder, instruction, 1) || !decoder.literal(instruction.operands[0], groups)) return;
  constexpr int64_t kMost = 7;  // PTX ISA 9.0: N in the range 0 to 7
  if (groups < 0 || groups > kMost)
    decoder.error(instruction.operands[0].position,
                  "the number of groups must be 0 to 7, found " + std::to_string(groups));
  out.imm = static_cast<uint64_t>(groups);
}

}  // namespace bankshot::simt

#include "bankshot/simt/lower/lower_tensor_memory.hpp"

#include "bankshot/simt/lower/lower_matrix.hpp"
#include "bankshot/simt/matrices/tensor_product.hpp"
#include "bankshot/simt/rows/lower.hpp"
#include "bankshot/simt/tensor_access/copy_in.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// [taddr] or [taddr + n], in tensor memory. @return false after an error
bool lower_tensor_address(Decoder& decoder, const Operand& operand, uint32_t& row, uint64_t& offset) {
  Decoder::Address address;
  if (!decoder.address(operand, Space::generic, address)) return false;
  if (address.base == OperandRef::kNone || address.wide || address.symbol != nullptr)
    return decoder.error(operand.position, "an address in tensor memory is in a register of 32 bits");
  row = address.base;
  offset = static_cast<uint64_t>(address.offset);
  return true;
}

void lower_move(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, bool load, Instr& out) {
  const bool in_two = m.has("16x32bx2");
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, in_two ? 3 : 2)) return;
  const std::vector<Operand>& operands = instruction.operands;
  TensorMoveShape shape;
  const std::string_view name = m.which({"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"});
  const std::string_view num = m.which({"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"});
  if (!TensorMoveShape::named(name, num, m.has("pack::16b") || m.has("unpack::16b"), shape)) {
    decoder.error(instruction.position,
                  "shape ." + std::string(name) + " has no ." + std::string(num) + ": at most 128 registers");
    return;
  }
  int64_t split = 0;
  const Operand& address = operands[load ? 1 : 0];
  const Operand& registers = load ? operands[0] : operands.back();
  if (!lower_tensor_address(decoder, address, out.op[0], out.imm)) return;
  if (in_two && !decoder.literal(operands[load ? 2 : 1], split)) return;
  if (registers.kind != Operand::Kind::vector) {
    decoder.error(registers.position, "expected registers in braces");
    return;
  }
  std::vector<uint32_t> rows;
  if (!lower_registers(decoder, registers, shape.registers, 4, load, rows)) return;
  out.op[1] = keep_rows(decoder, std::move(rows));
  out.op[2] = shape.bits();
  out.op[3] = static_cast<uint32_t>(split);
}

TensorProductForm::Kind kind_of(const Match& m) {
  using Kind = TensorProductForm::Kind;
  if (m.has("kind::f16")) return Kind::f16;
  if (m.has("kind::tf32")) return Kind::tf32;
  return m.has("kind::i8") ? Kind::i8 : Kind::f8f6f4;
}

}  // namespace

void lower_tensor_allocate(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, 2)) return;
  if (!lower_address(decoder, instruction.operands[0], m.has("shared::cta") ? Space::shared : Space::generic, out))
    return;
  out.op[1] = decoder.source(instruction.operands[1], Type::u32);
}

void lower_tensor_free(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, 2)) return;
  out.op[0] = decoder.source(instruction.operands[0], Type::u32);
  out.op[1] = decoder.source(instruction.operands[1], Type::u32);
}

void lower_tensor_load(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  lower_move(decoder, instruction, m, true, out);
}

void lower_tensor_store(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  lower_move(decoder, instruction, m, false, out);
}

void lower_tensor_commit(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool multicast = m.has("multicast::cluster");
  if (!expect_operands(decoder, instruction, multicast ? 2 : 1)) return;
  const Space space = m.has("shared::cluster") ? Space::shared : Space::generic;
  if (!lower_address(decoder, instruction.operands[0], space, out)) return;
  if (multicast) out.op[4] = decoder.source(instruction.operands[1], Type::b16);
}

void lower_tensor_product(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, 5, 7)) return;
  const std::vector<Operand>& operands = instruction.operands;
  TensorProductForm form;
  form.kind = kind_of(m);
  form.pair = m.has("cta_group::2");
  form.stationary = m.has("ws");
  form.a_in_tensor_memory = operands[1].kind == Operand::Kind::address;
  uint64_t offset_of_d = 0, offset_of_a = 0;
  if (!lower_tensor_address(decoder, operands[0], out.op[0], offset_of_d)) return;
  if (form.a_in_tensor_memory) {
    if (!lower_tensor_address(decoder, operands[1], out.op[1], offset_of_a)) return;
  } else {
    out.op[1] = decoder.source(operands[1], Type::b64);
  }
  out.op[2] = decoder.source(operands[2], Type::b64);
  std::vector<uint32_t> rows{decoder.source(operands[3], Type::b32)};
  size_t next = 4;
  if (operands[next].kind == Operand::Kind::vector) {
    const unsigned lanes = form.pair ? 8 : 4;
    if (form.stationary) {
      decoder.error(operands[next].position, ".ws takes no mask of output lanes");
      return;
    }
    if (!lower_registers(decoder, operands[next], lanes, 4, false, rows)) return;
    ++next;
  }
  if (next == operands.size()) {
    decoder.error(instruction.position, "expected the predicate enable-input-d after the instruction descriptor");
    return;
  }
  out.op[3] = decoder.predicate_source(operands[next++]);
  if (next + 1 == operands.size()) {
    int64_t shift = 0;
    if (form.stationary || (form.kind != TensorProductForm::Kind::f16 && form.kind != TensorProductForm::Kind::tf32)) {
      decoder.error(operands[next].position, form.stationary
                                                 ? "masks of columns (zero-column-mask-desc) are not supported"
                                                 : "scale-input-d is for .kind::f16 and .kind::tf32");
      return;
    }
    if (!decoder.literal(operands[next], shift)) return;
    if (shift < 0 || shift > 15) {
      decoder.error(operands[next].position, "scale-input-d is 0 to 15, found " + std::to_string(shift));
      return;
    }
    form.shift = static_cast<unsigned>(shift);
    ++next;
  }
  if (next != operands.size()) {
    decoder.error(operands[next].position, "expected no further operand");
    return;
  }
  out.op[4] = keep_rows(decoder, std::move(rows));
  out.imm = form.packed() | offset_of_a << 32;
  out.op[5] = static_cast<uint32_t>(offset_of_d);
  out.aux = decoder.new_site(16);
}

void lower_tensor_copy_in(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 2)) return;
  if (!lower_tensor_address(decoder, instruction.operands[0], out.op[0], out.imm)) return;
  out.op[1] = decoder.source(instruction.operands[1], Type::b64);
  TensorCopyForm form =
      TensorCopyForm::named(m.which({"128x256b", "4x256b", "128x128b", "64x128b", "32x128b"}), m.has("warpx2::01_23"));
  form.pair = m.has("cta_group::2");
  out.op[2] = form.packed();
  out.aux = decoder.new_site(16);
}

void lower_tensor_shift(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 1)) return;
  if (!lower_tensor_address(decoder, instruction.operands[0], out.op[0], out.imm)) return;
  out.op[2] = m.has("cta_group::2") ? 1 : 0;
}

}  // namespace bankshot::simt

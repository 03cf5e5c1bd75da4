#include "bankshot/simt/lower/lower_tensor_memory.hpp"

#include <span>

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

/// @param operands  registers and an address, and for two halves the distance; a store has the registers last
void lower_move(Decoder& decoder, const ptx::Instruction& instruction, std::span<const Operand> operands,
                const Match& m, bool load, Instr& out) {
  const bool in_two = m.has("16x32bx2");
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

/// Scale factors of a row of A. Of 64 packed elements, 32 or 16 have one in common.
unsigned scales_of(const Match& m, TensorProductForm::Kind kind) {
  if (!m.has("block_scale")) return 0;
  if (kind == TensorProductForm::Kind::mxf8f6f4) return 1;
  return m.has("scale_vec::4X") || m.has("block16") ? 4 : 2;
}

/// The operands of a product that are in tensor memory. @return false after an error
bool lower_listed(Decoder& decoder, const Operand& operand, unsigned at, std::vector<uint32_t>& list) {
  uint64_t offset = 0;
  if (operand.kind != Operand::Kind::address)
    return decoder.error(operand.position, "expected an address in tensor memory in brackets");
  if (!lower_tensor_address(decoder, operand, list[at], offset)) return false;
  list[at + 1] = static_cast<uint32_t>(offset);
  return true;
}

/// What may follow enable-input-d. @return false after an error
bool lower_last(Decoder& decoder, const Operand& operand, TensorProductForm& form, std::vector<uint32_t>& list) {
  using Kind = TensorProductForm::Kind;
  if (form.stationary) {
    list[TensorOperands::kZeroColumns] = decoder.source(operand, Type::b64);
    return true;
  }
  if (form.kind != Kind::f16 && form.kind != Kind::tf32)
    return decoder.error(operand.position, "scale-input-d is for .kind::f16 and .kind::tf32");
  int64_t shift = 0;
  if (!decoder.literal(operand, shift)) return false;
  form.shift = static_cast<unsigned>(shift);
  if (shift >= 0 && shift <= 15) return true;
  return decoder.error(operand.position, "scale-input-d is 0 to 15, found " + std::to_string(shift));
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
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, m.has("16x32bx2") ? 3 : 2)) return;
  lower_move(decoder, instruction, instruction.operands, m, true, out);
}

void lower_tensor_store(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, m.has("16x32bx2") ? 3 : 2)) return;
  lower_move(decoder, instruction, instruction.operands, m, false, out);
}

void lower_tensor_reduce(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, m.has("16x32bx2") ? 4 : 3)) return;
  if (m.type != Type::f32 && (m.has("abs") || m.has("NaN"))) {
    decoder.error(instruction.position, ".abs and .NaN are for .f32 only");
    return;
  }
  std::vector<Operand> operands = instruction.operands;
  out.op[4] = decoder.destination(operands[1], m.type);
  operands.erase(operands.begin() + 1);
  lower_move(decoder, instruction, operands, m, true, out);
}

void lower_tensor_commit(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool multicast = m.has("multicast::cluster");
  if (!expect_operands(decoder, instruction, multicast ? 2 : 1)) return;
  const Space space = m.has("shared::cluster") ? Space::shared : Space::generic;
  if (!lower_address(decoder, instruction.operands[0], space, out)) return;
  if (multicast) out.op[4] = decoder.source(instruction.operands[1], Type::b16);
}

void lower_tensor_product(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  TensorProductForm form;
  form.kind = TensorProductForm::named(
      m.which({"kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"})
          .substr(std::string_view("kind::").size()));
  form.pair = m.has("cta_group::2");
  form.stationary = m.has("ws");
  form.sparse = m.has("sp");
  form.next_rows = m.has("ashift");
  form.scales = scales_of(m, form.kind);
  const size_t fewest = 5 + (form.sparse ? 1 : 0) + (form.scales != 0 ? 2 : 0);
  if (!fits_the_warp(decoder, instruction) ||
      !expect_operands(decoder, instruction, fewest, form.scales != 0 ? fewest : fewest + 2)) {
    return;
  }
  const std::vector<Operand>& operands = instruction.operands;
  form.a_in_tensor_memory = operands[1].kind == Operand::Kind::address;
  if (form.next_rows && (!form.a_in_tensor_memory || m.has("collector::a::use") || m.has("collector::a::fill"))) {
    decoder.error(instruction.position, form.a_in_tensor_memory
                                            ? ".ashift cannot be combined with .collector::a::use and ::fill"
                                            : ".ashift needs A in tensor memory");
    return;
  }
  uint64_t offset_of_d = 0, offset_of_a = 0;
  if (!lower_tensor_address(decoder, operands[0], out.op[0], offset_of_d)) return;
  if (form.a_in_tensor_memory) {
    if (!lower_tensor_address(decoder, operands[1], out.op[1], offset_of_a)) return;
  } else {
    out.op[1] = decoder.source(operands[1], Type::b64);
  }
  out.op[2] = decoder.source(operands[2], Type::b64);
  std::vector<uint32_t> list(TensorOperands::kDisabled, OperandRef::kNone);
  size_t next = 3;
  if (form.sparse && !lower_listed(decoder, operands[next++], TensorOperands::kMetadata, list)) return;
  list[TensorOperands::kDescriptor] = decoder.source(operands[next++], Type::b32);
  if (form.scales != 0) {
    if (!lower_listed(decoder, operands[next], TensorOperands::kScalesA, list) ||
        !lower_listed(decoder, operands[next + 1], TensorOperands::kScalesB, list)) {
      return;
    }
    next += 2;
  }
  if (operands[next].kind == Operand::Kind::vector) {
    if (form.stationary || form.scales != 0) {
      decoder.error(operands[next].position,
                    std::string(form.stationary ? ".ws" : ".block_scale") + " takes no mask of output lanes");
      return;
    }
    if (!lower_registers(decoder, operands[next], form.pair ? 8 : 4, 4, false, list)) return;
    ++next;
  }
  if (next == operands.size()) {
    decoder.error(instruction.position, "expected the predicate enable-input-d after the instruction descriptor");
    return;
  }
  out.op[3] = decoder.predicate_source(operands[next++]);
  if (next + 1 == operands.size() && !lower_last(decoder, operands[next++], form, list)) return;
  if (next != operands.size()) {
    decoder.error(operands[next].position, "expected no further operand");
    return;
  }
  out.op[4] = keep_rows(decoder, std::move(list));
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
  const std::string_view format = m.which({"b6x16_p32", "b4x16_p64"});
  if (m.has("b8x16") == format.empty()) {
    decoder.error(instruction.position, ".b8x16 needs .b6x16_p32 or .b4x16_p64, and these need .b8x16");
    return;
  }
  form.bits = format.empty() ? 8 : format == "b6x16_p32" ? 6 : 4;
  out.op[2] = form.packed();
  out.aux = decoder.new_site(16);
}

void lower_tensor_shift(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 1)) return;
  if (!lower_tensor_address(decoder, instruction.operands[0], out.op[0], out.imm)) return;
  out.op[2] = m.has("cta_group::2") ? 1 : 0;
}

}  // namespace bankshot::simt

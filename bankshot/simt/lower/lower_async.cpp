#include "bankshot/simt/lower/lower_async.hpp"

#include "bankshot/simt/access/reduce.hpp"
#include "bankshot/simt/async/async_copy.hpp"
#include "bankshot/simt/async/mbarrier.hpp"
#include "bankshot/simt/async/tensor_copy.hpp"
#include "bankshot/simt/async/tensor_map.hpp"
#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// @return false after an error
bool lower_side(Decoder& decoder, const Operand& operand, Space space, AddressRef& out) {
  Decoder::Address address;
  if (!decoder.address(operand, space, address)) return false;
  // A name says by itself where it is.
  out = {address.base, address.wide, address.offset,
         space == Space::generic && address.symbol != nullptr ? address.symbol->space : space};
  return true;
}

void put_side(const AddressRef& address, Instr& out) {
  out.op[0] = address.base;
  out.imm = static_cast<uint64_t>(address.offset);
  out.small = static_cast<uint8_t>(address.space);
  if (address.wide) out.flags |= InstrFlag::kWide;
}

/// The address of an mbarrier, in `space` or generic.
bool lower_barrier_address(Decoder& decoder, const Operand& operand, Space space, Instr& out) {
  AddressRef address;
  if (!lower_side(decoder, operand, space, address)) return false;
  if (address.space != Space::shared && address.space != Space::generic) {
    return decoder.error(operand.position, "an mbarrier must be in shared memory");
  }
  put_side(address, out);
  return true;
}

/// What copies combine with global memory depends on the order of the CTAs.
void note_reduction(Decoder& decoder, const ptx::Instruction& instruction) {
  decoder.cta_communication(instruction, "the result depends on the order");
}

Reduction written_reduction(const Match& m) {
  return reduction_named(m.which({"add", "min", "max", "inc", "dec", "and", "or", "xor"}));
}

void add_copy(Decoder& decoder, const CopyInfo& copy, Instr& out) {
  out.op[5] = static_cast<uint32_t>(decoder.program().copies.size());
  decoder.program().copies.push_back(copy);
}

}  // namespace

void lower_async_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const size_t hints = m.has("L2::cache_hint") ? 1 : 0;
  if (!expect_operands(decoder, instruction, 3 + hints, 4 + hints)) return;
  const std::vector<Operand>& operands = instruction.operands;
  CopyInfo copy;
  int64_t bytes = 0;
  if (!lower_side(decoder, operands[0], Space::shared, copy.to) ||
      !lower_side(decoder, operands[1], Space::global, copy.from) || !decoder.literal(operands[2], bytes)) {
    return;
  }
  const bool fits = m.has("cg") ? bytes == 16 : bytes == 4 || bytes == 8 || bytes == 16;
  if (!fits) {
    decoder.error(operands[2].position,
                  m.has("cg") ? "cp.async.cg copies 16 bytes" : "cp.async.ca copies 4, 8 or 16 bytes");
    return;
  }
  copy.bytes = static_cast<unsigned>(bytes);
  if (operands.size() == 4 + hints) {
    if (is_predicate(decoder, operands[3])) {
      copy.ignored = decoder.predicate_source(operands[3]);
    } else {
      copy.size = decoder.source(operands[3], Type::u32);
    }
  }
  put_side(copy.from, out);
  out.aux = decoder.new_site(copy.bytes);
  add_copy(decoder, copy, out);
}

void lower_async_wait(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  out.imm = ~uint64_t{0};
  if (instruction.operands.empty()) return;  // wait_all
  int64_t groups = 0;
  if (!expect_operands(decoder, instruction, 1) || !decoder.literal(instruction.operands[0], groups)) return;
  if (groups < 0) decoder.error(instruction.operands[0].position, "the number of groups must not be negative");
  out.imm = static_cast<uint64_t>(groups);
}

void lower_async_arrive(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (expect_operands(decoder, instruction, 1))
    lower_barrier_address(decoder, instruction.operands[0], m.access.space, out);
}

void lower_bulk_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool stores = m.has("bulk_group"), moves = !stores && !m.has("global"), masked = m.has("cp_mask");
  const size_t masks = m.has("multicast::cluster") || masked ? 1 : 0, hints = m.has("L2::cache_hint") ? 1 : 0;
  if (!expect_operands(decoder, instruction, (stores ? 3 : 4) + masks + hints)) return;
  const std::vector<Operand>& operands = instruction.operands;
  CopyInfo copy;
  if (!lower_side(decoder, operands[0], stores ? Space::global : Space::shared, copy.to) ||
      !lower_side(decoder, operands[1], stores || moves ? Space::shared : Space::global, copy.from)) {
    return;
  }
  copy.size = decoder.source(operands[2], Type::u32);
  if (!stores && !lower_side(decoder, operands[3], Space::shared, copy.barrier)) return;
  if (masks != 0 && !masked) copy.ctas = decoder.source(operands[4], Type::u16);
  if (hints != 0) decoder.source(operands[operands.size() - (masked ? 2 : 1)], Type::b64);
  if (masked) out.op[4] = decoder.source(operands.back(), Type::b16);
  put_side(stores ? copy.to : copy.from, out);
  out.aux = decoder.new_site(4);
  add_copy(decoder, copy, out);
}

void lower_bulk_prefetch(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const size_t hints = m.has("L2::cache_hint") ? 1 : 0;
  AddressRef from;
  if (!expect_operands(decoder, instruction, 2 + hints) ||
      !lower_side(decoder, instruction.operands[0], Space::global, from)) {
    return;
  }
  put_side(from, out);
  decoder.source(instruction.operands[1], Type::u32);
  if (hints != 0) decoder.source(instruction.operands[2], Type::b64);
}

void lower_bulk_reduce(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  lower_bulk_copy(decoder, instruction, m, out);
  if (out.op[5] == OperandRef::kNone) return;
  CopyInfo& copy = decoder.program().copies[out.op[5]];
  copy.reduction = static_cast<uint8_t>(written_reduction(m));
  copy.type = m.type;
  if (m.has("global")) note_reduction(decoder, instruction);
}

namespace {

/// [map, {coordinates}]: also the address that the handler finds. @return false after an error
bool lower_tensor(Decoder& decoder, const Operand& operand, const Match& m, CopyInfo& copy, Instr& out) {
  Operand map = operand;
  map.elements.clear();
  if (!lower_side(decoder, map, Space::generic, copy.tensor)) return false;
  put_side(copy.tensor, out);
  const bool four_rows = !m.which({"tile::gather4", "tile::scatter4"}).empty();
  const auto dimensions = static_cast<size_t>(m.which({"1d", "2d", "3d", "4d", "5d"})[0] - '0');
  const size_t coordinates = four_rows ? 5 : dimensions;  // a column and four rows
  const bool given = operand.elements.size() == 1;
  const std::vector<Operand> one{given ? operand.elements[0] : Operand{}};
  const std::vector<Operand>& all = given && one[0].kind == Operand::Kind::vector ? one[0].elements : one;
  if (!given || all.size() != coordinates)
    return decoder.error(operand.position,
                         "expected a tensor map and " + std::to_string(coordinates) + " coordinates in braces");
  for (const Operand& coordinate : all) copy.coordinates.push_back(decoder.source(coordinate, Type::s32));
  return true;
}

/// op[4].
uint32_t mode_of(const Match& m) {
  if (!m.which({"tile::gather4", "tile::scatter4"}).empty()) return kFourRows;
  if (m.has("im2col::w")) return TensorMap::im2col_w;
  if (m.has("im2col::w::128")) return TensorMap::im2col_w128;
  return m.which({"im2col", "im2col_no_offs"}).empty() ? TensorMap::tiled : TensorMap::im2col;
}

/// Whether offsets follow the coordinates.
bool has_offsets(const Match& m) { return !m.which({"im2col", "im2col::w", "im2col::w::128"}).empty(); }

bool check_mode(Decoder& decoder, const ptx::Instruction& instruction, const Match& m) {
  if (!m.which({"tile::gather4", "tile::scatter4"}).empty() && !m.has("2d"))
    return decoder.error(instruction.position, "gather4 and scatter4 take tensors of 2 dimensions: write .2d");
  if (mode_of(m) == TensorMap::tiled || mode_of(m) == kFourRows || m.which({"1d", "2d"}).empty()) return true;
  return decoder.error(instruction.position, "im2col takes tensors of 3 to 5 dimensions");
}

/// im2col: one offset for each dimension that is neither channels nor images.
bool lower_offsets(Decoder& decoder, const Operand& operand, const Match& m, CopyInfo& copy) {
  const bool wide = mode_of(m) != TensorMap::im2col;
  const size_t count = wide ? 2 : copy.coordinates.size() - 2;
  const std::vector<Operand> one{operand};
  const std::vector<Operand>& all = operand.kind == Operand::Kind::vector ? operand.elements : one;
  if (all.size() != count)
    return decoder.error(
        operand.position,
        "expected " + (wide ? "wHalo and wOffset" : std::to_string(count) + " offsets") + " in braces");
  for (const Operand& offset : all) copy.offsets.push_back(decoder.source(offset, Type::u16));
  return true;
}

}  // namespace

void lower_tensor_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool stores = m.has("bulk_group"), offsets = has_offsets(m);
  const size_t masks = m.has("multicast::cluster") ? 1 : 0, hints = m.has("L2::cache_hint") ? 1 : 0;
  if (!expect_operands(decoder, instruction, (stores ? 2 : 3) + (offsets ? 1 : 0) + masks + hints)) return;
  if (!check_mode(decoder, instruction, m)) return;
  out.op[4] = mode_of(m);
  const std::vector<Operand>& operands = instruction.operands;
  CopyInfo copy;
  if (!lower_tensor(decoder, operands[stores ? 0 : 1], m, copy, out)) return;
  copy.to_pair = m.has("cta_group::2");
  if (stores) {
    if (!lower_side(decoder, operands[1], Space::shared, copy.from)) return;
    copy.reduction = static_cast<uint8_t>(written_reduction(m));
    if (copy.reduction != 0) note_reduction(decoder, instruction);
  } else {
    if (!lower_side(decoder, operands[0], Space::shared, copy.to) ||
        !lower_side(decoder, operands[2], Space::shared, copy.barrier) ||
        (offsets && !lower_offsets(decoder, operands[3], m, copy))) {
      return;
    }
    if (masks != 0) copy.ctas = decoder.source(operands[offsets ? 4 : 3], Type::u16);
  }
  if (hints != 0) decoder.source(operands.back(), Type::b64);
  out.aux = decoder.new_site(4);
  add_copy(decoder, copy, out);
}

void lower_tensor_prefetch(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const size_t offsets = has_offsets(m) ? 1 : 0, hints = m.has("L2::cache_hint") ? 1 : 0;
  if (!expect_operands(decoder, instruction, 1 + offsets + hints) || !check_mode(decoder, instruction, m)) return;
  CopyInfo copy;
  if (!lower_tensor(decoder, instruction.operands[0], m, copy, out)) return;
  if (offsets != 0 && !lower_offsets(decoder, instruction.operands[1], m, copy)) return;
  if (hints != 0) decoder.source(instruction.operands.back(), Type::b64);
}

void lower_async_store(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 3)) return;
  const std::vector<Operand>& operands = instruction.operands;
  const size_t elements = size_t{m.access.elements};
  AddressRef to;
  CopyInfo copy;
  if (!lower_side(decoder, operands[0], Space::shared, to) ||
      !lower_side(decoder, operands[2], Space::shared, copy.barrier)) {
    return;
  }
  std::vector<uint32_t> rows;
  if (operands[1].kind != Operand::Kind::vector) {
    rows.push_back(decoder.source(operands[1], m.type));
  } else {
    for (const Operand& element : operands[1].elements) rows.push_back(decoder.source(element, m.type));
  }
  if (rows.size() != elements) {
    decoder.error(operands[1].position, "expected " + std::to_string(elements) + " values");
    return;
  }
  put_side(to, out);
  out.op[1] = static_cast<uint32_t>(decoder.program().lists.size());
  decoder.program().lists.push_back(std::move(rows));
  out.op[2] = register_bytes(m.type);
  if (instruction.opcode == "red") {
    out.op[3] = static_cast<uint32_t>(written_reduction(m));
    out.op[4] = static_cast<uint32_t>(m.type);
  }
  out.aux = decoder.new_site(out.op[2] * static_cast<uint32_t>(elements));
  add_copy(decoder, copy, out);
}

void lower_mbarrier(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const size_t counts = m.has("inval") ? 0 : 1;
  if (!expect_operands(decoder, instruction, 1 + counts)) return;
  if (!lower_barrier_address(decoder, instruction.operands[0], m.access.space, out)) return;
  if (counts != 0) out.op[2] = decoder.source(instruction.operands[1], Type::u32);
}

void lower_mbarrier_arrive(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool announces = m.has("expect_tx");
  const size_t least = announces || m.has("noComplete") ? 3 : 2;
  if (!expect_operands(decoder, instruction, least, 3)) return;
  if (m.has("shared::cluster") && instruction.operands[0].kind != Operand::Kind::sink) {
    decoder.error(instruction.operands[0].position, "an mbarrier in .shared::cluster returns no state: write _ here");
    return;
  }
  out.op[1] = destination_or_none(decoder, instruction.operands[0], Type::b64);
  if (!lower_barrier_address(decoder, instruction.operands[1], m.access.space, out)) return;
  if (instruction.operands.size() == 3) out.op[announces ? 3 : 2] = decoder.source(instruction.operands[2], Type::u32);
}

void lower_mbarrier_test(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 3, m.has("try_wait") ? 4 : 3)) return;
  out.op[1] = decoder.predicate_destination(instruction.operands[0]);
  if (!lower_barrier_address(decoder, instruction.operands[1], m.access.space, out)) return;
  out.op[2] = decoder.source(instruction.operands[2], m.has("parity") ? Type::u32 : Type::b64);
  if (instruction.operands.size() == 4) decoder.source(instruction.operands[3], Type::u32);
  out.flags |= InstrFlag::kPolls;
}

void lower_mbarrier_pending(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  if (!expect_operands(decoder, instruction, 2)) return;
  out.op[1] = decoder.destination(instruction.operands[0], Type::u32);
  out.op[2] = decoder.source(instruction.operands[1], Type::b64);
}

}  // namespace bankshot::simt

#include "bankshot/simt/lower_async.hpp"

#include "bankshot/simt/async_copy.hpp"
#include "bankshot/simt/lower.hpp"
#include "bankshot/simt/lower_memory.hpp"
#include "bankshot/simt/mbarrier.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// @return false after an error
bool lower_address(Decoder& decoder, const Operand& operand, Space space, AddressRef& out) {
  Decoder::Address address;
  if (!decoder.address(operand, space, address)) return false;
  // A name says by itself where it is.
  out = {address.base, address.wide, address.offset,
         space == Space::generic && address.symbol != nullptr ? address.symbol->space : space};
  return true;
}

void put_address(const AddressRef& address, Instr& out) {
  out.op[0] = address.base;
  out.imm = static_cast<uint64_t>(address.offset);
  out.small = static_cast<uint8_t>(address.space);
  if (address.wide) out.flags |= InstrFlag::kWide;
}

/// The address of an mbarrier, in `space` or generic.
bool lower_barrier_address(Decoder& decoder, const Operand& operand, Space space, Instr& out) {
  AddressRef address;
  if (!lower_address(decoder, operand, space, address)) return false;
  if (address.space != Space::shared && address.space != Space::generic) {
    return decoder.error(operand.position, "an mbarrier must be in shared memory");
  }
  put_address(address, out);
  return true;
}

bool is_predicate(const Decoder& decoder, const Operand& operand) {
  const Symbol* const symbol = operand.kind == Operand::Kind::identifier ? decoder.find(operand.name) : nullptr;
  return symbol != nullptr && symbol->kind == Symbol::Kind::reg && symbol->type == Type::pred;
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
  if (!lower_address(decoder, operands[0], Space::shared, copy.to) ||
      !lower_address(decoder, operands[1], Space::global, copy.from) || !decoder.literal(operands[2], bytes)) {
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
  put_address(copy.from, out);
  out.aux = decoder.new_site(instruction, copy.bytes);
  add_copy(decoder, copy, out);
}

void lower_async_wait(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  out.imm = ~uint64_t{0};
  if (instruction.operands.empty()) return;  // wait_all
  int64_t groups = 0;
  if (!expect_operands(decoder, instruction, 1) || !decoder.literal(instruction.operands[0], groups)) return;
  if (groups < 0) decoder.error(instruction.operands[0].position, "a number of groups is not negative");
  out.imm = static_cast<uint64_t>(groups);
}

void lower_async_arrive(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (expect_operands(decoder, instruction, 1))
    lower_barrier_address(decoder, instruction.operands[0], space_of(m), out);
}

void lower_bulk_copy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool stores = m.has("bulk_group"), moves = !stores && !m.has("global");
  const size_t masks = m.has("multicast::cluster") ? 1 : 0, hints = m.has("L2::cache_hint") ? 1 : 0;
  if (!expect_operands(decoder, instruction, (stores ? 3 : 4) + masks + hints)) return;
  const std::vector<Operand>& operands = instruction.operands;
  CopyInfo copy;
  if (!lower_address(decoder, operands[0], stores ? Space::global : Space::shared, copy.to) ||
      !lower_address(decoder, operands[1], stores || moves ? Space::shared : Space::global, copy.from)) {
    return;
  }
  copy.size = decoder.source(operands[2], Type::u32);
  if (!stores && !lower_address(decoder, operands[3], Space::shared, copy.barrier)) return;
  if (masks != 0) copy.ctas = decoder.source(operands[4], Type::u16);
  put_address(stores ? copy.to : copy.from, out);
  out.aux = decoder.new_site(instruction, 4);
  add_copy(decoder, copy, out);
}

void lower_mbarrier(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const size_t counts = m.has("inval") ? 0 : 1;
  if (!expect_operands(decoder, instruction, 1 + counts)) return;
  if (!lower_barrier_address(decoder, instruction.operands[0], space_of(m), out)) return;
  if (counts != 0) out.op[2] = decoder.source(instruction.operands[1], Type::u32);
}

void lower_mbarrier_arrive(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool announces = m.has("expect_tx");
  const size_t least = announces || m.has("noComplete") ? 3 : 2;
  if (!expect_operands(decoder, instruction, least, 3)) return;
  out.op[1] = destination_or_none(decoder, instruction.operands[0], Type::b64);
  if (!lower_barrier_address(decoder, instruction.operands[1], space_of(m), out)) return;
  if (instruction.operands.size() == 3) out.op[announces ? 3 : 2] = decoder.source(instruction.operands[2], Type::u32);
}

void lower_mbarrier_test(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 3, m.has("try_wait") ? 4 : 3)) return;
  out.op[1] = decoder.predicate_destination(instruction.operands[0]);
  if (!lower_barrier_address(decoder, instruction.operands[1], space_of(m), out)) return;
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

#include "bankshot/simt/lower/lower_memory.hpp"

#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// Lowers `[address]`, also of parameters. @return the space accessed
Space lower_any_address(Decoder& decoder, const Operand& operand, Space space, Instr& out) {
  Decoder::Address address;
  if (!decoder.address(operand, space, address)) return space;
  put_address(address, space, out);
  space = static_cast<Space>(out.small);
  if (space == Space::param) {
    // Parameters of functions and calls live in the frame; a register holds an address taken there or in the kernel's.
    const bool entry = address.symbol != nullptr ? address.symbol->entry_param
                                                 : decoder.program().functions[decoder.function()].is_entry;
    out.small =
        entry ? static_cast<uint8_t>(Space::param) | MemorySmall::kEntryParam : static_cast<uint8_t>(Space::local);
    if (!entry) space = Space::local;
  }
  return space;
}

void note_communication(Decoder& decoder, const ptx::Instruction& instruction, const ptx::Access& access, Space space,
                        Instr& out) {
  if (!access.may_poll()) return;
  if (access.kind == ptx::Access::Kind::load) out.flags |= InstrFlag::kPolls;
  // CTAs of a cluster are on one host thread.
  if (space == Space::shared || space == Space::local || space == Space::constant || access.stays_in_cluster()) return;
  decoder.cta_communication(instruction, "other CTAs may see it");
}

/// What is wrong with the modifiers of a load or a store together, or null. Source: PTX ISA 9.0, ld and st; ptxas 13.0.
const char* wrong_together(const Match& m) {
  const ptx::Access& access = m.access;
  const Space space = access.space;
  const bool cop = !m.which({"ca", "cg", "cs", "lu", "cv", "wb", "wt"}).empty();
  const bool l1 =
      !m.which({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"})
           .empty();
  const bool l2 = !m.which({"L2::evict_normal", "L2::evict_first", "L2::evict_last"}).empty();
  const bool far = space == Space::global || space == Space::generic;
  const bool hints = l1 || l2 || m.has("L2::cache_hint"),
             prefetches = !m.which({"L2::64B", "L2::128B", "L2::256B"}).empty();
  const unsigned bits = 8 * access.bytes();
  const bool strong = access.is_strong();
  if (cop && (strong || l1))
    return "a cache operator cannot be combined with .volatile, .relaxed, .acquire, .release or .L1::…";
  if (access.is_volatile && hints) return ".volatile takes no cache hints";
  if (access.is_mmio && (hints || prefetches || access.elements != 1 || !far))
    return ".mmio is for single values in global memory, without cache hints";
  // PTX ISA 9.1 has .volatile for local memory too, where it changes nothing; ptxas 13.5 accepts it.
  if (strong && !far && space != Space::shared && !(access.is_volatile && space == Space::local))
    return ".volatile, .relaxed, .acquire and .release are for global and shared memory";
  if ((hints || prefetches) && !far) return "cache hints are for global memory";
  if (bits > 256 || (bits == 256 && !far)) return "a vector has at most 128 bits, in global memory 256";
  if (access.elements == 8 && bits != 256) return "vectors of eight are of 32-bit elements";
  if (l2 && bits != 256) return "L2::evict_… is for vectors of 256 bits: .v8.b32 and .v4.b64";
  return nullptr;
}

/// @return false after an error
bool check_modifiers(Decoder& decoder, const ptx::Instruction& instruction, const Match& m) {
  const char* const wrong = wrong_together(m);
  return wrong == nullptr || decoder.error(instruction.position, wrong);
}

bool has_site(const Decoder& decoder, Space space) {
  return space == Space::shared || space == Space::generic || (space == Space::global && decoder.has_transactions());
}

/// @param given  a register or number, a vector of as many as the instruction moves; one in braces is like one without
void lower_values(Decoder& decoder, const ptx::Instruction& instruction, const Operand& given, const Match& m,
                  bool load, Instr& out) {
  const unsigned elements = m.access.elements;
  const bool is_one = elements == 1 && given.kind == Operand::Kind::vector && given.elements.size() == 1;
  const Operand& value = is_one ? given.elements[0] : given;
  unsigned width = 0;  // bytes of the registers: loads extend, stores truncate
  const auto lower_one = [&](const Operand& operand) {
    Type own = m.type;
    // A number stands beside registers that may be wider than the type.
    const bool number = operand.kind != Operand::Kind::identifier;
    const Type wanted = number && width > ptx::bits(m.type) / 8 ? type_of_bytes(width) : m.type;
    const uint32_t row =
        load ? destination_or_none(decoder, operand, m.type, true, &own) : decoder.source(operand, wanted, true, &own);
    if (operand.kind == Operand::Kind::sink) return row;
    const unsigned bytes = register_bytes(own);
    if (width == 0) width = bytes;
    if (bytes != width) decoder.error(operand.position, "the registers of a vector must have one width");
    return row;
  };
  if (elements == 1 && value.kind != Operand::Kind::vector) {
    out.op[1] = lower_one(value);
  } else if (value.kind == Operand::Kind::vector && value.elements.size() == elements) {
    std::vector<uint32_t> list(elements);
    for (const bool numbers : {false, true}) {  // registers first
      for (unsigned k = 0; k < elements; ++k) {
        const bool number = value.elements[k].kind != Operand::Kind::identifier;
        if (number == numbers) list[k] = lower_one(value.elements[k]);
      }
    }
    out.op[1] = static_cast<uint32_t>(decoder.program().lists.size());
    decoder.program().lists.push_back(std::move(list));
  } else {
    decoder.error(value.position,
                  "expected " + std::to_string(elements) + " values in braces for '" + instruction.opcode + "'");
  }
  out.op[2] = width != 0 ? width : register_bytes(m.type);
  out.op[3] = elements;
  if (elements == 1 && out.op[2] == 4 && ptx::bits(m.type) == 32 && out.op[1] != OperandRef::kNone &&
      out.op[0] != OperandRef::kNone && !(out.flags & InstrFlag::kWide)) {
    out.flags |= InstrFlag::kOneWord;
  }
}

}  // namespace

void lower_load(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (instruction.operands.size() < 2) {
    decoder.error(instruction.position, "ld takes a destination and an address");
    return;
  }
  if (!check_modifiers(decoder, instruction, m)) return;
  if (instruction.opcode == "ldu" && m.access.bytes() > 16) {
    decoder.error(instruction.position, "ldu loads 128 bits at the most");
    return;
  }
  const Space space = lower_any_address(decoder, instruction.operands[1], m.access.space, out);
  lower_values(decoder, instruction, instruction.operands[0], m, true, out);
  note_communication(decoder, instruction, m.access, space, out);
  if (has_site(decoder, space)) {
    out.aux = decoder.new_site(m.access.bytes());
  }
}

void lower_store(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (instruction.operands.size() < 2) {
    decoder.error(instruction.position, "st takes an address and a value");
    return;
  }
  if (!check_modifiers(decoder, instruction, m)) return;
  const Space space = lower_any_address(decoder, instruction.operands[0], m.access.space, out);
  if (space == Space::constant || out.small == (static_cast<uint8_t>(Space::param) | MemorySmall::kEntryParam)) {
    decoder.error(instruction.operands[0].position, "constant memory and kernel parameters cannot be written");
  }
  lower_values(decoder, instruction, instruction.operands[1], m, false, out);
  note_communication(decoder, instruction, m.access, space, out);
  if (has_site(decoder, space)) {
    out.aux = decoder.new_site(m.access.bytes());
  }
}

void lower_bulk_fill(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  int64_t value = 0;
  if (!expect_operands(decoder, instruction, 3) || !decoder.literal(instruction.operands[2], value)) return;
  if (value != 0) {
    decoder.error(instruction.operands[2].position, "st.bulk stores zeros: write 0 here");
    return;
  }
  if (!lower_address(decoder, instruction.operands[0], m.access.space, out)) return;
  out.op[1] = decoder.source(instruction.operands[1], Type::u64);
  out.aux = decoder.new_site(4);
}

void lower_hint(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (instruction.operands.empty()) {
    decoder.error(instruction.position, "expected an address");
    return;
  }
  int64_t bytes = 128;
  if (instruction.operands.size() == 2 && !decoder.literal(instruction.operands[1], bytes)) return;
  if (bytes != 128) decoder.error(instruction.operands[1].position, "it is done for 128 bytes");
  lower_any_address(decoder, instruction.operands[0], m.access.space, out);
}

}  // namespace bankshot::simt

#include "bankshot/simt/lower/lower_move.hpp"

#include "bankshot/simt/rows/lower.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

bool in_frame(const Symbol* symbol) {
  if (symbol == nullptr) return false;
  return (symbol->kind == Symbol::Kind::variable && symbol->space == Space::local) ||
         (symbol->kind == Symbol::Kind::param && !symbol->entry_param);
}

/// mov.b64 %rd, {%r1, %r2} and mov.b64 {%r1, %r2}, %rd
void lower_pack(Decoder& decoder, const Operand& vector, const Operand& whole, const Match& m, bool pack, Instr& out) {
  const size_t elements = vector.elements.size();
  const unsigned bytes = ptx::bits(m.type) / 8;
  if ((elements != 2 && elements != 4) || bytes / elements == 0) {
    decoder.error(vector.position,
                  "a vector of 2 or 4 elements that fill " + std::to_string(8 * bytes) + " bits expected");
    return;
  }
  const auto part = static_cast<unsigned>(bytes / elements);
  std::vector<uint32_t> list;
  for (const Operand& element : vector.elements) {
    list.push_back(pack ? decoder.source(element, type_of_bytes(part), part == 1)
                        : destination_or_none(decoder, element, type_of_bytes(part), part == 1));
  }
  out.small = pack ? MoveKind::kPack : MoveKind::kUnpack;
  out.op[pack ? 0 : 1] = pack ? decoder.destination(whole, m.type) : decoder.source(whole, m.type);
  out.op[2] = part;
  out.aux = static_cast<uint32_t>(decoder.program().lists.size());
  decoder.program().lists.push_back(std::move(list));
}

}  // namespace

void lower_move(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (instruction.operands.size() != 2) {
    decoder.error(instruction.position, "mov takes a destination and a source");
    return;
  }
  const Operand& to = instruction.operands[0];
  const Operand& from = instruction.operands[1];
  if (from.kind == Operand::Kind::vector) return lower_pack(decoder, from, to, m, true, out);
  if (to.kind == Operand::Kind::vector) return lower_pack(decoder, to, from, m, false, out);
  if (m.type == Type::pred || is_predicate(decoder, to)) {
    out.small = MoveKind::kPredicate;
    out.op[0] = decoder.predicate_destination(to);
    out.op[1] = decoder.predicate_source(from);
    return;
  }
  const Symbol* symbol = from.name.empty() ? nullptr : decoder.find(from.name);
  out.op[0] = decoder.destination(to, m.type);
  if (in_frame(symbol)) {
    out.small = MoveKind::kLocal;
    out.imm = symbol->address + static_cast<uint64_t>(from.integer);
    return;
  }
  if (symbol != nullptr || from.kind != Operand::Kind::identifier || !from.name.starts_with('%')) {
    out.op[1] = decoder.source(from, m.type);
    return;
  }
  unsigned bytes = 0;
  out.op[1] = decoder.special(from, bytes);
  if (out.op[1] == OperandRef::kNone) return;
  if (is_clock_register(from.name)) {
    out.small = MoveKind::kClock;
    out.imm = from.name.ends_with("_hi") ? 32 : 0;
    out.flags |= InstrFlag::kPolls;
  } else if (ptx::bits(m.type) == 64 && bytes == 4) {
    out.op[2] = 1;  // a 32-bit special register into a 64-bit register: extend
  } else if (ptx::bits(m.type) != 8 * bytes) {
    decoder.error(from.position, "'" + from.name + "' has " + std::to_string(8 * bytes) +
                                     " bits, but the instruction moves " + std::to_string(ptx::bits(m.type)));
  }
}

void lower_vector_move(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const size_t count = m.has("v2") ? 2 : 4;
  const auto fits = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::vector && operand.elements.size() == count;
  };
  if (instruction.operands.size() != 2 || !fits(instruction.operands[0])) {
    decoder.error(instruction.position, "mov takes " + std::to_string(count) + " registers in braces and a source");
    return;
  }
  std::vector<uint32_t> list;
  for (const Operand& element : instruction.operands[0].elements)
    list.push_back(destination_or_none(decoder, element, m.type));
  const Operand& from = instruction.operands[1];
  if (fits(from)) {
    for (const Operand& element : from.elements) list.push_back(decoder.source(element, m.type));
  } else if (from.kind == Operand::Kind::identifier && from.name.starts_with('%') &&
             decoder.find(from.name) == nullptr && ptx::bits(m.type) == 32) {
    for (size_t k = 0; k < count; ++k) {
      Operand part = from;
      part.name += std::string{'.', "xyzw"[k]};
      unsigned bytes = 0;
      list.push_back(k == 3 ? decoder.constant(0, 4) : decoder.special(part, bytes));
    }
  } else {
    decoder.error(from.position, "expected " + std::to_string(count) + " registers in braces, or a special register");
    return;
  }
  out.small = MoveKind::kVector;
  out.aux = static_cast<uint32_t>(decoder.program().lists.size());
  decoder.program().lists.push_back(std::move(list));
}

void lower_convert_address(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (instruction.operands.size() != 2) {
    decoder.error(instruction.position, "cvta takes a destination and an address");
    return;
  }
  const Operand& from = instruction.operands[1];
  const uint64_t window =
      decoder.window(m.has("shared") || m.has("shared::cta") || m.has("shared::cluster") ? Space::shared
                     : m.has("local")                                                    ? Space::local
                     : m.has("param") || m.has("param::entry")                           ? Space::param
                                                                                         : Space::global);
  out.op[0] = decoder.destination(instruction.operands[0], m.type);
  out.imm = m.has("to") ? uint64_t{0} - window : window;
  const Symbol* symbol = from.name.empty() ? nullptr : decoder.find(from.name);
  if (in_frame(symbol)) {
    out.small = MoveKind::kLocal;
    out.imm += symbol->address + static_cast<uint64_t>(from.integer);
    return;
  }
  out.op[1] = decoder.source(from, m.type);
}

void lower_is_space(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (instruction.operands.size() != 2) {
    decoder.error(instruction.position, "isspacep takes a predicate and an address");
    return;
  }
  out.op[0] = decoder.predicate_destination(instruction.operands[0]);
  out.op[1] = decoder.source(instruction.operands[1], Type::b64);
  const bool local = m.has("local"), shared = m.has("shared") || m.has("shared::cta") || m.has("shared::cluster");
  out.imm = decoder.window(local ? Space::local : Space::shared);
  out.small = local                      ? IsSpace::kLocal
              : m.has("shared::cluster") ? IsSpace::kCluster
              : shared                   ? IsSpace::kCta
              : m.has("global")          ? IsSpace::kGlobal
              : m.has("const")           ? IsSpace::kConstant
                                         : IsSpace::kParam;
}

void lower_cache_policy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const auto& operands = instruction.operands;
  if (operands.empty() || operands.size() > 2) {
    decoder.error(instruction.position,
                  "createpolicy.fractional takes a destination and, if it is not 1.0, a fraction");
    return;
  }
  if (operands.size() == 2) decoder.source(operands[1], ptx::Type::f32);  // is it a number or a register of 32 bits?
  out.op[0] = decoder.destination(operands[0], m.type);
}

void lower_range_policy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const auto& operands = instruction.operands;
  if (!expect_operands(decoder, instruction, 4)) return;
  Decoder::Address ignored;
  if (!decoder.address(operands[1], m.has("global") ? Space::global : Space::generic, ignored)) return;
  decoder.source(operands[2], ptx::Type::u32);
  decoder.source(operands[3], ptx::Type::u32);
  out.op[0] = decoder.destination(operands[0], m.type);
}

void lower_converted_policy(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 2)) return;
  decoder.source(instruction.operands[1], ptx::Type::b64);
  out.op[0] = decoder.destination(instruction.operands[0], m.type);
}

}  // namespace bankshot::simt

#include "bankshot/simt/rows/lower.hpp"

#include <string>

namespace bankshot::simt {

using ptx::Operand;
using ptx::Type;

bool expect_operands(Decoder& decoder, const ptx::Instruction& instruction, size_t least, size_t most) {
  const size_t found = instruction.operands.size();
  if (found >= least && found <= most) return true;
  const std::string range =
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
  return decoder.error(instruction.position, "'" + instruction.opcode + "' takes " + range + " operands here, found " +
                                                 std::to_string(found));
}

void put_address(const Decoder::Address& address, ptx::Space space, Instr& out) {
  if (space == ptx::Space::generic && address.symbol != nullptr) space = address.symbol->space;
  out.op[0] = address.base;
  out.imm = static_cast<uint64_t>(address.offset);
  out.small = static_cast<uint8_t>(space);
  if (address.wide) out.flags |= InstrFlag::kWide;
}

bool lower_address(Decoder& decoder, const ptx::Operand& operand, ptx::Space space, Instr& out) {
  Decoder::Address address;
  if (!decoder.address(operand, space, address)) return false;
  put_address(address, space, out);
  return true;
}

bool lower_shared_address(Decoder& decoder, const ptx::Operand& operand, ptx::Space space, const char* what,
                          Instr& out) {
  if (!lower_address(decoder, operand, space, out)) return false;
  const auto found = static_cast<ptx::Space>(out.small);
  if (found == ptx::Space::generic || found == ptx::Space::global || found == ptx::Space::shared) return true;
  return decoder.error(operand.position, std::string(what) + " global and shared memory only");
}

uint32_t register_source(Decoder& decoder, const ptx::Operand& operand, ptx::Type type) {
  if (operand.kind == ptx::Operand::Kind::identifier) return decoder.source(operand, type);
  decoder.error(operand.position, "this operand is a register in this form, not a number",
                "move the number into a register first");
  return OperandRef::kNone;
}

void lower_packed(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  const size_t count = instruction.opcode[0] == 'v' ? 4 : 3;  // vadd2 … vmax4 take a, b and c
  if (!expect_operands(decoder, instruction, count)) return;
  out.op[0] = decoder.destination(instruction.operands[0], ptx::Type::b32);
  for (size_t k = 1; k < count; ++k) out.op[k] = register_source(decoder, instruction.operands[k], ptx::Type::b32);
}

Destinations destination_and_predicate(Decoder& decoder, const ptx::Operand& operand, ptx::Type type) {
  if (operand.kind != ptx::Operand::Kind::pair) return {destination_or_none(decoder, operand, type), OperandRef::kNone};
  return {destination_or_none(decoder, operand.elements[0], type), decoder.predicate_destination(operand.elements[1])};
}

bool lower_operands(Decoder& decoder, const ptx::Instruction& instruction, const Form& form, const Match& m,
                    Instr& out) {
  for (size_t k = 0; k < form.slots.size(); ++k) out.op[k] = OperandRef::kNone;
  if (instruction.operands.size() != form.slots.size()) {
    return decoder.error(instruction.position,
                         "'" + form.opcode + "' takes " + std::to_string(form.slots.size()) + " operands here, found " +
                             std::to_string(instruction.operands.size()),
                         "Its form is: " + std::string(form.row->syntax));
  }
  if (m.has("rz") || m.has("rzi")) out.fp = FpMode::kZero;
  if (m.has("rm") || m.has("rmi")) out.fp = FpMode::kDown;
  if (m.has("rp") || m.has("rpi")) out.fp = FpMode::kUp;
  if (m.has("ftz")) out.fp |= FpMode::kFlush;
  if (m.has("sat")) out.flags |= InstrFlag::kSaturate;
  const auto type_of = [&](const Form::Slot& slot) {
    if (slot.type.empty()) return m.type;
    if (slot.type == "type2") return m.type2;
    if (slot.type != "wide") return ptx::type_named(slot.type);
    switch (m.type) {
      case Type::u16: return Type::u32;
      case Type::s16: return Type::s32;
      case Type::u32: return Type::u64;
      case Type::s32: return Type::s64;
      default: return m.type;
    }
  };
  size_t next = 0;
  for (size_t k = 0; k < form.slots.size(); ++k) {
    const Form::Slot& slot = form.slots[k];
    const Operand& operand = instruction.operands[k];
    const bool writes = k == 0;
    if (slot.name.find('|') != std::string::npos) {
      const bool pair = operand.kind == Operand::Kind::pair;
      out.op[next++] = decoder.predicate_destination(pair ? operand.elements[0] : operand);
      out.op[next++] = pair ? decoder.predicate_destination(operand.elements[1]) : OperandRef::kNone;
      continue;
    }
    const Type type = type_of(slot);
    if (type == Type::pred) {
      out.op[next++] = writes ? decoder.predicate_destination(operand) : decoder.predicate_source(operand);
    } else if (writes) {
      out.op[next++] = decoder.destination(operand, type);
    } else {
      const bool half = type == Type::f16 || type == Type::bf16;
      out.op[next++] = half ? register_source(decoder, operand, type) : decoder.source(operand, type);
    }
  }
  return true;
}

bool is_predicate(const Decoder& decoder, const Operand& operand) {
  const Symbol* const symbol = operand.kind == Operand::Kind::identifier ? decoder.find(operand.name) : nullptr;
  return symbol != nullptr && symbol->kind == Symbol::Kind::reg && symbol->type == Type::pred;
}

bool lower_rows(Decoder& decoder, const Operand& operand, unsigned count, Type type, bool writes,
                std::vector<uint32_t>& rows) {
  const bool vector = operand.kind == Operand::Kind::vector;
  if ((vector ? operand.elements.size() : 1) != count)
    return decoder.error(operand.position,
                         "expected " + std::to_string(count) + (count == 1 ? " register" : " registers in braces"));
  for (unsigned k = 0; k < count; ++k) {
    const Operand& element = vector ? operand.elements[k] : operand;
    if (!writes && type == Type::b128 && element.kind != Operand::Kind::identifier)
      return decoder.error(element.position, "expected a register of 128 bits");
    rows.push_back(writes ? destination_or_none(decoder, element, type) : decoder.source(element, type));
  }
  return true;
}

uint32_t keep_rows(Decoder& decoder, std::vector<uint32_t> rows) {
  decoder.program().lists.push_back(std::move(rows));
  return static_cast<uint32_t>(decoder.program().lists.size() - 1);
}

bool is_clock_register(std::string_view name) { return name.starts_with("%clock") || name.starts_with("%globaltimer"); }

}  // namespace bankshot::simt

#include "bankshot/ptx/print_parts.hpp"

#include <bit>
#include <charconv>

namespace bankshot::ptx {
namespace {

using Kind = Operand::Kind;

template <class T>
void append_number(std::string& out, T value) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, end);
}

/// 0f3F800000: the bits, so that no value changes on its way through text
void append_bits(std::string& out, const char* prefix, uint64_t value, int digits) {
  out += prefix;
  for (int i = digits - 1; i >= 0; --i) out += "0123456789ABCDEF"[value >> (4 * i) & 15];
}

void append_elements(std::string& out, const Operand& operand) {
  append_list(out, operand.elements, [&out](const Operand& element) { append(out, element); });
}

void append_offset(std::string& out, int64_t offset) {
  out += '+';
  append(out, offset);
}

void append_address(std::string& out, const Operand& operand) {
  out += '[';
  out += operand.name;
  if (operand.name.empty()) {
    append(out, operand.integer);
  } else if (operand.integer != 0) {
    append_offset(out, operand.integer);
  }
  if (!operand.elements.empty()) {
    out += ", ";
    append_elements(out, operand);
  }
  out += ']';
}

void append_sum(std::string& out, const Operand& operand) {
  if (operand.mask != 0) {
    out += "0x";
    char digits[20];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, operand.mask, 16);
    out.append(digits, end);
    out += '(';
  }
  if (operand.generic) out += "generic(";
  out += operand.name;
  if (operand.generic) out += ')';
  if (operand.integer != 0 || (!operand.generic && operand.mask == 0)) append_offset(out, operand.integer);
  if (operand.mask != 0) out += ')';
}

/// A row of an array below dimension `level`: braces again where the flat list has none, since the assembler wants
/// them.
void append_row(std::string& out, const Variable& variable, size_t level, size_t& next) {
  const bool innermost = level + 1 == variable.dimensions.size();
  const uint64_t extent = variable.dimensions[level].value_or(UINT64_MAX);
  out += '{';
  for (uint64_t i = 0; i < extent && next < variable.initialiser.size(); ++i) {
    if (i != 0) out += ", ";
    if (innermost) {
      append(out, variable.initialiser[next++]);
    } else {
      const size_t before = next;
      append_row(out, variable, level + 1, next);
      if (next == before) break;  // an extent of 0 holds nothing
    }
  }
  out += '}';
}

void append_initialiser(std::string& out, const Variable& variable) {
  out += " = ";
  size_t next = 0;
  if (!variable.dimensions.empty()) return append_row(out, variable, 0, next);
  if (!variable.initialiser.empty()) append(out, variable.initialiser[0]);
}

/// name, name.b1 or -name
void append_identifier(std::string& out, const Operand& operand) {
  if (operand.integer == -1) out += '-';
  out += operand.name;
  if (operand.mask == 0) return;
  const bool byte = std::popcount(operand.mask) == 8;
  out += byte ? ".b" : ".h";
  append_number(out, std::countr_zero(operand.mask) / (byte ? 8 : 16));
}

}  // namespace

void append(std::string& out, int64_t value) { append_number(out, value); }
void append_unsigned(std::string& out, uint64_t value) { append_number(out, value); }

void append(std::string& out, const Operand& operand) {
  if (operand.negated) out += '!';
  switch (operand.kind) {
    case Kind::identifier: return append_identifier(out, operand);
    case Kind::integer:
      if (!operand.is_unsigned) return append(out, operand.integer);
      append_unsigned(out, static_cast<uint64_t>(operand.integer));
      out += 'U';
      return;
    case Kind::f32: return append_bits(out, "0f", static_cast<uint64_t>(operand.integer), 8);
    case Kind::f64: return append_bits(out, "0d", static_cast<uint64_t>(operand.integer), 16);
    case Kind::address: return append_address(out, operand);
    case Kind::sum: return append_sum(out, operand);
    case Kind::sink: out += '_'; return;
    case Kind::vector:
    case Kind::list:
      out += operand.kind == Kind::vector ? '{' : '(';
      append_elements(out, operand);
      out += operand.kind == Kind::vector ? '}' : ')';
      return;
    case Kind::pair:
      for (size_t i = 0; i < operand.elements.size(); ++i) {
        if (i != 0) out += '|';
        append(out, operand.elements[i]);
      }
      return;
    case Kind::string: out += '"' + operand.name + '"'; return;
    case Kind::field:
      out += operand.name + " = ";
      append_elements(out, operand);
      return;
  }
}

void append(std::string& out, const Instruction& instruction) {
  if (instruction.guard) {
    out += instruction.guard->negated ? "@!" : "@";
    out += instruction.guard->name;
    out += ' ';
  }
  out += instruction.opcode;
  for (const std::string& modifier : instruction.modifiers) {
    out += '.';
    out += modifier;
  }
  if (!instruction.operands.empty()) out += ' ';
  append_list(out, instruction.operands, [&out](const Operand& operand) { append(out, operand); });
  out += ';';
}

void append(std::string& out, const Variable& variable) {
  out += '.';
  out += name(variable.space);
  if (!variable.attributes.empty()) {
    out += " .attribute(";
    append_list(out, variable.attributes, [&out](const std::string& attribute) { out += '.' + attribute; });
    out += ')';
  }
  if (variable.align != 0) {
    out += " .align ";
    append_unsigned(out, variable.align);
  }
  if (variable.vector != 1) {
    out += " .v";
    append_unsigned(out, variable.vector);
  }
  out += " .";
  out += variable.type == Type::opaque ? std::string_view(variable.opaque) : name(variable.type);
  if (variable.is_pointer) {
    out += " .ptr";
    if (variable.pointer_space != Space::generic) (out += " .") += name(variable.pointer_space);
    if (variable.pointer_align != 0) {
      out += " .align ";
      append_unsigned(out, variable.pointer_align);
    }
  }
  out += ' ';
  out += variable.name;
  if (variable.range != 0) {
    out += '<';
    append_unsigned(out, variable.range);
    out += '>';
  }
  for (const std::optional<uint64_t>& dimension : variable.dimensions) {
    out += '[';
    if (dimension) append_unsigned(out, *dimension);
    out += ']';
  }
  if (variable.has_initialiser) append_initialiser(out, variable);
}

void append(std::string& out, const Location& location) {
  out += ".loc ";
  append_unsigned(out, location.file);
  out += ' ';
  append_unsigned(out, location.line);
  out += ' ';
  append_unsigned(out, location.column);
  if (!location.inlined) return;
  const Location::Inlined& inlined = *location.inlined;
  if (!inlined.function_label.empty()) {
    out += ", function_name ";
    out += inlined.function_label;
    if (inlined.function_offset != 0) append_offset(out, inlined.function_offset);
  }
  out += ", inlined_at ";
  append_unsigned(out, inlined.file);
  out += ' ';
  append_unsigned(out, inlined.line);
  out += ' ';
  append_unsigned(out, inlined.column);
}

}  // namespace bankshot::ptx

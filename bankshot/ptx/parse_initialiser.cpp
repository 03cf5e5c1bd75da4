// Initialisers of variables: nested braces become one flat list. Source: PTX ISA manual, §5.4.4 (initializers).
#include "bankshot/ptx/grammar.hpp"

namespace bankshot::ptx {
namespace {

using Kind = Operand::Kind;

/// Zeros that short rows stand for are written out; a few braces must not become a gigabyte.
constexpr uint64_t kMostZeros = 1u << 16;

bool parse_element(Cursor& cursor, Operand& out, unsigned depth);

bool parse_braces(Cursor& cursor, Operand& out, unsigned depth) {
  if (depth > kDeepestOperand) {
    return cursor.give_up(cursor.position(), "an initialiser is nested too deeply", "the rest of the text is not read");
  }
  out.kind = Kind::vector;
  out.position = cursor.position();
  cursor.take();
  if (cursor.accept('}')) return true;
  do {
    if (!parse_element(cursor, out.elements.emplace_back(), depth + 1)) return false;
  } while (cursor.accept(','));
  return cursor.expect('}', "or ',' in an initialiser");
}

bool parse_element(Cursor& cursor, Operand& out, unsigned depth) {
  if (cursor.at('{')) return parse_braces(cursor, out, depth);
  if (cursor.at(TokenKind::identifier) && cursor.at('=', 1)) {  // addr_mode_0 = clamp_to_border
    out.kind = Kind::field;
    out.position = cursor.position();
    out.name = cursor.text(cursor.take());
    cursor.take();
    return parse_operand(cursor, out.elements.emplace_back(), false, depth + 1);
  }
  return parse_operand(cursor, out, false, depth);
}

class Flattening {
 public:
  Flattening(Cursor& cursor, Variable& variable) : cursor_(cursor), variable_(variable) {}

  /// Appends a row below dimension `level`.
  bool row(Operand& braces, size_t level) {
    const bool innermost = level + 1 == variable_.dimensions.size();
    const size_t begin = variable_.initialiser.size();
    if (level == 0 && innermost) variable_.initialiser.reserve(braces.elements.size());
    const uint64_t inner = innermost ? 1 : row_size(variable_, level + 1);
    for (size_t i = 0; i < braces.elements.size(); ++i) {
      Operand& element = braces.elements[i];
      if (element.kind != Kind::vector || innermost) {
        if (!append(std::move(element))) return false;
        continue;
      }
      const size_t row_begin = variable_.initialiser.size();
      if (!row(element, level + 1)) return false;
      if (i + 1 < braces.elements.size() && !fill(row_begin + inner, element.position)) return false;
    }
    const std::optional<uint64_t>& extent = variable_.dimensions[level];
    if (extent && variable_.initialiser.size() - begin > *extent * inner) {
      return cursor_.fail_at(braces.position, "more values than the array '" + variable_.name + "' has elements",
                             "make the array larger, or remove the surplus values");
    }
    return true;
  }

 private:
  bool append(Operand element) {
    if (element.kind == Kind::vector && variable_.vector == 1) {
      return cursor_.fail_at(element.position, "braces nested deeper than '" + variable_.name + "' has dimensions");
    }
    variable_.initialiser.push_back(std::move(element));
    return true;
  }

  bool fill(uint64_t size, Position position) {
    if (size < variable_.initialiser.size()) return true;  // too many: the row has complained
    zeros_ += size - variable_.initialiser.size();
    if (zeros_ > kMostZeros) {
      return cursor_.fail_at(position, "short rows leave out more than " + std::to_string(kMostZeros) + " values",
                             "write the array with one dimension");
    }
    Operand zero;
    zero.kind = Kind::integer;
    zero.position = position;
    if (variable_.vector != 1) {
      Operand zeros = zero;
      zeros.kind = Kind::vector;
      zeros.elements.assign(variable_.vector, zero);
      zero = std::move(zeros);
    }
    variable_.initialiser.resize(size, zero);
    return true;
  }

  Cursor& cursor_;
  Variable& variable_;
  uint64_t zeros_ = 0;
};

}  // namespace

uint64_t row_size(const Variable& variable, size_t level) {
  uint64_t size = 1;
  for (size_t i = level; i < variable.dimensions.size(); ++i) size *= variable.dimensions[i].value_or(0);
  return size;
}

bool parse_initialiser(Cursor& cursor, Variable& variable) {
  variable.has_initialiser = true;
  Operand value;
  if (!parse_element(cursor, value, 0)) return false;
  if (variable.dimensions.empty()) {
    variable.initialiser.push_back(std::move(value));
    return true;
  }
  if (value.kind != Kind::vector) {
    return cursor.fail_at(value.position, "an array is initialised with values in braces", "write = { … }");
  }
  if (!Flattening(cursor, variable).row(value, 0)) return false;
  if (!variable.dimensions[0]) {
    const uint64_t inner = row_size(variable, 1);
    variable.dimensions[0] = inner == 0 ? 0 : (variable.initialiser.size() + inner - 1) / inner;
  }
  return true;
}

}  // namespace bankshot::ptx

// Operands. Source: PTX ISA manual, chapter 6 (instruction operands).
#include "bankshot/ptx/grammar.hpp"

namespace bankshot::ptx {
namespace {

using Kind = Operand::Kind;

/// %v.x, %tid.y and the like: one component of a vector. Source: PTX ISA manual, §6.4.3.
bool is_component(std::string_view dotted) {
  return dotted.size() == 2 && std::string_view("xyzwrgba").find(dotted[1]) != std::string_view::npos;
}

/// The bits that %r.b0 … %r.b3, %r.h0 and %r.h1 choose; 0 if it is no such thing. Source: PTX ISA, "Scalar Video
/// Instructions".
uint64_t selected_bits(std::string_view dotted) {
  if (dotted.size() != 3 || (dotted[1] != 'b' && dotted[1] != 'h')) return 0;
  const auto number = static_cast<unsigned>(dotted[2] - '0');
  if (dotted[1] == 'b') return number < 4 ? uint64_t{0xff} << 8 * number : 0;
  return number < 2 ? uint64_t{0xffff} << 16 * number : 0;
}

bool too_deep(Cursor& cursor) {
  return cursor.give_up(cursor.position(), "operands are nested too deeply", "the rest of the text is not read");
}

/// Elements up to the closing mark, which is taken.
bool parse_elements(Cursor& cursor, Operand& out, char closing, bool is_call, unsigned depth) {
  if (cursor.accept(closing)) return true;
  out.elements.reserve(4);
  do {
    if (!parse_operand(cursor, out.elements.emplace_back(), is_call, depth + 1)) return false;
  } while (cursor.accept(','));
  return cursor.expect(closing, closing == '}'   ? "or ',' in a vector"
                                : closing == ')' ? "or ',' in a list of arguments"
                                                 : "or ',' in an address");
}

/// [name], [name+8], [8], [name, {x, y}], the bracket already taken
bool parse_address(Cursor& cursor, Operand& out, bool is_call, unsigned depth) {
  out.kind = Kind::address;
  if (cursor.at(TokenKind::identifier)) {
    out.name = cursor.text(cursor.take());
    if (cursor.at(TokenKind::dotted) && cursor.adjacent() && is_component(cursor.text())) {
      out.name += cursor.text(cursor.take());
    }
    if (!parse_offset(cursor, out.integer)) return false;
  } else {
    const Position position = cursor.position();
    if (!cursor.at(TokenKind::number) && !cursor.at('-') && !cursor.at('(')) {
      return cursor.fail("a register, a variable or a number as address");
    }
    Operand base;
    if (!parse_constant(cursor, base)) return false;
    if (base.kind != Kind::integer) return cursor.fail_at(position, "an address is an integer");
    out.integer = base.integer;
  }
  if (cursor.accept(',')) return parse_elements(cursor, out, ']', is_call, depth);
  return cursor.expect(']', "after an address",
                       "an address is [name], [name+offset], [number] or [name, {coordinates}]");
}

/// generic(name)+8 or 0xFF00(name)+8, the name being current
bool parse_sum_in_parenthesis(Cursor& cursor, Operand& out) {
  out.kind = Kind::sum;
  if (!cursor.expect('(', "before the name of a variable")) return false;
  if (out.mask != 0 && cursor.text() == "generic" && cursor.at('(', 1)) {
    cursor.take();
    out.generic = true;
    if (!parse_sum_in_parenthesis(cursor, out)) return false;
  } else if (!cursor.expect_name(out.name, "the name of a variable") || !parse_offset(cursor, out.integer)) {
    return false;
  }
  return cursor.expect(')', "after the name of a variable") && parse_offset(cursor, out.integer);
}

bool parse_named(Cursor& cursor, Operand& out) {
  const std::string_view name = cursor.text(cursor.take());
  if (name == "_") {
    out.kind = Kind::sink;
    return true;
  }
  if (name == "generic" && cursor.at('(')) {
    out.generic = true;
    return parse_sum_in_parenthesis(cursor, out);
  }
  out.kind = Kind::identifier;
  out.name = name;
  if (cursor.at(TokenKind::dotted) && cursor.adjacent() && is_component(cursor.text())) {
    out.name += cursor.text(cursor.take());
  } else if (cursor.at(TokenKind::dotted) && cursor.adjacent() && selected_bits(cursor.text()) != 0) {
    out.mask = selected_bits(cursor.text(cursor.take()));
  } else if (cursor.at('+') || cursor.at('-')) {
    out.kind = Kind::sum;
    return parse_offset(cursor, out.integer);
  } else if (cursor.at('[')) {
    return cursor.fail("',' or ';'", "an element of an array is written name+offset, the offset in bytes");
  }
  return true;
}

bool parse_number(Cursor& cursor, Operand& out) {
  if (!parse_constant(cursor, out)) return false;
  if (!cursor.at('(') || out.kind != Kind::integer) return true;
  if (out.integer == 0) return cursor.fail("',' or ';'");
  out.mask = static_cast<uint64_t>(out.integer);
  out.integer = 0;
  out.is_unsigned = false;
  return parse_sum_in_parenthesis(cursor, out);
}

bool parse_single(Cursor& cursor, Operand& out, bool is_call, unsigned depth) {
  if (cursor.at(TokenKind::identifier)) return parse_named(cursor, out);
  if (cursor.at(TokenKind::number)) return parse_number(cursor, out);
  if (cursor.at(TokenKind::string)) {
    const std::string_view text = cursor.text(cursor.take());
    out.kind = Kind::string;
    out.name = text.substr(1, text.size() - 2);
    return true;
  }
  if (cursor.at('!') && cursor.peek(1).kind == TokenKind::identifier) {
    cursor.take();
    out.negated = true;
    if (!parse_named(cursor, out)) return false;
    return out.kind == Kind::identifier || cursor.fail_at(out.position, "only a predicate can be negated with !");
  }
  if (cursor.at('[')) {
    cursor.take();
    return parse_address(cursor, out, is_call, depth);
  }
  if (cursor.at('{')) {
    cursor.take();
    out.kind = Kind::vector;
    return parse_elements(cursor, out, '}', is_call, depth);
  }
  if (cursor.at('(') && is_call) {
    cursor.take();
    out.kind = Kind::list;
    return parse_elements(cursor, out, ')', is_call, depth);
  }
  if (cursor.at('-') && cursor.peek(1).kind == TokenKind::identifier) {
    return cursor.fail("an operand", "PTX has no unary minus on registers; use neg");
  }
  if (cursor.at('-') || cursor.at('+') || cursor.at('~') || cursor.at('!') || cursor.at('(')) {
    return parse_number(cursor, out);
  }
  return cursor.fail("an operand");
}

}  // namespace

bool parse_operand(Cursor& cursor, Operand& out, bool is_call, unsigned depth) {
  if (depth > kDeepestOperand) return too_deep(cursor);
  out.position = cursor.position();
  if (!parse_single(cursor, out, is_call, depth)) return false;
  if (!cursor.at('|')) return true;
  cursor.take();
  Operand pair;
  pair.kind = Kind::pair;
  pair.position = out.position;
  pair.elements.reserve(2);
  pair.elements.push_back(std::move(out));
  pair.elements.emplace_back().position = cursor.position();
  const bool parsed = parse_single(cursor, pair.elements[1], is_call, depth);
  out = std::move(pair);
  return parsed;
}

}  // namespace bankshot::ptx

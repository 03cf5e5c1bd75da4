// Declarations of variables and parameters. Source: PTX ISA manual, §5.4 (variables), §11.6 (linking directives).
#include <array>
#include <bit>

#include "bankshot/ptx/grammar.hpp"

namespace bankshot::ptx {
namespace {

constexpr uint32_t kLargestAlignment = 1u << 20;
/// More registers than any compiler numbers; a slip of the pen must not become an allocation.
constexpr uint64_t kLongestRange = 1u << 24;
/// 1 TiB: no GPU has as much.
constexpr uint64_t kLargestVariable = uint64_t{1} << 40;

bool parse_align(Cursor& cursor, uint32_t& out) {
  const Position position = cursor.position();
  if (!parse_u32(cursor, out, "an alignment in bytes", kLargestAlignment)) return false;
  if (std::has_single_bit(out)) return true;
  return cursor.fail_at(position, "an alignment is a power of two, not " + std::to_string(out));
}

/// .ptr {.space} {.align N}: what the pointer in a parameter points to. Source: PTX ISA manual, §7.1.2 (.ptr).
bool parse_pointer(Cursor& cursor, Variable& out) {
  out.is_pointer = true;
  if (cursor.at(TokenKind::dotted)) {
    if (const std::optional<Space> space = space_named(cursor.text().substr(1))) {
      out.pointer_space = *space;
      cursor.take();
    }
  }
  if (!cursor.at_dotted("align")) return true;
  cursor.take();
  return parse_align(cursor, out.pointer_align);
}

/// .v2, .v4 and .v8; 0 if it is something else.
uint32_t vector_length(std::string_view word) { return word == "v2" ? 2 : word == "v4" ? 4 : word == "v8" ? 8 : 0; }

bool is_opaque(std::string_view word) { return word == "texref" || word == "samplerref" || word == "surfref"; }

/// `<10>` after a name, if it is there. @return false on an error; `declares` is false for `<0>`
bool parse_range(Cursor& cursor, Variable& out, bool& declares) {
  if (!cursor.accept('<')) return true;
  const Position position = cursor.position();
  Operand count;
  if (!parse_literal(cursor, count)) return false;
  if (count.kind != Operand::Kind::integer || static_cast<uint64_t>(count.integer) > kLongestRange) {
    return cursor.fail_at(position, "a range of registers is an integer up to " + std::to_string(kLongestRange),
                          "declare fewer registers");
  }
  out.range = static_cast<uint32_t>(count.integer);
  declares = out.range != 0;
  return cursor.expect('>', "after a range");
}

bool parse_dimensions(Cursor& cursor, Variable& out) {
  // A scalar has at most 128 · 8 bits, so that dimensions alone decide; the product stays far below 2^64.
  uint64_t product = 1;
  while (cursor.at('[')) {
    const Position position = cursor.position();
    cursor.take();
    if (cursor.at(']') && out.dimensions.empty()) {
      cursor.take();
      out.dimensions.push_back(std::nullopt);
      continue;
    }
    uint64_t extent = 0;
    if (!parse_unsigned(cursor, extent, "the size of a dimension")) return false;
    if (extent != 0 && product > kLargestVariable / extent) {
      return cursor.fail_at(position, "the array '" + out.name + "' has more than 2^40 elements", "make it smaller");
    }
    product *= extent == 0 ? 1 : extent;
    out.dimensions.push_back(extent);
    if (!cursor.expect(']', "after the size of a dimension")) return false;
  }
  return true;
}

/// One of the words between space and name. @return false if it is none, or wrong (then an error is reported)
bool parse_property(Cursor& cursor, Variable& out, bool& known) {
  const std::string_view word = cursor.text().substr(1);
  known = true;
  if (word == "align") {
    cursor.take();
    return parse_align(cursor, out.align);
  }
  if (word == "attribute") {
    cursor.take();
    return parse_attributes(cursor, out.attributes);
  }
  if (word == "ptr") {
    cursor.take();
    return parse_pointer(cursor, out);
  }
  if (const uint32_t length = vector_length(word)) {
    out.vector = length;
    cursor.take();
    return true;
  }
  known = false;
  return true;
}

}  // namespace

std::optional<Space> space_named(std::string_view name_of_space) {
  constexpr std::array kSpaces = {Space::reg,   Space::sreg,  Space::constant, Space::global,
                                  Space::local, Space::param, Space::shared,   Space::tex};
  for (Space space : kSpaces) {
    if (name(space) == name_of_space) return space;
  }
  // The window a variable lies in may be spelled out. Source: PTX ISA manual, §5.1 (::cta, ::entry, ::func).
  if (name_of_space == "shared::cta") return Space::shared;
  if (name_of_space == "param::entry" || name_of_space == "param::func") return Space::param;
  return std::nullopt;
}

bool is_linkage(std::string_view word) {
  return word == "visible" || word == "extern" || word == "weak" || word == "common";
}

bool parse_linkage(Cursor& cursor, std::string& out) {
  while (cursor.at(TokenKind::dotted) && is_linkage(cursor.text().substr(1))) {
    if (!out.empty()) return cursor.fail("one linking directive", "keep one of .visible, .extern, .weak and .common");
    out = cursor.text(cursor.take()).substr(1);
  }
  return true;
}

bool parse_attributes(Cursor& cursor, std::vector<std::string>& out) {
  if (!cursor.expect('(', "after .attribute")) return false;
  do {
    if (!cursor.at(TokenKind::dotted)) return cursor.fail("an attribute like .managed or .unified(a, b)");
    std::string attribute(cursor.text(cursor.take()).substr(1));
    if (cursor.accept('(')) {
      attribute += '(';
      do {
        if (attribute.back() != '(') attribute += ',';
        if (!cursor.at(TokenKind::number) && !cursor.at(TokenKind::identifier)) return cursor.fail("a number");
        attribute += cursor.text(cursor.take());
      } while (cursor.accept(','));
      if (!cursor.expect(')', "after the arguments of an attribute")) return false;
      attribute += ')';
    }
    out.push_back(std::move(attribute));
  } while (cursor.accept(','));
  return cursor.expect(')', "after the attributes");
}

bool parse_declaration(Cursor& cursor, Variable& out) {
  const std::optional<Space> space =
      cursor.at(TokenKind::dotted) ? space_named(cursor.text().substr(1)) : std::optional<Space>();
  if (!space) return cursor.fail("a state space: .reg, .shared, .global, .const, .local or .param");
  out.space = *space;
  cursor.take();
  while (cursor.at(TokenKind::dotted)) {
    bool known = false;
    if (!parse_property(cursor, out, known)) return false;
    if (known) continue;
    const std::string_view word = cursor.text().substr(1);
    if (out.type != Type::none) return cursor.fail("a name");
    out.type = type_named(word);
    if (is_opaque(word)) {
      out.type = Type::opaque;
      out.opaque = word;
    }
    if (out.type == Type::none)
      return cursor.fail("a type", "types are .pred, .b8 to .b128, .u8, .s32, .f32 and so on");
    cursor.take();
  }
  if (out.type == Type::none) return cursor.fail("a type");
  return true;
}

bool parse_declarator(Cursor& cursor, Variable& out, bool anonymous) {
  out.position = cursor.position();
  if (!cursor.expect_name(out.name, "the name of a variable")) return false;
  if (out.name == "_" && !anonymous) return cursor.fail_at(out.position, "a variable cannot be called _");
  bool declares = true;
  if (!parse_range(cursor, out, declares)) return false;
  if (!declares) out.name.clear();
  if (!parse_dimensions(cursor, out)) return false;
  if (!cursor.accept('=')) return true;
  return parse_initialiser(cursor, out);
}

bool parse_variables(Cursor& cursor, const std::string& linkage, std::vector<Variable>& out) {
  Variable declared;
  declared.linkage = linkage;
  if (!parse_declaration(cursor, declared)) return false;
  do {
    out.push_back(declared);
    if (!parse_declarator(cursor, out.back(), false)) return false;
    if (out.back().name.empty()) out.pop_back();
  } while (cursor.accept(','));
  return cursor.expect_end_of_statement("or ',' after a declaration");
}

bool parse_parameters(Cursor& cursor, std::vector<Variable>& out) {
  if (!cursor.expect('(', "before the parameters")) return false;
  if (cursor.accept(')')) return true;
  do {
    Variable& parameter = out.emplace_back();
    if (!parse_declaration(cursor, parameter) || !parse_declarator(cursor, parameter, true)) return false;
    if (parameter.name.empty()) out.pop_back();
  } while (cursor.accept(','));
  return cursor.expect(')', "or ',' after a parameter");
}

}  // namespace bankshot::ptx

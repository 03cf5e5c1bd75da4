// Kernels and functions. Source: PTX ISA manual, §11.2 (kernel entry and function directives).
#include "bankshot/ptx/grammar.hpp"

namespace bankshot::ptx {
namespace {

/// What may stand between parameters and body.
bool parse_properties(Cursor& cursor, Function& out) {
  while (cursor.at(TokenKind::dotted)) {
    if (cursor.at_dotted("noreturn")) {
      out.noreturn = true;
      cursor.take();
    } else if (cursor.at_dotted("pragma")) {
      if (!parse_pragma(cursor, out.pragmas.emplace_back())) return false;
    } else if (begins_item(cursor.text().substr(1))) {
      return true;
    } else if (!parse_performance(cursor, out.performance)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool parse_function(Cursor& cursor, Function& out) {
  out.is_entry = cursor.at_dotted("entry");
  cursor.take();
  if (cursor.at_dotted("attribute")) {
    cursor.take();
    if (!parse_attributes(cursor, out.attributes)) return false;
  }
  if (!out.is_entry && cursor.at('(') && !parse_parameters(cursor, out.returns)) return false;
  if (!cursor.expect_name(out.name, out.is_entry ? "the name of a kernel" : "the name of a function")) return false;
  if (cursor.at('(') && !parse_parameters(cursor, out.parameters)) return false;
  if (!parse_properties(cursor, out)) return false;
  if (cursor.accept(';')) return true;
  if (!cursor.at('{')) {
    return cursor.fail("'{' before the body of '" + out.name + "', or ';'", "a function without body ends with ;");
  }
  out.body = std::make_unique<Block>();
  return parse_block(cursor, *out.body);
}

}  // namespace bankshot::ptx

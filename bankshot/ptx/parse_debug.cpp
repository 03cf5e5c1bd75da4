// Debugging data and pragmas. Source: PTX ISA manual, §11.5 (debugging directives), §11.4 (.pragma).
#include "bankshot/ptx/grammar.hpp"

namespace bankshot::ptx {
namespace {

bool parse_string(Cursor& cursor, std::string& out, std::string_view what) {
  if (!cursor.at(TokenKind::string)) return cursor.fail(what);
  const std::string_view text = cursor.text(cursor.take());
  out = text.substr(1, text.size() - 2);
  return true;
}

/// function_name label {+ offset}, inlined_at file line column; the comma before it already taken
bool parse_inlined(Cursor& cursor, Location::Inlined& out) {
  bool has_function = false, has_place = false;
  do {
    if (cursor.text() == "function_name" && !has_function) {
      cursor.take();
      has_function = true;
      if (cursor.at_directive()) {  // a section's name can stand for its first byte
        out.function_label = cursor.text(cursor.take());
      } else if (!cursor.expect_name(out.function_label, "the label of a function's name")) {
        return false;
      }
      if (!parse_offset(cursor, out.function_offset)) return false;
    } else if (cursor.text() == "inlined_at" && !has_place) {
      cursor.take();
      has_place = true;
      if (!parse_u32(cursor, out.file, "a file index") || !parse_u32(cursor, out.line, "a line") ||
          !parse_u32(cursor, out.column, "a column")) {
        return false;
      }
    } else {
      return cursor.fail("function_name or inlined_at");
    }
  } while (cursor.accept(','));
  return has_place || cursor.fail("', inlined_at file line column'");
}

}  // namespace

bool parse_location(Cursor& cursor, Location& out) {
  out.position = cursor.position();
  cursor.take();
  if (!parse_u32(cursor, out.file, "a file index") || !parse_u32(cursor, out.line, "a line")) return false;
  if (cursor.at(TokenKind::number) && !cursor.first_in_line() && !parse_u32(cursor, out.column, "a column"))
    return false;
  if (!cursor.accept(',')) return true;
  return parse_inlined(cursor, out.inlined.emplace());
}

/// Compilers write bytes that are not ASCII as three octal digits: "/u \303\274/app.cu".
std::string without_octal(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 3 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '3' &&
        is_octal(text[at + 2]) && is_octal(text[at + 3])) {
      out += static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0'));
      at += 3;
    } else {
      out += text[at];
    }
  }
  return out;
}

bool parse_file(Cursor& cursor, File& out) {
  out.position = cursor.position();
  cursor.take();
  if (!parse_u32(cursor, out.index, "a file index") || !parse_string(cursor, out.name, "a file name in quotes")) {
    return false;
  }
  out.name = without_octal(out.name);
  while (cursor.accept(',')) {
    if (!parse_unsigned(cursor, out.extra.emplace_back(), "a timestamp or a size")) return false;
  }
  return true;
}

bool parse_section(Cursor& cursor, Section& out) {
  out.position = cursor.position();
  cursor.take();
  if (!cursor.at_directive() && !cursor.at(TokenKind::identifier)) return cursor.fail("the name of a section");
  do {
    out.name += cursor.text(cursor.take());
  } while (cursor.adjacent() && (cursor.at(TokenKind::dotted) || cursor.at(TokenKind::identifier)));
  const Position opened = cursor.position();
  const size_t begin = cursor.peek().offset + 1;
  if (!cursor.expect('{', "before the contents of a section")) return false;
  for (size_t depth = 1; !cursor.at_end(); cursor.take()) {
    if (cursor.at('{')) ++depth;
    if (!cursor.at('}') || --depth != 0) continue;
    out.text = cursor.text(begin, cursor.peek().offset);
    cursor.take();
    return true;
  }
  return cursor.fail_at(opened, "the section " + out.name + " is not closed", "end its contents with }");
}

bool parse_pragma(Cursor& cursor, Pragma& out) {
  out.position = cursor.position();
  cursor.take();
  do {
    if (!parse_string(cursor, out.texts.emplace_back(), "the text of a pragma in quotes")) return false;
  } while (cursor.accept(','));
  return cursor.expect_end_of_statement("after a pragma");
}

bool parse_dwarf_line(Cursor& cursor, Section& out) {
  out.position = cursor.position();
  out.name = "@@DWARF";
  cursor.take();
  cursor.take();
  if (cursor.text() != "DWARF" || !cursor.adjacent()) return cursor.fail("'@@DWARF'");
  cursor.take();
  if (cursor.at_end() || cursor.first_in_line()) return true;
  const size_t begin = cursor.peek().offset;
  size_t end = begin;
  do {
    // Only a comment without end is a token of several lines.
    if (cursor.at(TokenKind::bad) && cursor.peek().mark == static_cast<char>(Bad::comment)) {
      return cursor.fail("the end of the line");
    }
    const Token& token = cursor.take();
    end = token.offset + token.length;
  } while (!cursor.at_end() && !cursor.first_in_line());
  out.text = cursor.text(begin, end);
  return true;
}

}  // namespace bankshot::ptx

#include "bankshot/ptx/cursor.hpp"

#include "bankshot/ptx/grammar.hpp"

namespace bankshot::ptx {
namespace {

/// What stands in a message: no control bytes, no more than a glance takes in.
std::string quoted(std::string_view text) {
  constexpr size_t kWidest = 40;
  std::string out = "'";
  for (char c : text.substr(0, kWidest)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  return out + (text.size() > kWidest ? "…'" : "'");
}

std::string_view remedy_of(Bad bad) {
  switch (bad) {
    case Bad::comment: return "end the comment with */";
    case Bad::string: return "end the string with \" on its line";
    case Bad::bytes: return "outside comments and strings PTX is plain ASCII; is this file PTX text?";
  }
  return {};
}

}  // namespace

bool Cursor::adjacent() const {
  if (index_ == 0) return false;
  const Token& before = tokens_[index_ - 1];
  return before.offset + before.length == peek().offset;
}

std::string Cursor::describe(const Token& token) const {
  if (token.kind == TokenKind::end) return "the end of the text";
  if (token.kind != TokenKind::bad) return quoted(text(token));
  switch (static_cast<Bad>(token.mark)) {
    case Bad::comment: return "an unterminated comment";
    case Bad::string: return "an unterminated string";
    case Bad::bytes: break;
  }
  return "bytes that are not PTX: " + quoted(text(token));
}

bool Cursor::expect(char mark, std::string_view where, std::string_view remedy) {
  if (accept(mark)) return true;
  return fail("'" + std::string(1, mark) + "' " + std::string(where), remedy);
}

bool Cursor::expect_end_of_statement(std::string_view where) {
  if (accept(';')) return true;
  const bool next_begins =
      index_ != 0 &&
      (at('}') || (first_in_line() && (at(TokenKind::identifier) || at('@') || at(TokenKind::dotted) || at('{'))));
  if (!next_begins) return fail("';' " + std::string(where));
  const Token& before = tokens_[index_ - 1];
  fail_at({before.line, before.column + before.length},
          "expected ';' " + std::string(where) + ", found " + describe(peek()), "end the statement with ;");
  return true;
}

bool Cursor::expect_name(std::string& name, std::string_view what) {
  if (!at(TokenKind::identifier)) return fail(what);
  name = text(take());
  return true;
}

bool Cursor::fail(std::string_view expected, std::string_view remedy) {
  if (at(TokenKind::bad)) remedy = remedy_of(static_cast<Bad>(peek().mark));
  return fail_at(position(), "expected " + std::string(expected) + ", found " + describe(peek()), remedy);
}

bool Cursor::fail_at(Position position, std::string message, std::string_view remedy) {
  if (given_up_) return false;
  diagnostics_.push_back({position, std::move(message), std::string(remedy)});
  if (diagnostics_.size() == kMostDiagnostics) {
    give_up(position, "too many errors; the rest of the text is not read", "fix the first errors and try again");
  }
  return false;
}

bool Cursor::give_up(Position position, std::string message, std::string_view remedy) {
  if (!given_up_) diagnostics_.push_back({position, std::move(message), std::string(remedy)});
  given_up_ = true;
  index_ = tokens_.size() - 1;
  return false;
}

void Cursor::recover_in_body(size_t begin) {
  // From the beginning again, so that the braces of a vector are seen in pairs.
  const size_t reached = index_;
  if (given_up_) return;
  size_t depth = 0;
  for (index_ = begin; !at_end(); ++index_) {
    if (at('{')) ++depth;
    if (at('}') && depth == 0 && index_ >= reached) return;
    if (at('}') && depth > 0) --depth;
    if (at(';') && index_ >= reached) {
      ++index_;
      return;
    }
  }
}

void Cursor::recover_in_module(size_t begin) {
  if (given_up_) return;
  const size_t reached = index_;
  size_t depth = 0;
  for (index_ = begin; !at_end(); ++index_) {
    if (at('{')) ++depth;
    if (at('}') && depth > 0 && --depth == 0 && index_ + 1 >= reached) {
      ++index_;
      accept(';');
      return;
    }
    if (depth != 0 || index_ < reached) continue;
    if (at(';')) {
      ++index_;
      return;
    }
    if (index_ > begin && at(TokenKind::dotted) && first_in_line() && begins_item(text().substr(1))) return;
  }
}

}  // namespace bankshot::ptx

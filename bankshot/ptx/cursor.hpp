// Where the parser stands: the tokens, what comes next, and the complaints so far. Private to the parser.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/ptx/lexer.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::ptx {

/// Rules of the grammar return false after they have reported an error; the caller that knows where to go on calls
/// one of the recover functions.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text), tokens_(lex(text)) {}

  const Token& peek() const { return tokens_[index_]; }
  const Token& peek(size_t ahead) const { return tokens_[std::min(index_ + ahead, tokens_.size() - 1)]; }
  size_t index() const { return index_; }
  /// The current token, and steps past it; at the end it stays.
  const Token& take() {
    const Token& token = tokens_[index_];
    if (token.kind != TokenKind::end) ++index_;
    return token;
  }

  bool at_end() const { return peek().kind == TokenKind::end; }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  bool at(char mark) const { return peek().mark == mark && peek().kind == TokenKind::mark; }
  bool at(char mark, size_t ahead) const { return peek(ahead).kind == TokenKind::mark && peek(ahead).mark == mark; }
  /// @param word  without the dot
  bool at_dotted(std::string_view word) const { return at(TokenKind::dotted) && text().substr(1) == word; }
  /// A dotted word that may stand alone: `.3` would be a number there, only a modifier may begin with a digit.
  bool at_directive() const { return at(TokenKind::dotted) && (text()[1] < '0' || text()[1] > '9'); }
  /// Nothing stands between the current token and the one before it.
  bool adjacent() const;
  /// The current token is the first of its line.
  bool first_in_line() const { return index_ == 0 || tokens_[index_ - 1].line != peek().line; }

  std::string_view text(const Token& token) const { return text_.substr(token.offset, token.length); }
  std::string_view text() const { return text(peek()); }
  /// The text between two offsets.
  std::string_view text(size_t begin, size_t end) const { return text_.substr(begin, end - begin); }
  Position position() const { return {peek().line, peek().column}; }

  bool accept(char mark) {
    if (!at(mark)) return false;
    ++index_;
    return true;
  }
  /// Takes the mark or complains. @param where  ends the sentence "expected ',' …"
  bool expect(char mark, std::string_view where, std::string_view remedy = {});
  /// Takes the `;` that ends a statement. Where the next statement plainly begins on a new line it complains, but goes
  /// on as if the `;` were there.
  bool expect_end_of_statement(std::string_view where);
  /// Takes an identifier into `name` or complains. @param what  "a label", …
  bool expect_name(std::string& name, std::string_view what);

  /// "expected …, found …" at the current token. Always false.
  bool fail(std::string_view expected, std::string_view remedy = {});
  /// Any complaint. Always false.
  bool fail_at(Position position, std::string message, std::string_view remedy = {});
  /// Reports and leaves the rest of the text alone: what follows could only be nonsense.
  bool give_up(Position position, std::string message, std::string_view remedy);

  /// After an error in a statement that began at token `begin`: past the next `;`, or at the `}` that ends the block.
  void recover_in_body(size_t begin);
  /// After an error in a module-level item: past its `;` or its `{ … }`, or at what plainly begins the next item.
  void recover_in_module(size_t begin);

  bool ok() const { return diagnostics_.empty(); }
  Diagnostics take_diagnostics() { return std::move(diagnostics_); }

 private:
  std::string describe(const Token& token) const;

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t index_ = 0;
  bool given_up_ = false;
  Diagnostics diagnostics_;
};

}  // namespace bankshot::ptx

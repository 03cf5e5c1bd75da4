#include "bankshot/ptx/lexer.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace bankshot::ptx {
namespace {

enum Class : uint8_t { other = 0, space = 1, letter = 2, digit = 4, punctuation = 8 };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (char c : std::string_view(" \t\r\f\v")) classes[static_cast<unsigned char>(c)] = space;
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = letter;
  for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = letter;
  for (char c : std::string_view("_$")) classes[static_cast<unsigned char>(c)] = letter;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = digit;
  for (char c : std::string_view("{}()[]<>,;:|+-=~*/%&^?!@.")) classes[static_cast<unsigned char>(c)] = punctuation;
  return classes;
}

constexpr std::array<uint8_t, 256> kClasses = make_classes();

bool is(char c, unsigned classes) { return (kClasses[static_cast<unsigned char>(c)] & classes) != 0; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = line_begin_ = 3;
    while (!text_.empty() && text_.back() == '\0') text_.remove_suffix(1);
    if (at_ > text_.size()) at_ = line_begin_ = 0;
    tokens_.reserve(text_.size() / 4 + 1);  // PTX has a token every 3 to 5 bytes
  }

  std::vector<Token> run() {
    while (skip_blanks()) next();
    begin_token();
    push(TokenKind::end);
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void new_line() {
    ++line_;
    line_begin_ = at_;
  }

  void begin_token() {
    begin_ = at_, token_line_ = line_, token_column_ = static_cast<uint32_t>(at_ - line_begin_ + 1);
  }

  void push(TokenKind kind, char mark = 0) {
    tokens_.push_back(
        {kind, mark, static_cast<uint32_t>(begin_), static_cast<uint32_t>(at_ - begin_), token_line_, token_column_});
  }

  /// False at the end of the text.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        new_line();
      } else if (is(c, space)) {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        const size_t begin = at_;
        at_ = std::min(text_.find('\n', at_), text_.size());
        read_line_comment(text_.substr(begin, at_ - begin));
      } else if (c == '/' && peek(1) == '*') {
        skip_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  /// Compilers mark inline assembly by comments. LLVM numbers its lines as if the source went on with them, so the
  /// places in it are wrong but for the first, which stands before it, too.
  void read_line_comment(std::string_view comment) {
    if (comment.ends_with("begin inline asm")) in_assembly_ = true;
    if (comment.ends_with("end inline asm")) in_assembly_ = false;
  }

  /// A .loc inside of inline assembly is no token.
  bool skip_place_in_assembly() {
    if (!in_assembly_ || text_.substr(at_, 4) != ".loc" || !is(peek(4), space)) return false;
    at_ = std::min(text_.find('\n', at_), text_.size());
    return true;
  }

  void skip_comment() {
    begin_token();
    const size_t end = text_.find("*/", at_ + 2);
    const size_t stop = end == std::string_view::npos ? text_.size() : end + 2;
    while (at_ < stop) {
      if (text_[at_++] == '\n') new_line();
    }
    if (end == std::string_view::npos) push(TokenKind::bad, static_cast<char>(Bad::comment));
  }

  void skip_word() {
    while (at_ < text_.size() && is(text_[at_], letter | digit)) ++at_;
  }

  void next() {
    begin_token();
    const char c = text_[at_];
    if (is(c, letter) || (c == '%' && is(peek(1), letter))) {
      ++at_;
      skip_word();
      push(TokenKind::identifier);
    } else if (c == '.' && (is(peek(1), letter) || is(peek(1), digit))) {
      if (skip_place_in_assembly()) return;
      if (starts_fraction()) return number();
      dotted();
    } else if (is(c, digit)) {
      number();
    } else if (c == '"') {
      string();
    } else if (is(c, punctuation)) {
      ++at_;
      push(TokenKind::mark, c);
    } else {
      do ++at_;
      while (at_ < text_.size() && kClasses[static_cast<unsigned char>(text_[at_])] == other && text_[at_] != '\n' &&
             text_[at_] != '"');
      push(TokenKind::bad, static_cast<char>(Bad::bytes));
    }
  }

  /// .shared::cta::b is one modifier; a lone colon after a word is not part of it.
  void dotted() {
    ++at_;
    skip_word();
    while (peek() == ':' && peek(1) == ':' && is(peek(2), letter | digit)) {
      at_ += 2;
      skip_word();
    }
    push(TokenKind::dotted);
  }

  /// `.5` and `.5e3` are numbers where no modifier can stand (a modifier hangs on what precedes it) and no letter
  /// follows the digits, as in `tex .2d`.
  bool starts_fraction() const {
    if (at_ > 0 && is(text_[at_ - 1], letter | digit)) return false;
    size_t ahead = 1;
    while (is(peek(ahead), digit)) ++ahead;
    if (ahead == 1) return false;
    const char c = peek(ahead);
    if (c != 'e' && c != 'E') return !is(c, letter);
    const char after = peek(ahead + 1);
    return is(after, digit) || after == '+' || after == '-';
  }

  /// Takes all that could belong to a number; a wrong one is found out when it is used.
  void number() {
    const bool prefixed = peek() == '0' && is(peek(1), letter);  // 0x, 0b, 0f, 0d: an E inside is a hex digit
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (!is(c, letter | digit) && c != '.') break;
      ++at_;
      if (!prefixed && (c == 'e' || c == 'E') && (peek() == '+' || peek() == '-')) ++at_;
    }
    push(TokenKind::number);
  }

  void string() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
    }
    const bool closed = at_ < text_.size() && text_[at_] == '"';
    if (!closed) return push(TokenKind::bad, static_cast<char>(Bad::string));
    ++at_;
    push(TokenKind::string);
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0, line_begin_ = 0, begin_ = 0;
  uint32_t line_ = 1, token_line_ = 1, token_column_ = 1;
  bool in_assembly_ = false;
};

}  // namespace

std::vector<Token> lex(std::string_view text) {
  assert(text.size() <= kLongestText && "the caller refuses longer texts");
  return Lexer(text).run();
}

}  // namespace bankshot::ptx

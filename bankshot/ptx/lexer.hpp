// PTX text -> tokens. Total: every byte sequence gives a list of tokens; bytes that are not PTX become a token of kind
// `bad`. Source: PTX ISA manual, chapter 4 (lexical elements).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bankshot::ptx {

enum class TokenKind : uint8_t {
  end,         ///< after the last one
  identifier,  ///< add, %r1, $L__BB0_1, _x; also _ alone
  dotted,      ///< .visible, .s32, .2d, .shared::cta: directive, type or modifier
  number,      ///< anything that begins like a number; parse_constant() checks it
  string,      ///< "…", quotes included
  mark,        ///< one character of punctuation, in `mark`
  bad,         ///< bytes that are not PTX; the reason is in `mark`, one of Bad
};

/// Why a token is bad.
enum class Bad : char { bytes = 'b', comment = 'c', string = 's' };

struct Token {
  TokenKind kind = TokenKind::end;
  char mark = 0;
  uint32_t offset = 0, length = 0;  ///< bytes of the text
  uint32_t line = 1, column = 1;    ///< both count from 1, columns in bytes
};

/// Longest text lex() takes, so that an offset fits 32 bits.
constexpr size_t kLongestText = 0xfffffff0;

/// Readers stop after this many diagnostics.
constexpr size_t kMostDiagnostics = 1000;

/// All tokens, the last one of kind `end`. A byte order mark at the start and zero bytes at the end (as fat binaries
/// have) are no tokens. @param text  at most kLongestText bytes
std::vector<Token> lex(std::string_view text);

}  // namespace bankshot::ptx

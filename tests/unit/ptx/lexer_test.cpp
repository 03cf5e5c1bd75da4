#include <gtest/gtest.h>

#include <string>

#include "bankshot/ptx/lexer.hpp"

namespace bankshot::ptx {
namespace {

using namespace std::string_view_literals;

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (const Token& token : lex(text)) {
    if (token.kind != TokenKind::end) out.emplace_back(text.substr(token.offset, token.length));
  }
  return out;
}

using Words = std::vector<std::string>;

TEST(PtxLexer, a_modifier_keeps_its_double_colons_and_may_begin_with_a_digit) {
  EXPECT_EQ(words("tex.2d.v4.shared::cta.L2::cache_hint::x a"),
            (Words{"tex", ".2d", ".v4", ".shared::cta", ".L2::cache_hint::x", "a"}));
}

TEST(PtxLexer, a_label_is_a_word_and_a_colon) { EXPECT_EQ(words("$L__BB0_1: ret"), (Words{"$L__BB0_1", ":", "ret"})); }

TEST(PtxLexer, a_percent_before_a_letter_begins_a_name_and_is_an_operator_elsewhere) {
  EXPECT_EQ(words("%r1 5%3 %tid.x"), (Words{"%r1", "5", "%", "3", "%tid", ".x"}));
}

TEST(PtxLexer, a_sign_belongs_to_the_exponent_of_a_decimal_but_not_to_a_hex_number) {
  EXPECT_EQ(words("1.5e-3 0x1E+4 0d3E00000000000000-1"),
            (Words{"1.5e-3", "0x1E", "+", "4", "0d3E00000000000000", "-", "1"}));
}

TEST(PtxLexer, a_fraction_without_leading_digit_is_a_number_but_a_detached_modifier_is_not) {
  const auto tokens = lex(".5 .5e3 .2d .16x64b");
  EXPECT_EQ(tokens[0].kind, TokenKind::number);
  EXPECT_EQ(tokens[1].kind, TokenKind::number);
  EXPECT_EQ(tokens[2].kind, TokenKind::dotted);
  EXPECT_EQ(tokens[3].kind, TokenKind::dotted);
}

TEST(PtxLexer, lines_and_columns_count_from_one_over_comments_and_carriage_returns) {
  const auto tokens = lex("// gr\xc3\xbc\xc3\x9f\r\n/* a\n b */ ret\r\n  ;");
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].line, 3u);
  EXPECT_EQ(tokens[0].column, 7u);
  EXPECT_EQ(tokens[1].line, 4u);
  EXPECT_EQ(tokens[1].column, 3u);
}

TEST(PtxLexer, a_byte_order_mark_and_trailing_zero_bytes_are_nothing) {
  EXPECT_EQ(words("\xef\xbb\xbfret\0\0\0"sv), (Words{"ret"}));
  EXPECT_EQ(words("\0\0"sv), Words{});
  EXPECT_EQ(words("\xef\xbb\xbf\0"sv), Words{});
}

TEST(PtxLexer, a_string_may_hold_anything_but_a_line_end) {
  EXPECT_EQ(words(R"("a \" ; } h\\" x)"), (Words{R"("a \" ; } h\\")", "x"}));
}

TEST(PtxLexer, a_run_of_foreign_bytes_is_one_bad_token) {
  const auto tokens = lex("a \x01\x02\xff\x03 b");
  ASSERT_EQ(tokens.size(), 4u);
  EXPECT_EQ(tokens[1].kind, TokenKind::bad);
  EXPECT_EQ(tokens[1].length, 4u);
}

TEST(PtxLexer, places_in_inline_assembly_are_nothing) {
  // As LLVM writes it: the lines in the block are counted on from the line of the statement.
  EXPECT_EQ(words(".loc 1 5 19\n\t// begin inline asm\n\t.loc\t1 5 19\n\tmov.u32 %r1, 0;\n.loc\t1 6 19\nret;\n"
                  "\t// end inline asm\n.loc 1 9 2"sv),
            (Words{".loc", "1", "5", "19", "mov", ".u32", "%r1", ",", "0", ";", "ret", ";", ".loc", "1", "9", "2"}));
  EXPECT_EQ(words("// begin inline asm\n.location .loc"sv), (Words{".location", ".loc"}));
}

TEST(PtxLexer, an_open_string_ends_with_its_line_and_an_open_comment_with_the_text) {
  const auto string = lex("\"abc\nret");
  EXPECT_EQ(string[0].kind, TokenKind::bad);
  EXPECT_EQ(string[1].kind, TokenKind::identifier);
  const auto comment = lex("ret /* a \n b");
  ASSERT_EQ(comment.size(), 3u);
  EXPECT_EQ(comment[1].kind, TokenKind::bad);
  EXPECT_EQ(comment[1].line, 1u);
  EXPECT_EQ(comment[1].column, 5u);
}

}  // namespace
}  // namespace bankshot::ptx

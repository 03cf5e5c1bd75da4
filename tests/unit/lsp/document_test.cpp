#include "bankshot/lsp/document.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace bankshot::lsp {
namespace {

using Strings = std::vector<std::string>;

TEST(LspDocument, characters_are_utf16_code_units) {
  // a: 1 byte, 1 unit; é: 2 bytes, 1 unit; €: 3 bytes, 1 unit; U+1F600: 4 bytes, 2 units.
  const std::string text = "aé€😀z";
  EXPECT_EQ(utf16_length(text), 6U);
  EXPECT_EQ(offset_in(text, 0), 0U);
  EXPECT_EQ(offset_in(text, 1), 1U);
  EXPECT_EQ(offset_in(text, 2), 3U);
  EXPECT_EQ(offset_in(text, 3), 6U);
  EXPECT_EQ(offset_in(text, 4), 6U) << "inside a surrogate pair";
  EXPECT_EQ(offset_in(text, 5), 10U);
  EXPECT_EQ(offset_in(text, 6), 11U);
  EXPECT_EQ(offset_in(text, 9), 11U) << "behind the end";
  EXPECT_EQ(offset_in("", 1), 0U);
  EXPECT_EQ(offset_in("\xf0", 2), 1U) << "not UTF-8";
}

TEST(LspDocument, lines_end_in_each_of_three_ways) {
  const Text text = text_of("a\nb\r\nc\rd\n");
  EXPECT_EQ(text.lines, (Strings{"a", "b", "c", "d", ""}));
  EXPECT_EQ(text.ends, (Strings{"\n", "\r\n", "\r", "\n", ""}));
  EXPECT_EQ(whole(text), "a\nb\r\nc\rd\n");
  EXPECT_EQ(lines_of(""), Strings{""});
  EXPECT_EQ(whole({}), "");
}

/// A text, and what an edit of it gives.
struct EditedText {
  Text text;
  LineChange change;
};
EditedText edited(const std::string& text, TextPosition first, TextPosition second, const std::string& other) {
  EditedText made{text_of(text), {}};
  made.change = apply(made.text, {{{first, second}}, other});
  return made;
}

TEST(LspDocument, changes_replace_ranges_or_all) {
  EXPECT_EQ(whole(edited("one\ntwo\nthree\n", {1, 0}, {2, 0}, "").text), "one\nthree\n");
  EXPECT_EQ(whole(edited("one\nthree\n", {0, 1}, {1, 2}, "😀").text), "o😀ree\n");
  EXPECT_EQ(whole(edited("o😀ree\n", {0, 3}, {0, 3}, "X").text), "o😀Xree\n");
  EXPECT_EQ(whole(edited("a\n", {9, 9}, {0, 0}, "end").text), "a\nend") << "in the wrong order: at the first";
  EXPECT_EQ(whole(edited("ab\r\ncd", {0, 9}, {0, 9}, "x").text), "abx\r\ncd") << "behind the end of a line";
  Text text = text_of("a\nb");
  const LineChange change = apply(text, {std::nullopt, "new"});
  EXPECT_EQ(whole(text), "new");
  EXPECT_EQ((std::vector{change.first, change.removed, change.added}), (std::vector{1U, 2U, 1U}));
}

TEST(LspDocument, a_change_says_which_lines_it_replaced) {
  const auto lines = [](const EditedText& made) {
    return std::vector{made.change.first, made.change.removed, made.change.added};
  };
  EXPECT_EQ(lines(edited("a\nb\nc", {1, 0}, {1, 1}, "x")), (std::vector{2U, 1U, 1U}));
  EXPECT_EQ(lines(edited("a\nb\nc", {1, 1}, {1, 1}, "\n")), (std::vector{2U, 1U, 2U}));
  EXPECT_EQ(lines(edited("a\nb\nc", {0, 0}, {2, 0}, "")), (std::vector{1U, 3U, 1U}));
  EXPECT_EQ(lines(edited("a\nb\n", {2, 0}, {2, 0}, "c\n")), (std::vector{3U, 1U, 2U}));
  EXPECT_EQ(lines(edited("a\rb", {1, 0}, {1, 0}, "\n")), (std::vector{1U, 2U, 2U})) << "the two ends become one";
  EXPECT_EQ(edited("a\rb", {1, 0}, {1, 0}, "\n").text.lines, (Strings{"a", "b"}));
}

/// The byte of a position, counted in the text as one string. All characters are ASCII.
size_t byte_at(const std::string& text, TextPosition position) {
  size_t at = 0;
  for (uint32_t line = 0; line < position.line; ++line) {
    at = text.find_first_of("\r\n", at);
    if (at == text.npos) return text.size();
    at += text.compare(at, 2, "\r\n") == 0 ? 2 : 1;
  }
  return std::min(at + position.character, std::min(text.find_first_of("\r\n", at), text.size()));
}

TEST(LspDocument, edits_by_lines_are_those_of_one_string) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  Text text;
  std::string expected;
  for (unsigned k = 0; k < 5000; ++k) {
    std::string put;
    for (uint32_t n = below(6); n > 0; --n) put += "ab\r\n"[below(4)];
    if (expected.size() > 60) put.clear();
    const TextPosition first{below(8), below(5)}, second{first.line + below(3), below(5)};
    const size_t begin = byte_at(expected, first), end = std::max(begin, byte_at(expected, second));
    expected.replace(begin, end - begin, put);
    apply(text, {{{first, second}}, put});
    ASSERT_EQ(whole(text), expected) << k;
    ASSERT_EQ(text.lines, lines_of(expected)) << k;
  }
}

}  // namespace
}  // namespace bankshot::lsp

#include "bankshot/lsp/document.hpp"

#include <gtest/gtest.h>

namespace bankshot::lsp {
namespace {

TEST(LspDocument, characters_are_utf16_code_units) {
  // a: 1 byte, 1 unit; é: 2 bytes, 1 unit; €: 3 bytes, 1 unit; U+1F600: 4 bytes, 2 units.
  const std::string text = "aé€😀z";
  EXPECT_EQ(utf16_length(text), 6U);
  EXPECT_EQ(offset_of(text, {0, 1}), 1U);
  EXPECT_EQ(offset_of(text, {0, 2}), 3U);
  EXPECT_EQ(offset_of(text, {0, 3}), 6U);
  EXPECT_EQ(offset_of(text, {0, 4}), 6U) << "inside a surrogate pair";
  EXPECT_EQ(offset_of(text, {0, 5}), 10U);
  EXPECT_EQ(offset_of(text, {0, 6}), 11U);
}

TEST(LspDocument, positions_behind_an_end_are_that_end) {
  EXPECT_EQ(offset_of("ab\ncd", {0, 9}), 2U);
  EXPECT_EQ(offset_of("ab\r\ncd", {0, 9}), 2U);
  EXPECT_EQ(offset_of("ab\ncd", {7, 0}), 5U);
  EXPECT_EQ(offset_of("ab\n", {1, 0}), 3U);
  EXPECT_EQ(offset_of("", {0, 0}), 0U);
}

TEST(LspDocument, lines_end_in_each_of_three_ways) {
  EXPECT_EQ(lines_of("a\nb\r\nc\rd\n"), (std::vector<std::string>{"a", "b", "c", "d", ""}));
  EXPECT_EQ(lines_of(""), std::vector<std::string>{""});
  EXPECT_EQ(offset_of("a\nb\r\nc\rd\n", {2, 0}), 5U);
}

TEST(LspDocument, changes_replace_ranges_or_all) {
  std::string text = "one\ntwo\nthree\n";
  apply(text, {{{{1, 0}, {2, 0}}}, ""});
  EXPECT_EQ(text, "one\nthree\n");
  apply(text, {{{{0, 1}, {1, 2}}}, "😀"});
  EXPECT_EQ(text, "o😀ree\n");
  apply(text, {{{{0, 3}, {0, 3}}}, "X"});
  EXPECT_EQ(text, "o😀Xree\n");
  apply(text, {{{{9, 9}, {0, 0}}}, "end"});
  EXPECT_EQ(text, "o😀Xree\nend");
  apply(text, {std::nullopt, "new"});
  EXPECT_EQ(text, "new");
}

}  // namespace
}  // namespace bankshot::lsp

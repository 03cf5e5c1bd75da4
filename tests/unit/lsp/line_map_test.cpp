#include "bankshot/lsp/line_map.hpp"

#include <gtest/gtest.h>

namespace bankshot::lsp {
namespace {

using Lines = std::vector<std::string>;

TEST(LspLineMap, lines_move_with_what_stands_above_them) {
  const LineMap map(Lines{"a", "x", "b", "x"}, Lines{"new", "a", "x", "b", "  x"});
  EXPECT_EQ(map.now(1), 2U);
  EXPECT_EQ(map.now(2), 3U);
  EXPECT_EQ(map.now(4), 5U) << "equal lines keep their order, and indentation does not matter";
}

TEST(LspLineMap, changed_and_removed_lines_are_nowhere) {
  const LineMap map(Lines{"a", "b", "c"}, Lines{"a", "B"});
  EXPECT_EQ(map.now(1), 1U);
  EXPECT_EQ(map.now(2), std::nullopt);
  EXPECT_EQ(map.now(3), std::nullopt);
  EXPECT_EQ(map.now(0), std::nullopt);
}

TEST(LspLineMap, quoted_lines_are_found_if_only_one_place_is_possible) {
  const LineMap map(Quotes{{2, "x"}, {3, "once"}, {9, "y"}, {4, "gone"}}, Lines{"once", "x", "y", "x", "y"});
  EXPECT_EQ(map.now(3), 1U);
  EXPECT_EQ(map.now(2), 2U) << "where it was";
  EXPECT_EQ(map.now(9), std::nullopt) << "two places, and it was at neither";
  EXPECT_EQ(map.now(4), std::nullopt);
}

TEST(LspLineMap, edits_move_the_lines_behind_them) {
  LineMap map(Lines{"a", "b", "c"}, Lines{"a", "b", "c"});
  map.move({2, 1, 3}, Lines{"a", "new", "newer", "b", "c"});
  EXPECT_EQ(map.now(1), 1U);
  EXPECT_EQ(map.now(2), 4U) << "in what took the place of its line";
  EXPECT_EQ(map.now(3), 5U);
  map.move({1, 3, 1}, Lines{"newer", "b", "c"});
  EXPECT_EQ(map.now(1), std::nullopt);
  EXPECT_EQ(map.now(2), 2U);
  EXPECT_EQ(map.now(3), 3U);
}

TEST(LspLineMap, a_line_whose_edit_is_taken_back_is_found_again) {
  const Lines text{"a", "b", "c", "d"};
  LineMap map(text, text);
  map.move({2, 1, 1}, Lines{"a", "B", "c", "d"});
  EXPECT_EQ(map.now(2), std::nullopt);
  EXPECT_EQ(map.last_place(2), 2U);
  map.move({1, 1, 2}, Lines{"new", "a", "B", "c", "d"});
  EXPECT_EQ(map.last_place(2), 3U) << "it moves with its line";
  map.move({3, 1, 1}, Lines{"new", "a", "b", "c", "d"});
  EXPECT_EQ(map.now(2), 3U);
  map.move({2, 4, 1}, Lines{"new", "d"});
  EXPECT_EQ(map.now(3), std::nullopt);
  EXPECT_EQ(map.last_place(3), 2U);
  EXPECT_EQ(map.now(4), 2U);
  map.move({2, 1, 4}, Lines{"new", "a", "b", "c", "d"});
  EXPECT_EQ(map.now(1), 2U);
  EXPECT_EQ(map.now(3), 4U);
  EXPECT_EQ(map.now(4), 5U);
  EXPECT_EQ(map.size(), 4U);
}

// 50,000 different lines: aligned() gives up where more than 20,000 differ.
TEST(LspLineMap, lines_of_a_long_text_are_followed_through_edits_at_both_ends) {
  Lines text;
  for (unsigned k = 1; k <= 50000; ++k) text.push_back(std::to_string(k));
  LineMap map(text, text);
  text.insert(text.begin(), "new");
  map.move({1, 1, 2}, text);
  text.back() = "changed";
  map.move({50001, 1, 1}, text);
  EXPECT_EQ(map.now(25000), 25001U);
  EXPECT_EQ(map.now(50000), std::nullopt);
  EXPECT_EQ(map.size(), 49999U);
}

TEST(LspLineMap, quoted_lines_are_followed_too) {
  LineMap map(Quotes{{2, "x"}, {4, "y"}, {UINT32_MAX, "far"}}, Lines{"", "x", "x", "y"});
  EXPECT_EQ(map.now(2), 2U);
  map.move({1, 1, 2}, Lines{"", "", "x", "x", "y"});
  EXPECT_EQ(map.now(2), 3U);
  EXPECT_EQ(map.now(4), 5U);
  EXPECT_EQ(map.now(UINT32_MAX), std::nullopt);
  map.move({5, 1, 3}, Lines{"", "", "x", "x", "y", "y", ""});
  EXPECT_EQ(map.now(4), 5U) << "where it was";
  map.move({5, 1, 2}, Lines{"", "", "x", "x", "", "y", "y", ""});
  EXPECT_EQ(map.now(4), 6U) << "once in what took its place";
  map.move({6, 2, 1}, Lines{"", "", "x", "x", "", "z", ""});
  EXPECT_EQ(map.now(4), std::nullopt);
}

TEST(LspLineMap, a_text_agrees_if_all_quotes_are_in_their_lines) {
  EXPECT_TRUE(agree({{2, "x = 1;"}}, {"", "\tx = 1; "}));
  EXPECT_FALSE(agree({{1, "x = 1;"}}, {"", "x = 1;"}));
  EXPECT_FALSE(agree({{3, ""}}, {"", ""}));
}

}  // namespace
}  // namespace bankshot::lsp

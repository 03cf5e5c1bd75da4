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

TEST(LspLineMap, a_text_agrees_if_all_quotes_are_in_their_lines) {
  EXPECT_TRUE(agree({{2, "x = 1;"}}, {"", "\tx = 1; "}));
  EXPECT_FALSE(agree({{1, "x = 1;"}}, {"", "x = 1;"}));
  EXPECT_FALSE(agree({{3, ""}}, {"", ""}));
}

}  // namespace
}  // namespace bankshot::lsp

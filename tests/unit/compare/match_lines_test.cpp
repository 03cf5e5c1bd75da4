// Lines over edits, worked by hand.
#include <gtest/gtest.h>

#include <initializer_list>

#include "bankshot/compare/alignment.hpp"
#include "bankshot/compare/match_lines.hpp"

namespace bankshot::compare {
namespace {

using Indices = std::vector<std::pair<size_t, size_t>>;

/// Lines of one file, from line 10 on; a text "" is not known.
std::vector<Line> lines(std::initializer_list<const char*> texts, const std::string& file = "k.cu",
                        const std::string& operations = "ld.shared.f32") {
  std::vector<Line> all;
  uint32_t number = 10;
  for (const char* text : texts) all.push_back({file, number++, text, operations, 0});
  return all;
}

TEST(Alignment, is_the_longest_common_subsequence) {
  const std::vector<uint32_t> before{1, 2, 3, 4, 5}, after{2, 4, 3, 5, 6};
  EXPECT_EQ(aligned(before, after), (Indices{{1, 0}, {3, 1}, {4, 3}}));  // 2 4 5, not 2 3 5
  EXPECT_EQ(aligned(before, before).size(), 5u);
  EXPECT_TRUE(aligned(before, {}).empty());
}

TEST(Alignment, of_equal_items_keeps_the_first_and_the_last) {
  const std::vector<uint32_t> before{7, 7}, after{7, 7, 7};
  EXPECT_EQ(aligned(before, after), (Indices{{0, 0}, {1, 1}}));
  const std::vector<uint32_t> longer{7, 8, 7};
  EXPECT_EQ(aligned(before, longer), (Indices{{0, 0}, {1, 2}}));
}

TEST(Alignment, of_ten_thousand_different_items_is_quick) {
  std::vector<uint32_t> before, after;
  for (uint32_t k = 0; k < 10'000; ++k) {
    before.push_back(k);
    after.push_back(20'000 - k);
  }
  after[5000] = 42;
  EXPECT_EQ(aligned(before, after), (Indices{{42, 5000}}));
}

TEST(MatchLines, an_insertion_above_moves_nothing) {
  EXPECT_EQ(match_lines(lines({"a", "b"}), lines({"new", "a", "b"})), (Indices{{kNone, 0}, {0, 1}, {1, 2}}));
}

TEST(MatchLines, a_deleted_line_is_gone) {
  EXPECT_EQ(match_lines(lines({"a", "b", "c"}), lines({"a", "c"})), (Indices{{0, 0}, {2, 1}, {1, kNone}}));
}

TEST(MatchLines, of_two_equal_lines_the_order_decides) {
  EXPECT_EQ(match_lines(lines({"x", "a", "x"}), lines({"x", "a", "x"})), (Indices{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(match_lines(lines({"x", "a", "x"}), lines({"a", "x"})), (Indices{{1, 0}, {2, 1}, {0, kNone}}));
}

TEST(MatchLines, a_line_that_moved_keeps_its_numbers) {
  EXPECT_EQ(match_lines(lines({"a", "b", "c"}), lines({"b", "c", "a"})), (Indices{{1, 0}, {2, 1}, {0, 2}}));
  // Before "b" there were two of them: which one moved is not known.
  EXPECT_EQ(match_lines(lines({"a", "a", "b", "c"}), lines({"b", "c", "a"})),
            (Indices{{2, 0}, {3, 1}, {kNone, 2}, {0, kNone}, {1, kNone}}));
}

TEST(MatchLines, an_edited_line_is_found_between_its_neighbours) {
  EXPECT_EQ(match_lines(lines({"a", "s[t * 2]", "c"}), lines({"a", "s[t * 3]", "c"})),
            (Indices{{0, 0}, {1, 1}, {2, 2}}));
  std::vector<Line> after = lines({"a", "t = s4[i]", "c"});
  after[1].operations = "ld.shared.v4.f32";  // other instructions, but the only line there
  EXPECT_EQ(match_lines(lines({"a", "t = s[i]", "c"}), after), (Indices{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(MatchLines, between_neighbours_instructions_come_before_the_order) {
  std::vector<Line> before = lines({"a", "load", "z"}), after = lines({"a", "stored", "loaded", "z"});
  after[1].operations = "st.shared.f32";
  EXPECT_EQ(match_lines(before, after), (Indices{{0, 0}, {kNone, 1}, {1, 2}, {2, 3}}));
}

TEST(MatchLines, without_texts_instructions_are_aligned) {
  std::vector<Line> before = lines({"", "", ""}), after = lines({"", ""});
  before[1].operations = "st.shared.f32";
  EXPECT_EQ(match_lines(before, after), (Indices{{0, 0}, {2, 1}, {1, kNone}}));
  after[0].text = "a";  // one text alone decides nothing
  EXPECT_EQ(match_lines(before, after), (Indices{{0, 0}, {2, 1}, {1, kNone}}));
}

TEST(MatchLines, files_belong_together_by_the_ends_of_their_paths) {
  std::vector<Line> before = lines({"a"}, "/home/x/src/k.cu"), after = lines({"b"}, "lib/k.cu");
  const std::vector<Line> more = lines({"c"}, "/ci/src/k.cu");
  after.insert(after.end(), more.begin(), more.end());
  EXPECT_EQ(match_lines(before, after), (Indices{{kNone, 0}, {0, 1}}));           // src/k.cu, not k.cu
  EXPECT_EQ(match_lines(before, lines({"a"}, "renamed.cu")), (Indices{{0, 0}}));  // the only file left
  EXPECT_EQ(common_end("a/src/k.cu", "/b/src/k.cu"), 2u);
  EXPECT_EQ(common_end("k.cu", "k.cu"), 1u);
  EXPECT_EQ(common_end("ak.cu", "k.cu"), 0u);
  EXPECT_EQ(common_end("/k.cu", "/k.cu"), 1u);
}

}  // namespace
}  // namespace bankshot::compare

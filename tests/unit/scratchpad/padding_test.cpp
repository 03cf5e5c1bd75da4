#include "bankshot/scratchpad/patterns/padding.hpp"

#include <gtest/gtest.h>

namespace bankshot::scratchpad {
namespace {

PatternSet column(uint32_t stride, unsigned width) {
  PatternSet set;
  Pattern pattern;
  pattern.weight = 3;
  pattern.width = width;
  pattern.mask = 0xffffffff;
  for (uint32_t lane = 0; lane < 32; ++lane) pattern.words[lane] = lane * stride;
  set.patterns.push_back(pattern);
  return set;
}

TEST(Padding, one_word_a_row_frees_the_columns_of_a_tile) {
  const auto padding = best_padding(Rules{}, column(32, 4), 1024);
  ASSERT_TRUE(padding);
  EXPECT_EQ(padding->row, 32u);
  EXPECT_EQ(padding->words, 1u);
  EXPECT_EQ(padding->excess, 0u);
  EXPECT_EQ(padding->extra_bytes, 128u);  // 32 rows
}

TEST(Padding, rows_of_vectors_grow_by_whole_vectors) {
  // 16 bytes a lane, 8 lanes a phase, a column of rows of 32 words: 4 words more a row spread 8 lanes over all banks.
  const auto padding = best_padding(Rules{}, column(32, 16), 1024);
  ASSERT_TRUE(padding);
  EXPECT_EQ(padding->words % 4, 0u);
  EXPECT_EQ(padding->excess, 0u);
}

TEST(Padding, an_array_of_one_row_has_none) { EXPECT_FALSE(best_padding(Rules{}, column(1, 4), 7)); }

TEST(Padding, of_equals_the_declared_row_is_taken) {
  // Words 0, 4, 8, ... lie in 8 banks. A word more in 32 moves each eight of them by one, a word more in 4 makes their
  // distance odd: both free of conflicts.
  const auto least = best_padding(Rules{}, column(4, 4), 128);
  ASSERT_TRUE(least);
  EXPECT_EQ(least->row, 32u);
  EXPECT_EQ(least->excess, 0u);
  const auto declared = best_padding(Rules{}, column(4, 4), 128, 1, 4);
  ASSERT_TRUE(declared);
  EXPECT_EQ(declared->row, 4u);
  EXPECT_EQ(declared->words, 1u);
  EXPECT_EQ(declared->excess, 0u);
  EXPECT_EQ(declared->extra_bytes, 32u * 4);
}

TEST(Padding, what_is_not_allowed_is_not_taken) {
  const auto padding = best_padding(Rules{}, column(32, 4), 1024, 1, 0, [](const Padding& p) { return p.row < 32; });
  ASSERT_TRUE(padding);
  EXPECT_EQ(padding->row, 16u);
  EXPECT_FALSE(best_padding(Rules{}, column(32, 4), 1024, 1, 0, [](const Padding&) { return false; }));
}

}  // namespace
}  // namespace bankshot::scratchpad

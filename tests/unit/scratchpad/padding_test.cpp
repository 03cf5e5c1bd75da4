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

TEST(Padding, an_array_of_one_row_has_none) { EXPECT_FALSE(best_padding(Rules{}, column(1, 4), 15)); }

}  // namespace
}  // namespace bankshot::scratchpad

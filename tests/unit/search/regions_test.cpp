// Hashes for regions: each its own, unless a hash would move words of one among those of another.
#include "bankshot/search/regions.hpp"

#include <gtest/gtest.h>

#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::search {
namespace {

using scratchpad::Pattern;
using scratchpad::Region;

/// A load of a warp: lane l wants word first + l * stride.
Pattern strided(uint32_t first, uint32_t stride) {
  Pattern pattern;
  pattern.mask = 0xffffffff;
  for (uint32_t lane = 0; lane < 32; ++lane) pattern.words[lane] = first + lane * stride;
  return pattern;
}

Chooser chooser(const std::string& hash_class) {
  return [=](const Problem& problem) { return find(problem, hash_class, Method::exhaustive, {}); };
}

/// One region from 0 and one from 2,048 on, with these strides.
std::vector<Region> two(uint32_t a, uint32_t b) {
  return {{{{0, 1024}}, {strided(0, a)}}, {{{2048, 4096}}, {strided(2048, b)}}};
}

// Strides 32 and 64 want bits 5 to 9 and 6 to 10: no permutation has both.
TEST(SearchRegions, each_gets_the_hash_that_suits_it) {
  const std::vector<Region> regions = two(32, 64);
  const Region all{{{0, 4096}}, {strided(0, 32), strided(2048, 64)}};
  const auto one = find_by_region({}, {&all, 1}, {false}, chooser("bitvector-perm"));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->front().without, 62u);
  EXPECT_EQ(one->front().excess, 1u);  // perm:5: 16 banks of 2 words for stride 64
  const auto own = find_by_region({}, regions, {false, false}, chooser("bitvector-perm"));
  ASSERT_TRUE(own);
  ASSERT_EQ(own->size(), 2u);
  EXPECT_EQ(scratchpad::spec((*own)[0].hash), "perm:5");
  EXPECT_EQ(scratchpad::spec((*own)[1].hash), "perm:6");
  EXPECT_EQ((*own)[0].excess + (*own)[1].excess, 0u);
}

// perm:6 moves words within 2,048 of them: a region that begins in the middle of such a block is in its way.
TEST(SearchRegions, those_that_a_hash_would_mix_get_one_together) {
  std::vector<Region> regions = two(32, 64);
  regions[1] = {{{1024, 3072}}, {strided(1024, 64)}};
  const auto own = find_by_region({}, regions, {false, false}, chooser("bitvector-perm"));
  ASSERT_TRUE(own);
  ASSERT_EQ(own->size(), 1u);
  EXPECT_EQ(own->front().regions, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(own->front().excess, 1u);
  // In place a row is a block, so that they stay apart.
  const auto in_place = find_by_region({}, regions, {false, false}, [](const Problem& problem) {
    SearchOptions options;
    options.in_place = true;
    return find(problem, "bitvector-xor", Method::exhaustive, options);
  });
  ASSERT_TRUE(in_place);
  ASSERT_EQ(in_place->size(), 2u);
  EXPECT_EQ((*in_place)[0].excess + (*in_place)[1].excess, 0u);
}

TEST(SearchRegions, what_keeps_its_banks_is_not_searched) {
  const auto own = find_by_region({}, two(32, 64), {true, false}, chooser("bitvector-perm"));
  ASSERT_TRUE(own);
  ASSERT_EQ(own->size(), 2u);
  EXPECT_EQ(scratchpad::spec((*own)[0].hash), "none");
  EXPECT_EQ((*own)[0].excess, 31u);
  EXPECT_EQ((*own)[1].excess, 0u);
}

}  // namespace
}  // namespace bankshot::search

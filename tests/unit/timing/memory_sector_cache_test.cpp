// The cache's tags, by hand and against a list kept in the order of use.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>

#include "bankshot/timing/memory/sector_cache.hpp"

namespace bankshot::timing {
namespace {

TEST(SectorCache, a_sector_is_there_once_filled) {
  SectorCache cache(1024, 128, 2);
  EXPECT_EQ(cache.sets(), 4u);
  EXPECT_EQ(cache.lookup(128), 0);
  cache.fill(128, 0b0100, 0);
  EXPECT_EQ(cache.lookup(128), 0b0100);
  cache.fill(128, 0b0001, 0b0001);
  EXPECT_EQ(cache.lookup(128), 0b0101);
  EXPECT_EQ(cache.dirty(128), 0b0001);
  EXPECT_EQ(cache.lookup(128 + 512), 0);  // the same set, another line
}

TEST(SectorCache, the_least_recently_used_line_goes_and_tells_what_is_dirty) {
  SectorCache cache(2 * 128, 128, 2);  // one set
  cache.fill(0, 0b1111, 0b0110);
  cache.fill(128, 0b1111, 0);
  cache.lookup(0);
  const SectorCache::Evicted clean = cache.fill(256, 1, 0);  // 128 was used before 0
  EXPECT_EQ(clean.line, 128u);
  EXPECT_EQ(clean.dirty, 0);
  const SectorCache::Evicted dirty = cache.fill(384, 1, 0);
  EXPECT_EQ(dirty.line, 0u);
  EXPECT_EQ(dirty.dirty, 0b0110);
  EXPECT_EQ(cache.valid(0), 0);
  EXPECT_EQ(cache.valid(256), 1);
}

TEST(SectorCache, looking_without_use_keeps_the_order) {
  SectorCache cache(2 * 128, 128, 2);
  cache.fill(0, 1, 0);
  cache.fill(128, 1, 0);
  EXPECT_EQ(cache.valid(0), 1);
  EXPECT_EQ(cache.fill(256, 1, 0).line, 0u);
}

TEST(SectorCache, a_line_that_comes_back_is_clean) {
  SectorCache cache(128, 128, 1);
  cache.fill(0, 0b11, 0b11);
  EXPECT_EQ(cache.fill(128, 0b01, 0).dirty, 0b11);
  EXPECT_EQ(cache.fill(0, 0b01, 0).dirty, 0);
  EXPECT_EQ(cache.fill(128, 0b01, 0).dirty, 0);
}

TEST(SectorCache, takes_another_shape_and_is_empty) {
  SectorCache cache(1024, 128, 2);
  cache.fill(128, 0b0100, 0);
  cache.reshape(64 * 1024, 128);  // four sets of 128 ways
  EXPECT_EQ(cache.sets(), 4u);
  EXPECT_EQ(cache.lookup(128), 0);
  for (uint64_t line = 0; line < 64 * 1024; line += 128) cache.fill(line, 1, 0);
  for (uint64_t line = 0; line < 64 * 1024; line += 128) EXPECT_EQ(cache.lookup(line), 1);
  EXPECT_EQ(cache.fill(64 * 1024, 1, 0).line, 0u) << "the oldest of its set";
}

TEST(SectorCache, sets_need_not_be_a_power_of_two) {
  SectorCache cache(3 * 128, 128, 1);
  EXPECT_EQ(cache.sets(), 3u);
  for (uint64_t line = 0; line < 3 * 128; line += 128) EXPECT_EQ(cache.fill(line, 1, 1).dirty, 0);
  EXPECT_EQ(cache.fill(4 * 128, 1, 0).line, 128u);  // line number 4 is in set 1
}

TEST(SectorCache, invalidated_sectors_are_gone_and_leave_room) {
  SectorCache cache(2 * 128, 128, 2);
  cache.fill(0, 0b11, 0b11);
  cache.fill(128, 0b11, 0b11);
  cache.invalidate(128, 0b01);
  EXPECT_EQ(cache.valid(128), 0b10);
  EXPECT_EQ(cache.dirty(128), 0b10);
  cache.invalidate(128, 0b10);
  EXPECT_EQ(cache.fill(256, 1, 1).dirty, 0);  // in the place of 128, though 0 is older
  EXPECT_EQ(cache.valid(0), 0b11);
  cache.invalidate_all();
  EXPECT_EQ(cache.valid(0), 0);
  EXPECT_EQ(cache.valid(256), 0);
  EXPECT_EQ(cache.fill(0, 1, 0).dirty, 0);
}

TEST(SectorCache, agrees_with_lists_in_the_order_of_use) {
  constexpr unsigned kSets = 5, kWays = 3;
  SectorCache cache(kSets * kWays * 64, 64, kWays);
  struct Line {
    uint64_t line;
    uint8_t valid, dirty;
  };
  std::map<uint64_t, std::list<Line>> sets;  // the most recently used first
  std::mt19937 random(1);
  unsigned evictions = 0;
  for (int step = 0; step < 20000; ++step) {
    const uint64_t line = random() % 40 * 64;
    std::list<Line>& set = sets[line / 64 % kSets];
    const auto found = std::ranges::find(set, line, &Line::line);
    const auto sectors = static_cast<uint8_t>(1u << random() % 2);
    switch (random() % 4) {
      case 0: {
        ASSERT_EQ(cache.lookup(line), found == set.end() ? 0 : found->valid);
        if (found != set.end()) set.splice(set.begin(), set, found);
        break;
      }
      case 1: {
        cache.invalidate(line, sectors);
        if (found == set.end()) break;
        found->valid &= static_cast<uint8_t>(~sectors);
        found->dirty &= static_cast<uint8_t>(~sectors);
        if (found->valid == 0) set.erase(found);
        break;
      }
      default: {
        const uint8_t dirty = random() % 2 ? sectors : 0;
        const SectorCache::Evicted evicted = cache.fill(line, sectors, dirty);
        if (found != set.end()) {
          set.splice(set.begin(), set, found);
          ASSERT_EQ(evicted.dirty, 0);
        } else {
          set.push_front({line, 0, 0});
          if (set.size() > kWays) {
            ASSERT_EQ(evicted.line, set.back().line);
            ASSERT_EQ(evicted.dirty, set.back().dirty);
            set.pop_back();
            ++evictions;
          }
        }
        set.front().valid |= sectors;
        set.front().dirty |= dirty;
        ASSERT_EQ(cache.valid(line), set.front().valid);
        ASSERT_EQ(cache.dirty(line), set.front().dirty);
      }
    }
  }
  EXPECT_GT(evictions, 1000u);
}

}  // namespace
}  // namespace bankshot::timing

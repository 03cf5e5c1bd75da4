// Counters of one instruction over a run.
#include <gtest/gtest.h>

#include <array>

#include "bankshot/scratchpad/counting/site.hpp"
#include "warp_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

void record_load(SiteCounter& counter, const Warp& warp, uint64_t cta = 0, uint64_t mask = kFull) {
  counter.record(Rules{}, AccessKind::load, 4, warp.data(), mask, cta);
}

TEST(SiteCounter, sums_accesses_lanes_and_wavefronts) {
  SiteCounter counter;
  record_load(counter, strided(1));
  record_load(counter, strided(32));
  record_load(counter, strided(2), 0, 0xffff);
  EXPECT_EQ(counter.accesses, 3u);
  EXPECT_EQ(counter.lanes, 80u);
  EXPECT_EQ(counter.wavefronts, 1u + 32 + 1);
  EXPECT_EQ(counter.ideal, 3u);
  EXPECT_EQ(counter.conflicts(), 31u);
  EXPECT_EQ(counter.degree_max, 32u);
}

TEST(SiteCounter, counts_accesses_by_their_wavefronts) {
  SiteCounter counter, other;
  record_load(counter, strided(1));
  record_load(counter, strided(32));
  record_load(counter, strided(4));
  record_load(other, strided(4, 1));
  // Each of 32 words of one bank takes four passes.
  Rules slow;
  slow.cas_passes = kMaxCasPasses;
  other.record(slow, AccessKind::cas, 4, strided(32).data(), kFull, 0);
  counter.merge(other);
  Degrees expected{};
  expected[1] = 1, expected[4] = 2, expected[32] = 1, expected[32 * 4] = 1;
  EXPECT_EQ(counter.degrees, expected);
}

TEST(SiteCounter, counts_the_most_wavefronts_together) {
  SiteCounter counter;
  Rules slow;
  slow.cas_passes = kMaxCasPasses;
  Warp warp{};
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) warp[lane] = lane * 128;
  counter.record(slow, AccessKind::cas, 4, warp.data(), ~uint64_t{0}, 0);
  EXPECT_EQ(counter.wavefronts, 64u * 4);
  EXPECT_EQ(counter.degrees[kMostCounted], 1u);
}

TEST(SiteCounter, ignores_an_access_without_active_lanes) {
  SiteCounter counter;
  record_load(counter, strided(32), 0, 0);
  EXPECT_EQ(counter.accesses, 0u);
}

TEST(SiteCounter, counts_a_translated_access_like_the_first) {
  SiteCounter counter;
  for (uint32_t first = 0; first < 100; ++first) record_load(counter, strided(8, first));
  EXPECT_EQ(counter.wavefronts, 800u);
}

TEST(SiteCounter, tells_apart_translations_inside_a_word) {
  SiteCounter counter;
  Warp warp{};
  warp[0] = 0, warp[1] = 126;  // words 0 and 31: two banks
  counter.record(Rules{}, AccessKind::load, 1, warp.data(), 0x3, 0);
  EXPECT_EQ(counter.wavefronts, 1u);
  warp[0] = 3, warp[1] = 129;  // words 0 and 32: the same distance, one bank
  counter.record(Rules{}, AccessKind::load, 1, warp.data(), 0x3, 0);
  EXPECT_EQ(counter.wavefronts, 3u);
}

TEST(SiteCounter, keeps_the_worst_access_of_the_lowest_cta) {
  SiteCounter counter;
  record_load(counter, strided(16, 1), 7);
  record_load(counter, strided(16, 2), 7);
  record_load(counter, strided(16, 3), 2);
  record_load(counter, strided(16, 4), 2);
  record_load(counter, strided(4, 5), 0);
  EXPECT_EQ(counter.degree_max, 16u);
  EXPECT_EQ(counter.worst.cta, 2u);
  EXPECT_EQ(counter.worst.addresses[0], 12u);
  EXPECT_EQ(counter.worst.shape.stride_bytes, 64);
}

TEST(SiteCounter, blanks_inactive_lanes_of_the_worst_access) {
  SiteCounter counter;
  record_load(counter, strided(1, 5), 0, 0xfffffffe);
  EXPECT_EQ(counter.worst.addresses[0], 0u);
  EXPECT_EQ(counter.worst.addresses[1], 24u);
  EXPECT_EQ(counter.worst.addresses[40], 0u);
}

TEST(SiteCounter, names_the_commonest_class_and_the_stride_of_its_worst_access) {
  SiteCounter counter;
  record_load(counter, strided(2), 0);
  record_load(counter, strided(32), 1);
  record_load(counter, strided(1), 2);
  EXPECT_EQ(counter.pattern(), PatternClass::stride);
  EXPECT_EQ(counter.stride.bytes, 128);
}

TEST(SiteCounter, of_equally_common_classes_names_the_first) {
  SiteCounter counter;
  record_load(counter, strided(0));
  record_load(counter, strided(1));
  EXPECT_EQ(counter.pattern(), PatternClass::linear);
}

TEST(SiteCounter, separates_position_conflicts_of_atomics) {
  SiteCounter counter;
  counter.record(Rules{}, AccessKind::atomic, 4, strided(0).data(), kFull, 0);
  counter.record(Rules{}, AccessKind::atomic, 4, strided(32).data(), kFull, 0);
  EXPECT_EQ(counter.wavefronts, 64u);
  EXPECT_EQ(counter.position, 31u);
  EXPECT_EQ(counter.conflicts(), 62u);
}

}  // namespace
}  // namespace bankshot::scratchpad

// Which lane each bank serves in which pass.
#include <gtest/gtest.h>

#include <array>

#include "bankshot/scratchpad/access/passes.hpp"
#include "warp_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

std::vector<Pass> of(uint32_t (*address)(uint32_t), unsigned width = 4, AccessKind kind = AccessKind::load) {
  std::array<uint32_t, kMaxLanes> addresses{};
  for (uint32_t lane = 0; lane < kMaxLanes; ++lane) addresses[lane] = address(lane);
  return passes(Rules{}, kind, width, addresses.data(), kFull);
}

TEST(Passes, unit_stride_keeps_every_bank_busy_once) {
  const auto all = of([](uint32_t lane) { return 4 * lane; });
  ASSERT_EQ(all.size(), 1u);
  for (int bank = 0; bank < 32; ++bank) EXPECT_EQ(all[0].bank[bank], bank);
}

TEST(Passes, column_is_served_lane_by_lane_by_one_bank) {
  const auto all = of([](uint32_t lane) { return 128 * lane + 8; });
  ASSERT_EQ(all.size(), 32u);
  EXPECT_EQ(all[5].bank[2], 5);
  EXPECT_EQ(all[5].bank[3], Pass::kIdle);
}

TEST(Passes, broadcast_serves_several_lanes_at_once) {
  const auto all = of([](uint32_t) { return 4u; });
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].bank[1], Pass::kSeveral);
  EXPECT_EQ(all[0].lanes[1], LaneMask(kFull));
  EXPECT_EQ(all[0].word[1], 1u);
  EXPECT_TRUE(all[0].lanes[2].empty());
}

TEST(Passes, atomics_on_one_word_take_a_pass_each) {
  const auto all = of([](uint32_t) { return 4u; }, 4, AccessKind::atomic);
  ASSERT_EQ(all.size(), 32u);
  EXPECT_EQ(all[31].bank[1], 31);
}

TEST(Passes, wide_lanes_take_several_banks_of_their_phase) {
  const auto all = of([](uint32_t lane) { return 8 * lane; }, 8);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].phase, LaneMask::first(16));
  EXPECT_EQ(all[1].bank[0], 16);
  EXPECT_EQ(all[1].bank[1], 16);
}

}  // namespace
}  // namespace bankshot::scratchpad

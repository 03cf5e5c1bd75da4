// The barrier object by itself. Source: PTX ISA 9.0, section 9.7.13.15.
#include <gtest/gtest.h>

#include "bankshot/simt/async/mbarrier.hpp"

namespace bankshot::simt {
namespace {

TEST(MBarrier, a_phase_ends_when_all_have_arrived) {
  MBarrier barrier(3);
  EXPECT_TRUE(barrier.arrive(2));
  EXPECT_FALSE(barrier.odd());
  EXPECT_EQ(barrier.pending(), 1u);
  EXPECT_TRUE(barrier.arrive(1));
  EXPECT_TRUE(barrier.odd());
  EXPECT_EQ(barrier.pending(), 3u) << "the next one expects as many";
  EXPECT_FALSE(barrier.arrive(4));
  EXPECT_TRUE(barrier.arrive(3));
  EXPECT_FALSE(barrier.odd());
}

TEST(MBarrier, it_waits_for_bytes_too) {
  MBarrier barrier(1);
  EXPECT_TRUE(barrier.expect_bytes(64));
  EXPECT_TRUE(barrier.arrive(1));
  EXPECT_FALSE(barrier.odd());
  EXPECT_TRUE(barrier.complete_bytes(16));
  EXPECT_FALSE(barrier.odd());
  EXPECT_TRUE(barrier.complete_bytes(48));
  EXPECT_TRUE(barrier.odd());
  EXPECT_EQ(barrier.bytes(), 0);
}

TEST(MBarrier, bytes_may_come_before_they_are_announced) {
  MBarrier barrier(1);
  EXPECT_TRUE(barrier.complete_bytes(32));
  EXPECT_EQ(barrier.bytes(), -32);
  EXPECT_TRUE(barrier.expect_bytes(32));
  EXPECT_FALSE(barrier.odd()) << "nobody has arrived";
  EXPECT_TRUE(barrier.arrive(1));
  EXPECT_TRUE(barrier.odd());
}

TEST(MBarrier, who_drops_out_is_not_expected_any_more) {
  MBarrier barrier(3);
  EXPECT_TRUE(barrier.arrive_and_drop(1));
  EXPECT_TRUE(barrier.arrive(2));
  EXPECT_TRUE(barrier.odd());
  EXPECT_EQ(barrier.pending(), 2u);
  EXPECT_FALSE(barrier.arrive_and_drop(3));
}

TEST(MBarrier, counts_have_the_manuals_limits) {
  MBarrier barrier(MBarrier::kMostCount);
  EXPECT_EQ(barrier.pending(), 1048575u);
  EXPECT_TRUE(barrier.expect_bytes(1048575));
  EXPECT_FALSE(barrier.expect_bytes(1));
  EXPECT_TRUE(barrier.complete_bytes(2 * 1048575));
  EXPECT_EQ(barrier.bytes(), -1048575);
  EXPECT_FALSE(barrier.complete_bytes(1));
}

TEST(MBarrier, its_bits_hold_all_of_it) {
  for (const uint32_t count : {1u, 7u, 1048575u}) {
    for (const int64_t bytes : {-1048575, -1, 0, 1, 1048575}) {
      MBarrier barrier(count), again;
      ASSERT_TRUE(barrier.expect_bytes(bytes));
      if (count > 1) {
        ASSERT_TRUE(barrier.arrive(count - 1));
      }
      ASSERT_TRUE(MBarrier::read(barrier.bits(), again));
      EXPECT_EQ(again.bits(), barrier.bits());
      EXPECT_EQ(again.pending(), 1u);
      EXPECT_EQ(again.bytes(), bytes);
      EXPECT_FALSE(again.odd());
    }
  }
  MBarrier barrier;
  for (const uint64_t bits : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) EXPECT_FALSE(MBarrier::read(bits, barrier));
}

}  // namespace
}  // namespace bankshot::simt

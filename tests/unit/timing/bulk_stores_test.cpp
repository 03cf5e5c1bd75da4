// Bulk copies of one warp to global memory.
#include <gtest/gtest.h>

#include "bankshot/timing/sm/bulk_stores.hpp"

namespace bankshot::timing {
namespace {

constexpr uint64_t kLane0 = 1, kLane1 = 2;

TEST(BulkStores, waits_for_all_groups_but_the_last) {
  BulkStores stores;
  stores.clear();
  EXPECT_TRUE(stores.are_written(kLane0, 0));
  stores.issue(1, 0, 1);
  EXPECT_TRUE(stores.are_written(kLane0, 0)) << "its group is open";
  stores.commit(kLane0);
  stores.issue(2, 0, 1);
  stores.commit(kLane0);
  EXPECT_FALSE(stores.are_written(kLane0, 0));
  EXPECT_FALSE(stores.are_written(kLane0, 1));
  EXPECT_TRUE(stores.are_written(kLane0, 2));
  stores.has_left(2, 30);
  stores.written(2);
  EXPECT_FALSE(stores.are_written(kLane0, 0)) << "the first is not there";
  stores.has_left(1, 40);
  stores.written(1);
  EXPECT_TRUE(stores.are_written(kLane0, 0));
}

TEST(BulkStores, are_read_when_the_last_access_has_left) {
  BulkStores stores;
  stores.clear();
  stores.issue(7, 0, 2);
  stores.commit(kLane0);
  EXPECT_EQ(stores.read_by(kLane0, 0), kNever);
  EXPECT_EQ(stores.read_by(kLane0, 1), 0u);
  stores.has_left(7, 50);
  EXPECT_EQ(stores.read_by(kLane0, 0), kNever);
  stores.has_left(7, 90);
  EXPECT_EQ(stores.read_by(kLane0, 0), 90u);
  stores.written(7);
  EXPECT_FALSE(stores.are_written(kLane0, 0));
  stores.written(7);
  EXPECT_TRUE(stores.are_written(kLane0, 0));
  EXPECT_EQ(stores.read_by(kLane0, 0), 0u);
}

TEST(BulkStores, each_lane_has_groups_of_its_own) {
  BulkStores stores;
  stores.clear();
  stores.issue(3, 0, 1);
  stores.issue(3, 1, 1);
  stores.commit(kLane0);
  EXPECT_TRUE(stores.are_written(kLane1, 0)) << "lane 1 has not closed its group";
  EXPECT_FALSE(stores.are_written(kLane0 | kLane1, 0));
  stores.commit(kLane1);
  stores.commit(kLane1);
  EXPECT_TRUE(stores.are_written(kLane1, 2));
  EXPECT_FALSE(stores.are_written(kLane1, 1)) << "the last of the two is empty";
  EXPECT_FALSE(stores.are_written(kLane1, 0));
  stores.has_left(3, 5);
  stores.written(3);  // lane 0's, which came first
  EXPECT_TRUE(stores.are_written(kLane0, 0));
  EXPECT_FALSE(stores.are_written(kLane1, 0));
}

TEST(BulkStores, the_next_warp_of_a_slot_begins_anew) {
  BulkStores stores;
  stores.clear();
  stores.commit(kLane0);
  stores.issue(4, 0, 1);
  stores.commit(kLane0);
  stores.clear();
  EXPECT_TRUE(stores.are_written(kLane0, 0));
  stores.issue(4, 0, 1);
  EXPECT_TRUE(stores.are_written(kLane0, 0)) << "no group is closed";
  stores.written(9);  // of nobody's
  stores.commit(kLane0);
  EXPECT_FALSE(stores.are_written(kLane0, 0));
}

}  // namespace
}  // namespace bankshot::timing

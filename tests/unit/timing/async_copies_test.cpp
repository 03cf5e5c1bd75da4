// Groups of cp.async and bulk copies of one warp.
#include <gtest/gtest.h>

#include "bankshot/timing/sm/async_copies.hpp"

namespace bankshot::timing {
namespace {

TEST(AsyncCopies, waits_for_all_groups_but_the_last) {
  AsyncCopies copies;
  copies.clear();
  EXPECT_TRUE(copies.there_but_for(0));
  copies.issue(1);
  EXPECT_TRUE(copies.there_but_for(0)) << "it was not committed";
  EXPECT_FALSE(copies.there_but_for(AsyncCopies::kAll));
  copies.commit();
  copies.issue(2);
  copies.issue(2);
  copies.commit();
  EXPECT_FALSE(copies.there_but_for(0));
  EXPECT_FALSE(copies.there_but_for(1));
  EXPECT_TRUE(copies.there_but_for(2));
  copies.complete(2);
  EXPECT_FALSE(copies.there_but_for(1)) << "the first is not there";
  copies.complete(1);
  EXPECT_TRUE(copies.there_but_for(1));
  EXPECT_FALSE(copies.there_but_for(0));
  copies.complete(2);
  EXPECT_TRUE(copies.there_but_for(0));
  EXPECT_TRUE(copies.there_but_for(AsyncCopies::kAll));
}

TEST(AsyncCopies, a_group_without_copies_is_there) {
  AsyncCopies copies;
  copies.clear();
  copies.commit();
  copies.commit();
  EXPECT_TRUE(copies.there_but_for(0));
  copies.issue(1);
  copies.commit();
  copies.commit();
  EXPECT_FALSE(copies.there_but_for(1)) << "the last of the two is empty";
  EXPECT_TRUE(copies.there_but_for(2));
}

TEST(AsyncCopies, one_instruction_may_be_in_several_groups) {
  AsyncCopies copies;
  copies.clear();
  for (int k = 0; k < 3; ++k) {
    copies.issue(7);
    copies.commit();
  }
  for (uint64_t left = 3; left != 0; --left) {
    EXPECT_FALSE(copies.there_but_for(left - 1));
    EXPECT_TRUE(copies.there_but_for(left));
    copies.complete(7);
  }
  EXPECT_TRUE(copies.there_but_for(0));
  copies.complete(7);  // of nobody's
}

TEST(AsyncCopies, a_bulk_copy_tells_when_its_last_access_is_there) {
  AsyncCopies copies;
  copies.clear();
  copies.issue_bulk(4, {{64}, 8192}, 2);
  copies.issue_bulk(4, {{72}, 16}, 1);
  AsyncCopies::Arrival arrival;
  EXPECT_FALSE(copies.complete_bulk(4, arrival));
  EXPECT_FALSE(copies.complete_bulk(5, arrival));
  ASSERT_TRUE(copies.complete_bulk(4, arrival));
  EXPECT_EQ(arrival.barriers, std::vector<uint64_t>{64});
  EXPECT_EQ(arrival.bytes, 8192u);
  ASSERT_TRUE(copies.complete_bulk(4, arrival));
  EXPECT_EQ(arrival.barriers, std::vector<uint64_t>{72});
  EXPECT_FALSE(copies.complete_bulk(4, arrival));
}

}  // namespace
}  // namespace bankshot::timing

// Groups of wgmma of one warp.
#include "bankshot/timing/sm/product_groups.hpp"

#include <gtest/gtest.h>

namespace bankshot::timing {
namespace {

TEST(ProductGroups, waits_for_all_groups_but_the_last) {
  ProductGroups products;
  EXPECT_EQ(products.by(0), 0u);
  products.issue(100);
  EXPECT_EQ(products.by(0), 0u) << "its group is open";
  products.issue(132);
  products.commit();
  products.issue(164);
  products.commit();
  EXPECT_EQ(products.by(0), 164u);
  EXPECT_EQ(products.by(1), 132u);
  EXPECT_EQ(products.by(2), 0u);
  products.commit();  // empty: complete with the one before
  EXPECT_EQ(products.by(0), 164u);
  EXPECT_EQ(products.by(2), 132u);
  products.clear();
  EXPECT_EQ(products.by(0), 0u);
}

TEST(ProductGroups, keeps_as_many_groups_as_a_program_can_leave_pending) {
  ProductGroups products;
  for (Cycle k = 1; k <= 20; ++k) {
    products.issue(10 * k);
    products.commit();
  }
  EXPECT_EQ(products.by(0), 200u);
  EXPECT_EQ(products.by(7), 130u);
}

}  // namespace
}  // namespace bankshot::timing

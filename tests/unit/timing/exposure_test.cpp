// Cycles of conflicts, sorted into exposed and hidden.
#include "bankshot/timing/sm/exposure.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bankshot::timing {
namespace {

struct Told {
  uint32_t instr;
  Cycle cycles;
  bool exposed;
  bool operator==(const Told&) const = default;
};

class ExposureTest : public ::testing::Test {
 protected:
  void tell(Cycle until, bool exposed) {
    exposure.tell(until, exposed,
                  [this](uint32_t instr, Cycle cycles, bool is) { told.push_back({instr, cycles, is}); });
  }
  Exposure exposure;
  std::vector<Told> told;
};

TEST_F(ExposureTest, cycles_count_as_what_the_sm_did_in_them) {
  exposure.conflict(10, 12, 20, 7);
  tell(11, true);  // before it begins
  EXPECT_TRUE(told.empty());
  tell(15, false);
  tell(18, true);
  tell(30, false);
  EXPECT_EQ(told, (std::vector<Told>{{7, 3, false}, {7, 3, true}, {7, 2, false}}));
  EXPECT_TRUE(exposure.empty());
}

TEST_F(ExposureTest, conflicts_of_several_instructions_follow_each_other) {
  exposure.conflict(0, 1, 4, 1);
  exposure.conflict(2, 6, 8, 2);
  tell(7, true);
  tell(8, false);
  EXPECT_EQ(told, (std::vector<Told>{{1, 3, true}, {2, 1, true}, {2, 1, false}}));
}

TEST_F(ExposureTest, an_access_without_conflicts_counts_nothing) {
  exposure.conflict(0, 3, 3, 1);
  EXPECT_TRUE(exposure.empty());
}

TEST_F(ExposureTest, what_is_left_at_the_end_is_hidden) {
  exposure.conflict(0, 1, 4, 1);
  tell(2, true);
  exposure.finish([this](uint32_t instr, Cycle cycles, bool is) { told.push_back({instr, cycles, is}); });
  EXPECT_EQ(told, (std::vector<Told>{{1, 1, true}, {1, 2, false}}));
}

}  // namespace
}  // namespace bankshot::timing

// The unit of tensor memory, without an SM.
#include "bankshot/timing/sm/tensor_unit.hpp"

#include "tensor_memory_harness.hpp"

namespace bankshot::timing {
namespace {

class TensorUnitTest : public ::testing::Test {
 protected:
  TensorUnitTest() { unit.begin_launch(); }
  static TensorUnit::Commit commit(unsigned slot, uint32_t instr) { return {slot, instr, {{8}, 0, true, false}}; }

  TensorUnit unit{kTensorMemory};
};

TEST_F(TensorUnitTest, takes_one_after_the_other) {
  EXPECT_EQ(unit.take(0, 100, 44).end, 144u);
  const TensorUnit::Span other_warp = unit.take(5, 110, 128);
  EXPECT_EQ(other_warp.begin, 144u);
  EXPECT_EQ(other_warp.end, 272u);
  EXPECT_EQ(unit.take(0, 1000, 44).begin, 1000u) << "it was free";
}

TEST_F(TensorUnitTest, a_commit_waits_for_what_its_warp_issued_before) {
  unit.take(0, 100, 44);
  unit.take(5, 100, 44);
  unit.commit(105, commit(5, 2));
  unit.commit(106, commit(0, 1));
  EXPECT_EQ(unit.next_event(), 184u) << "100 + 44 + 40";
  EXPECT_EQ(unit.take_commit().instr, 1u) << "issued later, done before";
  EXPECT_TRUE(unit.has_commits(5));
  EXPECT_FALSE(unit.has_commits(0));
  EXPECT_EQ(unit.next_event(), 228u) << "44 cycles more";
  EXPECT_EQ(unit.take_commit().instr, 2u);
  EXPECT_EQ(unit.next_event(), kNever);
}

TEST_F(TensorUnitTest, a_commit_of_nothing_is_told_in_the_next_cycle) {
  unit.take(5, 100, 44);
  unit.commit(105, commit(0, 1));
  EXPECT_EQ(unit.next_event(), 106u);
}

TEST_F(TensorUnitTest, commits_of_one_time_are_told_as_they_were_issued) {
  unit.take(0, 100, 44);
  unit.commit(105, commit(0, 1));
  unit.commit(106, commit(0, 2));
  EXPECT_EQ(unit.take_commit().instr, 1u);
  EXPECT_EQ(unit.take_commit().instr, 2u);
}

TEST_F(TensorUnitTest, warps_of_a_quarter_share_its_way) {
  unit.move(TensorUnit::load, 0, 0, 100, 2048);
  EXPECT_EQ(unit.moved(TensorUnit::load, 0), 149u) << "2048 / 53 is 39, and 10";
  unit.move(TensorUnit::load, 1, 1, 100, 2048);
  EXPECT_EQ(unit.moved(TensorUnit::load, 1), 149u);
  unit.move(TensorUnit::load, 4, 0, 100, 2048);
  EXPECT_EQ(unit.moved(TensorUnit::load, 4), 188u);
  EXPECT_EQ(unit.moved(TensorUnit::load, 0), 149u);
  unit.move(TensorUnit::store, 0, 0, 100, 2048);
  EXPECT_EQ(unit.moved(TensorUnit::store, 0), 135u) << "a way of its own: 2048 / 85 is 25";
}

TEST_F(TensorUnitTest, the_next_warp_of_a_slot_waits_for_nothing) {
  unit.take(0, 100, 44);
  unit.move(TensorUnit::load, 0, 0, 100, 2048);
  unit.start(0);
  EXPECT_EQ(unit.moved(TensorUnit::load, 0), 0u);
  unit.commit(105, commit(0, 1));
  EXPECT_EQ(unit.next_event(), 106u);
}

}  // namespace
}  // namespace bankshot::timing

// Every issue slot of every cycle has one cause.
#include "bankshot/timing/sm/slot_accounting.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace bankshot::timing {
namespace {

/// A pipeline whose front stands still in [begin, end), because of instruction 7.
class Standing final : public Pipeline {
 public:
  Standing(Cycle begin, Cycle end) : begin_(begin), end_(end) {}
  Standstill standstill(Cycle now) const override {
    if (now < begin_ || now >= end_) return {now};
    return {end_, Cause::bank_conflict, 7};
  }
  Cycle accepts(Cycle now, unsigned) const override { return now; }
  Passage shared(const Issued&, std::span<const unsigned>, unsigned) override { return {}; }
  Passage again(const Issued&, unsigned) override { return {}; }
  Cycle other(const Issued& issued, Flow, unsigned) override { return issued.now; }
  void clear() override {}

 private:
  const Cycle begin_, end_;
};

class SlotAccountingTest : public ::testing::Test {
 protected:
  uint64_t slots(Cause cause) const { return counters.slots[static_cast<unsigned>(cause)]; }
  uint64_t line(uint32_t instr, Cause cause) { return accounting.lines()[instr].slots[static_cast<unsigned>(cause)]; }
  uint64_t all() const { return std::accumulate(counters.slots.begin(), counters.slots.end(), uint64_t{0}); }

  Counters counters;
  Standing pipeline{102, 105};
  SlotAccounting accounting{2, 2, 1, pipeline, counters};
};

TEST_F(SlotAccountingTest, slots_have_the_cause_that_was_set_until_another_is) {
  accounting.begin_launch(10, 9);
  accounting.account(0, 13);
  accounting.set_cause(0, Cause::memory, 4);
  accounting.account(0, 13);
  accounting.account(0, 20);
  accounting.set_cause(0, Cause::barrier, SlotAccounting::kNobody);
  accounting.end_launch(0, 21, 0);
  accounting.end_launch(1, 21, 0);
  EXPECT_EQ(slots(Cause::no_warp), 2u * 3 + 2 * 11);
  EXPECT_EQ(slots(Cause::memory), 14u);
  EXPECT_EQ(line(4, Cause::memory), 14u);
  EXPECT_EQ(slots(Cause::barrier), 2u);
  EXPECT_EQ(all(), 2u * 2 * 11) << "schedulers * width * cycles";
  ASSERT_EQ(accounting.over_time().spans().size(), 1u);
  EXPECT_EQ(accounting.over_time().spans()[0], counters.slots);
}

TEST_F(SlotAccountingTest, slots_of_a_cycle_in_which_something_issues_are_issued_or_have_the_reason_why_no_more_did) {
  accounting.begin_launch(0, 9);
  accounting.account(0, 5);
  accounting.issued(0, 5, 1, 3, Cause::execution, 4, 1, 6);
  EXPECT_EQ(slots(Cause::issued), 1u);
  EXPECT_EQ(slots(Cause::execution), 1u);
  EXPECT_EQ(line(4, Cause::execution), 1u);
  accounting.account(0, 6);
  accounting.issued(0, 6, 2, 4, Cause::execution, 5, 1, 7);
  EXPECT_EQ(slots(Cause::issued), 3u);
  EXPECT_EQ(slots(Cause::execution), 1u);
  EXPECT_EQ(all(), 2u * 7);
}

TEST_F(SlotAccountingTest, sub_warps_that_are_held_up_are_counted_once_and_taken_back_when_the_launch_ends_before) {
  Counters one;
  SlotAccounting accounting{1, 1, 4, pipeline, one};
  accounting.begin_launch(100, 9);
  accounting.issued(0, 100, 1, 3, Cause::execution, 4, 1, 107);  // 4 sub-warps, and 3 cycles in which they stand still
  EXPECT_EQ(one.slots[static_cast<unsigned>(Cause::bank_conflict)], 3u);
  EXPECT_EQ(accounting.lines()[7].slots[static_cast<unsigned>(Cause::bank_conflict)], 3u);
  accounting.end_launch(0, 103, 107);
  EXPECT_EQ(one.slots[static_cast<unsigned>(Cause::bank_conflict)], 1u) << "of cycles 102 to 104";
  EXPECT_EQ(std::accumulate(one.slots.begin(), one.slots.end(), uint64_t{0}), 3u);
  accounting.over_time().end(3);
  EXPECT_EQ(accounting.over_time().spans()[0], one.slots) << "taken back here, too";
}

TEST_F(SlotAccountingTest, further_slots_of_an_instruction_are_issued_and_hide_conflicts) {
  accounting.begin_launch(0, 9);
  accounting.issued(0, 0, 1, 3, Cause::execution, 4, 5, 5);  // slots 0 to 4; the other one of cycle 0 waits
  accounting.end_event(0);
  accounting.set_cause(1, Cause::scratchpad, 6);
  accounting.conflict(1, 2, 8, 7);
  accounting.begin_event(5);
  accounting.account(0, 5);
  EXPECT_EQ(slots(Cause::issued), 5u);
  EXPECT_EQ(slots(Cause::sub_warp), 4u) << "of width 2, the other slots";
  EXPECT_EQ(all(), 2u * 5);
  EXPECT_EQ(counters.conflict_cycles_hidden, 3u) << "cycles 2, 3 and 4";
  accounting.set_cause(0, Cause::memory, 4);
  accounting.begin_event(8);
  EXPECT_EQ(counters.conflict_cycles_exposed, 3u);
}

TEST_F(SlotAccountingTest, conflicts_are_exposed_while_a_scheduler_waits_for_shared_memory_and_nobody_issues) {
  accounting.begin_launch(0, 9);
  accounting.conflict(0, 10, 20, 6);
  accounting.set_cause(0, Cause::scratchpad, 5);
  accounting.begin_event(14);
  EXPECT_EQ(counters.conflict_cycles_exposed, 4u);
  EXPECT_EQ(accounting.lines()[6].exposed, 4u);
  accounting.issued(1, 14, 1, 3, Cause::execution, 4, 1, 15);
  accounting.end_event(14);
  EXPECT_EQ(counters.conflict_cycles_hidden, 1u);
  accounting.begin_event(17);
  EXPECT_EQ(counters.conflict_cycles_exposed, 6u);
  accounting.set_cause(0, Cause::memory, 5);
  accounting.finish();
  EXPECT_EQ(counters.conflict_cycles_hidden, 4u);
  EXPECT_EQ(accounting.lines()[6].conflict_cycles, 10u);
}

}  // namespace
}  // namespace bankshot::timing

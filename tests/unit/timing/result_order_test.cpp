// In which order results are kept where a warp has several instructions in flight (CF'11, section 6).
#include "bankshot/timing/sm/result_order.hpp"

#include <gtest/gtest.h>

#include <map>

namespace bankshot::timing {
namespace {

/// Asks for slot 3; instructions are complete as `complete` says.
Wait wait(ResultOrder& order, Cycle now, std::map<uint32_t, Cycle> complete = {}) {
  return order.wait(3, now, [&](uint32_t instr, Cycle otherwise) {
    const auto found = complete.find(instr);
    return found == complete.end() ? otherwise : found->second;
  });
}

TEST(ResultOrder, any_order_is_told_apart) {
  EXPECT_TRUE(ResultOrder(Commit::any, 8).is_any());
  EXPECT_FALSE(ResultOrder(Commit::hold, 8).is_any());
}

TEST(ResultOrder, a_full_reorder_buffer_waits_for_its_oldest_instruction) {
  ResultOrder order(Commit::reorder, 2);
  order.start(3);
  EXPECT_EQ(order.issued(3, 10, 0, 9, false, 0), 9u) << "results come as they come";
  EXPECT_LE(wait(order, 1).until, 1u);
  order.issued(3, 11, 1, 5, false, 0);
  EXPECT_EQ(wait(order, 6).until, 9u) << "instruction 11 is complete, but 10 is before it";
  EXPECT_EQ(wait(order, 6).why, Cause::reorder);
  EXPECT_EQ(wait(order, 8, {{10, 12}}).until, 12u) << "its result was put off";
  EXPECT_LE(wait(order, 12, {{10, 12}}).until, 12u);
  order.issued(3, 12, 12, kNever, false, 0);
  order.issued(3, 13, 13, 20, false, 0);
  EXPECT_LE(wait(order, 13).until, 13u) << "the atomics unit keeps its warp, not its entry";
}

TEST(ResultOrder, a_warp_with_a_conflict_holds_its_next_instruction_back) {
  ResultOrder order(Commit::hold, 8);
  order.start(3);
  EXPECT_EQ(order.issued(3, 10, 0, 30, false, 0), 30u);
  EXPECT_LE(wait(order, 1).until, 1u) << "no conflict";
  EXPECT_EQ(order.issued(3, 11, 1, 9, true, 0), 30u) << "nobody overtakes";
  EXPECT_EQ(wait(order, 29).until, 30u);
  EXPECT_EQ(wait(order, 29).why, Cause::scratchpad);
  order.delayed(3, 33);
  EXPECT_EQ(wait(order, 30).until, 33u);
  order.start(3);
  EXPECT_LE(wait(order, 0).until, 0u) << "another warp's turn";
}

TEST(ResultOrder, data_from_memory_waits_for_the_banks_of_its_cache) {
  ResultOrder order(Commit::hold, 8);
  order.start(3);
  EXPECT_EQ(order.issued(3, 10, 0, kNever, true, 17), kNever);
  EXPECT_EQ(wait(order, 5).until, 17u);
}

}  // namespace
}  // namespace bankshot::timing

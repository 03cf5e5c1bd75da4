// When registers may be read and written.
#include "bankshot/timing/sm/scoreboard.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace bankshot::timing {
namespace {

class ScoreboardTest : public ::testing::Test {
 protected:
  ScoreboardTest() {
    scoreboard.begin_launch(4, 8);
    for (unsigned slot = 0; slot < 4; ++slot) scoreboard.start(slot);
  }
  /// An instruction that reads some registers and writes others.
  RegisterUses uses(std::vector<uint32_t> reads, std::vector<uint32_t> writes) {
    const auto count = static_cast<unsigned>(reads.size());
    reads.insert(reads.end(), writes.begin(), writes.end());
    kept.push_back(std::move(reads));
    return {kept.back().data(), count, static_cast<unsigned>(writes.size())};
  }
  Cycle until(const RegisterUses& uses, Cycle now, unsigned slot = 1) { return scoreboard.wait(slot, uses, now).until; }

  Scoreboard scoreboard;
  std::deque<std::vector<uint32_t>> kept;
};

TEST_F(ScoreboardTest, an_instruction_waits_for_what_it_reads_and_for_what_it_writes) {
  scoreboard.issued(1, uses({}, {3}), 20, Cause::scratchpad, true);
  for (const RegisterUses& next : {uses({3}, {}), uses({}, {3}), uses({2}, {3})}) {
    EXPECT_EQ(until(next, 19), 20u) << "blocked at cycle n - 1";
    EXPECT_EQ(scoreboard.wait(1, next, 19).why, Cause::scratchpad);
    EXPECT_LE(until(next, 20), 20u) << "ready at n";
  }
  EXPECT_LE(until(uses({2}, {4}), 5), 5u) << "other registers";
  EXPECT_LE(until(uses({3}, {}), 5, 2), 5u) << "another warp's register 3";
}

TEST_F(ScoreboardTest, of_several_registers_the_last_decides) {
  scoreboard.issued(1, uses({}, {3}), 20, Cause::execution, true);
  scoreboard.issued(1, uses({}, {4}), 30, Cause::scratchpad, true);
  const Wait wait = scoreboard.wait(1, uses({4, 3}, {}), 10);
  EXPECT_EQ(wait.until, 30u);
  EXPECT_EQ(wait.why, Cause::scratchpad);
  EXPECT_EQ(scoreboard.ready(1, uses({}, {3, 4})), 30u);
}

TEST_F(ScoreboardTest, data_from_memory_comes_when_it_arrives) {
  const RegisterUses load = uses({1}, {3}), other = uses({}, {5}), use = uses({3}, {});
  scoreboard.expect(1, 1);
  scoreboard.issued(1, load, kNever, Cause::memory, true);
  EXPECT_EQ(until(use, 1000), kNever);
  EXPECT_EQ(scoreboard.last(1).until, kNever);
  EXPECT_EQ(scoreboard.last(1).why, Cause::memory);
  scoreboard.issued(1, other, 12, Cause::execution, true);
  EXPECT_EQ(scoreboard.last(1).until, kNever) << "something of the warp is under way";
  scoreboard.received(1);
  scoreboard.arrived(1, load, 1100);
  EXPECT_EQ(until(use, 1099), 1100u);
  EXPECT_LE(until(use, 1100), 1100u);
  EXPECT_EQ(scoreboard.last(1).until, 1100u);
}

TEST_F(ScoreboardTest, what_a_deferred_access_reads_must_not_be_written) {
  scoreboard.hold(1, uses({1}, {}), 64);
  EXPECT_EQ(until(uses({}, {1}), 63), 64u);
  EXPECT_EQ(scoreboard.wait(1, uses({}, {1}), 63).why, Cause::ordering);
  EXPECT_LE(until(uses({1}, {2}), 63), 63u) << "it may be read";
  EXPECT_LE(until(uses({}, {1}), 64), 64u);
}

TEST_F(ScoreboardTest, results_that_come_later_put_off_who_waits_for_them) {
  const RegisterUses first = uses({}, {3}), both = uses({}, {4, 5});
  scoreboard.issued(1, first, 20, Cause::scratchpad, true);
  EXPECT_EQ(scoreboard.delay(1, first, 7, true), 27u);
  EXPECT_EQ(until(uses({3}, {}), 20), 27u);
  EXPECT_EQ(scoreboard.last(1).until, 27u);
  scoreboard.issued(1, both, 30, Cause::execution, true);
  EXPECT_EQ(scoreboard.delay(1, first, 1, false), 28u);
  EXPECT_EQ(scoreboard.last(1).until, 30u) << "not the warp's last instruction";
  scoreboard.expect(1, 1);
  scoreboard.issued(1, both, kNever, Cause::memory, true);
  EXPECT_EQ(scoreboard.delay(1, both, 3, true), 0u) << "nobody knows when it comes";
  EXPECT_EQ(until(uses({4}, {}), 40), kNever);
}

TEST_F(ScoreboardTest, a_warp_starts_with_all_registers_ready) {
  scoreboard.expect(1, 2);
  scoreboard.issued(1, uses({}, {3}), kNever, Cause::memory, true);
  scoreboard.hold(1, uses({1}, {}), 64);
  scoreboard.start(1);
  EXPECT_LE(until(uses({3}, {1}), 0), 0u);
  EXPECT_EQ(scoreboard.last(1).until, 0u);
}

TEST_F(ScoreboardTest, a_value_that_is_passed_on_comes_when_its_source_does) {
  scoreboard.issued(1, uses({}, {3}), 20, Cause::scratchpad, true);
  EXPECT_LE(scoreboard.pass_on(1, uses({3}, {4}), 5).until, 5u) << "the warp does not wait";
  EXPECT_EQ(until(uses({4}, {}), 19), 20u);
  EXPECT_EQ(scoreboard.wait(1, uses({4}, {}), 19).why, Cause::scratchpad);
  EXPECT_LE(until(uses({4}, {}), 20), 20u);
}

TEST_F(ScoreboardTest, a_value_whose_time_is_not_known_is_waited_for) {
  const RegisterUses load = uses({1}, {3}), pass = uses({3}, {4});
  scoreboard.expect(1, 1);
  scoreboard.issued(1, load, kNever, Cause::memory, true);
  EXPECT_EQ(scoreboard.pass_on(1, pass, 5).until, kNever);
  EXPECT_EQ(scoreboard.pass_on(1, pass, 5).why, Cause::memory);
  EXPECT_LE(until(uses({4}, {}), 5), 5u) << "nothing has happened to it";
  scoreboard.received(1);
  scoreboard.arrived(1, load, 90);
  EXPECT_LE(scoreboard.pass_on(1, pass, 80).until, 80u);
  EXPECT_EQ(until(uses({4}, {}), 80), 90u);
}

TEST_F(ScoreboardTest, what_a_deferred_access_is_to_read_is_not_overwritten_by_a_value_that_is_passed_on) {
  scoreboard.hold(1, uses({4}, {}), 50);
  EXPECT_EQ(scoreboard.pass_on(1, uses({3}, {4}), 49).until, 50u);
  EXPECT_LE(scoreboard.pass_on(1, uses({3}, {4}), 50).until, 50u);
}

}  // namespace
}  // namespace bankshot::timing

// What is foreseen of an instruction's bank conflict, and how far a memory access must keep behind it.
#include "bankshot/timing/schedulers/foresight.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <vector>

namespace bankshot::timing {
namespace {

std::unique_ptr<Foresight> made(const char* name) {
  Config config;
  config.max_warps = 64;
  return ForesightRegistry::find(name)->make(config);
}

/// What it foresees behind the conflicts that it was told, all of instruction 7 in warp slot 0.
unsigned behind(const char* name, std::initializer_list<unsigned> conflicts) {
  const auto foresight = made(name);
  for (const unsigned conflict : conflicts) foresight->learn(7, 0, conflict);
  return foresight->foresee(7, 0, 0);
}

// Section 4.4: 2 ways of 256 sets are 512 entries, a tag of 14 - 8 = 6 bits and log2(32) = 5 bits of conflict each:
// 512 * 11 = 5,632 bits = 704 bytes.
TEST(Foresight, the_history_cache_has_704_bytes) {
  EXPECT_EQ(made("last")->bits(), 704u * 8);
  EXPECT_EQ(made("confident")->bits(), 512u * (6 + 5 + 2));  // and a count of 2 bits
  EXPECT_EQ(made("mean")->bits(), 512u * (6 + 5 + 3));       // and 3 bits behind the point
  EXPECT_EQ(made("warp")->bits(), 65u * 704 * 8);            // one for each of 64 warps and one for all
  EXPECT_EQ(made("exact")->bits(), 0u);
}

TEST(Foresight, none_is_nobody) { EXPECT_EQ(made("none"), nullptr); }

class Remembering : public ::testing::TestWithParam<const char*> {};

TEST_P(Remembering, an_instruction_that_is_not_known_has_no_conflict) {
  const auto foresight = made(GetParam());
  EXPECT_EQ(foresight->foresee(7, 0, 28), 0u);
  foresight->learn(7, 0, 28);
  EXPECT_EQ(foresight->foresee(8, 0, 28), 0u);
}

TEST_P(Remembering, the_same_every_time_is_foreseen) {
  for (unsigned conflict = 0; conflict <= 31; ++conflict) {
    EXPECT_EQ(behind(GetParam(), {conflict}), conflict);
    EXPECT_EQ(behind(GetParam(), {conflict, conflict, conflict, conflict, conflict}), conflict);
  }
}

// 5 bits tell 32 values apart.
TEST_P(Remembering, conflicts_are_told_apart_up_to_31) {
  EXPECT_EQ(behind(GetParam(), {31}), 31u);
  EXPECT_EQ(behind(GetParam(), {32}), 31u);
  EXPECT_EQ(behind(GetParam(), {256}), 31u);
  EXPECT_EQ(behind(GetParam(), {1000, 1000, 1000}), 31u);
}

TEST_P(Remembering, a_launch_begins_with_nothing_known) {
  const auto foresight = made(GetParam());
  foresight->learn(7, 0, 28);
  foresight->clear();
  EXPECT_EQ(foresight->foresee(7, 0, 28), 0u);
  EXPECT_EQ(foresight->foresee(7, 5, 28), 0u);
}

TEST_P(Remembering, to_be_told_of_is_to_be_used) {
  const auto foresight = made(GetParam());
  foresight->learn(3, 0, 10);
  foresight->learn(3 + 256, 0, 20);
  foresight->learn(3, 0, 10);
  foresight->learn(3 + 512, 0, 30);
  EXPECT_EQ(foresight->foresee(3, 0, 0), 10u);
  EXPECT_EQ(foresight->foresee(3 + 256, 0, 0), 0u);
}

TEST_P(Remembering, instructions_of_different_sets_leave_each_other_alone) {
  const auto foresight = made(GetParam());
  for (uint32_t pc = 0; pc < 512; ++pc) foresight->learn(pc, 0, pc % 29);
  for (uint32_t pc = 0; pc < 512; ++pc) EXPECT_EQ(foresight->foresee(pc, 0, 0), pc % 29);
}

// 14 bits of the PC: 16,384 instructions are told apart, and 8,192 of them differ in the tag's highest bit.
TEST_P(Remembering, instructions_16384_apart_are_taken_for_one) {
  const auto foresight = made(GetParam());
  foresight->learn(3, 0, 10);
  EXPECT_EQ(foresight->foresee(3 + 16384, 0, 0), 10u);
  EXPECT_EQ(foresight->foresee(3 + 8192, 0, 0), 0u);
}
INSTANTIATE_TEST_SUITE_P(components, Remembering, ::testing::Values("last", "confident", "mean", "warp"));

class OneCache : public ::testing::TestWithParam<const char*> {};

// PCs 256 apart are of one set, which has two ways.
TEST_P(OneCache, two_instructions_of_one_set_are_known_and_a_third_takes_the_place_of_the_one_used_least_recently) {
  const auto foresight = made(GetParam());
  foresight->learn(3, 0, 10);
  foresight->learn(3 + 256, 0, 20);
  EXPECT_EQ(foresight->foresee(3 + 256, 0, 0), 20u);
  EXPECT_EQ(foresight->foresee(3, 0, 0), 10u);  // used last
  foresight->learn(3 + 512, 0, 30);
  EXPECT_EQ(foresight->foresee(3, 0, 0), 10u);
  EXPECT_EQ(foresight->foresee(3 + 256, 0, 0), 0u);
  EXPECT_EQ(foresight->foresee(3 + 512, 0, 0), 30u);
}
INSTANTIATE_TEST_SUITE_P(components, OneCache, ::testing::Values("last", "confident", "mean"));

TEST(Foresight, the_last_value_is_kept) {
  EXPECT_EQ(behind("last", {28, 3}), 3u);
  EXPECT_EQ(behind("last", {28, 28, 28, 0}), 0u);
}

// A count of how sure it is, 0 to 3: a new value has 1, each time that it comes true is one more, each time that it
// does not one less; at 0 the next one that differs takes its place.
TEST(Foresight, the_confident_one_gives_up_a_new_value_that_was_wrong_twice) {
  EXPECT_EQ(behind("confident", {5, 9}), 5u);
  EXPECT_EQ(behind("confident", {5, 9, 9}), 9u);
  EXPECT_EQ(behind("confident", {5, 9, 7}), 7u) << "whatever was there instead";
  EXPECT_EQ(behind("confident", {0, 9}), 0u) << "no conflict is a value too";
}

TEST(Foresight, the_confident_one_keeps_what_has_come_true_longer) {
  EXPECT_EQ(behind("confident", {5, 5, 9, 9}), 5u);  // 1 2 1 0
  EXPECT_EQ(behind("confident", {5, 5, 9, 9, 9}), 9u);
  EXPECT_EQ(behind("confident", {5, 5, 5, 9, 9, 9}), 5u);  // 1 2 3 2 1 0
  EXPECT_EQ(behind("confident", {5, 5, 5, 9, 9, 9, 9}), 9u);
  EXPECT_EQ(behind("confident", {5, 5, 5, 5, 5, 9, 9, 9, 9}), 9u) << "3 is the most";
  EXPECT_EQ(behind("confident", {5, 9, 5, 9, 5, 9, 5}), 5u);  // 1 0 1 0 1 0 1
}

// The latest has a quarter of the weight, all before the rest; told rounded up to whole cycles.
TEST(Foresight, the_mean_follows_by_a_quarter) {
  EXPECT_EQ(behind("mean", {8, 0}), 6u);     // 8 * 3/4
  EXPECT_EQ(behind("mean", {8, 0, 0}), 5u);  // 4.5
  EXPECT_EQ(behind("mean", {0, 8}), 2u);
  EXPECT_EQ(behind("mean", {0, 8, 8}), 4u);     // 2 + 6/4 = 3.5
  EXPECT_EQ(behind("mean", {4, 3}), 4u);        // 3.75
  EXPECT_EQ(behind("mean", {31, 31, 0}), 24u);  // 23.25
}

// Where it is a fraction of an eighth away it takes the whole eighth: otherwise it would never arrive.
TEST(Foresight, the_mean_arrives_at_what_stays_the_same) {
  for (const unsigned from : {0u, 9u, 31u}) {
    for (const unsigned to : {0u, 1u, 9u, 28u, 31u}) {
      const auto mean = made("mean");
      mean->learn(7, 0, from);
      for (int k = 0; k < 30; ++k) mean->learn(7, 0, to);
      EXPECT_EQ(mean->foresee(7, 0, 0), to) << from;
    }
  }
}

TEST(Foresight, each_warp_has_its_own_past_and_else_that_of_all) {
  const auto warp = made("warp");
  warp->learn(7, 3, 12);
  EXPECT_EQ(warp->foresee(7, 3, 0), 12u);
  EXPECT_EQ(warp->foresee(7, 4, 0), 12u) << "nothing else is known of slot 4";
  warp->learn(7, 4, 2);
  EXPECT_EQ(warp->foresee(7, 3, 0), 12u);
  EXPECT_EQ(warp->foresee(7, 4, 0), 2u);
  EXPECT_EQ(warp->foresee(7, 63, 0), 2u) << "the last of any warp";
  EXPECT_EQ(warp->foresee(8, 3, 0), 0u);
}

TEST(Foresight, the_exact_one_knows_the_future) {
  const auto exact = made("exact");
  exact->learn(7, 0, 3);
  for (const unsigned conflict : {0u, 1u, 28u, 31u, 252u}) EXPECT_EQ(exact->foresee(7, 0, conflict), conflict);
}

unsigned by_equation(const std::vector<unsigned>& degrees, unsigned ports) {
  return safe_distance(degrees, ports, false);
}
unsigned corrected(const std::vector<unsigned>& degrees, unsigned ports) { return safe_distance(degrees, ports, true); }

// Equation 1 of a lone sub-warp, equation 5 of four.
TEST(SafeDistance, is_the_cycles_that_the_banks_need) {
  EXPECT_EQ(by_equation({2}, 1), 2u);  // W(i) of figure 5
  EXPECT_EQ(by_equation({3}, 2), 2u);
  EXPECT_EQ(by_equation({1, 1, 1, 1}, 1), 4u);
  EXPECT_EQ(by_equation({8, 8, 8, 8}, 1), 32u);
  EXPECT_EQ(by_equation({8, 8, 8, 8}, 2), 16u);
  EXPECT_EQ(by_equation({4, 3, 2, 1}, 1), 10u);
  EXPECT_EQ(corrected({4, 3, 2, 1}, 1), 10u);
}

// Each sub-warp has MEM0 for a whole cycle: two ports do not let two of them share one.
TEST(SafeDistance, of_equation_5_is_too_small_where_ports_are_left_unused) {
  EXPECT_EQ(by_equation({1, 1, 1, 1}, 2), 2u);
  EXPECT_EQ(corrected({1, 1, 1, 1}, 2), 4u);
  EXPECT_EQ(by_equation({3, 3, 3, 3}, 2), 6u);
  EXPECT_EQ(corrected({3, 3, 3, 3}, 2), 8u);
  EXPECT_EQ(corrected({8, 8, 8, 8}, 2), 16u);
}

RC_GTEST_PROP(SafeDistance, of_the_equation_never_exceeds_the_corrected_one_and_is_it_with_one_port, ()) {
  const auto degrees = *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0u, 33u));
  const auto ports = *rc::gen::inRange(1u, 9u);
  RC_ASSERT(by_equation(degrees, ports) <= corrected(degrees, ports));
  RC_ASSERT(by_equation(degrees, 1) == corrected(degrees, 1));
  // What rounding adds is less than a cycle for each sub-warp.
  RC_ASSERT(corrected(degrees, ports) <= by_equation(degrees, ports) + degrees.size());
}

}  // namespace
}  // namespace bankshot::timing

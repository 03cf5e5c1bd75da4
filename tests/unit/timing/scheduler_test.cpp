// Warp schedulers: what each promises, and what all do.
#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <numeric>
#include <random>

#include "bankshot/timing/schedulers/scheduler.hpp"
#include "parameters.hpp"

namespace bankshot::timing {
namespace {

struct Warps {
  Warps() { std::iota(age.begin(), age.end(), uint64_t{100}); }
  WarpView view(uint64_t ready, uint64_t waits = 0) const { return {ready, ready | waits, waits, age.data()}; }
  std::array<uint64_t, 64> age{};
};

std::unique_ptr<WarpScheduler> make(std::string_view name, unsigned active = 4) {
  Config config;
  config.issue.schedulers = 1;
  set_parameter(config, "issue.active_warps", active);
  return SchedulerRegistry::find(name)->make(config);
}

unsigned issue(WarpScheduler& scheduler, const WarpView& view) {
  const unsigned slot = scheduler.pick(view);
  scheduler.issued(slot);
  return slot;
}

TEST(LooseRoundRobin, takes_the_next_ready_warp_behind_the_last) {
  const Warps warps;
  const auto lrr = make("lrr");
  EXPECT_EQ(issue(*lrr, warps.view(0b1011)), 0u);
  EXPECT_EQ(issue(*lrr, warps.view(0b1011)), 1u);
  EXPECT_EQ(issue(*lrr, warps.view(0b1011)), 3u);
  EXPECT_EQ(issue(*lrr, warps.view(0b1011)), 0u);
  EXPECT_EQ(issue(*lrr, warps.view(uint64_t{1} << 63)), 63u);
  EXPECT_EQ(issue(*lrr, warps.view(uint64_t{1} << 63 | 2)), 1u);
}

TEST(GreedyThenOldest, stays_on_its_warp_then_takes_the_oldest) {
  Warps warps;
  const auto gto = make("gto");
  warps.age[0] = 300;  // slot 0 has the youngest warp, slot 2 the oldest
  warps.age[2] = 1;
  EXPECT_EQ(issue(*gto, warps.view(0b111)), 2u);
  EXPECT_EQ(issue(*gto, warps.view(0b111)), 2u);
  EXPECT_EQ(issue(*gto, warps.view(0b011)), 1u);
  EXPECT_EQ(issue(*gto, warps.view(0b111)), 1u);
  EXPECT_EQ(issue(*gto, warps.view(0b001)), 0u);
}

TEST(GreedyThenYoungest, stays_on_its_warp_then_takes_the_youngest) {
  Warps warps;
  const auto gty = make("gty");
  warps.age[0] = 300;  // slot 0 has the youngest warp
  EXPECT_EQ(issue(*gty, warps.view(0b110)), 2u);
  EXPECT_EQ(issue(*gty, warps.view(0b111)), 2u) << "stays";
  EXPECT_EQ(issue(*gty, warps.view(0b011)), 0u);
  EXPECT_EQ(issue(*gty, warps.view(0b110)), 2u);
}

TEST(TwoLevel, keeps_its_group_until_all_of_it_waits_for_memory) {
  const Warps warps;
  const auto two = make("two-level", 2);  // groups {0, 1}, {2, 3}
  EXPECT_EQ(issue(*two, warps.view(0b1111)), 0u);
  EXPECT_EQ(issue(*two, warps.view(0b1111)), 1u);
  EXPECT_EQ(issue(*two, warps.view(0b1111)), 0u);
  // Warp 0 waits for memory, 1 can still issue: the group keeps its turn.
  EXPECT_EQ(issue(*two, warps.view(0b1110, 0b0001)), 1u);
  EXPECT_EQ(issue(*two, warps.view(0b1100, 0b0011)), 2u);
  // 0 and 1 are back, but the turn is the second group's.
  EXPECT_EQ(issue(*two, warps.view(0b1111)), 3u);
  EXPECT_EQ(issue(*two, warps.view(0b1111)), 2u);
}

TEST(StrictBarrel, is_a_round_robin_with_one_instruction_of_a_warp_in_flight) {
  const Warps warps;
  const auto barrel = make("barrel");
  EXPECT_TRUE(barrel->one_in_flight());
  EXPECT_FALSE(make("lrr")->one_in_flight());
  EXPECT_EQ(issue(*barrel, warps.view(0b11)), 0u);
  EXPECT_EQ(issue(*barrel, warps.view(0b11)), 1u);
}

// The contract of all of them, whoever registers.
TEST(SchedulerContract, every_scheduler_picks_a_ready_warp_and_forgets_nobody) {
  ASSERT_FALSE(SchedulerRegistry::entries().empty());
  for (const auto& entry : SchedulerRegistry::entries()) {
    Warps warps;
    std::mt19937_64 random(7);
    const auto scheduler = make(entry.name);
    for (int round = 0; round < 2000; ++round) {
      uint64_t ready = random() & random();
      if (ready == 0) ready = 1;
      const uint64_t waits = random() & ~ready;
      uint64_t left = ready;
      while (left != 0) {  // as if each could not issue after all
        const unsigned slot = scheduler->pick({left, ready | waits, waits, warps.age.data()});
        ASSERT_LT(slot, 64u) << entry.name;
        ASSERT_NE(left >> slot & 1, 0u) << entry.name;
        left &= ~(uint64_t{1} << slot);
      }
      scheduler->issued(static_cast<unsigned>(std::countr_zero(ready)));
    }
  }
}

}  // namespace
}  // namespace bankshot::timing

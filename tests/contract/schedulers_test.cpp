// What bankshot/timing/schedulers/scheduler.hpp says of every warp scheduler.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <numeric>
#include <random>

#include "bankshot/timing/schedulers/scheduler.hpp"
#include "tests/contract/machine.hpp"

namespace bankshot::timing {
namespace {

/// Views such as an SM makes, the same for the same seed.
class Views {
 public:
  explicit Views(uint64_t share = ~uint64_t{0}, uint64_t youngest = 0) : share_(share) {
    std::iota(age_.begin(), age_.end(), youngest);
    std::shuffle(age_.begin(), age_.end(), random_);
  }
  WarpView next() {
    uint64_t ready = random_() & random_() & share_;
    if (ready == 0) ready = share_ & (0 - share_);
    const uint64_t waits = random_() & share_ & ~ready;
    return {ready, ready | waits, waits, age_.data()};
  }
  const std::array<uint64_t, 64>& age() const { return age_; }

 private:
  const uint64_t share_;
  std::mt19937_64 random_{7};
  std::array<uint64_t, 64> age_;
};

class SchedulerContract : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<WarpScheduler> make(unsigned schedulers = 1) {
    Config config = contract_machine();
    config.issue.schedulers = schedulers;
    return SchedulerRegistry::find(GetParam())->make(config);
  }
  static std::vector<unsigned> picks(WarpScheduler& scheduler, Views views) {
    std::vector<unsigned> slots;
    for (int round = 0; round < 500; ++round) {
      slots.push_back(scheduler.pick(views.next()));
      scheduler.issued(slots.back());
    }
    return slots;
  }
};

TEST_P(SchedulerContract, picks_a_ready_warp_however_often_it_is_asked_again) {
  const auto scheduler = make();
  Views views;
  for (int round = 0; round < 2000; ++round) {
    WarpView view = views.next();
    const uint64_t ready = view.ready;
    while (view.ready != 0) {  // as if each turned out not to be able to issue
      const unsigned slot = scheduler->pick(view);
      ASSERT_LT(slot, 64u);
      ASSERT_NE(view.ready >> slot & 1, 0u);
      view.ready &= ~(uint64_t{1} << slot);
    }
    scheduler->issued(static_cast<unsigned>(std::countr_zero(ready)));
  }
}

TEST_P(SchedulerContract, picks_among_the_warps_of_its_share) {
  for (const unsigned schedulers : {2u, 4u}) {
    for (unsigned index = 0; index < schedulers; ++index) {
      uint64_t share = 0;
      for (unsigned slot = index; slot < 64; slot += schedulers) share |= uint64_t{1} << slot;
      const auto scheduler = make(schedulers);
      Views views(share);
      for (int round = 0; round < 500; ++round) {
        const WarpView view = views.next();
        const unsigned slot = scheduler->pick(view);
        ASSERT_NE(view.ready >> slot & 1, 0u) << schedulers << " schedulers";
        scheduler->issued(slot);
      }
    }
  }
}

TEST_P(SchedulerContract, picks_the_only_warp_that_is_ready) {
  const auto scheduler = make();
  const Views views;
  for (unsigned slot = 0; slot < 64; ++slot) {
    const uint64_t only = uint64_t{1} << slot;
    ASSERT_EQ(scheduler->pick({only, ~uint64_t{0}, ~only, views.age().data()}), slot);
    scheduler->issued(slot);
  }
}

TEST_P(SchedulerContract, picks_the_same_warps_when_the_same_happens) {
  EXPECT_EQ(picks(*make(), Views()), picks(*make(), Views()));
}

TEST_P(SchedulerContract, ages_are_only_compared) {
  EXPECT_EQ(picks(*make(), Views()), picks(*make(), Views(~uint64_t{0}, 1 << 20)));
}

INSTANTIATE_TEST_SUITE_P(members, SchedulerContract, ::testing::ValuesIn(members<SchedulerRegistry>()),
                         [](const auto& info) { return member_name(info.param); });

}  // namespace
}  // namespace bankshot::timing

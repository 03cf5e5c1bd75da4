// What bankshot/timing/schedulers/foresight.hpp says of everything that foresees bank conflicts.
#include "bankshot/timing/schedulers/foresight.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/contract/machine.hpp"

namespace bankshot::timing {
namespace {

class ForesightContract : public ::testing::TestWithParam<std::string> {
 protected:
  /// Null: that member foresees nothing.
  static std::unique_ptr<Foresight> make() { return ForesightRegistry::find(GetParam())->make(contract_machine()); }
  /// What is foreseen of a random program of so many instructions.
  static std::vector<unsigned> foreseen(Foresight& foresight, unsigned instructions) {
    std::mt19937 random(3);
    std::vector<unsigned> all;
    for (int round = 0; round < 3000; ++round) {
      const uint32_t pc = random() % instructions;
      const unsigned slot = random() % 64, conflict = random() % 40;
      all.push_back(foresight.foresee(pc, slot, conflict));
      EXPECT_LE(all.back(), std::max(Foresight::kMost, conflict));
      foresight.learn(pc, slot, conflict);
    }
    return all;
  }
};

TEST_P(ForesightContract, foresees_the_same_when_the_same_happens) {
  const auto one = make(), other = make();
  ASSERT_EQ(one == nullptr, other == nullptr);
  if (one) {
    EXPECT_EQ(foreseen(*one, 2000), foreseen(*other, 2000));
  }
}

TEST_P(ForesightContract, a_launch_begins_with_nothing_known) {
  const auto foresight = make();
  if (!foresight) return;
  const std::vector<unsigned> first = foreseen(*foresight, 100);
  foresight->clear();
  EXPECT_EQ(foreseen(*foresight, 100), first);
}

TEST_P(ForesightContract, what_is_always_the_same_is_foreseen) {
  for (unsigned conflict = 0; conflict <= Foresight::kMost; ++conflict) {
    const auto foresight = make();
    if (!foresight) return;
    for (int k = 0; k < 40; ++k) foresight->learn(7, 0, conflict);
    EXPECT_EQ(foresight->foresee(7, 0, conflict), conflict);
  }
}

TEST_P(ForesightContract, only_what_no_hardware_can_have_looks_into_the_future) {
  const auto foresight = make();
  if (!foresight || foresight->bits() == 0) return;
  foresight->learn(7, 0, 12);
  EXPECT_EQ(foresight->foresee(7, 0, 0), foresight->foresee(7, 0, 31));
}

TEST_P(ForesightContract, its_memory_has_a_fixed_size) {
  const auto foresight = make();
  if (!foresight) return;
  const unsigned bits = foresight->bits();
  foreseen(*foresight, 5000);
  EXPECT_EQ(foresight->bits(), bits);
}

INSTANTIATE_TEST_SUITE_P(members, ForesightContract, ::testing::ValuesIn(members<ForesightRegistry>()),
                         [](const auto& info) { return member_name(info.param); });

}  // namespace
}  // namespace bankshot::timing

// Which form of a kernel is chosen.
#include <gtest/gtest.h>

#include "bankshot/fix/judge.hpp"
#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::fix {
namespace {

struct Cost {
  uint64_t wavefronts = 0, instructions = 0;
  std::optional<uint64_t> cycles = {};
};

Form form_with(const Cost& cost) {
  Form form;
  form.shared.wavefronts = cost.wavefronts;
  form.warp_instructions = cost.instructions;
  form.cycles = cost.cycles;
  return form;
}

/// A kernel with one array, of which those remedies were tried that have a cost.
KernelPlan judged(const Cost& original, std::optional<Cost> hash, std::optional<Cost> padding, bool even_if_slower) {
  Plan plan;
  KernelPlan& kernel = plan.kernels.emplace_back();
  kernel.original = form_with(original);
  ArrayPlan& array = kernel.arrays.emplace_back();
  const auto add = [&](Remedy remedy, const std::optional<Cost>& cost) {
    if (!cost) return;
    kernel.forms[remedy] = form_with(*cost);
    array.tried[remedy].rewritten.emplace();
  };
  add(Remedy::hash, hash);
  add(Remedy::padding, padding);
  judge(plan, even_if_slower);
  return plan.kernels[0];
}

TEST(Judge, the_form_of_fewest_cycles_is_chosen_if_it_saves_one_in_a_hundred) {
  const Cost original{1000, 1000, 1000};
  EXPECT_EQ(judged(original, Cost{100, 1100, 980}, Cost{100, 1100, 985}, false).chosen, Remedy::hash);
  EXPECT_EQ(judged(original, Cost{100, 1100, 980}, Cost{100, 1100, 980}, false).chosen, Remedy::padding);  // equal
  EXPECT_EQ(judged(original, Cost{100, 1100, 990}, std::nullopt, false).chosen, Remedy::hash);
  EXPECT_EQ(judged(original, Cost{100, 1100, 991}, std::nullopt, false).chosen, std::nullopt);
  EXPECT_EQ(judged(original, Cost{100, 1100, 1200}, Cost{100, 1100, 1100}, true).chosen, Remedy::padding);
}

TEST(Judge, without_cycles_wavefronts_saved_must_exceed_instructions_added) {
  const Cost original{1000, 1000};
  EXPECT_EQ(judged(original, Cost{500, 1499}, std::nullopt, false).chosen, Remedy::hash);
  EXPECT_EQ(judged(original, Cost{500, 1500}, std::nullopt, false).chosen, std::nullopt);
  // One form was not simulated: cycles of the other compare with nothing.
  EXPECT_EQ(judged({1000, 1000, 1000}, Cost{500, 1400, 2000}, Cost{900, 1099}, false).chosen, Remedy::hash);
}

/// Elements of 8 bytes: a hash that exchanges words within them cannot be written in the source, padding by 8 bytes
/// can.
KernelPlan judged_with_source(uint64_t hash_cycles, uint64_t padding_cycles, uint64_t cycles = 2000) {
  Plan plan;
  KernelPlan& kernel = plan.kernels.emplace_back();
  kernel.original = form_with({9, 9, cycles});
  kernel.forms[Remedy::hash] = form_with({9, 9, hash_cycles});
  kernel.forms[Remedy::padding] = form_with({9, 9, padding_cycles});
  ArrayPlan& array = kernel.arrays.emplace_back();
  array.array.name = "pairs";
  array.array.bytes = 4096;
  array.declaration = Declaration{1, "float2", 8, {"512"}, {512}};
  array.hash.emplace().hash = *scratchpad::swizzle_hash({10, 5}, 1, 0, 5);
  array.padding = scratchpad::Padding{32, 2};
  array.tried[Remedy::hash].rewritten.emplace();
  array.tried[Remedy::padding].rewritten.emplace();
  judge(plan, false);
  return plan.kernels[0];
}

TEST(Judge, what_can_be_written_in_the_source_may_take_one_per_cent_more) {
  EXPECT_EQ(judged_with_source(1000, 1010).chosen, Remedy::padding);
  EXPECT_EQ(
      judged_with_source(1000, 1010).verdict,
      "padding chosen: 1,010 cycles instead of 2,000; hash would take 1,000, but cannot be written in the source");
  EXPECT_EQ(judged_with_source(1000, 1011).chosen, Remedy::hash);
  EXPECT_EQ(judged_with_source(1000, 990).chosen, Remedy::padding);
  // Padding is not better than the original: the hash stays.
  EXPECT_EQ(judged_with_source(1980, 1990).chosen, Remedy::hash);
  // Neither is: the verdict names the better one.
  EXPECT_EQ(judged_with_source(1990, 1995).verdict,
            "left alone, as it is not worth it: 1,990 cycles with hash, 2,000 as it is");
}

TEST(Judge, says_what_it_compared) {
  EXPECT_EQ(judged({9, 9, 2000}, Cost{9, 9, 1900}, std::nullopt, false).verdict,
            "hash chosen: 1,900 cycles instead of 2,000");
  EXPECT_EQ(judged({9, 9, 2000}, Cost{9, 9, 2100}, std::nullopt, false).verdict,
            "left alone, as it is not worth it: 2,100 cycles with hash, 2,000 as it is");
  EXPECT_EQ(judged({9, 9, 2000}, std::nullopt, std::nullopt, true).verdict, "");
}

}  // namespace
}  // namespace bankshot::fix

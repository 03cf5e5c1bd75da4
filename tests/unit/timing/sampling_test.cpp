// What is simulated of a program that is sampled, and what the rest is taken to need.
#include "bankshot/timing/chip/sampling.hpp"

#include "chip_harness.hpp"

namespace bankshot::timing {
namespace {

// Rates of 2 and 4 cycles an instruction: the mean is 3, its standard error sqrt(2 / 2) = 1, and Student's t of one
// degree of freedom 12.706.
TEST(Sampling, the_error_is_that_of_the_mean_rate) {
  PhaseRates rates;
  rates.measured(100, 200, 100);
  EXPECT_FALSE(rates.knows(100));
  rates.measured(100, 400, 100);
  EXPECT_TRUE(rates.knows(100));
  EXPECT_TRUE(rates.knows(91)) << "within a tenth";
  EXPECT_FALSE(rates.knows(120));
  rates.skipped(105, 1000);
  const Sampled all = rates.estimate();
  EXPECT_DOUBLE_EQ(all.cycles, 3000);
  EXPECT_NEAR(all.error, 12706, 1);
}

TEST(Sampling, what_was_not_measured_takes_the_nearest_rate) {
  PhaseRates rates;
  rates.measured(100, 200, 100);
  rates.skipped(500, 10);
  EXPECT_DOUBLE_EQ(rates.estimate().cycles, 20);
  EXPECT_DOUBLE_EQ(rates.estimate().error, 20) << "there is nothing that would tell";
  rates.measured(300, 500, 100);
  EXPECT_DOUBLE_EQ(rates.estimate().cycles, 50);
  EXPECT_DOUBLE_EQ(rates.estimate().error, 30) << "5 or 2 cycles an instruction";
}

// 16 waves of 10 CTAs: the chip fills, two waves are measured, two are left out (the least), one fills the chip again,
// one is measured, and so on. The last one is simulated.
TEST(Sampling, intervals_of_a_launch) {
  CtaPlan plan(160, 10);
  EXPECT_EQ(plan.mark(), 10u);
  EXPECT_EQ(plan.at_mark(1000, 100), 10u);
  EXPECT_EQ(plan.mark(), 20u);
  EXPECT_EQ(plan.at_mark(2000, 200), 20u);
  EXPECT_EQ(plan.mark(), 30u);
  EXPECT_EQ(plan.at_mark(3000, 300), 50u);
  EXPECT_TRUE(plan.wave_ran(10, 100));
  EXPECT_TRUE(plan.wave_ran(10, 100));
  EXPECT_DOUBLE_EQ(plan.rates().estimate().cycles, 2000);
  EXPECT_DOUBLE_EQ(plan.rates().estimate().error, 0);
  plan.resume(50);
  EXPECT_EQ(plan.mark(), 60u);
  EXPECT_EQ(plan.at_mark(9000, 400), 60u);
  EXPECT_EQ(plan.mark(), 70u);
  EXPECT_EQ(plan.at_mark(9900, 500), 90u);
  EXPECT_FALSE(plan.wave_ran(10, 200)) << "another phase: it has to be measured";
  plan.resume(80);
  EXPECT_EQ(plan.mark(), 90u);
}

TEST(Sampling, nothing_is_measured_before_the_caches_have_settled) {
  CtaPlan plan(160, 10);
  EXPECT_EQ(plan.at_mark(1000, 100, false), 10u);
  EXPECT_EQ(plan.at_mark(2000, 200, false), 20u);
  EXPECT_EQ(plan.at_mark(3000, 300, true), 30u);
  EXPECT_EQ(plan.at_mark(4000, 400, true), 40u);
  EXPECT_EQ(plan.at_mark(5000, 500, true), 70u) << "two intervals behind that";
}

TEST(Sampling, small_launches_are_simulated_as_a_whole) {
  EXPECT_GT(CtaPlan(119, 10).mark(), 119u);
  EXPECT_GT(CtaPlan().mark(), 1u << 31);
}

TEST(Sampling, launches_of_a_kernel_are_simulated_ever_less_often) {
  LaunchSample sample;
  std::string what;
  for (int k = 0; k < 16; ++k) {
    what += sample.in_detail() ? 'd' : '.';
    if (sample.in_detail())
      sample.measured(4, 100, 0, 400);
    else
      EXPECT_DOUBLE_EQ(sample.skipped(4, 400).cycles, 100);
  }
  EXPECT_EQ(what, "ddd...d....d....");
  sample.skipped(4, 4000);
  EXPECT_TRUE(sample.in_detail()) << "work that nobody has measured";
  sample.measured(4, 100, 0, 400);
  EXPECT_TRUE(sample.in_detail()) << "not yet";
  sample.measured(4, 900, 0, 4000);
  sample.measured(4, 900, 0, 4000);
  EXPECT_FALSE(sample.in_detail());
}

// Launches that were sampled themselves: what they may be off by, those that only run are.
TEST(Sampling, the_error_within_launches_is_that_of_launches_left_out) {
  LaunchSample sample;
  for (int k = 0; k < 3; ++k) sample.measured(4, 100, 5, 400);
  EXPECT_DOUBLE_EQ(sample.skipped(4, 400).cycles, 100);
  EXPECT_DOUBLE_EQ(sample.skipped(4, 400).error, 5);
}

using SampledChip = ChipTest;

constexpr const char* kWork =
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 32, %r2;"
    "and.b32 %r4, %r3, 4095; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2; mov.u32 %r5, 0;"
    "again: mad.lo.u32 %r6, %r5, %r5, %r3; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 20; @%p1 bra again;"
    "st.global.u32 [%rd1], %r6; ret;";

// Every CTA does the same: the estimate is near what all of it takes, and all of it has run.
TEST_F(SampledChip, a_uniform_launch_takes_about_what_it_takes_in_full) {
  config.sms = 2;
  const auto all = simulate(kernel(kWork), {4096, 1, 1}, {32, 1, 1}, 4096, 4);
  ASSERT_TRUE(all);
  EXPECT_FALSE(all->timing.sampled);
  const std::vector<uint32_t> wrote = out;
  chip.reset();
  options.sample = true;
  const auto part = simulate(kernel(kWork), {4096, 1, 1}, {32, 1, 1}, 4096, 4);
  ASSERT_TRUE(part);
  ASSERT_TRUE(part->timing.sampled);
  EXPECT_EQ(out, wrote);
  EXPECT_EQ(part->stats.warp_instructions, all->stats.warp_instructions);
  EXPECT_EQ(part->stats.thread_instructions, all->stats.thread_instructions);
  EXPECT_EQ(part->timing.sampled->warp_instructions, all->stats.warp_instructions);
  EXPECT_LT(part->timing.counters.warp_instructions * 3, all->timing.counters.warp_instructions);
  EXPECT_NEAR(part->timing.sampled->cycles, static_cast<double>(all->timing.counters.cycles),
              0.03 * static_cast<double>(all->timing.counters.cycles));
  expect_conservation(part->timing.counters);
}

TEST_F(SampledChip, results_do_not_depend_on_threads) {
  options.sample = true;
  const auto one = simulate(kernel(kWork), {4096, 1, 1}, {32, 1, 1}, 4096, 4);
  ASSERT_TRUE(one);
  chip.reset();
  options.threads = 2;
  const auto two = simulate(kernel(kWork), {4096, 1, 1}, {32, 1, 1}, 4096, 4);
  ASSERT_TRUE(two);
  expect_same(*one, *two);
  EXPECT_EQ(one->timing.sampled->cycles, two->timing.sampled->cycles);
  EXPECT_EQ(one->timing.sampled->error, two->timing.sampled->error);
}

// Launches that are alike: those that only run are taken to need what the simulated ones did.
TEST_F(SampledChip, launches_that_only_run) {
  options.sample = true;
  config.launch.cycles = 500;
  auto program = engine().load(
      kernel(
          "ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; ret;"),
      "test.ptx");
  ASSERT_TRUE(program);
  Chip sampled(config, options);
  const uint64_t buffer = *engine().memory().allocate(4, simt::MemoryKind::device);
  simt::LaunchConfig launch;
  launch.block = {32, 1, 1};
  launch.params = std::as_bytes(std::span(&buffer, 1));
  std::string what;
  for (unsigned k = 1; k <= 16; ++k) {
    const auto one = sampled.launch(engine(), **program, "k", launch, {4, "CTA slots"});
    ASSERT_TRUE(one);
    ASSERT_TRUE(one->timing.sampled);
    const auto simulated = static_cast<double>(one->timing.counters.cycles);
    what += simulated != 0 ? 'd' : '.';
    if (simulated != 0) {
      EXPECT_EQ(one->timing.sampled->cycles, simulated);
      EXPECT_EQ(one->timing.sampled->error, 0);
    }
    EXPECT_NEAR(one->timing.sampled->cycles, 560, 60);
    EXPECT_EQ(one->stats.warp_instructions, 5u);
    EXPECT_EQ(one->timing.ctas_per_sm, 4u);
    EXPECT_EQ(*reinterpret_cast<const uint32_t*>(buffer), k) << "it ran";
  }
  EXPECT_EQ(what, "ddd...d....d....");
}

// CTAs that see each other cannot run apart.
TEST_F(SampledChip, launches_whose_ctas_see_each_other_are_simulated_as_a_whole) {
  options.sample = true;
  const auto all = simulate(
      kernel("ld.param.u64 %rd1, [out]; atom.global.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd1+4], %r1; ret;"),
      {256, 1, 1}, {32, 1, 1}, 64, 4);
  ASSERT_TRUE(all);
  EXPECT_EQ(out[0], 256u * 32);
  EXPECT_EQ(all->timing.sampled->cycles, static_cast<double>(all->timing.counters.cycles));
}

// A fault of a CTA that is not simulated is the launch's.
TEST_F(SampledChip, a_fault_of_what_only_runs_is_told) {
  options.sample = true;
  const auto faulty = simulate(kernel("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 40; mov.u64 %rd1, 16;"
                                      "@%p1 ld.global.u32 %r2, [%rd1]; ret;"),
                               {256, 1, 1}, {32, 1, 1}, 64, 4);
  ASSERT_FALSE(faulty);
  EXPECT_EQ(faulty.error().kernel, "k");
  const auto after = simulate(kernel("ret;"), {1, 1, 1}, {32, 1, 1});
  EXPECT_TRUE(after);
}

}  // namespace
}  // namespace bankshot::timing

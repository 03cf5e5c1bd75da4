// EngineOptions::stop: a launch ends before its last CTA, with the counters of what ran.
#include <atomic>

#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineStop : public EngineTest {
 protected:
  void SetUp() override {
    options.threads = 1;
    options.stop = &stop_;
    // Some time after the first CTA: the launch is stopped by what it has done, not by the clock.
    options.progress = [this](const LaunchProgress& now) { stop_ = now.warp_instructions != 0; };
  }

  std::atomic<bool> stop_{false};
};

constexpr const char* kForEver = "L: add.u32 %r8, %r8, 1; bra L;";

TEST_F(EngineStop, a_launch_that_is_stopped_before_it_begins_runs_nothing) {
  stop_ = true;
  const auto stats = run(kernel("ret;"), {20}, {32}, 1);
  ASSERT_TRUE(stats);
  EXPECT_TRUE(stats->stopped);
  EXPECT_EQ(stats->ctas_ended, 0u);
  EXPECT_EQ(stats->warp_instructions, 0u);
}

TEST_F(EngineStop, a_launch_that_ends_by_itself_is_whole) {
  const auto stats = run(kernel("ret;"), {20}, {32}, 1);
  ASSERT_TRUE(stats);
  EXPECT_FALSE(stats->stopped);
  EXPECT_EQ(stats->ctas_ended, 20u);
}

TEST_F(EngineStop, ctas_that_ended_are_counted) {
  // CTA 3 loops for ever; those before it have ended.
  const auto stats =
      run(kernel(kThread + "st.global.u32 [%rd2], 7; setp.ne.u32 %p1, %r2, 3; @%p1 ret;" + kForEver), {20}, {32}, 640);
  ASSERT_TRUE(stats);
  EXPECT_TRUE(stats->parallel);
  EXPECT_TRUE(stats->stopped);
  EXPECT_EQ(stats->ctas_ended, 3u);
  EXPECT_EQ(out[3 * 32], 7u);
  EXPECT_EQ(out[4 * 32], 0u);
}

TEST_F(EngineStop, ctas_in_one_fixed_order_are_stopped_too) {
  const auto stats = run(kernel("atom.global.add.u32 %r5, [%rd1], 1; st.global.u32 [%rd1+4], %r5; mov.u32 %r2, "
                                "%ctaid.x; setp.ne.u32 %p1, %r2, 3;"
                                "@%p1 ret;" +
                                std::string(kForEver)),
                         {20}, {1}, 2);
  ASSERT_TRUE(stats);
  EXPECT_FALSE(stats->parallel);
  EXPECT_TRUE(stats->stopped);
  EXPECT_GE(stats->ctas_ended, 3u);
  EXPECT_LT(stats->ctas_ended, 20u);
}

TEST_F(EngineStop, a_launch_behind_one_that_was_stopped_is_whole) {
  ASSERT_TRUE(run(kernel(kForEver), {2}, {64}, 1)->stopped);
  stop_ = false;
  const auto stats = run(kernel(kThread + "st.global.u32 [%rd2], %r1; ret;"), {2}, {64}, 128);
  ASSERT_TRUE(stats);
  EXPECT_FALSE(stats->stopped);
  EXPECT_EQ(out[127], 63u);
}

}  // namespace
}  // namespace bankshot::simt

// What a caller is told while a launch runs.
#include <algorithm>
#include <mutex>
#include <set>

#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineProgress : public EngineTest {
 protected:
  static constexpr uint64_t kCtas = 20;
  /// Long enough for a CTA to be told.
  static inline const std::string kLong =
      kThread + "mov.u32 %r8, 0; L: add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 30000; @%p1 bra L;";

  void SetUp() override {
    options.threads = 4;
    options.progress = [this](const LaunchProgress& now) {
      const std::lock_guard lock(mutex_);
      EXPECT_EQ(now.ctas, kCtas);
      EXPECT_LE(now.ctas_done, kCtas);
      told_.insert(now.ctas_done);
      instructions_ = std::max(instructions_, now.warp_instructions);
    };
  }

  std::mutex mutex_;
  std::set<uint64_t> told_;
  uint64_t instructions_ = 0;  ///< the most that were told
};

TEST_F(EngineProgress, long_ctas_are_told_one_by_one) {
  const auto stats = run(kernel(kLong + "st.global.u32 [%rd2], %r1; ret;"), {kCtas}, {32}, kCtas * 32);
  ASSERT_TRUE(stats);
  EXPECT_TRUE(stats->parallel);
  EXPECT_EQ(told_.size(), kCtas);
  EXPECT_EQ(instructions_, stats->warp_instructions);
}

TEST_F(EngineProgress, ctas_in_one_fixed_order_are_told_too) {
  const auto stats = run(kernel(kLong + "atom.global.add.u32 %r5, [%rd1], 1; st.global.u32 [%rd2+4], %r5; ret;"),
                         {kCtas}, {32}, kCtas * 32 + 1);
  ASSERT_TRUE(stats);
  EXPECT_FALSE(stats->parallel);
  EXPECT_EQ(told_.size(), kCtas);
}

TEST_F(EngineProgress, the_end_of_short_and_of_faulty_launches_is_told) {
  ASSERT_TRUE(run(kernel("ret;"), {kCtas}, {32}, 1));
  EXPECT_EQ(told_, std::set<uint64_t>{kCtas});
  told_.clear();
  EXPECT_FALSE(run(kernel("trap;"), {kCtas}, {32}, 1));
  EXPECT_EQ(told_, std::set<uint64_t>{kCtas});
}

}  // namespace
}  // namespace bankshot::simt

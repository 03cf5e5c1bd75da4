// What cooperative launches have: a place where all CTAs count, and all of them there at once.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineGrid : public EngineTest {
 protected:
  /// The address of the workspace in %rd5, as cooperative groups put it together.
  static inline const std::string kWorkspace =
      "mov.u32 %r10, %envreg2; mov.u32 %r11, %envreg1; mov.b64 %rd5, {%r10, %r11};\n";
};

TEST_F(EngineGrid, a_plain_launch_has_no_workspace) {
  const std::string text = kernel(kWorkspace + "st.global.u64 [%rd1], %rd5; ret;");
  ASSERT_TRUE(run(text, {1}, {1}, 2));
  EXPECT_EQ(out[0] | out[1], 0u);
  cooperative = true;
  ASSERT_TRUE(run(text, {1}, {1}, 2));
  EXPECT_NE(out[0] | out[1], 0u);
}

TEST_F(EngineGrid, programs_without_cooperative_launches_have_all_memory) {
  const std::string text = kernel("ret;");
  const uint64_t at_first = engine().memory().used();
  ASSERT_TRUE(run(text, {1}, {1}, 2));
  EXPECT_EQ(engine().memory().used(), at_first);
  cooperative = true;
  ASSERT_TRUE(run(text, {1}, {1}, 2));
  EXPECT_EQ(engine().memory().used(), at_first + 8);
  ASSERT_TRUE(run(text, {1}, {1}, 2));
  EXPECT_EQ(engine().memory().used(), at_first + 8) << "once";
}

TEST_F(EngineGrid, a_cooperative_launch_without_memory_for_its_barrier_is_refused) {
  const uint64_t left = engine().memory().capacity() - engine().memory().used();
  ASSERT_TRUE(engine().memory().allocate(left - 8, MemoryKind::device));  // the buffer of run() is the rest
  cooperative = true;
  const auto result = run(kernel("ret;"), {1}, {1}, 2);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("no memory left"), std::string::npos) << result.error().message;
}

TEST_F(EngineGrid, every_cta_arrives_before_one_goes_on) {
  options.machine.resident_ctas = 2;  // of a launch that is not cooperative
  cooperative = true;
  const std::string text = kernel(kThread + kWorkspace +
                                  "atom.add.release.gpu.u32 %r12, [%rd5+4], 1; mov.u32 %r13, %nctaid.x;\n"
                                  "W: ld.acquire.gpu.u32 %r14, [%rd5+4]; setp.lt.u32 %p1, %r14, %r13; @%p1 bra W;\n"
                                  "st.global.u32 [%rd2], %r14; ret;");
  for (int launch = 0; launch < 2; ++launch) {  // the counter begins at 0 again
    ASSERT_TRUE(run(text, {9}, {1}, 9));
    for (const uint32_t arrived : out) EXPECT_EQ(arrived, 9u);
  }
}

// 400 CTAs that joined one by one would poll 256 times in each of 400 rounds, 20 million times in all.
TEST_F(EngineGrid, ctas_that_wait_for_all_others_do_not_join_one_by_one) {
  const std::string barrier =
      "atom.add.release.gpu.u32 %r12, [%rd1+1600], 1; mov.u32 %r13, %nctaid.x;\n"
      "W: ld.acquire.gpu.u32 %r14, [%rd1+1600]; setp.lt.u32 %p1, %r14, %r13; @%p1 bra W;\n"
      "st.global.u32 [%rd2], %r14; ret;";
  for (cooperative = false;; cooperative = true) {
    const auto result = run(kernel(kThread + barrier), {400}, {1}, 401);
    ASSERT_TRUE(result) << result.error().message;
    for (const uint32_t arrived : out) EXPECT_EQ(arrived, 400u);
    EXPECT_LT(result->warp_instructions, cooperative ? 1'000'000u : 4'000'000u);
    if (cooperative) break;
  }
}

TEST_F(EngineGrid, a_condition_is_a_word_of_memory) {
  const std::string text = kernel(
      "{ .param .b64 h; .param .b32 v; st.param.b64 [h], %rd1; st.param.b32 [v], 7; call cudaGraphSetConditional, (h, "
      "v); } ret;",
      ".extern .func cudaGraphSetConditional (.param .b64 a, .param .b32 b);");
  ASSERT_TRUE(run(text, {1}, {1}, 2));
  EXPECT_EQ(out[0], 7u);
  EXPECT_EQ(out[1], 0u);
}

}  // namespace
}  // namespace bankshot::simt

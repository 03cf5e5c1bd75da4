// clusterlaunchcontrol: CTAs take over clusters that have not started. Expected values are worked by hand.
#include <algorithm>
#include <numeric>

#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineLaunchControl : public EngineTest {
 protected:
  /// Each CTA adds 1 to out[its number] and asks for another one, until there is none; then out[64 + its own number]
  /// is how many it did. A number is x + 4 y + 8 z.
  static std::string persistent(const std::string& first) {
    const std::string number = "mad.lo.u32 %r6, %r11, 4, %r10; mad.lo.u32 %r6, %r12, 8, %r6;";
    return kernel(
        ".shared .align 16 .b8 response[16]; .shared .align 8 .b64 bar; .reg .b128 %q; .reg .b32 %unused;"
        "mov.u32 %r20, response; mov.u32 %r21, bar; mov.u32 %r10, %ctaid.x; mov.u32 %r11, %ctaid.y; mov.u32 %r12, "
        "%ctaid.z; mov.u32 %r7, 0; mov.u32 %r8, 0; mbarrier.init.shared.b64 [%r21], 1;" +
        number +
        "mov.u32 %r13, %r6;"
        "\nL:" +
        number +
        "mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd1, %rd2; red.global.add.u32 [%rd2], 1; add.u32 %r7, %r7, 1;"
        "mbarrier.arrive.expect_tx.shared.b64 _, [%r21], 16;"
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r20], [%r21];\n"
        "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r21], %r8; @!%p1 bra W; xor.b32 %r8, %r8, 1;"
        "ld.shared.b128 %q, [%r20]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q; @!%p2 bra E;" +
        first + "bra L;\nE: mul.wide.u32 %rd3, %r13, 4; add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3+256], %r7; ret;");
  }
  static inline const std::string kVector =
      "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r10, %r11, %r12, %unused}, %q;";
};

TEST_F(EngineLaunchControl, every_cta_is_done_once_and_the_first_ones_take_them_over) {
  const auto result = run(persistent(kVector), {4, 2, 3}, {1}, 128);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->parallel);
  EXPECT_EQ(result->ctas_ended, 24u);
  EXPECT_FALSE(result->stopped);
  for (unsigned k = 0; k < 24; ++k) EXPECT_EQ(out[k], 1u) << k;
  EXPECT_EQ(std::accumulate(out.begin() + 64, out.begin() + 88, 0u), 24u);
  EXPECT_GT(out[64], 1u) << "the first CTA took over others";
  EXPECT_EQ(out[64 + 23], 0u) << "the last one never started";
}

TEST_F(EngineLaunchControl, parts_of_an_index_are_read_one_by_one) {
  const std::string first = "clusterlaunchcontrol.query_cancel.get_first_ctaid::";
  const auto result =
      run(persistent(first + "x.b32.b128 %r10, %q;" + first + "y.b32.b128 %r11, %q;" + first + "z.b32.b128 %r12, %q;"),
          {4, 2, 3}, {1}, 128);
  ASSERT_TRUE(result) << result.error().message;
  for (unsigned k = 0; k < 24; ++k) EXPECT_EQ(out[k], 1u) << k;
}

TEST_F(EngineLaunchControl, a_cluster_takes_over_a_cluster_and_all_its_ctas_learn_of_it) {
  // Clusters of two CTAs: rank 0 asks for both. out[number] counts, and number = x of the first CTA + rank.
  cluster = {2};
  const std::string text = kernel(
      ".shared .align 16 .b8 response[16]; .shared .align 8 .b64 bar; .reg .b128 %q;"
      "mov.u32 %r20, response; mov.u32 %r21, bar; mov.u32 %r10, %ctaid.x; mov.u32 %r5, %cluster_ctarank; mov.u32 %r8, "
      "0; setp.eq.u32 %p3, %r5, 0; cvt.u64.u32 %rd5, %r20; cvta.shared.u64 %rd5, %rd5; cvt.u64.u32 %rd6, %r21; "
      "cvta.shared.u64 %rd6, %rd6; mbarrier.init.shared.b64 [%r21], 1; barrier.cluster.arrive; barrier.cluster.wait;\n"
      "L: mul.wide.u32 %rd2, %r10, 4; add.u64 %rd2, %rd1, %rd2; red.global.add.u32 [%rd2], 1;"
      "mbarrier.arrive.expect_tx.shared.b64 _, [%r21], 16; barrier.cluster.arrive; barrier.cluster.wait;"
      "@%p3 clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%rd5], "
      "[%rd6];\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r21], %r8; @!%p1 bra W; xor.b32 %r8, %r8, 1;"
      "ld.shared.b128 %q, [%r20]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q; @!%p2 bra E;"
      "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r10, _, _, _}, %q; add.u32 %r10, %r10, %r5; bra "
      "L;\nE: ret;");
  const auto result = run(text, {12}, {1}, 16);
  ASSERT_TRUE(result) << result.error().message;
  for (unsigned k = 0; k < 12; ++k) EXPECT_EQ(out[k], 1u) << k;
  EXPECT_EQ(result->ctas_ended, 12u);
}

TEST_F(EngineLaunchControl, rejects_addresses_outside_of_shared_memory) {
  const auto result = run(kernel("clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [%rd1], "
                                 "[%rd1]; ret;"),
                          {1}, {1}, 16);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::illegal_address);
}

}  // namespace
}  // namespace bankshot::simt

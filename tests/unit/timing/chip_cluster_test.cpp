// Clusters on the chip: CTAs start together, reach each other's shared memory, and wait for each other.
#include "chip_harness.hpp"

namespace bankshot::timing {
namespace {

class ChipCluster : public ChipTest {
 protected:
  ChipCluster() {
    config.sms = 3;
    cluster = {4};
  }
  /// %r1 = thread, %r2 = its index in the grid, %rd2 = its word of out, %r5 = rank, %r6 = the next one's, %r20 = s,
  /// %r21 = bar
  static std::string body(const std::string& text) {
    return kernel(
        ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;"
        "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r2, %r3, %r4, %r1; mul.wide.u32 %rd2, %r2, 4; "
        "add.u64 %rd2, %rd2, %rd1;"
        "mov.u32 %r5, %cluster_ctarank; add.u32 %r6, %r5, 1; and.b32 %r6, %r6, 3; mov.u32 %r20, s; mov.u32 %r21, "
        "bar;\n" +
        text + "ret;");
  }
  static inline const std::string kSync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
  /// Stores into the next CTA, adds into that of rank 0, reads both.
  static inline const std::string kMix =
      "shl.b32 %r7, %r1, 2; add.u32 %r8, %r20, %r7; mapa.shared::cluster.u32 %r9, %r8, %r6; mad.lo.u32 %r10, %r5, 100, "
      "%r1;" +
      kSync +
      "st.shared::cluster.u32 [%r9], %r10; mapa.shared::cluster.u32 %r11, %r20, 0; red.shared::cluster.add.u32 "
      "[%r11+512], 1;" +
      kSync +
      "ld.shared.u32 %r13, [%r8]; ld.shared::cluster.u32 %r14, [%r11+512]; mad.lo.u32 %r13, %r14, 1000, %r13; "
      "st.global.u32 [%rd2], %r13;" +
      kSync;
};

TEST_F(ChipCluster, ctas_of_a_cluster_see_each_other) {
  const auto result = simulate(body(kMix), {12}, {64}, 12 * 64, 2);
  ASSERT_TRUE(result) << result.error().message;
  expect_conservation(result->timing.counters);
  EXPECT_EQ(result->timing.counters.ctas, 12u);
  for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 256000 + (i / 64 + 3) % 4 * 100 + i % 64) << i;
}

TEST_F(ChipCluster, cycles_do_not_depend_on_the_host_threads) {
  const auto alone = simulate(body(kMix), {12}, {64}, 12 * 64, 2);
  ASSERT_TRUE(alone);
  chip.reset();
  options.threads = 4;
  const auto together = simulate(body(kMix), {12}, {64}, 12 * 64, 2);
  ASSERT_TRUE(together);
  EXPECT_EQ(alone->timing.counters.cycles, together->timing.counters.cycles);
}

TEST_F(ChipCluster, another_ctas_memory_is_two_ways_further) {
  // Each of four CTAs measures a load from its own memory and from the next one's. The interconnect takes 8 cycles a
  // way.
  const auto load = [&](const std::string& from) {
    const auto result = simulate(
        body("mapa.shared::cluster.u32 %r9, %r20, " + from + ";" + kSync +
             "mov.u32 %r30, %clock; ld.shared::cluster.u32 %r10, [%r9]; add.u32 %r11, %r10, 1; mov.u32 %r31, %clock;"
             "sub.u32 %r31, %r31, %r30; st.global.u32 [%rd2], %r31;" +
             kSync),
        {4}, {32}, 4 * 32, 2);
    EXPECT_TRUE(result) << result.error().message;
    return out[0];
  };
  const uint32_t own = load("%r5"), other = load("%r6");
  EXPECT_EQ(other - own, 16u);
}

TEST_F(ChipCluster, a_cluster_waits_for_room_for_all) {
  // Three SMs hold four CTAs each time: the second cluster starts when the first has ended.
  const std::string text = body("mov.u32 %r30, %clock; st.global.u32 [%rd2], %r30;" + kSync);
  const auto result = simulate(text, {8}, {32}, 8 * 32, 2);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t rank = 1; rank < 4; ++rank) EXPECT_NEAR(out[rank * 32], out[0], 7) << "start together, two on one SM";
  EXPECT_GT(out[4 * 32], out[0] + 8) << "of six places two are free";
  const auto none = simulate(text, {8}, {32}, 8 * 32, 1);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("a cluster of 4 CTAs cannot start: the GPU holds 3"), std::string::npos);
}

TEST_F(ChipCluster, copies_tell_barriers_of_others) {
  // Rank 0 copies 256 bytes to all four; stores of each CTA tell the next one's barrier.
  const std::string wait = ": mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r21], ";
  const auto result = simulate(
      body(
          "setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.init.shared::cta.b64 [%r21], 1; add.u32 %r10, %r2, 7; setp.lt.u32 "
          "%p3, %r2, 64;"
          "@%p3 st.global.u32 [%rd2], %r10;" +
          kSync +
          "@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r21], 256; or.b32 %r11, %r5, %r1; setp.ne.u32 %p4, %r11, 0; "
          "@%p4 bra FIRST;"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r20], [%rd1], 256, "
          "[%r21], 15;\n"
          "FIRST" +
          wait +
          "0; @!%p1 bra FIRST; shl.b32 %r12, %r1, 2; add.u32 %r12, %r12, %r20; ld.shared.u32 %r13, [%r12];"
          "@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r21], 256;" +
          kSync +
          "mapa.shared::cluster.u32 %r14, %r12, %r6; mapa.shared::cluster.u32 %r15, %r21, %r6; add.u32 %r16, %r2, 1000;"
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r14+512], %r16, [%r15];\n"
          "THEN" +
          wait +
          "1; @!%p1 bra THEN; ld.shared.u32 %r17, [%r12+512]; mad.lo.u32 %r17, %r17, 1000, %r13;"
          "st.global.u32 [%rd2+1024], %r17;" +
          kSync),
      {4}, {64}, 512, 2);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 256; ++i)
    EXPECT_EQ(out[256 + i], (1000 + (i / 64 + 3) % 4 * 64 + i % 64) * 1000 + i % 64 + 7) << i;
}

TEST_F(ChipCluster, a_barrier_that_nobody_completes_is_told) {
  const auto result = simulate(body("setp.eq.u32 %p1, %r5, 2; @%p1 bar.sync 1, 64;" + kSync), {4}, {32}, 64, 2);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("all live warps of the CTA are blocked"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::timing

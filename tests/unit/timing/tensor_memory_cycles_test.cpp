// Tensor memory (tcgen05) on an SM: how long its instructions take, and who waits for columns.
#include <bit>

#include "tensor_memory_harness.hpp"

namespace bankshot::timing {
namespace {

class TensorMemoryCycles : public TensorMemoryTest {
 protected:
  TensorMemoryCycles() { config.tensor_memory = kTensorMemory; }
};

TEST_F(TensorMemoryCycles, a_product_takes_its_columns_its_wavefronts_or_the_least) {
  EXPECT_EQ(interval(product(128, 256)), 128u);
  EXPECT_EQ(interval(product(128, 128)), 64u);
  EXPECT_EQ(interval(product(128, 64)), 48u) << "32 wavefronts of A, 16 of B";
  EXPECT_EQ(interval(product(128, 64, "[%r9+128]")), 44u) << "A is in tensor memory";
  EXPECT_EQ(interval(product(128, 16)), 44u);
  EXPECT_EQ(interval(product(64, 256)), 128u) << "half of the rate";
  EXPECT_EQ(interval(product(32, 256, "%rd4", ".ws")), 128u);
}

TEST_F(TensorMemoryCycles, wavefronts_of_operands_are_counted) {
  cycles_of(kernel_of(product(128, 256) + product(128, 256, "[%r9]")));
  EXPECT_EQ(last.timing.counters.shared_wavefronts - last.timing.counters.shared_accesses, 96u + 64);
}

TEST_F(TensorMemoryCycles, the_thread_goes_on_at_once) {
  const std::string rest = "mov.u32 %r31, %clock; sub.u32 %r31, %r31, %r30; st.global.u32 [%rd1], %r31;";
  cycles_of(kernel_of("mov.u32 %r30, %clock;" + product(128, 256) + kCommit + rest));
  EXPECT_LT(out[0], 20u);
}

TEST_F(TensorMemoryCycles, a_commit_arrives_when_the_products_are_done) {
  const Cycle without = cycles_of(kernel_of(product(128, 256)));
  EXPECT_EQ(cycles_of(kernel_of(product(128, 256) + kCommit)) - without, 40u + 1) << "the warp ends with its commit";
  // What waits for the barrier sees it at the end of a turn of its loop.
  const std::string clock = "mov.u32 %r31, %clock; sub.u32 %r31, %r31, %r30; @!%p2 st.global.u32 [%rd1], %r31;";
  cycles_of(kernel_of("mov.u32 %r30, %clock;" + product(128, 256) + product(128, 256) + kCommit + kWait + clock));
  EXPECT_GE(out[0], 2 * 128u + 40);
  EXPECT_LT(out[0], 2 * 128u + 40 + 40);
}

TEST_F(TensorMemoryCycles, a_copy_takes_its_wavefronts) {
  EXPECT_EQ(interval("@!%p2 tcgen05.cp.cta_group::1.128x256b [%r9], %rd4;"), 32u);
  EXPECT_EQ(interval("@!%p2 tcgen05.cp.cta_group::1.128x128b [%r9], %rd4;"), 16u);
}

TEST_F(TensorMemoryCycles, loads_and_stores_take_bandwidth) {
  const auto load = "tcgen05.ld.sync.aligned.32x32b.x16.b32 " + list(16) + ", [%r9];";
  const auto store = "tcgen05.st.sync.aligned.32x32b.x16.b32 [%r9], " + list(16) + ";";
  const std::string wait = "tcgen05.wait::ld.sync.aligned;", wait_st = "tcgen05.wait::st.sync.aligned;";
  const auto time = [&](const std::string& body, unsigned threads) { return cycles_of(kernel_of(body), threads); };
  EXPECT_EQ(time(load + load + wait, 32) - time(load + wait, 32), 39u) << "2048 / 53";
  EXPECT_EQ(time(store + store + wait_st, 32) - time(store + wait_st, 32), 25u) << "2048 / 85";
  EXPECT_LT(time(load + load, 32), time(load + wait, 32)) << "nobody waits";
  EXPECT_EQ(time(load + wait_st, 32), time(load, 32) + 1) << "it waits for stores";
  // Warp 0 and another one: what a further load of each takes.
  const auto further = [&](unsigned warp) {
    const std::string only = "shr.u32 %r13, %r1, 5; setp.ne.u32 %p4, %r13, 0; setp.ne.and.u32 %p4, %r13, " +
                             std::to_string(warp) + ", %p4; @%p4 bra E; ";
    return time(only + load + load + wait + "E:", 192) - time(only + load + wait + "E:", 192);
  };
  EXPECT_EQ(further(4), 2 * 39u) << "of the same quarter of the lanes";
  EXPECT_LE(further(5), 39u + 2) << "of another one";
}

TEST_F(TensorMemoryCycles, allocating_takes_its_cycles) {
  const Cycle fast = cycles_of(kernel_of(""));
  config.tensor_memory.alloc_cycles = 300;
  EXPECT_EQ(cycles_of(kernel_of("")) - fast, 100u);
}

TEST_F(TensorMemoryCycles, ctas_of_an_sm_wait_for_columns) {
  const auto free = [](unsigned columns) {
    return kernel_of("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, " + std::to_string(columns) + ";", columns);
  };
  const Cycle together = cycles_of(free(256), 32, 2);
  const Cycle in_turn = cycles_of(free(512), 32, 2);
  EXPECT_GE(in_turn, together + 200);
  EXPECT_LT(in_turn, together + 200 + 40);
  EXPECT_GE(slots(Cause::unit_busy), 30u) << "between the allocations of one CTA and its end";
  // A CTA that ends leaves nothing behind.
  EXPECT_GE(cycles_of(kernel_of("", 512), 32, 2), 400u);
}

TEST_F(TensorMemoryCycles, columns_that_nobody_frees_are_a_deadlock) {
  const auto result = simulate(
      kernel_of("@!%p3 bra.uni E; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], 32; E: bar.sync 0;",
                512),
      {1, 1, 1}, {64, 1, 1});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, simt::Fault::Kind::deadlock);
  EXPECT_NE(result.error().message.find("waits forever for 32 columns: 512 of 512 are allocated"), std::string::npos)
      << result.error().message;
}

TEST_F(TensorMemoryCycles, the_fault_of_a_cta_that_others_wait_for_is_told_first) {
  // One CTA has all columns and stays at a barrier for 64 threads; the other one waits for columns.
  const auto result = simulate(kernel_of("@%p3 bra.uni E; bar.sync 1, 64; E:", 512), {2, 1, 1}, {64, 1, 1});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, simt::Fault::Kind::divergent_barrier) << result.error().message;
}

/// A pair of CTAs on two SMs. Halves of A and B are 1 in the even CTA and 2 in the odd one.
class TensorMemoryPair : public TensorMemoryCycles {
 protected:
  TensorMemoryPair() {
    config.sms = 2;
    cluster = {2};
  }
  static inline const std::string kSync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
  static std::string pair(unsigned products) {
    std::string all =
        "mov.u32 %r5, %cluster_ctarank; setp.ne.u32 %p4, %r5, 0; or.pred %p2, %p2, %p4; mov.b16 %h1, 3;\n"
        "selp.b32 %r6, 0x40004000, 0x3c003c00, %p4; and.b32 %r7, %r1, 31; shl.b32 %r7, %r7, 2; mov.u32 %r8, s;\n"
        "add.u32 %r7, %r7, %r8; st.shared.b32 [%r7], %r6; fence.proxy.async.shared::cta;\n" +
        kSync + "mov.b32 %r12, " + std::to_string(256u / 16 << 24 | 256u / 8 << 17 | 0x10) + ";\n";
    for (unsigned k = 0; k < products; ++k)
      all += "@!%p2 tcgen05.mma.cta_group::2.kind::f16 [%r9], %rd4, %rd4, %r12, %p5;\n";
    return kernel_of(
        all +
            "@!%p2 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r10], "
            "%h1;\n" +
            kWait +
            "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, [%r9];\n"
            "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r21}, [%r9+128]; tcgen05.wait::ld.sync.aligned;\n"
            "mad.lo.u32 %r22, %r5, 128, %r1; mul.wide.u32 %rd6, %r22, 8; add.u64 %rd6, %rd6, %rd1;\n"
            "st.global.b32 [%rd6], %r20; st.global.b32 [%rd6+4], %r21;\n" +
            kSync + "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r9, 256;",
        256, "2");
  }
};

TEST_F(TensorMemoryPair, both_have_their_sums_when_the_commit_has_arrived) {
  cycles_of(pair(1), 32, 2);
  for (unsigned cta = 0; cta < 2; ++cta) {
    for (unsigned t = 0; t < 32; ++t) {
      const unsigned at = (cta * 128 + t) * 2;
      EXPECT_EQ(std::bit_cast<float>(out[at]), 16.0f * static_cast<float>(cta + 1)) << cta << ' ' << t;
      EXPECT_EQ(std::bit_cast<float>(out[at + 1]), 32.0f * static_cast<float>(cta + 1)) << cta << ' ' << t;
    }
  }
  EXPECT_EQ(last.timing.counters.shared_wavefronts - last.timing.counters.shared_accesses, 2u * (32 + 32))
      << "each CTA reads its 128 rows of A and 128 columns of B";
}

TEST_F(TensorMemoryPair, a_product_takes_the_columns_of_both) {
  const Cycle few = cycles_of(pair(2), 32, 2);
  EXPECT_NEAR(static_cast<double>(cycles_of(pair(10), 32, 2) - few), 8 * 128, 16) << "a turn of the loop that waits";
}

TEST_F(TensorMemoryPair, cycles_do_not_depend_on_the_host_threads) {
  const Cycle alone = cycles_of(pair(3), 32, 2);
  options.threads = 2;
  EXPECT_EQ(cycles_of(pair(3), 32, 2), alone);
}

}  // namespace
}  // namespace bankshot::timing

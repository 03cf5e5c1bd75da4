// What Checks finds of tensor memory, and of registers that asynchronous instructions still read or write.
#include <optional>

#include "bankshot/simt/checks/checks.hpp"
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class TensorChecks : public EngineTest {
 protected:
  /// Four warps. Warp 0 has allocated 64 columns, %r9; %r13 is the address of a warp's lanes in the first one, %p2 is
  /// false in thread 0, %p3 in warp 0. %rd4 is a descriptor of `s`, 4 KiB of zeros.
  std::vector<Finding> found(const std::string& body, bool frees = true, CheckOptions wanted = {.sync = true}) {
    const std::string free = frees ? "@!%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, 64;\n" : "";
    return findings(
        "sm_100a",
        ".shared .b32 place; mov.u32 %r11, place; mov.u32 %r12, 0x08040010;\n"
        "@!%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], 64;\n"
        "bar.sync 0; ld.shared.b32 %r9, [%r11]; and.b32 %r13, %r1, 0xffffffe0; shl.b32 %r13, %r13, 16; add.u32 %r13, "
        "%r13, %r9;\n" +
            body + "bar.sync 0;\n" + free,
        wanted);
  }

  /// %rd4 is a descriptor of 4 KiB of zeros, without swizzle, cores of a row 128 bytes apart, those of eight rows 256.
  std::vector<Finding> findings(const std::string& target, const std::string& body, CheckOptions wanted) {
    checks_.emplace(wanted);
    options.checks = &*checks_;
    const auto result = run(".version 8.7\n.target " + target +
                                "\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .b32 %r<32>; .reg .b64 "
                                "%rd<32>; .reg .pred %p<8>; .reg .f32 %f<16>;\n"
                                ".shared .align 1024 .b8 s[4096]; ld.param.u64 %rd1, [out];\n" +
                                kThread +
                                "setp.ne.u32 %p2, %r1, 0; setp.ge.u32 %p3, %r1, 32; setp.ne.u32 %p5, %r1, %r1; mov.u32 "
                                "%r8, s; bfe.u32 %r8, %r8, 4, 14; cvt.u64.u32 %rd3, %r8; or.b64 %rd4, %rd3, "
                                "0x0000401000080000;\n" +
                                body + "ret;\n}\n",
                            {1}, {128}, 128);
    EXPECT_TRUE(result) << result.error().message;
    return checks_->findings();
  }

  static inline const std::string kStore = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r13], {%r1};\n",
                                  kStored = "tcgen05.wait::st.sync.aligned;\n",
                                  kLoad = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, [%r13];\n",
                                  kLoaded = "tcgen05.wait::ld.sync.aligned;\n", kUse = "st.global.b32 [%rd2], %r20;\n",
                                  kMultiply =
                                      "bar.sync 0; @!%p2 tcgen05.mma.cta_group::1.kind::f16 [%r9], %rd4, %rd4, %r12, "
                                      "%p5;\n";
  static inline const std::string kWgmma =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd4, %rd4, 1, 1, 1, 0, 0;\n";

 private:
  std::optional<Checks> checks_;  ///< the engine keeps its address
};

// PTX ISA 9.0, 9.7.16.7: all columns have to be freed before the kernel ends.
TEST_F(TensorChecks, columns_are_freed_before_the_end) {
  EXPECT_TRUE(found("", true, {.memory = true}).empty());
  const std::vector<Finding> all = found("", false, {.memory = true});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, Finding::Kind::unfreed_columns);
  EXPECT_EQ(all[0].op, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32");
  EXPECT_EQ(all[0].detail, "64 columns are still allocated when the CTA ends: free them with tcgen05.dealloc");
}

TEST_F(TensorChecks, stores_to_tensor_memory_are_waited_for) {
  EXPECT_TRUE(found(kStore + kStored + kLoad + kLoaded + kUse + kMultiply).empty());
  std::vector<Finding> all = found(kStore + kLoad + kStored + kLoaded + kUse);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, Finding::Kind::missing_wait);
  EXPECT_FALSE(all[0].is_warning);
  EXPECT_EQ(all[0].op, "tcgen05.ld.sync.aligned.32x32b.x1.b32");
  EXPECT_EQ(all[0].other_op, "tcgen05.st.sync.aligned.32x32b.x1.b32");
  EXPECT_EQ(all[0].count, 4u) << "warps";
  all = found(kStore + kMultiply);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].op, "tcgen05.mma.cta_group::1.kind::f16");
  EXPECT_EQ(all[0].count, 4u);
}

TEST_F(TensorChecks, what_is_stored_elsewhere_is_not_waited_for) {
  EXPECT_TRUE(found("tcgen05.st.sync.aligned.32x32b.x1.b32 [%r13+40], {%r1};\n" + kMultiply).empty());  // D: 16 columns
}

TEST_F(TensorChecks, loads_are_waited_for_before_a_product_overwrites_what_they_load) {
  EXPECT_TRUE(found(kLoad + kLoaded + kMultiply).empty());
  const std::vector<Finding> all = found(kLoad + kMultiply);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, Finding::Kind::missing_wait);
  EXPECT_EQ(all[0].other_op, "tcgen05.ld.sync.aligned.32x32b.x1.b32");
}

// PTX ISA 9.0, 9.7.16.6.3: completion of tcgen05.mma is known from an mbarrier that tcgen05.commit tells.
TEST_F(TensorChecks, products_are_waited_for_before_their_sums_are_loaded) {
  const std::string barrier =
                        ".shared .align 8 .b64 bar; mov.u32 %r14, bar; @!%p2 mbarrier.init.shared.b64 [%r14], 1;\n",
                    commit = "@!%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r14];\n",
                    load = kLoad + kLoaded + kUse;
  const auto wait = [](const std::string& parity) {
    return "W" + parity + ": mbarrier.try_wait.parity.shared.b64 %p6, [%r14], " + parity + "; @!%p6 bra W" + parity +
           ";\n";
  };
  EXPECT_TRUE(found(barrier + kMultiply + commit + wait("0") + load).empty());
  EXPECT_TRUE(found(barrier + kMultiply + commit + wait("0") + load + kMultiply + commit + wait("1") + load).empty());
  // One thread waits, the others are told by the barrier.
  EXPECT_TRUE(found(barrier + kMultiply + commit + "@%p2 bra J;" + wait("0") + "J: bar.sync 0;" + load).empty());
  std::vector<Finding> all = found(barrier + kMultiply + commit + load);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, Finding::Kind::missing_wait);
  EXPECT_FALSE(all[0].is_warning);
  EXPECT_EQ(all[0].op, "tcgen05.ld.sync.aligned.32x32b.x1.b32");
  EXPECT_EQ(all[0].other_op, "tcgen05.mma.cta_group::1.kind::f16");
  EXPECT_EQ(all[0].detail,
            "it may not have written it yet: no thread has waited for an mbarrier that a later tcgen05.commit tells");
  // The wait is for the product before.
  EXPECT_EQ(found(barrier + kMultiply + commit + kMultiply + wait("0") + load).size(), 1u);
  EXPECT_TRUE(found(barrier + kMultiply + "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, [%r13+40];" + kLoaded).empty())
      << "of other columns";
}

// Two accumulators with M of 64 share columns: CUTLASS' stream-K for sm_100.
TEST_F(TensorChecks, rows_of_an_m_of_64_leave_every_other_sixteen_lanes) {
  const std::string multiply =
      "bar.sync 0; mov.u32 %r15, 0x04040010; @!%p2 tcgen05.mma.cta_group::1.kind::f16 [%r9], %rd4, %rd4, %r15, %p5;\n";
  const auto load = [](int lane) {
    return "tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r20}, [%r13+" + std::to_string(lane << 16) + "];\n" + kLoaded;
  };
  EXPECT_TRUE(found(multiply + load(16)).empty());
  EXPECT_EQ(found(multiply + load(0)).size(), 1u);
  EXPECT_TRUE(found("tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r20}, [%r13+1048576];\n" + multiply).empty());
}

TEST_F(TensorChecks, registers_of_wgmma_are_used_after_the_wait_for_their_group) {
  const std::string first =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f5, %f6, %f7, %f8}, %rd4, %rd4, 1, 1, 1, 0, 0;\n";
  const auto of = [&](const std::string& body) {
    return findings("sm_90a", "wgmma.fence.sync.aligned;\n" + body, {.sync = true});
  };
  const std::string commit = "wgmma.commit_group.sync.aligned;\n";
  const auto wait = [](int groups) { return "wgmma.wait_group.sync.aligned " + std::to_string(groups) + ";\n"; };
  const auto use = [](int f) { return "st.global.f32 [%rd2], %f" + std::to_string(f) + ";\n"; };
  EXPECT_TRUE(of(first + commit + kWgmma + commit + wait(1) + use(5) + wait(0) + use(4)).empty());
  EXPECT_EQ(of(first + commit + kWgmma + commit + wait(1) + use(4) + wait(0)).size(), 1u) << "of the second group";
  EXPECT_EQ(of(kWgmma + wait(0) + use(4)).size(), 1u) << "not in a group";
}

TEST_F(TensorChecks, registers_of_wgmma_are_used_after_the_wait) {
  const std::string begin = "wgmma.fence.sync.aligned;\n", commit = "wgmma.commit_group.sync.aligned;\n",
                    wait = "wgmma.wait_group.sync.aligned 0;\n", use = "st.global.f32 [%rd2], %f4;\n";
  const auto of = [&](const std::string& body) { return findings("sm_90a", body, {.sync = true}); };
  EXPECT_TRUE(of(begin + kWgmma + kWgmma + commit + wait + use).empty());
  const std::vector<Finding> all = of(begin + kWgmma + commit + use + wait);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, Finding::Kind::missing_wait);
  EXPECT_TRUE(all[0].is_warning);
  EXPECT_EQ(all[0].op, "st.global.f32");
  EXPECT_TRUE(of(begin + kWgmma + "mov.f32 %f5, %f4;\n" + commit + wait + "st.global.f32 [%rd2], %f5;\n").empty());
}

}  // namespace
}  // namespace bankshot::simt

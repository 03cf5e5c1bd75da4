// Ways to write instructions that the manual has no form for and ptxas 13.0 refuses: a program that ptxas would not
// take is told so when it is loaded, with or without a GPU.
#include <gtest/gtest.h>

#include "run_form.hpp"

namespace bankshot::simt::conformance {
namespace {

std::string kernel_with(const std::string& instruction) {
  return ".version 8.7\n.target sm_100\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<5>; .reg .b16 %h<5>; "
         ".reg .b64 %rd<3>; .reg .pred %p<3>; .reg .f32 %f<5>; .reg .f64 %fd<5>;\n" +
         instruction + (instruction.front() == '{' ? "\n}\n" : ";\n}\n");
}

bool accepts(const std::string& instruction) {
  static const std::vector<Host> all = hosts();
  return static_cast<bool>(all[0].engine->load(kernel_with(instruction), "form.ptx"));
}

TEST(Forms, rejects_what_the_manual_does_not_have) {
  for (const std::string instruction : {"sub.u16x2 %r1, %r2, %r3",
                                        "sub.sat.s16x2 %r1, %r2, %r3",
                                        "add.sat.u16x2 %r1, %r2, %r3",
                                        "setp.eq.f16 %p1|%p2, %h1, %h2",
                                        "setp.eq.and.bf16 %p1|%p2, %h1, %h2, %p0",
                                        "setp.eq.ftz.bf16 %p1, %h1, %h2",
                                        "set.eq.f16.bf16 %h1, %h1, %h2",
                                        "set.eq.bf16x2.f16x2 %r1, %r1, %r2",
                                        "set.eq.f16x2.bf16x2 %r1, %r1, %r2",
                                        "set.eq.ftz.u32.bf16 %r1, %h1, %h2",
                                        "cvt.sat.f32.bf16 %f1, %h1",
                                        "cvt.rni.sat.s32.bf16 %r1, %h1",
                                        "cvt.rni.ftz.s32.f16 %r1, %h1",
                                        "cvt.rna.relu.tf32.f32 %r1, %f1",
                                        "fma.rn.sat.relu.f16 %h1, %h2, %h3, %h4",
                                        "mad.f32 %f1, %f2, %f3, %f4",
                                        "mad.ftz.f32 %f1, %f2, %f3, %f4",
                                        "mad.f64 %fd1, %fd2, %fd3, %fd4",
                                        "mov.bf16 %h1, %h2",
                                        "mov.f16x2 %r1, %r2",
                                        "red.acquire.gpu.global.add.u32 [%rd1], %r1",
                                        "red.acq_rel.gpu.global.or.b32 [%rd1], %r1",
                                        "red.acquire.gpu.global.add.v2.f32 [%rd1], {%f1, %f2}",
                                        "vadd2.u32.u32.u32 %r1, %r2, 5, %r3",
                                        "vadd4.u32.u32.u32 %r1, %r2, %r3, 0",
                                        "add.f16 %h1, %h2, 0x3c00",
                                        "fma.rn.f16 %h1, 1, %h2, %h3",
                                        "neg.bf16 %h1, 0x3c00",
                                        "setp.eq.f16 %p1, %h1, 0x3c00",
                                        "set.eq.u32.f16 %r1, %h1, 0x3c00",
                                        "add.u16x2 %r1, %r2, 5",
                                        "min.s16x2 %r1, %r2, 5"}) {
    EXPECT_FALSE(accepts(instruction)) << instruction;
  }
}

TEST(Forms, accepts_their_neighbours) {
  for (const std::string instruction : {"add.u16x2 %r1, %r2, %r3",
                                        "sub.sat.s32 %r1, %r2, %r3",
                                        "setp.eq.f16 %p1, %h1, %h2",
                                        "setp.eq.f16x2 %p1|%p2, %r1, %r2",
                                        "setp.eq.f16x2 %p1, %r1, %r2",
                                        "setp.eq.and.bf16 %p1, %h1, %h2, !%p0",
                                        "setp.eq.ftz.f16 %p1, %h1, %h2",
                                        "set.eq.bf16.f16 %h1, %h1, %h2",
                                        "set.eq.ftz.f16.f16 %h1, %h1, %h2",
                                        "set.eq.u32.bf16x2 %r1, %r1, %r2",
                                        "cvt.sat.f32.f16 %f1, %h1",
                                        "cvt.rni.s32.bf16 %r1, %h1",
                                        "cvt.rni.sat.s32.f16 %r1, %h1",
                                        "cvt.ftz.f32.bf16 %f1, %h1",
                                        "cvt.rna.satfinite.tf32.f32 %r1, %f1",
                                        "cvt.rn.relu.tf32.f32 %r1, %f1",
                                        "fma.rn.sat.f16 %h1, %h2, %h3, %h4",
                                        "fma.rn.relu.f16 %h1, %h2, %h3, %h4",
                                        "mad.rn.f32 %f1, %f2, %f3, %f4",
                                        "mad.rz.f64 %fd1, %fd2, %fd3, %fd4",
                                        "mov.b16 %h1, %h2",
                                        "red.release.gpu.global.add.u32 [%rd1], %r1",
                                        "red.relaxed.gpu.global.add.v2.f32 [%rd1], {%f1, %f2}",
                                        "add.f16 %h1, %h2, %h3"}) {
    EXPECT_TRUE(accepts(instruction)) << instruction;
  }
}

std::string sentence(const std::string& instruction) {
  static const std::vector<Host> all = hosts();
  const auto program = all[0].engine->load(kernel_with(instruction), "form.ptx");
  return program ? "" : program.error()[0].message;
}

TEST(Forms, rejects_barriers_that_ptxas_does_not_take) {
  for (const std::string instruction : {"mbarrier.init.shared::cluster.b64 [%r1], 1",
                                        "mbarrier.inval.shared::cluster.b64 [%r1]",
                                        "mbarrier.test_wait.shared::cluster.b64 %p1, [%r1], %rd1",
                                        "mbarrier.try_wait.parity.shared::cluster.b64 %p1, [%r1], 0",
                                        "mbarrier.try_wait.release.cta.shared.b64 %p1, [%r1], %rd1",
                                        "mbarrier.arrive.shared::cluster.b64 %rd1, [%r1]",
                                        "mbarrier.arrive_drop.expect_tx.shared::cluster.b64 %rd1, [%r1], 8",
                                        "mbarrier.arrive.noComplete.shared::cluster.b64 _, [%r1], 1",
                                        "mbarrier.arrive.noComplete.relaxed.cta.shared.b64 %rd1, [%r1], 1",
                                        "mbarrier.arrive.release.shared.b64 %rd1, [%r1]",
                                        "mbarrier.arrive.cluster.shared.b64 %rd1, [%r1]",
                                        "mbarrier.expect_tx.release.cta.shared.b64 [%r1], 8",
                                        "cp.async.mbarrier.arrive.shared::cluster.b64 [%r1]",
                                        "bar.sync",
                                        "setmaxnreg.inc.sync.aligned.u32 41",
                                        "setmaxnreg.dec.sync.aligned.u32 16",
                                        "pmevent %r1",
                                        "fence.proxy.alias.global",
                                        "fence.proxy.async.gpu",
                                        "fence.sc.proxy.async.gpu",
                                        "fence.acquire.sync_restrict::shared::cta.cluster",
                                        "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 64"}) {
    EXPECT_FALSE(accepts(instruction)) << instruction;
  }
  EXPECT_EQ(sentence("mbarrier.arrive.shared::cluster.b64 %rd1, [%r1]"),
            "an mbarrier in .shared::cluster returns no state: write _ here (in kernel k)");
  for (const std::string instruction :
       {"mbarrier.init.shared::cta.b64 [%r1], 1", "mbarrier.test_wait.acquire.cluster.shared::cta.b64 %p1, [%r1], %rd1",
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1]",
        "mbarrier.arrive.noComplete.release.cta.shared.b64 %rd1, [%r1], 1",
        "mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r1], 8", "bar.sync 0",
        "setmaxnreg.inc.sync.aligned.u32 40", "pmevent 3", "membar.proxy.alias", "fence.proxy.alias",
        "fence.proxy.async.global", "fence.acquire.sync_restrict::shared::cluster.cluster"}) {
    EXPECT_EQ(sentence(instruction), "") << instruction;
  }
}

TEST(Forms, rejects_copies_that_ptxas_does_not_take) {
  const std::string async = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.",
                    bulk = "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.",
                    global = "cp.reduce.async.bulk.global.shared::cta.bulk_group.",
                    load = "cp.async.bulk.tensor.1d.shared::", replace = "tensormap.replace.tile.";
  for (const std::string& instruction :
       {async + "min.u64 [%r1], %rd1, [%r2]", async + "and.u32 [%r1], %r3, [%r2]", async + "max.s64 [%r1], %rd1, [%r2]",
        std::string("red.async.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r3, [%r2]"),
        bulk + "and.u32 [%r1], [%r2], 16, [%r3]", bulk + "min.u64 [%r1], [%r2], 16, [%r3]",
        global + "and.u32 [%rd1], [%r1], 16", global + "add.s64 [%rd1], [%r1], 16",
        std::string("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1], "
                    "16, [%r2], %h1"),
        load + "cta.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {%r2}], [%r3], %h1",
        std::string("cp.async.bulk.prefetch.tensor.2d.L2.global.im2col [%rd1, {%r1, %r2}]"),
        std::string("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w [%rd1, {%r1, %r2, %r3, %r4}], {%h1}"),
        std::string("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], 16"),
        replace + "global_dim.global.b1024.b64 [%rd1], 0, %rd2",
        replace + "global_address.global.b1024.b32 [%rd1], %r2",
        replace + "global_stride.global.b1024.b32 [%rd1], 0, %r2", replace + "rank.global.b1024.b64 [%rd1], %rd2"}) {
    EXPECT_FALSE(accepts(instruction)) << instruction;
  }
  for (const std::string& instruction :
       {async + "add.u64 [%r1], %rd1, [%r2]", async + "and.b32 [%r1], %r3, [%r2]",
        bulk + "and.b32 [%r1], [%r2], 16, [%r3]", bulk + "add.u64 [%r1], [%r2], 16, [%r3]",
        global + "and.b64 [%rd1], [%r1], 16", global + "min.s64 [%rd1], [%r1], 16",
        load + "cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {%r2}], [%r3], %h1",
        std::string("cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%rd1, {%r1, %r2, %r3}], {%h1}"),
        std::string("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w [%rd1, {%r1, %r2, %r3, %r4}], {%h1, %h2}"),
        replace + "global_dim.global.b1024.b32 [%rd1], 0, %r2",
        replace + "global_stride.global.b1024.b64 [%rd1], 0, %rd2"}) {
    EXPECT_EQ(sentence(instruction), "") << instruction;
  }
}

TEST(Forms, rejects_loads_and_stores_that_ptxas_does_not_take) {
  for (const std::string instruction : {"ld.relaxed.global.u32 %r1, [%rd1]",
                                        "ld.gpu.global.u32 %r1, [%rd1]",
                                        "ld.volatile.gpu.global.u32 %r1, [%rd1]",
                                        "ld.relaxed.sys.local.u32 %r1, [%rd1]",
                                        "ld.acquire.gpu.const.u32 %r1, [%rd1]",
                                        "ld.mmio.relaxed.gpu.u32 %r1, [%rd1]",
                                        "ld.mmio.relaxed.sys.shared.u32 %r1, [%r2]",
                                        "ld.mmio.relaxed.sys.global.v2.u32 {%r1, %r2}, [%rd1]",
                                        "ld.mmio.relaxed.sys.global.L2::128B.u32 %r1, [%rd1]",
                                        "ld.shared.L2::128B.u32 %r1, [%r2]",
                                        "ld.const.L2::64B.u32 %r1, [%rd1]",
                                        "ld.global.v8.b8 {%h1, %h2, %h3, %h4, %h0, %h1, %h2, %h3}, [%rd1]",
                                        "fence.proxy.tensormap::generic.release.gpu [%rd1], 128",
                                        "fence.sc.gpu 3",
                                        "discard.L2 [%rd1], 64",
                                        "applypriority.L2::evict_normal [%rd1], 64",
                                        "ld.nc.u32 %r1, [%rd1]",
                                        "ld.volatile.cg.u32 %r1, [%rd1]",
                                        "ld.global.cg.L1::evict_last.u32 %r1, [%rd1]",
                                        "ld.shared.L1::evict_last.u32 %r1, [%rd1]",
                                        "ld.global.L2::evict_last.u32 %r1, [%rd1]",
                                        "ld.shared.v4.b64 {%rd1, %rd2, %rd1, %rd2}, [%rd0]",
                                        "ld.global.f16 %h1, [%rd1]",
                                        "ldu.shared.u32 %r1, [%rd1]",
                                        "ldu.global.v4.b64 {%rd1, %rd2, %rd1, %rd2}, [%rd0]",
                                        "st.acquire.gpu.global.u32 [%rd1], %r1",
                                        "st.ca.u32 [%rd1], %r1",
                                        "st.volatile.global.L1::no_allocate.u32 [%rd1], %r1",
                                        "atom.add.noftz.u32 %r1, [%rd1], %r2",
                                        "atom.shared.add.L2::cache_hint.u32 %r1, [%r2], %r3, %rd1",
                                        "prefetch.global [%rd1]",
                                        "prefetch.const.L1 [%rd1]",
                                        "ex2.approx.ftz.f16 %h1, %h2",
                                        "set.eq.ftz.bf16.f32 %h1, %f1, %f2"}) {
    EXPECT_FALSE(accepts(instruction)) << instruction;
  }
  EXPECT_EQ(sentence("ld.shared.L1::evict_last.u32 %r1, [%rd1]"), "cache hints are for global memory (in kernel k)");
  for (const std::string instruction :
       {"ld.global.acquire.gpu.u32 %r1, [%rd1]", "ld.volatile.u32 %r1, [%rd1]", "ld.volatile.local.u32 %r1, [%rd1]",
        "st.volatile.local.v2.u32 [%rd1], {%r1, %r2}",  // ptxas 13.5, PTX ISA 9.1
        "ld.mmio.relaxed.sys.global.u32 %r1, [%rd1]", "ld.relaxed.mmio.sys.global.u32 %r1, [%rd1]",
        "ld.volatile.global.L2::64B.u32 %r1, [%rd1]", "barrier.cta.aligned.sync 0, 64", "discard.global.L2 [%rd1], 128",
        "st.mmio.relaxed.sys.u32 [%rd1], %r1", "ld.nc.global.u32 %r1, [%rd1]",
        "ld.global.ca.nc.L2::128B.u32 %r1, [%rd1]", "ld.relaxed.gpu.global.L1::no_allocate.u32 %r1, [%rd1]",
        "ld.global.L2::evict_last.v4.b64 {%rd1, %rd2, %rd1, %rd2}, [%rd0]",
        "st.release.cluster.shared::cluster.u32 [%r1], %r2", "atom.add.release.gpu.global.u32 %r1, [%rd1], %r2",
        "prefetch.const.tensormap [%rd1]", "set.lt.f16.s32 %h1, %r1, %r2",
        "set.equ.or.ftz.f16.f32 %h1, %f1, %f2, %p1"}) {
    EXPECT_EQ(sentence(instruction), "") << instruction;
  }
}

/// As cuda_fp8.h, cuda_fp6.h and cuda_fp4.h of CUDA 13 write them for sm_100f.
TEST(Forms, accepts_conversions_of_small_floats) {
  for (const std::string instruction :
       {"cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2", "cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f2",
        "cvt.rn.satfinite.relu.e3m2x2.f32 %h1, %f1, %f2", "cvt.rn.f16x2.e2m3x2 %r1, %h1",
        "cvt.rn.relu.f16x2.e3m2x2 %r1, %h1",
        "{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, %f1, %f2; mov.b16 %h1, {t, 0}; }",
        "{ .reg .b8 t, z; mov.b16 {t, z}, %h1; cvt.rn.f16x2.e2m1x2 %r1, t; }",
        "cvt.rz.satfinite.ue8m0x2.f32 %h1, %f1, %f2", "cvt.rp.ue8m0x2.bf16x2 %h1, %r1",
        "cvt.rn.bf16x2.ue8m0x2 %r1, %h1"}) {
    EXPECT_TRUE(accepts(instruction)) << instruction;
  }
  for (const std::string instruction :
       {"cvt.rn.e2m3x2.f32 %h1, %f1, %f2", "cvt.rn.satfinite.e2m3x2.f32 %h1, %f1", "cvt.rn.ue8m0x2.f32 %h1, %f1, %f2",
        "cvt.rz.relu.ue8m0x2.bf16x2 %h1, %r1", "cvt.rn.f16x2.e2m1x2 %h1, %h2"}) {
    EXPECT_FALSE(accepts(instruction)) << instruction;
  }
}

}  // namespace
}  // namespace bankshot::simt::conformance

// Ways to write instructions that the manual has no form for and ptxas 13.0 refuses: a program that ptxas would not take
// is told so when it is loaded, with or without a GPU.
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

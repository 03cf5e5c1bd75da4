// Modules for sm_10 to sm_13, as nvcc 2 and 3 wrote them. Source: PTX ISA 9.0, "Floating Point Instructions";
// ptxas 13.0 makes the same machine code of them and of what is expected here.
#include <gtest/gtest.h>

#include "bankshot/ptx/parser.hpp"

namespace bankshot::ptx {
namespace {

/// The instructions of a kernel, without operands.
std::string instructions_of(const std::string& target, const std::string& body, const std::string& version = "1.4") {
  const auto module = parse(".version " + version + "\n.target " + target + "\n.entry k\n{\n" + body + "}\n");
  if (!module) return module.error()[0].message;
  std::string all;
  for (const Statement& statement : std::get<Function>(module->items[0]).body->statements) {
    const auto* const instruction = std::get_if<Instruction>(&statement);
    if (instruction == nullptr) continue;
    all += all.empty() ? "" : " ";
    all += instruction->opcode;
    for (const std::string& modifier : instruction->modifiers) all += "." + modifier;
  }
  return all;
}

TEST(OldTarget, arithmetic_flushes_and_mad_is_fma) {
  EXPECT_EQ(instructions_of(
                "sm_13",
                "mad.f32 %f1, %f2, %f3, %f4; mad.sat.f32 %f1, %f2, %f3, %f4;\n"
                "add.f32 %f1, %f2, %f3; div.full.f32 %f1, %f2, %f3; sqrt.approx.ftz.f32 %f1, %f2;\n"
                "set.gt.u32.f32 %r1, %f1, %f2; setp.lt.f32 %p1, %f1, %f2;\n"
                "set.gt.f32.s32 %f1, %r1, %r2; slct.f32.f32 %f1, %f2, %f3, %f4; slct.f32.s32 %f1, %f2, %f3, %r1;\n"),
            "fma.rn.ftz.f32 fma.rn.sat.ftz.f32 add.ftz.f32 div.full.ftz.f32 sqrt.approx.ftz.f32 set.gt.ftz.u32.f32 "
            "setp.lt.ftz.f32 set.gt.f32.s32 slct.ftz.f32.f32 slct.f32.s32");
}

TEST(OldTarget, other_instructions_stay) {
  EXPECT_EQ(instructions_of("sm_10, map_f64_to_f32",
                            "cvt.rn.f32.s32 %f1, %r1; cvt.rzi.s32.f32 %r1, %f1; cvt.f64.f32 "
                            "%fd1, %f1; mad.rn.f64 %fd1, %fd1, %fd1, %fd1;\n"
                            "mad.lo.u32 %r1, %r1, %r1, %r1; ld.global.f32 %f1, [%rd1+0]; mov.f32 %f1, %f2;\n"),
            "cvt.rn.f32.s32 cvt.rzi.ftz.s32.f32 cvt.f64.f32 mad.rn.f64 mad.lo.u32 ld.global.f32 mov.f32");
  EXPECT_EQ(instructions_of("sm_13", "cvt.f64.f32 %fd1, %f1; cvt.rzi.s64.f32 %rd1, %f1;\n", "3.0"),
            "cvt.ftz.f64.f32 cvt.rzi.s64.f32");
  EXPECT_EQ(instructions_of("sm_20", "add.f32 %f1, %f2, %f3;\n"), "add.f32");
}

TEST(OldTarget, half_of_a_special_register_is_converted) {
  EXPECT_EQ(instructions_of("sm_13", "mov.u16 %rh1, %ctaid.x; mov.u16 %rh1, %rh2; cvt.u32.u16 %r1, %tid.x;\n"),
            "cvt.u16.u32 mov.u16 cvt.u32.u16");
}

TEST(OldTarget, tex_declares_a_texture) {
  const auto module = parse(".version 1.4\n.target sm_13\n.tex .u64 t;\n");
  ASSERT_TRUE(module);
  const auto& variable = std::get<Variable>(module->items[0]);
  EXPECT_EQ(variable.space, Space::global);
  EXPECT_EQ(variable.opaque, "texref");
}

}  // namespace
}  // namespace bankshot::ptx

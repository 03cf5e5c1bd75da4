// Instructions that machines do in a sequence: what ptxas 13.0 makes of one of them, counted by hand in its code for
// sm_75 and sm_80.
#include "bankshot/optimise/sequence.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"

namespace bankshot::optimise {
namespace {

/// Slots, chain, approximations.
using Costs = std::tuple<unsigned, unsigned, unsigned>;

Sequence sequence(const std::string& instruction) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
      ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .f64 %d<9>; .reg .b16 %h<9>;\n" +
      instruction + ";\nret;\n}\n";
  const auto parsed = ptx::parse(text);
  if (!parsed) {
    ADD_FAILURE() << instruction;
    return {};
  }
  for (const ptx::Statement& statement : ptx::find_kernel(*parsed, "k")->body->statements) {
    if (const auto* one = std::get_if<ptx::Instruction>(&statement)) return sequence_of(*one);
  }
  return {};
}

Costs costs(const std::string& instruction) {
  const Sequence found = sequence(instruction);
  EXPECT_FALSE(found.converts) << instruction;
  return {found.slots, found.chain, found.special};
}

TEST(Sequences, divisions_are_a_reciprocal_and_what_corrects_it) {
  // MUFU.RCP, five FFMA one behind the other, and a branch past the slow path.
  EXPECT_EQ(costs("div.rn.f32 %f1, %f2, %f3"), Costs(14, 7, 1));
  // MUFU.RCP64H, eight DFMA and DMUL, and the comparison behind them.
  EXPECT_EQ(costs("div.rn.f64 %d1, %d2, %d3"), Costs(16, 9, 1));
  EXPECT_EQ(costs("div.u32 %r1, %r2, %r3"), Costs(14, 14, 1));
  EXPECT_EQ(costs("rem.s32 %r1, %r2, %r3"), Costs(20, 16, 1));
  EXPECT_EQ(costs("div.u64 %rd1, %rd2, %rd3"), Costs(70, 40, 1));
}

TEST(Sequences, approximations_that_keep_subnormals_scale_before_and_behind) {
  // FSETP, FMUL, MUFU.RSQ, FMUL; without subnormals MUFU alone.
  EXPECT_EQ(costs("rsqrt.approx.f32 %f1, %f2"), Costs(4, 3, 1));
  EXPECT_EQ(costs("rsqrt.approx.ftz.f32 %f1, %f2"), Costs(0, 0, 0));
  EXPECT_EQ(costs("ex2.approx.f32 %f1, %f2"), Costs(4, 3, 1));
  // FMUL by 1 / 2 pi, MUFU.SIN: subnormals or not.
  EXPECT_EQ(costs("sin.approx.f32 %f1, %f2"), Costs(2, 1, 1));
  EXPECT_EQ(costs("sin.approx.ftz.f32 %f1, %f2"), Costs(2, 1, 1));
  // FSETP twice, FSEL twice, FMUL, MUFU.RCP, FMUL: five of them and MUFU wait.
  EXPECT_EQ(costs("rcp.approx.f32 %f1, %f2"), Costs(7, 5, 1));
}

TEST(Sequences, fields_of_bits_and_short_products_are_chains) {
  EXPECT_EQ(costs("mul24.lo.u32 %r1, %r2, %r3"), Costs(2, 2, 0));  // SGXT, IMAD: 8 cycles on a TITAN V
  EXPECT_EQ(costs("cnot.b32 %r1, %r2"), Costs(2, 2, 0));           // ISETP, SEL: 7 cycles there
  EXPECT_EQ(costs("bfe.u32 %r1, %r2, 3, 5"), Costs(2, 2, 0));
  EXPECT_EQ(costs("bfe.u32 %r1, %r2, %r3, %r4"), Costs(5, 4, 0));
  EXPECT_EQ(costs("clz.b32 %r1, %r2"), Costs(2, 1, 1));  // FLO, IADD3
}

TEST(Sequences, conversions_between_integers_and_floats_are_of_the_special_function_unit) {
  EXPECT_TRUE(sequence("cvt.rn.f32.s32 %f1, %r1").converts);
  EXPECT_TRUE(sequence("cvt.rzi.u32.f32 %r1, %f1").converts);
  EXPECT_TRUE(sequence("cvt.f64.f32 %d1, %f1").converts);
  EXPECT_FALSE(sequence("cvt.rn.f16.f32 %h1, %f1").converts);
  EXPECT_FALSE(sequence("cvt.u64.u32 %rd1, %r1").converts);
}

TEST(Sequences, operands_that_are_missing_are_the_checkers_to_tell) {
  EXPECT_EQ(costs("bfe.u32"), Costs(5, 4, 0));
  EXPECT_EQ(costs("bfe.u32 %r1, 3"), Costs(5, 4, 0));
  for (const char* one : {"div", "div.rn.f32", "rem.s32", "mad24.lo.u32", "bfi.b32", "clz", "sqrt", "sin"}) {
    EXPECT_GE(sequence(one).slots, sequence(one).chain) << one;
  }
}

TEST(Sequences, what_machines_have_is_none) {
  for (const char* one : {"add.f32 %f1, %f2, %f3", "mul.lo.u32 %r1, %r2, %r3", "add.u64 %rd1, %rd2, %rd3",
                          "popc.b32 %r1, %r2", "fma.rn.f64 %d1, %d2, %d3, %d4"}) {
    EXPECT_EQ(costs(one), Costs(0, 0, 0)) << one;
  }
}

}  // namespace
}  // namespace bankshot::optimise

// The order of modifiers: as with ptxas 13.0, any that leaves the name of the instruction in front.
#include <gtest/gtest.h>

#include "bankshot/simt/decode/modifier_order.hpp"
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

using Modifiers = std::vector<std::string>;

/// The words in the order of the form; {"?"} if they do not fit.
Modifiers ordered(const Row& row, const Modifiers& words) {
  return in_order_of(parse_form(row), words).value_or(Modifiers{"?"});
}

TEST(ModifierOrder, is_that_of_the_form) {
  const Row row{"ld{.order}{.space}{.vec}.type d, a:addr",
                "order = weak relaxed.gpu acquire.sys; space = global shared; vec = v2 v4; type = u32 b64",
                {},
                {}};
  EXPECT_EQ(ordered(row, {"global", "gpu", "u32", "relaxed"}), (Modifiers{"relaxed", "gpu", "global", "u32"}));
  EXPECT_EQ(ordered(row, {"b64", "v2", "shared"}), (Modifiers{"shared", "v2", "b64"}));
  EXPECT_EQ(ordered(row, {"global", "gpu", "u32"}), Modifiers{"?"}) << "a scope without its order";
  EXPECT_EQ(ordered(row, {"global", "v2"}), Modifiers{"?"}) << "no type";
  EXPECT_EQ(ordered(row, {"u32", "u32"}), Modifiers{"?"}) << "twice";
  EXPECT_EQ(ordered(row, {"weak", "weak", "u32"}), Modifiers{"?"});
}

TEST(ModifierOrder, leaves_types_as_they_are_written) {
  const Row row{"cvt{.rnd}.dtype.atype d, a", "rnd = rn rz; dtype = f32 s32; atype = s32 f32", {}, {}};
  EXPECT_EQ(ordered(row, {"f32", "s32", "rn"}), (Modifiers{"rn", "f32", "s32"}));
  EXPECT_EQ(ordered(row, {"s32", "rz", "f32"}), (Modifiers{"rz", "s32", "f32"}));
  const Row mma{"mma.f32.f16.ctype d, a", "ctype = f16 f32", {}, {}};
  EXPECT_EQ(ordered(mma, {"f16", "f32", "f16"}), Modifiers{"?"}) << "f32 is the result's";
}

TEST(ModifierOrder, leaves_spaces_as_they_are_written) {
  const Row row{"cp.async.bulk.global.shared::cta.bulk_group [d], [a], bytes:u32", "", {}, {}};
  EXPECT_EQ(ordered(row, {"async", "bulk", "bulk_group", "global", "shared::cta"}),
            (Modifiers{"async", "bulk", "global", "shared::cta", "bulk_group"}));
  EXPECT_EQ(ordered(row, {"async", "bulk", "shared::cta", "global", "bulk_group"}), Modifiers{"?"});
}

TEST(ModifierOrder, leaves_layouts_as_they_are_written) {
  const Row row{"mma.sync.shape.row.col.f16 d, a, b, c", "shape = m16n8k8", {}, {}};
  EXPECT_EQ(ordered(row, {"row", "m16n8k8", "col", "f16", "sync"}),
            (Modifiers{"sync", "m16n8k8", "row", "col", "f16"}));
  EXPECT_EQ(ordered(row, {"sync", "m16n8k8", "col", "row", "f16"}), Modifiers{"?"});
}

TEST(ModifierOrder, has_the_name_in_front) {
  const Row row{"mad.lo{.cc}.type d, a, b, c", "type = u32 s32", {}, {}};
  EXPECT_EQ(ordered(row, {"lo", "u32", "cc"}), (Modifiers{"lo", "cc", "u32"}));
  EXPECT_EQ(ordered(row, {"u32", "lo"}), Modifiers{"?"});
  EXPECT_EQ(ordered(row, {"cc", "lo", "u32"}), Modifiers{"?"});
}

using AnyOrder = EngineTest;

TEST_F(AnyOrder, means_the_same) {
  const std::string how[] = {
      "sub.sat.s32 %r5, %r6, 1; ld.relaxed.gpu.global.u32 %r7, [%rd1]; atom.relaxed.gpu.global.add.u32 %r8, [%rd1], 5; "
      "min.xorsign.abs.f32 %r9, %r6, %r10;",
      "sub.s32.sat %r5, %r6, 1; ld.global.gpu.u32.relaxed %r7, [%rd1]; atom.add.gpu.u32.global.relaxed %r8, [%rd1], 5; "
      "min.abs.f32.xorsign %r9, %r6, %r10;"};
  std::vector<uint32_t> first;
  for (const std::string& body : how) {
    ASSERT_TRUE(run(kernel("mov.b32 %r6, 0x80000000; mov.b32 %r10, 0xbf800000; st.global.u32 [%rd1], 40;" + body +
                           "st.global.v4.u32 [%rd1+16], {%r5, %r7, %r8, %r9};"),
                    {1, 1, 1}, {1, 1, 1}, 8));
    if (first.empty()) first = out;
    EXPECT_EQ(out, first);
  }
  // |-0| is least, and its sign is that of -0 times -1.
  EXPECT_EQ(first, (std::vector<uint32_t>{45, 0, 0, 0, 0x80000000, 40, 40, 0}));
}

TEST_F(AnyOrder, is_told_as_the_table_has_it) {
  const std::string text =
      kernel(".shared .b32 s[32]; atom.add.u32.shared.relaxed.gpu %r5, [s], 1; st.global.u32 [%rd1], %r5; ret;");
  const auto result = run(text, {1, 1, 1}, {32, 1, 1}, 1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->sites.at(0).op, "atom.relaxed.gpu.shared.add.u32");
}

TEST_F(AnyOrder, keeps_the_layouts_of_matrices_apart) {
  // One product in both orders: A by rows, B by columns.
  std::vector<uint32_t> first;
  for (const std::string form :
       {"sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", "m8n8k4.f32.row.sync.f16.f16.col.aligned.f32"}) {
    ASSERT_TRUE(
        run(kernel(kThread +
                   "mul.lo.u32 %r5, %r1, 0x00010003; add.u32 %r5, %r5, 0x3c003c00; xor.b32 %r6, %r5, 0x00110007;"
                   "mov.b32 %r7, 0; mma." +
                   form +
                   " {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r5, %r6}, {%r6, %r5}, "
                   "{%r7, %r7, %r7, %r7, %r7, %r7, %r7, %r7}; add.f32 %f0, %f0, %f3; st.global.f32 [%rd2], %f0; ret;"),
            {1, 1, 1}, {32, 1, 1}, 32));
    if (first.empty()) first = out;
    EXPECT_EQ(out, first) << form;
  }
  EXPECT_NE(first[0], first[5]);
}

TEST_F(AnyOrder, rejects_what_says_something_else) {
  EXPECT_NE(refusal(kernel("mad.u32.lo %r1, %r2, %r3, %r4;")).find("this form of 'mad'"), std::string::npos);
  EXPECT_NE(refusal(kernel("ld.gpu.global.u32 %r1, [%rd1];")).find("this form of 'ld'"), std::string::npos);
  EXPECT_NE(refusal(kernel("add.u32.quickly %r1, %r2, %r3;")).find("unknown modifier '.quickly'"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::simt

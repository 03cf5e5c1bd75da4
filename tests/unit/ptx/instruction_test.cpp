// Instructions and their operands.
#include <bit>

#include "ptx_helpers.hpp"

namespace bankshot::ptx {
namespace {

TEST(PtxInstruction, opcode_and_modifiers_come_apart_in_order) {
  const Instruction i = instruction("add.rn.ftz.f32 %f1, %f2, %f3;");
  EXPECT_EQ(i.opcode, "add");
  EXPECT_EQ(i.modifiers, (std::vector<std::string>{"rn", "ftz", "f32"}));
  ASSERT_EQ(i.operands.size(), 3u);
  EXPECT_EQ(i.operands[2].name, "%f3");
  EXPECT_EQ(i.operands[2].position, (Position{6, 26}));
}

TEST(PtxInstruction, any_opcode_parses_with_modifiers_of_any_shape) {
  const Instruction i = instruction(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1, {%r2, "
      "%r3}], "
      "[%r4], %rd5;");
  EXPECT_EQ(i.modifiers[3], "2d");
  EXPECT_EQ(i.modifiers[4], "shared::cluster");
  EXPECT_EQ(i.modifiers[6], "mbarrier::complete_tx::bytes");
  ASSERT_EQ(i.operands.size(), 4u);
  EXPECT_EQ(i.operands[1].elements[0].kind, Operand::Kind::vector);
  EXPECT_EQ(i.operands[2].kind, Operand::Kind::address);
  EXPECT_EQ(instruction("vote.sync.ballot.b32 a, p, 0;").modifiers[1], "ballot");
  EXPECT_EQ(instruction("vote.ballot.sync.b32 a, p, 0;").modifiers[0], "ballot");
  EXPECT_EQ(instruction("mma.sync.aligned.m16n8k16.row.col.f32 {a,b}, {c}, {d}, {e,f};").modifiers[2], "m16n8k16");
}

TEST(PtxInstruction, guards_may_be_negated) {
  EXPECT_FALSE(instruction("@%p1 bra L;").guard->negated);
  const Instruction i = instruction("@!p ret;");
  EXPECT_EQ(i.guard->name, "p");
  EXPECT_TRUE(i.guard->negated);
}

TEST(PtxInstruction, registers_special_registers_and_components_are_identifiers) {
  const Instruction i = instruction("mov.u32 $a_1, %tid.x, v.y, %v.w, _x;");
  for (const Operand& operand : i.operands) EXPECT_EQ(operand.kind, Operand::Kind::identifier);
  EXPECT_EQ(i.operands[1].name, "%tid.x");
  EXPECT_EQ(i.operands[2].name, "v.y");
}

TEST(PtxInstruction, bytes_and_halves_of_registers_are_masks_beside_the_name) {
  const Instruction i = instruction("vadd.s32.u32.s32.sat %r1.h1, %r2.b0, %r3.b3, %r4;");
  EXPECT_EQ(i.operands[0].name, "%r1");
  EXPECT_EQ(i.operands[0].mask, 0xffff0000u);
  EXPECT_EQ(i.operands[1].mask, 0xffu);
  EXPECT_EQ(i.operands[2].mask, 0xff000000u);
  EXPECT_EQ(i.operands[3].mask, 0u);
  EXPECT_EQ(print(i), "vadd.s32.u32.s32.sat %r1.h1, %r2.b0, %r3.b3, %r4;");
  EXPECT_EQ(instruction("mov.b32 %r1, %v.b;").operands[1].name, "%v.b");
  for (const char* text :
       {"vadd %r1, %r2.b4, %r3;", "vadd %r1, %r2.h2, %r3;", "vadd %r1, %r2.b01, %r3;", "vadd %r1, %r2 .b0;"})
    EXPECT_FALSE(complaints(kHeader + ".func f() { " + text + " }").empty()) << text;
}

TEST(PtxInstruction, vmad_may_negate_registers) {
  const Instruction i = instruction("vmad.s32.s32.s32 %r1, -%r2.b1, %r3, -5;");
  EXPECT_EQ(i.operands[1].name, "%r2");
  EXPECT_EQ(i.operands[1].integer, -1);
  EXPECT_EQ(i.operands[1].mask, 0xff00u);
  EXPECT_EQ(i.operands[3].integer, -5);
  EXPECT_EQ(print(i), "vmad.s32.s32.s32 %r1, -%r2.b1, %r3, -5;");
}

TEST(PtxInstruction, pairs_sinks_negation_and_vectors) {
  const Instruction i = instruction("x p|q, _|p, {a, _, 3, 0f3F800000}|r, !s;");
  EXPECT_EQ(i.operands[0].kind, Operand::Kind::pair);
  EXPECT_EQ(i.operands[1].elements[0].kind, Operand::Kind::sink);
  EXPECT_EQ(i.operands[2].elements[0].kind, Operand::Kind::vector);
  EXPECT_EQ(i.operands[2].elements[0].elements[1].kind, Operand::Kind::sink);
  EXPECT_EQ(i.operands[2].elements[0].elements[3].integer, 0x3F800000);
  EXPECT_TRUE(i.operands[3].negated);
}

TEST(PtxInstruction, addresses_hold_base_and_offset) {
  const Instruction i = instruction("ld [a], [a+8], [a+-8], [a-8], [8], [a+4*2], [0x10+4], [a+2+3];");
  const int64_t offsets[] = {0, 8, -8, -8, 8, 8, 20, 5};
  for (size_t k = 0; k < 8; ++k) {
    EXPECT_EQ(i.operands[k].kind, Operand::Kind::address);
    EXPECT_EQ(i.operands[k].integer, offsets[k]) << k;
  }
  EXPECT_EQ(i.operands[4].name, "");
  EXPECT_EQ(instruction("mov.u64 %rd1, table+16;").operands[1].kind, Operand::Kind::sum);
}

TEST(PtxInstruction, textures_take_coordinates_after_a_comma) {
  const Instruction i = instruction("tex.2d.v4.f32.f32 {a,b,c,d}|p, [tex, smp, {x,y}], {1,-2}, 5;");
  const Operand& address = i.operands[1];
  EXPECT_EQ(address.name, "tex");
  ASSERT_EQ(address.elements.size(), 2u);
  EXPECT_EQ(address.elements[0].name, "smp");
  EXPECT_EQ(address.elements[1].elements.size(), 2u);
  EXPECT_EQ(i.operands[2].elements[1].integer, -2);
}

TEST(PtxInstruction, calls_take_lists) {
  Instruction i = instruction("call.uni (r), f, (a, 3), proto;");
  ASSERT_EQ(i.operands.size(), 4u);
  EXPECT_EQ(i.operands[0].kind, Operand::Kind::list);
  EXPECT_EQ(i.operands[1].name, "f");
  EXPECT_EQ(i.operands[2].elements[1].integer, 3);
  EXPECT_EQ(i.operands[3].name, "proto");
  EXPECT_EQ(instruction("call f;").operands.size(), 1u);
  EXPECT_EQ(instruction("call.uni f, ();").operands[1].elements.size(), 0u);
  EXPECT_EQ(instruction("call (retval0), %rd1, (param0), prototype_0;").operands[1].name, "%rd1");
}

TEST(PtxInstruction, outside_calls_a_parenthesis_is_a_constant_expression) {
  const Instruction i = instruction("mov.b32 x, (2), -(1), (3 > 2) ? 7 : 9;");
  EXPECT_EQ(i.operands[1].integer, 2);
  EXPECT_EQ(i.operands[2].integer, -1);
  EXPECT_EQ(i.operands[3].integer, 7);
}

struct IntegerCase {
  const char* text;
  uint64_t bits;
  bool is_unsigned;
};

TEST(PtxInstruction, integers_keep_all_64_bits) {
  const IntegerCase cases[] = {{"0", 0, false},
                               {"12", 12, false},
                               {"0x1F", 31, false},
                               {"0X1fU", 31, true},
                               {"017", 15, false},
                               {"0b101", 5, false},
                               {"4294967295", 4294967295u, false},
                               {"4294967296", uint64_t{1} << 32, false},
                               {"-1", UINT64_MAX, false},
                               {"18446744073709551615", UINT64_MAX, true},
                               {"0xFFFFFFFFFFFFFFFF", UINT64_MAX, true},
                               {"-9223372036854775808", uint64_t{1} << 63, false},
                               {"~0", UINT64_MAX, false},
                               {"!5", 0, false},
                               {"3*4+1", 13, false},
                               {"1+3*4", 13, false},
                               {"1<<4|1", 17, false},
                               {"-7/2", static_cast<uint64_t>(-3), false},
                               {"-7%2", UINT64_MAX, false},
                               {"-1U>>63", 1, true},
                               {"-1>>63", UINT64_MAX, false},
                               {"(.u64)-1>>60", 15, true},
                               {"1<-1", 0, false},
                               {"1<-1U", 1, false},
                               {"1&&0||1", 1, false},
                               {"5^1&3", 4, false},
                               {"1?2:0?3:4", 2, false},
                               {"(-9223372036854775807-1)/-1", uint64_t{1} << 63, false}};
  for (const IntegerCase& c : cases) {
    const Operand operand = instruction(std::string("mov x, ") + c.text + ";").operands[1];
    EXPECT_EQ(operand.kind, Operand::Kind::integer) << c.text;
    EXPECT_EQ(static_cast<uint64_t>(operand.integer), c.bits) << c.text;
    EXPECT_EQ(operand.is_unsigned, c.is_unsigned) << c.text;
  }
}

TEST(PtxInstruction, floats_keep_their_bits) {
  const auto bits_of = [](const char* text) {
    return static_cast<uint64_t>(instruction(std::string("mov x, ") + text + ";").operands[1].integer);
  };
  EXPECT_EQ(bits_of("0f7fC00001"), 0x7fc00001u);
  EXPECT_EQ(bits_of("-0f3F800000"), 0xbf800000u);
  EXPECT_EQ(bits_of("0dFFF8000000000001"), 0xfff8000000000001u);
  for (const auto& [text, value] : std::initializer_list<std::pair<const char*, double>>{
           {"1.5", 1.5}, {"-1.5", -1.5}, {"1e3", 1e3}, {".5", .5}, {"-.5e-2", -.5e-2}, {"2.", 2}, {"-0.0", -0.0}}) {
    EXPECT_EQ(bits_of(text), std::bit_cast<uint64_t>(value)) << text;
  }
}

TEST(PtxInstruction, rejects_numbers_that_are_none_or_too_large) {
  EXPECT_EQ(body_complaint("mov x, 18446744073709551616;"),
            "1:8: the number 18446744073709551616 does not fit 64 bits");
  EXPECT_EQ(body_complaint("mov x, 1e999;"), "1:8: the number 1e999 does not fit 64 bits");
  for (const char* text :
       {"08", "0x", "0b2", "12abc", "0f3F80000", "0d3F800000", "1.5.2", "1e", "0f3F80000G", "0x1.8"}) {
    EXPECT_EQ(body_complaint(std::string("mov x, ") + text + ";"),
              std::string("1:8: expected a number, found '") + text + "'");
  }
  EXPECT_EQ(body_complaint("mov x, 1/0;"), "1:9: division by zero in a constant expression");
  EXPECT_EQ(body_complaint("mov x, 1.5*2;"), "1:8: only - and + can be applied to a floating-point constant");
}

TEST(PtxInstruction, rejects_negated_registers_and_array_elements) {
  EXPECT_EQ(body_complaint("add.f32 a, b, -c;"), "1:15: expected an operand, found '-'");
  EXPECT_EQ(body_complaint("mov.u64 a, x[1];"), "1:13: expected ',' or ';', found '['");
}

TEST(PtxInstruction, prints_in_the_usual_form) {
  for (const char* text : {"@%p1 add.s32 %r1, %r2, 4;", "@!p ld.shared.v2.f32 {%f1, _}, [%r1+-8];", "ret;",
                           "call.uni (retval0), f, (param0, 3);", "setp.eq.s32 p|q, %r1, 18446744073709551615U;",
                           "mov.f64 %fd1, 0d3FF0000000000000;", "tex.1d.v4.f32.s32 {a, b, c, d}, [t, {x}];",
                           "and.pred p, !q, r;", "st.global.u32 [16], %tid.x;", "mov.u64 %rd1, table+16;"}) {
    EXPECT_EQ(print(instruction(text)), text);
  }
}

}  // namespace
}  // namespace bankshot::ptx

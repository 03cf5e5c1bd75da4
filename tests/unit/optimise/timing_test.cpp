// What optimise does for a timing model: how many machine instructions each instruction becomes, short branches as
// guards, and the order within a basic block. Expectations were read from what ptxas 13.0 made of the same PTX for
// sm_80.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bankshot/optimise/optimise.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"

namespace bankshot::optimise {
namespace {

using Lines = std::vector<std::string>;

void collect(const ptx::Block& block, std::vector<const ptx::Instruction*>& out) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) collect(**inner, out);
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) out.push_back(instruction);
  }
}

/// A kernel of four pointers and a number. %rd4, %rd5 and %rd6 are global addresses, %r4 one of shared memory.
class TimedKernel {
 public:
  explicit TimedKernel(const std::string& body, unsigned architecture = 80) {
    const std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {\n"
        ".reg .b16 %h<20>; .reg .b32 %r<100>; .reg .f32 %f<100>; .reg .b64 %rd<40>; .reg .f64 %d<20>; .reg .pred "
        "%p<10>; .shared .align 16 .b8 s[4096];\n"
        "ld.param.u64 %rd4, [a]; ld.param.u64 %rd5, [b]; ld.param.u64 %rd6, [c]; ld.param.u32 %r9, [n];\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r4, s;\n.loc 1 1 1\n" +
        body + "\nret; }\n";
    auto parsed = ptx::parse(text);
    EXPECT_TRUE(parsed) << text;
    if (!parsed) return;
    module = std::move(*parsed);
    EXPECT_TRUE(ptx::check(module).empty()) << text;
    optimise(module, {.architecture = architecture, .timing = true});
    EXPECT_TRUE(ptx::check(module).empty()) << text;
    collect(*ptx::find_kernel(module, "k")->body, code);
  }

  /// Machine instructions of the instructions of that name, in their order.
  std::vector<int> slots(const std::string& mnemonic) const {
    std::vector<int> out;
    for (const ptx::Instruction* i : code) {
      if (ptx::mnemonic(*i) == mnemonic) out.push_back(i->slots);
    }
    return out;
  }
  /// Guards and names, of those that begin with one of the words.
  Lines order(const std::vector<std::string>& words) const {
    Lines out;
    for (const ptx::Instruction* i : code) {
      if (ptx::access_of(*i).space == ptx::Space::param) continue;
      const bool wanted = std::any_of(words.begin(), words.end(), [&](auto& w) { return i->opcode == w; });
      if (!wanted) continue;
      const std::string guard = !i->guard ? "" : i->guard->negated ? "@!" : "@";
      out.push_back(guard + i->opcode + " " + i->operands[0].name);
    }
    return out;
  }

  ptx::Module module;
  std::vector<const ptx::Instruction*> code;
};

TEST(MachineSlots, parameters_moves_and_conversions_of_addresses_are_operands_of_others) {
  const TimedKernel k(
      "cvta.to.global.u64 %rd7, %rd4; mov.b32 %r2, %r1; mov.u32 %r3, %ntid.x; mad.lo.s32 %r5, %r2, %r3, %r9;\n"
      "cvt.u64.u32 %rd8, %r5; st.global.u64 [%rd7], %rd8;");
  EXPECT_EQ(k.slots("ld.param.u64"), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(k.slots("cvta.to.global.u64"), std::vector<int>{0});
  EXPECT_EQ(k.slots("mov.b32"), std::vector<int>{0});
  EXPECT_EQ(k.slots("cvt.u64.u32"), std::vector<int>{0});
  EXPECT_EQ(k.slots("mad.lo.s32"), std::vector<int>{1});
  const std::vector<int> moves = k.slots("mov.u32");  // %tid.x is read by S2R; s and %ntid.x are constants
  EXPECT_EQ(std::count(moves.begin(), moves.end(), 1), 1);
  EXPECT_EQ(std::count(moves.begin(), moves.end(), 0), 2);
}

// c[3][4] of an FFMA, and LDC.
TEST(MachineSlots, a_constant_is_an_operand_if_its_address_is_known) {
  const std::string table = ".const .align 4 .f32 table[64]; ";
  EXPECT_EQ(TimedKernel(table + "ld.const.f32 %f1, [table+4]; st.global.f32 [%rd4], %f1;").slots("ld.const.f32"),
            std::vector<int>{0});
  EXPECT_EQ(TimedKernel(table + "ld.const.f32 %f1, [%rd9]; st.global.f32 [%rd4], %f1;").slots("ld.const.f32"),
            std::vector<int>{1});
}

// IMAD.WIDE multiplies, extends the sign and adds 64 bits; other additions of 64 bits are two.
TEST(MachineSlots, an_index_is_multiplied_and_added_to_a_pointer_by_one_instruction) {
  const TimedKernel k(
      "mul.wide.s32 %rd7, %r1, 4; add.s64 %rd8, %rd4, %rd7; add.s64 %rd9, %rd5, %rd7; ld.global.f32 %f1, [%rd8];\n"
      "st.global.f32 [%rd9], %f1;");
  EXPECT_EQ(k.slots("mul.wide.s32"), std::vector<int>{0});
  EXPECT_EQ(k.slots("add.s64"), (std::vector<int>{1, 1}));
  for (const ptx::Instruction* one : k.code) EXPECT_EQ(one->multiplies, ptx::mnemonic(*one) == "add.s64");
  EXPECT_EQ(TimedKernel("add.s64 %rd8, %rd4, %rd5; st.global.u32 [%rd8], %r1;").slots("add.s64"), std::vector<int>{2});
}

TEST(MachineSlots, a_constant_that_is_added_to_an_address_is_its_offset) {
  EXPECT_EQ(
      TimedKernel("add.s64 %rd8, %rd4, 64; ld.global.u32 %r2, [%rd8]; st.global.u32 [%rd8+4], %r2;").slots("add.s64"),
      std::vector<int>{0});
  EXPECT_EQ(TimedKernel("add.s64 %rd8, %rd4, 64; st.global.u64 [%rd4], %rd8;").slots("add.s64"), std::vector<int>{2})
      << "its value is stored";
  // LDS [R0.X4 + s]
  const TimedKernel shared(
      "shl.b32 %r2, %r1, 2; add.s32 %r3, %r4, %r2; ld.shared.u32 %r5, [%r3]; st.global.u32 [%rd4], %r5;");
  EXPECT_EQ(shared.slots("shl.b32"), std::vector<int>{0});
  EXPECT_EQ(shared.slots("add.s32"), std::vector<int>{0});
}

TEST(MachineSlots, three_operands_are_added_or_combined_at_once) {
  const TimedKernel sums(
      "add.s32 %r2, %r1, %r9; add.s32 %r3, %r2, %r1; add.s32 %r5, %r3, %r9; st.global.u32 [%rd4], %r5;");
  const std::vector<int> slots = sums.slots("add.s32");
  EXPECT_EQ(std::count(slots.begin(), slots.end(), 0), 1) << "one is taken in by the next, which takes in no second";
  const TimedKernel bits("and.b32 %r2, %r1, %r9; or.b32 %r3, %r2, 5; st.global.u32 [%rd4], %r3;");
  EXPECT_EQ(bits.slots("and.b32"), std::vector<int>{0});
  EXPECT_EQ(bits.slots("or.b32"), std::vector<int>{1});
}

TEST(MachineSlots, what_the_machine_does_in_pieces_takes_several) {
  EXPECT_EQ(TimedKernel("shl.b64 %rd8, %rd4, 3; st.global.u64 [%rd4], %rd8;").slots("shl.b64"), std::vector<int>{2});
  EXPECT_EQ(TimedKernel("div.rn.f32 %f2, %f1, %f1; st.global.f32 [%rd4], %f2;").slots("div.rn.f32"),
            std::vector<int>{14});
  EXPECT_EQ(TimedKernel("div.u32 %r2, %r1, %r9; st.global.u32 [%rd4], %r2;").slots("div.u32"), std::vector<int>{14});
  EXPECT_EQ(TimedKernel("rsqrt.approx.f32 %f2, %f1; st.global.f32 [%rd4], %f2;").slots("rsqrt.approx.f32"),
            std::vector<int>{4});
}

// BSSY, BRA, BSYNC; a loop's branch back and a guarded EXIT are one.
// The upper word of such an AND is zero, those of OR and XOR are the operand's: LOP3 of the lower word.
TEST(MachineSlots, a_mask_of_the_lower_word_is_one_instruction) {
  const auto slots = [](const std::string& operation, const std::string& operand) {
    return TimedKernel(operation + " %rd1, %rd4, " + operand + "; st.global.u64 [%rd5], %rd1;").slots(operation);
  };
  EXPECT_EQ(slots("and.b64", "65532"), std::vector<int>{1});
  EXPECT_EQ(slots("or.b64", "1"), std::vector<int>{1});
  EXPECT_EQ(slots("and.b64", "-4"), std::vector<int>{2});
  EXPECT_EQ(slots("and.b64", "0x100000000"), std::vector<int>{2});
}

TEST(MachineSlots, a_branch_of_some_lanes_forward_is_joined_again) {
  std::string body = "setp.lt.s32 %p1, %r1, %r9; @%p1 bra L;\n";
  for (int k = 0; k < 30; ++k) body += "fma.rn.f32 %f1, %f1, %f2, %f3;\n";
  EXPECT_EQ(TimedKernel(body + "L: st.global.f32 [%rd4], %f1;").slots("bra"), std::vector<int>{3});
  EXPECT_EQ(TimedKernel(body + "L: ret;").slots("bra"), std::vector<int>{1});
  EXPECT_EQ(TimedKernel("L: shl.b32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %r9; @%p1 bra L;").slots("bra"),
            std::vector<int>{1});
}

std::string conditional(int count, const std::string& instruction) {
  std::string body = "setp.lt.s32 %p1, %r1, %r9; @%p1 bra L;\n";
  for (int k = 0; k < count; ++k) body += instruction + "\n";
  return body + "L: st.global.f32 [%rd4], %f1;";
}

TEST(Predicate, bodies_of_up_to_eight_machine_instructions_are_guarded) {
  const TimedKernel eight(conditional(8, "fma.rn.f32 %f1, %f1, %f2, %f3;"));
  EXPECT_TRUE(eight.slots("bra").empty());
  const Lines guarded = eight.order({"fma"});
  EXPECT_EQ(std::count(guarded.begin(), guarded.end(), "@!fma %f1"), 8);
  EXPECT_EQ(TimedKernel(conditional(9, "fma.rn.f32 %f1, %f1, %f2, %f3;")).slots("bra").size(), 1u);
}

TEST(Predicate, a_load_from_global_memory_makes_twenty_worth_it) {
  const std::string load = "ld.global.f32 %f2, [%rd5];\n";
  const auto with_load = [&](int more) {
    std::string body = conditional(more, "fma.rn.f32 %f1, %f1, %f2, %f3;");
    return body.insert(body.find('\n') + 1, load);
  };
  EXPECT_TRUE(TimedKernel(with_load(19)).slots("bra").empty());
  EXPECT_EQ(TimedKernel(with_load(20)).slots("bra").size(), 1u);
}

TEST(Predicate, both_sides_of_an_else_are_guarded_if_each_is_short) {
  const auto sides = [](int count) {
    std::string body = "setp.lt.s32 %p1, %r1, %r9; @%p1 bra E;\n";
    for (int k = 0; k < count; ++k) body += "fma.rn.f32 %f1, %f1, %f2, %f3;\n";
    body += "bra.uni L;\nE:\n";
    for (int k = 0; k < count; ++k) body += "mul.f32 %f1, %f1, %f2;\n";
    return body + "L: st.global.f32 [%rd4], %f1;";
  };
  const TimedKernel seven(sides(7));
  EXPECT_TRUE(seven.order({"bra"}).empty());
  EXPECT_EQ(seven.order({"fma"}), Lines(7, "@!fma %f1"));
  EXPECT_EQ(seven.order({"mul"}), Lines(7, "@mul %f1"));
  EXPECT_EQ(TimedKernel(sides(8)).order({"bra"}).size(), 2u);
}

TEST(Predicate, what_other_lanes_or_memory_operations_depend_on_keeps_its_branch) {
  for (const char* instruction : {"shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;", "red.shared.add.u32 [%r4], 1;",
                                  "bar.sync 0;", "div.rn.f32 %f1, %f1, %f2;", "setp.lt.s32 %p1, %r1, 3;"})
    EXPECT_EQ(TimedKernel(conditional(1, instruction)).slots("bra").size(), 1u) << instruction;
}

TEST(Order, loads_stand_before_what_uses_the_first) {
  const TimedKernel k(
      "ld.global.f32 %f1, [%rd4]; add.f32 %f5, %f1, %f1; st.shared.f32 [%r4], %f5;\n"
      "ld.global.f32 %f2, [%rd5]; add.f32 %f6, %f2, %f2; st.shared.f32 [%r4+4096], %f6;");
  EXPECT_EQ(k.order({"ld", "add"}), (Lines{"ld %f1", "ld %f2", "add %f5", "add %f6"}));
}

TEST(Order, memory_that_may_be_the_same_is_accessed_in_the_order_of_the_text) {
  EXPECT_EQ(TimedKernel("st.global.f32 [%rd4], %f9; ld.global.f32 %f1, [%rd5]; st.global.f32 [%rd6], %f1;")
                .order({"st", "ld"})
                .back(),
            "st %rd6");
  const TimedKernel may(
      "st.global.f32 [%rd4], %f9; ld.global.f32 %f1, [%rd5]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd6], %f2;");
  EXPECT_EQ(may.order({"st", "add"}), (Lines{"st %rd4", "add %f2", "st %rd6"}));
  EXPECT_EQ(may.order({"st", "ld"}), (Lines{"st %rd4", "ld %f1", "st %rd6"}));
  const TimedKernel apart("st.global.f32 [%rd4], %f9; ld.global.f32 %f1, [%rd4+4]; st.global.f32 [%rd4+8], %f1;");
  EXPECT_EQ(apart.order({"st", "ld"}), (Lines{"ld %f1", "st %rd4", "st %rd4"}))
      << "the load does not wait for a store beside it";
  const TimedKernel constant("st.global.f32 [%rd4], %f9; ld.global.nc.f32 %f1, [%rd5]; st.global.f32 [%rd6], %f1;");
  EXPECT_EQ(constant.order({"st", "ld"})[0], "ld %f1") << "nobody writes what .nc reads";
}

TEST(Order, nothing_passes_a_clock_and_no_access_a_barrier) {
  const TimedKernel clock(
      "ld.global.f32 %f1, [%rd4]; mov.u32 %r2, %clock; ld.global.f32 %f2, [%rd5]; add.f32 %f3, %f1, %f2;");
  const Lines order = clock.order({"ld", "mov"});
  const auto at = [&](const char* what) { return std::find(order.begin(), order.end(), what) - order.begin(); };
  EXPECT_LT(at("ld %f1"), at("mov %r2"));
  EXPECT_LT(at("mov %r2"), at("ld %f2"));
  const TimedKernel barrier(
      "st.shared.f32 [%r4], %f9; bar.sync 0; ld.shared.f32 %f1, [%r4+64]; st.global.f32 [%rd4], %f1;");
  const Lines accesses = barrier.order({"st", "bar", "ld"});
  EXPECT_EQ(Lines(accesses.end() - 4, accesses.end()), (Lines{"st %r4", "bar ", "ld %f1", "st %rd4"}));
}

TEST(Order, loads_wait_when_registers_are_used_up) {
  // 40 loads of 4 words each would take 160 registers at once; 64 are allowed.
  std::string body;
  for (int k = 0; k < 20; ++k) {
    const std::string f = std::to_string(4 * k);
    body += "ld.global.v4.f32 {%f" + f + ", %f" + std::to_string(4 * k + 1) + ", %f" + std::to_string(4 * k + 2) +
            ", %f" + std::to_string(4 * k + 3) + "}, [%rd4+" + std::to_string(16 * k) + "];\nst.shared.v4.f32 [%r4+" +
            std::to_string(16 * k) + "], {%f" + f + ", %f" + std::to_string(4 * k + 1) + ", %f" +
            std::to_string(4 * k + 2) + ", %f" + std::to_string(4 * k + 3) + "};\n";
  }
  const TimedKernel k(body);
  int most = 0, loaded = 0;
  for (const ptx::Instruction* i : k.code) {
    if (ptx::mnemonic(*i) == "ld.global.v4.f32") most = std::max(most, ++loaded);
    if (ptx::mnemonic(*i) == "st.shared.v4.f32") --loaded;
  }
  EXPECT_GE(most, 12) << "of 16 that fit beside the addresses";
  EXPECT_LE(most, 16);
}

TEST(Order, each_instruction_keeps_its_line) {
  const TimedKernel k(
      ".loc 1 10 1\nld.global.f32 %f1, [%rd4];\n.loc 1 11 1\nadd.f32 %f5, %f1, %f1;\n.loc 1 12 1\nst.shared.f32 [%r4], "
      "%f5;\n"
      ".loc 1 13 1\nld.global.f32 %f2, [%rd5];\n.loc 1 14 1\nst.shared.f32 [%r4+8], %f2;");
  uint32_t line = 0;
  std::vector<std::string> seen;
  for (const ptx::Statement& statement : ptx::find_kernel(k.module, "k")->body->statements) {
    if (const auto* location = std::get_if<ptx::Location>(&statement)) line = location->line;
    const auto* i = std::get_if<ptx::Instruction>(&statement);
    if (i != nullptr && i->opcode != "ret" && i->opcode != "mov" && ptx::access_of(*i).space != ptx::Space::param)
      seen.push_back(ptx::mnemonic(*i) + " " + std::to_string(line));
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"ld.global.f32 10", "ld.global.f32 13", "add.f32 11", "st.shared.f32 14",
                                            "st.shared.f32 12"}))
      << "the addition takes longer than the store beside it waits";
}

// Several instructions behind one .loc, in an order that stays: it is there once, and whole.
TEST(Order, places_stay_as_they_were) {
  const TimedKernel k(
      "HERE: .loc 1 4 30\nadd.s32 %r5, %r1, 8;\n.loc 2 373 9, function_name $name, inlined_at 1 4 30\n"
      "xor.b32 %r6, %r5, 31; mul.lo.s32 %r7, %r6, %r5; shfl.sync.idx.b32 %r8, %r7, %r5, 31, -1;\n.loc 1 5 1\n"
      "st.global.u32 [%rd4], %r8;");
  std::vector<uint32_t> lines;
  for (const ptx::Statement& statement : ptx::find_kernel(k.module, "k")->body->statements) {
    const auto* location = std::get_if<ptx::Location>(&statement);
    if (location == nullptr || location->line == 1) continue;
    lines.push_back(location->line);
    EXPECT_EQ(location->inlined ? location->inlined->function_label : "", location->file == 2 ? "$name" : "");
  }
  EXPECT_EQ(lines, (std::vector<uint32_t>{4, 373, 5}));
}

}  // namespace
}  // namespace bankshot::optimise

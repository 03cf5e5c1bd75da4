// Which accesses ptxas joins. Each expectation was read from what ptxas 13.0 made of the same PTX, for sm_75 and sm_90
// where the test names no architecture: docs/wavefronts.md has the list.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "bankshot/optimise/optimise.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"

namespace bankshot::optimise {
namespace {

using Accesses = std::vector<std::string>;

void collect(const ptx::Block& block, Accesses& out) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) collect(**inner, out);
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (instruction == nullptr) continue;
    const ptx::Access access = ptx::access_of(*instruction);
    if (access.space != ptx::Space::shared) continue;
    const bool store = access.kind == ptx::Access::Kind::store;
    const ptx::Operand& address = instruction->operands[store ? 0 : 1];
    out.push_back((store ? "st" : "ld") + std::to_string(8 * access.bytes()) + " " + address.name + "+" +
                  std::to_string(address.integer) +
                  (instruction->joined == 1 ? "" : " of " + std::to_string(instruction->joined)));
  }
}

/// The shared accesses of a kernel with this body. %r4 is s + 16 · tid.x, %r1 tid.x, %r9 a parameter; s has 4,096 words
/// and is aligned to 16 bytes, t follows it.
Accesses accesses(const std::string& body, unsigned architecture = 75,
                  const std::string& shared = ".shared .align 16 .b8 s[16384]; .shared .align 16 .b8 t[4096];",
                  const SeenAccesses* seen = nullptr) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u32 n) {\n"
      ".reg .b16 %h<20>; .reg .b32 %r<100>; .reg .f32 %f<100>; .reg .b64 %rd<20>; .reg .f64 %d<20>; .reg .pred "
      "%p<10>;\n" +
      shared +
      "ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd2, %rd1; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x;\n"
      "mov.u32 %r2, s; shl.b32 %r3, %r1, 4; add.s32 %r4, %r2, %r3;\n" +
      body + "\nret; }\n";
  auto module = ptx::parse(text);
  EXPECT_TRUE(module) << text;
  if (!module) return {};
  EXPECT_TRUE(ptx::check(*module).empty()) << text;
  optimise(*module, {.architecture = architecture, .seen = seen});
  EXPECT_TRUE(ptx::check(*module).empty()) << text;
  Accesses out;
  collect(*ptx::find_kernel(*module, "k")->body, out);
  return out;
}

/// `ld.shared.f32 %f<first…>, [%r4 + offset]` for each offset.
std::string loads(const std::vector<int>& offsets, const std::string& type = "f32", const std::string& reg = "%f") {
  std::string text;
  for (size_t k = 0; k < offsets.size(); ++k) {
    text += "ld.shared." + type + " " + reg + std::to_string(k + 1) + ", [%r4+" + std::to_string(offsets[k]) + "];\n";
  }
  return text;
}
/// Stores to global memory, so that the loaded values are used.
std::string uses(size_t count, const std::string& type = "f32", const std::string& reg = "%f") {
  std::string text;
  for (size_t k = 0; k < count; ++k)
    text += "st.global." + type + " [%rd2+" + std::to_string(64 * k) + "], " + reg + std::to_string(k + 1) + ";\n";
  return text;
}
std::string stores(const std::vector<int>& offsets) {
  std::string text;
  for (size_t k = 0; k < offsets.size(); ++k)
    text += "st.shared.f32 [%r4+" + std::to_string(offsets[k]) + "], %f" + std::to_string(50 + k) + ";\n";
  return text;
}
const std::string kValues =
    "ld.global.f32 %f50, [%rd2]; ld.global.f32 %f51, [%rd2+4]; ld.global.f32 %f52, [%rd2+8]; ld.global.f32 %f53, "
    "[%rd2+12];\n";

Accesses of_loads(const std::vector<int>& offsets) { return accesses(loads(offsets) + uses(offsets.size())); }

TEST(Join, four_loads_of_one_window_are_one) {
  EXPECT_EQ(of_loads({0, 4, 8, 12}), Accesses{"ld128 %r4+0 of 4"});
  EXPECT_EQ(of_loads({12, 8, 4, 0}), Accesses{"ld128 %r4+0 of 4"});
  EXPECT_EQ(of_loads({0, 4, 8, 12, 16, 20, 24, 28}), (Accesses{"ld128 %r4+0 of 4", "ld128 %r4+16 of 4"}));
}

TEST(Join, three_of_four_words_are_enough_for_a_load) {
  for (const std::vector<int>& three : {std::vector{0, 4, 8}, {0, 4, 12}, {0, 8, 12}, {4, 8, 12}})
    EXPECT_EQ(of_loads(three), Accesses{"ld128 %r4+0 of 3"});
}

TEST(Join, two_words_are_joined_if_they_are_an_aligned_pair) {
  EXPECT_EQ(of_loads({0, 4}), Accesses{"ld64 %r4+0 of 2"});
  EXPECT_EQ(of_loads({8, 12}), Accesses{"ld64 %r4+8 of 2"});
  EXPECT_EQ(of_loads({4, 8}), (Accesses{"ld32 %r4+4", "ld32 %r4+8"}));
  EXPECT_EQ(of_loads({0, 8}), (Accesses{"ld32 %r4+0", "ld32 %r4+8"}));
  EXPECT_EQ(of_loads({0, 12}), (Accesses{"ld32 %r4+0", "ld32 %r4+12"}));
}

TEST(Join, a_window_ends_where_the_alignment_does) {
  EXPECT_EQ(of_loads({4, 8, 12, 16}), (Accesses{"ld128 %r4+0 of 3", "ld32 %r4+16"}));
  const std::string eight = "shl.b32 %r3, %r1, 3; add.s32 %r5, %r2, %r3;";
  EXPECT_EQ(
      accesses(eight + "ld.shared.f32 %f1, [%r5]; ld.shared.f32 %f2, [%r5+4]; ld.shared.f32 %f3, [%r5+8];" + uses(3)),
      (Accesses{"ld64 %r5+0 of 2", "ld32 %r5+8"}));
  const std::string four = "shl.b32 %r3, %r1, 2; add.s32 %r5, %r2, %r3;";
  EXPECT_EQ(accesses(four + "ld.shared.f32 %f1, [%r5]; ld.shared.f32 %f2, [%r5+4];" + uses(2)),
            (Accesses{"ld32 %r5+0", "ld32 %r5+4"}));
}

TEST(Join, an_unknown_index_is_not_joined) {
  EXPECT_EQ(accesses("add.s32 %r5, %r2, %r9; ld.shared.f32 %f1, [%r5]; ld.shared.f32 %f2, [%r5+4];" + uses(2)),
            (Accesses{"ld32 %r5+0", "ld32 %r5+4"}));
  EXPECT_EQ(accesses("and.b32 %r6, %r9, -16; add.s32 %r5, %r2, %r6; ld.shared.f32 %f1, [%r5]; ld.shared.f32 %f2, "
                     "[%r5+4];" +
                     uses(2)),
            Accesses{"ld64 %r5+0 of 2"});
}

TEST(Join, elements_have_one_size) {
  EXPECT_EQ(accesses("ld.shared.u64 %rd5, [%r4]; ld.shared.u32 %r10, [%r4+8]; ld.shared.u32 %r11, [%r4+12];"
                     "st.global.u64 [%rd2], %rd5; st.global.u32 [%rd2], %r10; st.global.u32 [%rd2], %r11;"),
            (Accesses{"ld64 %r4+0", "ld64 %r4+8 of 2"}));
  EXPECT_EQ(accesses("ld.shared.u32 %r10, [%r4]; ld.shared.f32 %f1, [%r4+4]; st.global.u32 [%rd2], %r10;" + uses(1)),
            Accesses{"ld64 %r4+0 of 2"});
  EXPECT_EQ(accesses(loads({0, 8}, "f64", "%d") + uses(2, "f64", "%d")), Accesses{"ld128 %r4+0 of 2"});
}

TEST(Join, halves_are_joined_up_to_four_and_bytes_are_not) {
  const auto halves = [](const std::vector<int>& offsets) {
    return accesses(loads(offsets, "u16", "%h") + uses(offsets.size(), "u16", "%h"));
  };
  EXPECT_EQ(halves({0, 2}), Accesses{"ld32 %r4+0 of 2"});
  EXPECT_EQ(halves({2, 4}), (Accesses{"ld16 %r4+2", "ld16 %r4+4"}));
  EXPECT_EQ(halves({0, 2, 4}), Accesses{"ld64 %r4+0 of 3"});
  EXPECT_EQ(halves({0, 2, 4, 6, 8, 10, 12, 14}), (Accesses{"ld64 %r4+0 of 4", "ld64 %r4+8 of 4"}));
  EXPECT_EQ(accesses(loads({0, 1}, "u8", "%h") + uses(2, "u16", "%h")), (Accesses{"ld8 %r4+0", "ld8 %r4+1"}));
}

TEST(Join, of_a_vector_only_what_is_used_is_loaded) {
  const std::string four = "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r4];";
  EXPECT_EQ(accesses(four + uses(1)), Accesses{"ld32 %r4+0"});
  EXPECT_EQ(accesses(four + uses(2)), Accesses{"ld64 %r4+0"});
  EXPECT_EQ(accesses(four + uses(3)), Accesses{"ld128 %r4+0"});
  EXPECT_EQ(accesses(four + "st.global.f32 [%rd2], %f2; st.global.f32 [%rd2], %f3;"),
            (Accesses{"ld32 %r4+4", "ld32 %r4+8"}));
  EXPECT_EQ(accesses("ld.shared.v2.f32 {%f1, %f2}, [%r4]; ld.shared.v2.f32 {%f3, %f4}, [%r4+8];" + uses(4)),
            Accesses{"ld128 %r4+0 of 2"});
}

TEST(Join, a_vector_by_an_unknown_address_stays) {
  const std::string vector = "add.s32 %r5, %r2, %r9; ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r5];";
  EXPECT_EQ(accesses(vector + uses(4)), Accesses{"ld128 %r5+0"});
  EXPECT_EQ(accesses(vector + uses(2)), Accesses{"ld64 %r5+0"});
}

TEST(Join, volatile_accesses_stay_and_relaxed_ones_are_joined) {
  EXPECT_EQ(accesses("ld.volatile.shared.f32 %f1, [%r4]; ld.volatile.shared.f32 %f2, [%r4+4];" + uses(2)).size(), 2u);
  EXPECT_EQ(accesses("ld.relaxed.cta.shared.f32 %f1, [%r4]; ld.relaxed.cta.shared.f32 %f2, [%r4+4];" + uses(2)),
            Accesses{"ld64 %r4+0 of 2"});
}

TEST(Join, a_relaxed_load_is_never_left_out_or_moved_out_of_a_loop) {
  const auto relaxed = [](const std::string& to, int offset) {
    return "ld.relaxed.cta.shared.f32 " + to + ", [%r4+" + std::to_string(offset) + "];\n";
  };
  const std::string end = "setp.eq.f32 %p1, %f2, 0f00000000; @%p1 bra L;" + uses(2);
  EXPECT_EQ(accesses(relaxed("%f1", 0) + relaxed("%f2", 0) + uses(2)).size(), 2u);
  EXPECT_EQ(accesses(relaxed("%f1", 0) + "ld.shared.f32 %f2, [%r4];" + uses(2)).size(), 2u);
  EXPECT_EQ(accesses(relaxed("%f1", 0) + "L:" + relaxed("%f2", 0) + end).size(), 2u);
  EXPECT_EQ(accesses(relaxed("%f1", 0) + "L:" + relaxed("%f2", 4) + end).size(), 2u);
  EXPECT_EQ(accesses("L:" + relaxed("%f1", 0) + relaxed("%f2", 4) + end), Accesses{"ld64 %r4+0 of 2"});
  EXPECT_EQ(accesses(kValues + "st.shared.f32 [%r4], %f50;" + relaxed("%f1", 0) + uses(1)).size(), 2u);
}

std::string first() { return "ld.shared.f32 %f1, [%r4];\n"; }
std::string second() { return "ld.shared.f32 %f2, [%r4+4];\n" + uses(2); }

TEST(Join, no_load_moves_over_what_may_write_or_order) {
  for (const char* between :
       {"st.shared.f32 [t], %f50;", "st.shared.f32 [%r4+64], %f50;", "st.f32 [%rd1], %f50;", "bar.sync 0;",
        "bar.warp.sync -1;", "membar.cta;", "red.shared.add.u32 [t], 1;", "nanosleep.u32 100;"}) {
    const Accesses found = accesses(kValues + first() + between + second());
    EXPECT_EQ(found.back(), "ld32 %r4+4") << between;
  }
}

TEST(Join, what_becomes_a_subroutine_comes_between_all) {
  for (const char* between :
       {"div.rn.f32 %f9, %f50, %f51;", "div.rz.ftz.f32 %f9, %f50, %f51;", "sqrt.rn.f32 %f9, %f50;",
        "rcp.rn.f32 %f9, %f50;", "rem.u64 %rd9, %rd1, %rd2;", "div.rn.f64 %d9, %d8, %d8;"}) {
    EXPECT_EQ(accesses(kValues + first() + between + second()).size(), 2u) << between;
    EXPECT_EQ(accesses(kValues + stores({0}) + between + "st.shared.f32 [%r4+4], %f51;").size(), 2u) << between;
  }
  for (const char* between : {"div.full.f32 %f9, %f50, %f51;", "rcp.approx.f32 %f9, %f50;", "div.s32 %r20, %r9, %r1;"})
    EXPECT_EQ(accesses(kValues + first() + between + second())[0], "ld64 %r4+0 of 2") << between;
}

TEST(Join, what_becomes_a_branch_comes_between_stores) {
  const auto stores_around = [](const std::string& between) {
    return accesses("setp.eq.u32 %p1, %r9, 7;" + kValues + stores({0}) + between + "st.shared.f32 [%r4+4], %f51;")
        .size();
  };
  for (const char* between : {"div.full.ftz.f32 %f9, %f50, %f51;", "div.approx.f32 %f9, %f50, %f51;",
                              "sqrt.approx.f32 %f9, %f50;", "ex2.approx.f32 %f9, %f50;", "lg2.approx.f32 %f9, %f50;",
                              "rem.s32 %r20, %r9, %r1;", "div.u16 %h9, %h8, %h8;", "@%p1 add.f32 %f9, %f50, %f51;"})
    EXPECT_EQ(stores_around(between), 2u) << between;
  for (const char* between : {"div.approx.ftz.f32 %f9, %f50, %f51;", "rcp.approx.f32 %f9, %f50;",
                              "ex2.approx.ftz.f32 %f9, %f50;", "rem.u32 %r20, %r9, %r1;", "@%p1 mov.f32 %f9, %f50;"})
    EXPECT_EQ(stores_around(between), 1u) << between;
}

TEST(Join, loads_move_over_everything_else) {
  for (const char* between : {"st.global.f32 [%rd2+512], %f50;", "atom.global.add.u32 %r20, [%rd2], 1;",
                              "ld.volatile.shared.f32 %f9, [t];", "shfl.sync.bfly.b32 %f9, %f1, 1, 31, -1;",
                              "vote.sync.ballot.b32 %r20, 1, -1;", "mov.u32 %r20, %clock;", "ld.f32 %f9, [%rd1];"}) {
    EXPECT_EQ(accesses(kValues + first() + between + second())[0], "ld64 %r4+0 of 2") << between;
  }
}

TEST(Join, a_load_joins_one_that_every_path_passes) {
  const std::string branch = "setp.eq.u32 %p1, %r9, 7; mov.f32 %f2, 0f00000000;";
  const std::string side = "@%p1 bra X; mul.lo.u32 %r20, %r9, %r1;";
  EXPECT_EQ(accesses(branch + first() + side + "X:" + second()), Accesses{"ld64 %r4+0 of 2"});
  EXPECT_EQ(accesses(branch + first() + side + "ld.shared.f32 %f2, [%r4+4]; X:" + uses(2)),
            Accesses{"ld64 %r4+0 of 2"});
  EXPECT_EQ(accesses(branch + first() + side + "st.shared.f32 [t], %f2; X:" + second()).size(), 3u);
  const std::string loop = "mov.u32 %r21, 0; L: add.u32 %r21, %r21, 1; setp.lt.u32 %p2, %r21, %r9; @%p2 bra L;";
  EXPECT_EQ(accesses(first() + loop + second()), Accesses{"ld64 %r4+0 of 2"});
}

TEST(Join, no_access_crosses_the_border_of_a_transaction) {
  EXPECT_EQ(accesses(first() + ".pragma \"bankshot.tx_begin\";" + second() + ".pragma \"bankshot.tx_commit\";").size(),
            2u);
  EXPECT_EQ(accesses(first() + ".pragma \"nounroll\";" + second()), Accesses{"ld64 %r4+0 of 2"});
}

TEST(Join, constants_are_stored_as_bits) {
  EXPECT_EQ(accesses("st.shared.f32 [%r4], 0f3F800000; st.shared.u32 [%r4+4], 7;"), Accesses{"st64 %r4+0 of 2"});
}

TEST(Join, guarded_loads_join_only_what_runs_anyway) {
  const std::string guard = "setp.eq.u32 %p1, %r9, 7; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000;";
  EXPECT_EQ(accesses(guard + "@%p1 ld.shared.f32 %f1, [%r4]; @%p1 ld.shared.f32 %f2, [%r4+4];" + uses(2)),
            (Accesses{"ld32 %r4+0", "ld32 %r4+4"}));
  EXPECT_EQ(accesses(guard + "ld.shared.f32 %f1, [%r4]; @%p1 ld.shared.f32 %f2, [%r4+4];" + uses(2)),
            Accesses{"ld64 %r4+0 of 2"});
}

TEST(Join, addresses_are_followed_through_constants) {
  EXPECT_EQ(accesses("add.s32 %r5, %r4, 4;" + first() + "ld.shared.f32 %f2, [%r5];" + uses(2)),
            Accesses{"ld64 %r4+0 of 2"});
  EXPECT_EQ(accesses("or.b32 %r6, %r3, 4; add.u32 %r7, %r2, %r6;" + first() + "ld.shared.f32 %f2, [%r7];" + uses(2)),
            Accesses{"ld64 %r4+0 of 2"});
  EXPECT_EQ(
      accesses("xor.b32 %r6, %r3, 4; add.u32 %r7, %r2, %r6;" + first() + "ld.shared.f32 %f2, [%r7];" + uses(2)).size(),
      2u);
  EXPECT_EQ(accesses("add.u32 %r5, %r1, 1; mad.lo.u32 %r8, %r5, 16, %r2; mad.lo.u32 %r7, %r1, 16, %r2;"
                     "ld.shared.f32 %f1, [%r8]; ld.shared.f32 %f2, [%r7+20];" +
                     uses(2)),
            Accesses{"ld64 %r8+0 of 2"});
}

TEST(Join, from_sm_90_on_the_start_of_an_array_is_a_register) {
  const std::string body =
      "add.s32 %r5, %r3, 4; add.s32 %r6, %r2, %r5;" + first() + "ld.shared.f32 %f2, [%r6];" + uses(2);
  EXPECT_EQ(accesses(body, 75), Accesses{"ld64 %r4+0 of 2"});
  EXPECT_EQ(accesses(body, 90).size(), 2u);
  // An array 4 bytes behind the start of shared memory.
  const std::string shared = ".shared .align 4 .b8 t[4]; .shared .align 4 .b8 s[16000];";
  const std::string four = loads({0, 4, 8, 12}) + uses(4) + "st.shared.f32 [t], %f1;";
  EXPECT_EQ(accesses(four, 75, shared), (Accesses{"ld128 %r4+-4 of 3", "ld32 %r4+12", "st32 t+0"}));
  EXPECT_EQ(accesses(four, 90, shared).size(), 5u);
}

TEST(Join, the_alignment_of_a_loop_s_pointer_is_that_of_its_steps) {
  const auto loop = [](const std::string& step) {
    return "mov.u32 %r20, 0; mov.f32 %f10, 0f00000000; L: ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4];"
           "add.f32 %f10, %f10, %f1; add.f32 %f10, %f10, %f2; add.s32 %r4, %r4, " +
           step + "; add.s32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, %r9; @%p1 bra L; st.global.f32 [%rd2], %f10;";
  };
  EXPECT_EQ(accesses(loop("16")), Accesses{"ld64 %r4+0 of 2"});
  EXPECT_EQ(accesses(loop("4")).size(), 2u);
}

TEST(Join, what_was_read_is_not_read_again) {
  EXPECT_EQ(accesses(first() + "ld.shared.f32 %f2, [%r4];" + uses(2)), Accesses{"ld32 %r4+0 of 2"});
  EXPECT_EQ(accesses(kValues + first() + "st.shared.f32 [%r4+64], %f50; ld.shared.f32 %f2, [%r4];" + uses(2)).size(),
            3u);
  EXPECT_EQ(accesses("ld.shared.u8 %r10, [%r4]; ld.shared.u32 %r11, [%r4]; st.global.u32 [%rd2], %r10; st.global.u32 "
                     "[%rd2], %r11;")
                .size(),
            2u);
}

TEST(Join, what_was_just_written_is_not_read) {
  EXPECT_EQ(accesses(kValues + "st.shared.f32 [%r4], %f50; ld.shared.f32 %f1, [%r4];" + uses(1)),
            Accesses{"st32 %r4+0"});
  EXPECT_EQ(
      accesses(kValues + "st.shared.f32 [%r4], %f50; st.shared.f32 [t], %f51; ld.shared.f32 %f1, [%r4];" + uses(1))
          .size(),
      3u);
}

TEST(Join, what_nobody_uses_is_not_read) {
  EXPECT_EQ(accesses(first() + second().substr(0, second().find('\n')) + uses(1)), Accesses{"ld32 %r4+0"});
}

TEST(Join, stores_that_follow_each_other_are_joined) {
  EXPECT_EQ(accesses(kValues + stores({0, 4, 8, 12})), Accesses{"st128 %r4+0 of 4"});
  EXPECT_EQ(accesses(kValues + stores({12, 8, 4, 0})), Accesses{"st128 %r4+0 of 4"});
  EXPECT_EQ(accesses(kValues + stores({0, 4})), Accesses{"st64 %r4+0 of 2"});
  EXPECT_EQ(accesses(kValues + stores({4, 8})), (Accesses{"st32 %r4+4", "st32 %r4+8"}));
}

TEST(Join, three_stores_are_a_pair_and_one) {
  EXPECT_EQ(accesses(kValues + stores({0, 4, 8})), (Accesses{"st64 %r4+0 of 2", "st32 %r4+8"}));
  EXPECT_EQ(accesses(kValues + stores({4, 8, 12})), (Accesses{"st32 %r4+4", "st64 %r4+8 of 2"}));
}

TEST(Join, any_other_access_of_shared_memory_comes_between_stores) {
  for (const char* between : {"ld.shared.f32 %f1, [t]; st.global.f32 [%rd2], %f1;", "st.shared.f32 [%r4+64], %f50;",
                              "st.shared.f32 [t], %f50;", "ld.f32 %f1, [%rd1]; st.global.f32 [%rd2], %f1;"}) {
    const Accesses found = accesses(kValues + "st.shared.f32 [%r4], %f50;" + between + "st.shared.f32 [%r4+4], %f51;");
    EXPECT_EQ(found.back(), "st32 %r4+4") << between;
  }
  EXPECT_EQ(accesses(kValues + stores({0, 16, 4, 20})).size(), 4u);
  EXPECT_EQ(accesses(kValues + "st.shared.f32 [%r4], %f50; st.global.f32 [%rd2], %f50; st.shared.f32 [%r4+4], %f51;"),
            Accesses{"st64 %r4+0 of 2"});
}

TEST(Join, stores_of_two_blocks_are_apart) {
  EXPECT_EQ(accesses(kValues + "setp.eq.u32 %p1, %r9, 7; st.shared.f32 [%r4], %f50; @%p1 bra X; mov.u32 %r20, 0; X: "
                               "st.shared.f32 [%r4+4], %f51;")
                .size(),
            2u);
}

TEST(Join, a_store_that_is_overwritten_is_none) {
  EXPECT_EQ(accesses(kValues + "st.shared.f32 [%r4], %f50; st.shared.f32 [%r4], %f51;"), Accesses{"st32 %r4+0"});
}

TEST(Join, a_store_waits_for_no_register_that_changes) {
  EXPECT_EQ(
      accesses(kValues + "st.shared.f32 [%r4], %f50; mov.f32 %f50, 0f00000000; st.shared.f32 [%r4+4], %f50;").size(),
      2u);
}

/// A line of machine code's accesses: the n-th line of the body, from 0.
using Seen = std::map<uint32_t, SeenAccesses::Widths>;
constexpr uint32_t kBody = 8;  // what accesses() writes before it has seven lines

Accesses as_seen(const std::string& body, const Seen& by_line) {
  SeenAccesses seen;
  for (const auto& [line, widths] : by_line) seen.lines[kBody + line] = widths;
  return accesses(body, 75, ".shared .align 16 .b8 s[16384]; .shared .align 16 .b8 t[4096];", &seen);
}
const std::string kFour = loads({0, 4, 8, 12}) + uses(4);

TEST(SeenAccesses, what_machine_code_has_narrower_is_split) {
  const Accesses words{"ld32 %r4+0", "ld32 %r4+4", "ld32 %r4+8", "ld32 %r4+12"};
  EXPECT_EQ(as_seen(kFour, {{0, {{4}, {}}}, {1, {{4}, {}}}, {2, {{4}, {}}}, {3, {{4}, {}}}}), words);
  const Accesses pairs{"ld64 %r4+0 of 2", "ld64 %r4+8 of 2"};
  EXPECT_EQ(as_seen(kFour, {{0, {{8}, {}}}, {2, {{8}, {}}}}), pairs);
  EXPECT_EQ(as_seen(kFour, {{1, {{8}, {}}}}), pairs) << "ptxas told one line of the two; the other half is as expected";
  EXPECT_EQ(as_seen(kFour, {{0, {{4}, {}}}, {1, {{4}, {}}}, {2, {{8}, {}}}}),
            (Accesses{"ld32 %r4+0", "ld32 %r4+4", "ld64 %r4+8 of 2"}));
  EXPECT_EQ(as_seen(loads({0, 4, 8}) + uses(3), {{0, {{8}, {}}}, {2, {{4}, {}}}}),
            (Accesses{"ld64 %r4+0 of 2", "ld32 %r4+8"}));
}

TEST(SeenAccesses, nothing_is_made_wider_than_the_model_expects) {
  EXPECT_EQ(as_seen(loads({0, 4}) + uses(2), {{0, {{16}, {}}}}), Accesses{"ld64 %r4+0 of 2"});
  EXPECT_EQ(as_seen(kFour, {{0, {{4, 16}, {}}}}), Accesses{"ld128 %r4+0 of 4"}) << "a loop that was unrolled has both";
  EXPECT_EQ(as_seen(loads({4, 8}) + uses(2), {{0, {{8}, {}}}}), (Accesses{"ld32 %r4+4", "ld32 %r4+8"}));
}

TEST(SeenAccesses, where_machine_code_has_none_of_that_kind_the_model_counts) {
  EXPECT_EQ(as_seen(kFour, {}), Accesses{"ld128 %r4+0 of 4"});
  EXPECT_EQ(as_seen(kFour, {{0, {{}, {4}}}, {20, {{4}, {}}}}), Accesses{"ld128 %r4+0 of 4"});
}

TEST(SeenAccesses, stores_are_split_where_they_stand) {
  const std::string body = stores({0, 4, 8, 12});  // kValues is on the line before them
  EXPECT_EQ(as_seen(kValues + body, {{1, {{}, {4}}}, {2, {{}, {4}}}, {3, {{}, {4}}}, {4, {{}, {4}}}}),
            (Accesses{"st32 %r4+0", "st32 %r4+4", "st32 %r4+8", "st32 %r4+12"}));
  EXPECT_EQ(as_seen(kValues + body, {{2, {{}, {8}}}, {4, {{}, {8}}}}),
            (Accesses{"st64 %r4+0 of 2", "st64 %r4+8 of 2"}));
  EXPECT_EQ(as_seen(kValues + body, {{1, {{4}, {}}}}), Accesses{"st128 %r4+0 of 4"}) << "a load says nothing of stores";
}

TEST(SeenAccesses, a_vector_of_the_text_may_be_split_too) {
  EXPECT_EQ(as_seen("ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r4];\n" + uses(4), {{0, {{8}, {}}}}),
            (Accesses{"ld64 %r4+0", "ld64 %r4+8"}));
}

}  // namespace
}  // namespace bankshot::optimise

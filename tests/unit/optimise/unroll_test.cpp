// Which loops are unrolled, how often, and that they compute the same. How often was read from what ptxas 13.0 made of
// the same loops for sm_80: docs/wavefronts.md has the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bankshot/optimise/optimise.hpp"
#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"
#include "tests/unit/simt/engine_harness.hpp"

namespace bankshot::optimise {
namespace {

struct Loop {
  std::string body;
  std::string bound = "%r9";  ///< a parameter
  std::string test = "setp.ne.s32 %p1, %r10, BOUND; @%p1 bra L;";
  int step = 1;
  std::string start = "0";
};

std::string repeated(int times, const std::string& text) {
  std::string all;
  for (int k = 0; k < times; ++k) all += text + "\n";
  return all;
}
std::string ffma(int times) { return repeated(times, "fma.rn.f32 %f1, %f1, %f2, %f2;"); }
const std::string kGlobal = "ld.global.f32 %f2, [%rd6]; add.s64 %rd6, %rd6, 128;\n";
const std::string kShared = "ld.shared.f32 %f2, [%r22]; add.s32 %r22, %r22, 4;\n";

size_t count(const ptx::Block& block, const std::string& opcode, unsigned joined = 0) {
  size_t found = 0;
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement))
      found += count(**inner, opcode, joined);
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    found += instruction != nullptr && instruction->opcode == opcode && (joined == 0 || instruction->joined == joined);
  }
  return found;
}

ptx::Module optimised(const Loop& loop, bool timing) {
  std::string test = loop.test;
  test.replace(test.find("BOUND"), 5, loop.bound);
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n) {\n"
      ".reg .pred %p<10>; .reg .b32 %r<60>; .reg .f32 %f<60>; .reg .b64 %rd<20>; .shared .align 16 .b8 s[4096];\n"
      "ld.param.u64 %rd1, [p]; ld.param.u32 %r9, [n]; cvta.to.global.u64 %rd3, %rd1; mov.u32 %r2, %tid.x;\n"
      "mul.wide.u32 %rd5, %r2, 4; add.s64 %rd6, %rd3, %rd5; mov.u32 %r20, s; shl.b32 %r21, %r2, 8;\n"
      "add.s32 %r22, %r20, %r21; mov.f32 %f1, 0f00000000; mov.u32 %r10, " +
      loop.start + ";\nL:\n" + loop.body + "add.s32 %r10, %r10, " + std::to_string(loop.step) + ";\n" + test +
      "\nst.global.f32 [%rd3], %f1; ret; }\n";
  auto module = ptx::parse(text);
  EXPECT_TRUE(module) << text;
  EXPECT_TRUE(ptx::check(*module).empty()) << text;
  optimise(*module, {.architecture = 80, .timing = timing});
  EXPECT_TRUE(ptx::check(*module).empty()) << text;
  return std::move(*module);
}

/// How often the body is there.
size_t copies(Loop loop, int ffmas = 4) {
  loop.body += ffma(ffmas);
  const ptx::Module module = optimised(loop, true);
  return count(*ptx::find_kernel(module, "k")->body, "fma") / static_cast<size_t>(ffmas);
}

TEST(Unroll, a_loop_with_few_iterations_is_gone) {
  EXPECT_EQ(copies({.body = kGlobal, .bound = "8"}), 8u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "100"}), 100u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "20"}, 32), 20u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "6"}, 64), 6u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "3"}, 96), 3u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "8", .step = 2}), 4u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "8", .test = "setp.le.s32 %p1, %r10, BOUND; @%p1 bra L;"}), 9u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "0", .step = -1, .start = "5"}), 5u);
}

// Copies in front of the loop, so that those in it divide what is left.
TEST(Unroll, of_many_iterations_as_many_as_fit_make_one) {
  EXPECT_EQ(copies({.body = kGlobal, .bound = "1024"}), 51u + 4u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "64"}, 32), 9u + 1u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "1000"}, 32), 9u + 1u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "1024"}, 32), 8u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "67"}, 48), 6u + 1u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "64"}, 64), 4u);
  EXPECT_EQ(copies({.body = kGlobal, .bound = "1024"}, 80), 1u);
}

// Four at once, then two, then one.
TEST(Unroll, an_unknown_number_of_iterations_is_taken_by_four_if_that_hides_latency) {
  EXPECT_EQ(copies({.body = kGlobal}), 7u);
  EXPECT_EQ(copies({.body = kGlobal}, 43), 7u);
  EXPECT_EQ(copies({.body = kGlobal}, 45), 1u);
  EXPECT_EQ(copies({.body = kShared}, 21), 7u);
  EXPECT_EQ(copies({.body = kShared}, 22), 1u);
  EXPECT_EQ(copies({.body = kShared + "bar.sync 0;\n"}, 19), 7u);
  EXPECT_EQ(copies({.body = kShared + "bar.sync 0;\n"}, 20), 1u);
  EXPECT_EQ(copies({.body = {}}, 18), 7u);
  EXPECT_EQ(copies({.body = {}}, 19), 1u);
  EXPECT_EQ(copies({.body = "st.shared.f32 [%r22], %f1; st.shared.f32 [%r22+132], %f1;\n"}, 14), 7u);
  EXPECT_EQ(copies({.body = "st.shared.f32 [%r22], %f1; st.shared.f32 [%r22+132], %f1;\n"}, 15), 1u);
}

TEST(Unroll, only_what_can_be_counted) {
  EXPECT_EQ(copies({.body = kGlobal, .step = 3}), 1u) << "may miss the bound";
  EXPECT_EQ(copies({.body = kGlobal, .test = "setp.lt.s32 %p1, %r10, BOUND; @%p1 bra L;", .step = 3}), 7u);
  EXPECT_EQ(copies({.body = kGlobal + "add.s32 %r10, %r10, %r2;\n"}), 1u);
  const std::string before = "setp.lt.s32 %p1, %r10, 1000;\n", branch = "@%p1 bra L; // BOUND";
  EXPECT_EQ(copies({.body = kGlobal + before, .test = branch, .start = "%r2"}), 1u) << "compared before it grows";
  EXPECT_EQ(copies({.body = kGlobal + before, .test = branch}), 50u + 1u) << "the number is known";
  EXPECT_EQ(copies({.body = kGlobal + "shl.b32 %r10, %r10, 1;\n"}), 1u);
  EXPECT_EQ(copies({.body = kGlobal + "ld.global.u32 %r9, [%rd3];\n"}), 1u) << "the bound changes";
  EXPECT_EQ(copies({.body = kGlobal, .test = "setp.lt.f32 %p1, %f1, %f40; @%p1 bra L; // BOUND"}), 1u);
}

TEST(Unroll, some_instructions_keep_a_loop) {
  for (const char* keeps :
       {"shfl.sync.bfly.b32 %r30, %r31, 1, 31, -1;", "vote.sync.ballot.b32 %r30, %p3, -1;",
        "match.any.sync.b32 %r30, %r31, -1;", "redux.sync.add.s32 %r30, %r31, -1;", "activemask.b32 %r30;",
        "bar.warp.sync -1;", "barrier.sync 0;", "membar.cta;", "fence.acq_rel.gpu;", "div.rn.f32 %f2, %f2, %f1;",
        "rcp.rn.f32 %f2, %f2;", "sqrt.rn.f32 %f2, %f2;", "@%p3 exit;"}) {
    EXPECT_EQ(copies({.body = kGlobal + keeps + "\n", .bound = "8"}), 1u) << keeps;
  }
  EXPECT_EQ(copies({.body = kGlobal + "bar.sync 0;\n", .bound = "8"}), 8u);
  EXPECT_EQ(copies({.body = kGlobal + "{ .reg .b32 t; mov.b32 t, %r31; }\n", .bound = "8"}), 8u) << "inline assembly";
  EXPECT_EQ(copies({.body = ".pragma \"nounroll\";\n" + kGlobal, .bound = "8"}), 1u);
}

// The alignment of a pointer that a loop moves by 4 bytes is not known to be more, so only without a loop.
TEST(Unroll, loads_of_several_iterations_are_joined_where_the_loop_is_gone) {
  const auto joined = [](const Loop& loop, bool timing) {
    return count(*ptx::find_kernel(optimised(loop, timing), "k")->body, "ld", 4);
  };
  EXPECT_EQ(joined({.body = kShared + ffma(4), .bound = "16"}, true), 4u);
  EXPECT_EQ(joined({.body = kShared + ffma(4), .bound = "16"}, false), 4u);
  EXPECT_EQ(joined({.body = kShared + ffma(4)}, true), 0u);
}

TEST(Unroll, without_a_timing_model_loops_stay_whose_accesses_stay) {
  const auto ffmas = [](const Loop& loop) {
    return count(*ptx::find_kernel(optimised(loop, false), "k")->body, "fma");
  };
  EXPECT_EQ(ffmas({.body = kGlobal + ffma(4), .bound = "8"}), 4u);
  EXPECT_EQ(ffmas({.body = kShared + ffma(4), .bound = "1024"}), 4u);
  EXPECT_EQ(ffmas({.body = kShared + ffma(4), .bound = "8"}), 32u);
}

// 4 LDG, 4 FFMA, the pointer of 64 bits, counter, comparison, branch: as in the machine code.
TEST(Unroll, what_iterations_have_in_common_is_counted_once) {
  const ptx::Module module = optimised({.body = kGlobal + ffma(1)}, true);
  const auto& statements = ptx::find_kernel(module, "k")->body->statements;
  auto at = std::find_if(statements.begin(), statements.end(),
                         [](const ptx::Statement& s) { return std::holds_alternative<ptx::Pragma>(s); });
  unsigned slots = 0;
  for (bool ends = false; at != statements.end() && !ends; ++at) {
    const auto* instruction = std::get_if<ptx::Instruction>(&*at);
    if (instruction == nullptr) continue;
    slots += instruction->slots;
    ends = instruction->opcode == "bra";
  }
  EXPECT_EQ(slots, 4u + 4u + 2u + 1u + 1u + 1u);
}

class UnrolledLoops : public simt::EngineTest {};

/// A loop that adds up its counter, with all that its head and end may be.
struct Case {
  uint32_t start = 0, bound = 0, step = 1;
  std::string comparison;
  bool negated = false, bound_first = false, before = false, known = false;

  bool is_signed() const { return comparison.ends_with("s32"); }
  bool holds(uint32_t counter) const {
    const uint32_t first = bound_first ? bound : counter, second = bound_first ? counter : bound;
    const int64_t a = is_signed() ? int64_t{static_cast<int32_t>(first)} : int64_t{first};
    const int64_t b = is_signed() ? int64_t{static_cast<int32_t>(second)} : int64_t{second};
    const std::string what = comparison.substr(0, 2);
    return what == "eq"   ? a == b
           : what == "ne" ? a != b
           : what == "lt" ? a < b
           : what == "le" ? a <= b
           : what == "gt" ? a > b
                          : a >= b;
  }
  /// Iterations, and what the counter adds up to; nothing if there are more than 300.
  std::optional<std::pair<uint32_t, uint32_t>> result() const {
    uint32_t counter = start, sum = 0;
    for (uint32_t iterations = 1; iterations <= 300; ++iterations) {
      sum = sum * 3 + counter;
      const bool first = holds(counter);
      counter += step;
      if ((before ? first : holds(counter)) == negated) return std::pair(iterations, sum);
    }
    return std::nullopt;
  }
  std::string text() const {
    const std::string end = known ? std::to_string(bound) : "%r11";
    const std::string test = "setp." + comparison + " %p1, " + (bound_first ? end + ", %r10" : "%r10, " + end) + ";\n";
    const std::string count = "add.s32 %r10, %r10, " + std::to_string(static_cast<int32_t>(step)) + ";\n";
    return "mov.u32 %r10, " + std::to_string(start) +
           "; mov.u32 %r12, 0; mov.u32 %r13, 0; ld.global.u32 %r14, [%rd1];\n" +
           (known ? "" : "add.u32 %r11, %r14, " + std::to_string(bound) + ";\n") +
           (known ? "" : "add.u32 %r10, %r10, %r14;\n") +
           "L: mad.lo.u32 %r12, %r12, 3, %r10; add.u32 %r13, %r13, 1;\n" + (before ? test + count : count + test) +
           (negated ? "@!" : "@") + "%p1 bra L;\nst.global.v4.u32 [%rd1], {%r13, %r12, %r10, 1}; ret;";
  }
};

// Also where counters wrap around: the bound may be on the other side of 2^31 or 2^32.
TEST_F(UnrolledLoops, count_as_the_text_does) {
  std::mt19937 random(20261125);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const char* const comparisons[] = {"eq.s32", "ne.u32", "lt.s32", "lt.u32", "le.s32",
                                     "le.u32", "gt.s32", "gt.u32", "ge.s32", "ge.u32"};
  options.machine_code = 80;
  options.timing = true;
  unsigned tried = 0;
  while (tried < 400) {
    Case its;
    const uint32_t edges[] = {0, 0x7fffffff, 0x80000000, 0xffffffff, below(1000)};
    its.start = edges[below(5)] + below(40) - 20;
    its.step = below(3) == 0 ? below(9) - 4 : 1;
    its.bound = its.start + below(60) * its.step + (below(4) == 0 ? below(5) : 0);
    its.comparison = comparisons[below(10)];
    its.negated = below(2) == 0;
    its.bound_first = below(2) == 0;
    its.before = below(3) == 0;
    its.known = below(2) == 0;
    const auto expected = its.result();
    if (its.step == 0 || !expected) continue;
    ++tried;
    const std::string text = kernel(its.text());
    ASSERT_TRUE(run(text, {1, 1, 1}, {1, 1, 1}, 4)) << text;
    EXPECT_EQ(out[0], expected->first) << text;
    EXPECT_EQ(out[1], expected->second) << text;
    EXPECT_EQ(out[2], its.start + expected->first * its.step) << text;
  }
}

/// Bodies that leave three numbers in %r12, %r13 and %r14 as they are written, joined, and with the order of machine
/// code.
class LoopsAsWritten : public simt::EngineTest, public ::testing::WithParamInterface<const char*> {
 protected:
  std::vector<uint32_t> results(unsigned machine_code, bool timing) {
    options.machine_code = machine_code;
    options.timing = timing;
    const std::string text =
        kernel(std::string(".shared .align 16 .b8 s[256]; .reg .b64 %c<4>;\n") +
               "mov.u32 %r1, %tid.x; mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r14, 0; mov.u32 %r9, s;\n"
               "ld.global.u32 %r8, [%rd1]; mul.wide.u32 %rd2, %r1, 16; add.s64 %rd2, %rd1, %rd2;\n" +
               GetParam() + "\nst.global.v4.u32 [%rd2], {%r12, %r13, %r14, 1}; ret;");
    if (machine_code != 0) {
      auto module = ptx::parse(text);
      optimise(*module, {.architecture = machine_code, .timing = timing});
      EXPECT_TRUE(ptx::check(*module).empty()) << text;
    }
    simt::Engine own(options);
    auto program = own.load(text, "test.ptx");
    if (!program) {
      ADD_FAILURE() << text;
      return {};
    }
    std::vector<uint32_t> left(8 * 4);
    const uint64_t buffer = *own.memory().allocate(left.size() * 4, simt::MemoryKind::device);
    simt::LaunchConfig config;
    config.grid = {1, 1, 1};
    config.block = {8, 1, 1};
    config.params = std::as_bytes(std::span(&buffer, 1));
    EXPECT_TRUE(own.launch(**program, "k", config)) << text;
    std::memcpy(left.data(), reinterpret_cast<const void*>(buffer), left.size() * 4);
    return left;
  }
};

TEST_P(LoopsAsWritten, leave_what_they_do) {
  const std::vector<uint32_t> written = results(0, false);
  EXPECT_EQ(results(80, false), written);
  EXPECT_EQ(results(80, true), written);
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, LoopsAsWritten,
    ::testing::Values(
        // entered again with what the counter is then
        "mov.u32 %r10, 0; mov.u32 %r20, 0; OUT: add.u32 %r20, %r20, 1;\n"
        "L: add.u32 %r12, %r12, 1; ld.shared.u32 %r5, [%r9]; add.u32 %r13, %r13, %r5; add.u32 %r10, %r10, 1;\n"
        "setp.lt.u32 %p1, %r10, 8; @%p1 bra L; setp.lt.u32 %p2, %r20, 3; @%p2 bra OUT; mov.u32 %r14, %r10;",
        // two passes with labels of their own, one loop in another
        "mov.u32 %r10, 0; A: add.u32 %r10, %r10, 1; add.u32 %r12, %r12, 3; setp.lt.u32 %p1, %r10, 1003; @%p1 bra A;\n"
        "mov.u32 %r11, 0; B: add.u32 %r13, %r13, 5; mov.u32 %r15, 0;\n"
        "C: add.u32 %r15, %r15, 1; add.u32 %r14, %r14, %r11; setp.lt.u32 %p2, %r15, 2; @%p2 bra C;\n"
        "add.u32 %r11, %r11, 1; setp.lt.u32 %p3, %r11, 1003; @%p3 bra B;",
        // a label that ours must not be
        "mov.u32 %r10, %r8; $unrolled_0: add.u32 %r10, %r10, 1; add.u32 %r12, %r12, %r10;\n"
        "setp.le.u32 %p1, %r10, %r1; @%p1 bra $unrolled_0;",
        // copies in front of the loop
        "mov.u32 %r10, 0; L: mad.lo.u32 %r12, %r12, 3, %r10; xor.b32 %r13, %r13, %r12; add.u32 %r14, %r14, %r13;\n"
        "add.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 5003; @%p1 bra L;",
        // blocks with variables, which have one instance
        "mov.u32 %r10, 0; L: { .shared .align 4 .u32 one; ld.shared.u32 %r5, [one]; add.u32 %r5, %r5, 1;\n"
        "mov.u32 %r12, %r5; } add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 8; @%p1 bra L;",
        "mov.u32 %r10, 0; setp.eq.u32 %p2, %r10, 0; L: { .reg .u32 t; @%p2 mov.u32 t, 5; add.u32 t, t, 1;\n"
        "mov.u32 %r12, t; } setp.ne.u32 %p2, %r10, %r10; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 8; @%p1 bra L;",
        "mov.u32 %r10, %r8; .reg .u32 bound; add.u32 bound, %r10, 1000; L: add.u32 %r10, %r10, 1;\n"
        "{ .reg .u32 bound; mov.u32 bound, 4; add.u32 %r12, %r12, 1; setp.lt.u32 %p1, %r10, bound; } @%p1 bra L;",
        // a number that is only half of a register pair
        "mov.b64 {%r15, %r10}, 0x0000000300000008; L: add.u32 %r12, %r12, 1; add.u32 %r10, %r10, 1;\n"
        "setp.lt.u32 %p1, %r10, %r15; @%p1 bra L;",
        // a list of labels that nobody branches by
        "ts: .branchtargets L, M; mov.u32 %r10, 0; L: add.u32 %r12, %r12, 1; add.u32 %r10, %r10, 1;\n"
        "setp.lt.u32 %p1, %r10, 8; @%p1 bra L; M: mov.u32 %r13, 2;",
        // guarded writes, pairs, two flags, what an iteration reads of the one before
        "mov.u32 %r10, 0; setp.lt.u32 %p2, %r1, 3; L: @%p2 add.u32 %r12, %r12, %r10; add.u32 %r16, %r13, %r10;\n"
        "mov.b64 %rd5, {%r16, %r12}; setp.lt.and.u32 %p3|%p4, %r16, 9, %p2; @%p4 add.u32 %r14, %r14, 1;\n"
        "mov.b64 {%r13, %r17}, %rd5; add.u32 %r14, %r14, %r17; mov.pred %p2, %p3;\n"
        "add.u32 %r10, %r10, 1; setp.le.u32 %p1, %r10, 9; @%p1 bra L;",
        // the same with a number of iterations for each lane
        "mov.u32 %r10, %r8; setp.lt.u32 %p2, %r1, 3; L: @%p2 add.u32 %r12, %r12, %r10; add.u32 %r16, %r13, %r10;\n"
        "mov.b64 %rd5, {%r16, %r12}; mov.b64 {%r13, %r17}, %rd5; add.u32 %r14, %r14, %r17;\n"
        "add.u32 %r10, %r10, 1; setp.le.u32 %p1, %r10, %r1; @%p1 bra L;",
        // counters of 64 bits, whose steps may be as large as they can be
        "mov.u64 %c0, 0xfffffffffffffffd; L: add.u32 %r12, %r12, 1; add.u64 %c0, %c0, 1;\n"
        "setp.ne.u64 %p1, %c0, 12; @%p1 bra L; cvt.u32.u64 %r13, %c0;",
        "mov.u64 %c0, 0; L: add.u32 %r12, %r12, 1; add.u64 %c0, %c0, 0x7fffffffffffffff;\n"
        "add.u64 %c0, %c0, 0x7fffffffffffffff; setp.ne.u64 %p1, %c0, -16; @%p1 bra L; cvt.u32.u64 %r13, %c0;",
        "cvt.u64.u32 %c0, %r1; L: add.u32 %r12, %r12, 1; sub.s64 %c0, %c0, 0x8000000000000000; add.u64 %c0, %c0, 1;\n"
        "setp.lt.u64 %p1, %c0, 12; @%p1 bra L; cvt.u32.u64 %r13, %c0;",
        // the flag and the counter are read behind the loop
        "mov.u32 %r10, %r8; L: add.u32 %r12, %r12, 7; setp.lt.u32 %p1, %r10, %r1; add.u32 %r10, %r10, 1; @%p1 bra L;\n"
        "@!%p1 add.u32 %r13, %r10, 1; selp.u32 %r14, 3, 4, %p1;",
        // an exchange within the warp, by lanes that stay for different numbers of iterations
        "mov.u32 %r10, %r8; L: activemask.b32 %r5; mad.lo.u32 %r12, %r12, 3, %r5; add.u32 %r10, %r10, 1;\n"
        "setp.le.u32 %p1, %r10, %r1; @%p1 bra L;"));

TEST(Unroll, what_it_adds_to_a_function_is_limited) {
  const auto statements = [](int outer, int inner) {
    const std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { .reg .pred %p<4>; .reg .b32 %r<9>;\n"
        "mov.u32 %r1, 0; A: mov.u32 %r2, 0; B: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, " +
        std::to_string(inner) + "; @%p1 bra B; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, " + std::to_string(outer) +
        "; @%p2 bra A; ret; }";
    auto module = ptx::parse(text);
    optimise(*module, {.architecture = 80, .timing = true});
    return ptx::find_kernel(*module, "k")->body->statements.size();
  };
  EXPECT_GT(statements(10, 10), 100u);
  EXPECT_LT(statements(3000, 3000), 12'000u);
}

// Each lane its own number of iterations: 0 … 31 of them, by blocks of four, two and one.
TEST_F(UnrolledLoops, lanes_may_leave_after_different_numbers) {
  options.machine_code = 80;
  options.timing = true;
  ASSERT_TRUE(run(kernel(kThread + "mov.u32 %r10, 0; mov.u32 %r12, 0;\n"
                                   "L: add.u32 %r10, %r10, 1; mad.lo.u32 %r12, %r12, 5, %r10;\n"
                                   "setp.le.u32 %p1, %r10, %r1; @%p1 bra L;\nst.global.u32 [%rd2], %r12; ret;"),
                  {1, 1, 1}, {32, 1, 1}, 32));
  uint32_t sum = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    sum = sum * 5 + lane + 1;
    EXPECT_EQ(out[lane], sum) << lane;
  }
}

}  // namespace
}  // namespace bankshot::optimise

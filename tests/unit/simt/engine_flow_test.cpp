// Divergence, reconvergence, calls, forward progress.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineFlow : public EngineTest {};

TEST_F(EngineFlow, every_thread_runs_once) {
  ASSERT_TRUE(run(kernel(kThread + "add.u32 %r5, %r4, 100; st.global.u32 [%rd2], %r5; ret;"), {3}, {50}, 150));
  for (uint32_t i = 0; i < 150; ++i) EXPECT_EQ(out[i], i + 100);
}

TEST_F(EngineFlow, sides_of_a_branch_meet_again) {
  // activemask behind the join is the whole warp; the branch costs one instruction of each side.
  ASSERT_TRUE(run(kernel(kThread + "setp.lt.u32 %p1, %r1, 5; @%p1 bra A; mov.u32 %r6, 2; bra B; A: mov.u32 %r6, 1; B:"
                                   "activemask.b32 %r7; add.u32 %r7, %r7, %r6; st.global.u32 [%rd2], %r7; ret;"),
                  {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0xffffffffu + (i < 5 ? 1 : 2));
}

TEST_F(EngineFlow, lanes_that_leave_a_loop_wait_for_the_others) {
  ASSERT_TRUE(run(kernel(kThread + "mov.u32 %r5, 0; L: add.u32 %r5, %r5, 1; setp.le.u32 %p1, %r5, %r1; @%p1 bra L;"
                                   "activemask.b32 %r7; xor.b32 %r7, %r7, %r5; st.global.u32 [%rd2], %r7; ret;"),
                  {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0xffffffffu ^ (i + 1));
}

TEST_F(EngineFlow, labels_belong_to_their_block) {
  // The same text inlined twice: each loop is its own.
  const std::string loop = "{ .reg .pred %q; L: add.u32 %r5, %r5, 1; setp.lt.u32 %q, %r5, LIMIT; @%q bra L; }";
  const auto with = [&](const std::string& limit) {
    std::string text = loop;
    return text.replace(text.find("LIMIT"), 5, limit);
  };
  ASSERT_TRUE(run(kernel(kThread + "mov.u32 %r5, 0;" + with("7") + "mov.u32 %r6, %r5; mov.u32 %r5, 0;" + with("9") +
                         "mad.lo.u32 %r6, %r6, 100, %r5; st.global.u32 [%rd2], %r6; ret;"),
                  {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 709u);
}

TEST_F(EngineFlow, a_branch_to_the_next_instruction_changes_nothing) {
  ASSERT_TRUE(
      run(kernel(kThread + "setp.lt.u32 %p1, %r1, 5; @%p1 bra L; L: activemask.b32 %r7; st.global.u32 [%rd2], %r7;"
                           "@%p1 ret; ret;"),
          {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0xffffffffu);
}

TEST_F(EngineFlow, vectors_and_special_registers_are_moved_whole) {
  const std::string store = "st.global.v4.u32 [%rd2], {%r20, %r21, %r22, %r23}; ret;";
  const std::string thread = "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16; add.u64 %rd2, %rd1, %rd2;\n";
  ASSERT_TRUE(
      run(kernel(thread + "mov.u32 %r23, 9; mov.v4.u32 {%r20, %r21, %r22, _}, %ntid;\n" + store), {1}, {4, 2, 3}, 16));
  EXPECT_EQ(out, (std::vector<uint32_t>{4, 2, 3, 9, 4, 2, 3, 9, 4, 2, 3, 9, 4, 2, 3, 9}));
  // What is written is read, too.
  ASSERT_TRUE(run(kernel(thread +
                         "mov.u32 %r20, 1; mov.u32 %r21, 2; mov.u32 %r22, 3; mov.u32 %r23, %r1;\n"
                         "setp.ge.u32 %p1, %r1, 2; @%p1 bra E;\n"
                         "mov.v2.b32 {%r20, %r21}, {%r21, %r20}; mov.v2.b32 {%r22, _}, {5, %r20};\nE: " +
                         store),
                  {1}, {4}, 16));
  EXPECT_EQ(out, (std::vector<uint32_t>{2, 1, 5, 0, 2, 1, 5, 1, 1, 2, 3, 2, 1, 2, 3, 3}));
  EXPECT_NE(refusal(kernel("mov.v2.u32 {%r1, %r2, %r3}, %tid;")).find("2 registers in braces"), std::string::npos);
  EXPECT_NE(refusal(kernel("mov.v2.u32 {%r1, %r2}, %r3;")).find("or a special register"), std::string::npos);
  EXPECT_NE(refusal(kernel("mov.v4.u32 {%r1, %r2, %r3, %r4}, %no;")).find("%no"), std::string::npos);
}

TEST_F(EngineFlow, nested_branches_meet_inside_out) {
  ASSERT_TRUE(run(
      kernel(kThread +
             "and.b32 %r5, %r1, 1; and.b32 %r6, %r1, 2; setp.eq.u32 %p1, %r5, 0; setp.eq.u32 %p2, %r6, 0;"
             "@%p1 bra OUT; @%p2 bra IN; nop_here: mov.u32 %r8, 7; IN: activemask.b32 %r9; OUT: activemask.b32 %r10;"
             "st.global.u32 [%rd2], %r9; add.u64 %rd2, %rd2, 128; st.global.u32 [%rd2], %r10; ret;"),
      {1}, {32}, 64));
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i & 1 ? 0xaaaaaaaau : 0u);
    EXPECT_EQ(out[32 + i], 0xffffffffu);
  }
}

TEST_F(EngineFlow, warp_instructions_count_once_per_path) {
  // mov×3, mad, mul, add, ld.param = 7; setp, bra; one side 1 instruction; ret: 7 + 2 + 1 + 1 with all lanes agreeing.
  const auto uniform =
      run(kernel(kThread + "setp.ge.u32 %p1, %r1, 0; @%p1 bra A; mov.u32 %r6, 2; A: ret;"), {1}, {32}, 32);
  ASSERT_TRUE(uniform);
  EXPECT_EQ(uniform->warp_instructions, 10u);
  EXPECT_EQ(uniform->thread_instructions, 320u);
  const auto split =
      run(kernel(kThread + "setp.ge.u32 %p1, %r1, 16; @%p1 bra A; mov.u32 %r6, 2; A: ret;"), {1}, {32}, 32);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->warp_instructions, 11u);
  EXPECT_EQ(split->thread_instructions, 320u + 16u);
}

TEST_F(EngineFlow, guarded_exit_ends_only_its_lanes) {
  ASSERT_TRUE(
      run(kernel(kThread + "setp.lt.u32 %p1, %r1, 10; @%p1 exit; activemask.b32 %r7; st.global.u32 [%rd2], %r7; ret;"),
          {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 10 ? 0u : 0xfffffc00u);
}

TEST_F(EngineFlow, recursive_calls_keep_their_registers) {
  // f(n) = n < 2 ? 1 : n * f(n - 1), a different depth in every lane.
  const std::string f =
      ".func (.param .b32 r) f(.param .b32 n);\n"
      ".func (.param .b32 r) f(.param .b32 n) { .reg .b32 %a<8>; .reg .pred %q;\n"
      "ld.param.u32 %a1, [n]; mov.u32 %a2, 1; setp.lt.u32 %q, %a1, 2; @%q bra D; sub.u32 %a3, %a1, 1;\n"
      "{ .param .b32 x; st.param.b32 [x], %a3; .param .b32 y; call.uni (y), f, (x); ld.param.b32 %a4, [y]; }\n"
      "mul.lo.u32 %a2, %a1, %a4;\nD: st.param.b32 [r], %a2; ret; }\n";
  ASSERT_TRUE(run(kernel(kThread + "{ .param .b32 x; st.param.b32 [x], %r1; .param .b32 y; call.uni (y), f, (x);"
                                   "ld.param.b32 %r5, [y]; } st.global.u32 [%rd2], %r5; ret;",
                         f),
                  {1}, {12}, 12));
  uint32_t factorial = 1;
  for (uint32_t i = 0; i < 12; ++i) {
    if (i > 1) factorial *= i;
    EXPECT_EQ(out[i], factorial) << i;
  }
}

TEST_F(EngineFlow, indirect_calls_may_diverge) {
  const std::string f =
      ".func (.param .b32 r) one(.param .b32 n) { .reg .b32 %a; ld.param.b32 %a, [n]; add.u32 %a, %a, 1000; "
      "st.param.b32 [r], %a; ret; }\n"
      ".func (.param .b32 r) two(.param .b32 n) { .reg .b32 %a; ld.param.b32 %a, [n]; add.u32 %a, %a, 2000; "
      "st.param.b32 [r], %a; ret; }\n";
  ASSERT_TRUE(run(
      kernel(
          kThread +
              "mov.u64 %rd5, one; mov.u64 %rd6, two; and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 0;"
              "selp.b64 %rd7, %rd5, %rd6, %p1;"
              "{ .param .b32 x; st.param.b32 [x], %r1; .param .b32 y; P: .callprototype (.param .b32 _) _ (.param .b32 "
              "_);"
              "call (y), %rd7, (x), P; ld.param.b32 %r5, [y]; } activemask.b32 %r8; setp.eq.u32 %p2, %r8, 0xffffffff;"
              "@%p2 st.global.u32 [%rd2], %r5; ret;",
          f),
      {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i + (i & 1 ? 2000 : 1000));
}

TEST_F(EngineFlow, endless_recursion_is_a_stack_fault) {
  const std::string f = ".func f() { .local .b8 big[1024]; call.uni f; ret; }\n";
  const auto result = run(kernel("call.uni f; ret;", f), {1}, {1}, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::out_of_local);
}

const std::string kLock =
    "mov.u32 %r5, 0; L: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra L;"
    "ld.volatile.global.u32 %r7, [%rd1+4]; add.u32 %r7, %r7, 1; st.volatile.global.u32 [%rd1+4], %r7;"
    "membar.gl; atom.global.exch.b32 %r6, [%rd1], 0; ret;";

TEST_F(EngineFlow, a_lane_may_spin_on_a_lock_of_its_own_warp) {
  ASSERT_TRUE(run(kernel(kLock), {1}, {32}, 2));
  EXPECT_EQ(out[1], 32u);
}

// An atomic whose result is used may poll, but a loop that meets at its join in every turn gets on.
TEST_F(EngineFlow, a_long_loop_with_an_atomic_in_a_branch_stays_together) {
  ASSERT_TRUE(
      run(kernel(".shared .align 4 .b8 s[4]; " + kThread +
                 "and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, -1; L: @%p1 bra M;"
                 "atom.shared.add.u32 %r8, [s], 1; M: activemask.b32 %r9; and.b32 %r7, %r7, %r9; add.u32 %r6, %r6, 1;"
                 "setp.lt.u32 %p2, %r6, 5000; @%p2 bra L; st.global.u32 [%rd2], %r7; ret;"),
          {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0xffffffffu);
}

// The branch has its join behind the loop, as a lane may leave in it. What brings all lanes together ends the division.
TEST_F(EngineFlow, a_warp_that_meets_goes_on_together) {
  for (const char* meet : {"bar.warp.sync 0xffffffff;", "bar.sync 0;", "vote.sync.any.pred %p3, %p1, 0xffffffff;"}) {
    ASSERT_TRUE(run(
        kernel(kThread +
               "and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, -1;"
               "L: @%p1 bra M; setp.gt.u32 %p2, %r6, 100; @%p2 bra OUT; M: " +
               meet +
               "activemask.b32 %r9; and.b32 %r7, %r7, %r9; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 20; @%p2 bra L;"
               "OUT: st.global.u32 [%rd2], %r7; ret;"),
        {1}, {32}, 32));
    for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0xffffffffu) << meet;
  }
}

// Odd lanes enter the `if`, and one of them leaves the loop in it in round 3 + lane / 8: the others meet right behind
// the `if`, and those that left wait behind the loop, where all meet.
TEST_F(EngineFlow, sides_meet_behind_an_if_although_lanes_leave_the_loop_in_it) {
  const std::string loop =
      "and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; shr.u32 %r10, %r1, 3; add.u32 %r10, %r10, 3; mov.u32 %r6, 0; "
      "mov.u32 %r7, 0;"
      "L: @%p1 bra M; setp.ge.u32 %p2, %r6, %r10; @%p2 bra OUT; add.u32 %r11, %r11, 1; M: activemask.b32 %r9;"
      "shl.b32 %r12, %r6, 2; add.u32 %r6, %r6, 1; setp.eq.u32 %p4, %r6, 6; @!%p4 bra N; mov.u32 %r7, %r9; N: "
      "setp.lt.u32 %p2, %r6, 9; @%p2 bra L;"
      "OUT: activemask.b32 %r9; and.b32 %r9, %r9, 1; st.global.u32 [%rd2], %r7; st.global.u32 [%rd2+128], %r9; ret;";
  ASSERT_TRUE(run(kernel(kThread + loop), {1}, {32}, 64));
  // In round 5 (from 0), the sixth, odd lanes of rounds 3, 4 and 5 are gone: lanes up to 23. All others meet at M.
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i % 2 == 0 || i >= 24 ? 0xff555555u : 0u) << i;
    EXPECT_EQ(out[32 + i], 1u) << "all lanes, the first too, are behind the loop: " << i;
  }
}

// A return from two loops, and a break from the inner one.
TEST_F(EngineFlow, leaving_two_loops_leaves_their_joins) {
  const std::string body =
      "mov.u32 %r5, 0; mov.u32 %r7, -1; mov.u32 %r8, -1; I: mov.u32 %r6, 0;"
      "J: add.u32 %r9, %r5, %r6; and.b32 %r10, %r1, 3; setp.eq.u32 %p1, %r10, 0; @%p1 bra M;"
      "setp.eq.u32 %p2, %r1, 31; setp.ge.and.u32 %p2, %r9, 7, %p2; @%p2 bra END;"  // lane 31 leaves both
      "setp.eq.u32 %p3, %r10, 1; setp.ge.and.u32 %p3, %r6, 2, %p3; @%p3 bra K;"    // every fourth the inner one
      "M: activemask.b32 %r11; and.b32 %r12, %r11, 0x5ddddddd; and.b32 %r7, %r7, %r12; add.u32 %r6, %r6, 1;"
      "setp.lt.u32 %p4, %r6, 5; @%p4 bra J;"
      "K: activemask.b32 %r11; and.b32 %r8, %r8, %r11; add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 6; @%p4 bra I;"
      "END: activemask.b32 %r13; st.global.u32 [%rd2], %r7; st.global.u32 [%rd2+128], %r8; st.global.u32 [%rd2+256], "
      "%r13; ret;";
  ASSERT_TRUE(run(kernel(kThread + body), {1}, {32}, 96));
  for (uint32_t i = 0; i < 31; ++i) {
    // At M there are always the lanes that never leave; lanes 1, 5 … see only rounds in which they are there.
    EXPECT_EQ(out[i] & 0x5ddddddd, 0x5ddddddd) << i;
    EXPECT_EQ(out[32 + i] & 0x7fffffff, 0x7fffffffu) << "behind the inner loop: " << i;
    EXPECT_EQ(out[64 + i], 0xffffffffu) << i;
  }
}

// Lanes 3, 7 … return inside an `if`, lane 5 inside a loop that every lane leaves in another round; the others are
// together behind.
TEST_F(EngineFlow, an_early_return_does_not_divide_those_that_stay) {
  const std::string body =
      "and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; @%p1 bra REST; and.b32 %r6, %r1, 3; setp.eq.u32 %p2, %r6, 3; @%p2 "
      "bra RET;"
      "mov.u32 %r7, 1; REST: activemask.b32 %r8; st.global.u32 [%rd2], %r8; mov.u32 %r9, 0;"
      "L: setp.eq.u32 %p3, %r1, 5; setp.eq.and.u32 %p3, %r9, 2, %p3; @%p3 bra RET; add.u32 %r9, %r9, 1; setp.lt.u32 "
      "%p4, %r9, %r1;"
      "@%p4 bra L; activemask.b32 %r8; st.global.u32 [%rd2+128], %r8; RET: ret;";
  ASSERT_TRUE(run(kernel(kThread + body), {1}, {32}, 64));
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i % 4 == 3 ? 0u : 0x77777777u) << i;
    EXPECT_EQ(out[32 + i], i % 4 == 3 || i == 5 ? 0u : 0x77777757u) << i;
  }
}

// … but not half of it, nor lanes that meet at the same instruction of a function called from different places.
TEST_F(EngineFlow, half_a_warp_that_meets_is_half_a_warp) {
  ASSERT_TRUE(run(
      kernel(
          kThread +
          "setp.lt.u32 %p1, %r1, 16; @%p1 bra A; bar.warp.sync 0xffff0000; bra B; A: bar.warp.sync 0xffff;"
          "activemask.b32 %r9; st.global.u32 [%rd2], %r9; ret; B: activemask.b32 %r9; st.global.u32 [%rd2], %r9; ret;"),
      {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 16 ? 0xffffu : 0xffff0000u);
  const std::string f =
      ".func (.param .b32 r) f(.param .b32 n);\n"
      ".func (.param .b32 r) f(.param .b32 n) { .reg .b32 %a<8>; ld.param.u32 %a1, [n]; bar.warp.sync 0xffffffff;\n"
      "add.u32 %a1, %a1, 1; st.param.b32 [r], %a1; ret; }\n";
  const auto call = [](const char* number) {
    return std::string("{ .param .b32 x; mov.u32 %r5, ") + number +
           "; st.param.b32 [x], %r5; .param .b32 y; call.uni (y), f, (x); ld.param.b32 %r6, [y]; }";
  };
  const std::string body = kThread + "setp.lt.u32 %p1, %r1, 16; @%p1 bra A;" + call("10") + "bra B; A:" + call("20") +
                           "B: st.global.u32 [%rd2], %r6; ret;";
  ASSERT_TRUE(run(kernel(body, f), {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 16 ? 21u : 11u);
}

TEST_F(EngineFlow, a_lane_may_spin_on_a_lock_of_another_cta) {
  const auto result = run(kernel(kLock), {20}, {70}, 2);
  ASSERT_TRUE(result);
  EXPECT_EQ(out[1], 1400u);
  EXPECT_FALSE(result->parallel);
  EXPECT_NE(result->why_serial.find("atom.global.cas.b32"), std::string::npos);
}

TEST_F(EngineFlow, a_fence_that_orders_more_than_shared_memory_makes_ctas_run_in_order) {
  const auto parallel = [&](const std::string& fence) {
    const auto result = run(kernel(fence + "; ret;"), {2}, {32}, 1);
    return result && result->parallel;
  };
  for (const char* fence : {"fence.proxy.async.shared::cta", "fence.proxy.async.shared::cluster", "fence.acq_rel.cta"})
    EXPECT_TRUE(parallel(fence)) << fence;
  for (const char* fence : {"fence.proxy.async", "fence.proxy.async.global", "fence.acq_rel.gpu"})
    EXPECT_FALSE(parallel(fence)) << fence;
}

TEST_F(EngineFlow, integer_sums_whose_result_nobody_reads_stay_parallel) {
  auto result = run(kernel("atom.global.add.u32 %r6, [%rd1], 3; ret;"), {20}, {64}, 1);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->parallel);
  EXPECT_EQ(out[0], 20u * 64 * 3);
  result = run(kernel("atom.global.add.u32 %r6, [%rd1], 3; st.global.u32 [%rd1+4], %r6; ret;"), {20}, {64}, 2);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->parallel);
}

TEST_F(EngineFlow, a_cta_may_wait_for_a_later_one) {
  // CTA 0 spins until CTA 3 has written its flag.
  ASSERT_TRUE(run(
      kernel("mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra W; setp.ne.u32 %p2, %r1, 3; @%p2 ret;"
             "st.volatile.global.u32 [%rd1], 7; ret; W: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p3, %r2, 0;"
             "@%p3 bra W; st.global.u32 [%rd1+4], %r2; ret;"),
      {4}, {32}, 2));
  EXPECT_EQ(out[1], 7u);
}

TEST_F(EngineFlow, branch_tables_reach_every_target) {
  ASSERT_TRUE(
      run(kernel(kThread +
                 "and.b32 %r5, %r1, 3; T: .branchtargets A, B, C, D; brx.idx %r5, T;"
                 "A: mov.u32 %r6, 10; bra E; B: mov.u32 %r6, 20; bra E; C: mov.u32 %r6, 30; bra E; D: mov.u32 %r6, 40;"
                 "E: activemask.b32 %r7; setp.eq.u32 %p1, %r7, 0xffffffff; @%p1 st.global.u32 [%rd2], %r6; ret;"),
          {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 10 * (i % 4 + 1));
}

TEST_F(EngineFlow, smaller_and_wider_warps_run) {
  for (unsigned size : {4u, 8u, 16u, 64u}) {
    EngineOptions own;
    own.machine.warp_size = size;
    Engine other(own);
    const std::string text = kernel(kThread +
                                    "mov.u32 %r5, %laneid; setp.lt.u32 %p1, %r5, 2; @%p1 bra A; add.u32 %r5, %r5, 100;"
                                    "A: bar.sync 0; st.global.u32 [%rd2], %r5; ret;");
    auto program = other.load(text, "test.ptx");
    ASSERT_TRUE(program);
    const uint64_t buffer = *other.memory().allocate(400, MemoryKind::device);
    LaunchConfig config;
    config.block = {100};
    config.params = std::as_bytes(std::span(&buffer, 1));
    const auto stats = other.launch(**program, "k", config);
    ASSERT_TRUE(stats) << stats.error().message;
    const auto* words = reinterpret_cast<const uint32_t*>(buffer);
    for (uint32_t i = 0; i < 100; ++i)
      EXPECT_EQ(words[i], i % size < 2 ? i % size : i % size + 100) << size << " " << i;
  }
}

}  // namespace
}  // namespace bankshot::simt

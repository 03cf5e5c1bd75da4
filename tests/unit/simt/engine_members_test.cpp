// Warp-wide instructions whose lanes stand apart: each lane waits for the lanes of its own membermask, and for no
// others.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineMembers : public EngineTest {
 protected:
  /// Lane l in %r1, its slot in %rd2; %r20 = 1 for lanes behind `polls` volatile loads.
  static std::string delay(const std::string& lanes_predicate, const std::string& label) {
    return "@!" + lanes_predicate + " bra " + label + "_done; mov.u32 %r30, 0;\n" + label +
           ": ld.volatile.shared.u32 %r31, [flag]; add.u32 %r30, %r30, 1; setp.lt.u32 %p7, %r30, 700; @%p7 bra " +
           label + ";\n" + label + "_done:\n";
  }
  static inline const std::string kFlag = ".shared .u32 flag; .shared .u32 data[64];";
};

TEST_F(EngineMembers, syncwarp_waits_for_the_lanes_of_each_lanes_own_mask) {
  // Lanes 2 and 3 have mask 0xC, lane 3 comes late and writes before; lanes 0 and 1 have mask 3.
  ASSERT_TRUE(run(kernel(kThread + "setp.lt.u32 %p1, %r1, 2; selp.b32 %r5, 3, 12, %p1; setp.eq.u32 %p2, %r1, 3;" +
                             delay("%p2", "L") +
                             "@%p2 st.shared.u32 [data], 7; bar.warp.sync %r5; ld.shared.u32 %r6, [data]; "
                             "st.global.u32 [%rd2], %r6; ret;",
                         kFlag),
                  {1}, {4}, 4));
  EXPECT_EQ(out[2], 7u);
  EXPECT_EQ(out[3], 7u);
}

TEST_F(EngineMembers, a_shuffle_runs_with_the_lanes_of_one_mask_only) {
  // Pairs (0,1) and (2,3); every lane comes on its own, lane 3 last, with another value.
  ASSERT_TRUE(run(kernel(kThread +
                             "setp.lt.u32 %p1, %r1, 2; selp.b32 %r5, 3, 12, %p1; mul.lo.u32 %r7, %r1, 10;"
                             "setp.eq.u32 %p2, %r1, 0;" +
                             delay("%p2", "A") + "setp.eq.u32 %p2, %r1, 1;" + delay("%p2", "B") +
                             "setp.eq.u32 %p2, %r1, 3;" + delay("%p2", "C") +
                             "@%p2 mov.u32 %r7, 99;"
                             "shfl.sync.bfly.b32 %r8, %r7, 1, 31, %r5; st.global.u32 [%rd2], %r8; ret;",
                         kFlag),
                  {1}, {4}, 4));
  EXPECT_EQ(out, (std::vector<uint32_t>{10, 0, 99, 20}));
}

TEST_F(EngineMembers, lanes_do_not_wait_for_the_masks_of_their_neighbours) {
  // Lanes 0 to 2 are together; the mask of lane 2 names lane 3, which waits for what lane 0 does behind the shuffle.
  ASSERT_TRUE(
      run(kernel(kThread +
                     "setp.eq.u32 %p3, %r1, 3; @!%p3 bra S; W: ld.volatile.shared.u32 %r6, [flag]; setp.eq.u32 %p4, "
                     "%r6, 0; @%p4 bra W;"
                     "S: setp.lt.u32 %p1, %r1, 2; selp.b32 %r5, 3, 12, %p1; shfl.sync.bfly.b32 %r8, %r1, 1, 31, %r5;"
                     "setp.eq.u32 %p2, %r1, 0; @%p2 st.volatile.shared.u32 [flag], 1; st.global.u32 [%rd2], %r8; ret;",
                 kFlag),
          {1}, {4}, 4));
  EXPECT_EQ(out, (std::vector<uint32_t>{1, 0, 3, 2}));
}

TEST_F(EngineMembers, the_same_operation_at_two_places_meets) {
  ASSERT_TRUE(run(kernel(kThread + "setp.lt.u32 %p1, %r1, 16; @%p1 bra A; add.u32 %r7, %r1, 100; shfl.sync.idx.b32 "
                                   "%r8, %r7, 3, 31, -1; add.u32 %r8, %r8, 2; bra B;"
                                   "A: add.u32 %r9, %r1, 200; shfl.sync.idx.b32 %r10, %r9, 31, 31, -1; add.u32 %r8, "
                                   "%r10, 1; B: st.global.u32 [%rd2], %r8; ret;"),
                  {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 16 ? 131 + 1 : 203 + 2u) << i;
  ASSERT_TRUE(run(
      kernel(kThread +
             "setp.lt.u32 %p1, %r1, 16; setp.eq.u32 %p2, %r1, 5; @%p1 bra A; vote.sync.ballot.b32 %r8, %p1, -1; bra B;"
             "A: vote.sync.ballot.b32 %r9, !%p2, -1; add.u32 %r8, %r9, 1; B: st.global.u32 [%rd2], %r8; ret;"),
      {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 16 ? 0xffdfu + 1 : 0xffdfu) << i;
}

TEST_F(EngineMembers, lanes_meet_in_a_function_and_outside_of_it) {
  const std::string f =
      ".func meet() { bar.warp.sync -1; ret; }\n"
      ".func (.param .b32 r) turn(.param .b32 n) { .reg .b32 %a<3>; ld.param.b32 %a0, [n]; shfl.sync.bfly.b32 %a1, "
      "%a0, 1, 31, -1; st.param.b32 [r], %a1; ret; }\n"
      ".func (.param .b32 r) f(.param .b32 n) { .reg .b64 %w<9>; .reg .b32 %a; ld.param.b32 %a, [n]; { .param .b32 x; "
      ".param .b32 y; st.param.b32 [x], %a; call.uni (y), turn, (x); ld.param.b32 %a, [y]; } st.param.b32 [r], %a; "
      "ret; }\n"
      ".func (.param .b32 r) g(.param .b32 n) { .reg .b32 %a; ld.param.b32 %a, [n]; { .param .b32 x; .param .b32 y; "
      "st.param.b32 [x], %a; call.uni (y), turn, (x); ld.param.b32 %a, [y]; } st.param.b32 [r], %a; ret; }\n";
  ASSERT_TRUE(run(kernel(kThread + "setp.lt.u32 %p1, %r1, 16; @%p1 bra A; call.uni meet; bra B; A: bar.warp.sync -1; "
                                   "B: st.global.u32 [%rd2], 4; ret;",
                         f),
                  {1}, {32}, 32));
  EXPECT_EQ(out[31], 4u);
  const auto call = [](const std::string& name) {
    return "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call.uni (y), " + name +
           ", (x); ld.param.b32 %r8, [y]; }\n";
  };
  ASSERT_TRUE(run(kernel(kThread + "and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra A;" + call("f") +
                             "bra B; A:" + call("g") + "B: st.global.u32 [%rd2], %r8; ret;",
                         f),
                  {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i ^ 1);
}

TEST_F(EngineMembers, what_lanes_did_before_they_meet_is_counted_once) {
  // Lane 0 comes alone after k polls; what the others did does not depend on k.
  std::vector<uint64_t> own;
  for (int polls : {10, 1000}) {
    const auto result = run(kernel(kThread +
                                       "setp.eq.u32 %p1, %r1, 0; @!%p1 bra M; mov.u32 %r30, 0; L: "
                                       "ld.volatile.shared.u32 %r31, [flag]; add.u32 %r30, %r30, 1;"
                                       "setp.lt.u32 %p7, %r30, " +
                                       std::to_string(polls) +
                                       "; @%p7 bra L; M: add.u32 %r5, %r1, 1; add.u32 %r5, %r5, 1;"
                                       "shfl.sync.bfly.b32 %r8, %r5, 1, 31, -1; st.global.u32 [%rd2], %r8; ret;",
                                   kFlag),
                            {1}, {32}, 32);
    ASSERT_TRUE(result);
    own.push_back(result->thread_instructions - 4 * static_cast<uint64_t>(polls));
  }
  EXPECT_EQ(own[0], own[1]);
}

TEST_F(EngineMembers, barriers_take_their_operands_by_thread) {
  // Halves of warp 0 wait at barriers 1 and 2, each with one half of warp 1.
  ASSERT_TRUE(
      run(kernel(kThread +
                     "and.b32 %r5, %r1, 16; shr.u32 %r5, %r5, 4; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r1, 32;"
                     "mul.wide.u32 %rd3, %r1, 4; mov.u64 %rd4, data; add.u64 %rd3, %rd4, %rd3;"
                     "@%p1 bra A; add.u32 %r6, %r1, 1; st.shared.u32 [%rd3], %r6; A: barrier.sync %r5, 32; @!%p1 bra B;"
                     "ld.shared.u32 %r7, [%rd3+128]; st.global.u32 [%rd2], %r7; B: ret;",
                 kFlag),
          {1}, {64}, 64));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i + 33);
}

TEST_F(EngineMembers, branch_tables_count_once) {
  const auto result =
      run(kernel("mov.u32 %r1, %tid.x; and.b32 %r5, %r1, 3; T: .branchtargets A, B, C, D; brx.idx %r5, T;"
                 "A: mov.u32 %r6, 10; bra E; B: mov.u32 %r6, 20; bra E; C: mov.u32 %r6, 30; bra E; D: mov.u32 %r6, 40;"
                 "E: ret;"),
          {1}, {32}, 1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->warp_instructions, 4u + 4 + 3 + 1);  // ld.param … brx; four mov; three bra; ret
  EXPECT_EQ(result->thread_instructions, 4u * 32 + 32 + 24 + 32);
}

TEST_F(EngineMembers, loops_over_any_load_let_other_warps_run) {
  for (const std::string load : {"ld.global.cv.u32", "ld.global.u32"}) {
    ASSERT_TRUE(run(kernel("mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 bra S; W: " + load +
                           " %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra W;"
                           "st.global.u32 [%rd1+4], 6; ret; S: st.global.u32 [%rd1], 1; ret;"),
                    {1}, {64}, 2))
        << load;
    EXPECT_EQ(out[1], 6u);
  }
}

TEST_F(EngineMembers, constants_are_not_global_but_parameters_are) {
  ASSERT_TRUE(run(
      kernel(
          "mov.u64 %rd3, c; cvta.const.u64 %rd4, %rd3; mov.b64 %rd5, out; cvta.param.u64 %rd6, %rd5; mov.u32 %r9, 0;"
          "isspacep.const %p1, %rd4; @%p1 add.u32 %r9, %r9, 1; isspacep.global %p2, %rd4; @!%p2 add.u32 %r9, %r9, 10;"
          "isspacep.param::entry %p3, %rd6; @%p3 add.u32 %r9, %r9, 100; isspacep.global %p4, %rd6; @%p4 add.u32 %r9, "
          "%r9, 1000;"
          "isspacep.global %p5, %rd1; @%p5 add.u32 %r9, %r9, 10000; isspacep.const %p6, %rd1; @!%p6 add.u32 %r9, %r9, "
          "100000;"
          "st.global.u32 [%rd1], %r9; ret;",
          ".const .u32 c = 5;"),
      {1}, {1}, 1));
  EXPECT_EQ(out[0], 111111u);
}

TEST_F(EngineMembers, one_value_in_braces_is_the_value) {
  // As Triton writes stores: ptxas takes them.
  ASSERT_TRUE(run(
      kernel(".shared .u32 x[2]; mov.u32 %r9, 99; mov.u32 %r5, 5; mov.u32 %r6, 1; st.shared.b32 [x+4], { %r5 };"
             "ld.shared.b32 { %r6 }, [x+4]; add.u32 %r6, %r6, 2; setp.eq.u32 %p1, %r6, 7;"
             "@%p1 st.global.b32 [%rd1], { %r6 }; st.global.b8 [%rd1+4], { %r9 }; st.global.b32 [%rd1+8], { 3 }; ret;"),
      {1}, {1}, 3));
  EXPECT_EQ(out, (std::vector<uint32_t>{7, 99, 3}));
  EXPECT_NE(refusal(kernel("st.global.b32 [%rd1], { %r1, %r2 }; ret;")).find("expected 1 value"), std::string::npos);
}

TEST_F(EngineMembers, cache_policies_and_the_order_of_modifiers_say_nothing_about_values) {
  // As Triton writes them: ptxas takes them.
  ASSERT_TRUE(run(
      kernel("createpolicy.fractional.L2::evict_first.b64 %rd5, 1.0; mov.u32 %r2, 5; mov.u32 %r7, 0;"
             "st.global.L1::evict_last.L2::cache_hint.b32 [%rd1], { %r2 }, %rd5;"
             "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd6;"
             "ld.global.L1::evict_last.L2::cache_hint.v2.b32 { %r3, %r4 }, [%rd1], %rd6;"
             "atom.global.gpu.acq_rel.add.u32 %r5, [%rd1+4], %r3; atom.global.gpu.acq_rel.cas.b32 %r6, [%rd1+4], 5, 9;"
             "red.global.gpu.relaxed.add.u32 [%rd1+4], %r6; st.global.b32 [%rd1+8], %r5; ret;"),
      {1}, {1}, 3));
  EXPECT_EQ(out, (std::vector<uint32_t>{5, 14, 0}));
  EXPECT_NE(refusal(kernel("createpolicy.fractional.L2::evict_first.b64 %r5, 1.0; ret;")), "");
  EXPECT_NE(refusal(kernel("createpolicy.fractional.L2::evict_first.b64 %rd5, 1.0, 2; ret;")).find("a fraction"),
            std::string::npos);
}

TEST_F(EngineMembers, dynamic_shared_memory_begins_where_its_alignment_says) {
  const std::string before = ".extern .shared .align 128 .b8 dyn[];\n";
  ASSERT_TRUE(run(kernel(".shared .u32 x[5]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 4; mov.u32 %r3, dyn; add.u32 "
                         "%r2, %r2, %r3; st.shared.u32 [%r2], %r1;"
                         "st.shared.u32 [x+16], 3; bar.sync 0; st.global.u32 [%rd1], %r3; ret;",
                         before),
                  {1}, {64}, 1, 256));
  EXPECT_EQ(out[0], 128u);
}

TEST_F(EngineMembers, kernels_have_room_for_the_module_scope_shared_variables_that_they_name) {
  // Clang declares the shared variables of all kernels there: together they may be more than a kernel can have.
  const std::string module = ".shared .u32 a[4];\n.shared .u32 b[8];\n.shared .align 16 .u32 c[4];\n";
  const std::string use =
      "mov.u32 %r1, b; mov.u32 %r2, c; st.shared.u32 [b+28], 5; ld.shared.u32 %r3, [%r1+28];"
      "st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; st.global.u32 [%rd1+8], %r3; ret;";
  ASSERT_TRUE(run(kernel(use, module), {1}, {1}, 3));
  EXPECT_EQ(out, (std::vector<uint32_t>{0, 32, 5}));
  EXPECT_EQ(kernels(**engine().load(kernel(use, module), "t"))[0].static_shared, 48u);
  // Functions and initialisers need the same place for all kernels.
  const std::string function = ".func f() { st.shared.u32 [a], 1; ret; }\n";
  ASSERT_TRUE(run(kernel("call.uni f; " + use, module + function), {1}, {1}, 3));
  EXPECT_EQ(out, (std::vector<uint32_t>{16, 48, 5}));
  ASSERT_TRUE(run(kernel(use, module + ".global .u64 where = c;\n"), {1}, {1}, 3));
  EXPECT_EQ(out, (std::vector<uint32_t>{16, 48, 5}));
}

TEST_F(EngineMembers, functions_find_the_dynamic_shared_memory_of_their_kernel) {
  // Another kernel of the module has static shared memory; this one has none, and its function sees that.
  const std::string before =
      ".extern .shared .align 16 .b8 dyn[];\n.func f() { .reg .b32 %a<4>; mov.u32 %a1, dyn; st.shared.u32 [%a1+4], 7; "
      "st.shared.u32 [dyn+8], 9; ret; }\n"
      ".visible .entry other() { .shared .u32 s[40]; st.shared.u32 [s], 1; ret; }\n";
  ASSERT_TRUE(run(kernel("call.uni f; ld.shared.u32 %r1, [dyn+4]; ld.shared.u32 %r2, [dyn+8]; mov.u32 %r3, dyn; "
                         "st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2;"
                         "st.global.u32 [%rd1+8], %r3; ret;",
                         before),
                  {1}, {1}, 3, 64));
  EXPECT_EQ(out, (std::vector<uint32_t>{7, 9, 0}));
  const auto result = run(kernel("call.uni f; ld.shared.u32 %r1, [dyn+64]; ret;", before), {1}, {1}, 1, 64);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::out_of_shared);
}

TEST_F(EngineMembers, stacks_of_calls_come_behind_what_the_kernel_uses) {
  const std::string f =
      ".func f() { .local .align 64 .b8 own[64]; .reg .b64 %d<3>; mov.u64 %d1, own; and.b64 %d2, %d1, 63; "
      "st.global.u64 [seen], %d2; ret; }\n";
  ASSERT_TRUE(run(kernel(".local .b8 big[72000]; .local .b8 odd[4]; st.local.u8 [big+71999], 1; call.uni f; "
                         "ld.global.u64 %rd3, [seen]; st.global.u64 [%rd1], %rd3; ret;",
                         ".global .u64 seen = 77;\n" + f),
                  {1}, {1}, 2));
  EXPECT_EQ(out[0], 0u);
  ASSERT_TRUE(
      run(kernel(".reg .b32 %many<9000>; mov.u32 %many8999, 3; call.uni f; st.global.u32 [%rd1], %many8999; ret;",
                 ".global .u64 seen;\n" + f),
          {1}, {32}, 1));
  EXPECT_EQ(out[0], 3u);
}

TEST_F(EngineMembers, the_size_of_a_warp_is_the_machines) {
  options.machine.warp_size = 64;
  ASSERT_TRUE(run(kernel("mov.u32 %r1, WARP_SZ; st.global.u32 [%rd1], %r1; ret;"), {1}, {1}, 1));
  EXPECT_EQ(out[0], 64u);
}

TEST_F(EngineMembers, what_ptx_leaves_open_is_told_with_its_first_place) {
  const auto ran = run(kernel(kThread + "mov.u32 %r5, %lanemask_lt; setp.lt.u32 %p1, %r1, 20;\n"
                                        "vote.sync.ballot.b32 %r8, %p1, %r5;\nvote.sync.ballot.b32 %r8, %p1, %r5;\n"
                                        "st.global.u32 [%rd2], %r8; ret;"),
                       {1}, {32}, 32);
  ASSERT_TRUE(ran);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], ((1u << i) - 1) & 0xfffff) << i;
  ASSERT_EQ(ran->left_open.size(), 1u);
  EXPECT_EQ(ran->left_open[0].what, LeftOpen::unnamed_lane);
  const uint32_t first = ran->left_open[0].source.ptx_line;
  // Half a warp: its last lane reads one that is not there.
  const auto shuffled = run(kernel(kThread + "setp.lt.u32 %p1, %r1, 8;\n"
                                             "shfl.sync.down.b32 %r8, %r1, 1, 31, -1; st.global.u32 [%rd2], %r8; ret;"),
                            {1}, {16}, 16);
  ASSERT_TRUE(shuffled);
  EXPECT_EQ(out[14], 15u);
  EXPECT_EQ(out[15], 0u);
  ASSERT_EQ(shuffled->left_open.size(), 1u);
  EXPECT_EQ(shuffled->left_open[0].what, LeftOpen::absent_lane);
  EXPECT_EQ(shuffled->left_open[0].source.ptx_line, first);
  const auto fine =
      run(kernel(kThread + "shfl.sync.down.b32 %r8, %r1, 1, 31, -1; st.global.u32 [%rd2], %r8; ret;"), {1}, {32}, 32);
  ASSERT_TRUE(fine);
  EXPECT_TRUE(fine->left_open.empty());
}

}  // namespace
}  // namespace bankshot::simt

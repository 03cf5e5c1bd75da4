// Calls of diverged lanes, and what a thread finds in places it did not write.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineCalls : public EngineTest {
 protected:
  /// Sets %rd7 to the function that lane l calls: functions[l % n], with n a power of two.
  static std::string pick(const std::vector<std::string>& functions) {
    std::string text = "and.b32 %r6, %r1, " + std::to_string(functions.size() - 1) + ";\n";
    for (size_t k = 0; k < functions.size(); ++k) {
      text += "mov.u64 %rd8, " + functions[k] + "; setp.eq.u32 %p1, %r6, " + std::to_string(k) +
              "; @%p1 mov.u64 %rd7, %rd8;\n";
    }
    return text;
  }
  static inline const std::string kCall =
      "{ .param .b32 x; st.param.b32 [x], %r1; .param .b32 y; P: .callprototype (.param .b32 _) _ (.param .b32 _);"
      "call (y), %rd7, (x), P; ld.param.b32 %r5, [y]; }\n";
  static std::string adds(const std::string& name, int value) {
    return ".func (.param .b32 r) " + name + "(.param .b32 n) { .reg .b32 %a; ld.param.b32 %a, [n]; add.u32 %a, %a, " +
           std::to_string(value) + "; st.param.b32 [r], %a; ret; }\n";
  }
  static inline const std::string kStoreIfTogether =
      "activemask.b32 %r8; setp.eq.u32 %p2, %r8, 0xffffffff; @%p2 st.global.u32 [%rd2], %r5; ret;";
};

TEST_F(EngineCalls, lanes_in_different_callees_keep_their_registers) {
  // Both halves stand at the barrier inside their callee, whose registers have different widths.
  const std::string f =
      ".func (.param .b32 r) wide(.param .b32 n) { .reg .b64 %w<4>; .reg .b32 %a; ld.param.b32 %a, [n]; cvt.u64.u32 "
      "%w0, %a;"
      "add.u64 %w1, %w0, 1000; bar.sync 0; add.u64 %w2, %w1, %w0; cvt.u32.u64 %a, %w2; st.param.b32 [r], %a; ret; }\n"
      ".func (.param .b32 r) narrow(.param .b32 n) { .reg .b32 %a<6>; ld.param.b32 %a0, [n]; add.u32 %a1, %a0, 7; "
      "add.u32 %a2, %a0, 9;"
      "mov.u32 %a3, 5; mov.u32 %a4, 6; bar.sync 0; add.u32 %a5, %a1, %a2; add.u32 %a5, %a5, %a3; add.u32 %a5, %a5, %a4;"
      "st.param.b32 [r], %a5; ret; }\n";
  ASSERT_TRUE(
      run(kernel(kThread + pick({"wide", "narrow"}) + kCall + "st.global.u32 [%rd2], %r5; ret;", f), {1}, {64}, 64));
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i % 2 == 0 ? 2 * i + 1000 : 2 * i + 27) << i;
}

TEST_F(EngineCalls, lanes_meet_inside_a_function_they_called_from_different_places) {
  // The shuffle in f needs all lanes: both sides of the branch must come to stand in the same rows.
  const std::string f =
      ".func (.param .b32 r) f(.param .b32 n) { .reg .b32 %a<3>; ld.param.b32 %a0, [n];"
      "shfl.sync.bfly.b32 %a1, %a0, 1, 31, -1; st.param.b32 [r], %a1; ret; }\n";
  const std::string call =
      "{ .param .b32 x; st.param.b32 [x], %r1; .param .b32 y; call.uni (y), f, (x); ld.param.b32 %r5, [y]; }\n";
  ASSERT_TRUE(run(kernel(kThread + "and.b32 %r6, %r1, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra A;" + call +
                             "bra B; A:" + call + "B: st.global.u32 [%rd2], %r5; ret;",
                         f),
                  {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i ^ 1);
}

TEST_F(EngineCalls, lanes_of_four_callees_meet_behind_the_call) {
  const std::string f = adds("a", 100) + adds("b", 200) + adds("c", 300) + adds("d", 400);
  ASSERT_TRUE(run(kernel(kThread + pick({"a", "b", "c", "d"}) + kCall + kStoreIfTogether, f), {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i + 100 * (i % 4 + 1));
}

TEST_F(EngineCalls, a_call_in_front_of_a_join_meets_the_other_side) {
  const std::string f = adds("a", 100) + adds("b", 200);
  const std::string call =
      "{ .param .b32 x; st.param.b32 [x], %r1; P: .callprototype _ (.param .b32 _); call %rd7, (x), P; }\n";
  const std::string g = ".func a(.param .b32 n) { ret; }\n.func b(.param .b32 n) { ret; }\n";
  ASSERT_TRUE(run(kernel(kThread + pick({"a", "b"}) + "mov.u32 %r5, 3; setp.lt.u32 %p3, %r1, 9; @%p3 bra J;" + call +
                             "J:" + kStoreIfTogether,
                         g),
                  {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 3u) << i;
}

TEST_F(EngineCalls, a_pointer_to_a_function_of_other_parameters_is_a_fault) {
  const std::string f =
      ".func (.param .b32 r) one(.param .b16 n) { .reg .b32 %a; mov.u32 %a, 1; st.param.b32 [r], %a; ret; }\n";
  const auto result = run(kernel(kThread + "mov.u64 %rd7, one;" + kCall + "ret;", f), {1}, {32}, 32);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::bad_call);
}

TEST_F(EngineCalls, a_polling_warp_frees_lanes_that_wait_at_a_join_of_another) {
  // Lanes 16-31 of warp 0 set the flag behind the join, where lanes 0-15 are awaited; those wait for warp 1, and it for
  // the flag.
  ASSERT_TRUE(
      run(kernel("mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 bra W; setp.ge.u32 %p2, %r1, 16; @%p2 bra J;"
                 "bar.sync 1, 64; J: st.volatile.shared.u32 [flag], 1; @!%p2 bra E; bar.sync 1, 64; bra E;"
                 "W: ld.volatile.shared.u32 %r2, [flag]; setp.eq.u32 %p4, %r2, 0; @%p4 bra W; bar.sync 1, 64;"
                 "E: st.global.u32 [%rd1], 5; ret;",
                 ".shared .u32 flag;"),
          {1}, {64}, 1));
  EXPECT_EQ(out[0], 5u);
}

TEST_F(EngineCalls, registers_nobody_wrote_are_zero_in_every_cta) {
  options.threads = 1;
  const std::string f =
      ".func (.param .b32 r) f(.param .b32 n) { .reg .b32 %a<3>; .reg .pred %q; ld.param.b32 %a0, [n]; setp.eq.u32 %q, "
      "%a0, 0;"
      "@%q mov.u32 %a1, 3; st.param.b32 [r], %a1; ret; }\n";
  ASSERT_TRUE(run(
      kernel(kThread +
                 "setp.eq.u32 %p1, %r2, 0; @%p1 mov.u32 %r10, 7; @!%p1 bra N; setp.eq.u32 %p5, %r1, %r1; N: @%p5 "
                 "add.u32 %r10, %r10, 10;"
                 "{ .param .b32 x; st.param.b32 [x], %r2; .param .b32 y; call.uni (y), f, (x); ld.param.b32 %r5, [y]; }"
                 "mad.lo.u32 %r10, %r5, 100, %r10; st.global.u32 [%rd2], %r10; ret;",
             f),
      {4}, {32}, 128));
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(out[i], i < 32 ? 317u : 0u) << i;
}

TEST_F(EngineCalls, local_memory_nobody_wrote_is_zero_in_every_cta) {
  options.threads = 1;
  const std::string f =
      ".func (.param .b32 r) f(.param .b32 n) { .local .b32 own[4]; .reg .b32 %a<3>; .reg .pred %q; ld.param.b32 %a0, "
      "[n];"
      "ld.local.u32 %a1, [own+8]; st.local.u32 [own+8], 9; st.param.b32 [r], %a1; ret; }\n";
  ASSERT_TRUE(run(kernel(".local .b32 mine[8];" + kThread +
                             "ld.local.u32 %r10, [mine+4]; st.local.u32 [mine+4], 5;"
                             "{ .param .b32 x; st.param.b32 [x], %r2; .param .b32 y; call.uni (y), f, (x); call.uni "
                             "(y), f, (x); ld.param.b32 %r5, [y]; }"
                             "mad.lo.u32 %r10, %r5, 100, %r10; st.global.u32 [%rd2], %r10; ret;",
                         f),
                  {4}, {32}, 128));
  for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(out[i], 0u) << i;
}

TEST_F(EngineCalls, reductions_that_do_not_commute_run_in_one_order) {
  const auto parallel = [&](const std::string& body, const std::string& before = {}) {
    const auto result = run(kernel(body, before), {20}, {64}, 2);
    EXPECT_TRUE(result);
    return result && result->parallel;
  };
  EXPECT_TRUE(parallel("red.global.add.u32 [%rd1], 3; red.global.add.s32 [%rd1+4], 3; ret;"));
  EXPECT_FALSE(parallel("red.global.add.u32 [%rd1], 3; red.global.max.u32 [%rd1], 3; ret;"));
  EXPECT_FALSE(parallel("red.global.max.s32 [%rd1], 3; red.global.max.u32 [%rd1], 3; ret;"));
  EXPECT_FALSE(
      parallel("{ .param .b64 x; st.param.b64 [x], %rd1; call.uni f, (x); } red.global.add.u32 [%rd1], 3; ret;",
               ".func f(.param .b64 n) { .reg .b64 %d; ld.param.b64 %d, [n]; red.global.or.b32 [%d], 3; ret; }\n"));
}

TEST_F(EngineCalls, vectors_hold_numbers_beside_registers_of_their_width) {
  ASSERT_TRUE(run(kernel("mov.u32 %r5, 0x1234; st.global.v4.u8 [%rd1], {%r5, 1, %r5, 2}; ret;"), {1}, {1}, 1));
  EXPECT_EQ(out[0], 0x02340134u);
  EXPECT_NE(refusal(kernel("ld.global.v2.u8 {%r5, %rd5}, [%rd1]; ret;")).find("must have one width"),
            std::string::npos);
}

TEST_F(EngineCalls, special_registers_have_their_own_width) {
  EXPECT_NE(refusal(kernel("add.u64 %rd5, %rd1, %tid.x; ret;")).find("'%tid.x' has 32 bits, but 64 are needed"),
            std::string::npos);
  EXPECT_NE(refusal(kernel("add.u32 %r5, %r1, %clock; ret;")).find("'%clock' can only be read by mov"),
            std::string::npos);
  ASSERT_TRUE(run(kernel("mov.u32 %r1, %tid.x; mad.lo.u32 %r5, %ntid.x, 10, %tid.x; mul.wide.u32 %rd3, %tid.x, 4; "
                         "add.u64 %rd3, %rd1, %rd3;"
                         "st.global.u32 [%rd3], %r5; ret;"),
                  {1}, {4}, 4));
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(out[i], 40 + i);
}

TEST_F(EngineCalls, register_ranges_too_large_to_address_are_refused) {
  EXPECT_NE(refusal(kernel(".reg .v4 .b64 %big<1000000>; ret;")).find("too many registers"), std::string::npos);
}

TEST_F(EngineCalls, rejects_provided_functions_with_other_arguments_than_they_have) {
  EXPECT_NE(refusal(kernel("{ .param .b32 n; .param .b64 r; call (r), malloc, (n); } ret;",
                           ".extern .func (.param .b64 r) malloc(.param .b32 n);"))
                .find("'malloc' takes 8 bytes as its argument 1, not 4"),
            std::string::npos);
  const std::string buffer = "__cudaCDP2GetParameterBufferV2";
  EXPECT_NE(refusal(kernel("{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[8]; .param .b32 s; "
                           ".param .b64 r; call (r), " +
                               buffer + ", (f, g, b, s); } ret;",
                           ".extern .func (.param .b64 r) " + buffer +
                               "(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[8], .param .b32 s);"))
                .find("takes 12 bytes as its argument 3, not 8"),
            std::string::npos);
}

}  // namespace
}  // namespace bankshot::simt

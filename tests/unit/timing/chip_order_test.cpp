// What must not happen too early: programs whose results tell.
#include "chip_harness.hpp"

namespace bankshot::timing {
namespace {

using ChipOrder = ChipTest;

// Warp 1 waits at the barrier, warp 0 ends by ret: who is left is enough.
TEST_F(ChipOrder, a_warp_that_returns_lets_the_others_pass_their_barrier) {
  const auto result =
      simulate(kernel("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra early; bar.sync 0; bra end;"
                      "early: mul.lo.u32 %r2, %r1, 3; mul.lo.u32 %r2, %r2, 3; mul.lo.u32 %r2, %r2, 3; end: ret;"),
               {1, 1, 1}, {64, 1, 1});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->timing.counters.ctas, 1u);
}

// A clock of 1 GHz: 100 ns are 100 cycles.
TEST_F(ChipOrder, nanosleep_sleeps) {
  EXPECT_EQ(cycles("nanosleep.u32 100; ret;"), 101u);
  EXPECT_EQ(cycles("mov.u32 %r1, 50; nanosleep.u32 %r1; ret;"), 4u + 50 + 1);
}

// Whatever else of the warp is under way when it branches, waits at a barrier or sleeps.
TEST_F(ChipOrder, an_answer_of_memory_does_not_shorten_what_the_front_end_takes) {
  config.issue.branch_cycles = 300;
  const Cycle alone = cycles("bra next; mov.u32 %r1, 1; next: ret;");
  chip.reset();
  const Cycle beside =
      cycles("ld.param.u64 %rd1, [out]; ld.global.u32 %r2, [%rd1]; bra next; mov.u32 %r1, 1; next: ret;");
  EXPECT_EQ(alone, 302u);
  EXPECT_EQ(beside, 6u + 302u);
}

// The branch back is not taken: behind it stands the join of the loop, which is no instruction.
TEST_F(ChipOrder, a_branch_that_is_not_taken_costs_nothing_extra) {
  const std::string body =
      "mov.u32 %r1, %tid.x; again: add.u32 %r1, %r1, 64; setp.lt.u32 %p1, %r1, 32; @%p1 bra again; ret;";
  const Cycle cheap = cycles(body);
  chip.reset();
  config.issue.branch_cycles = 300;
  EXPECT_EQ(cycles(body), cheap);
}

// Two warps load one word that is volatile, at different times; whoever comes second joins the first one's miss. Each
// must see what it loaded, not what stood in its register.
TEST_F(ChipOrder, a_volatile_load_is_complete_when_it_has_taken_effect) {
  for (const unsigned latency : {8u, 40u}) {
    config.interconnect.latency = latency;
    for (int delay = 0; delay < 60; ++delay) {
      chip.reset();
      std::string wait;
      for (int k = 0; k < delay; ++k) wait += "add.u32 %r9, %r9, 1; ";
      cycles(
          "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r5, 12345; shr.u32 %r2, %r1, 5; setp.eq.u32 %p1, "
          "%r2, 0;"
          "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; @%p1 bra load; mov.u32 %r9, 0; " +
              wait +
              "load: ld.volatile.global.u32 %r5, [%rd1+2048]; add.u32 %r6, %r5, 1; st.global.u32 [%rd2], %r6; ret;",
          {64, 1, 1});
      for (unsigned thread = 0; thread < 64; ++thread)
        ASSERT_EQ(out[thread], 1u) << latency << " " << delay << " " << thread;
    }
  }
}

// The second function's registers lie where the first one's lay.
TEST_F(ChipOrder, registers_of_an_atomic_are_left_alone_by_other_functions) {
  config.interconnect.latency = 200;
  const std::string functions =
      ".func f(.param .u64 at) { .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [at]; mov.u32 %r1, 5; "
      "red.global.add.u32 [%rd1+8], %r1; ret; }\n"
      ".func g(.param .u64 at) { .reg .b32 %r<4>; .reg .b64 %rd<4>; ld.param.u64 %rd1, [at]; add.u64 %rd1, %rd1, 4; "
      "mov.u32 %r1, 1000; st.global.u32 [%rd1], %r1; ret; }\n";
  const auto result =
      simulate(kernel("ld.param.u64 %rd1, [out]; { .param .u64 p; st.param.u64 [p], %rd1; call f, (p); }"
                      "{ .param .u64 q; st.param.u64 [q], %rd1; call g, (q); } ret;",
                      functions),
               {1, 1, 1}, {1, 1, 1});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[1], 1000u);
  EXPECT_EQ(out[2], 5u);
  EXPECT_EQ(out[3], 0u);
}

// What a thread exchanged before its fence and flag, the others of its CTA see behind the flag.
TEST_F(ChipOrder, a_fence_of_the_cta_orders_an_atomic_before_what_follows) {
  config.interconnect.latency = 100;
  cycles(
      ".shared .align 4 .b8 flag[4]; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 bra "
      "wait;"
      "atom.global.exch.b32 %r2, [%rd1], 77; membar.cta; mov.u32 %r3, 1; st.volatile.shared.u32 [flag], %r3; bra end;"
      "wait: ld.volatile.shared.u32 %r4, [flag]; setp.eq.u32 %p2, %r4, 0; @%p2 bra wait; membar.cta; ld.global.u32 "
      "%r5, [%rd1];"
      "st.global.u32 [%rd1+4], %r5; end: ret;",
      {64, 1, 1});
  EXPECT_EQ(out[1], 77u);
}

TEST_F(ChipOrder, wide_scattered_accesses_of_local_memory_have_room) {
  config.l1.mshrs = 64;
  cycles(
      ".local .align 32 .b8 spill[2048]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 64; mov.u64 %rd5, spill; "
      "cvt.u64.u32 %rd6, %r2;"
      "add.u64 %rd5, %rd5, %rd6; ld.local.v2.b64 {%rd1, %rd2}, [%rd5]; add.u64 %rd7, %rd1, 1; ret;");
  EXPECT_EQ(last.timing.counters.l1_loads, 4u * 32);  // four words of each lane, each in a row of its own
}

// Three CTAs on one SM fault at the same place: the first in time is told.
TEST_F(ChipOrder, the_first_fault_is_told) {
  const auto result =
      simulate(kernel("mov.u64 %rd1, 64; red.global.add.u32 [%rd1], 1; ret;"), {3, 1, 1}, {32, 1, 1}, 64, 3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().cta.x, 0u);
}

// CTA 0 allocates and publishes; CTA 1, on another SM, reads, tells, waits until it was freed, and reads again.
TEST_F(ChipOrder, what_another_sm_has_freed_is_not_there) {
  config.sms = 2;
  const std::string functions =
      ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";
  const auto until = [](const std::string& label, const std::string& at) {
    return label + ": ld.volatile.global.u64 %rd5, [" + at + "]; setp.eq.u64 %p1, %rd5, 0; @%p1 bra " + label + ";";
  };
  const std::string body =
      "ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p2, %r1, 0; @%p2 bra READER;"
      "mov.u64 %rd2, 64; { .param .b64 n; .param .b64 r; st.param.b64 [n], %rd2; call (r), malloc, (n); ld.param.b64 "
      "%rd3, [r]; }"
      "st.global.u32 [%rd3], 7; membar.gl; st.volatile.global.u64 [%rd1], %rd3;" +
      until("TOLD", "%rd1+8") +
      "{ .param .b64 p; st.param.b64 [p], %rd3; call free, (p); }"
      "mov.u64 %rd2, 1; st.volatile.global.u64 [%rd1+16], %rd2; ret;"
      "READER:" +
      until("MADE", "%rd1") +
      "mov.u64 %rd3, %rd5; mov.u32 %r5, 0;"
      // the same instruction before and behind
      "AGAIN: ld.global.u32 %r2, [%rd3]; mov.u64 %rd2, 1; st.volatile.global.u64 [%rd1+8], %rd2;" +
      until("FREED", "%rd1+16") +
      "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 2; @%p3 bra AGAIN; st.global.u32 [%rd1+24], %r2; ret;";
  const auto result = simulate(kernel(body, functions), {2, 1, 1}, {1, 1, 1}, 64, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, simt::Fault::Kind::illegal_address);
  EXPECT_EQ(result.error().cta.x, 1u);
  EXPECT_NE(result.error().message.find("that was freed"), std::string::npos) << result.error().message;
}

}  // namespace
}  // namespace bankshot::timing

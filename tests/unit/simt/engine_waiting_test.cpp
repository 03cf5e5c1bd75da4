// Lanes and warps that wait: for the rest of their warp at an aligned instruction, and for an mbarrier that nobody
// completes.
#include <atomic>

#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineWaiting : public EngineTest {
 protected:
  static inline const std::string kBegin =
      kThread +
      ".shared .align 16 .b8 s[512]; .shared .align 8 .b64 bars[2]; mov.u32 %r20, s; mov.u32 %r21, bars; "
      "setp.eq.u32 %p2, %r1, 0; @!%p2 bra B; mbarrier.init.shared.b64 [%r21], 1; mbarrier.init.shared.b64 [%r21+8], 1; "
      "B: bar.sync 0;\n";
  /// Lets others run `turns` times.
  static std::string sleep(int turns) {
    return "mov.u32 %r10, 0; S: nanosleep.u32 1; add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, " +
           std::to_string(turns) + "; @%p3 bra S;\n";
  }
  static std::string wait(const std::string& label, const std::string& barrier, const std::string& parity = "0") {
    return label + ": mbarrier.try_wait.parity.shared.b64 %p1, [" + barrier + "], " + parity + "; @!%p1 bra " + label +
           ";\n";
  }
  Fault fault_of(const std::string& body, uint32_t threads) {
    const auto result = run(kernel(body + "ret;"), {1}, {threads}, 1);
    EXPECT_FALSE(result) << body;
    return result ? Fault{} : result.error();
  }
};

// ThunderKittens' educational_b200 kernel 8 does so with tcgen05.ld. Lanes that wait at a join are let go after three
// turns of polling (kStaleTurns).
TEST_F(EngineWaiting, an_aligned_instruction_waits_for_lanes_that_still_poll) {
  const auto result = run(
      kernel(kBegin +
             "setp.ge.u32 %p4, %r1, 32; @%p4 bra SECOND; st.shared.u32 [%r20], 7; setp.ge.u32 %p5, %r1, 5; "
             "@%p5 bra J;" +
             wait("W", "%r21") +
             "J: ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r20]; st.global.u32 [%rd2], %r7; ret;\nSECOND: " +
             sleep(50) + "setp.eq.u32 %p6, %r1, 32; @%p6 mbarrier.arrive.shared.b64 _, [%r21]; ret;"),
      {1}, {64}, 64);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[0], 7u);
}

TEST_F(EngineWaiting, lanes_that_wait_for_each_other_at_two_aligned_instructions_are_a_fault) {
  const Fault fault = fault_of(kBegin +
                                   "setp.lt.u32 %p4, %r1, 16; @%p4 bra A;"
                                   "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r20]; bra J;"
                                   "A: ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r7, %r8}, [%r20]; J:",
                               32);
  EXPECT_EQ(fault.kind, Fault::Kind::partial_warp) << fault.message;
}

// What the others wait for at J is the lanes at the instruction, on whichever side of the branch that is.
TEST_F(EngineWaiting, an_aligned_instruction_on_one_side_of_a_branch_is_a_fault) {
  const std::string some = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r20]; st.volatile.global.u32 [%rd1], 1;",
                    none = "add.u32 %r11, %r1, 1; st.shared.u32 [%r20+64], %r11;",
                    join = "J: ld.volatile.global.u32 %r5, [%rd1]; setp.eq.u32 %p6, %r5, 0; @%p6 bra J; ret;";
  for (const std::string& body :
       {"@!%p4 bra O; " + some + "bra J; O: " + none + join, "@%p4 bra O; " + none + "bra J; O: " + some + join}) {
    const Fault fault = fault_of(kBegin + "setp.lt.u32 %p4, %r1, 16;" + body, 32);
    EXPECT_EQ(fault.kind, Fault::Kind::partial_warp) << fault.message;
    EXPECT_NE(fault.message.find("16 do not: they are elsewhere"), std::string::npos) << fault.message;
  }
}

TEST_F(EngineWaiting, an_aligned_instruction_whose_other_lanes_stay_at_a_barrier_is_a_deadlock) {
  const Fault fault = fault_of(kBegin +
                                   "setp.lt.u32 %p4, %r1, 16; @%p4 bra A;"
                                   "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r20]; bra J;"
                                   "A: barrier.sync 1; J:",
                               32);
  EXPECT_EQ(fault.kind, Fault::Kind::divergent_barrier) << fault.message;
  EXPECT_NE(fault.message.find("lanes 16-31 at ldmatrix"), std::string::npos) << fault.message;
}

TEST_F(EngineWaiting, warps_that_wait_for_an_mbarrier_that_nobody_completes_are_a_deadlock) {
  const Fault fault =
      fault_of(kBegin + "setp.ge.u32 %p4, %r1, 32; @%p4 bra SECOND;" + wait("W", "%r21+8") +
                   "ret;\nSECOND: " + "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r21], 16;" + wait("V", "%r21"),
               64);
  EXPECT_EQ(fault.kind, Fault::Kind::deadlock);
  EXPECT_NE(fault.message.find("warp 0 lanes 0-31 at mbarrier.try_wait.parity.shared.b64 (PTX line "),
            std::string::npos)
      << fault.message;
  EXPECT_NE(fault.message.find("which waits for an mbarrier at byte 520 of shared memory (bars + 8) to end its even "
                               "phase: 1 arrivals and 0 bytes are pending"),
            std::string::npos)
      << fault.message;
  EXPECT_NE(fault.message.find("byte 512 of shared memory (bars) to end its even phase: 1 arrivals and 512 bytes"),
            std::string::npos)
      << fault.message;
}

TEST_F(EngineWaiting, the_forms_that_compilers_give_such_loops_are_known) {
  const std::string test = "mbarrier.test_wait.parity.shared.b64 %p1, [%r21], 0;";
  for (const std::string& loop :
       {"W: " + test + "@%p1 bra DONE; bra W; DONE:", "W: " + test + "@%p1 bra.uni DONE; bra.uni W; DONE:",
        "W: " + test + "selp.u32 %r5, 1, 0, %p1; setp.ne.s32 %p3, %r5, 0; @%p3 bra DONE; bra.uni W; DONE:",
        "W: " + test + "selp.b32 %r5, 1, 0, %p1; setp.eq.s32 %p3, %r5, 0; @%p3 bra W;",
        "mov.u32 %r6, 0; W: " + test + "add.u32 %r6, %r6, 1; @!%p1 bra W; st.global.u32 [%rd1], %r6;"}) {
    EXPECT_EQ(fault_of(kBegin + loop, 96).kind, Fault::Kind::deadlock) << loop;
  }
}

TEST_F(EngineWaiting, a_wait_that_counts_its_tries_comes_to_its_end) {
  const auto result = run(kernel(kBegin + "mov.u32 %r6, 0; W: mbarrier.try_wait.parity.shared.b64 %p1, [%r21], 0;"
                                          "@%p1 bra DONE; add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 5000; @%p3 bra W;"
                                          "DONE: st.global.u32 [%rd2], %r6; ret;"),
                          {1}, {64}, 64);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[63], 5000u);
}

TEST_F(EngineWaiting, a_wait_that_moves_on_to_another_mbarrier_comes_to_its_end) {
  const auto result =
      run(kernel(kBegin + "setp.eq.u32 %p4, %r1, 32; @%p4 mbarrier.arrive.shared.b64 _, [%r21+8]; mov.u32 %r6, "
                          "%r21; W: mbarrier.try_wait.parity.shared.b64 %p1, [%r6], 0; xor.b32 %r6, %r6, 8;"
                          "@!%p1 bra W; st.global.u32 [%rd2], 1; ret;"),
          {1}, {64}, 64);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[63], 1u);
}

TEST_F(EngineWaiting, warps_that_hand_over_through_mbarriers_never_count_as_stuck) {
  // Warp 0 waits for bars[0] and arrives at bars[1], warp 1 the other way round: all turns end in a failed test.
  const auto pass = [](const std::string& name, const std::string& waits, const std::string& arrives, bool first) {
    const std::string arrive = "@%p5 mbarrier.arrive.shared.b64 _, [" + arrives + "];";
    return name + ": mov.u32 %r6, 0;\nL" + name + ": and.b32 %r8, %r6, 1;" + (first ? arrive : "") +
           wait("W" + name, waits, "%r8") + (first ? "" : arrive) +
           "add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 1000; @%p3 bra L" + name + "; st.global.u32 [%rd2], %r6; ret;\n";
  };
  const auto result = run(kernel(kBegin +
                                 "and.b32 %r9, %r1, 31; setp.eq.u32 %p5, %r9, 0; setp.ge.u32 %p4, %r1, 32; "
                                 "@%p4 bra SECOND;\n" +
                                 pass("FIRST", "%r21", "%r21+8", true) + pass("SECOND", "%r21+8", "%r21", false)),
                          {1}, {64}, 64);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[0], 1000u);
  EXPECT_EQ(out[63], 1000u);
}

TEST_F(EngineWaiting, a_slow_producer_is_waited_for) {
  cluster = {2};
  // The second CTA of the cluster arrives at the first one's mbarrier after 1,000 turns.
  const auto result =
      run(kernel(kBegin +
                 "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; setp.eq.u32 %p4, %r2, 1; @%p4 bra "
                 "SECOND;" +
                 wait("W", "%r21") + "st.global.u32 [%rd2], 1; bra END;\nSECOND: " + sleep(1000) +
                 "mapa.shared::cluster.u32 %r6, %r21, 0; @%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                 "[%r6]; END: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;"),
          {2}, {32}, 64);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[31], 1u);
}

TEST_F(EngineWaiting, a_cluster_that_waits_as_a_whole_is_a_deadlock) {
  cluster = {2};
  // The first CTA waits for an mbarrier, the second one for the first at the barrier of the cluster.
  const auto result = run(kernel(kBegin + "setp.eq.u32 %p4, %r2, 1; @%p4 bra END;" + wait("W", "%r21") +
                                 "END: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;"),
                          {2}, {32}, 64);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::deadlock);
  EXPECT_NE(result.error().message.find("(bars)"), std::string::npos) << result.error().message;
}

TEST_F(EngineWaiting, who_also_looks_at_memory_may_be_let_go_by_the_host) {
  std::atomic<bool> stop{false};
  options.stop = &stop;
  options.progress = [&](const LaunchProgress& now) { stop = now.warp_instructions > 1'000'000; };
  const auto result =
      run(kernel(kBegin + "W: ld.volatile.global.u32 %r6, [%rd1]; setp.ne.u32 %p3, %r6, 0; @%p3 bra DONE;"
                          "mbarrier.try_wait.parity.shared.b64 %p1, [%r21], 0; @!%p1 bra W; DONE: ret;"),
          {1}, {32}, 1);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->stopped);
}

}  // namespace
}  // namespace bankshot::simt

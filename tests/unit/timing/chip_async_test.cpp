// Asynchronous copies on the chip: who waits for them, and for how long.
#include "chip_harness.hpp"

namespace bankshot::timing {
namespace {

class ChipAsync : public ChipTest {
 protected:
  /// Cycles from the first instruction of warp 0 to the one behind `body`, which finds %rd1 = out, %r1 = the thread,
  /// %r2 = its word of shared memory, %rd2 = its word of out.
  uint32_t cycles(const std::string& body, unsigned threads = 32) {
    const auto result =
        simulate(kernel(kBegin + body + kEnd, ".shared .align 128 .b8 s[8192];\n.shared .align 8 .b64 bar;\n"), {1},
                 {threads}, 4096);
    EXPECT_TRUE(result) << result.error().message;
    if (!result) return 0;
    counters = result->timing.counters;
    expect_conservation(counters);
    return out[kAt];
  }
  Counters counters;
  static constexpr size_t kAt = 4000;
  static inline const std::string kBegin =
      "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; mov.u32 %r3, s; mad.lo.u32 %r2, %r1, 4, %r3; mul.wide.u32 %rd2, "
      "%r1, 4;"
      "add.u64 %rd2, %rd2, %rd1; mov.u32 %r30, %clock;\n";
  static inline const std::string kEnd =
      " mov.u32 %r31, %clock; sub.u32 %r31, %r31, %r30; setp.eq.u32 %p7, %r1, 0; @%p7 st.global.u32 [%rd1+16000], "
      "%r31; ret;";
};

std::string copy(unsigned line) {
  return "cp.async.ca.shared.global [%r2], [%rd2+" + std::to_string(128 * line) + "], 4; cp.async.commit_group;\n";
}

TEST_F(ChipAsync, a_copy_takes_as_long_as_a_load_for_who_waits_for_it) {
  const uint32_t nothing = cycles("");
  const uint32_t load = cycles("ld.global.u32 %r4, [%rd2]; add.u32 %r5, %r4, 1;");
  const uint32_t waits = cycles(copy(0) + "cp.async.wait_group 0;");
  const uint32_t goes_on = cycles(copy(0) + "cp.async.wait_group 1;");
  EXPECT_GT(load, nothing + 40) << "to memory and back";
  EXPECT_NEAR(static_cast<double>(waits), static_cast<double>(load), 6);
  EXPECT_LT(goes_on, nothing + 10);
  EXPECT_EQ(cycles(copy(0) + "cp.async.wait_all;"), waits);
}

TEST_F(ChipAsync, a_copy_of_no_lane_is_not_waited_for) {
  const std::string off = "setp.gt.u32 %p1, %r1, 99; @%p1 " + copy(0);
  const uint32_t nothing = cycles("setp.gt.u32 %p1, %r1, 99;");
  EXPECT_LT(cycles(off + "cp.async.wait_group 0;"), nothing + 20);
  EXPECT_LT(cycles(off + "cp.async.wait_all;"), nothing + 20);
}

TEST_F(ChipAsync, groups_are_waited_for_in_order) {
  // The second line is there already: only the first group is on its way.
  const std::string warm = "ld.global.u32 %r6, [%rd2+256]; add.u32 %r6, %r6, 1;\n";
  const uint32_t none = cycles(warm + copy(1) + copy(2) + "cp.async.wait_group 2;");
  const uint32_t first = cycles(warm + copy(1) + copy(2) + "cp.async.wait_group 1;");
  const uint32_t both = cycles(warm + copy(1) + copy(2) + "cp.async.wait_group 0;");
  const uint32_t second_first = cycles(warm + copy(2) + copy(1) + "cp.async.wait_group 1;");
  EXPECT_GT(first, none + 30);
  EXPECT_LE(first, both);
  EXPECT_LT(second_first, first) << "what it waits for is in the cache";
}

TEST_F(ChipAsync, conflicts_of_its_writes_keep_the_banks) {
  const std::string column = "mad.lo.u32 %r2, %r1, 128, %r3;\n",
                    done = "cp.async.wait_all; ld.shared.u32 %r4, [s]; add.u32 %r5, %r4, 1;";
  cycles(copy(0) + done);
  EXPECT_EQ(counters.shared_wavefronts, 2u);
  cycles(column + copy(0) + done);
  EXPECT_EQ(counters.shared_wavefronts, 33u);
  EXPECT_EQ(counters.shared_ideal, 2u);
}

TEST_F(ChipAsync, copies_of_16_bytes_may_pass_the_cache_by) {
  const std::string at = "mad.lo.u32 %r2, %r1, 16, %r3; mul.wide.u32 %rd2, %r1, 16; add.u64 %rd2, %rd2, %rd1;\n";
  cycles(at + "cp.async.cg.shared.global [%r2], [%rd2], 16; cp.async.wait_all;");
  EXPECT_EQ(counters.l1_load_hits, 0u);
  const std::string twice = "cp.async.OP.shared.global [%r2], [%rd2], 16; cp.async.wait_all;\n";
  const auto with = [&](const std::string& op) {
    std::string text = twice + twice;
    for (size_t k; (k = text.find("OP")) != text.npos;) text.replace(k, 2, op);
    cycles(at + text);
    return counters.l1_load_hits;
  };
  EXPECT_EQ(with("cg"), 0u);
  EXPECT_GT(with("ca"), 0u);
}

const std::string kBulk =
    "setp.ne.u32 %p1, %r1, 0; mov.u32 %r8, bar; @%p1 bra ALL; mbarrier.init.shared.b64 [%r8], 1;"
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 4096;"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 4096, [%r8];\nALL: bar.sync 0;\n";
const std::string kWait = "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra W;\n";

TEST_F(ChipAsync, a_barrier_learns_of_a_bulk_copy_when_the_last_line_is_there) {
  const uint32_t issued = cycles(kBulk), there = cycles(kBulk + kWait);
  EXPECT_GT(there, issued + 60) << "32 lines, and the way to memory and back";
  EXPECT_EQ(counters.shared_wavefronts, 32u) << "rows of 128 bytes";
  EXPECT_EQ(counters.l1_load_hits + counters.l1_load_misses, 32u);
}

TEST_F(ChipAsync, who_has_issued_a_bulk_copy_may_end) {
  // Warp 0 ends at once; warp 1 waits for what it has asked for.
  const std::string producer =
      "mov.u32 %r8, bar; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r8], 1; bar.sync 0;\n"
      "setp.ge.u32 %p3, %r1, 32; @%p3 bra W; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 4096;\n"
      "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 4096, [%r8]; ret;\n";
  cycles(producer + kWait + "st.global.u32 [%rd2+8192], 7;", 64);
  for (uint32_t k = 32; k < 64; ++k) EXPECT_EQ(out[2048 + k], 7u);
}

TEST_F(ChipAsync, what_bulk_copies_bring_is_right_in_every_organisation) {
  for (const char* pipeline : {"queued", "split", "unified", "elastic"}) {
    if (config.issue.pipeline = pipeline; config.issue.pipeline != "queued") {
      config.issue.simd_lanes = config.rules.banks = config.rules.lanes_b32 = 8;
      set_parameter(config, "issue.stages", 8);
      set_parameter(config, "issue.memory_stages", 4);
    }
    renew();
    const std::string fill = "add.u32 %r4, %r1, 1000; st.global.u32 [%rd2], %r4; bar.sync 0;\n";
    const uint32_t all = cycles(
        fill + kBulk + kWait + "xor.b32 %r2, %r2, 4; ld.shared.u32 %r5, [%r2]; st.global.u32 [%rd2+8192], %r5;", 128);
    EXPECT_GT(all, 50u) << pipeline;
    for (uint32_t k = 0; k < 128; ++k) ASSERT_EQ(out[2048 + k], 1000 + (k ^ 1)) << pipeline;
  }
}

// As in EngineWaiting, of the unit tests of simt. Lanes 5 to 31 of warp 0 are let go from J while the others poll.
TEST_F(ChipAsync, an_aligned_instruction_waits_for_lanes_that_still_poll) {
  const std::string begin =
      "mov.u32 %r9, bar; setp.eq.u32 %p1, %r1, 0; @!%p1 bra B; mbarrier.init.shared.b64 [%r9], 1; B: bar.sync 0;\n"
      "setp.ge.u32 %p2, %r1, 32; @%p2 bra SECOND; st.shared.u32 [%r3], 7;\n";
  cycles(begin +
             "setp.ge.u32 %p3, %r1, 5; @%p3 bra J; W: mbarrier.try_wait.parity.shared.b64 %p4, [%r9], 0; @!%p4 bra W;\n"
             "J: ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r3]; st.global.u32 [%rd2], %r7; bra E;\n"
             "SECOND: mov.u32 %r10, 0; S: nanosleep.u32 20; add.u32 %r10, %r10, 1; setp.lt.u32 %p5, %r10, 50;\n"
             "@%p5 bra S; setp.eq.u32 %p6, %r1, 32; @%p6 mbarrier.arrive.shared.b64 _, [%r9]; E:",
         64);
  EXPECT_EQ(out[0], 7u);

  const auto result = simulate(kernel(kBegin +
                                          "setp.lt.u32 %p1, %r1, 16; @%p1 bra A;"
                                          "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r3]; bra J;"
                                          "A: ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r7, %r8}, [%r3]; J:" +
                                          kEnd,
                                      ".shared .align 128 .b8 s[8192];\n"),
                               {1}, {32}, 4096);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, simt::Fault::Kind::partial_warp) << result.error().message;
}

TEST_F(ChipAsync, a_part_of_a_warp_may_fault_before_its_first_instruction) {
  const auto result = simulate(kernel("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, "
                                      "%r8}, [0]; ret;"),
                               {1}, {16});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, simt::Fault::Kind::partial_warp) << result.error().message;
  EXPECT_TRUE(simulate(kernel(""), {300}, {96})) << "a kernel without instructions";
}

}  // namespace
}  // namespace bankshot::timing

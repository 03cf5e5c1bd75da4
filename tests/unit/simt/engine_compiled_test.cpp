// What is told of native code, and that it goes with its program.
#include "engine_harness.hpp"
#include "needs_compiler.hpp"

namespace bankshot::simt {
namespace {

class EngineCompiled : public EngineTest {
 protected:
  void SetUp() override {
    options.threads = 1;
    options.tell_compiled = true;
    options.compile = Compile::at_once;
  }
};

/// Adds 7, three times. In the text of kernel() its first line, and so each of its instructions, is line 7.
const char* const kLoop =
    "mov.u32 %r5, 0; mov.u32 %r6, 0; L: add.u32 %r5, %r5, 7; add.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 3; @%p1 bra L;"
    "st.global.u32 [%rd1], %r5; ret;";

std::vector<std::string> reasons(const Compiled& compiled) {
  std::vector<std::string> all;
  for (const NotCompiled& one : compiled.not_compiled)
    all.push_back(one.op + (one.by_handler ? " by its handler: " : " interpreted: ") + one.why);
  return all;
}

TEST_F(EngineCompiled, a_loop_is_a_stretch_and_its_instructions_are_counted) {
  BANKSHOT_NEEDS_COMPILER();
  const auto stats = run(kernel(kLoop), {1}, {32}, 1);
  ASSERT_TRUE(stats && stats->compiled);
  EXPECT_EQ(out[0], 21u);
  const Compiled& compiled = *stats->compiled;
  EXPECT_EQ(compiled.why_not, "");
  ASSERT_FALSE(compiled.stretches.empty());
  for (const CompiledStretch& stretch : compiled.stretches) {
    EXPECT_EQ(stretch.source.ptx_line, 7u);
    EXPECT_TRUE(stretch.all_lanes);
    EXPECT_EQ(stretch.refused, "");
  }
  // The parameter, 2 moves, 3 times 4 instructions, the store and the end.
  EXPECT_EQ(stats->warp_instructions, 17u);
  EXPECT_GE(compiled.warp_instructions, 8u);  // the second time round at the latest
  EXPECT_LE(compiled.warp_instructions, 17u);
}

TEST_F(EngineCompiled, what_code_does_not_execute_itself_is_told_with_a_reason) {
  BANKSHOT_NEEDS_COMPILER();
  const auto stats = run(kernel("mov.u32 %r5, 0; bra L; L: add.u32 %r5, %r5, 1; red.global.add.u32 [%rd1], %r5;"
                                "bar.sync 0, 32; ret;"),
                         {1}, {32}, 1);
  ASSERT_TRUE(stats && stats->compiled);
  EXPECT_EQ(out[0], 32u);
  EXPECT_EQ(
      reasons(*stats->compiled),
      (std::vector<std::string>{"bar.sync interpreted: a barrier with a count, a number in a register or a result",
                                "red.global.add.u32 by its handler: an atomic outside shared memory"}));
}

/// Atomics on shared memory whose old values nobody wants. In s: sums of even and of odd lanes, the greatest lane,
/// lanes counted modulo 5, the last lane unless that is 31, bits of the first three lanes, lanes counted as a float.
const char* const kAtomics =
    ".shared .b32 s[32]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; mov.u32 %r6, "
    "0;"
    "st.shared.u32 [%r4], %r6; and.b32 %r5, %r3, 4; add.u32 %r5, %r5, %r2; setp.lt.u32 %p1, %r1, 3; shl.b32 %r7, 1, "
    "%r1;"
    "bra L; L: red.shared.add.u32 [%r5], %r1; red.shared.max.u32 [s+8], %r1; red.shared.inc.u32 [s+12], 4;"
    "atom.shared.exch.b32 %r8, [s+16], %r1; atom.shared.cas.b32 %r9, [s+16], 31, 77; @%p1 red.shared.or.b32 [s+20], "
    "%r7;"
    "red.shared.add.f32 [s+24], 0f3F800000; ld.shared.u32 %r6, [%r4]; cvt.u64.u32 %rd2, %r3; add.u64 %rd1, %rd1, %rd2;"
    "st.global.u32 [%rd1], %r6; ret;";

/// By instruction in their order: wavefronts.
std::vector<uint64_t> wavefronts(const LaunchStats& stats) {
  std::vector<uint64_t> all;
  for (const SiteReport& site : stats.sites) all.push_back(site.counter.wavefronts);
  return all;
}

TEST_F(EngineCompiled, atomics_on_shared_memory_are_done_lane_after_lane) {
  BANKSHOT_NEEDS_COMPILER();
  const auto stats = run(kernel(kAtomics), {1}, {32}, 32);
  ASSERT_TRUE(stats && stats->compiled);
  EXPECT_EQ((std::vector<uint32_t>(out.begin(), out.begin() + 8)),
            (std::vector<uint32_t>{240, 256, 31, 2, 77, 7, 0x42000000, 0}));
  EXPECT_EQ(reasons(*stats->compiled),
            (std::vector<std::string>{"atom.shared.cas.b32 by its handler: a compare-and-swap"}));
  // The store and the load take one. Lanes on one word take turns: 16 on each of two, all 32, and three of the guard.
  EXPECT_EQ(wavefronts(*stats), (std::vector<uint64_t>{1, 16, 32, 32, 32, 32, 3, 32, 1}));
}

TEST_F(EngineCompiled, atomics_of_some_lanes_leave_the_others_out) {
  BANKSHOT_NEEDS_COMPILER();
  const auto stats = run(kernel(kAtomics), {1}, {20}, 32);
  ASSERT_TRUE(stats);
  EXPECT_EQ((std::vector<uint32_t>(out.begin(), out.begin() + 8)),
            (std::vector<uint32_t>{90, 100, 19, 0, 19, 7, 0x41a00000, 0}));
  EXPECT_EQ(wavefronts(*stats), (std::vector<uint64_t>{1, 10, 20, 20, 20, 20, 3, 20, 1}));
}

TEST_F(EngineCompiled, atomics_do_the_same_where_nothing_is_counted) {
  BANKSHOT_NEEDS_COMPILER();
  options.count_conflicts = false;
  ASSERT_TRUE(run(kernel(kAtomics), {1}, {20}, 32));
  EXPECT_EQ((std::vector<uint32_t>(out.begin(), out.begin() + 8)),
            (std::vector<uint32_t>{90, 100, 19, 0, 19, 7, 0x41a00000, 0}));
}

/// Twice, lane l loads word 2 l and lanes of which there is no second word are left out by a guard.
const char* const kGuarded =
    ".shared .b32 s[32]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; shl.b32 %r3, %r1, 3; add.u32 %r4, %r2, %r3;"
    "setp.lt.u32 %p1, %r1, 16; mov.u32 %r7, 0; mov.u32 %r8, 9; bra L; L: @%p1 st.shared.u32 [%r4], %r1;"
    "@%p1 ld.shared.u32 %r8, [%r4]; add.u32 %r7, %r7, 1; setp.ne.u32 %p2, %r7, 2; @%p2 bra L; mul.wide.u32 %rd2, %r1, "
    "4;"
    "add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r8; ret;";

TEST_F(EngineCompiled, guarded_accesses_are_counted_for_their_lanes) {
  BANKSHOT_NEEDS_COMPILER();
  const auto stats = run(kernel(kGuarded), {1}, {32}, 32);
  ASSERT_TRUE(stats && stats->compiled);
  for (uint32_t l = 0; l < 32; ++l) EXPECT_EQ(out[l], l < 16 ? l : 9) << l;
  EXPECT_EQ(reasons(*stats->compiled), std::vector<std::string>{});
  ASSERT_EQ(stats->sites.size(), 2u);
  for (const SiteReport& site : stats->sites) {
    EXPECT_EQ(site.counter.accesses, 2u);
    EXPECT_EQ(site.counter.lanes, 32u);
    EXPECT_EQ(site.counter.wavefronts, 2u);  // 16 even banks each time
    EXPECT_EQ(site.counter.worst.mask, 0xffffu);
    EXPECT_EQ(site.counter.worst.addresses[15], 120u);
  }
}

TEST_F(EngineCompiled, halves_that_are_the_same_for_all_lanes_are_computed_once) {
  BANKSHOT_NEEDS_COMPILER();
  const auto stats = run(kernel(".reg .b16 %h<4>; mov.b32 %r5, 0x3c003c00; mov.b16 %h1, 0x3c00;"  // 1 in f16
                                "fma.rn.f16x2 %r6, %r5, %r5, %r5; add.f16 %h2, %h1, %h1; cvt.u32.u16 %r7, %h2;"
                                "cvt.f32.f16 %f1, %h1; cvt.rn.satfinite.e5m2x2.f16x2 %h3, %r5; cvt.u32.u16 %r8, %h3;"
                                "st.global.u32 [%rd1], %r6; st.global.u32 [%rd1+4], %r7; st.global.f32 [%rd1+8], %f1;"
                                "st.global.u32 [%rd1+12], %r8; ret;"),
                         {1}, {32}, 4);
  ASSERT_TRUE(stats && stats->compiled);
  EXPECT_EQ(out, (std::vector<uint32_t>{0x40004000, 0x4000, 0x3f800000, 0x3c3c}));
  EXPECT_EQ(stats->compiled->warp_instructions, stats->warp_instructions);
}

/// Three times, each thread of 64 gets what its neighbour in the other warp has, times 3 and plus its own number.
const char* const kTurns =
    ".shared .b32 s[64]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3;"
    "xor.b32 %r5, %r3, 128; add.u32 %r5, %r5, %r2; mov.u32 %r6, 1; mov.u32 %r7, 0; L: st.shared.u32 [%r4], %r6;"
    "bar.sync 0; ld.shared.u32 %r8, [%r5]; mad.lo.u32 %r6, %r8, 3, %r1; bar.sync 1; add.u32 %r7, %r7, 1;"
    "setp.ne.u32 %p1, %r7, 3; @%p1 bra L; cvt.u64.u32 %rd2, %r3; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r6;"
    "ret;";

TEST_F(EngineCompiled, code_goes_on_behind_a_barrier) {
  BANKSHOT_NEEDS_COMPILER();
  const auto stats = run(kernel(kTurns), {4}, {64}, 64);
  ASSERT_TRUE(stats && stats->compiled);
  // 3 + t the first time, then 3 (3 + o) + t with o = t xor 32, the number of the other.
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], 3 * (3 * (3 + t) + (t ^ 32)) + t) << t;
  EXPECT_EQ(reasons(*stats->compiled),
            std::vector<std::string>{"ld.shared.u32 by its handler: addresses at unknown distances from each other"});
  // 9 instructions, 3 times 8, and 4: in 8 warps.
  EXPECT_EQ(stats->warp_instructions, 8 * 37u);
  EXPECT_EQ(stats->compiled->warp_instructions, stats->warp_instructions);
}

TEST_F(EngineCompiled, registers_survive_the_end_of_a_phase_of_an_mbarrier) {
  BANKSHOT_NEEDS_COMPILER();
  // A phase ends in each turn, at which the warp lets others run.
  const std::string text = kernel(
      kThread +
      ".shared .align 8 .b64 bar; mov.u32 %r20, bar; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r20], 32;"
      "bar.sync 0; mov.u32 %r5, 0; mov.u32 %r6, 0; L: add.u32 %r7, %r1, %r6; mbarrier.arrive.shared.b64 _, [%r20];"
      "add.u32 %r5, %r5, %r7; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 9; @%p2 bra L; st.global.u32 [%rd2], %r5; "
      "ret;");
  const auto stats = run(text, {1}, {32}, 32);
  ASSERT_TRUE(stats && stats->compiled);
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 9 * t + 36) << t;
  EXPECT_GT(stats->compiled->warp_instructions, 20u);
  // 13 instructions before the loop, of which kernel() has 1 and kThread 6; 9 times 6; and 2.
  EXPECT_EQ(stats->warp_instructions, 13u + 9 * 6 + 2);
}

TEST_F(EngineCompiled, a_warp_with_fewer_lanes_waits_at_the_same_barriers) {
  BANKSHOT_NEEDS_COMPILER();
  const auto stats = run(kernel(kTurns), {4}, {56}, 64);
  ASSERT_TRUE(stats && stats->compiled);
  EXPECT_EQ(out[0], 3 * (3 * 3 + 32) + 0u);
  EXPECT_EQ(out[32], 3 * (3 * 35 + 0) + 32u);
  EXPECT_EQ(out[24], 3 * 0 + 24u);  // there is no thread 56
}

TEST_F(EngineCompiled, a_fault_behind_a_barrier_is_found_in_its_lane) {
  BANKSHOT_NEEDS_COMPILER();
  const auto fault =
      run(kernel("mov.u32 %r1, %tid.x; mov.u32 %r2, 0; bra L; L: bar.sync 0; add.u32 %r2, %r2, 1; shl.b32 %r3, %r1, 2;"
                 "setp.ne.u32 %p1, %r2, 3; @%p1 bra L; cvt.u64.u32 %rd2, %r3; add.u64 %rd1, %rd1, %rd2;"
                 "st.global.u32 [%rd1], %r2; ret;"),
          {1}, {64}, 40);
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().kind, Fault::Kind::illegal_address);
  EXPECT_EQ(fault.error().thread.x, 40u);
}

/// Thread 40 is asked to write beyond the buffer, while the other warp waits at a barrier within code.
TEST_F(EngineCompiled, a_launch_after_a_fault_is_as_any_other) {
  BANKSHOT_NEEDS_COMPILER();
  const std::string text = kernel(
      "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; bra L; L: bar.sync 0;"
      "setp.gt.u32 %p2, %r1, 31; @%p2 st.global.u32 [%rd1], %r2; add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 3;"
      "@%p1 bra L; st.global.u32 [%rd1], %r2; ret;");
  for (unsigned k = 0; k < 3; ++k) {
    const auto fault = run(text, {8}, {64}, 40);
    ASSERT_FALSE(fault);
    EXPECT_EQ(fault.error().kind, Fault::Kind::illegal_address);
    EXPECT_EQ(fault.error().thread.x, 40u);
    const auto stats = run(text, {8}, {64}, 64);
    ASSERT_TRUE(stats);
    EXPECT_EQ(out, std::vector<uint32_t>(64, 3));
    EXPECT_EQ(stats->warp_instructions, 8 * 2 * (6 + 3 * 6 + 2u));
  }
}

/// The loop begins where code does, behind a barrier that is interpreted. The third time round %r4 wraps within a warp:
/// the code cannot go on, at the instruction where it begins.
TEST_F(EngineCompiled, code_that_gets_no_further_at_its_beginning_says_so_to_those_who_began_there_only) {
  BANKSHOT_NEEDS_COMPILER();
  const std::string loop =
      "bar.sync 0, %r9; L: cvt.u64.u32 %rd2, %r4; and.b64 %rd3, %rd2, 63; shl.b64 %rd3, %rd3, 2;"
      "add.u64 %rd3, %rd1, %rd3; st.global.u32 [%rd3], %r6;";
  const std::string turn = "sub.u32 %r4, %r4, 48; add.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 4; @%p1 bra L; ret;";
  const std::string start = "mov.u32 %r9, %ntid.x; mov.u32 %r1, %tid.x; add.u32 %r4, %r1, 80; mov.u32 %r6, 0;";
  const auto behind_barrier = run(kernel(start + loop + "bar.sync 0;" + turn), {1}, {64}, 64);
  ASSERT_TRUE(behind_barrier);
  EXPECT_EQ(out, std::vector<uint32_t>(64, 3));  // each word is written each time
  EXPECT_EQ(behind_barrier->warp_instructions, 2 * (6 + 4 * 10 + 1u));
  const auto at_join =
      run(kernel(start + "setp.lt.u32 %p2, %r1, 7;" + loop + "@%p2 bra J; red.global.add.u32 [%rd1+256], 1; J:" + turn),
          {1}, {32}, 65);
  ASSERT_TRUE(at_join);
  std::vector<uint32_t> expected(65, 3);  // words 0 to 31 the last time, 48 to 63 the time before, 32 to 47 before that
  std::fill(expected.begin() + 32, expected.begin() + 48, 1);
  std::fill(expected.begin() + 48, expected.begin() + 64, 2);
  expected[64] = 4 * 25;
  EXPECT_EQ(out, expected);
  EXPECT_EQ(at_join->warp_instructions, 7 + 4 * 11 + 1u);
}

/// Neighbours of a word are checked with it. @param words  of shared memory: 34 are accessed
std::string neighbours(unsigned words, const std::string& guard) {
  return ".shared .b32 s[" + std::to_string(words) +
         "]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2; add.u32 %r3, %r3, 4; mov.u32 %r4, 0;"
         "mov.u32 %r6, 0; setp.lt.u32 %p1, %r1, 31; bra L; L: st.shared.u32 [%r3], %r1; st.shared.u32 [%r3+-4], %r1;" +
         guard +
         " ld.shared.u32 %r4, [%r3+4]; ld.shared.u32 %r5, [%r3]; ld.shared.u32 %r3, [%r3+-4]; add.u32 %r5, %r5, %r4;"
         "mad.lo.u32 %r5, %r3, 100, %r5; cvt.u64.u32 %rd2, %r1; shl.b64 %rd2, %rd2, 2; add.u64 %rd1, %rd1, %rd2;"
         "st.global.u32 [%rd1], %r5; ret;";
}

TEST_F(EngineCompiled, accesses_that_are_checked_together_fault_by_themselves) {
  BANKSHOT_NEEDS_COMPILER();
  // Lanes write their number to words t + 1, then t: of words t, t + 1 and t + 2 these hold t, t + 1 and t + 2, but
  // word 32 and 33 hold 31 and 0.
  ASSERT_TRUE(run(kernel(neighbours(34, "")), {1}, {32}, 32));
  EXPECT_EQ(out[0], 100 * 0 + 1 + 2u);
  EXPECT_EQ(out[29], 100 * 29 + 30 + 31u);
  EXPECT_EQ(out[30], 100 * 30 + 31 + 31u);
  EXPECT_EQ(out[31], 100 * 31 + 31 + 0u);
  const auto fault = run(kernel(neighbours(33, "")), {1}, {32}, 32);
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().kind, Fault::Kind::out_of_shared);
  EXPECT_EQ(fault.error().thread.x, 31u);
  ASSERT_TRUE(run(kernel(neighbours(33, "@%p1")), {1}, {32}, 32));
  EXPECT_EQ(out[30], 100 * 30 + 31 + 31u);
  EXPECT_EQ(out[31], 100 * 31 + 31 + 0u);
}

/// Thread t of 32 writes t to word t / 16 * pitch + t % 16.
const char* const kPitch =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 pitch) {\n"
    ".reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [pitch]; mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y;"
    "mad.lo.u32 %r4, %r3, %r1, %r2; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2; shl.b32 %r5, %r3, 4;"
    "add.u32 %r5, %r5, %r2; st.global.u32 [%rd1], %r5; ret;\n}\n";

TEST_F(EngineCompiled, a_pitch_that_is_a_parameter_may_change) {
  BANKSHOT_NEEDS_COMPILER();
  const auto program = engine().load(kPitch, "test.ptx");
  ASSERT_TRUE(program);
  const uint64_t buffer = *engine().memory().allocate(256, MemoryKind::device);
  auto* const words = reinterpret_cast<uint32_t*>(buffer);
  struct {
    uint64_t out;
    uint32_t pitch;
  } params{buffer, 0};
  LaunchConfig config;
  config.block = {16, 2};
  config.params = std::as_bytes(std::span(&params, 1)).first(12);
  std::vector<std::vector<std::string>> told;
  for (const uint32_t pitch : {16u, 16u, 20u, 0u, 48u}) {
    params.pitch = pitch;
    const auto stats = engine().launch(**program, "k", config);
    ASSERT_TRUE(stats);
    told.push_back(reasons(*stats->compiled));
    for (uint32_t t = pitch == 0 ? 16 : 0; t < 32; ++t) EXPECT_EQ(words[t / 16 * pitch + t % 16], t) << pitch;
  }
  EXPECT_EQ(told[0], std::vector<std::string>{});
  EXPECT_EQ(told[2],
            std::vector<std::string>{"st.global.u32 by its handler: addresses at unknown distances from each other"});
  params.pitch = 0xfffffff0;  // the second row begins 4 (2^32 - 16) bytes behind the first, not 64 in front of it
  const auto fault = engine().launch(**program, "k", config);
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().address, buffer + 0x3ffffffc0);
}

TEST_F(EngineCompiled, what_begins_with_a_barrier_that_has_a_result_is_refused) {
  BANKSHOT_NEEDS_COMPILER();
  const auto stats = run(kernel("setp.eq.u32 %p1, 0, 0; bra L; L: bar.red.popc.u32 %r1, 0, %p1; ret;"), {1}, {32}, 1);
  ASSERT_TRUE(stats && stats->compiled);
  std::string refused;
  for (const CompiledStretch& stretch : stats->compiled->stretches) refused += stretch.refused;
  EXPECT_EQ(refused, "it begins with bar.red.popc.u32: a barrier with a count, a number in a register or a result");
}

TEST_F(EngineCompiled, a_second_launch_tells_only_what_is_new) {
  BANKSHOT_NEEDS_COMPILER();
  const auto program = engine().load(kernel(kLoop), "test.ptx");
  ASSERT_TRUE(program);
  const uint64_t buffer = *engine().memory().allocate(4, MemoryKind::device);
  LaunchConfig config;
  config.block = {32};
  config.params = std::as_bytes(std::span(&buffer, 1));
  const auto first = engine().launch(**program, "k", config), second = engine().launch(**program, "k", config);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->compiled->stretches.empty());
  EXPECT_TRUE(second->compiled->stretches.empty());
  EXPECT_EQ(second->compiled->why_not, "");
  EXPECT_GE(second->compiled->warp_instructions, first->compiled->warp_instructions);
}

TEST_F(EngineCompiled, warps_are_interpreted_and_compiled_at_random_but_alike_each_time) {
  BANKSHOT_NEEDS_COMPILER();
  options.tier_seed = 1;
  constexpr unsigned kCtas = 16, kWarps = 4;
  const std::string text = kernel(kThread +
                                  "mov.u32 %r5, 0; mov.u32 %r6, 0; L: add.u32 %r5, %r5, %r1; add.u32 %r6, %r6, 1;"
                                  "setp.ne.u32 %p1, %r6, 100; @%p1 bra L; st.global.u32 [%rd2], %r5; ret;");
  uint64_t native[2] = {};
  for (uint64_t& instructions : native) {
    const auto stats = run(text, {kCtas}, {32 * kWarps}, 32 * kWarps * kCtas);
    ASSERT_TRUE(stats && stats->compiled);
    for (uint32_t k = 0; k < out.size(); ++k) ASSERT_EQ(out[k], k % (32 * kWarps) * 100);
    instructions = stats->compiled->warp_instructions;
    EXPECT_GT(instructions, stats->warp_instructions / 4);
    EXPECT_LT(instructions, stats->warp_instructions * 3 / 4 + 1);
  }
  EXPECT_EQ(native[0], native[1]);
}

TEST_F(EngineCompiled, nothing_is_told_that_was_not_asked_for) {
  options.tell_compiled = false;
  const auto stats = run(kernel("ret;"), {1}, {32}, 1);
  ASSERT_TRUE(stats);
  EXPECT_FALSE(stats->compiled);
}

TEST_F(EngineCompiled, a_short_kernel_is_not_worth_it) {
  options.compile = Compile::often;
  const auto stats = run(kernel(kLoop), {1}, {32}, 1);
  ASSERT_TRUE(stats && stats->compiled);
  EXPECT_EQ(stats->compiled->why_not, "it was too short to be worth it: no instruction was reached 512 times");
  EXPECT_EQ(stats->compiled->warp_instructions, 0u);
}

TEST_F(EngineCompiled, what_is_never_compiled_has_a_reason) {
  const auto why = [&] {
    const auto stats = run(kernel("ret;"), {1}, {32}, 1);
    return stats && stats->compiled ? stats->compiled->why_not : "nothing is told";
  };
  options.compile = Compile::never;
  EXPECT_EQ(why(), "compiling is switched off");
}

TEST_F(EngineCompiled, code_is_made_for_avx2_or_more) {
  BANKSHOT_NEEDS_COMPILER();
  options.isa = "portable";  // as if the host had neither
  const auto stats = run(kernel(kLoop), {1}, {32}, 1);
  ASSERT_TRUE(stats && stats->compiled);
  EXPECT_EQ(out[0], 21u);
  EXPECT_EQ(stats->compiled->why_not, "AVX2 is missing on this host or switched off");
  EXPECT_EQ(stats->compiled->warp_instructions, 0u);
  EXPECT_EQ(stats->compiler_fault, "");  // nothing is broken
}

TEST_F(EngineCompiled, wide_warps_are_interpreted) {
  options.machine.warp_size = 64;
  const auto stats = run(kernel("ret;"), {1}, {64}, 1);
  ASSERT_TRUE(stats && stats->compiled);
  EXPECT_EQ(stats->compiled->why_not, "only warps of 32 lanes are compiled");
}

TEST_F(EngineCompiled, code_goes_with_its_program) {
  BANKSHOT_NEEDS_COMPILER();
  const uint64_t buffer = *engine().memory().allocate(4, MemoryKind::device);
  LaunchConfig config;
  config.block = {32};
  config.params = std::as_bytes(std::span(&buffer, 1));
  size_t kept = 0;
  for (unsigned k = 0; k < 16; ++k) {
    const auto program = engine().load(kernel(kLoop), "test.ptx");
    ASSERT_TRUE(program);
    // The compiler forgets the program before this one when it is asked for the code of this one.
    ASSERT_TRUE(engine().launch(**program, "k", config));
    if (k == 0) kept = engine().native_stretches();
    ASSERT_EQ(engine().native_stretches(), kept) << "program " << k;
  }
  EXPECT_NE(kept, 0u);
}

TEST(Compiled, an_instruction_is_told_once_and_by_place) {
  const NotCompiled later{{"", 0, 9}, "bar.sync", false, "b"}, earlier{{"", 0, 3}, "atom.add", true, "a"};
  Compiled all{.why_not = "it was too short"};
  all.add({.warp_instructions = 3, .not_compiled = {later}, .why_not = "it ended"});
  EXPECT_EQ(all.why_not, "it ended");
  all.add({.warp_instructions = 4, .stretches = {{{"", 0, 9}, true, 12}}, .not_compiled = {later}});
  all.add({.not_compiled = {earlier}, .why_not = "it ended"});
  EXPECT_EQ(all.warp_instructions, 7u);
  EXPECT_EQ(all.why_not, "");
  ASSERT_EQ(all.not_compiled.size(), 2u);
  EXPECT_EQ(all.not_compiled[0].op, "atom.add");
  EXPECT_EQ(all.not_compiled[1].op, "bar.sync");
}

}  // namespace
}  // namespace bankshot::simt

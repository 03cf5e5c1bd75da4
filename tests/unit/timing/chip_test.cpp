// The chip as a whole: several SMs, any number of threads, launches that fail or are stopped.
#include "chip_harness.hpp"

namespace bankshot::timing {
namespace {

Config four_sms() {
  Config config = small_machine();
  config.sms = 4;
  config.issue.schedulers = 2;
  config.dram.channels = 2;
  return config;
}

/// Kernels that use everything there is: arithmetic, shared memory with conflicts, barriers, divergence, atomics.
const char* const kMixed =
    ".shared .align 4 .b8 s[4096]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mul.lo.u32 %r3, %r1, 36; and.b32 %r3, "
    "%r3, 4092;"
    "st.shared.u32 [%r3], %r1; bar.sync 0; ld.shared.u32 %r4, [%r3]; and.b32 %r5, %r1, 3; setp.eq.u32 %p1, %r5, 0;"
    "@%p1 bra odd; mul.lo.u32 %r4, %r4, 3; bra join; odd: add.u32 %r4, %r4, %r2; join: ld.param.u64 %rd1, [out];"
    "and.b32 %r6, %r4, 63; mul.wide.u32 %rd2, %r6, 4; add.u64 %rd3, %rd1, %rd2; atom.global.add.u32 %r7, [%rd3], 1;"
    "red.shared.add.u32 [%r3], %r7; bar.sync 0; ld.shared.u32 %r8, [%r3]; red.global.max.u32 [%rd1+256], %r8; ret;";

void expect_equal(const LaunchTiming& a, const LaunchTiming& b) {
  for (const CounterName& counter : counter_names())
    EXPECT_EQ(a.counters.*counter.value, b.counters.*counter.value) << counter.name;
  EXPECT_EQ(a.counters.slots, b.counters.slots);
  EXPECT_EQ(a.over_time, b.over_time);
  EXPECT_EQ(a.counters.bank_lanes, b.counters.bank_lanes);
  ASSERT_EQ(a.lines.size(), b.lines.size());
  for (size_t k = 0; k < a.lines.size(); ++k) {
    EXPECT_EQ(a.lines[k].counters.issued, b.lines[k].counters.issued);
    EXPECT_EQ(a.lines[k].counters.slots, b.lines[k].counters.slots);
    EXPECT_EQ(a.lines[k].counters.conflict_cycles, b.lines[k].counters.conflict_cycles);
    EXPECT_EQ(a.lines[k].counters.exposed, b.lines[k].counters.exposed);
  }
}

struct ThreadedMachine {
  std::string name, policy, pipeline = "queued", aware = "none";
  Commit commit = Commit::any;
  friend void PrintTo(const ThreadedMachine& machine, std::ostream* out) { *out << machine.name; }
};

class ChipThreads : public ChipTest, public ::testing::WithParamInterface<ThreadedMachine> {};

TEST_P(ChipThreads, results_and_counters_do_not_depend_on_the_number_of_threads) {
  config = four_sms();
  config.issue.policy = GetParam().policy;
  config.issue.aware = GetParam().aware;
  config.issue.commit = GetParam().commit;
  if (GetParam().pipeline != "queued") {
    config.issue.pipeline = GetParam().pipeline;
    config.issue.schedulers = 1;
    config.issue.simd_lanes = config.rules.banks = config.rules.lanes_b32 = 8;
    set_parameter(config, "issue.stages", 8);
    set_parameter(config, "issue.memory_stages", 4);
  }
  SimulatedLaunch first;
  std::vector<uint32_t> memory;
  for (const unsigned threads : {1u, 2u, 3u, 5u}) {
    options.threads = threads;
    chip.reset();
    const auto result = simulate(kernel(kMixed), {37, 1, 1}, {96, 1, 1}, 128, 3);
    ASSERT_TRUE(result);
    expect_conservation(result->timing.counters);
    EXPECT_EQ(result->timing.counters.ctas, 37u);
    if (threads == 1) {
      first = *result;
      memory = out;
      continue;
    }
    expect_equal(result->timing, first.timing);
    EXPECT_EQ(out, memory);
  }
  // Every thread counted once, whatever the order.
  uint32_t sum = 0;
  for (size_t k = 0; k < 64; ++k) sum += memory[k];
  EXPECT_EQ(sum, 37u * 96);
}
INSTANTIATE_TEST_SUITE_P(
    machines, ChipThreads,
    ::testing::Values(ThreadedMachine{"lrr", "lrr"}, ThreadedMachine{"gto", "gto"}, ThreadedMachine{"barrel", "barrel"},
                      ThreadedMachine{"two_level", "two-level"},
                      ThreadedMachine{"elastic_last", "barrel", "elastic", "last"},
                      ThreadedMachine{"elastic_reorder", "lrr", "elastic", "warp", Commit::reorder},
                      ThreadedMachine{"unified_hold", "gto", "unified", "none", Commit::hold},
                      ThreadedMachine{"split_mean", "lrr", "split", "mean"}),
    [](const auto& one) { return one.param.name; });

using ChipLaunch = ChipTest;

TEST_F(ChipLaunch, sums_over_lines_are_the_sums_of_the_launch) {
  config = four_sms();
  const auto result = simulate(kernel(kMixed), {9, 1, 1}, {64, 1, 1}, 128, 2);
  ASSERT_TRUE(result);
  const Counters& c = result->timing.counters;
  uint64_t issued = 0, conflicts = 0, exposed = 0, waited = 0;
  for (const LineTiming& line : result->timing.lines) {
    issued += line.counters.issued;
    conflicts += line.counters.conflict_cycles;
    exposed += line.counters.exposed;
    for (const uint64_t slots : line.counters.slots) waited += slots;
  }
  EXPECT_EQ(issued, c.warp_instructions);
  EXPECT_EQ(conflicts, c.conflict_cycles_exposed + c.conflict_cycles_hidden);
  EXPECT_EQ(exposed, c.conflict_cycles_exposed);
  EXPECT_LE(waited, c.sm_cycles * config.issue.schedulers - c.slots[0]);
  uint64_t lanes = 0;
  for (const uint64_t bank : c.bank_lanes) lanes += bank;
  EXPECT_EQ(lanes, 4u * 9 * 64);  // four accesses of a word by each thread
}

TEST_F(ChipLaunch, programs_see_the_sm_and_the_cycle) {
  config = four_sms();
  const auto result = simulate(
      kernel("ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 8; add.u64 %rd3, %rd1, %rd2;"
             "mov.u32 %r2, %smid; mov.u32 %r3, %clock; st.global.u32 [%rd3], %r2; st.global.u32 [%rd3+4], %r3; ret;"),
      {4, 1, 1}, {1, 1, 1}, 64, 1);
  ASSERT_TRUE(result);
  for (uint32_t cta = 0; cta < 4; ++cta) {
    EXPECT_EQ(out[2 * cta], cta);
    EXPECT_EQ(out[2 * cta + 1], out[1]);
    EXPECT_GT(out[2 * cta + 1], 5u);
  }
}

TEST_F(ChipLaunch, a_spinning_cta_sees_what_another_one_writes) {
  config = four_sms();
  const auto result =
      simulate(kernel("ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra wait;"
                      "mov.u32 %r2, 42; st.global.u32 [%rd1+4], %r2; membar.gl; mov.u32 %r3, 1; st.volatile.global.u32 "
                      "[%rd1], %r3; bra end;"
                      "wait: ld.volatile.global.u32 %r4, [%rd1]; setp.eq.u32 %p2, %r4, 0; @%p2 bra wait;"
                      "ld.global.u32 %r5, [%rd1+4]; st.global.u32 [%rd1+8], %r5; end: ret;"),
               {2, 1, 1}, {1, 1, 1}, 64, 1);
  ASSERT_TRUE(result);
  EXPECT_EQ(out[2], 42u);
}

TEST_F(ChipLaunch, a_lock_within_a_warp_is_released) {
  const auto result =
      simulate(kernel("ld.param.u64 %rd1, [out]; again: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, "
                      "0; @%p1 bra again;"
                      "ld.volatile.global.u32 %r2, [%rd1+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd1+4], %r2;"
                      "membar.gl; atom.global.exch.b32 %r3, [%rd1], 0; ret;"),
               {1, 1, 1}, {8, 1, 1}, 64, 1);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[1], 8u);
}

TEST_F(ChipLaunch, a_fault_ends_the_launch_and_the_chip_goes_on) {
  const auto result = simulate(kernel("mov.u64 %rd1, 64; ld.global.u32 %r1, [%rd1]; ret;"), {4, 1, 1}, {32, 1, 1});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, simt::Fault::Kind::illegal_address);
  EXPECT_EQ(cycles("ret;"), 1u);
}

TEST_F(ChipLaunch, an_atomic_that_faults_is_told_with_its_place) {
  const auto result =
      simulate(kernel("mov.u64 %rd1, 64; atom.global.add.u32 %r1, [%rd1], 1; st.shared.u32 [0], %r1; ret;"), {1, 1, 1},
               {32, 1, 1});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("atom.global.add.u32"), std::string::npos) << result.error().message;
}

TEST_F(ChipLaunch, a_barrier_that_nobody_completes_is_a_fault) {
  const auto result = simulate(
      kernel("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra one; bar.sync 1, 96; one: bar.sync 0, 96; ret;"),
      {1, 1, 1}, {64, 1, 1});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, simt::Fault::Kind::divergent_barrier);
}

TEST_F(ChipLaunch, stops_at_the_cycle_it_is_told) {
  options.max_cycles = 30;
  const auto result = simulate(kernel("again: bra again;"), {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timing.partial);
  EXPECT_EQ(result->timing.counters.cycles, 30u);
  uint64_t slots = 0;
  for (const uint64_t cause : result->timing.counters.slots) slots += cause;
  EXPECT_EQ(slots, 30u);
}

// The budget is one of launches: a second one that gets none of it stops at its first cycle, with nothing issued.
TEST_F(ChipLaunch, a_launch_without_cycles_left_stops_at_once) {
  options.max_cycles = 5;
  ASSERT_TRUE(
      simulate(kernel("mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; mov.u32 %r4, 4; ret;"), {1, 1, 1}, {32, 1, 1}));
  const auto second = simulate(kernel("mov.u32 %r1, 1; ret;"), {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->timing.partial);
  EXPECT_EQ(second->timing.counters.cycles, 0u);
  EXPECT_EQ(second->timing.counters.warp_instructions, 0u);
}

TEST_F(ChipLaunch, stops_when_it_is_asked) {
  const std::atomic<bool> stop{true};
  options.stop = &stop;
  const auto result = simulate(kernel("again: bra again;"), {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timing.partial);
}

TEST_F(ChipLaunch, spans_of_a_timeline_lie_in_its_cycles) {
  options.timeline_cycles = 50;
  const auto result = simulate(kernel(kMixed), {1, 1, 1}, {64, 1, 1}, 128, 1);
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->timing.timeline.empty());
  uint64_t scratchpad = 0;
  for (const Span& span : result->timing.timeline) {
    EXPECT_LE(span.begin, span.end);
    ASSERT_LT(span.instr, result->timing.lines.size());
    if (span.track != Track::scratchpad) {
      EXPECT_LT(span.begin, 50u);
    }
    scratchpad += span.track == Track::scratchpad;
  }
  EXPECT_GE(scratchpad, 2u);  // the stores of both warps
}

}  // namespace
}  // namespace bankshot::timing

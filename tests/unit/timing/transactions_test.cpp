// What transactions cost on the chip: GPU-LocalTM, section 4.2, worked by hand; and that they do the same there as in
// the engine.
#include "bankshot/report/run/kernel_timing.hpp"
#include "staged_harness.hpp"

namespace bankshot::timing {
namespace {

const std::string kBegin = "\n.pragma \"bankshot.tx_begin\";\n", kCommit = "\n.pragma \"bankshot.tx_commit\";\n";
const std::string kSharedArray = ".shared .align 16 .b8 s[4096];\n";
std::string increment(const std::string& at) {
  return "ld.shared.u32 %r30, [" + at + "]; add.u32 %r30, %r30, 1; st.shared.u32 [" + at + "], %r30;";
}

class TimedTransactions : public StagedTest {
 protected:
  TimedTransactions() { config = small_machine(); }

  Cycle local(const std::string& body, simt::Dim3 block = {1, 1, 1}) { return with(false, body, block); }
  Cycle perfect(const std::string& body, simt::Dim3 block = {1, 1, 1}) { return with(true, body, block); }
  const Counters& counters() const { return last.timing.counters; }
  const scratchpad::TxTotals& totals() const { return last.stats.transactions; }

  /// What holds whatever happened, and when all transactions have ended.
  void expect_consistent(const SimulatedLaunch& launch, simt::Dim3 grid, simt::Dim3 block) {
    const scratchpad::TxTotals& t = launch.stats.transactions;
    const Counters& c = launch.timing.counters;
    report::KernelTiming timing;
    timing.add(launch.timing, grid, block);
    EXPECT_EQ(contradiction(timing, report::machine_of(config, transactions)), "");
    EXPECT_LE(c.tx_warp_cycles, c.warp_cycles);
    EXPECT_LE(c.tx_retry_cycles, c.tx_warp_cycles);
    EXPECT_EQ(c.tx_retry_cycles != 0, t.attempts > t.transactions);
    EXPECT_EQ(t.aborts, t.conflicts + t.killed + t.invalid);
    EXPECT_GE(t.attempts, t.transactions);
    if (launch.timing.partial) {
      EXPECT_GE(t.lanes, t.commits + t.aborts);
    } else {
      expect_conservation(c);
      EXPECT_EQ(t.lanes, t.commits + t.aborts);
      EXPECT_LE(c.tx_mask_cycles, c.tx_warp_cycles);
    }
    if (transactions.perfect) {
      EXPECT_EQ(c.tx_access_cycles + c.tx_mask_cycles, 0u);
    }
  }

 private:
  Cycle with(bool perfect, const std::string& body, simt::Dim3 block) {
    transactions.perfect = perfect;
    renew();
    const Cycle all = cycles(kSharedArray + body, block);
    expect_consistent(last, {1, 1, 1}, block);
    return all;
  }
};

// Begin 0, commit 1, exit 2. Locally each takes a cycle more: commit 2, exit 4.
TEST_F(TimedTransactions, an_empty_one_takes_a_cycle_at_each_end) {
  EXPECT_EQ(perfect(kBegin + kCommit + "ret;"), 3u);
  EXPECT_EQ(counters().tx_warp_cycles, 2u);
  EXPECT_EQ(local(kBegin + kCommit + "ret;"), 5u);
  EXPECT_EQ(counters().tx_mask_cycles, 2u);
  EXPECT_EQ(counters().tx_warp_cycles, 4u);
  EXPECT_EQ(slots(Cause::transaction), 2u);
}

// Perfect: begin 0, ld 1, its data 11; add 11, st 15; commit 16, exit 17. Local: ld 2, which keeps the banks for 1 + 3
// cycles (a query, a backup and an owner), so its data is there at 2 + 10 + 3 = 15; add 15, st 19, commit 20; that
// takes 1 + 1 for the filters and an entry, exit 23. Nobody waits for what the store adds.
TEST_F(TimedTransactions, an_increment_takes_as_long_as_by_hand) {
  const std::string body = kBegin + increment("s") + kCommit + "ret;";
  EXPECT_EQ(perfect(body), 18u);
  EXPECT_EQ(counters().tx_warp_cycles, 17u);
  EXPECT_EQ(local(body), 24u);
  EXPECT_EQ(counters().tx_warp_cycles, 23u);
  EXPECT_EQ(counters().tx_access_cycles, 3u + 2);  // the store: a query and a check
  EXPECT_EQ(counters().tx_mask_cycles, 1u + 2);
  EXPECT_EQ(counters().shared_wavefronts, 2u);
}

// … and who loads behind the store waits until the banks are done with it: [19, 22), [22, 24), data at 22 + 10 + 2 =
// 34; add 34, commit 35, exit 38. Perfect: st 15, ld 16, data 26; add 26, commit 27, exit 28.
TEST_F(TimedTransactions, accesses_behind_one_another_wait_for_its_detection) {
  const std::string body =
      kBegin + increment("s") + "ld.shared.u32 %r4, [s]; add.u32 %r5, %r4, %r4;" + kCommit + "ret;";
  EXPECT_EQ(perfect(body), 29u);
  EXPECT_EQ(local(body), 39u);
  EXPECT_EQ(local(body) - perfect(body),
            1u + 1 + 1 + 3 + 2 + 2);  // begin, commit, an entry, and a charge of each access
}

// A lane for each bank: they work at the same time, and so are the entries cleared.
TEST_F(TimedTransactions, all_lanes_in_banks_of_their_own_take_what_one_takes) {
  const std::string body = "mov.u32 %r1, %tid.x; mov.u32 %r3, s; mad.lo.u32 %r2, %r1, 4, %r3;" + kBegin +
                           increment("%r2") + kCommit + "ret;";
  const Cycle of_one = local(body);
  EXPECT_EQ(local(body, {32, 1, 1}), of_one);
  EXPECT_EQ(totals().commits, 32u);
}

// Lanes 0 and 32 of a warp of 64, in banks 0 and 1: the load and the store have one pass each.
TEST_F(TimedTransactions, lanes_of_both_halves_of_a_wavefront_take_what_one_takes) {
  config.warp_size = 64;
  const std::string body =
      "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; setp.eq.u32 %p3, %r2, 0; shr.u32 %r2, %r1, 5; mov.u32 %r3, s;"
      "mad.lo.u32 %r2, %r2, 4, %r3;" +
      kBegin + "@%p3 ld.shared.u32 %r30, [%r2]; add.u32 %r30, %r30, 1; @%p3 st.shared.u32 [%r2], %r30;" + kCommit +
      "ret;";
  const Cycle of_one = local(body);
  EXPECT_EQ(local(body, {64, 1, 1}), of_one);
  EXPECT_EQ(counters().shared_wavefronts, 2u);
  EXPECT_EQ(totals().accesses, 4u);
}

// Two lanes want a word. Begin 0, ld 2: two passes, which add 3 and 1 (a query; lane 1 has nothing to clear), data at 2
// + 10 + 5 = 17; add 17, st 21, commit 22: 1 + 1, and again: begin 25, ld 27, data at 27 + 10 + 3 = 40, add 40, st 44,
// commit 45, exit 48.
TEST_F(TimedTransactions, a_conflict_takes_as_long_as_by_hand) {
  EXPECT_EQ(local(kBegin + increment("s") + kCommit + "ret;", {2, 1, 1}), 49u);
  EXPECT_EQ(totals().attempts, 2u);
  EXPECT_EQ(totals().conflicts, 1u);
  EXPECT_EQ(counters().tx_access_cycles, (3u + 1) + 2 + 3 + 2);
  EXPECT_EQ(counters().tx_mask_cycles, (1u + 2) + (1 + 2));
  EXPECT_EQ(counters().tx_warp_cycles, 48u);
  EXPECT_EQ(counters().tx_retry_cycles, 48u - 25);
  // Begin 0, ld 1, data 12; add 12, st 16, commit 17, begin 18, ld 19, data 29; add 29, st 33, commit 34, exit 35.
  EXPECT_EQ(perfect(kBegin + increment("s") + kCommit + "ret;", {2, 1, 1}), 36u);
}

// Lane 1 has three words of bank 1 when it wants lane 0's: a query, three entries, and in the broadcast three again.
TEST_F(TimedTransactions, a_conflict_clears_the_entries_of_the_slowest_bank_twice) {
  const auto body = [](const std::string& own) {
    return "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 1; mov.u32 %r3, s;" + kBegin +
           "@!%p1 red.shared.add.u32 [%r3], 1;" + own + "@%p1 red.shared.add.u32 [%r3], 1;" + kCommit + "ret;";
  };
  const std::string three =
      "@%p1 st.shared.u32 [%r3+4], %r1; @%p1 st.shared.u32 [%r3+132], %r1; @%p1 st.shared.u32 [%r3+260], %r1;";
  local(body(""), {2, 1, 1});
  const uint64_t without = counters().tx_access_cycles;
  EXPECT_EQ(without, 3u + 1 + 3);
  local(body(three), {2, 1, 1});
  EXPECT_EQ(counters().tx_access_cycles, without + 2 * 3 * 3 + 3 + 3);  // the three are new, twice
  EXPECT_EQ(totals().conflicts, 1u);
}

/// Warps that want the same two words, each in all lanes, in opposite order.
std::string crossing(unsigned times) {
  return "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mov.u32 "
         "%r29, s;"
         "ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd1, %rd2; shr.u32 %r7, %r1, 5; and.b32 "
         "%r7, %r7, 1;"
         "mad.lo.u32 %r8, %r7, 4, %r29; xor.b32 %r7, %r7, 1; mad.lo.u32 %r9, %r7, 4, %r29; mov.u32 %r6, 0; AGAIN:" +
         kBegin + increment("%r8") + increment("%r9") + kCommit + "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, " +
         std::to_string(times) +
         "; @%p1 bra AGAIN; bar.sync 0; ld.shared.u32 %r10, [s]; ld.shared.u32 %r11, [s+4]; mad.lo.u32 %r10, %r11, "
         "10000, %r10;"
         "st.global.u32 [%rd2], %r10; ret;";
}

TEST_F(TimedTransactions, warps_in_each_others_way_run_alone_in_the_end_and_lose_nothing) {
  for (const bool is_perfect : {false, true}) {
    transactions.perfect = is_perfect;
    renew();
    const auto launch = simulate(kernel(kSharedArray + crossing(10)), {1}, {64}, 64);
    ASSERT_TRUE(launch) << launch.error().message;
    for (const uint32_t value : out) EXPECT_EQ(value, 640u * 10000 + 640);
    expect_consistent(*launch, {1}, {64});
    EXPECT_EQ(launch->stats.transactions.commits, 640u);
    EXPECT_GT(launch->stats.transactions.cta_serialised, 0u);
    EXPECT_GT(launch->stats.transactions.killed, 0u);
    EXPECT_GT(launch->timing.counters.slots[static_cast<unsigned>(Cause::transaction)], 0u);
  }
}

// A lane of each of two warps adds to the same word, in a transaction that takes long. Overlapping, the second meets
// the first's word. One after the other, both go on when the first has committed, at cycle c: the begin of the second
// issues at c and takes a cycle more, so that it reads the clock at c + 2; the first reads it at c + 1, as one
// instruction issues a cycle.
TEST_F(TimedTransactions, one_warp_at_a_time_begins_when_the_other_has_committed) {
  const std::string text =
      "mov.u32 %r1, %tid.x; and.b32 %r12, %r1, 31; setp.ne.u32 %p2, %r12, 0; @%p2 exit; ld.param.u64 %rd1, [out];"
      "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;" +
      kBegin + "mov.u32 %r10, %clock; mov.u32 %r6, 0;" + increment("s") +
      "LONG: add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 100; @%p1 bra LONG;" + kCommit +
      "mov.u32 %r11, %clock; st.global.u32 [%rd2], %r10; st.global.u32 [%rd2+4], %r11; exit;";
  for (const bool exclusive : {false, true}) {
    transactions.exclusive = exclusive;
    renew();
    const auto launch = simulate(kernel(kSharedArray + text), {1}, {64}, 64);
    ASSERT_TRUE(launch) << launch.error().message;
    expect_consistent(*launch, {1}, {64});
    const scratchpad::TxTotals& t = launch->stats.transactions;
    EXPECT_EQ(t.commits, 2u);
    EXPECT_EQ(t.conflicts != 0, !exclusive);
    EXPECT_EQ(t.attempts == 2, exclusive);
    if (!exclusive) continue;
    const uint32_t committed = std::min(out[1], out[33]), begun = std::max(out[0], out[32]);
    EXPECT_EQ(begun, committed + 1);
  }
}

// A lane of the first warp has three words of bank 0 for long. One of the second wants the first of them: all at once,
// once more, alone in its warp, and then alone in the CTA, for which the other gives up its entries.
TEST_F(TimedTransactions, a_warp_that_runs_alone_clears_the_entries_of_others_as_it_begins) {
  const std::string text =
      "mov.u32 %r1, %tid.x; mov.u32 %r29, s; and.b32 %r12, %r1, 31; setp.ne.u32 %p2, %r12, 0; @%p2 exit; setp.ne.u32 "
      "%p3, %r1, 0;"
      "@%p3 bra SECOND;" +
      kBegin +
      "st.shared.u32 [%r29], %r1; st.shared.u32 [%r29+128], %r1; st.shared.u32 [%r29+256], %r1; mov.u32 %r6, 0;" +
      "LONG: add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 2000; @%p1 bra LONG;" + kCommit + "exit;" +
      "SECOND: mov.u32 %r6, 0; WAIT: add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 50; @%p1 bra WAIT;" + kBegin +
      "st.shared.u32 [%r29], %r1;" + kCommit + "exit;";
  const auto launch = simulate(kernel(kSharedArray + text), {1}, {64}, 64);
  ASSERT_TRUE(launch) << launch.error().message;
  const scratchpad::TxTotals& t = launch->stats.transactions;
  EXPECT_EQ(t.commits, 2u);
  EXPECT_EQ(t.conflicts, 3u);
  EXPECT_EQ(t.killed, 1u);
  EXPECT_EQ(t.attempts, 6u);
  // Begins: 6, and 3 entries that are cleared for the one that runs alone. Ends: three tries without entries, the
  // commit of one entry, the commit of three.
  EXPECT_EQ(launch->timing.counters.tx_mask_cycles, 6u + 3 + 3 + (1 + 1) + (1 + 3));
}

// Of an atomic in a transaction the banks serve a lane after the other, as of any access: no lock is taken and no loop
// runs.
TEST_F(TimedTransactions, atomics_are_charged_as_accesses_whatever_the_unit_of_atomics) {
  set_locks(config, {10, 32, 18, 36, 32, 108, 120, 32});
  const std::string body =
      "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3; mov.u32 %r3, s; mad.lo.u32 %r2, %r2, 4, %r3; mov.f32 %f1, "
      "0f3f800000;" +
      kBegin + "red.shared.add.u32 [%r2], 1; atom.shared.add.f32 %f2, [%r2+64], %f1;" + kCommit + "ret;";
  const Cycle native = local(body, {32, 1, 1});
  EXPECT_EQ(totals().commits, 32u);
  for (const char* unit : {"lock", "loadlike"}) {
    config.scratchpad.atomics = unit;
    EXPECT_EQ(local(body, {32, 1, 1}), native) << unit;
    EXPECT_EQ(slots(Cause::atomic), 0u);
  }
}

// A load that completes while a warp begins or commits takes as long as an addition in its place.
TEST_F(TimedTransactions, what_completes_meanwhile_shortens_no_begin_and_no_commit) {
  std::string tail, stores;
  for (unsigned k = 0; k < 150; ++k) tail += "mov.u32 %r" + std::to_string(10 + k % 10) + ", 1;";
  for (unsigned k = 0; k < 12; ++k) stores += "st.shared.u32 [s+" + std::to_string(128 * k) + "], %r1;";
  const auto body = [&](const std::string& load, unsigned before) {
    return "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; mov.u32 %r2, 1; mov.u32 %r2, 2; add.u64 %rd2, %rd1, 64;" +
           load + tail.substr(0, (tail.find(';') + 1) * before) + kBegin + stores + kCommit + tail + "ret;";
  };
  for (unsigned before = 0; before < 120; before += 4) {
    const Cycle without = local(body("add.u64 %rd3, %rd2, 8;", before));
    EXPECT_EQ(local(body("ld.global.u32 %r9, [%rd2];", before)), without) << before;
  }
}

// Warps 0 and 1 are in each other's way; warp 2 is busy for long. Who was stalled goes on when the other has committed,
// not when nobody else can.
TEST_F(TimedTransactions, a_warp_that_was_stalled_begins_behind_the_commit_of_the_one_that_runs_alone) {
  std::string text = crossing(10);
  text.replace(text.find("mov.u32 %r6, 0; AGAIN:"), 22,
               "setp.ge.u32 %p2, %r1, 64; @%p2 bra BUSY; mov.u32 %r6, 0; AGAIN:");
  text.replace(text.find("bar.sync 0;"), text.npos,
               "mov.u32 %r12, %clock; st.global.u32 [%rd2], %r12; ret; BUSY: mov.u32 %r6, 0; L: add.u32 %r6, %r6, 1;"
               "setp.lt.u32 %p2, %r6, 20000; @%p2 bra L; mov.u32 %r12, %clock; st.global.u32 [%rd2], %r12; ret;");
  const auto launch = simulate(kernel(kSharedArray + text), {1}, {96}, 96);
  ASSERT_TRUE(launch) << launch.error().message;
  // One that waited until the other has ended would have nobody in its way, and run alone no more.
  EXPECT_GT(launch->stats.transactions.cta_serialised, 100u);
  EXPECT_GT(out[64], 160'000u);
  EXPECT_LT(out[0], 100'000u);
  EXPECT_LT(out[32], 100'000u);
}

// Of warps that are displaced some wait for the way to global memory, which is full.
TEST_F(TimedTransactions, a_warp_that_is_displaced_while_it_waits_for_memory_comes_back) {
  std::string text = crossing(4);
  const std::string second = increment("%r9");
  std::string loads = "mul.wide.u32 %rd5, %r1, 128; add.u64 %rd5, %rd1, %rd5;";
  for (unsigned k = 0; k < 4; ++k)
    loads += "ld.global.u32 %r2" + std::to_string(k) + ", [%rd5+" + std::to_string(32 * k) + "];";
  text.insert(text.find(second), loads);
  config.l1.global = false;
  config.l1.mshrs = 1;
  config.load_store.queue = 1;
  set_parameter(config, "scratchpad.queue", 8);
  const auto launch = simulate(kernel(kSharedArray + text), {1}, {128}, 8192);
  ASSERT_TRUE(launch) << launch.error().message;
  for (unsigned thread = 0; thread < 128; ++thread) EXPECT_EQ(out[thread], 512u * 10000 + 512);
  expect_consistent(*launch, {1}, {128});
  EXPECT_GT(launch->stats.transactions.killed, 0u);
  EXPECT_GT(launch->timing.counters.slots[static_cast<unsigned>(Cause::memory_busy)], 0u);
}

/// Machines on which a warp that is displaced may be anywhere.
struct DisplacingMachine {
  const char* name;
  void (*change)(Config& config);
  scratchpad::TxConfig transactions = {};
};
void be_staged(Config& config, const char* pipeline) { config = staged_machine(pipeline); }
const DisplacingMachine kMachines[] = {
    {"queued", [](Config&) {}},
    {"two_schedulers", [](Config& c) { c.issue.schedulers = 2; }},
    {"barrel", [](Config& c) { c.issue.policy = "barrel"; }},
    {"gto", [](Config& c) { c.issue.policy = "gto"; }},
    {"queue", [](Config& c) { set_parameter(c, "scratchpad.queue", 8); }},
    {"narrow", [](Config& c) { c.issue.simd_lanes = 8; }},
    {"unified", [](Config& c) { be_staged(c, "unified"); }},
    {"split", [](Config& c) { be_staged(c, "split"); }},
    {"elastic", [](Config& c) { be_staged(c, "elastic"); }},
    {"reorder",
     [](Config& c) { be_staged(c, "elastic"), c.issue.commit = Commit::reorder, c.issue.reorder_entries = 4; }},
    {"hold", [](Config& c) { be_staged(c, "elastic"), c.issue.commit = Commit::hold; }},
    {"aware", [](Config& c) { be_staged(c, "elastic"), c.issue.aware = "last"; }},
    {"aware_yields", [](Config& c) { be_staged(c, "elastic"), c.issue.aware = "last", c.issue.aware_yields = true; }},
    {"wide", [](Config& c) { c.issue.width = 2; }},
    {"separate", [](Config&) {}, {.separate = true}},
    {"exact", [](Config&) {}, {.exact = true}},
    {"one_warp", [](Config&) {}, {.exclusive = true}},
    {"warps_of_8", [](Config& c) { c.warp_size = 8; }},
    {"warps_of_64", [](Config& c) { c.warp_size = 64; }},
};
class TransactionsOn : public TimedTransactions, public ::testing::WithParamInterface<DisplacingMachine> {
 protected:
  TransactionsOn() {
    GetParam().change(config);
    transactions = GetParam().transactions;
  }
};

TEST_P(TransactionsOn, nothing_is_lost_and_counters_are_consistent) {
  const auto launch = simulate(kernel(kSharedArray + crossing(3)), {2}, {128}, 256);
  ASSERT_TRUE(launch) << launch.error().message;
  for (const uint32_t value : out) EXPECT_EQ(value, 384u * 10000 + 384);
  expect_consistent(*launch, {2}, {128});
  EXPECT_EQ(launch->stats.transactions.commits, 768u);
  EXPECT_GT(launch->stats.transactions.conflicts, 0u);
}

/// Programs whose control flow and transactions are entangled; what they leave does not depend on the order of warps.
std::vector<std::string> entangled() {
  const std::string one = "ld.shared.u32 %r30, [s]; add.u32 %r30, %r30, 1; st.shared.u32 [s], %r30;";
  const std::string two = "red.shared.add.u32 [s+4], 3;", wait = "nanosleep.u32 20;";
  const std::string call = "{ .param .b32 x; st.param.b32 [x], %r1; call.uni g, (x); }";
  return {
      "@%p3 bra E;" + kBegin + one + kCommit + "E:",
      kBegin + "@%p3 bra O;" + one + "bra M; O:" + two + "M:" + one + kCommit,
      "@%p3 bra O;" + kBegin + one + wait + one + kCommit + "bra M; O:" + kBegin + two + wait + one + kCommit + "M:",
      kBegin + one + "@%p3 bra O;" + kCommit + "bra M; O:" + two + kCommit + "M:",
      "@%p3 bra O;" + kBegin + one + "bra M; O:" + kBegin + "M:" + two + kCommit,
      kBegin + "@%p3 bra S;" + kBegin + "S:" + one + kCommit + "@%p3 bra E;" + two + kCommit + "E:",
      call + kBegin + call + wait + two + call + kCommit,
      "mov.u32 %r6, 0; L:" + kBegin + "@%p3 st.shared.u32 [s+256], %r6;" + one + kCommit +
          "add.u32 %r6, %r6, 1; and.b32 %r7, %r1, 3; setp.le.u32 %p4, %r6, %r7; @%p4 bra L;",
  };
}

TEST_P(TransactionsOn, flow_of_control_is_as_in_the_engine) {
  const std::string g =
      ".visible .shared .align 4 .b8 s[4096];\n.func g(.param .b32 n) { .reg .b32 %a<4>; .reg .pred %q;"
      "ld.param.u32 %a1, [n]; and.b32 %a1, %a1, 1; setp.eq.u32 %q, %a1, 0; @%q bra D;" +
      kBegin + "ld.shared.u32 %a2, [s+8]; add.u32 %a2, %a2, 1; st.shared.u32 [s+8], %a2;" + kCommit + "D: ret; }\n";
  for (const std::string& body : entangled()) {
    const std::string text = kernel(
        "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; and.b32 %r10, %r1, 1; setp.eq.u32 %p3, %r10, 1;"
        "and.b32 %r11, %r1, 3; mul.wide.u32 %rd2, %r11, 4; add.u64 %rd2, %rd1, %rd2;" +
            body +
            "bar.sync 0; mad.lo.u32 %r12, %r11, 4, 0; mov.u32 %r13, s; add.u32 %r12, %r12, %r13;"
            "ld.shared.u32 %r14, [%r12]; st.global.u32 [%rd2], %r14; ret;",
        g);
    const auto launch = simulate(text, {1}, {96}, 4);
    ASSERT_TRUE(launch) << launch.error().message << body;
    expect_consistent(*launch, {1}, {96});
    const auto program = engine().load(text, "test.ptx");
    ASSERT_TRUE(program);
    const uint64_t buffer = *engine().memory().allocate(16, simt::MemoryKind::device);
    simt::LaunchConfig config;
    config.block = {96, 1, 1};
    config.params = std::as_bytes(std::span(&buffer, 1));
    const auto there = engine().launch(**program, "k", config);
    ASSERT_TRUE(there) << there.error().message;
    std::vector<uint32_t> expected(4);
    std::memcpy(expected.data(), reinterpret_cast<const void*>(buffer), 16);
    engine().memory().free(buffer);
    EXPECT_EQ(out, expected) << body;
    EXPECT_GT(out[0] + out[1] + out[2], 0u);
    EXPECT_EQ(launch->stats.transactions.commits, there->transactions.commits) << body;
  }
}

// The loads that are under way when a lane starts again take effect later; its registers are what they were all the
// same.
TEST_P(TransactionsOn, registers_that_were_about_to_be_loaded_are_what_they_were) {
  const std::string body =
      "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; add.u32 "
      "%r10, %r1, 7;"
      "shr.u32 %r7, %r1, 5; mov.u32 %r29, s; mad.lo.u32 %r8, %r7, 4, %r29; xor.b32 %r7, %r7, 1; mad.lo.u32 %r9, %r7, "
      "4, %r29;" +
      kBegin + "mov.u32 %r11, %r10; ld.volatile.global.u32 %r10, [%rd1]; atom.global.add.u32 %r12, [%rd1+1024], 0;" +
      increment("%r8") + increment("%r9") + kCommit + "add.u32 %r11, %r11, 1000; st.global.u32 [%rd2+4], %r11; ret;";
  const auto launch = simulate(kernel(kSharedArray + body), {1}, {64}, 300);
  ASSERT_TRUE(launch) << launch.error().message;
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], i + 1007);
  EXPECT_GT(launch->stats.transactions.conflicts, 0u);
}

// Lanes that go to global memory part from the others.
TEST_P(TransactionsOn, an_access_to_both_memories_at_once_is_two) {
  const std::string body =
      "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; mov.u64 "
      "%rd3, s;"
      "cvta.shared.u64 %rd3, %rd3; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; selp.b64 %rd4, %rd3, %rd2, %p1;" +
      kBegin + "WHAT" + kCommit + "ret;";
  const auto with = [&](const std::string& what) {
    std::string text = body;
    const auto launch = simulate(kernel(kSharedArray + text.replace(text.find("WHAT"), 4, what)), {1}, {64}, 64);
    EXPECT_TRUE(launch) << what << launch.error().message;
    std::vector<uint32_t> seen = out;
    renew();
    return seen;
  };
  for (const char* one :
       {"atom.add.u32 %r3, [%rd4], 1;", "red.add.u32 [%rd4], 1;",
        "ld.u32 %r3, [%rd4]; add.u32 %r3, %r3, 1; st.u32 [%rd4], %r3;", "@!%p1 atom.add.u32 %r3, [%rd4], 1;"}) {
    const auto seen = with(one);
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(seen[i], i & 1) << one;
  }
  const auto stored = with("st.volatile.u32 [%rd4], %r1;"), none = with("@%p1 atom.add.u32 %r3, [%rd4], 1;");
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(stored[i], (i & 1) * i);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(none[i], 0u);
}

TEST_P(TransactionsOn, a_launch_that_is_stopped_in_the_middle_is_consistent) {
  unsigned stopped = 0;
  for (Cycle most = 1; most < 2000; most += 1 + most / 9) {
    options.max_cycles = most;
    renew();
    const auto launch = simulate(kernel(kSharedArray + crossing(2)), {2}, {64}, 256);
    ASSERT_TRUE(launch) << launch.error().message;
    expect_consistent(*launch, {2}, {64});
    stopped += launch->timing.partial ? 1 : 0;
  }
  EXPECT_GT(stopped, 10u);
}
INSTANTIATE_TEST_SUITE_P(all, TransactionsOn, ::testing::ValuesIn(kMachines),
                         [](const auto& info) { return info.param.name; });

TEST_F(TimedTransactions, results_and_counters_do_not_depend_on_the_number_of_threads) {
  config.sms = 5;
  config.issue.schedulers = 2;
  std::vector<uint32_t> first;
  SimulatedLaunch one;
  for (const unsigned threads : {1u, 3u}) {
    options.threads = threads;
    renew();
    const auto launch = simulate(kernel(kSharedArray + crossing(1)), {11}, {96}, 11 * 96);
    ASSERT_TRUE(launch) << launch.error().message;
    if (threads == 1) {
      first = out;
      one = *launch;
      continue;
    }
    EXPECT_EQ(out, first);
    expect_same(*launch, one);
  }
}

}  // namespace
}  // namespace bankshot::timing

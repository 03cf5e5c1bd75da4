// Transactions on the chip: accesses that take effect later.
#include <bit>

#include "bankshot/simt/state/worker.hpp"
#include "chip_harness.hpp"

namespace bankshot::timing {
namespace {

class ChipTransactions : public ChipTest {};

TEST_F(ChipTransactions, accesses_under_way_find_registers_as_they_were_when_lanes_start_again) {
  // Lane 0 waits for the others' commit. They read through a pointer that was null before the transaction, and then all
  // of them conflict with it.
  const auto result = simulate(
      kernel("mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; mov.u64 %rd2, 0; mov.u32 %r2, 5; mov.u32 %r4, 0;\n"
             "setp.ne.u32 %p1, %r1, 0;\n.pragma \"bankshot.tx_begin\";\n@%p1 bra OTHERS;\n"
             "atom.shared.add.u32 %r3, [word], 1;\n.pragma \"bankshot.tx_commit\";\nbra END;\n"
             "OTHERS: add.u32 %r4, %r4, %r2; mov.u64 %rd2, %rd1; ld.volatile.global.u32 %r2, [%rd2];\n"
             "atom.shared.add.u32 %r3, [word], 1;\n.pragma \"bankshot.tx_commit\";\n"
             "END: mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3+4], %r4; ret;",
             ".shared .align 4 .b8 word[4];\n"),
      {1}, {32});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->stats.transactions.commits, 32u);
  EXPECT_GT(result->stats.transactions.aborts, 31u);
  // Otherwise what was read, a zero, came behind the register's restoring.
  for (unsigned k = 2; k <= 32; ++k) EXPECT_EQ(out[k], 5u) << k;
}

TEST_F(ChipTransactions, lanes_that_poll_in_transactions_leave_others_of_their_warp_their_turn) {
  for (const std::string memory : {"shared", "global"}) {
    const std::string at = memory == "shared" ? "word" : "%rd1";
    for (const std::string polls : {"eq", "ne"}) {  // odd lanes or even ones
      const auto result = simulate(
          kernel("mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 1; ld.param.u64 %rd1, [out]; setp." + polls +
                     ".u32 %p1, %r1, 1; @%p1 bra POLL;\n.pragma \"bankshot.tx_begin\";\nst." + memory + ".u32 [" + at +
                     "], 7;\n.pragma \"bankshot.tx_commit\";\nbra MET;\n"
                     "POLL:\n.pragma \"bankshot.tx_begin\";\nld." +
                     memory + ".u32 %r2, [" + at +
                     "];\n.pragma \"bankshot.tx_commit\";\nsetp.eq.u32 %p2, %r2, 0; @%p2 bra POLL;\n"
                     "st.global.u32 [%rd1+4], %r2; MET: ret;",
                 ".shared .align 4 .b8 word[4];\n"),
          {1}, {32});
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(out[1], 7u) << memory << polls;
      EXPECT_GE(result->stats.transactions.transactions, 2u);
    }
  }
}

/// Of what a launch does in attempts.
struct Attempts final : simt::TransactionObserver {
  void begins(const simt::Warp&, uint64_t lanes) override {
    ++begun;
    ran += static_cast<uint64_t>(std::popcount(lanes));
  }
  void accesses(const simt::Warp&, scratchpad::AccessKind, unsigned, const uint32_t*, uint64_t, bool) override {}
  void aborts(const simt::Warp&, uint64_t) override {}
  void commits(const simt::Warp&, uint64_t) override { ++ended; }
  uint64_t begun = 0, ended = 0, ran = 0;
};

/// Each thread adds 1 to two words of global memory four times, at its own times. @param shared  in the middle
std::string count_twice(const std::string& shared) {
  return "ld.param.u64 %rd1, [out]; mov.u32 %r1, 0; mov.u32 %r2, %tid.x; shr.u32 %r2, %r2, 5;\n"
         "mov.u32 %r3, %ctaid.x; mad.lo.u32 %r2, %r3, 37, %r2;\n"
         "AGAIN: mov.u32 %r3, %r2;\n"
         "WAIT: add.u32 %r3, %r3, 1; and.b32 %r4, %r3, 31; setp.ne.u32 %p1, %r4, 0; @%p1 bra WAIT;\n"
         "add.u32 %r2, %r2, 13;\n.pragma \"bankshot.tx_begin\";\n"
         "ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1], %r5;\n"
         "ld.global.u32 %r6, [%rd1+4]; ld.global.u32 %r7, [%rd1+8];" +
         shared +
         " ld.global.u32 %r8, [%rd1+12];\n"
         "add.u32 %r6, %r6, 1; st.global.u32 [%rd1+4], %r6;\n.pragma \"bankshot.tx_commit\";\n"
         "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4; @%p1 bra AGAIN; ret;";
}

TEST_F(ChipTransactions, lanes_with_accesses_under_way_come_to_their_begin_when_their_reads_are_no_longer_there) {
  config.sms = 4;
  config.interconnect.latency = 40;  // several accesses take effect together
  Attempts attempts;
  observer = &attempts;
  const auto result = simulate(kernel(count_twice("")), {8}, {1});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[0], 32u);
  EXPECT_EQ(out[1], 32u);
  EXPECT_GT(result->stats.transactions.invalid, 0u);
  EXPECT_EQ(attempts.begun, result->stats.transactions.attempts);
  EXPECT_EQ(attempts.ended, attempts.begun) << "nobody runs alone here: what ends has begun";
  EXPECT_EQ(result->timing.counters.tx_mask_cycles, attempts.begun + attempts.ended) << "wherever an attempt ends";
}

TEST_F(ChipTransactions, accesses_under_way_of_who_makes_way_for_a_warp_alone_abort_nobody) {
  config.sms = 4;
  Attempts attempts;
  observer = &attempts;
  const auto result = simulate(
      kernel(count_twice("atom.shared.add.u32 %r9, [word], 1;"), ".shared .align 4 .b8 word[4];\n"), {8}, {96}, 64, 2);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[0], 8u * 96 * 4);
  EXPECT_EQ(out[1], 8u * 96 * 4);
  const scratchpad::TxTotals& t = result->stats.transactions;
  EXPECT_GT(t.killed, 0u);
  EXPECT_GT(t.invalid, 0u);
  EXPECT_EQ(t.lanes, attempts.ran);
  EXPECT_EQ(t.lanes, t.commits + t.aborts);
  EXPECT_EQ(t.aborts, t.conflicts + t.killed + t.invalid);
}

/// Two global words and one of shared memory, all wanted by all; behind, each CTA tells its own sum.
std::string sums(const std::string& order) {
  return "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; ld.param.u64 %rd1, [out]; and.b32 %r3, %r1, 1;\n"
         "mul.wide.u32 %rd2, %r3, 4; add.u64 %rd2, %rd2, %rd1; mov.u32 %r6, 0; L:\n.pragma \"bankshot.tx_begin\";\n" +
         order +
         "\n.pragma \"bankshot.tx_commit\";\nadd.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 2; @%p1 bra L; bar.sync 0;\n"
         "mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd3, %rd1; ld.shared.u32 %r7, [word]; st.global.u32 [%rd3+8], %r7; "
         "ret;";
}
const std::string kSharedWord = ".shared .align 4 .b8 word[4];\n";
const std::string kGlobalFirst =
    "ld.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, 1; st.global.u32 [%rd2], %r4;"
    "ld.shared.u32 %r5, [word]; add.u32 %r5, %r5, 1; st.shared.u32 [word], %r5;";
const std::string kSharedFirst =
    "ld.shared.u32 %r5, [word]; add.u32 %r5, %r5, 1; st.shared.u32 [word], %r5;"
    "atom.global.add.u32 %r4, [%rd2], 1;";

TEST_F(ChipTransactions, sums_in_both_memories_lose_nothing_among_sms_and_warps) {
  for (const unsigned sms : {1u, 3u}) {
    for (const std::string& order : {kGlobalFirst, kSharedFirst}) {
      config.sms = sms;
      renew();
      const auto result = simulate(kernel(sums(order), kSharedWord), {4}, {40});
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(out[0], 4u * 40);
      EXPECT_EQ(out[1], 4u * 40);
      for (unsigned cta = 0; cta < 4; ++cta) EXPECT_EQ(out[2 + cta], 80u);
      const scratchpad::TxTotals& t = result->stats.transactions;
      EXPECT_EQ(t.commits, 4u * 80);
      EXPECT_EQ(t.lanes, t.commits + t.aborts);
      EXPECT_EQ(t.aborts, t.conflicts + t.killed + t.invalid);
      EXPECT_GT(t.conflicts, 0u);
      EXPECT_GT(t.invalid, 0u);
      expect_conservation(result->timing.counters);
    }
  }
}

TEST_F(ChipTransactions, results_and_counters_on_both_memories_do_not_depend_on_the_number_of_threads) {
  config.sms = 3;
  std::vector<uint32_t> first;
  SimulatedLaunch one;
  // What is left depends on the order of commits.
  const std::string ordered =
      "ld.global.u32 %r4, [%rd2]; mad.lo.u32 %r4, %r4, 31, %r1; add.u32 %r4, %r4, %r2; st.global.u32 [%rd2], %r4;"
      "ld.shared.u32 %r5, [word]; mad.lo.u32 %r5, %r5, 31, %r4; st.shared.u32 [word], %r5;";
  for (const unsigned threads : {1u, 2u}) {
    options.threads = threads;
    renew();
    const auto launch = simulate(kernel(sums(ordered), kSharedWord), {4}, {40});
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

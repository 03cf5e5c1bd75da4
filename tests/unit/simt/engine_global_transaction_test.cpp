// Transactions and global memory in the engine: nothing is lost among CTAs, and attempts that were aborted leave
// nothing behind.
#include <numeric>

#include "engine_transaction_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineGlobalTransaction : public EngineTransactionTest {
 protected:
  /// Runs CTAs on a zeroed buffer of so many words, [%rd1]; %r4 is the thread among all.
  scratchpad::TxTotals launch(const std::string& body, uint32_t ctas, uint32_t threads, uint32_t words) {
    const auto result = run(kernel(kShared + kThread + "mov.u32 %r29, s;\n" + body + "ret;"), {ctas}, {threads}, words);
    if (!result) {
      ADD_FAILURE() << result.error().message << '\n' << body;
      return {};
    }
    stats = *result;
    expect_laws(stats.transactions);
    return stats.transactions;
  }
  uint64_t sum(size_t first, size_t count) const {
    return std::accumulate(out.begin() + static_cast<ptrdiff_t>(first),
                           out.begin() + static_cast<ptrdiff_t>(first + count), uint64_t{0});
  }

  LaunchStats stats;
};

/// Adds to the global word at an address.
std::string bump(const std::string& at, unsigned by = 1) {
  return "ld.global.u32 %r20, [" + at + "]; add.u32 %r20, %r20, " + std::to_string(by) + "; st.global.u32 [" + at +
         "], %r20;";
}
/// %rd = address of word `index` of the buffer
std::string word(const std::string& rd, const std::string& index) {
  return "mul.wide.u32 " + rd + ", " + index + ", 4; add.u64 " + rd + ", " + rd + ", %rd1;";
}

class EveryGlobalTransaction : public EngineGlobalTransaction, public ::testing::WithParamInterface<unsigned> {
 protected:
  void SetUp() override {
    options.machine.warp_size = GetParam();
    options.machine.scratchpad.lanes_b32 = std::max(4u, GetParam());
  }
};

TEST_P(EveryGlobalTransaction, loses_no_update_of_few_words_of_many_ctas) {
  const auto t = launch("rem.u32 %r5, %r4, 3;" + word("%rd5", "%r5") +
                            times(3, kBegin + "ld.global.u32 %r20, [%rd5];" + kLetOthers +
                                         "add.u32 %r20, %r20, 1; st.global.u32 [%rd5], %r20;" + kCommit),
                        9, 70, 3);
  EXPECT_EQ(out[0] + out[1] + out[2], 9u * 70 * 3);
  EXPECT_EQ(out[0], out[1]);
  EXPECT_EQ(out[0], out[2]);
  EXPECT_EQ(t.commits, 9u * 70 * 3);
  EXPECT_GT(t.invalid, 0u);
  EXPECT_EQ(t.conflicts, 0u) << "none of shared memory";
  EXPECT_EQ(t.accesses, 0u);
}

// Accounts 0 … 4 begin with 0, and so do their sums modulo 2^32; counters of each CTA tell how many transfers it made.
TEST_P(EveryGlobalTransaction, moves_between_accounts_and_counts_in_shared_memory) {
  const std::string move =
      "add.u32 %r7, %r4, %r6; rem.u32 %r7, %r7, 5; mad.lo.u32 %r8, %r4, 7, %r6; rem.u32 %r8, %r8, 5;" +
      word("%rd5", "%r7") + word("%rd6", "%r8") + kBegin +
      "ld.global.u32 %r9, [%rd5]; sub.u32 %r9, %r9, 3; st.global.u32 [%rd5], %r9;" + kLetOthers + increment("%r29") +
      "ld.global.u32 %r9, [%rd6]; add.u32 %r9, %r9, 3; st.global.u32 [%rd6], %r9;" + kCommit;
  const auto t =
      launch(times(2, move) + "bar.sync 0; setp.ne.u32 %p3, %r1, 0; @%p3 bra END; ld.shared.u32 %r9, [%r29];" +
                 "add.u32 %r2, %r2, 5;" + word("%rd5", "%r2") + "st.global.u32 [%rd5], %r9; END:",
             4, 48, 9);
  EXPECT_EQ(out[0] + out[1] + out[2] + out[3] + out[4], 0u);
  for (uint32_t cta = 0; cta < 4; ++cta) EXPECT_EQ(out[5 + cta], 96u) << cta;
  EXPECT_EQ(t.commits, 4u * 96);
  EXPECT_GT(t.invalid, 0u);
  EXPECT_GT(t.conflicts, 0u);
}
INSTANTIATE_TEST_SUITE_P(warps, EveryGlobalTransaction, ::testing::Values(4u, 8u, 32u, 64u));

TEST_F(EngineGlobalTransaction, a_thread_alone_is_through_at_once) {
  const auto t = launch(kBegin + bump("%rd1") + bump("%rd1") + bump("%rd1") + kCommit, 1, 1, 1);
  EXPECT_EQ(out[0], 3u) << "it sees what it wrote";
  EXPECT_EQ(t.attempts, 1u);
  EXPECT_EQ(t.aborts, 0u);
}

// All 32 read the word, lane 0 commits, 31 have read what is no more; then lane 1 commits, …
TEST_F(EngineGlobalTransaction, attempts_of_a_warp_whose_lanes_want_one_word_are_counted) {
  const auto t = launch(kBegin + bump("%rd1") + kCommit, 1, 32, 1);
  EXPECT_EQ(out[0], 32u);
  EXPECT_EQ(t.attempts, 32u);
  EXPECT_EQ(t.lanes, 32u * 33 / 2);
  EXPECT_EQ(t.invalid, 31u * 32 / 2);
  EXPECT_EQ(t.warp_serialised + t.cta_serialised, 0u);
}

TEST_F(EngineGlobalTransaction, accesses_of_every_width_lose_nothing) {
  for (const auto& [type, bytes] : {std::pair{"u8", 1u}, {"u16", 2u}, {"u32", 4u}, {"u64", 8u}}) {
    const std::string reg = bytes == 8 ? "%rd20" : "%r20", add = bytes == 8 ? "add.u64 " : "add.u32 ", t = type;
    // Elements 0 … 7 by thread % 8: in a word there are several, of different lanes.
    launch("and.b32 %r5, %r4, 7; mul.wide.u32 %rd5, %r5, " + std::to_string(bytes) +
               "; add.u64 %rd5, %rd5, %rd1; add.u64 %rd5, %rd5, 16;" + kBegin + "ld.global." + t + " " + reg +
               ", [%rd5];" + kLetOthers + add + reg + ", " + reg + ", 1; st.global." + t + " [%rd5], " + reg + ";" +
               kCommit,
           3, 64, 24);
    const auto* const byte = reinterpret_cast<const uint8_t*>(out.data() + 4);
    for (uint32_t k = 0; k < 8 * bytes; ++k) EXPECT_EQ(byte[k], k % bytes == 0 ? 24u : 0u) << type << ' ' << k;
    EXPECT_EQ(sum(0, 4), 0u);
  }
}

TEST_F(EngineGlobalTransaction, vectors_are_read_and_written_as_one) {
  const std::string four =
      "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd1]; add.u32 %r10, %r10, 1; add.u32 %r11, "
      "%r10, 1; add.u32 %r12, %r11, 1; add.u32 %r13, %r12, 1; st.global.v4.u32 [%rd1], {%r10, "
      "%r11, %r12, %r13};";
  launch(kBegin + four + kLetOthers + four + kCommit, 5, 40, 4);
  for (uint32_t k = 0; k < 4; ++k) EXPECT_EQ(out[k], 400u + k);
  launch(kBegin +
             "ld.global.v2.u64 {%rd10, %rd11}, [%rd1]; add.u64 %rd10, %rd10, 0x100000001; add.u64 %rd11, %rd11, %rd10;"
             "st.global.v2.u64 [%rd1], {%rd10, %rd11}; ld.global.u32 %r10, [%rd1+8];" +
             kLetOthers + kCommit,
         2, 10, 4);
  EXPECT_EQ(out, (std::vector<uint32_t>{20, 20, 210, 210}));
  launch(kBegin + "ld.global.v2.u8 {%r10, %r11}, [%rd1+2]; add.u32 %r10, %r10, 1; add.u32 %r11, %r11, 2;" +
             "st.global.v2.u8 [%rd1+2], {%r10, %r11};" + kCommit,
         2, 10, 2);
  EXPECT_EQ(out, (std::vector<uint32_t>{0x28140000, 0}));
}

TEST_F(EngineGlobalTransaction, neighbours_in_a_word_do_not_overwrite_each_other) {
  // Each thread stores its own byte and reads nothing: nobody has to start again.
  const auto t = launch("cvt.u64.u32 %rd5, %r4; add.u64 %rd5, %rd5, %rd1; add.u32 %r5, %r4, 1;" + kBegin +
                            "st.global.u8 [%rd5], %r5;" + kLetOthers + kCommit,
                        2, 64, 32);
  const auto* const byte = reinterpret_cast<const uint8_t*>(out.data());
  for (uint32_t k = 0; k < 128; ++k) EXPECT_EQ(byte[k], k + 1);
  EXPECT_EQ(t.aborts, 0u);
}

TEST_F(EngineGlobalTransaction, atomics_are_like_any_other_access) {
  const auto t = launch(kBegin + "atom.global.add.u32 %r10, [%rd1], 2; red.global.add.u32 [%rd1], 3;" + kLetOthers +
                            "atom.global.add.u32 %r11, [%rd1], 0; sub.u32 %r12, %r11, %r10;" + kCommit +
                            "st.global.u32 [%rd2+4], %r12;",
                        3, 40, 121);
  EXPECT_EQ(out[0], 600u);
  for (uint32_t k = 0; k < 120; ++k) EXPECT_EQ(out[1 + k], 5u) << "between them nobody else's is seen";
  EXPECT_GT(t.invalid, 0u);

  // A ticket is drawn by compare-and-swap; whoever draws leaves its number and takes that of the one before.
  launch(kBegin + "ld.global.u32 %r10, [%rd1]; add.u32 %r11, %r10, 1;" + kLetOthers +
             "atom.global.cas.b32 %r12, [%rd1], %r10, %r11; sub.u32 %r13, %r12, %r10; add.u32 %r14, %r4, 1;" +
             "atom.global.exch.b32 %r15, [%rd1+4], %r14;" + kCommit +
             "st.global.u32 [%rd2+8], %r15; add.u64 %rd5, %rd2, 488; st.global.u32 [%rd5], %r13;",
         3, 40, 242);
  EXPECT_EQ(out[0], 120u);
  EXPECT_EQ(sum(2, 120) + out[1], 120u * 121 / 2) << "each number is found once, or is the last one";
  EXPECT_EQ(sum(122, 120), 0u) << "no exchange fails";

  launch("add.u32 %r14, %r4, 1;" + kBegin + "atom.global.cas.b64 %rd10, [%rd1], 0, 9; cvt.u32.u64 %r10, %rd10;" +
             "atom.global.max.u32 %r11, [%rd1+8], %r14;" + kCommit + "st.global.u32 [%rd2+12], %r10;",
         2, 16, 35);
  EXPECT_EQ(out[0], 9u);
  EXPECT_EQ(out[2], 32u);
  EXPECT_EQ(sum(3, 32), 9u * 31) << "one found it empty";
}

TEST_F(EngineGlobalTransaction, volatile_accesses_are_like_any_other) {
  const auto t = launch(kBegin + "ld.volatile.global.u32 %r10, [%rd1]; add.u32 %r10, %r10, 1; st.volatile.global.u32 " +
                            "[%rd1], %r10; ld.volatile.global.u32 %r11, [%rd1]; sub.u32 %r11, %r11, %r10;" +
                            kLetOthers + kCommit + "st.global.u32 [%rd2+4], %r11;",
                        3, 40, 121);
  EXPECT_EQ(out[0], 120u);
  EXPECT_EQ(sum(1, 120), 0u);
  EXPECT_EQ(t.commits, 120u);
}

TEST_F(EngineGlobalTransaction, own_writes_are_seen_by_the_lane_alone) {
  // Each writes its number where all do, lets others run, and finds it still there.
  launch(kBegin + "st.global.u32 [%rd1], %r4; st.global.u8 [%rd1+5], %r4;" + kLetOthers +
             "ld.global.u32 %r10, [%rd1]; ld.global.u32 %r11, [%rd1+4]; mad.lo.u32 %r10, %r11, 65536, %r10;" + kCommit +
             "st.global.u32 [%rd2+8], %r10;",
         3, 40, 122);
  for (uint32_t k = 0; k < 120; ++k) EXPECT_EQ(out[2 + k], (k << 24) + k);
}

TEST_F(EngineGlobalTransaction, writes_appear_at_the_commit_all_at_once) {
  // Even CTAs add to both words, far apart; odd ones read both in transactions of their own and tell the difference.
  const auto t =
      launch("and.b32 %r5, %r2, 1; setp.eq.u32 %p3, %r5, 1; @%p3 bra READ;" + kBegin + bump("%rd1") + kLetOthers +
                 bump("%rd1+4096") + kLetOthers + kCommit + "bra END; READ:" + kBegin + "ld.global.u32 %r10, [%rd1];" +
                 kLetOthers + "ld.global.u32 %r11, [%rd1+4096]; sub.u32 %r10, %r10, %r11;" + kCommit +
                 "st.global.u32 [%rd2+8], %r10; END:",
             6, 40, 1025);
  EXPECT_EQ(out[0], 120u);
  EXPECT_EQ(out[1024], 120u);
  EXPECT_EQ(sum(1, 1023), 0u);
  EXPECT_GT(t.invalid, 0u);
}

TEST_F(EngineGlobalTransaction, a_conflict_in_shared_memory_drops_what_was_written_to_global_memory) {
  // Each adds to a word of its own, then all want one word of shared memory.
  const auto t = launch(kBegin + bump("%rd2+4") + increment("%r29") + kLetOthers + kCommit +
                            "bar.sync 0; ld.shared.u32 %r10, [%r29]; st.global.u32 [%rd1], %r10;",
                        1, 64, 65);
  EXPECT_EQ(out[0], 64u);
  for (uint32_t k = 1; k <= 64; ++k) EXPECT_EQ(out[k], 1u) << k;
  EXPECT_GT(t.conflicts, 0u);
  EXPECT_EQ(t.invalid, 0u);
}

TEST_F(EngineGlobalTransaction, reads_that_are_gone_drop_what_was_written_to_shared_memory) {
  const auto t = launch("mad.lo.u32 %r5, %r1, 4, %r29;" + kBegin + increment("%r5") + bump("%rd1") + kLetOthers +
                            kCommit + "ld.shared.u32 %r10, [%r5]; st.global.u32 [%rd2+4], %r10;",
                        2, 64, 129);
  EXPECT_EQ(out[0], 128u);
  for (uint32_t k = 1; k <= 128; ++k) EXPECT_EQ(out[k], 1u) << k;
  EXPECT_GT(t.invalid, 0u);
}

TEST_F(EngineGlobalTransaction, registers_and_local_memory_are_what_they_were) {
  launch(".local .align 4 .b8 mine[4]; mov.u64 %rd10, mine; st.local.u32 [%rd10], %r4; add.u32 %r10, %r4, 100;" +
             kBegin +
             "add.u32 %r10, %r10, 1; ld.local.u32 %r11, [%rd10]; add.u32 %r11, %r11, 1; st.local.u32 [%rd10], %r11;" +
             bump("%rd1") + kLetOthers + kCommit + "ld.local.u32 %r11, [%rd10]; mad.lo.u32 %r10, %r10, 1000, %r11;" +
             "st.global.u32 [%rd2+4], %r10;",
         2, 50, 101);
  EXPECT_EQ(out[0], 100u);
  for (uint32_t k = 0; k < 100; ++k) EXPECT_EQ(out[1 + k], (k + 101) * 1000 + k + 1);
}

// Who has read a global word must not go on when shared memory tells that another transaction came between.
TEST_F(EngineGlobalTransaction, old_global_and_new_shared_values_are_never_seen_together) {
  // Thread 0 would spin for good. Those of the other warp change both words, each in one transaction.
  const auto t = launch("setp.ge.u32 %p3, %r1, 32; @%p3 bra WRITE; setp.ne.u32 %p3, %r1, 0; @%p3 bra END;" + kBegin +
                            "ld.global.u32 %r10, [%rd1];" + kLetOthers +
                            "ld.shared.u32 %r11, [%r29]; SPIN: setp.ne.u32 %p4, %r10, %r11; @%p4 bra SPIN;" + kCommit +
                            "bra END; WRITE:" + kBegin + bump("%rd1") + increment("%r29") + kCommit + "END:",
                        1, 64, 1);
  EXPECT_EQ(out[0], 32u);
  EXPECT_EQ(t.commits, 33u);
  EXPECT_GT(t.invalid, 0u);
}

TEST_F(EngineGlobalTransaction, what_comes_behind_an_inner_commit_is_in_the_transaction) {
  // There each adds to a word of its own, and then all want one word of shared memory.
  launch(kBegin + kBegin + kCommit + bump("%rd2") + increment("%r29") + kLetOthers + kCommit, 1, 64, 64);
  for (uint32_t k = 0; k < 64; ++k) EXPECT_EQ(out[k], 1u) << k;
}

TEST_F(EngineGlobalTransaction, who_waits_for_a_flag_in_a_transaction_gets_it_when_another_cta_commits) {
  const auto t = launch("setp.ne.u32 %p3, %r2, 0; @%p3 bra SET; setp.ge.u32 %p3, %r1, 8; @%p3 bra END;" + kBegin +
                            "SPIN: ld.volatile.global.u32 %r10, [%rd1]; setp.eq.u32 %p4, %r10, 0; @%p4 bra SPIN;" +
                            bump("%rd1+4") + kCommit + "bra END; SET: setp.ne.u32 %p3, %r1, 0; @%p3 bra END;" +
                            times(500, kLetOthers) + kBegin + "st.global.u32 [%rd1], 1;" + kCommit + "END:",
                        2, 32, 2);
  EXPECT_EQ(out, (std::vector<uint32_t>{1, 8}));
  EXPECT_EQ(t.commits, 9u);
  EXPECT_GT(t.invalid, 0u);
}

TEST_F(EngineGlobalTransaction, generic_addresses_of_both_memories_in_one_instruction) {
  const auto t = launch(
      "mov.u64 %rd10, s; cvta.shared.u64 %rd10, %rd10; and.b32 %r10, %r1, 1; setp.eq.u32 %p3, %r10, 0;"
      "selp.b64 %rd11, %rd10, %rd1, %p3;" +
          kBegin + "ld.u32 %r12, [%rd11]; add.u32 %r12, %r12, 1;" + kLetOthers +
          "st.u32 [%rd11], %r12; atom.add.u32 %r13, [%rd11+4], 2;" + kCommit +
          "bar.sync 0; ld.shared.u32 %r12, [%r29]; ld.shared.u32 %r13, [%r29+4]; mad.lo.u32 %r12, %r13, 1000, %r12;"
          "st.global.u32 [%rd2+8], %r12;",
      3, 64, 2 + 192);
  EXPECT_EQ(out[0], 96u);
  EXPECT_EQ(out[1], 192u);
  for (uint32_t k = 0; k < 192; ++k) EXPECT_EQ(out[2 + k], 64'032u);
  EXPECT_GT(t.invalid, 0u);
  EXPECT_GT(t.conflicts, 0u);
}

TEST_F(EngineGlobalTransaction, generic_addresses_of_all_three_memories_in_one_instruction) {
  launch(
      ".local .align 4 .b8 mine[4]; mov.u64 %rd12, mine; cvta.local.u64 %rd12, %rd12; st.u32 [%rd12], 7;"
      "mov.u64 %rd10, s; cvta.shared.u64 %rd10, %rd10; rem.u32 %r10, %r1, 3; setp.eq.u32 %p3, %r10, 0;"
      "selp.b64 %rd11, %rd10, %rd1, %p3; setp.eq.u32 %p4, %r10, 1; selp.b64 %rd11, %rd12, %rd11, %p4;" +
          kBegin + "ld.u32 %r12, [%rd11]; add.u32 %r12, %r12, 1;" + kLetOthers + "st.u32 [%rd11], %r12;" + kCommit +
          "bar.sync 0; ld.shared.u32 %r12, [%r29]; ld.local.u32 %r13, [mine]; mad.lo.u32 %r12, %r13, 1000, %r12;" +
          "st.global.u32 [%rd2+4], %r12;",
      2, 48, 1 + 96);
  EXPECT_EQ(out[0], 32u);
  for (uint32_t k = 0; k < 96; ++k) EXPECT_EQ(out[1 + k], (k % 48 % 3 == 1 ? 8'000u : 7'000u) + 16) << k;
}

TEST_F(EngineGlobalTransaction, lanes_whose_guard_is_false_neither_read_nor_write) {
  const auto t = launch("setp.lt.u32 %p3, %r1, 5;" + kBegin +
                            "mov.u32 %r10, 0; @%p3 ld.global.u32 %r10, [%rd1]; add.u32 %r10, %r10, 1; @%p3 "
                            "st.global.u32 [%rd1], %r10;" +
                            kCommit,
                        1, 32, 1);
  EXPECT_EQ(out[0], 5u);
  EXPECT_EQ(t.invalid, 4u + 3 + 2 + 1);
}

TEST_F(EngineGlobalTransaction, functions_may_access_global_memory_inside) {
  const std::string adds =
      ".func f(.param .b64 at) { .reg .b32 %a<3>; .reg .b64 %l; ld.param.u64 %l, [at]; ld.u32 %a1, [%l]; add.u32 %a1, "
      "%a1, 1; st.u32 [%l], %a1; ret; }\n";
  const auto result =
      run(kernel(kShared + kThread + kBegin + "{ .param .b64 x; st.param.b64 [x], %rd1; call.uni f, (x); }" +
                     kLetOthers + kCommit + "ret;",
                 adds),
          {3}, {40}, 1);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[0], 120u);
  EXPECT_FALSE(result->parallel);
  EXPECT_NE(result->why_serial.find("a transaction may call what writes global memory"), std::string::npos)
      << result->why_serial;
}

TEST_F(EngineGlobalTransaction, an_access_that_is_wrong_is_wrong_inside_too) {
  const std::string writes = bump("%rd1");
  EXPECT_EQ(fault_of(kBegin + writes + "mov.u64 %rd5, 64; ld.global.u32 %r6, [%rd5];" + kCommit + "ret;").kind,
            Fault::Kind::illegal_address);
  EXPECT_EQ(fault_of(kBegin + writes + "ld.global.u32 %r6, [%rd1+128];" + kCommit + "ret;").kind,
            Fault::Kind::illegal_address);
  EXPECT_EQ(fault_of(kBegin + writes + "ld.global.v2.u32 {%r6, %r7}, [%rd1+128];" + kCommit + "ret;").kind,
            Fault::Kind::illegal_address);
  EXPECT_EQ(fault_of(kBegin + writes + "st.global.u64 [%rd1+128], %rd1;" + kCommit + "ret;").kind,
            Fault::Kind::illegal_address);
  EXPECT_EQ(fault_of(kBegin + writes + "ld.global.u32 %r6, [%rd1+2];" + kCommit + "ret;").kind,
            Fault::Kind::misaligned);
  EXPECT_EQ(fault_of(kBegin + writes + "atom.global.add.u64 %rd6, [%rd1+4], %rd1;" + kCommit + "ret;").kind,
            Fault::Kind::misaligned);
  const Fault fault = fault_of(".loc 1 42 7\n" + kBegin + writes + "setp.eq.u32 %p3, %r1, 9;\n.loc 1 43 7\n" +
                                   "@%p3 st.global.u32 [%rd1+128], %r1;\n.loc 1 44 7\n" + kCommit + "ret;",
                               ".file 1 \"kernel.cu\"\n");
  EXPECT_EQ(fault.source.line, 43u);
  EXPECT_NE(fault.message.find("just past the end of an allocation of 128 bytes"), std::string::npos) << fault.message;
}

TEST_F(EngineGlobalTransaction, constants_may_be_read_and_not_written) {
  const std::string table = ".const .align 4 .u32 c[4] = {5, 6, 7, 8};\n";
  const auto result =
      run(kernel(kShared + kThread + "mov.u64 %rd5, c; cvta.const.u64 %rd5, %rd5;" + kBegin +
                     "ld.const.u32 %r10, [c+4]; ld.u32 %r11, [%rd5+8]; ld.global.u32 %r12, [%rd1]; add.u32 %r12, %r12, "
                     "%r10; add.u32 %r12, %r12, %r11; st.global.u32 [%rd1], %r12;" +
                     kCommit + "ret;",
                 table),
          {2}, {32}, 1);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[0], 64u * 13);
  EXPECT_EQ(
      fault_of("mov.u64 %rd5, c; cvta.const.u64 %rd5, %rd5;" + kBegin + "st.u32 [%rd5], 1;" + kCommit + "ret;", table)
          .kind,
      Fault::Kind::illegal_address);
}

TEST_F(EngineGlobalTransaction, who_only_reads_global_memory_lets_ctas_run_at_once) {
  options.threads = 2;
  const auto t = launch(kBegin +
                            "ld.global.u32 %r10, [%rd1]; ld.volatile.shared.u32 %r11, [%r29]; add.u32 %r11, %r11, "
                            "1; st.shared.u32 [%r29], %r11;" +
                            kCommit + "bar.sync 0; ld.shared.u32 %r11, [%r29]; st.global.u32 [%rd2+4], %r11;",
                        20, 40, 801);
  EXPECT_TRUE(stats.parallel);
  EXPECT_EQ(stats.why_serial, "");
  EXPECT_EQ(t.invalid, 0u);
  for (uint32_t k = 1; k <= 800; ++k) EXPECT_EQ(out[k], 40u);
}

TEST_F(EngineGlobalTransaction, a_kernel_whose_transactions_write_says_which_instruction_does) {
  options.threads = 2;
  const auto why = [&](const std::string& body) {
    const auto result = run(kernel(kShared + kThread + "mov.u32 %r29, s;" + body + "\nret;"), {4}, {32}, 200);
    EXPECT_TRUE(result) << body;
    if (!result) return std::string();
    EXPECT_EQ(result->parallel, result->why_serial.empty());
    return result->why_serial;
  };
  for (const char* what : {"st.global.u32 [%rd2], 1;", "red.global.add.u32 [%rd1], 1;", "st.u32 [%rd2], 1;",
                           "atom.global.add.u32 %r10, [%rd1], 1;", "@%p1 st.global.u32 [%rd2], 1;"}) {
    const std::string told = why(kBegin + what + kCommit);
    EXPECT_NE(told.find("a transaction may write global memory"), std::string::npos) << what << ' ' << told;
    EXPECT_NE(told.find("at PTX line"), std::string::npos) << told;
    EXPECT_EQ(why(kBegin + kCommit + what), "") << "behind the commit";
    EXPECT_EQ(why(what + kBegin + kCommit), "") << "before the begin";
  }
  // Where one side of a branch ends the transaction, the other does not.
  EXPECT_NE(why("setp.eq.u32 %p3, %r1, 3;" + kBegin + "@%p3 bra OTHER;" + kCommit + "bra END; OTHER: st.global.u32 " +
                "[%rd2], 1;" + kCommit + "END:"),
            "");
  EXPECT_EQ(why("setp.eq.u32 %p3, %r1, 3;" + kBegin + "@%p3 bra OTHER;" + kCommit + "bra END; OTHER:" + kCommit +
                "st.global.u32 [%rd2], 1; END:"),
            "");
  // Nested ones end at the outer commit.
  for (unsigned depth = 1; depth < 12; ++depth) {
    std::string begins, commits;
    for (unsigned k = 0; k < depth; ++k) begins += kBegin, commits += kCommit;
    const std::string write = "st.global.u32 [%rd2], 1;";
    EXPECT_NE(why(kBegin + begins + commits + write + kCommit), "") << depth;
    if (depth < 7) {
      EXPECT_EQ(why(begins + commits + write), "") << depth;
    }
  }
  EXPECT_NE(
      why("mov.u32 %r10, 0; L:" + kBegin + "add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 9; @%p3 bra L; M:" + kCommit +
          "sub.u32 %r10, %r10, 1; setp.gt.u32 %p3, %r10, 1; @%p3 bra M; st.global.u32 [%rd2], 1;" + kCommit),
      "")
      << "as many as turns";
}

TEST_F(EngineGlobalTransaction, a_transaction_in_a_function_that_writes_says_so) {
  const std::string function = ".func f(.param .b64 at) { .reg .b64 %l; ld.param.u64 %l, [at];" + kBegin +
                               "st.global.u32 [%l], 3;" + kCommit + "ret; }\n";
  const auto result =
      run(kernel(kShared + kThread + "{ .param .b64 x; st.param.b64 [x], %rd2; call.uni f, (x); } ret;", function), {2},
          {32}, 64);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->parallel);
  EXPECT_NE(result->why_serial.find("in f"), std::string::npos) << result->why_serial;
  for (const uint32_t value : out) EXPECT_EQ(value, 3u);
}

TEST_F(EngineGlobalTransaction, results_do_not_depend_on_the_number_of_threads) {
  std::vector<uint32_t> first;
  for (const unsigned threads : {1u, 4u}) {
    options.threads = threads;
    launch(kBegin + "ld.global.u32 %r20, [%rd1];" + kLetOthers +
               "mad.lo.u32 %r20, %r20, 31, %r4; st.global.u32 [%rd1], %r20;" + kCommit,
           6, 40, 1);
    if (threads == 1) first = out;
    EXPECT_EQ(out, first);
  }
}

}  // namespace
}  // namespace bankshot::simt

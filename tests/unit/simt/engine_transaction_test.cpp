// Transactions in the engine: nothing is lost, and an attempt that was aborted has left nothing behind.
#include "engine_transaction_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineTransaction : public EngineTransactionTest {};

/// %r5 = address of word tid % `words`
std::string one_of(unsigned words) {
  return "rem.u32 %r5, %r1, " + std::to_string(words) + "; mad.lo.u32 %r5, %r5, 4, %r29;";
}

// Each with each organisation of signatures, and each size of warp.
struct Setting {
  scratchpad::Organisation organisation;
  unsigned warp_size;
};
std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const scratchpad::Organisation& organisation : scratchpad::organisations()) all.push_back({organisation, 32});
  for (const unsigned warp_size : {4u, 8u, 16u, 64u}) all.push_back({scratchpad::organisations()[2], warp_size});
  return all;
}
class EveryTransaction : public EngineTransactionTest, public ::testing::WithParamInterface<Setting> {
 protected:
  void SetUp() override {
    options.machine.transactions = GetParam().organisation.config;
    options.machine.warp_size = GetParam().warp_size;
    options.machine.scratchpad.lanes_b32 = std::max(4u, GetParam().warp_size);
  }
};

TEST_P(EveryTransaction, loses_no_update_of_few_words) {
  const auto t = totals(one_of(3) + times(3, kBegin + increment("%r5") + kCommit), 150, 3);
  EXPECT_EQ(out[0], 150u);  // 50 threads, 3 times
  EXPECT_EQ(out[1], 150u);
  EXPECT_EQ(out[2], 150u);
  EXPECT_EQ(t.commits, 450u);
  EXPECT_GT(t.conflicts, 0u);
}

// Warps interleave within their transactions: each lane takes two words in one order, or in the other.
TEST_P(EveryTransaction, moves_between_accounts_and_loses_nothing) {
  const std::string move =
      "rem.u32 %r7, %r1, 5; mad.lo.u32 %r7, %r7, 4, %r29; shr.u32 %r8, %r1, 3; add.u32 %r8, %r8, %r6;"
      "rem.u32 %r8, %r8, 5; mad.lo.u32 %r8, %r8, 4, %r29;" +
      kBegin + "ld.shared.u32 %r9, [%r7]; sub.u32 %r9, %r9, 3; st.shared.u32 [%r7], %r9;" + kLetOthers +
      "ld.shared.u32 %r9, [%r8]; add.u32 %r9, %r9, 3; st.shared.u32 [%r8], %r9;" + kCommit;
  const auto t = totals(times(2, move), 96, 5);
  EXPECT_EQ(out[0] + out[1] + out[2] + out[3] + out[4], 0u);
  EXPECT_EQ(t.commits, 192u);
  EXPECT_GT(t.aborts, 0u);
}
INSTANTIATE_TEST_SUITE_P(all, EveryTransaction, ::testing::ValuesIn(settings()), [](const auto& info) {
  return info.param.organisation.name + "_warp" + std::to_string(info.param.warp_size);
});

TEST_F(EngineTransaction, a_thread_alone_is_through_at_once) {
  const auto t = totals("mov.u32 %r5, %r29;" + kBegin + increment("%r5") + kCommit, 1, 1);
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(t.transactions, 1u);
  EXPECT_EQ(t.attempts, 1u);
  EXPECT_EQ(t.lanes, 1u);
  EXPECT_EQ(t.commits, 1u);
  EXPECT_EQ(t.accesses, 2u);
}

// 32 lanes want one word, one at a time gets it. Tries with all: lane 0 commits, 31 conflict; lane 1 commits, 30
// conflict, …
TEST_F(EngineTransaction, attempts_of_a_warp_whose_lanes_want_one_word_are_counted) {
  const auto t = totals("mov.u32 %r5, %r29;" + kBegin + increment("%r5") + kCommit, 32, 1);
  EXPECT_EQ(out[0], 32u);
  EXPECT_EQ(t.transactions, 1u);
  EXPECT_EQ(t.attempts, 32u);
  EXPECT_EQ(t.lanes, 32u * 33 / 2);
  EXPECT_EQ(t.conflicts, 31u * 32 / 2);
  EXPECT_EQ(t.conflicting_accesses, 31u);
  EXPECT_EQ(t.commits, 32u);
  EXPECT_EQ(t.accesses, 32u * 33 / 2 + 32);  // all load, one stores
  EXPECT_EQ(t.read_conflicts, 31u * 32 / 2);
  EXPECT_EQ(t.false_conflicts, 0u);
  EXPECT_EQ(t.warp_serialised + t.cta_serialised, 0u);
}

/// All lanes of two warps want one word, so that nearly all start again, the last one 63 times.
std::string contended(const std::string& first) { return kBegin + first + increment("%r29") + kLetOthers + kCommit; }

TEST_F(EngineTransaction, registers_are_what_they_were_when_a_lane_starts_again) {
  totals("add.u32 %r10, %r1, 100;" + contended("add.u32 %r10, %r10, 1;") + kTell + "%r10;", 64, 1);
  EXPECT_EQ(out[0], 64u);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], i + 101);

  totals("cvt.u64.u32 %rd10, %r1; shl.b64 %rd10, %rd10, 32;" +
             contended("add.u64 %rd10, %rd10, 0x200000000; add.u64 %rd10, %rd10, 7;") +
             "shr.u64 %rd11, %rd10, 32; cvt.u32.u64 %r10, %rd11; cvt.u32.u64 %r11, %rd10; mad.lo.u32 %r10, %r10, 1000, "
             "%r11;" +
             kTell + "%r10;",
         64, 1);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], (i + 2) * 1000 + 7);

  totals(".reg .b16 %h<2>; cvt.u16.u32 %h1, %r1;" + contended("add.u16 %h1, %h1, 3;") + "cvt.u32.u16 %r10, %h1;" +
             kTell + "%r10;",
         64, 1);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], i + 3);

  totals("cvt.rn.f32.u32 %f1, %r1;" + contended("add.f32 %f1, %f1, 0f3F800000;") + "cvt.rni.u32.f32 %r10, %f1;" +
             kTell + "%r10;",
         64, 1);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], i + 1);
}

TEST_F(EngineTransaction, predicates_are_what_they_were) {
  totals("and.b32 %r10, %r1, 1; setp.eq.u32 %p3, %r10, 0;" + contended("not.pred %p3, %p3;") +
             "selp.u32 %r10, 1, 0, %p3;" + kTell + "%r10;",
         64, 1);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], i & 1);
}

// CC.CF of odd lanes is set before; the transaction reads and clears it.
TEST_F(EngineTransaction, the_carry_is_what_it_was) {
  totals("and.b32 %r10, %r1, 1; add.cc.u32 %r11, %r10, 0xffffffff;" + contended("addc.cc.u32 %r12, 0, 0;") + kTell +
             "%r12;",
         64, 1);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], i & 1);
}

TEST_F(EngineTransaction, local_memory_is_what_it_was) {
  const std::string bump = "ld.local.u32 %r11, [%rd11]; add.u32 %r11, %r11, 1; st.local.u32 [%rd11], %r11;";
  totals(
      ".local .align 4 .b8 mine[64]; mov.u64 %rd10, mine; and.b32 %r10, %r1, 15; mul.wide.u32 %rd11, %r10, 4;"
      "add.u64 %rd11, %rd10, %rd11; st.local.u32 [%rd11], %r1;" +
          contended(bump) + "ld.local.u32 %r12, [%rd11];" + kTell + "%r12;",
      64, 1);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], i + 1);
}

TEST_F(EngineTransaction, a_loop_that_goes_on_in_a_transaction_counts_each_turn_once) {
  // The conflict is in the third turn of five; the counter began before the transaction.
  totals("mov.u32 %r10, 0; mov.u32 %r11, 0;" + kBegin +
             "L: add.u32 %r11, %r11, %r10; setp.ne.u32 %p2, %r10, 2; @%p2 bra SKIP;" + increment("%r29") +
             "SKIP: add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 5; @%p2 bra L;" + kCommit +
             "mad.lo.u32 %r10, %r10, 100, %r11;" + kTell + "%r10;",
         64, 1);
  EXPECT_EQ(out[0], 64u);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], 510u);  // 5 turns, 0 + 1 + 2 + 3 + 4
}

TEST_F(EngineTransaction, what_an_aborted_attempt_wrote_is_undone) {
  // Word 1 + tid is written before the conflict on word 0.
  totals("mad.lo.u32 %r5, %r1, 4, %r29; add.u32 %r5, %r5, 4;" + contended(increment("%r5")), 64, 65);
  for (uint32_t i = 1; i <= 64; ++i) EXPECT_EQ(out[i], 1u) << i;
}

TEST_F(EngineTransaction, atomics_and_volatile_accesses_are_like_any_other) {
  totals("mad.lo.u32 %r5, %r1, 4, %r29; add.u32 %r5, %r5, 4;" +
             contended("atom.shared.add.u32 %r10, [%r5], 2; red.shared.add.u32 [%r5], 3;") + kTell + "%r10;",
         64, 65);
  for (uint32_t i = 1; i <= 64; ++i) EXPECT_EQ(out[i], 5u) << i;
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[65 + i], 0u) << "what the atomic found";
  totals(kBegin + "ld.volatile.shared.u32 %r10, [%r29]; add.u32 %r10, %r10, 1; st.volatile.shared.u32 [%r29], %r10;" +
             kCommit,
         64, 1);
  EXPECT_EQ(out[0], 64u);
  const auto t = totals(kBegin + "atom.shared.cas.b32 %r10, [%r29], %r1, 1;" + kCommit, 32, 1);
  EXPECT_EQ(out[0], 1u);  // lane 0 finds 0, lane 1 finds 1, none finds its number later
  EXPECT_EQ(t.commits, 32u);
}

TEST_F(EngineTransaction, accesses_of_every_width_are_undone) {
  for (const auto& [type, bytes] : {std::pair{"u8", 1u}, {"u16", 2u}, {"u32", 4u}, {"u64", 8u}}) {
    const std::string reg = bytes == 8 ? "%rd10" : "%r10", add = bytes == 8 ? "add.u64 " : "add.u32 ";
    const std::string at = "[%r5]", t = type;
    totals("mad.lo.u32 %r5, %r1, " + std::to_string(bytes) + ", %r29; add.u32 %r5, %r5, 16;" +
               contended("ld.shared." + t + " " + reg + ", " + at + "; " + add + reg + ", " + reg + ", 5; st.shared." +
                         t + " " + at + ", " + reg + ";"),
           64, 200);
    EXPECT_EQ(out[0], 64u);
    const auto* const byte = reinterpret_cast<const uint8_t*>(out.data() + 4);
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(byte[i * bytes], 5u) << type << ' ' << i;
  }
  totals("mad.lo.u32 %r5, %r1, 16, %r29; add.u32 %r5, %r5, 16;" +
             contended("ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5]; add.u32 %r10, %r10, 1; add.u32 %r13, %r13, 4;"
                       "st.shared.v4.u32 [%r5], {%r10, %r11, %r12, %r13};"),
         64, 260);
  for (uint32_t i = 1; i <= 64; ++i) {
    EXPECT_EQ(out[4 * i], 1u);
    EXPECT_EQ(out[4 * i + 3], 4u);
  }
}

TEST_F(EngineTransaction, generic_addresses_are_taken_for_what_they_are) {
  // Even threads go to shared memory, odd ones to words of their own in global memory.
  totals(
      "mov.u64 %rd10, s; cvta.shared.u64 %rd10, %rd10; and.b32 %r10, %r1, 1; setp.eq.u32 %p3, %r10, 0;"
      "selp.b64 %rd11, %rd10, %rd2, %p3; mov.u32 %r11, 0;" +
          kBegin + "ld.u32 %r12, [%rd11]; add.u32 %r12, %r12, 1; st.u32 [%rd11], %r12;" + kCommit,
      64, 1);
  EXPECT_EQ(out[0], 32u);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], i & 1);
}

TEST_F(EngineTransaction, lanes_whose_guard_is_false_ask_for_nothing) {
  const auto t = totals(
      "setp.lt.u32 %p3, %r1, 5;" + kBegin +
          "mov.u32 %r10, 0; @%p3 ld.shared.u32 %r10, [%r29]; add.u32 %r10, %r10, 1; @%p3 st.shared.u32 [%r29], %r10;" +
          kCommit + kTell + "%r10;",
      32, 1);
  EXPECT_EQ(out[0], 5u);
  EXPECT_EQ(t.conflicts, 4u + 3 + 2 + 1);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[1 + i], i < 5 ? i + 1 : 1);
  totals("setp.lt.u32 %p3, %r1, 5;" + kBegin + "@!%p3 red.shared.add.u32 [%r29], 1;" + kCommit, 32, 1);
  EXPECT_EQ(out[0], 27u);
}

TEST_F(EngineTransaction, lanes_may_end_before_and_warps_need_not_be_full) {
  const auto stats =
      run(kernel(kShared + kThread + "mov.u32 %r29, s; and.b32 %r10, %r1, 1; setp.eq.u32 %p3, %r10, 1; @%p3 exit;" +
                 kBegin + increment("%r29") + kCommit +
                 "setp.ne.u32 %p4, %r30, 25; @%p4 exit; st.global.u32 [%rd1], %r30; ret;"),
          {1}, {50}, 50);
  ASSERT_TRUE(stats) << stats.error().message;
  EXPECT_EQ(out[0], 25u);
  EXPECT_EQ(stats->transactions.commits, 25u);
  expect_laws(stats->transactions);
}

TEST_F(EngineTransaction, each_cta_has_memory_and_transactions_of_its_own) {
  options.threads = 4;
  const auto stats = run(kernel(kShared + kThread + "mov.u32 %r29, s;" + kBegin + increment("%r29") + kCommit +
                                "bar.sync 0; ld.shared.u32 %r5, [%r29]; st.global.u32 [%rd2], %r5; ret;"),
                         {40}, {48}, 40 * 48);
  ASSERT_TRUE(stats) << stats.error().message;
  for (const uint32_t value : out) EXPECT_EQ(value, 48u);
  EXPECT_EQ(stats->transactions.commits, 40u * 48);
}

// Two warps want the same two words in opposite order, each in all its lanes: neither gets both unless it runs alone.
TEST_F(EngineTransaction, warps_in_each_others_way_run_alone_in_the_end) {
  const std::string both =
      "shr.u32 %r7, %r1, 5; mad.lo.u32 %r8, %r7, 4, %r29; xor.b32 %r7, %r7, 1; mad.lo.u32 %r9, %r7, 4, %r29;";
  const auto t = totals(both + times(20, kBegin + increment("%r8") + kLetOthers + increment("%r9") + kCommit), 64, 2);
  EXPECT_EQ(out[0], 64u * 20);
  EXPECT_EQ(out[1], 64u * 20);
  EXPECT_EQ(t.commits, 64u * 20);
  EXPECT_GT(t.cta_serialised, 0u);
  EXPECT_GT(t.killed, 0u);
}

// One after the other they are in nobody's way, and none has to give up what it did.
TEST_F(EngineTransaction, warps_that_take_turns_never_run_into_each_other) {
  options.machine.transactions.exclusive = true;
  const std::string both =
      "shr.u32 %r7, %r1, 5; mad.lo.u32 %r8, %r7, 4, %r29; xor.b32 %r7, %r7, 1; mad.lo.u32 %r9, %r7, 4, %r29;";
  const auto t = totals(both + times(20, kBegin + increment("%r8") + kLetOthers + increment("%r9") + kCommit), 64, 2);
  EXPECT_EQ(out[0], 64u * 20);
  EXPECT_EQ(out[1], 64u * 20);
  EXPECT_EQ(t.commits, 64u * 20);
  EXPECT_EQ(t.cta_serialised, 0u);
  EXPECT_EQ(t.killed, 0u);
  // A transaction of 32 lanes that want one word: 32 attempts, each with one commit.
  EXPECT_EQ(t.transactions, 2u * 20);
  EXPECT_EQ(t.attempts, 2u * 20 * 32);
  EXPECT_EQ(t.conflicts, 2u * 20 * 31 * 32 / 2);
}

// A warp lets others run behind its 256th poll: in one of these runs that is the access at which all lanes but one
// conflict.
TEST_F(EngineTransaction, a_poll_may_meet_a_conflict_and_let_others_run_at_once) {
  for (unsigned polls = 250; polls < 260; ++polls) {
    const auto t =
        totals("mad.lo.u32 %r5, %r1, 4, %r29; mov.u32 %r11, 0;" + kBegin +
                   "L: ld.volatile.shared.u32 %r10, [%r5+4]; add.u32 %r11, %r11, 1; setp.lt.u32 %p3, %r11, " +
                   std::to_string(polls) + "; @%p3 bra L; ld.volatile.shared.u32 %r10, [%r29];" +
                   "add.u32 %r10, %r10, 1; st.volatile.shared.u32 [%r29], %r10; add.u32 %r11, %r11, %r1;" + kCommit +
                   kTell + "%r11;",
               40, 1);
    EXPECT_EQ(out[0], 40u);
    EXPECT_EQ(t.commits, 40u);
    for (uint32_t i = 0; i < 40; ++i) EXPECT_EQ(out[1 + i], polls + i);
  }
}

TEST_F(EngineTransaction, who_waits_for_a_flag_in_a_transaction_lets_the_others_run) {
  const auto t = totals(
      "setp.eq.u32 %p3, %r1, 0; @%p3 bra WAIT; setp.eq.u32 %p3, %r1, 32; @%p3 st.volatile.shared.u32 [%r29], 9; bra "
      "MET;"
      "WAIT:" +
          kBegin + "SPIN: ld.volatile.shared.u32 %r10, [%r29]; setp.eq.u32 %p4, %r10, 0; @%p4 bra SPIN;" + kCommit +
          kTell + "%r10; MET:",
      64, 1);
  EXPECT_EQ(out[1], 9u);
  EXPECT_EQ(t.commits, 1u);
}

}  // namespace
}  // namespace bankshot::simt

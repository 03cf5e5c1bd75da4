// Transactions and the flow of control: branches around and inside, nesting, functions, several at once.
#include <algorithm>

#include "engine_transaction_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineTransactionFlow : public EngineTransactionTest {};

const std::string kOdd = "and.b32 %r10, %r1, 1; setp.eq.u32 %p3, %r10, 1;\n";  ///< %p3: the lane is odd
/// Writes the lanes that execute here.
const std::string kTellWho = "activemask.b32 %r11;" + kTell + "%r11;";

TEST_F(EngineTransactionFlow, one_side_of_a_branch_may_be_a_transaction) {
  totals(kOdd + "@%p3 bra ELSE;" + kBegin + increment("%r29") + kCommit + "ELSE:" + kTellWho, 64, 1);
  EXPECT_EQ(out[0], 32u);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], 0xffffffffu) << "the sides meet behind the commit";
}

TEST_F(EngineTransactionFlow, lanes_may_part_and_meet_inside) {
  totals(kOdd + kBegin +
             "@%p3 bra ODD; red.shared.add.u32 [%r29], 1; bra MET; ODD: red.shared.add.u32 [%r29+4], 1; MET:" +
             "red.shared.add.u32 [%r29+8], 1;" + kCommit + kTellWho,
         64, 3);
  EXPECT_EQ(out[0], 32u);
  EXPECT_EQ(out[1], 32u);
  EXPECT_EQ(out[2], 64u);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[3 + i], 0xffffffffu);
}

TEST_F(EngineTransactionFlow, lanes_may_take_different_turns_of_a_loop_inside) {
  // Lane n adds 1 to words 1 to n % 7, and at the end to word 0.
  totals("rem.u32 %r10, %r1, 7; mov.u32 %r11, 0;" + kBegin +
             "L: setp.ge.u32 %p2, %r11, %r10; @%p2 bra OUT; add.u32 %r11, %r11, 1; mad.lo.u32 %r12, %r11, 4, %r29;" +
             increment("%r12") + "bra L; OUT:" + increment("%r29") + kCommit + kTellWho,
         56, 7);
  EXPECT_EQ(out[0], 56u);
  for (uint32_t word = 1; word < 7; ++word) EXPECT_EQ(out[word], (7 - word) * 8u) << word;
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[7 + i], 0xffffffffu);
}

TEST_F(EngineTransactionFlow, a_transaction_may_be_anywhere_in_a_loop_that_lanes_leave_one_by_one) {
  totals("mov.u32 %r11, 0; L:" + kBegin + increment("%r29") + kCommit +
             "add.u32 %r11, %r11, 1; setp.le.u32 %p2, %r11, %r1; @%p2 bra L;" + kTellWho,
         32, 1);
  EXPECT_EQ(out[0], 32u * 33 / 2);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[1 + i], 0xffffffffu);
}

TEST_F(EngineTransactionFlow, paths_of_a_warp_that_want_transactions_at_once_take_turns) {
  const auto t =
      totals(kOdd + "@%p3 bra ODD;" + kBegin + increment("%r29") + kLetOthers + increment("%r29") + kCommit +
                 "bra MET; ODD:" + kBegin + increment("%r29") + kLetOthers + increment("%r29") + kCommit + "MET:",
             64, 1);
  EXPECT_EQ(out[0], 128u);
  EXPECT_EQ(t.transactions, 4u);
  EXPECT_EQ(t.commits, 64u);
}

/// Of three roles by lane, `first` waits for `second`'s word, which waits for that of the third: both poll in
/// transactions, in loops. `load` and `store` name the memory.
std::string roles(const std::string& load, const std::string& store, const std::string& at, unsigned first,
                  unsigned second) {
  const auto is = [](unsigned role, const std::string& to) {
    return "setp.eq.u32 %p3, %r10, " + std::to_string(role) + "; @%p3 bra " + to + ";";
  };
  const auto poll = [&](const std::string& label, const std::string& offset) {
    return label + ":" + kBegin + load + " %r11, [" + at + offset + "];" + kCommit +
           "setp.eq.u32 %p4, %r11, 0; @%p4 bra " + label + ";";
  };
  const auto tell = [&](const std::string& offset) { return kBegin + store + " [" + at + offset + "], 1;" + kCommit; };
  return "rem.u32 %r10, %r1, 3;" + is(first, "FIRST") + is(second, "SECOND") + tell("") + "bra MET;" +
         poll("SECOND", "") + tell("+4") + "bra MET;" + poll("FIRST", "+4") + tell("+8") + "MET:";
}

TEST_F(EngineTransactionFlow, lanes_that_poll_in_transactions_leave_others_of_their_warp_their_turn) {
  for (const auto& [first, second] : {std::pair{0u, 1u}, {0u, 2u}, {1u, 0u}, {1u, 2u}, {2u, 0u}, {2u, 1u}}) {
    const auto t = totals(roles("ld.shared.u32", "st.shared.u32", "%r29", first, second), 32, 3);
    EXPECT_EQ(out[0] + out[1] + out[2], 3u) << first << second;
    EXPECT_GE(t.transactions, 5u);
    ASSERT_TRUE(run(kernel(kShared + kThread + roles("ld.global.u32", "st.global.u32", "%rd1", first, second) + "ret;"),
                    {1}, {32}, 3));
    EXPECT_EQ(out[0] + out[1] + out[2], 3u) << first << second;
  }
}

TEST_F(EngineTransactionFlow, lanes_may_commit_at_different_places) {
  const auto t =
      totals(kOdd + kBegin + increment("%r29") + "@%p3 bra ODD;" + kCommit +
                 "mov.u32 %r12, 1; bra MET; ODD:" + increment("%r29+4") + kCommit +
                 "mov.u32 %r12, 2; MET: bar.sync 0; activemask.b32 %r11; add.u32 %r12, %r12, %r11;" + kTell + "%r12;",
             64, 2);
  EXPECT_EQ(out[0], 64u);
  EXPECT_EQ(out[1], 32u);
  EXPECT_EQ(t.transactions, 2u);
  EXPECT_EQ(t.commits, 64u);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[2 + i] + 1, (i & 1) + 1) << "a barrier brings them together";
}

TEST_F(EngineTransactionFlow, a_transaction_may_begin_in_a_branch_and_end_behind_it) {
  const auto t = totals(kOdd + "@%p3 bra ODD;" + kBegin + increment("%r29+4") + "bra MET; ODD:" + kBegin +
                            "MET:" + increment("%r29") + kCommit + "mov.u32 %r12, 7;" + kTell + "%r12;",
                        64, 2);
  EXPECT_EQ(out[0], 64u);
  EXPECT_EQ(out[1], 32u);
  EXPECT_EQ(t.commits, 64u);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[2 + i], 7u);
}

TEST_F(EngineTransactionFlow, a_transaction_in_a_transaction_ends_with_it) {
  // The lane's own word is written in the inner one, the conflict comes behind it.
  const auto t = totals("mad.lo.u32 %r5, %r1, 4, %r29; add.u32 %r5, %r5, 4;" + kBegin + kBegin + kBegin +
                            increment("%r5") + kCommit + kCommit + kLetOthers + increment("%r29") + kCommit,
                        64, 65);
  EXPECT_EQ(out[0], 64u);
  for (uint32_t i = 1; i <= 64; ++i) EXPECT_EQ(out[i], 1u) << i;
  EXPECT_EQ(t.transactions, 2u);
  EXPECT_EQ(t.commits, 64u);
  EXPECT_GT(t.conflicts, 0u);
}

TEST_F(EngineTransactionFlow, lanes_may_be_nested_differently) {
  // Even lanes begin twice: the first commit ends the odd ones' transaction, the second that of the even ones.
  const auto t = totals(kOdd + kBegin + "@%p3 bra S;" + kBegin + "S:" + increment("%r29") + kCommit + "@%p3 bra E;" +
                            increment("%r29+4") + kCommit + "E: bar.sync 0;" + kTellWho,
                        64, 2);
  EXPECT_EQ(out[0], 64u);
  EXPECT_EQ(out[1], 32u);
  EXPECT_EQ(t.transactions, 2u);
  EXPECT_EQ(t.commits, 64u);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[2 + i], 0xffffffffu);
}

TEST_F(EngineTransactionFlow, an_attempt_that_was_aborted_in_an_inner_one_begins_at_the_outer_one) {
  const auto t = totals(kBegin + "add.u32 %r1, %r1, 1;" + kBegin + increment("%r29") + kCommit + increment("%r29+4") +
                            kCommit + kTell + "%r1;",
                        32, 2);
  EXPECT_EQ(out[0], 32u);
  EXPECT_EQ(out[1], 32u);
  EXPECT_EQ(t.transactions, 1u);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[2 + i], i + 1);
}

/// f(address, n): adds n to the word, one at a time by itself; returns what it found.
const std::string kAdder =
    ".func (.param .b32 r) f(.param .b32 at, .param .b32 n);\n"
    ".func (.param .b32 r) f(.param .b32 at, .param .b32 n) { .reg .b32 %a<8>; .reg .pred %q; .local .align 4 .b8 "
    "kept[4];\n"
    "ld.param.u32 %a1, [at]; ld.param.u32 %a2, [n]; ld.shared.u32 %a3, [%a1]; st.local.u32 [kept], %a3;\n"
    "add.u32 %a4, %a3, 1; st.shared.u32 [%a1], %a4; sub.u32 %a2, %a2, 1; setp.eq.u32 %q, %a2, 0; @%q bra D;\n"
    "{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %a1; st.param.b32 [y], %a2; call.uni (z), f, (x, "
    "y);\n"
    "ld.param.b32 %a5, [z]; }\n"
    "D: ld.local.u32 %a3, [kept]; st.param.b32 [r], %a3; ret; }\n";
std::string call_adder(const std::string& n) {
  return "{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %r29; st.param.b32 [y], " + n +
         "; call.uni (z), f, (x, y); ld.param.b32 %r12, [z]; }";
}

TEST_F(EngineTransactionFlow, functions_may_be_called_inside) {
  const auto t = totals("mov.u32 %r11, 3;" + kBegin + "add.u32 %r11, %r11, 1;" + call_adder("%r11") + kLetOthers +
                            kCommit + kTell + "%r12;",
                        64, 1, kAdder);
  EXPECT_EQ(out[0], 256u);
  EXPECT_EQ(t.commits, 64u);
  std::vector<uint32_t> found(out.begin() + 1, out.end());
  std::sort(found.begin(), found.end());
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(found[i], 4 * i) << "each has found a sum of whole transactions";
}

TEST_F(EngineTransactionFlow, the_same_function_may_be_called_outside) {
  const auto t = totals("setp.ne.u32 %p3, %r1, 0; @%p3 bra REST; mov.u32 %r11, 5;" + call_adder("%r11") +
                            "REST: bar.sync 0; mov.u32 %r11, 2;" + kBegin + call_adder("%r11") + kCommit,
                        32, 1, kAdder);
  EXPECT_EQ(out[0], 5u + 64);
  EXPECT_EQ(t.commits, 32u);
  EXPECT_LT(t.accesses, 32u * 33 / 2 + 32 * 4) << "outside it asks for nothing";
}

TEST_F(EngineTransactionFlow, a_function_may_have_transactions_of_its_own_in_those_of_others) {
  const std::string g = ".func g(.param .b32 at) { .reg .b32 %a<4>; ld.param.u32 %a1, [at];" + kBegin +
                        "ld.shared.u32 %a2, [%a1]; add.u32 %a2, %a2, 1; st.shared.u32 [%a1], %a2;" + kCommit +
                        "ret; }\n";
  const std::string call = "{ .param .b32 x; st.param.b32 [x], %r29; call.uni g, (x); }";
  const auto t = totals(call + kBegin + call + kLetOthers + call + kCommit, 64, 1, g);
  EXPECT_EQ(out[0], 192u);
  EXPECT_EQ(t.transactions, 4u);  // two warps: one in g, and one around
  EXPECT_EQ(t.commits, 128u);
}

TEST_F(EngineTransactionFlow, a_transaction_may_end_in_another_turn_of_a_loop_than_it_began) {
  // Begins in even turns, ends in odd ones.
  const auto t = totals("mov.u32 %r11, 0; L: and.b32 %r12, %r11, 1; setp.eq.u32 %p2, %r12, 1; @%p2 bra COMMIT;" +
                            kBegin + increment("%r29") + "bra NEXT; COMMIT:" + increment("%r29") + kCommit +
                            "NEXT: add.u32 %r11, %r11, 1; setp.lt.u32 %p2, %r11, 6; @%p2 bra L;" + kTellWho,
                        64, 1);
  EXPECT_EQ(out[0], 64u * 6);
  EXPECT_EQ(t.commits, 64u * 3);
  EXPECT_EQ(t.transactions, 2u * 3);
}

TEST_F(EngineTransactionFlow, warps_meet_at_a_barrier_behind_transactions_of_some) {
  totals(kOdd + "setp.lt.u32 %p4, %r1, 32; @%p4 bra MET; @%p3 bra MET;" + kBegin + increment("%r29") + kCommit +
             "MET: bar.sync 0; ld.shared.u32 %r12, [%r29];" + kTell + "%r12;",
         64, 1);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[1 + i], 16u);
}

// What is refused.

void expect_refused(const Fault& fault, const std::string& what) {
  EXPECT_EQ(fault.kind, Fault::Kind::bad_transaction);
  EXPECT_NE(fault.message.find(what), std::string::npos) << fault.message;
}

TEST_F(EngineTransactionFlow, what_needs_all_lanes_is_refused_inside_with_its_line) {
  for (const char* what : {"bar.sync 0;", "barrier.sync 0;", "bar.red.popc.u32 %r11, 0, %p1;", "bar.arrive 1, 64;"}) {
    const Fault fault =
        fault_of(".loc 1 42 7\n" + kBegin + ".loc 1 43 7\n" + what + "\n.loc 1 44 7\n" + kCommit + "ret;",
                 ".file 1 \"kernel.cu\"\n");
    expect_refused(fault, "a barrier in a transaction");
    EXPECT_EQ(fault.source.file, "kernel.cu");
    EXPECT_EQ(fault.source.line, 43u) << what;
    EXPECT_NE(fault.message.find("which began at kernel.cu:42: "), std::string::npos) << fault.message;
  }
  for (const char* what :
       {"shfl.sync.idx.b32 %r11, %r1, 0, 31, 0xffffffff;", "vote.sync.any.pred %p1, %p2, 0xffffffff;",
        "vote.sync.ballot.b32 %r11, %p2, 0xffffffff;", "bar.warp.sync 0xffffffff;",
        "match.any.sync.b32 %r11, %r1, 0xffffffff;", "redux.sync.add.u32 %r11, %r1, 0xffffffff;",
        "shfl.idx.b32 %r11, %r1, 0, 31;", "vote.any.pred %p1, %p2;"}) {
    const Fault fault =
        fault_of(".loc 1 42 7\n" + kBegin + ".loc 1 43 7\n" + what + "\n.loc 1 44 7\n" + kCommit + "ret;",
                 ".file 1 \"kernel.cu\"\n");
    expect_refused(fault, "an exchange between lanes in a transaction");
    EXPECT_EQ(fault.source.line, 43u) << what;
  }
}

// None of it would be taken back.
TEST_F(EngineTransactionFlow, what_is_neither_watched_nor_undone_is_refused_inside) {
  const auto expect = [&](const char* what, const char* told) {
    const std::string bar = ".shared .align 8 .b64 bar; mov.u32 %r20, bar; mov.u64 %rd20, 0; .reg .b16 %rs1;";
    const std::string functions =
        ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";
    SCOPED_TRACE(what);
    expect_refused(fault_of(bar + kBegin + what + kCommit + "ret;", functions), told);
  };
  expect("cp.async.ca.shared.global [%r29], [%rd1], 4;", "a cp.async in a transaction");
  expect("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r29], 16;", "a bulk copy in a transaction");
  expect("mbarrier.init.shared.b64 [%r20], 1;", "an operation on an mbarrier in a transaction");
  expect("mbarrier.inval.shared.b64 [%r20];", "an operation on an mbarrier in a transaction");
  expect("mbarrier.arrive.shared.b64 _, [%r20];", "an operation on an mbarrier in a transaction");
  expect("{ .param .b64 n; .param .b64 r; st.param.b64 [n], %rd20; call (r), malloc, (n); }",
         "a call that allocates, frees, copies or launches in a transaction");
  expect("{ .param .b64 n; st.param.b64 [n], %rd20; call free, (n); }",
         "a call that allocates, frees, copies or launches in a transaction");
}

TEST_F(EngineTransactionFlow, the_end_of_a_thread_is_refused_inside) {
  expect_refused(fault_of(kBegin + "exit;"), "the end of a thread in a transaction");
  expect_refused(fault_of(kBegin + "setp.eq.u32 %p1, %r1, 3; @%p1 exit;" + kCommit + "ret;"),
                 "the end of a thread in a transaction");
  expect_refused(fault_of(kBegin + "setp.eq.u32 %p1, %r1, 3; @%p1 ret;" + kCommit + "ret;"),
                 "the end of a thread in a transaction");
}

TEST_F(EngineTransactionFlow, a_lane_outside_may_do_what_lanes_inside_may_not) {
  // Odd lanes are inside, and wait for the others; even ones exchange and end.
  const auto stats =
      run(kernel(kShared + kThread + "mov.u32 %r29, s;" + kOdd +
                 "@%p3 bra ODD; shfl.sync.idx.b32 %r11, %r1, 2, 31, 0x55555555;" + kTell + "%r11; exit; ODD:" + kBegin +
                 increment("%r29") + kLetOthers + kCommit + kTell + "%r30; ret;"),
          {1}, {32}, 32);
  ASSERT_TRUE(stats) << stats.error().message;
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i % 2 == 0 ? 2 : i / 2 + 1);
}

TEST_F(EngineTransactionFlow, a_commit_without_a_begin_is_refused) {
  expect_refused(fault_of(kCommit + "ret;"), "tx_commit() without a tx_begin()");
  expect_refused(fault_of(kBegin + kCommit + kCommit + "ret;"), "tx_commit() without a tx_begin()");
  expect_refused(fault_of(kOdd + "@%p3 bra S;" + kBegin + "S:" + kCommit + "ret;"), "tx_commit() without a tx_begin()");
}

TEST_F(EngineTransactionFlow, a_commit_of_an_inner_one_may_be_where_its_begin_is_not) {
  // As nested ones are one, only the outermost commit has to be in the function call of its begin.
  const std::string commits = ".func c() {" + kCommit + "ret; }\n";
  const auto t =
      totals(kBegin + kBegin + increment("%r29") + "call.uni c;" + increment("%r29") + kCommit, 32, 1, commits);
  EXPECT_EQ(out[0], 64u);
  EXPECT_EQ(t.transactions, 1u);
}

TEST_F(EngineTransactionFlow, begin_and_commit_must_be_in_one_function_call) {
  const std::string commits = ".func c() {" + kCommit + "ret; }\n", begins = ".func b() {" + kBegin + "ret; }\n";
  expect_refused(fault_of(kBegin + "call.uni c; ret;", commits),
                 "tx_commit() in another function call than its tx_begin()");
  expect_refused(fault_of("call.uni b;" + kCommit + "ret;", begins),
                 "tx_commit() in another function call than its tx_begin()");
}

TEST_F(EngineTransactionFlow, pragmas_of_ours_that_there_are_not_are_refused_at_load) {
  const std::string told = refusal(kernel("\n.pragma \"bankshot.x\";\nret;"));
  EXPECT_NE(told.find("unknown pragma 'bankshot.x'"), std::string::npos) << told;
  EXPECT_NE(told.find("bankshot.tx_begin and bankshot.tx_commit"), std::string::npos) << told;
  EXPECT_NE(refusal(kernel(".pragma \"nounroll\", \"bankshot.tx_beginn\"; ret;")), "");
  EXPECT_EQ(refusal(kernel(".pragma \"nounroll\"; .pragma \"tx_begin\"; ret;")), "");
}

TEST_F(EngineTransactionFlow, an_access_that_is_wrong_is_wrong_inside_too) {
  EXPECT_EQ(fault_of(kBegin + "mov.u32 %r5, 4096; st.shared.u32 [%r5], 1;" + kCommit + "ret;").kind,
            Fault::Kind::out_of_shared);
  EXPECT_EQ(fault_of(kBegin + "add.u32 %r5, %r29, 4095; ld.shared.u8 %r6, [%r5]; ld.shared.u8 %r6, [%r5+1];" + kCommit +
                     "ret;")
                .kind,
            Fault::Kind::out_of_shared);
  EXPECT_EQ(fault_of(kBegin + "add.u32 %r5, %r29, 2; ld.shared.u32 %r6, [%r5];" + kCommit + "ret;").kind,
            Fault::Kind::misaligned);
  EXPECT_EQ(fault_of(kBegin + "mov.u64 %rd5, 64; ld.u32 %r6, [%rd5];" + kCommit + "ret;").kind,
            Fault::Kind::illegal_address);
}

TEST_F(EngineTransactionFlow, a_kernel_says_that_it_has_transactions) {
  const auto has = [&](const std::string& text) {
    const auto program = engine().load(text, "test.ptx");
    return program && kernels(**program).at(0).has_transactions;
  };
  EXPECT_FALSE(has(kernel("ret;")));
  EXPECT_FALSE(has(kernel(".pragma \"nounroll\"; ret;")));
  EXPECT_TRUE(has(kernel(kBegin + kCommit + "ret;")));
  const std::string g = ".func g() {" + kBegin + kCommit + "ret; }\n";
  EXPECT_TRUE(has(kernel("call.uni g; ret;", g)));
  EXPECT_FALSE(has(kernel("ret;", g))) << "it calls nothing";
}

TEST_F(EngineTransactionFlow, what_is_written_to_global_memory_behind_a_nested_commit_is_kept_until_the_outer_one) {
  const auto stats =
      run(kernel("ld.param.u64 %rd1, [out];" + kBegin + kBegin + kCommit +
                 "ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;" + kCommit + "ret;"),
          {4}, {64}, 1);
  ASSERT_TRUE(stats) << stats.error().message;
  EXPECT_FALSE(stats->parallel);
  EXPECT_EQ(out[0], 256u);
  expect_laws(stats->transactions);
}

}  // namespace
}  // namespace bankshot::simt

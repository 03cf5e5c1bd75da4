// Cycles of an SM, worked out by hand: what issues at n - 1, what at n.
#include "chip_harness.hpp"

namespace bankshot::timing {
namespace {

using SmCycles = ChipTest;

// A lone exit issues in cycle 0, and the launch takes one cycle.
TEST_F(SmCycles, an_empty_kernel_takes_the_cycle_of_its_exit) {
  EXPECT_EQ(cycles("ret;"), 1u);
  EXPECT_EQ(last.timing.counters.warp_instructions, 1u);
}

// mov at 0, then each add 4 cycles after the one it depends on: 4, 8, 12; exit at 13.
TEST_F(SmCycles, dependent_instructions_issue_a_latency_apart) {
  EXPECT_EQ(cycles("mov.u32 %r1, %tid.x; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 2; add.u32 %r1, %r1, 3; ret;"), 14u);
  EXPECT_EQ(slots(Cause::execution), 9u);
  config.units[0].latency = 18;
  chip.reset();
  EXPECT_EQ(cycles("mov.u32 %r1, %tid.x; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 2; add.u32 %r1, %r1, 3; ret;"), 56u);
}

TEST_F(SmCycles, independent_instructions_issue_every_cycle) {
  EXPECT_EQ(cycles("mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; mov.u32 %r4, 4; ret;"), 5u);
  EXPECT_EQ(slots(Cause::execution), 0u);
}

// Two warps fill each other's gaps: warp 0 at 0, 4; warp 1 at 1, 5; exits at 6 (warp 0: its register is not waited for)
// …
TEST_F(SmCycles, another_warp_issues_in_the_gaps) {
  // 0: w0 mov, 1: w1 mov, 4: w0 add, 5: w1 add; round robin then: 6: w0 exit, 7: w1 exit.
  EXPECT_EQ(cycles("mov.u32 %r1, %tid.x; add.u32 %r1, %r1, 1; ret;", {64, 1, 1}), 8u);
  EXPECT_EQ(slots(Cause::execution), 2u);
  EXPECT_EQ(last.timing.counters.warp_cycles, 7u + 8u);
}

// A unit of 8 lanes takes a warp every 4 cycles.
TEST_F(SmCycles, a_narrow_unit_takes_a_warp_every_few_cycles) {
  config.units[static_cast<unsigned>(UnitClass::sfu)] = {1, 8, 20};
  // Issued at 0, 4 and 8; exit at 9.
  EXPECT_EQ(cycles("ex2.approx.ftz.f32 %f1, 0f00000000; ex2.approx.ftz.f32 %f2, 0f00000000; ex2.approx.ftz.f32 %f3, "
                   "0f00000000; ret;"),
            10u);
  EXPECT_EQ(slots(Cause::unit_busy), 6u);
}

// A division is 14 machine instructions, of which 7 wait for one another and for an approximation. Half of its 14 are
// of its unit.
TEST_F(SmCycles, a_division_takes_as_long_as_its_chain) {
  config.units[static_cast<unsigned>(UnitClass::fp32)] = {1, 16, 5};
  config.units[static_cast<unsigned>(UnitClass::sfu)] = {1, 8, 20};
  const std::string quotient = "div.rn.f32 %f1, 0f3F800000, 0f40400000; ";
  // Issued at 0; the addition at 7 * 5 + 20, the exit behind it.
  EXPECT_EQ(cycles(quotient + "add.f32 %f2, %f1, %f1; ret;"), 57u);
  EXPECT_EQ(slots(Cause::issued), 14u + 2);
  // Two that do not depend: the second when the first has left its slots; 7 of 14 cycles a warp are the unit's.
  EXPECT_EQ(cycles(quotient + "div.rn.f32 %f2, 0f3F800000, 0f40400000; ret;"), 29u);
  config.units[static_cast<unsigned>(UnitClass::fp32)].lanes = 8;
  chip.reset();
  // … 7 * 4 cycles: the second issues at 28, the exit when its slots are through.
  EXPECT_EQ(cycles(quotient + "div.rn.f32 %f2, 0f3F800000, 0f40400000; ret;"), 28u + 14 + 1);
}

// On a narrow datapath each of its instructions takes several cycles, of which one counts as issued.
TEST_F(SmCycles, a_division_on_a_narrow_datapath) {
  config.issue.simd_lanes = 8;
  EXPECT_EQ(cycles("div.rn.f32 %f1, 0f3F800000, 0f40400000; ret;"), 60u);  // 14 * 4, and the exit
  EXPECT_EQ(slots(Cause::issued), 15u);
  EXPECT_EQ(slots(Cause::sub_warp), 45u);
}

// A datapath of 8 lanes: each instruction of a warp takes 4 issue cycles.
TEST_F(SmCycles, a_narrow_datapath_takes_four_cycles_a_warp) {
  config.issue.simd_lanes = 8;
  EXPECT_EQ(cycles("mov.u32 %r1, 1; mov.u32 %r2, 2; ret;"), 12u);  // 0, 4, 8 to 12
  EXPECT_EQ(slots(Cause::sub_warp), 9u);
}

// Warp 0 is released at 5, but the datapath is warp 1's until 8.
TEST_F(SmCycles, a_warp_that_is_released_waits_for_the_datapath) {
  config.issue.simd_lanes = 8;
  EXPECT_EQ(cycles("bar.sync 0; ret;", {64, 1, 1}), 16u);  // 0, 4, 8, 12 to 16
}

// Under the strict barrel a warp has one instruction in flight: a mov is done after 4 cycles, whatever follows.
TEST_F(SmCycles, the_strict_barrel_waits_for_the_last_instruction) {
  config.issue.policy = "barrel";
  EXPECT_EQ(cycles("mov.u32 %r1, 1; mov.u32 %r2, 2; ret;"), 9u);  // 0, 4, 8
  EXPECT_EQ(slots(Cause::execution), 6u);
}

// … and what it waits for is what that instruction waits for: conflicts of a shared access are exposed.
TEST_F(SmCycles, the_strict_barrel_waits_for_shared_memory_too) {
  config.issue.policy = "barrel";
  const std::string body =
      ".shared .align 4 .b8 s[4096]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 16; ld.shared.u32 %r3, [%r2]; ret;";
  EXPECT_EQ(cycles(body), 8u + 10 + 3 + 1);
  EXPECT_EQ(slots(Cause::scratchpad), 12u);
  EXPECT_EQ(last.timing.counters.conflict_cycles_exposed, 3u);
}

// Degree d: the banks serve for d cycles, and the data comes d - 1 cycles later than without conflicts.
class SharedDegree : public ChipTest, public ::testing::WithParamInterface<unsigned> {};

TEST_P(SharedDegree, delays_its_data_by_a_cycle_for_each_conflict) {
  const unsigned degree = GetParam();
  const std::string body = "mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, " + std::to_string(4 * degree) +
                           "; ld.shared.u32 %r3, [%r2]; add.u32 %r4, %r3, 1; ret;";
  // mov 0, mul 4, ld 8, add 8 + 10 + degree - 1, exit one later.
  EXPECT_EQ(cycles(".shared .align 4 .b8 s[4096]; " + body), 8u + 10 + degree - 1 + 2);
  EXPECT_EQ(last.timing.counters.shared_wavefronts, degree);
  EXPECT_EQ(last.timing.counters.conflict_cycles_exposed, degree - 1);
}
INSTANTIATE_TEST_SUITE_P(all, SharedDegree, ::testing::Values(1u, 2u, 4u, 8u, 16u, 32u));

// A chain through shared memory beside a chain of arithmetic: what a conflict delays is the data, whatever the warp
// waited for while the banks were busy. Address 8 (mov 0, mul 4); ld 8, [12) the adds at 9, 13, 17, 21; the load's data
// at 18 + 1.
TEST_F(SmCycles, conflicts_of_a_chain_are_exposed_when_the_data_is_late) {
  const std::string front = ".shared .align 4 .b8 s[4096]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, ";
  const std::string back =
      "; ld.shared.u32 %r3, [%r2]; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r3, %r3, %r3; ret;";
  const uint64_t without = cycles(front + "4" + back);
  EXPECT_EQ(cycles(front + "8" + back), without + 1);
  EXPECT_EQ(last.timing.counters.conflict_cycles_exposed, 1u);
  EXPECT_EQ(cycles(front + "32" + back), without + 7);
  EXPECT_EQ(last.timing.counters.conflict_cycles_exposed, 7u);
}

TEST_F(SmCycles, slots_at_a_barrier_belong_to_its_line) {
  config.issue.schedulers = 2;
  cycles(
      "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 32; @%p1 bra wait; mul.lo.u32 %r2, %r1, 3; mul.lo.u32 %r2, %r2, 3; "
      "wait: bar.sync 0; ret;",
      {64, 1, 1});
  uint64_t of_lines = 0;
  for (const auto& line : last.timing.lines) of_lines += line.counters.slots[static_cast<unsigned>(Cause::barrier)];
  EXPECT_GT(of_lines, 0u);
  EXPECT_EQ(of_lines, slots(Cause::barrier));
}

// Three units of 8 lanes for one scheduler: the third and second are anybody's. A warp takes one for 4 cycles: issued
// at 0, 1, 2, and the fourth when the first unit is free again.
TEST_F(SmCycles, units_beyond_the_schedulers_are_anybodys) {
  config.units[static_cast<unsigned>(UnitClass::sfu)] = {3, 8, 4};
  const std::string four =
      "ex2.approx.ftz.f32 %f1, 0f00000000; ex2.approx.ftz.f32 %f2, 0f00000000; ex2.approx.ftz.f32 %f3, 0f00000000; "
      "ex2.approx.ftz.f32 "
      "%f4, 0f00000000;";
  EXPECT_EQ(cycles(four + "ret;"), 6u);
  EXPECT_EQ(slots(Cause::unit_busy), 1u);
}

// The SM has its CTA from 0 to 14; of two SMs one has none.
TEST_F(SmCycles, an_sm_is_active_while_it_has_a_cta) {
  config.sms = 2;
  cycles("mov.u32 %r1, %tid.x; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 2; add.u32 %r1, %r1, 3; ret;");
  EXPECT_EQ(last.timing.counters.active_cycles, 14u);
  EXPECT_EQ(last.timing.counters.sm_cycles, 28u);
}

// Conflicts behind which independent instructions issue cost nothing but for the banks' time.
TEST_F(SmCycles, conflicts_that_others_cover_are_hidden) {
  std::string body =
      ".shared .align 4 .b8 s[4096]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 16; ld.shared.u32 %r3, [%r2];";
  for (int k = 10; k < 30; ++k) body += "mov.u32 %r" + std::to_string(k) + ", 1;";
  EXPECT_EQ(cycles(body + "ret;"), 30u);  // 0, 4, 8, 9 … 28, 29
  EXPECT_EQ(last.timing.counters.conflict_cycles_hidden, 3u);
  EXPECT_EQ(last.timing.counters.conflict_cycles_exposed, 0u);
}

// Where conflicts replay, nothing can cover them: an access of degree 4 issues at 8, 9, 10 and 11.
TEST_F(SmCycles, conflicts_that_replay_take_issue_slots) {
  config.issue.replays = true;
  std::string body =
      ".shared .align 4 .b8 s[4096]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 16; ld.shared.u32 %r3, [%r2];";
  for (int k = 10; k < 30; ++k) body += "mov.u32 %r" + std::to_string(k) + ", 1;";
  EXPECT_EQ(cycles(body + "ret;"), 33u);  // 0, 4, 8, 12 … 31, 32
  EXPECT_EQ(slots(Cause::replay), 3u);
  EXPECT_EQ(last.timing.counters.conflict_cycles_exposed, 3u);
  EXPECT_EQ(last.timing.counters.conflict_cycles_hidden, 0u);
  // The data does not come later than without.
  EXPECT_EQ(cycles(".shared .align 4 .b8 s[4096]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 16;"
                   "ld.shared.u32 %r3, [%r2]; add.u32 %r4, %r3, 1; ret;"),
            8u + 10 + 3 + 2);
  // Stages of a pipeline have their own rule.
  config.issue.pipeline = "split";
  chip.reset();
  cycles(body + "ret;");
  EXPECT_EQ(slots(Cause::replay), 0u);
}

// Lanes 16 bytes apart: 512 bytes are 4 lines. Two instructions a cycle: none goes with an access that replays.
TEST_F(SmCycles, further_lines_and_words_of_constants_replay) {
  config.issue.replays = true;
  config.issue.width = 2;
  const std::string address =
      "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 16; "
      "add.u64 %rd3, %rd1, %rd2; ";
  cycles(address + "ld.global.u32 %r3, [%rd3]; mov.u32 %r4, 1; ret;");
  EXPECT_EQ(slots(Cause::replay), 2u * 3);
  const std::string table =
      "mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 7; mul.lo.u32 %r2, %r1, 4; mov.u64 %rd1, table; "
      "cvt.u64.u32 %rd2, %r2; add.u64 %rd1, %rd1, %rd2; ld.const.u32 %r3, [%rd1]; ret;";
  const auto words = simulate(kernel(table, ".const .align 4 .b8 table[64];"), {1, 1, 1}, {32, 1, 1});
  ASSERT_TRUE(words);
  EXPECT_EQ(words->timing.counters.slots[static_cast<unsigned>(Cause::replay)], 2u * 7);
}

// A queue of one: the first access of degree 4 has the banks in [8, 12), the second waits there from 9 on and has them
// in [12, 16), the third can issue when the second leaves the queue, at 12.
TEST_F(SmCycles, accesses_wait_for_the_banks_in_a_queue) {
  const std::string body =
      ".shared .align 4 .b8 s[4096]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 16;"
      "ld.shared.u32 %r3, [%r2]; ld.shared.u32 %r4, [%r2]; ld.shared.u32 %r5, [%r2]; ret;";
  EXPECT_EQ(cycles(body), 20u);  // 8, 9, 12; the banks are busy until 20
  EXPECT_EQ(slots(Cause::scratchpad_busy), 2u);
}

TEST_F(SmCycles, a_bank_hash_removes_conflicts_and_may_cost_a_cycle) {
  config.rules.hash = scratchpad::fixed_xor_hash({10, 5});
  const std::string body =
      ".shared .align 4 .b8 s[4096]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 128;"
      "ld.shared.u32 %r3, [%r2]; add.u32 %r4, %r3, 1; ret;";
  EXPECT_EQ(cycles(body), 20u);
  EXPECT_EQ(last.timing.counters.shared_wavefronts, 1u);
  config.scratchpad.hash_cycles = 1;
  chip.reset();
  EXPECT_EQ(cycles(body), 21u);
}

// Warps 0 and 1 arrive at 0 and 1; a barrier of 5 cycles lets them issue at 6.
TEST_F(SmCycles, a_barrier_waits_for_the_last_warp) {
  config.issue.barrier_cycles = 5;
  EXPECT_EQ(cycles("bar.sync 0; ret;", {64, 1, 1}), 8u);  // 6 and 7
  EXPECT_EQ(slots(Cause::barrier), 4u);
}

// Warp 0 arrives at 0, warp 1 at 1, which is taken note of at 3; 5 more: 8 and 9.
TEST_F(SmCycles, arrivals_at_a_barrier_are_taken_note_of_one_after_the_other) {
  config.issue.barrier_cycles = 5;
  config.issue.barrier_warp_cycles = 3;
  EXPECT_EQ(cycles("bar.sync 0; ret;", {64, 1, 1}), 10u);
  chip.reset();
  EXPECT_EQ(cycles("bar.sync 0; ret;", {128, 1, 1}), 3u * 3 + 5 + 4);
}

TEST_F(SmCycles, a_launch_takes_its_cycles_before_anything_starts) {
  config.launch.cycles = 500;
  EXPECT_EQ(cycles("ret;"), 501u);
  EXPECT_EQ(slots(Cause::no_warp), 500u);
  EXPECT_EQ(cycles("ret;"), 501u) << "each launch";
}

TEST_F(SmCycles, a_taken_branch_costs_its_front_end_cycles) {
  config.issue.branch_cycles = 3;
  EXPECT_EQ(cycles("bra next; mov.u32 %r1, 1; next: ret;"), 5u);  // bra 0, ret 4
}

// Two instructions of a warp in one cycle, as long as they do not depend on each other.
TEST_F(SmCycles, a_scheduler_may_issue_two_instructions_of_a_warp) {
  config.issue.width = 2;
  config.units[0].count = 1;
  config.units[0].lanes = 64;
  EXPECT_EQ(cycles("mov.u32 %r1, 1; mov.f32 %f1, 0f00000000; ret;"), 2u);
}

TEST_F(SmCycles, schedulers_share_what_there_is_one_of) {
  config.issue.schedulers = 2;
  config.units[static_cast<unsigned>(UnitClass::sfu)] = {1, 32, 4};
  // Both warps want the one unit at 0: the second gets it at 1.
  EXPECT_EQ(cycles("ex2.approx.ftz.f32 %f1, 0f00000000; ret;", {64, 1, 1}), 3u);
  EXPECT_EQ(slots(Cause::unit_busy), 1u);
}

// … and not before the cycles that a CTA needs to take another one's place have passed.
TEST_F(SmCycles, a_cta_starts_some_cycles_behind_the_one_whose_place_it_takes) {
  config.launch.cta_cycles = 100;
  const auto result = simulate(kernel("ret;"), {3, 1, 1}, {32, 1, 1}, 64, 1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->timing.counters.cycles, 2u * 100 + 1);  // exits at 0, 100 and 200
  const auto together = simulate(kernel("ret;"), {3, 1, 1}, {32, 1, 1}, 64, 3);
  ASSERT_TRUE(together);
  EXPECT_EQ(together->timing.counters.cycles, 3u);  // each in a place where nobody was before
}

// Three CTAs where one fits: they run one after the other, each starting at a quantum's end.
TEST_F(SmCycles, ctas_wait_for_a_slot) {
  const auto result = simulate(kernel("ret;"), {3, 1, 1}, {32, 1, 1}, 64, 1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->timing.counters.cycles, 17u);  // 0, 8, 16
  EXPECT_EQ(result->timing.counters.ctas, 3u);
}

// As written: mov at 0, mov at 4, add at 8, exit at 9. As machine code the second mov is an operand of the add: 0,
// 4, 5.
TEST_F(SmCycles, an_instruction_that_is_part_of_another_takes_no_slot_and_no_time) {
  const std::string body = "mov.u32 %r1, %tid.x; mov.b32 %r2, %r1; add.u32 %r3, %r2, 1; ret;";
  EXPECT_EQ(cycles(body), 10u);
  EXPECT_EQ(last.timing.counters.machine_instructions, 4u);
  machine_code = 80;
  renew();
  EXPECT_EQ(cycles(body), 6u);
  EXPECT_EQ(last.timing.counters.warp_instructions, 4u);
  EXPECT_EQ(last.timing.counters.machine_instructions, 3u);
  EXPECT_EQ(slots(Cause::issued), 3u);
  EXPECT_EQ(slots(Cause::execution), 3u);
}

// An addition of 64 bits is two instructions: issued at 0 and 1, there at 5; the next at 5 and 6, exit at 7.
TEST_F(SmCycles, an_instruction_in_pieces_takes_a_slot_for_each) {
  machine_code = 80;
  EXPECT_EQ(cycles("add.s64 %rd1, %rd2, %rd3; add.s64 %rd4, %rd1, %rd1; ret;"), 8u);
  EXPECT_EQ(last.timing.counters.machine_instructions, 5u);
  EXPECT_EQ(slots(Cause::issued), 5u);
  EXPECT_EQ(slots(Cause::execution), 3u);
}

// Two warps: the pieces of one keep the scheduler from the other.
TEST_F(SmCycles, another_warp_issues_behind_all_pieces) {
  machine_code = 80;
  EXPECT_EQ(cycles("add.s64 %rd1, %rd2, %rd3; ret;", {64, 1, 1}), 6u);  // 0-1, 2-3, exits at 4 and 5
  EXPECT_EQ(slots(Cause::issued), 6u);
}

// What is waited for is the data, not the conversion of it.
TEST_F(SmCycles, the_value_of_a_load_is_passed_on_when_it_comes) {
  machine_code = 80;
  const std::string load = "ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r1, [%rd2]; ";
  const uint64_t direct = cycles(load + "add.u32 %r3, %r1, 1; st.global.u32 [%rd2+4], %r3; ret;");
  renew();
  EXPECT_EQ(cycles(load + "mov.b32 %r2, %r1; add.u32 %r3, %r2, 1; st.global.u32 [%rd2+4], %r3; ret;"), direct);
  EXPECT_EQ(out[1], 1u);
  EXPECT_EQ(last.timing.counters.warp_instructions, last.timing.counters.machine_instructions + 3);
}

// Two loads one behind the other are under way together, though the text uses the first before it starts the second.
TEST_F(SmCycles, loads_of_a_block_start_before_their_uses) {
  const std::string body =
      "ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r1, [%rd2]; add.u32 %r3, %r1, 1; "
      "st.shared.u32 [0], %r3; ld.global.u32 %r2, [%rd2+128]; add.u32 %r4, %r2, 2; st.shared.u32 [4], %r4; ret;";
  const uint64_t written = cycles(".shared .align 4 .b8 s[64]; " + body);
  machine_code = 80;
  renew();
  EXPECT_LT(cycles(".shared .align 4 .b8 s[64]; " + body), written - 40)
      << "a trip to memory takes more than 40 cycles";
}

}  // namespace
}  // namespace bankshot::timing

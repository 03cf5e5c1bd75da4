// Cycles of an SM whose pipeline has stages, worked out by hand from the figures of Elastic Pipeline: see
// staged_harness.hpp. T is the cycle in which the first access issues, d the degree of each of its sub-warps.
#include "staged_harness.hpp"

namespace bankshot::timing {
namespace {

using StagedCycles = StagedTest;
const std::string kLoad = "ld.shared.u32 %r3, [%r2];", kSecond = "ld.shared.u32 %r4, [%r2];";

TEST_F(StagedCycles, an_exit_takes_an_issue_cycle_for_each_sub_warp) {
  for (const char* organisation : {"unified", "split", "elastic"}) EXPECT_EQ(under(organisation, "ret;"), 4u);
}

// Issued at 0, c and 2 c; the exit 4 cycles behind the last, until 2 c + 8.
TEST_F(StagedCycles, dependent_instructions_are_as_far_apart_as_their_stages_are_long) {
  const std::string body = "mov.u32 %r1, %tid.x; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 2; ret;";
  for (const char* organisation : {"unified", "split"}) {
    EXPECT_EQ(under(organisation, body), 2u * 11 + 8);
    EXPECT_EQ(slots(Cause::execution), 2u * 7);
    EXPECT_EQ(slots(Cause::sub_warp), 4u * 3);
  }
  EXPECT_EQ(under("elastic", body), 2u * 7 + 8);
  EXPECT_EQ(slots(Cause::execution), 2u * 3);
}

// 12 cycles more than the 8 stages.
TEST_F(StagedCycles, units_that_take_longer_than_the_stages_do_so_besides) {
  config.units[0].latency = 20;
  const std::string body = "mov.u32 %r1, %tid.x; add.u32 %r1, %r1, 1; ret;";
  EXPECT_EQ(under("unified", body), 11u + 12 + 8);
  EXPECT_EQ(under("elastic", body), 7u + 12 + 8);
}

class StagedDegree : public StagedTest, public ::testing::WithParamInterface<unsigned> {};

// The addition issues in T + 4 d + 7, the exit ends 8 cycles behind that. From T + 4 on nobody can issue: where the
// front stands still because the second sub-warp waits in EXE, [T + 4, T + 3 + d), that is the cause; with a queue
// there it waits in that.
TEST_P(StagedDegree, data_is_there_when_the_last_sub_warp_has_passed_the_banks) {
  const unsigned d = GetParam();
  const std::string body = address(d) + kLoad + "add.u32 %r4, %r3, 1; ret;";
  for (const char* organisation : {"unified", "split", "elastic"}) {
    EXPECT_EQ(under(organisation, body), 2 * chained(organisation) + 4 * d + 7 + 8) << organisation;
    const unsigned stands = std::string(organisation) == "elastic" ? 0 : d - 1;
    EXPECT_EQ(slots(Cause::bank_conflict), stands) << organisation;
    EXPECT_EQ(slots(Cause::scratchpad), 4 * d + 3 - stands) << organisation;
    EXPECT_EQ(last.timing.counters.shared_wavefronts, 4 * d);
    EXPECT_EQ(last.timing.counters.shared_ideal, 4u);
  }
}

// Nine instructions that need no memory behind the access.
TEST_P(StagedDegree, others_behind_a_conflict_are_stopped_or_not) {
  const unsigned d = GetParam();
  const std::string body = address(d) + kLoad + movs(9) + "ret;";
  // Figure 4(a): each of the four sub-warps holds up whoever is behind it for d - 1 cycles: 10 more instructions, 4
  // cycles each.
  EXPECT_EQ(under("unified", body), 22u + 4 + 4 * (d - 1) + 40);
  EXPECT_EQ(slots(Cause::bank_conflict), 4 * (d - 1));
  // Figure 4(b): only those behind it that are of the access, three. The first of the others leaves EXE in T + 4 + 3 d
  // and is due in T + 8 + 3 d; the last sub-warp of the access is written back in T + 6 + 4 d. From d = 2 on it finds
  // one there that is due, too: that one and all behind it stand for a cycle. Others are before it: of the third one,
  // written back in T + 6 + 3 d, nobody is in the way.
  const unsigned collides = d > 1 ? 1 : 0;
  EXPECT_EQ(under("split", body), 22u + 4 + 3 * (d - 1) + collides + 40);
  EXPECT_EQ(slots(Cause::bank_conflict), 3 * (d - 1) + collides);
  // Figures 5 and 6: nobody. The banks deliver until T + 3 + 4 d = 49 at most, the exit ends in 58.
  EXPECT_EQ(under("elastic", body), 14u + 4 + 40);
  EXPECT_EQ(slots(Cause::bank_conflict), 0u);
}

// What is not memory and issues in T + 4 leaves EXE in T + 7 to T + 10; the access is written back in T + 6 + d k, k =
// 1 to 4.
TEST_P(StagedDegree, results_beside_take_the_bubbles_that_conflicts_leave) {
  const unsigned d = GetParam();
  // The last of those four is written back in the fourth cycle from T + 7 on that no access takes:
  // d = 1: T + 11 12 13 14; d = 2: 7 9 11 13; d = 4: 7 8 9 11 (not 10); d = 8: 7 8 9 10.
  const unsigned written = d == 1 ? 14 : d == 2 ? 13 : d == 4 ? 11 : 10;
  // Who needs it issues a cycle later; behind that the exit. The banks are busy until T + 3 + 4 d.
  EXPECT_EQ(under("elastic", address(d) + kLoad + "mov.u32 %r5, 1; add.u32 %r6, %r5, 1; ret;"),
            14 + std::max(written + 1 + 8, 3 + 4 * d));
  EXPECT_EQ(slots(Cause::bank_conflict), 0u);
}

// Split. The access of d = 2 is written back in T + 8, 10, 12 and 14, its sub-warps hold up the front in T + 4, 6
// and 8. The move comes to the stages beside in T + 10 to T + 13, and would be written back in T + 14 to T + 17, but in
// T + 14 the access is: it stands there for that cycle. The second access, of d = 1, goes past it into the stages of
// memory in T + 14 to T + 17: it is written back in T + 18 to T + 21, when the last of the move would be, which so is
// in T + 22. Its result was told for T + 19 before.
TEST_F(StagedCycles, a_result_comes_later_where_an_access_behind_it_is_in_its_way) {
  const std::string body = address(2) + "shl.b32 %r6, %r1, 2;" + kLoad + "mov.u32 %r5, 1; ld.shared.u32 %r4, [%r6];";
  EXPECT_EQ(under("split", body + "add.u32 %r7, %r5, 1; ret;"), 22u + 23 + 8);
  EXPECT_EQ(slots(Cause::execution), 7u + 3 + 8);  // for %r1 and %r2, and from T + 15 to T + 23
  EXPECT_EQ(slots(Cause::bank_conflict), 3u);
}

// The same with a warp for each of the three, one behind the other, under the strict barrel: another move comes when
// the first is complete. That is in T + 23, and told for T + 19 before; from T + 22 on the third warp's exit has the
// front, its access being complete, so that the move issues in T + 26.
TEST_F(StagedCycles, the_strict_barrel_waits_for_a_result_that_comes_later) {
  config.issue.policy = "barrel";
  options.timeline_cycles = 10'000;
  under("split",
        address(2) +
            "shl.b32 %r6, %r1, 2; mov.u32 %r7, %tid.x; setp.ge.u32 %p1, %r7, 64; setp.ge.u32 %p2, %r7, 32;"
            "@%p1 bra third; @%p2 bra second; bar.sync 0;" +
            kLoad +
            "ret; second: bar.sync 0; mov.u32 %r5, 1; mov.u32 %r9, 2; ret;"
            "third: mov.u32 %r8, 1; mov.u32 %r8, 2; bar.sync 0; ld.shared.u32 %r4, [%r6]; ret;",
        {96, 1, 1});
  std::array<std::vector<Cycle>, 3> issued;  // by warp
  for (const Span& span : last.timing.timeline) {
    if (span.track == Track::warp) issued[span.index].push_back(span.begin);
  }
  const auto from_end = [&](unsigned warp, size_t n) { return issued[warp][issued[warp].size() - n]; };
  const Cycle t = from_end(0, 2);
  EXPECT_EQ(from_end(1, 3), t + 5);   // the move: the front stands still in T + 4
  EXPECT_EQ(from_end(2, 2), t + 11);  // the second access
  EXPECT_EQ(from_end(0, 1), t + 15);  // the first one's data is there
  EXPECT_EQ(from_end(2, 1), t + 22);
  EXPECT_EQ(from_end(1, 2), t + 26);  // the other move
}

// The access of d = 8 issues in T: its third sub-warp stands in EXE in [T + 12, T + 19), the fourth in ID, and nobody
// in IF. The addition can issue from T + 14 on, when the move is complete. The front stands still until T + 19; where
// gaps close, the addition comes to IF at once.
TEST_F(StagedCycles, in_a_standstill_an_instruction_issues_into_a_gap_or_not) {
  options.timeline_cycles = 10'000;
  set_parameter(config, "issue.premem", 0);
  struct Case {
    const char* organisation;
    unsigned latency;  // of the move, which issues 7 cycles before T, in the elastic pipeline 4
  };
  for (const Case& one : {Case{"unified", 18}, Case{"split", 18}, Case{"elastic", 19}}) {
    for (const bool squeeze : {false, true}) {
      config.units[0].latency = one.latency;
      set_parameter(config, "issue.squeeze", squeeze);
      under(one.organisation, address(8) + "mov.u32 %r5, 1;" + kLoad + "add.u32 %r6, %r5, 1; ret;");
      std::vector<Cycle> issued;
      for (const Span& span : last.timing.timeline) {
        if (span.track == Track::warp) issued.push_back(span.begin);
      }
      ASSERT_EQ(issued.size(), 6u);
      EXPECT_EQ(issued[4] - issued[3], squeeze ? 14u : 19u) << one.organisation;
    }
  }
}

// A second access may issue in T + 4 d, when the banks are free as it comes to them.
TEST_P(StagedDegree, foresight_holds_an_access_back_for_the_safe_distance) {
  const unsigned d = GetParam();
  config.issue.aware = "exact";
  const std::string body = address(d) + kLoad + kSecond + "add.u32 %r5, %r4, 1; ret;";
  // The second one's data is there 4 d + 7 cycles behind its issue, as if it were alone.
  EXPECT_EQ(under("elastic", body), 14 + 4 * d + (4 * d + 7) + 8);
  EXPECT_EQ(slots(Cause::foreseen), 4 * d - 4);
  EXPECT_EQ(slots(Cause::bank_conflict), 0u);
  EXPECT_EQ(last.timing.counters.foreseen_right, 2u);
}
INSTANTIATE_TEST_SUITE_P(all, StagedDegree, ::testing::Values(1u, 2u, 4u, 8u));

// Of two accesses with d = 8 the second one's sub-warps come to EXE's end in T + 7, 12, 20 and 28. Three may wait: each
// has to wait until the third before it has got to the banks, in T + 11, 19, 27 and 35. 4 + 7 + 7 + 7 cycles.
TEST_F(StagedCycles, without_foresight_a_second_access_fills_the_queue_before_the_banks) {
  EXPECT_EQ(under("elastic", address(8) + kLoad + kSecond + movs(4) + "ret;"),
            14u + 3 + 64);  // the banks have both served
  EXPECT_EQ(slots(Cause::bank_conflict), 25u);
  EXPECT_EQ(slots(Cause::foreseen), 0u);
}

TEST_F(StagedCycles, foresight_holds_back_memory_and_nobody_else) {
  config.issue.aware = "exact";
  // Three others in T + 4, 8 and 12, then from T + 16 to T + 32 nobody.
  under("elastic", address(8) + kLoad + movs(3) + kSecond + "ret;");
  EXPECT_EQ(slots(Cause::foreseen), 16u);
  // Any memory: parameters too, stores, global loads.
  for (const char* access : {"ld.param.u64 %rd1, [out];", "st.shared.u32 [%r2], %r1;", "ld.global.u32 %r9, [%rd2];",
                             "st.global.u32 [%rd2], %r1;"}) {
    // %rd2 is there before: what it takes is not in the way.
    under("elastic", "ld.param.u64 %rd2, [out];" + movs(3) + address(8) + kLoad + access + "ret;");
    EXPECT_EQ(slots(Cause::foreseen), 28u) << access;
    EXPECT_EQ(slots(Cause::bank_conflict), 0u) << access;
  }
  // In one pipeline for all the front stands still in [T + 4, T + 11); it is held back for the rest.
  under("unified", address(8) + kLoad + kSecond + "ret;");
  EXPECT_EQ(slots(Cause::foreseen), 21u);
}

// The history cache. A loop of three rounds, with an access of d = 8 and one of d = 1. The first time nothing is known,
// which is wrong of the one and right of the other.
TEST_F(StagedCycles, what_happened_once_is_foreseen) {
  config.issue.aware = "last";
  under("elastic", address(8) + "mov.u32 %r7, 0; shr.u32 %r6, %r2, 3; again:" + kLoad +
                       "ld.shared.u32 %r4, [%r6]; add.u32 %r7, %r7, %r3;"
                       "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3; @%p1 bra again; ret;");
  EXPECT_EQ(last.timing.counters.foreseen_under, 1u);
  EXPECT_EQ(last.timing.counters.foreseen_right, 5u);
  EXPECT_EQ(last.timing.counters.foreseen_over, 0u);
  // Twice it is known that the second access must keep 32 cycles behind the first; nobody else can issue.
  EXPECT_EQ(slots(Cause::foreseen), 2u * 28);
}

// What the banks serve until T + 35 is known from then on: not yet when the other warp issues the same access.
TEST_F(StagedCycles, a_conflict_is_known_when_the_banks_have_dealt_with_it) {
  config.issue.aware = "last";
  under("elastic", address(8) + kLoad + "add.u32 %r4, %r3, 1; ret;", {64, 1, 1});
  EXPECT_EQ(last.timing.counters.foreseen_under, 2u);
  EXPECT_EQ(slots(Cause::foreseen), 0u);
}

// Two warps: issues at 0 4 | 8 12 | 16: w0's access. w1's could go in 20.
const std::string kTwoAccesses = address(8) + kLoad + movs(2) + "ret;";

// Before its sub-warps there are as many as can wait: as in without_foresight_…, with T = 16.
TEST_F(StagedCycles, a_second_warps_access_behind_a_conflict_stops_the_front) {
  EXPECT_EQ(under("elastic", kTwoAccesses, {64, 1, 1}), 16u + 3 + 64);
  EXPECT_EQ(slots(Cause::bank_conflict), 25u);
}

// w0's two moves and exit go in 20, 24 and 28 instead; then nobody until 16 + 32.
TEST_F(StagedCycles, other_instructions_go_first_where_an_access_is_held_back) {
  config.issue.aware = "exact";
  EXPECT_EQ(under("elastic", kTwoAccesses, {64, 1, 1}), 16u + 3 + 64);
  EXPECT_EQ(slots(Cause::bank_conflict), 0u);
  EXPECT_EQ(slots(Cause::foreseen), 16u);
}

// The same until 32; then, as nobody else can, the access does. Its sub-warps come to EXE's end in 35, 36, 37 and 44;
// those before got to the banks in 19, 27, 35 and 43, so the third waits for 6 cycles. Its own first has them in 51:
// the fourth waits for 7.
TEST_F(StagedCycles, who_yields_goes_when_nobody_else_can) {
  config.issue.aware = "exact";
  config.issue.aware_yields = true;
  EXPECT_EQ(under("elastic", kTwoAccesses, {64, 1, 1}), 16u + 3 + 64);
  EXPECT_EQ(slots(Cause::bank_conflict), 6u + 7);
  EXPECT_EQ(slots(Cause::foreseen), 0u);
}

// All that there is are accesses: yielding makes them as good as not foreseen.
TEST_F(StagedCycles, who_yields_does_so_for_every_warp_that_is_held_back) {
  const std::string body = address(8) + kLoad + "add.u32 %r4, %r3, 1; ret;";
  const Cycle without = under("elastic", body, {128, 1, 1});
  const uint64_t stalls = slots(Cause::bank_conflict);
  config.issue.aware = "exact";
  under("elastic", body, {128, 1, 1});
  EXPECT_GT(slots(Cause::foreseen), 0u);
  config.issue.aware_yields = true;
  EXPECT_EQ(under("elastic", body, {128, 1, 1}), without);
  EXPECT_EQ(slots(Cause::bank_conflict), stalls);
  EXPECT_EQ(slots(Cause::foreseen), 0u);
}

// A load from outside is written back in four cycles in which nobody else is: in all stages who issues next stands for
// them, in the elastic pipeline four may wait. They must not be there yet: the load itself passes the stages of memory,
// so that four behind it wait, until nobody issues in four cycles: an addition takes three more than it issues in.
TEST_F(StagedCycles, loaded_data_stops_the_front_where_nothing_can_wait) {
  const std::string one = "ld.param.u64 %rd1, [out]; ld.global.u32 %r3, [%rd1];",
                    two = one + "ld.global.u32 %r4, [%rd1+4096];";
  const std::string pause = "mov.u32 %r5, 1; add.u32 %r5, %r5, 1; add.u32 %r5, %r5, 1;", behind = movs(100) + "ret;";
  for (const char* organisation : {"unified", "split"}) {
    under(organisation, one + pause + behind);
    EXPECT_EQ(slots(Cause::pipeline), 4u) << organisation;
    under(organisation, two + pause + behind);
    EXPECT_EQ(slots(Cause::pipeline), 8u) << organisation;
  }
  under("elastic", one + pause + behind);
  EXPECT_EQ(slots(Cause::pipeline), 0u);
  under("elastic", one + behind);
  EXPECT_EQ(slots(Cause::pipeline), 4u) << "the queue is full of those that the load itself made wait";
  under("elastic", two + pause + behind);
  EXPECT_EQ(slots(Cause::pipeline), 4u) << "… that the first one's data made wait";
  EXPECT_EQ(slots(Cause::bank_conflict), 0u);
}

// A load of the first-level cache in 8 banks, 4 d bytes from lane to lane: d lines, whose sub-warps have degree d. On a
// hit its last line is there in t + 12 + d - 1 and its sub-warps are written back in the four cycles from then on, so
// that what depends on it issues in t + d + 15. The banks are done in t + 4 d + 3, 3 stages later the last sub-warp
// would be written back, and the cache takes 4 cycles more than the stages do: t + 4 d + 11.
TEST_F(StagedCycles, a_first_level_cache_in_banks_has_conflicts) {
  for (const char* organisation : {"unified", "split", "elastic"}) {
    for (const unsigned degree : {1u, 2u, 4u, 8u}) {
      const std::string load =
          "ld.param.u64 %rd1, [out]; mov.u32 %r1, %laneid; mul.wide.u32 %rd2, %r1, " + std::to_string(4 * degree) +
          "; add.u64 %rd1, %rd1, %rd2; ld.global.u32 %r3, [%rd1]; and.b32 %r4, %r3, 0; cvt.u64.u32 %rd3, %r4;"
          "add.u64 %rd1, %rd1, %rd3; ld.global.u32 %r5, [%rd1]; add.u32 %r6, %r5, 1; ret;";
      config.l1.banks = 0;
      const Cycle without = under(organisation, load);
      EXPECT_EQ(last.timing.counters.l1_wavefronts, 0u);
      config.l1.banks = 8;
      const Cycle with = under(organisation, load);
      EXPECT_EQ(with - without, degree == 1 ? 0 : 3 * degree - 4) << organisation << " " << degree;
      EXPECT_EQ(last.timing.counters.l1_load_hits, degree);  // of the second; the first waits for memory for longer
      EXPECT_EQ(last.timing.counters.l1_wavefronts, 2 * 4 * degree);
      EXPECT_EQ(last.timing.counters.l1_ideal, 2 * 4u);
    }
  }
}

TEST_F(StagedCycles, a_cache_has_conflicts_only_of_what_it_caches) {
  config.l1.banks = 8;
  const auto wavefronts = [&](const std::string& load) {
    under("elastic",
          "ld.param.u64 %rd1, [out]; mov.u32 %r1, %laneid; mul.wide.u32 %rd2, %r1, 32; add.u64 %rd1, %rd1, %rd2;" +
              load + " %r3, [%rd1]; add.u32 %r6, %r3, 1; ret;");
    return last.timing.counters.l1_wavefronts;
  };
  EXPECT_EQ(wavefronts("ld.global.u32"), 32u);
  EXPECT_EQ(wavefronts("ld.volatile.global.u32"), 0u) << "it finds nothing there";
  config.l1.global = false;
  EXPECT_EQ(wavefronts("ld.global.u32"), 0u);
  config.l1.global = true;
  config.l1.bytes = 0;
  EXPECT_EQ(wavefronts("ld.global.u32"), 0u);
}

// Both warps arrive in 0 and 4, and can issue again in 5: in 8, when the front is free.
TEST_F(StagedCycles, a_barrier_lets_warps_go_on_as_they_come) {
  for (const char* organisation : {"unified", "split", "elastic"})
    EXPECT_EQ(under(organisation, "bar.sync 0; ret;", {64, 1, 1}), 16u);
}

// Without a queue before the banks the sub-warps of the access themselves stand in EXE: 3 * (d - 1).
TEST_F(StagedCycles, without_entries_before_the_banks_an_access_stops_the_front_itself) {
  set_parameter(config, "issue.premem", 0);
  EXPECT_EQ(under("elastic", address(8) + kLoad + movs(9) + "ret;"), 14u + 4 + 3 * 7 + 40);
  EXPECT_EQ(slots(Cause::bank_conflict), 21u);
  set_parameter(config, "issue.premem",
                2);  // the third one that waits has no place: from T + 6, when it would leave, [T + 6, T + 11)
  EXPECT_EQ(under("elastic", address(8) + kLoad + movs(9) + "ret;"), 14u + 4 + 5 + 40);
  EXPECT_EQ(slots(Cause::bank_conflict), 5u);
}

// The access of d = 1 is written back in T + 7 to T + 10, just when the first of the others would be.
TEST_F(StagedCycles, without_entries_beside_the_memory_stages_others_stop_the_front_at_its_write_back) {
  set_parameter(config, "issue.nonmem", 0);
  EXPECT_EQ(under("elastic", address(1) + kLoad + movs(3) + "ret;"), 14u + 4 + 4 + 16);
  EXPECT_EQ(slots(Cause::bank_conflict), 4u);
  set_parameter(config, "issue.nonmem", 3);
  EXPECT_EQ(under("elastic", address(1) + kLoad + movs(3) + "ret;"), 14u + 4 + 1 + 16);
  set_parameter(config, "issue.nonmem", 4);
  EXPECT_EQ(under("elastic", address(1) + kLoad + movs(3) + "ret;"), 14u + 4 + 16);
}

// Section 6. Each of 6 instructions is complete 11 cycles behind its issue.
TEST_F(StagedCycles, a_reorder_buffer_has_as_many_instructions_of_a_warp_in_flight_as_entries) {
  const std::string body = movs(6) + "ret;";
  EXPECT_EQ(under("unified", body), 28u);
  config.issue.commit = Commit::reorder;
  config.issue.reorder_entries = 1;
  EXPECT_EQ(under("unified", body), 6u * 11 + 4);  // 0, 11, …
  EXPECT_EQ(slots(Cause::reorder), 6u * 7);
  config.issue.reorder_entries = 2;
  EXPECT_EQ(under("unified", body), 37u);  // 0 4 | 11 15 | 22 26 | 33
  EXPECT_EQ(slots(Cause::reorder), 3u * 3);
  config.issue.reorder_entries = 3;
  EXPECT_EQ(under("unified", body), 28u);  // the first is complete in 11, the fourth comes in 12
  EXPECT_EQ(slots(Cause::reorder), 0u);
}

// The access is complete in T + 39 and holds up the commitment of three that are behind it. Then there is room.
TEST_F(StagedCycles, a_reorder_buffer_is_left_in_order) {
  config.issue.commit = Commit::reorder;
  config.issue.reorder_entries = 4;
  EXPECT_EQ(under("elastic", address(8) + kLoad + movs(6) + "ret;"), 14u + 39 + 4 * 4);  // T + 4 8 12 | 39 43 47 51
  EXPECT_EQ(slots(Cause::reorder), 39u - 16);
}

TEST_F(StagedCycles, a_reorder_buffer_waits_for_global_memory_too) {
  const std::string body = "ld.param.u64 %rd1, [out]; ld.global.u32 %r3, [%rd1];" + movs(6);
  config.issue.commit = Commit::reorder;
  config.issue.reorder_entries = 64;
  under("elastic", body + "ret;");
  EXPECT_EQ(slots(Cause::reorder), 0u);
  config.issue.reorder_entries = 1;
  const Cycle serial = under("elastic", body + "ret;");
  EXPECT_GT(slots(Cause::reorder), 6u * 3);  // the moves alone
  config.issue.commit = Commit::any;
  EXPECT_EQ(under("elastic", body + "add.u32 %r4, %r3, 1; ret;") + 5 * 7 + 3, serial)
      << "6 moves of 7 cycles behind the data for one addition";
}

// One with a conflict in flight issues nothing: until T + 39. Without conflicts it goes on.
TEST_F(StagedCycles, a_warp_holds_where_its_access_has_a_conflict) {
  config.issue.commit = Commit::hold;
  EXPECT_EQ(under("elastic", address(8) + kLoad + movs(3) + "ret;"), 14u + 39 + 16);
  EXPECT_EQ(slots(Cause::scratchpad), 35u);
  EXPECT_EQ(under("elastic", address(1) + kLoad + movs(3) + "ret;"), 14u + 4 + 16);
}

// ex2 is complete in 19, 12 cycles behind its write-back, and the move behind it, issued in 4, alone would be in 11.
TEST_F(StagedCycles, results_that_are_held_come_in_order) {
  config.units[static_cast<unsigned>(UnitClass::sfu)].latency = 20;
  const std::string body = "ex2.approx.ftz.f32 %f1, 0f00000000; mov.u32 %r5, 1; add.u32 %r6, %r5, 1; ret;";
  EXPECT_EQ(under("elastic", body), 11u + 8);
  config.issue.commit = Commit::hold;
  EXPECT_EQ(under("elastic", body), 19u + 8);
}

// The strict barrel has one in flight: there is nothing to put in order.
TEST_F(StagedCycles, commitment_changes_nothing_under_the_strict_barrel) {
  const std::string body = address(8) + kLoad + movs(20) + "ret;";
  config.issue.policy = "barrel";
  const Cycle any = under("elastic", body, {64, 1, 1});
  for (const Commit commit : {Commit::reorder, Commit::hold}) {
    config.issue.commit = commit;
    config.issue.reorder_entries = 1;
    EXPECT_EQ(under("elastic", body, {64, 1, 1}), any);
    EXPECT_EQ(slots(Cause::reorder), 0u);
  }
}

}  // namespace
}  // namespace bankshot::timing

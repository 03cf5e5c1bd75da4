// The stages of the elastic-pipeline paper, cycle by cycle: its figures, and what its equations promise.
#include "bankshot/timing/pipelines/stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "stepped_stages.hpp"

namespace bankshot::timing {
namespace {

struct Passed {
  std::map<uint32_t, unsigned> written;   ///< cycle of write-back, by sub-warp
  std::map<uint32_t, unsigned> fetched;   ///< … in the first stage for the first time
  std::map<unsigned, StageStall> stalls;  ///< by cycle
  std::vector<uint32_t> order;            ///< of write-back
};

/// Fetches one after the other, as early as possible from cycle 0 on; none: a bubble.
Passed pass(const StageShape& shape, const std::vector<std::optional<SubWarp>>& program) {
  Stages stages(shape);
  Passed result;
  std::map<Cycle, uint32_t> by_cycle;
  Cycle cycle = 0;
  for (const auto& next : program) {
    cycle = stages.moves(cycle);
    if (next) {
      if (next->id % 3 == 0) stages.forget_before(cycle);
      const StageTimes times = stages.fetch(cycle, *next);
      EXPECT_EQ(times.fetch, cycle);
      result.fetched[static_cast<uint32_t>(next->id)] = static_cast<unsigned>(cycle);
      result.written[static_cast<uint32_t>(next->id)] = static_cast<unsigned>(times.write_back);
      for (Cycle at = times.still_begin; at < times.still_end; ++at) {
        result.stalls[static_cast<unsigned>(at)] = stages.standstill(at).why;
      }
      if (times.arrive < times.leave) {
        EXPECT_NE(times.why, StageStall::none);
      } else {
        EXPECT_EQ(times.why, StageStall::none);
      }
      for (const auto& late : stages.late()) {
        EXPECT_GT(late.write_back, result.written[static_cast<uint32_t>(late.id)]);
        EXPECT_GT(late.write_back, cycle) << "told in time";
        result.written[static_cast<uint32_t>(late.id)] = static_cast<unsigned>(late.write_back);
      }
      stages.late().clear();
    }
    ++cycle;
  }
  std::vector<std::pair<unsigned, uint32_t>> order;
  for (const auto& [id, at] : result.written) order.emplace_back(at, id);
  std::sort(order.begin(), order.end());
  for (const auto& [at, id] : order) result.order.push_back(id);
  return result;
}

/// The same, but that several alike are fetched at once where that can be.
Passed pass_freely(const StageShape& shape, const std::vector<std::optional<SubWarp>>& program, unsigned& at_once) {
  Stages stages(shape);
  Passed result;
  const auto late = [&] {
    for (const auto& one : stages.late())
      result.written[static_cast<uint32_t>(one.id)] = static_cast<unsigned>(one.write_back);
    stages.late().clear();
  };
  Cycle cycle = 0;
  for (size_t k = 0; k < program.size();) {
    cycle = stages.moves(cycle);
    stages.forget_before(cycle);
    unsigned count = 0;
    while (count < 4 && k + count < program.size() && program[k + count] &&
           program[k + count]->memory == program[k]->memory &&
           (!program[k]->memory || program[k + count]->degree == 1)) {
      ++count;
    }
    const Cycle last =
        count < 2 ? 0 : stages.fetch_freely(cycle, count, program[k]->memory, ~uint64_t{0}, program[k + count - 1]->id);
    if (last != 0) {
      for (unsigned n = 0; n < count; ++n) {
        const auto id = static_cast<uint32_t>(program[k + n]->id);
        result.fetched[id] = static_cast<unsigned>(cycle + n);
        // Of several at once only the last is told if it comes later, which in split it may.
        const bool told = shape.organisation != Organisation::split || n + 1 == count;
        if (told) result.written[id] = static_cast<unsigned>(last - (count - 1 - n));
      }
      at_once += count;
      cycle += count;
      k += count;
      continue;
    }
    if (program[k]) {
      const StageTimes times = stages.fetch(cycle, *program[k]);
      result.fetched[static_cast<uint32_t>(program[k]->id)] = static_cast<unsigned>(cycle);
      result.written[static_cast<uint32_t>(program[k]->id)] = static_cast<unsigned>(times.write_back);
      for (Cycle at = times.still_begin; at < times.still_end; ++at)
        result.stalls[static_cast<unsigned>(at)] = stages.standstill(at).why;
      late();
    }
    ++cycle;
    ++k;
  }
  return result;
}

/// The same, stepped.
Passed stepped(const StageShape& shape, const std::vector<std::optional<SubWarp>>& program) {
  SteppedStages stages(shape);
  Passed result;
  size_t next = 0;
  for (unsigned cycle = 0; next < program.size() || !stages.is_empty(); ++cycle) {
    EXPECT_LT(cycle, 100'000u) << "it never ends";
    if (cycle >= 100'000) break;
    const std::optional<SubWarp> fetched = next < program.size() ? program[next] : std::nullopt;
    const StageStall stall = stages.step(fetched);
    if (stall != StageStall::none) {
      result.stalls[cycle] = stall;
    } else if (next < program.size()) {
      if (fetched) result.fetched[static_cast<uint32_t>(fetched->id)] = cycle;
      ++next;
    }
    if (const auto& done = stages.write_back()) {
      EXPECT_EQ(result.written.count(static_cast<uint32_t>(done->id)), 0u);
      result.written[static_cast<uint32_t>(done->id)] = cycle;
      result.order.push_back(static_cast<uint32_t>(done->id));
    }
  }
  return result;
}

StageShape shape(Organisation organisation, unsigned premem = 0, unsigned nonmem = 0) {
  return {organisation, 3, 2, premem, nonmem};
}
SubWarp memory(uint32_t id, unsigned degree = 1) { return {id, true, degree}; }
SubWarp other(uint32_t id) { return {id, false, 1}; }

/// Figure 4: W0 goes before, W1 has a conflict of degree 2, the others none. W1 is fetched in cycle i = 1.
const std::vector<std::optional<SubWarp>> kFigure4 = {memory(0), memory(1, 2), other(2), other(3),
                                                      other(4),  other(5),     other(6)};

TEST(Stages, without_conflicts_a_sub_warp_takes_as_many_cycles_as_there_are_stages) {
  for (const Organisation organisation : {Organisation::unified, Organisation::split}) {
    const Passed result = pass(shape(organisation), {memory(0), other(1), memory(2), other(3)});
    EXPECT_TRUE(result.stalls.empty());
    for (uint32_t k = 0; k < 4; ++k) EXPECT_EQ(result.written.at(k), k + 5);  // IF ID EXE MEM0 MEM1 WB
  }
}

TEST(Stages, figure_4a_a_conflict_stops_the_front_and_leaves_a_bubble) {
  const Passed result = pass(shape(Organisation::unified, 1, 2), kFigure4);  // queues are of elastic only
  EXPECT_EQ(result.stalls, (std::map<unsigned, StageStall>{{1 + 4, StageStall::bank_conflict}}));
  EXPECT_EQ(result.written.at(0), 5u);
  EXPECT_EQ(result.written.at(1), 1u + 6);  // nobody in cycle i + 5
  EXPECT_EQ(result.written.at(2), 1u + 7);
  EXPECT_EQ(result.fetched.at(5), 1u + 5);  // W(i + 4), a cycle late
}

TEST(Stages, figure_4b_two_that_end_at_once_stop_the_front) {
  const Passed result = pass(shape(Organisation::split), kFigure4);
  EXPECT_EQ(result.stalls, (std::map<unsigned, StageStall>{{1 + 6, StageStall::write_back}}));
  EXPECT_EQ(result.written.at(0), 5u);
  EXPECT_EQ(result.written.at(1), 1u + 6);
  EXPECT_EQ(result.written.at(2), 1u + 7);
  EXPECT_EQ(result.fetched.at(6), 1u + 5) << "before the stall";
}

TEST(Stages, figure_4b_an_access_behind_a_conflict_stops_the_front) {
  const Passed result = pass(shape(Organisation::split), {memory(0), memory(1, 2), memory(2), other(3), other(4)});
  EXPECT_EQ(result.stalls.begin()->first, 1u + 4);
  EXPECT_EQ(result.stalls.begin()->second, StageStall::bank_conflict);
}

TEST(Stages, figure_5_one_beside_takes_the_bubble) {
  const Passed result = pass(shape(Organisation::elastic, 0, 2), kFigure4);
  EXPECT_TRUE(result.stalls.empty());
  EXPECT_EQ(result.written.at(0), 5u);
  EXPECT_EQ(result.written.at(2), 1u + 5);  // W(i + 1) has waited in the queue in cycle i + 4
  EXPECT_EQ(result.written.at(1), 1u + 6);
}

TEST(Stages, figure_6_an_access_waits_in_front_of_the_banks) {
  // W(i + 1) is the second sub-warp of the same access, W(i + 2) does something else.
  const Passed result =
      pass(shape(Organisation::elastic, 1, 2), {memory(0), memory(1, 2), memory(2), other(3), other(4)});
  EXPECT_TRUE(result.stalls.empty());
  EXPECT_EQ(result.written.at(1), 1u + 6);
  EXPECT_EQ(result.written.at(3), 1u + 5) << "straight from EXE in cycle i + 4";
  EXPECT_EQ(result.written.at(2), 1u + 7);  // PREMEM in i + 4, MEM0 in i + 5
}

// Without a queue in front of the banks an access d cycles behind one of degree D stops the front for D - d cycles.
TEST(Stages, without_queue_an_access_waits_for_the_conflict_before_it) {
  for (unsigned degree = 1; degree <= 9; ++degree) {
    for (unsigned distance = 1; distance <= 9; ++distance) {
      std::vector<std::optional<SubWarp>> program = {memory(0, degree)};
      for (unsigned k = 1; k < distance; ++k) program.push_back(std::nullopt);
      program.push_back(memory(1));
      const Passed result = pass(shape(Organisation::elastic, 0, 9), program);
      EXPECT_EQ(result.stalls.size(), degree > distance ? degree - distance : 0) << degree << " " << distance;
    }
  }
}

/// Warps of `sub_warps` sub-warps; an access comes no earlier behind another than its degrees add up to (equation 5).
std::vector<std::optional<SubWarp>> safe_program(std::mt19937& random, unsigned sub_warps, unsigned warps) {
  std::vector<std::optional<SubWarp>> program;
  size_t safe = 0;
  for (uint32_t warp = 0; warp < warps; ++warp) {
    const bool wants = random() % 2 == 0 && program.size() >= safe;
    size_t degrees = 0;
    const size_t begin = program.size();
    for (unsigned k = 0; k < sub_warps; ++k) {
      const unsigned degree = wants ? 1 + random() % 8 : 1;
      degrees += degree;
      program.push_back(SubWarp{warp * sub_warps + k, wants, degree});
    }
    if (wants) safe = begin + degrees;
  }
  return program;
}

TEST(Stages, at_safe_distances_the_queues_never_overflow) {
  std::mt19937 random(1);
  unsigned short_of = 0;  // programs that stall with M of the paper where it has fewer stages than a warp has sub-warps
  for (unsigned n = 0; n < 600; ++n) {
    const unsigned sub_warps = 1 + random() % 6, stages = 1 + random() % 6;
    const auto program = safe_program(random, sub_warps, 60);
    const auto stalls = [&](bool corrected) {
      const unsigned depth = nonmem_depth(stages, sub_warps, corrected);
      const Passed result = pass({Organisation::elastic, 3, stages, premem_depth(sub_warps), depth}, program);
      EXPECT_EQ(result.order.size(), program.size()) << "everybody is written back once";
      uint32_t last = 0;
      for (const uint32_t id : result.order) {
        if (!program[id]->memory) continue;
        EXPECT_LE(last, id) << "accesses stay in order";
        last = id;
      }
      return result.stalls.size();
    };
    EXPECT_EQ(stalls(true), 0u) << sub_warps << " sub-warps, " << stages << " memory stages";
    if (stages >= sub_warps) {
      EXPECT_EQ(nonmem_depth(stages, sub_warps, true), nonmem_depth(stages, sub_warps, false));
    } else {
      short_of += stalls(false) != 0;
    }
  }
  EXPECT_GT(short_of, 0u);
}

std::vector<std::optional<SubWarp>> any_program(std::mt19937& random) {
  std::vector<std::optional<SubWarp>> program;
  const unsigned memory_of = 1 + random() % 6, bubble_of = 2 + random() % 8, most = 1 + random() % 8;
  for (uint32_t id = 0; id < 120; ++id) {
    while (random() % bubble_of == 0) program.emplace_back();
    program.push_back(SubWarp{id, random() % memory_of == 0, 1 + static_cast<unsigned>(random() % most)});
  }
  return program;
}

using Program = std::vector<std::optional<SubWarp>>;
using Stalls = std::map<unsigned, StageStall>;

Passed pass_squeezed(StageShape shape, const Program& program) {
  shape.squeeze = true;
  return pass(shape, program);
}

// IF ID EXE MEM0 MEM1 WB. W0 has MEM0 in 3, 4 and 5, so that W1 stands in EXE in cycles 4 and 5. In cycle 2 nothing was
// fetched: in cycle 4 there is nobody in ID, and W3 is in IF.
const Program kGapInTheFront = {memory(0, 3), other(1), std::nullopt, other(3), other(4), other(5)};

TEST(Stages, a_standstill_stops_those_behind_a_gap_or_lets_them_close_it) {
  const Passed freeze = pass(shape(Organisation::unified), kGapInTheFront);
  EXPECT_EQ(freeze.stalls, (Stalls{{4, StageStall::bank_conflict}, {5, StageStall::bank_conflict}}));
  EXPECT_EQ(freeze.fetched.at(4), 6u);
  EXPECT_EQ(freeze.written.at(1), 8u);
  EXPECT_EQ(freeze.written.at(3), 10u);  // IF in 3, 4 and 5; ID 6, EXE 7, MEM0 8, MEM1 9

  // W3 goes to ID in cycle 4, and W4 to IF. In cycle 5 there is no room for W5.
  const Passed squeeze = pass_squeezed(shape(Organisation::unified), kGapInTheFront);
  EXPECT_EQ(squeeze.stalls, (Stalls{{5, StageStall::bank_conflict}}));
  EXPECT_EQ(squeeze.fetched.at(4), 4u);
  EXPECT_EQ(squeeze.fetched.at(5), 6u);
  EXPECT_EQ(squeeze.written.at(1), 8u);
  EXPECT_EQ(squeeze.written.at(3), 9u);  // ID in 4 and 5; EXE 6, MEM0 7, MEM1 8
}

// The same with an access W1 that waits in EXE, there being no queue before the banks: MEM0 in 6, written back in 8
// behind W0 in 7. W3 and W4 are not of memory and wait until then.
TEST(Stages, the_front_of_the_elastic_pipeline_closes_gaps_as_well) {
  const Program program = {memory(0, 3), memory(1), std::nullopt, other(3), other(4), other(5)};
  const Passed freeze = pass(shape(Organisation::elastic, 0, 2), program);
  EXPECT_EQ(freeze.stalls, (Stalls{{4, StageStall::bank_conflict}, {5, StageStall::bank_conflict}}));
  EXPECT_EQ(freeze.fetched.at(4), 6u);
  EXPECT_EQ(freeze.fetched.at(5), 7u);
  EXPECT_EQ(freeze.order, (std::vector<uint32_t>{0, 1, 3, 4, 5}));
  EXPECT_EQ(freeze.written.at(3), 9u);  // leaves EXE in 8, when W1 is written back

  const Passed squeeze = pass_squeezed(shape(Organisation::elastic, 0, 2), program);
  EXPECT_EQ(squeeze.stalls, (Stalls{{5, StageStall::bank_conflict}}));
  EXPECT_EQ(squeeze.fetched.at(4), 4u);
  EXPECT_EQ(squeeze.fetched.at(5), 6u);
  EXPECT_EQ(squeeze.written.at(3), 9u);  // leaves EXE in 7, and waits in the queue for the same cycle
}

// IF ID EXE and three stages of memory. W0 has MEM0 in 3 and 4 and is written back in 7, W2 in 8. W1 is due in 7 and
// stands in NONMEM2 in 7 and 8. W3 comes to NONMEM0 in 6; NONMEM1 is empty, as W2 went past it.
TEST(Stages, stages_beside_stand_as_one_or_close_their_gaps) {
  StageShape shape{Organisation::split, 3, 3, 0, 0, false};
  const Program program = {memory(0, 2), other(1), memory(2), other(3), other(4), other(5), other(6), other(7)};
  const Passed freeze = pass(shape, program);
  EXPECT_EQ(freeze.stalls, (Stalls{{7, StageStall::write_back}, {8, StageStall::write_back}}));
  EXPECT_EQ(freeze.written.at(1), 9u);
  EXPECT_EQ(freeze.written.at(3), 11u);  // NONMEM0 in 6, 7 and 8; NONMEM1 9, NONMEM2 10
  EXPECT_EQ(freeze.written.at(4), 12u);

  // W3 goes to NONMEM1 in 7, W4 to NONMEM0. In 8 these are full, and W5 stands in EXE.
  const Passed squeeze = pass_squeezed(shape, program);
  EXPECT_EQ(squeeze.stalls, (Stalls{{8, StageStall::write_back}}));
  EXPECT_EQ(squeeze.written.at(1), 9u);
  EXPECT_EQ(squeeze.written.at(3), 10u);  // NONMEM1 in 7 and 8; NONMEM2 9
  EXPECT_EQ(squeeze.written.at(4), 11u);
  EXPECT_EQ(squeeze.written.at(5), 12u);
}

// Where something is fetched in every cycle, the front has no gap: only the stages beside of `split` have any.
TEST(Stages, without_gaps_in_what_is_fetched_only_split_can_squeeze) {
  std::mt19937 random(3);
  unsigned differ = 0;
  for (unsigned n = 0; n < 500; ++n) {
    Program program = any_program(random);
    std::erase(program, std::nullopt);
    for (const Organisation organisation : {Organisation::unified, Organisation::split, Organisation::elastic}) {
      const StageShape shape{organisation,
                             3,
                             1 + static_cast<unsigned>(random() % 4),
                             static_cast<unsigned>(random() % 4),
                             static_cast<unsigned>(random() % 4),
                             false};
      const Passed freeze = pass(shape, program), squeeze = pass_squeezed(shape, program);
      if (organisation == Organisation::split) {
        differ += freeze.written != squeeze.written;
      } else {
        ASSERT_EQ(freeze.written, squeeze.written) << n;
      }
    }
  }
  EXPECT_GT(differ, 50u);
}

// Random programs without any distance kept.
TEST(Stages, each_cycle_is_that_of_stages_that_are_stepped) {
  std::mt19937 random(2);
  unsigned at_once = 0;
  for (unsigned n = 0; n < 500; ++n) {
    const auto program = any_program(random);
    for (const Organisation organisation : {Organisation::unified, Organisation::split, Organisation::elastic}) {
      const StageShape shape{organisation,
                             1 + static_cast<unsigned>(random() % 20),
                             1 + static_cast<unsigned>(random() % 5),
                             static_cast<unsigned>(random() % 5),
                             static_cast<unsigned>(random() % 5),
                             random() % 2 == 0};
      const Passed fast = pass(shape, program), slow = stepped(shape, program);
      const auto what = ::testing::Message() << "program " << n << ", organisation " << int(organisation) << ", "
                                             << shape.front << " " << shape.memory << " " << shape.premem << " "
                                             << shape.nonmem << (shape.squeeze ? " squeeze" : "");
      ASSERT_EQ(fast.fetched, slow.fetched) << what;
      ASSERT_EQ(fast.stalls, slow.stalls) << what;
      ASSERT_EQ(fast.written, slow.written) << what;
      ASSERT_EQ(fast.order, slow.order) << what;
      const Passed free = pass_freely(shape, program, at_once);
      ASSERT_EQ(free.fetched, slow.fetched) << what;
      ASSERT_EQ(free.stalls, slow.stalls) << what;
      for (const auto& [id, at] : free.written) ASSERT_EQ(at, slow.written.at(id)) << what << ", " << id;
      ASSERT_EQ(slow.written.size(), 120u);
      ASSERT_TRUE(organisation != Organisation::unified || std::is_sorted(slow.order.begin(), slow.order.end()))
          << what;
    }
  }
  EXPECT_GT(at_once, 10'000u);
}

// Data from outside. IF ID EXE MEM0 MEM1 WB: who is fetched in cycle 0 is written back in cycle 5.
TEST(Stages, data_from_outside_is_written_back_when_nobody_in_flight_is) {
  for (const Organisation organisation : {Organisation::unified, Organisation::split}) {
    Stages stages(shape(organisation));
    for (Cycle cycle = 0; cycle < 3; ++cycle)
      EXPECT_EQ(stages.fetch(cycle, other(static_cast<uint32_t>(cycle))).write_back, cycle + 5);
    EXPECT_EQ(stages.returned(2), 2u);  // before all of them
    EXPECT_EQ(stages.returned(2), 3u);
    EXPECT_EQ(stages.returned(5), 8u);  // behind 5, 6 and 7
    EXPECT_EQ(stages.returned(2), 4u);
  }
}

TEST(Stages, data_from_outside_stops_the_front_of_those_fetched_later) {
  Stages unified(shape(Organisation::unified));
  EXPECT_EQ(unified.returned(5), 5u);
  const StageTimes late = unified.fetch(0, other(7));
  EXPECT_EQ(late.arrive, 3u);
  EXPECT_EQ(late.leave, 4u) << "in MEM0 a cycle later";
  EXPECT_EQ(late.write_back, 6u);
  EXPECT_EQ(unified.standstill(3).why, StageStall::returned);
  EXPECT_EQ(unified.standstill(3).whose, 7u);
  EXPECT_EQ(unified.moves(3), 4u);

  // The stages beside are full when the last of them has to wait.
  Stages split(shape(Organisation::split));
  EXPECT_EQ(split.returned(5), 5u);
  EXPECT_EQ(split.fetch(0, other(0)).write_back, 6u);
  EXPECT_EQ(split.fetch(1, other(1)).write_back, 7u);
  const StageTimes third = split.fetch(2, other(2));
  EXPECT_EQ(third.arrive, 5u);
  EXPECT_EQ(third.leave, 6u);
  EXPECT_EQ(split.standstill(5).why, StageStall::returned);

  // The queue takes it.
  Stages elastic(shape(Organisation::elastic, 1, 2));
  EXPECT_EQ(elastic.returned(3), 3u);
  for (Cycle cycle = 0; cycle < 4; ++cycle) {
    const StageTimes times = elastic.fetch(cycle, other(static_cast<uint32_t>(cycle)));
    EXPECT_EQ(times.leave, times.arrive);
    EXPECT_EQ(times.write_back, cycle + 4) << "else cycle + 3, straight from EXE";
  }
}

TEST(Stages, an_access_enters_the_banks_so_that_its_write_back_is_free) {
  Stages stages(shape(Organisation::elastic, 1, 2));
  EXPECT_EQ(stages.returned(6), 6u);
  const StageTimes times = stages.fetch(0, memory(0, 2));  // MEM0 in 3 and 4, MEM1 in 5
  EXPECT_EQ(times.leave, 3u) << "it waits in front of them";
  EXPECT_EQ(times.begin, 4u);
  EXPECT_EQ(times.write_back, 7u);
}

}  // namespace
}  // namespace bankshot::timing

// The smaller parts of an SM: its execution units, the banks of its first-level cache, how long transactions run.
#include <gtest/gtest.h>

#include "bankshot/timing/sm/execution_units.hpp"
#include "bankshot/timing/sm/l1_banks.hpp"
#include "bankshot/timing/sm/transaction_times.hpp"

namespace bankshot::timing {
namespace {

Operation operation_of(UnitClass unit) {
  Operation operation;
  operation.unit = unit;
  return operation;
}

TEST(ExecutionUnits, a_unit_starts_so_many_lanes_a_cycle) {
  Config config;
  config.units[static_cast<unsigned>(UnitClass::sfu)] = {1, 8, 20};
  ExecutionUnits units(config);
  const ExecutionUnits::Choice sfu = units.choose(operation_of(UnitClass::sfu), 0);
  EXPECT_LE(sfu.free(), 5u);
  sfu.take(5);
  EXPECT_EQ(sfu.end(), 9u);
  EXPECT_EQ(units.choose(operation_of(UnitClass::sfu), 0).free(), 9u);
  EXPECT_LE(units.choose(operation_of(UnitClass::fp32), 0).free(), 5u) << "another unit";
  units.begin_launch();
  EXPECT_LE(units.choose(operation_of(UnitClass::sfu), 0).free(), 0u);
}

TEST(ExecutionUnits, one_may_start_more_than_a_warp_a_cycle) {
  Config config;
  config.units[static_cast<unsigned>(UnitClass::alu)] = {1, 64, 4};
  ExecutionUnits units(config);
  units.choose(operation_of(UnitClass::alu), 0).take(5);
  EXPECT_EQ(units.choose(operation_of(UnitClass::alu), 0).free(), 5u);
  units.choose(operation_of(UnitClass::alu), 0).take(5);
  EXPECT_EQ(units.choose(operation_of(UnitClass::alu), 0).free(), 6u);
}

TEST(ExecutionUnits, units_beyond_one_for_each_scheduler_are_anybodys) {
  Config config;
  config.issue.schedulers = 2;
  config.units[static_cast<unsigned>(UnitClass::fp64)] = {3, 32, 4};
  ExecutionUnits units(config);
  units.choose(operation_of(UnitClass::fp64), 0).take(5);
  units.choose(operation_of(UnitClass::fp64), 0).take(5);
  EXPECT_EQ(units.choose(operation_of(UnitClass::fp64), 0).free(), 6u) << "its own, and the third";
  EXPECT_LE(units.choose(operation_of(UnitClass::fp64), 1).free(), 5u);
}

// Source: Huerta et al., arXiv 2503.20481: of the memory instructions of one sub-core that issue as soon as they can,
// the first five issue in the cycles 2 to 6, then at 13, 17 and 21.
TEST(ExecutionUnits, a_sub_core_holds_five_memory_instructions_and_lets_one_go_every_four_cycles) {
  Config config;
  config.load_store.sub_core_queue = 5;
  config.load_store.sub_core_cycles = 4;
  config.load_store.operand_cycles = 11;
  ExecutionUnits units(config);
  Operation load;
  load.kind = Operation::Kind::load;
  std::vector<Cycle> issued;
  for (Cycle now = 2; issued.size() < 8; ++now) {
    const ExecutionUnits::Choice choice = units.choose(load, 0);
    if (choice.free() > now) continue;
    choice.take(now);
    issued.push_back(now);
  }
  EXPECT_EQ(issued, (std::vector<Cycle>{2, 3, 4, 5, 6, 13, 17, 21}));
  units.begin_launch();
  EXPECT_EQ(units.choose(load, 0).free(), 0u);
}

TEST(ExecutionUnits, matrix_products_of_a_gpu_without_tensor_units_take_fp32) {
  Config config;
  Operation product = operation_of(UnitClass::tensor);
  product.work = 4096;
  ExecutionUnits units(config);
  const ExecutionUnits::Choice choice = units.choose(product, 0);
  EXPECT_EQ(choice.unit, UnitClass::fp32);
  choice.take(0);
  EXPECT_EQ(choice.end(), 4096u / 32);
}

TEST(L1Banks, loads_conflict_as_in_the_scratchpad) {
  Config config;
  config.l1.banks = 32;
  config.l1.latency = 12;
  Counters counters;
  const auto pipeline = PipelineRegistry::find("queued")->make(config);
  ConflictGuard guard(nullptr, 1, counters);
  L1Banks banks(config, *pipeline, guard, counters);
  banks.start(5);
  std::array<uint64_t, 64> at{};
  bool conflict = true;
  for (unsigned lane = 0; lane < 32; ++lane) at[lane] = (uint64_t{1} << 46) + 4 * lane;
  EXPECT_EQ(banks.load({50, 7, 5, 1}, 4, 1, 0xffffffff, at.data(), conflict), 62u);
  EXPECT_FALSE(conflict);
  for (unsigned lane = 0; lane < 32; ++lane) at[lane] = 16 * lane;
  EXPECT_EQ(banks.load({80, 8, 5, 1}, 4, 1, 0xffffffff, at.data(), conflict), 95u);
  EXPECT_TRUE(conflict);
  EXPECT_EQ(banks.served(5), 95u);
  EXPECT_TRUE(banks.is_last(5, 8));
  EXPECT_FALSE(banks.is_last(5, 7));
  EXPECT_EQ(counters.l1_wavefronts, 5u);
  EXPECT_EQ(counters.l1_ideal, 2u);
  EXPECT_EQ(banks.load({200, 9, 5, 1}, 4, 2, 0xffffffff, at.data(), conflict), 200u + 12 + 7) << "two rows";
}

TEST(Queued, a_scheduler_with_a_slow_way_to_the_banks_leaves_them_to_the_others) {
  Config config;
  config.issue.schedulers = 2;
  const auto* queued = PipelineRegistry::find("queued");
  for (const Parameter* parameter : queued->parameters) {
    if (parameter->name == "queue") config.parameters.set(*parameter, 4);
    if (parameter->name == "sub_core_wavefront_cycles") config.parameters.set(*parameter, 2);
  }
  const auto pipeline = queued->make(config);
  const std::array<unsigned, 1> ways = {8};
  EXPECT_EQ(pipeline->shared({0, 0, 0, 0}, ways, 20).ready, 20u + 7 * 2);
  EXPECT_EQ(pipeline->shared({0, 1, 2, 0}, ways, 20).ready, 16u + 20 + 7 * 2) << "a wavefront in 2 cycles";
  EXPECT_EQ(pipeline->accepts(0, 4), 0u);
  const Passage third = pipeline->shared({0, 2, 4, 0}, ways, 20);
  EXPECT_EQ(third.ready, 32u + 20 + 7 * 2);
  EXPECT_EQ(third.begin, 16u) << "the banks are booked for 8 cycles each";
  EXPECT_EQ(third.end, 24u);
  EXPECT_EQ(pipeline->accepts(0, 4), 16u) << "its half of the queue is full";
  EXPECT_EQ(pipeline->accepts(0, 1), 0u);
}

TEST(ConflictGuard, keeps_memory_accesses_behind_a_conflict_that_it_foresees) {
  Config config;
  Counters counters;
  ConflictGuard guard(ForesightRegistry::find("last")->make(config), 1, counters);
  const std::array<unsigned, 1> four = {4};
  EXPECT_EQ(guard.memory_from(), 0u);
  guard.accessed(10, 0, 7, four, 14);
  EXPECT_EQ(guard.memory_from(), 11u) << "nothing is known";
  guard.accessed(12, 0, 7, four, 18);
  EXPECT_EQ(guard.memory_from(), 13u) << "the banks have not dealt with the first one";
  guard.accessed(20, 0, 7, four, 24);
  EXPECT_EQ(guard.memory_from(), 24u);
  EXPECT_EQ(counters.foreseen_under, 2u);
  EXPECT_EQ(counters.foreseen_right, 1u);
  guard.begin_launch();
  EXPECT_EQ(guard.memory_from(), 0u);
}

TEST(TransactionTimes, are_counted_from_begin_to_commit_and_again_from_the_second_attempt_on) {
  Counters counters;
  TransactionTimes times(counters);
  times.start(3);
  EXPECT_FALSE(times.is_in(3));
  times.ended(3, 5);
  EXPECT_EQ(counters.tx_warp_cycles, 0u);
  times.runs(3, 10, false);
  times.runs(3, 14, true);
  times.runs(3, 17, true);
  EXPECT_TRUE(times.is_in(3));
  times.ended(3, 20);
  times.ended(3, 30);
  EXPECT_FALSE(times.is_in(3));
  EXPECT_EQ(counters.tx_warp_cycles, 10u);
  EXPECT_EQ(counters.tx_retry_cycles, 6u);
}

TEST(TransactionTimes, a_commit_takes_effect_and_is_answered) {
  Counters counters;
  TransactionTimes times(counters);
  times.commit_sent(3);
  EXPECT_TRUE(times.commits(3));
  EXPECT_TRUE(times.is_unanswered(3));
  EXPECT_FALSE(times.commits(4));
  times.committed(3);
  EXPECT_FALSE(times.commits(3));
  EXPECT_TRUE(times.is_unanswered(3));
  times.answered(3);
  EXPECT_FALSE(times.is_unanswered(3));
}

}  // namespace
}  // namespace bankshot::timing

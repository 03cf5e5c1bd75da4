// What accesses of shared memory are charged: the banks, the latency, the unit of atomics.
#include "bankshot/timing/sm/shared_port.hpp"

#include <gtest/gtest.h>

#include "parameters.hpp"

namespace bankshot::timing {
namespace {

/// Banks behind a queue of one access; data comes 10 cycles behind an access without conflicts.
class SharedPortTest : public ::testing::Test {
 protected:
  SharedPortTest() {
    config.scratchpad.latency = 10;
    make();
  }
  void make() {
    port.reset();
    pipeline = PipelineRegistry::find(config.issue.pipeline)->make(config);
    accounting.emplace(1, 1, sub_warps(config), *pipeline, counters);
    guard.emplace(ForesightRegistry::find("last")->make(config), sub_warps(config), counters);
    port.emplace(config, *pipeline, *guard, *accounting, timeline, counters);
    accounting->begin_launch(0, 200);
    port->begin_launch();
    timeline.begin_launch(0, kNever);
  }
  /// All lanes access words that are so many bytes apart.
  SharedPort::Access access(Cycle now, unsigned stride, Operation::Kind kind = Operation::Kind::load) {
    std::array<uint32_t, 64> bytes{};
    for (unsigned lane = 0; lane < 32; ++lane) offsets[lane] = bytes[lane] = lane * stride;
    operation.kind = kind;
    operation.shared_kind =
        kind == Operation::Kind::atomic ? scratchpad::AccessKind::atomic : scratchpad::AccessKind::load;
    SharedPort::Access one;
    one.issued = {now, 100, 5, 9};
    one.operation = &operation;
    one.rules = &config.rules;
    one.cost = scratchpad::cost(config.rules, operation.shared_kind, 4, bytes.data(), 0xffffffff);
    one.lanes = 0xffffffff;
    one.offsets = offsets.data();
    one.by_atomics_unit = kind == Operation::Kind::atomic;
    return one;
  }

  Config config;
  Counters counters;
  TimelineRecorder timeline{0};
  Operation operation;
  std::array<uint64_t, 64> offsets{};
  std::unique_ptr<Pipeline> pipeline;
  std::optional<SlotAccounting> accounting;
  std::optional<ConflictGuard> guard;
  std::optional<SharedPort> port;
};

// TU102: a load without conflicts takes 22 cycles, with two to 32 lanes on a bank 24, 28, 36, 52 and 84, and the SM 64
// bytes a cycle (connollydavid/tu102).
TEST_F(SharedPortTest, a_wavefront_may_have_the_banks_for_two_cycles) {
  config.scratchpad.latency = 22;
  set_parameter(config, "scratchpad.wavefront_cycles", 2);
  set_parameter(config, "scratchpad.queue", 8);
  for (const auto& [stride, takes] : {std::pair{4u, 22u}, {8u, 24u}, {16u, 28u}, {32u, 36u}, {64u, 52u}, {128u, 84u}}) {
    make();
    EXPECT_EQ(port->access(access(50, stride)).ready, 50u + takes) << stride;
  }
  make();
  for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(port->access(access(50, 4)).ready, 72u + 2 * k);
}

// RTX 5090: 2 cycles for each further wavefront of one warp; four schedulers have a wavefront a cycle.
TEST_F(SharedPortTest, a_scheduler_may_have_to_wait_between_its_wavefronts) {
  config.issue.schedulers = 4;
  set_parameter(config, "scratchpad.sub_core_wavefront_cycles", 2);
  set_parameter(config, "scratchpad.queue", 8);
  make();
  EXPECT_EQ(port->access(access(50, 16)).ready, 60u + 3 * 2) << "four wavefronts of one warp";
  SharedPort::Access other = access(50, 16);
  other.issued.slot = 6;  // of another scheduler
  EXPECT_EQ(port->access(other).ready, 60u + 4 + 3 * 2) << "the banks had the first one's for four cycles";
  EXPECT_EQ(port->access(access(50, 4)).ready, 60u + 8) << "of the first scheduler, and the banks are free again";
}

TEST_F(SharedPortTest, an_access_without_conflicts_takes_the_latency) {
  const SharedPort::Outcome outcome = port->access(access(50, 4));
  EXPECT_EQ(outcome.ready, 60u);
  EXPECT_FALSE(outcome.conflict);
  EXPECT_FALSE(outcome.kept);
  EXPECT_EQ(counters.shared_accesses, 1u);
  EXPECT_EQ(counters.shared_wavefronts, 1u);
  EXPECT_EQ(port->busy_until(), 51u);
}

TEST_F(SharedPortTest, each_further_wavefront_takes_a_cycle_and_keeps_the_next_access_waiting) {
  const SharedPort::Outcome outcome = port->access(access(50, 16));
  EXPECT_EQ(outcome.ready, 63u);
  EXPECT_TRUE(outcome.conflict);
  EXPECT_EQ(port->access(access(51, 4)).ready, 64u) << "the banks are free from 54 on";
  EXPECT_EQ(counters.shared_wavefronts, 5u);
  EXPECT_EQ(counters.shared_ideal, 2u);
  EXPECT_EQ(counters.shared_busy_cycles, 5u);
  ASSERT_EQ(timeline.spans().size(), 2u);
  EXPECT_EQ(timeline.spans()[0].degree, 4u);
  accounting->finish();
  EXPECT_EQ(counters.conflict_cycles_hidden, 3u);
}

TEST_F(SharedPortTest, cycles_that_are_no_conflict_come_behind_the_passes) {
  SharedPort::Access one = access(50, 4);
  one.extra = 6;
  EXPECT_EQ(port->access(one).ready, 66u);
  EXPECT_EQ(counters.tx_access_cycles, 6u);
  EXPECT_EQ(counters.shared_wavefronts, 1u);
  accounting->finish();
  EXPECT_EQ(counters.conflict_cycles_hidden, 0u);
}

TEST_F(SharedPortTest, lanes_are_counted_by_bank) {
  config.rules.hash = scratchpad::fixed_xor_hash({14, 5});
  for (const bool hashed : {true, false}) {
    if (!hashed) config.rules.hash.reset();
    counters = {};
    make();
    port->access(access(0, 128));
    for (unsigned bank = 0; bank < 32; ++bank)
      EXPECT_EQ(counters.bank_lanes[bank], hashed ? 1u : bank == 0 ? 32u : 0u) << bank;
  }
}

TEST_F(SharedPortTest, in_stages_each_sub_warp_has_the_banks_for_its_degree) {
  config.issue.simd_lanes = config.rules.banks = config.rules.lanes_b32 = 8;
  config.issue.pipeline = "unified";
  set_parameter(config, "issue.stages", 8);
  set_parameter(config, "issue.memory_stages", 4);
  make();
  port->access(access(0, 8));
  const auto services = pipeline->services();
  ASSERT_EQ(services.size(), 4u);
  for (const Pipeline::Service& service : services) EXPECT_EQ(service.end - service.begin, 2u);
  SharedPort::Access matrix = access(40, 8);
  matrix.matrix = true;
  port->access(matrix);
  ASSERT_EQ(pipeline->services().size(), 1u);
  EXPECT_EQ(pipeline->services()[0].end - pipeline->services()[0].begin, matrix.cost.wavefronts);
}

TEST_F(SharedPortTest, an_atomic_in_a_loop_keeps_its_warp_until_it_is_done) {
  config.scratchpad.atomics = "lock";
  set_locks(config, {10, 32, 18, 36, 32, 108, 120, 32});
  make();
  EXPECT_EQ(port->next_event(), kNever);
  const SharedPort::Outcome outcome = port->access(access(50, 4, Operation::Kind::atomic));
  EXPECT_TRUE(outcome.kept);
  EXPECT_EQ(outcome.ready, kNever);
  while (port->next_event() != kNever) port->advance(port->next_event());
  ASSERT_EQ(port->done().size(), 1u);
  EXPECT_EQ(port->done()[0].slot, 5u);
  EXPECT_EQ(port->done()[0].ready, 50u + 32 + 18 + 36 + 32) << "ICCD'13, section III";
}

TEST_F(SharedPortTest, an_atomic_that_the_unit_does_not_charge_takes_turns_at_the_banks) {
  config.scratchpad.atomics = "loadlike";
  make();
  SharedPort::Access one = access(50, 0, Operation::Kind::atomic);
  EXPECT_EQ(port->access(one).ready, 60u) << "as a load of one word";
  one.issued.now = 100;
  one.by_atomics_unit = false;
  EXPECT_EQ(port->access(one).ready, 141u) << "32 lanes, one after the other";
}

TEST_F(SharedPortTest, a_copy_has_the_banks_as_a_store_does) {
  EXPECT_TRUE(port->copy({50, 100, 5, 9}, {4, 1, 0}).conflict);
  EXPECT_EQ(port->busy_until(), 54u);
  EXPECT_EQ(counters.shared_accesses, 1u);
  EXPECT_EQ(counters.foreseen_right + counters.foreseen_over + counters.foreseen_under, 0u);
}

TEST_F(SharedPortTest, every_access_is_foreseen) {
  port->access(access(50, 16));
  EXPECT_EQ(counters.foreseen_under, 1u) << "nothing is known of the instruction yet";
  port->access(access(90, 16));
  EXPECT_EQ(counters.foreseen_right, 1u);
  EXPECT_EQ(guard->memory_from(), 90u + 1 + 3);
}

}  // namespace
}  // namespace bankshot::timing

// When a memory partition answers, by hand, with the times of plain_machine(); and what it counts.
#include <gtest/gtest.h>

#include "tests/unit/timing/memory_helpers.hpp"

namespace bankshot::timing {
namespace {

/// Every sector of the line at 0 is in the cache, and nothing is under way; packets of time 1000 on are hits.
Memory warm(const Config& config) {
  Memory memory(config);
  memory.run({load(0, 0, 0b1111)});
  memory.answers.clear();
  memory.partition.reset_counters();
  return memory;
}

TEST(Partition, a_miss_takes_ports_cache_and_dram) {
  Memory memory(plain_machine());
  const Packet packet = load(0, 256, 0b0010, 3, 77);
  memory.partition.receive({&packet, 1});
  EXPECT_EQ(memory.partition.next_event(), 20u);
  // Arrives at 20, is in at 21, DRAM has it at 47, the cache gives it at 67, the last of two flits leaves at 69.
  memory.partition.advance(67, memory.answers);
  EXPECT_TRUE(memory.answers.empty());
  EXPECT_EQ(memory.partition.next_event(), 67u);
  memory.partition.advance(68, memory.answers);
  ASSERT_EQ(memory.answers.size(), 1u);
  EXPECT_EQ(memory.answers[0].time, 69u);
  EXPECT_EQ(memory.answers[0].tag, 77u);
  EXPECT_EQ(memory.answers[0].sm, 3u);
  EXPECT_EQ(memory.answers[0].line, 256u);
  EXPECT_EQ(memory.answers[0].sectors, 0b0010);
  EXPECT_EQ(memory.partition.next_event(), kNever);
  EXPECT_EQ(memory.counters().l2_read_misses, 1u);
  EXPECT_EQ(memory.counters().dram_reads, 1u);
  EXPECT_EQ(memory.counters().packets_to_sms, 1u);
  EXPECT_EQ(memory.counters().flits_to_sms, 2u);
}

TEST(Partition, the_controller_takes_its_own_time_of_reads_and_not_of_the_bus) {
  Config config = plain_machine();
  config.dram.latency = 10;
  Memory memory(config);
  memory.run({load(0, 256, 0b0010)});
  EXPECT_EQ(memory.answers[0].time, 69u + 10);  // as above, and 10 more
  memory.run({load(1000, 256, 0b1100)});        // the last of two bursts of an open row two cycles after the first
  EXPECT_EQ(memory.answers[1].time, 1035u + 10 + 2 + 20 + 3);
}

TEST(Partition, a_hit_takes_ports_and_cache) {
  Memory memory = warm(plain_machine());
  const Packet packet = load(1000, 0, 0b0001);
  memory.partition.receive({&packet, 1});
  memory.partition.advance(1041, memory.answers);
  EXPECT_TRUE(memory.answers.empty());
  memory.partition.advance(1042, memory.answers);
  ASSERT_EQ(memory.answers.size(), 1u);
  EXPECT_EQ(memory.answers[0].time, 1000u + 20 + 1 + 20 + 2);
  EXPECT_EQ(memory.counters().l2_read_hits, 1u);
  EXPECT_EQ(memory.counters().dram_reads, 0u);
}

// Two hits of four sectors: 32 bytes a cycle, so that the second is looked up 4 cycles behind the first.
TEST(Partition, data_takes_its_cycles_of_the_cache) {
  Config config = plain_machine();
  config.interconnect.flit_bytes = 256;
  const auto apart = [&] {
    Memory memory = warm(config);
    memory.run({load(1000, 0, 0b1111, 0, 1), load(1000, 0, 0b1111, 0, 2)});
    return memory.answers.at(1).time - memory.answers.at(0).time;
  };
  EXPECT_EQ(apart(), 1u);
  config.l2.data_bytes = 32;
  EXPECT_EQ(apart(), 4u);
}

// … and four that are written, 16 bytes a cycle, hold the next for 8.
TEST(Partition, writes_may_take_longer_than_reads) {
  Config config = plain_machine();
  config.interconnect.flit_bytes = 256;
  config.l2.data_bytes = 32;
  const auto answered = [&] {
    Memory memory = warm(config);
    memory.run({store(1000, 0, 0b1111, 0b1111, 0, 1), load(1000, 0, 0b0001, 0, 2)});
    return memory.answers.at(1).time;
  };
  const Cycle alike = answered();
  config.l2.write_bytes = 16;
  EXPECT_EQ(answered(), alike + 4);
}

// Four sectors over a way of 8 bytes a cycle: 16 cycles behind the last of them from DRAM.
TEST(Partition, what_comes_from_dram_takes_its_cycles_of_the_way) {
  Config config = plain_machine();
  Memory wide(config);
  wide.run({load(0, 256, 0b1111)});
  config.l2.dram_bytes = 8;
  Memory narrow(config);
  narrow.run({load(0, 256, 0b1111)});
  EXPECT_EQ(narrow.answers[0].time, wide.answers[0].time + 16);
}

TEST(Partition, a_channels_port_may_have_a_width_of_its_own) {
  Config config = plain_machine();
  const auto answered = [&] {
    Memory memory = warm(config);
    memory.run({load(1000, 0, 0b1111)});
    return memory.answers.at(0).time;
  };
  const Cycle narrow = answered();  // 8 + 128 bytes in flits of 32: 5
  config.l2.flit_bytes = 136;
  EXPECT_EQ(answered(), narrow - 4);
}

TEST(Partition, a_packet_answers_when_its_last_sector_is_there) {
  Memory memory(plain_machine());
  memory.run({load(0, 0, 0b0001)});
  memory.run(
      {load(1000, 0, 0b1111)});  // one hit; three bursts of the open row: at 1021, the last there at 1021 + 4 + 14
  EXPECT_EQ(memory.answers[1].time, 1039u + 20 + 5);
  EXPECT_EQ(memory.counters().l2_read_hits, 1u);
  EXPECT_EQ(memory.counters().l2_read_misses, 4u);
  EXPECT_EQ(memory.counters().dram_row_hits, 3u);
}

TEST(Partition, two_packets_share_the_ports) {
  Memory memory = warm(plain_machine());
  memory.run({load(1000, 0, 0b1111, 1), load(1000, 0, 0b1111, 0)});
  ASSERT_EQ(memory.answers.size(), 2u);
  EXPECT_EQ(memory.answers[0].sm, 0u);  // of equal times the lower SM
  EXPECT_EQ(memory.answers[0].time, 1041u + 5);
  EXPECT_EQ(memory.answers[1].sm, 1u);
  EXPECT_EQ(memory.answers[1].time, 1046u + 5);  // ready at 1042, but the port is busy
  EXPECT_EQ(memory.counters().flits_to_sms, 10u);
}

TEST(Partition, data_take_time_at_the_input_port) {
  Memory memory = warm(plain_machine());
  memory.run({store(1000, 0, 0b1111, 0b1111, 0, 1), load(1000, 0, 0b0001, 1, 2)});
  EXPECT_EQ(memory.answers[0].tag, 1u);
  EXPECT_EQ(memory.answers[0].time, 1020u + 5 + 20 + 1);
  EXPECT_EQ(memory.answers[1].time, 1020u + 5 + 1 + 20 + 2);
}

TEST(Partition, lookups_of_a_cycle_are_limited_by_ports) {
  Config config = plain_machine();
  config.interconnect.khz = 4'000'000;  // four flits a core cycle; every packet here has one
  for (const unsigned ports : {1u, 2u}) {
    config.l2.ports = ports;
    Memory memory = warm(config);
    std::vector<Packet> packets;
    for (uint16_t sm = 0; sm < 4; ++sm) packets.push_back(load(1000, 0, 0, sm));  // no data either way
    memory.run(packets);
    // In by quarters of cycle 1020, so all at 1021; looked up one or two a cycle. One flit later is a cycle later.
    const Cycle second = ports == 1 ? 1022 : 1021, last = ports == 1 ? 1024 : 1022;
    EXPECT_EQ(memory.answers[0].time, 1021u + 20 + 1);
    EXPECT_EQ(memory.answers[1].time, second + 20 + 1);
    EXPECT_EQ(memory.answers[3].time, last + 20 + 1);
  }
}

TEST(Partition, a_load_joins_a_fetch_that_is_under_way) {
  Memory memory(plain_machine());
  memory.run({load(0, 0, 0b0001, 0), load(0, 0, 0b0011, 1), load(30, 0, 0b0001, 2)});
  // The first as every miss: its sector is there at 47, it leaves at 67 to 69. The second asks for its other sector at
  // 22, whose column command follows at 35: there at 49, it leaves at 69 to 72. The third is looked up at 51, when all
  // is there: ready at 71, it has the port from 72 to 74.
  ASSERT_EQ(memory.answers.size(), 3u);
  EXPECT_EQ(memory.answers[0].time, 69u);
  EXPECT_EQ(memory.answers[1].time, 72u);
  EXPECT_EQ(memory.answers[2].time, 74u);
  EXPECT_EQ(memory.counters().l2_read_merged, 1u);
  EXPECT_EQ(memory.counters().l2_read_misses, 2u);
  EXPECT_EQ(memory.counters().l2_read_hits, 1u);
  EXPECT_EQ(memory.counters().dram_reads, 2u);
}

TEST(Partition, a_full_store_needs_no_fetch) {
  Memory memory(plain_machine());
  memory.run({store(0, 0, 0b0011, 0b0011)});
  EXPECT_EQ(memory.answers[0].time, 20u + 3 + 20 + 1);
  EXPECT_EQ(memory.counters().l2_write_misses, 2u);
  EXPECT_EQ(memory.counters().dram_reads, 0u);
  EXPECT_EQ(memory.counters().dram_writes, 0u);  // written back when the line goes
  memory.run({load(1000, 0, 0b0011)});
  EXPECT_EQ(memory.counters().l2_read_hits, 2u);
}

TEST(Partition, a_partial_store_fetches_its_sector) {
  Memory memory(plain_machine());
  memory.run({store(0, 0, 0b0011, 0b0001)});
  EXPECT_EQ(memory.answers[0].time, 20u + 3 + 26 + 20 + 1);
  EXPECT_EQ(memory.counters().l2_write_misses, 2u);
  EXPECT_EQ(memory.counters().dram_reads, 1u);
  memory.run({store(1000, 0, 0b0011, 0)});
  EXPECT_EQ(memory.counters().l2_write_hits, 2u);
  EXPECT_EQ(memory.counters().dram_reads, 1u);
}

TEST(Partition, lanes_of_an_atomic_take_turns) {
  Config config = plain_machine();
  config.l2.atomic_cycles = 3;
  Memory memory = warm(config);
  memory.run({atomic(1000, 0, 1, 1)});
  EXPECT_EQ(memory.answers[0].time, 1020u + 2 + 20 + 2);
  memory.run({atomic(2000, 0, 1, 5)});
  EXPECT_EQ(memory.answers[1].time, 2022u + 4 * 3 + 20 + 2);
  // The next waits for the unit, a load behind it does not.
  memory.run({atomic(3000, 0, 1, 5, 0), atomic(3000, 0, 1, 2, 1), load(3000, 0, 1, 2)});
  EXPECT_EQ(memory.answers[2].kind, Packet::Kind::load);
  EXPECT_EQ(memory.answers[2].time, 3020u + 2 + 2 + 1 + 20 + 2);
  EXPECT_EQ(memory.answers[3].time, 3022u + 12 + 20 + 2);
  EXPECT_EQ(memory.answers[4].time, 3022u + 12 + 3 + 20 + 2);
  EXPECT_EQ(memory.counters().l2_writes, 4u);
  EXPECT_EQ(memory.counters().l2_write_hits, 4u);
}

TEST(Partition, an_atomic_that_misses_fetches_and_has_its_turn_then) {
  Config config = plain_machine();
  config.l2.atomic_cycles = 3;
  Memory memory(config);
  memory.run({atomic(0, 0, 1, 2)});
  EXPECT_EQ(memory.answers[0].time, 22u + 26 + 3 + 20 + 2);
  EXPECT_EQ(memory.counters().l2_write_misses, 1u);
  EXPECT_EQ(memory.counters().dram_reads, 1u);
}

TEST(Partition, a_dirty_line_is_written_back_when_it_goes) {
  Config config = plain_machine();
  config.l2_bytes = 2 * 128;
  config.l2.ways = 2;  // one set of two lines
  Memory memory(config);
  memory.run({store(0, 0, 0b0111, 0b0111)});
  memory.run({store(1000, 0, 0b0001, 0b0001)});  // dirty already
  memory.run({load(2000, 128, 1)});
  EXPECT_EQ(memory.counters().l2_writebacks, 0u);
  memory.run({load(3000, 256, 1)});
  EXPECT_EQ(memory.counters().l2_writebacks, 3u);
  EXPECT_EQ(memory.counters().dram_writes, 3u);
  memory.run({load(4000, 0, 1)});
  memory.run({load(5000, 128, 1)});
  memory.run({load(6000, 256, 1)});
  EXPECT_EQ(memory.counters().l2_writebacks, 3u);  // it came back clean
}

TEST(Partition, what_somebody_else_wrote_is_there_and_is_written_back_when_it_goes) {
  Config config = plain_machine();
  config.l2_bytes = 2 * 128;
  config.l2.ways = 2;  // one set of two lines
  Memory memory(config);
  memory.partition.hold(0, 0b0110);
  memory.run({load(0, 0, 0b0110)});
  EXPECT_EQ(memory.counters().l2_read_hits, 2u);
  memory.run({load(1000, 128, 1), load(2000, 256, 1)});
  EXPECT_EQ(memory.counters().l2_writebacks, 2u);
  // What goes because of it went before anybody looked.
  memory.partition.hold(384, 1);
  memory.partition.hold(512, 1);
  memory.partition.hold(640, 1);
  EXPECT_EQ(memory.counters().l2_writebacks, 2u);
}

TEST(Partition, a_sector_fetched_again_while_its_line_is_waited_for_is_clean) {
  Config config = plain_machine();
  config.l2_bytes = 128;
  config.l2.ways = 1;  // one line
  config.dram.burst_cycles = 100;
  Memory memory(config);
  // Sector 0 is there at 145 or so, dirty; sector 1, of the same fetch, a hundred later. In between another line takes
  // the place (one sector written back), and sector 0 is wanted again.
  memory.run({store(0, 0, 0b01, 0), load(0, 0, 0b10, 1), store(160, 128, 1, 1), load(170, 0, 0b01)});
  EXPECT_EQ(memory.counters().dram_reads, 3u);
  EXPECT_EQ(memory.counters().l2_writebacks, 2u);  // when line 0 comes back, the other goes
  memory.run({store(10'000, 128, 1, 1)});
  EXPECT_EQ(memory.counters().l2_writebacks, 2u);  // line 0 has not been written again
}

TEST(Partition, without_mshrs_left_packets_wait_in_order) {
  Config config = plain_machine();
  config.l2.mshrs = 1;
  Memory memory = warm(config);
  memory.run({load(1000, 4096, 1, 0, 1), load(1000, 8192, 1, 1, 2), load(1000, 0, 1, 2, 3)});
  // The row of 4096 is on a closed bank: there at 1021 + 26 = 1047, when the second is looked up, whose bank is closed,
  // too.
  EXPECT_EQ(memory.answers[0].time, 1047u + 20 + 2);
  EXPECT_EQ(memory.answers[1].tag, 3u);               // a hit, held until 1048
  EXPECT_EQ(memory.answers[1].time, 1048u + 20 + 3);  // behind the first at the port: ready at 1068, begins at 1069
  EXPECT_EQ(memory.answers[2].time, 1047u + 26 + 20 + 2);
}

TEST(Partition, a_full_dram_queue_holds_the_input) {
  Config config = plain_machine();
  config.dram.queue = 1;
  Memory memory = warm(config);
  memory.run({load(1000, 4096, 1, 0, 1), load(1000, 8192, 1, 1, 2), load(1000, 0, 1, 2, 3)});
  // 1 leaves the queue with its column command at 1033; then 2 enters it and 3, looked up at 1033, is a hit.
  EXPECT_EQ(memory.answers[0].tag, 3u);
  EXPECT_EQ(memory.answers[0].time, 1033u + 20 + 2);
  EXPECT_EQ(memory.answers[1].time, 1047u + 20 + 2);
  EXPECT_EQ(memory.answers[2].time, 1034u + 26 + 20 + 2);  // its activate is at 1034
}

TEST(Partition, without_a_cache_everything_goes_to_dram) {
  Config config = plain_machine();
  config.l2_bytes = 0;
  Memory memory(config);
  memory.run({load(0, 0, 0b1111)});
  EXPECT_EQ(memory.answers[0].time, 21u + 26 + 6 + 5);
  memory.run({load(1000, 0, 0b1111)});
  EXPECT_EQ(memory.answers[1].time, 1021u + 14 + 6 + 5);
  memory.run({store(2000, 0, 0b0011, 0)});
  EXPECT_EQ(memory.answers[2].time, 2023u + 1);  // the controller has it
  memory.run({atomic(3000, 0, 0b0001, 1)});
  EXPECT_EQ(memory.answers[3].time, 3022u + 14 + 2);
  EXPECT_EQ(memory.counters().dram_reads, 9u);
  EXPECT_EQ(memory.counters().dram_writes, 3u);
  EXPECT_EQ(memory.counters().l2_reads + memory.counters().l2_writes + memory.counters().l2_writebacks, 0u);
}

TEST(Partition, bursts_and_sectors_of_different_sizes) {
  Config config = plain_machine();
  config.dram.burst_bytes = 64;  // two sectors share a burst
  Memory large(config);
  large.run({load(0, 0, 0b0111)});
  EXPECT_EQ(large.counters().dram_reads, 2u);
  large.run({load(1000, 128, 0b1001)});
  EXPECT_EQ(large.counters().dram_reads, 4u);
  config.dram.burst_bytes = 16;  // a sector takes two
  Memory small(config);
  small.run({load(0, 0, 0b0101)});
  EXPECT_EQ(small.counters().dram_reads, 4u);
  EXPECT_EQ(small.answers[0].time, 21u + 26 + 3 * 2 + 20 + 3);
}

TEST(Partition, every_part_has_its_clock) {
  Config config = plain_machine();
  config.core_khz = 1'400'000;
  config.interconnect.khz = 700'000;
  config.l2.khz = 350'000;
  config.dram.khz = 924'000;
  Memory memory(config);
  memory.run({load(1, 0, 1)});
  // Arrives at core cycle 21, which is tick 10.5 of the interconnect: 11. In at 12, tick 6 of the cache. That is
  // tick 15.84 of DRAM: 16, data there at 42, tick 15.9 of the cache: 16. Leaves at 36, tick 72 of the interconnect;
  // two flits: 74.
  EXPECT_EQ(memory.answers[0].time, 148u);
}

TEST(Partition, the_cache_stays_over_idle_time_and_moves_with_its_partition) {
  Memory memory = warm(plain_machine());
  Partition moved = std::move(memory.partition);
  std::vector<Packet> answers;
  moved.advance(1'000'000'000'000, answers);
  EXPECT_TRUE(answers.empty());
  const Packet packet = load(1'000'000'000'000, 0, 1);
  moved.receive({&packet, 1});
  moved.advance(2'000'000'000'000, answers);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].time, 1'000'000'000'043u);
}

}  // namespace
}  // namespace bankshot::timing

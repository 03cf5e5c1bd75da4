// When commands of one DRAM channel issue, by hand. The timing is DramConfig's default: rcd = rp = cl = 12, ras 28, rc
// 40, rrd 6, ccd 2, cwl 4, wr 12, wtr 5, bursts of 2.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "bankshot/timing/memory/dram.hpp"

namespace bankshot::timing {
namespace {

/// A channel with its counters; served(tag) is the first tick after a request's last data.
struct Bench {
  explicit Bench(DramConfig config = {}) : channel(config, counters) {}

  void read(unsigned bank, uint64_t row, uint32_t tag, Cycle tick = 0, unsigned bursts = 1) {
    channel.push({row, bank}, bursts, false, tag, tick);
  }
  void write(unsigned bank, uint64_t row, uint32_t tag, Cycle tick = 0) {
    channel.push({row, bank}, 1, true, tag, tick);
  }
  void step() {
    const DramChannel::Issued issued = channel.issue();
    if (!issued.column) return;
    served[issued.tag] = issued.data;
    order.push_back(issued.tag);
  }
  void run() {
    while (channel.next_command() != kNever) step();
  }

  Counters counters;
  DramChannel channel;
  std::map<uint32_t, Cycle> served;
  std::vector<uint32_t> order;
};

TEST(Dram, a_closed_bank_is_activated_first) {
  Bench bench;
  EXPECT_EQ(bench.channel.next_command(), kNever);
  bench.read(0, 7, 1, 100);
  EXPECT_EQ(bench.channel.next_command(), 100u);  // activate
  bench.step();
  EXPECT_EQ(bench.channel.next_command(), 112u);  // read, rcd later
  bench.step();
  EXPECT_EQ(bench.served[1], 112u + 12 + 2);  // cl and the burst
  EXPECT_EQ(bench.channel.next_command(), kNever);
  EXPECT_EQ(bench.counters.dram_row_misses, 1u);
  EXPECT_EQ(bench.counters.dram_row_hits, 0u);
  EXPECT_EQ(bench.counters.dram_activates, 1u);
  EXPECT_EQ(bench.counters.dram_precharges, 0u);
  EXPECT_EQ(bench.counters.dram_busy_cycles, 2u);
}

TEST(Dram, a_row_hit_needs_its_column_command_only) {
  Bench bench;
  bench.read(0, 7, 1);
  bench.run();
  bench.read(0, 7, 2, 100);
  EXPECT_EQ(bench.channel.next_command(), 100u);
  bench.run();
  EXPECT_EQ(bench.served[2], 100u + 12 + 2);
  EXPECT_EQ(bench.counters.dram_row_hits, 1u);
  EXPECT_EQ(bench.counters.dram_activates, 1u);
}

TEST(Dram, hits_follow_each_other_at_the_bursts_length) {
  Bench bench;
  for (uint32_t tag = 0; tag < 4; ++tag) bench.read(0, 0, tag);
  bench.run();
  for (uint32_t tag = 0; tag < 4; ++tag) EXPECT_EQ(bench.served[tag], 26u + 2 * tag);
  DramConfig slow;
  slow.burst_cycles = 8;  // longer than ccd: the bus decides
  Bench bus(slow);
  for (uint32_t tag = 0; tag < 3; ++tag) bus.read(0, 0, tag);
  bus.run();
  for (uint32_t tag = 0; tag < 3; ++tag) EXPECT_EQ(bus.served[tag], 12u + 12 + 8 + 8 * tag);
  DramConfig spaced;
  spaced.ccd = 5;  // longer than the burst: ccd decides
  Bench ccd(spaced);
  for (uint32_t tag = 0; tag < 3; ++tag) ccd.read(0, 0, tag);
  ccd.run();
  for (uint32_t tag = 0; tag < 3; ++tag) EXPECT_EQ(ccd.served[tag], 26u + 5 * tag);
}

TEST(Dram, bursts_of_one_request_follow_each_other) {
  Bench bench;
  bench.read(0, 0, 1, 0, 4);  // columns at 12, 14, 16, 18
  bench.read(0, 0, 2);        // at 20
  bench.run();
  EXPECT_EQ(bench.served[1], 18u + 12 + 2);
  EXPECT_EQ(bench.served[2], 20u + 12 + 2);
  EXPECT_EQ(bench.counters.dram_reads, 5u);
  EXPECT_EQ(bench.counters.dram_row_misses, 1u);
  EXPECT_EQ(bench.counters.dram_row_hits, 4u);
  EXPECT_EQ(bench.counters.dram_busy_cycles, 10u);
}

TEST(Dram, row_commands_go_between_the_bursts_of_a_request) {
  Bench bench;
  bench.read(0, 0, 1, 0, 4);
  bench.step();
  bench.step();  // columns at 12, 14, 16, 18
  bench.read(1, 0, 2, 14);
  EXPECT_EQ(bench.channel.next_command(), 15u);  // 14 is taken
  bench.step();
  bench.read(2, 0, 3, 16);
  EXPECT_EQ(bench.channel.next_command(), 21u);  // rrd after 15
  DramConfig config;
  config.burst_cycles = config.ccd = 1;  // columns at 12, 13, 14, 15: no gaps
  Bench dense(config);
  dense.read(0, 0, 1, 0, 4);
  dense.step();
  dense.step();
  dense.read(1, 0, 2, 13);
  EXPECT_EQ(dense.channel.next_command(), 16u);
}

TEST(Dram, a_row_conflict_precharges_activates_and_reads) {
  Bench bench;
  bench.read(0, 0, 1);  // activate at 0, read at 12
  bench.read(0, 1, 2);  // precharge at ras = 28, activate at 28 + rp = 40 = rc, read at 52
  bench.step();
  bench.step();
  EXPECT_EQ(bench.channel.next_command(), 28u);
  bench.step();
  EXPECT_EQ(bench.channel.next_command(), 40u);
  bench.step();
  EXPECT_EQ(bench.channel.next_command(), 52u);
  bench.run();
  EXPECT_EQ(bench.served[2], 66u);
  EXPECT_EQ(bench.counters.dram_row_misses, 2u);
  EXPECT_EQ(bench.counters.dram_precharges, 1u);
}

TEST(Dram, activates_of_a_bank_are_rc_apart) {
  DramConfig config;
  config.rc = 45;
  Bench bench(config);
  bench.read(0, 0, 1);
  bench.read(0, 1, 2);  // activate at 45, though precharged by 40
  bench.run();
  EXPECT_EQ(bench.served[2], 45u + 12 + 12 + 2);
}

TEST(Dram, an_old_row_conflict_waits_for_rp_only) {
  Bench bench;
  bench.read(0, 0, 1);
  bench.run();
  bench.read(0, 1, 2, 1000);
  bench.run();
  EXPECT_EQ(bench.served[2], 1000u + 12 + 12 + 12 + 2);
}

TEST(Dram, a_younger_row_hit_goes_first) {
  Bench bench;
  bench.read(0, 0, 1);
  bench.read(0, 1, 2);
  bench.read(0, 0, 3);
  bench.run();
  EXPECT_EQ(bench.order, (std::vector<uint32_t>{1, 3, 2}));
  EXPECT_EQ(bench.served[3], 28u);
  EXPECT_EQ(bench.served[2], 66u);  // ras, not the second read, decides when the row is closed
}

TEST(Dram, a_hit_that_comes_before_the_row_is_closed_keeps_it_open) {
  Bench bench;
  bench.read(0, 0, 1);
  bench.read(0, 1, 2);
  bench.step();
  bench.step();
  bench.read(0, 0, 3, 28);  // at the tick at which it would be closed
  bench.run();
  EXPECT_EQ(bench.served[3], 28u + 14);
  EXPECT_EQ(bench.served[2], 28u + 2 + 12 + 12 + 12 + 2);  // precharge once the read's burst has passed
}

TEST(Dram, banks_work_in_parallel) {
  Bench bench;
  bench.read(0, 0, 1);
  bench.read(1, 5, 2);
  bench.run();
  EXPECT_EQ(bench.served[1], 26u);
  EXPECT_EQ(bench.served[2], 6u + 12 + 12 + 2);  // rrd after the first
  DramConfig config;
  config.rrd = 0;
  Bench free(config);
  free.read(0, 0, 1);
  free.read(1, 5, 2);
  free.step();
  EXPECT_EQ(free.channel.next_command(), 1u);  // one command a cycle
  free.run();
  EXPECT_EQ(free.served[2], 28u);  // when the bus is free
}

TEST(Dram, a_column_command_goes_before_an_older_requests_activate) {
  Bench bench;
  bench.read(0, 0, 1);
  bench.run();
  bench.read(1, 0, 2, 100);
  bench.read(0, 0, 3, 100);
  bench.run();
  EXPECT_EQ(bench.served[3], 100u + 14);
  EXPECT_EQ(bench.served[2], 101u + 26);
}

TEST(Dram, writes_turn_the_bus_around) {
  Bench bench;
  bench.write(0, 0, 1);
  bench.read(0, 0, 2);
  bench.write(0, 0, 3);
  bench.run();
  EXPECT_EQ(bench.served[1], 12u + 4 + 2);
  EXPECT_EQ(bench.served[2], 18u + 5 + 12 + 2);  // wtr after the last data
  EXPECT_EQ(bench.served[3], 37u + 2);           // right behind the read on the bus: its command is at 33
  EXPECT_EQ(bench.counters.dram_writes, 2u);
  EXPECT_EQ(bench.counters.dram_reads, 1u);
}

TEST(Dram, a_written_row_is_closed_wr_after_the_last_data) {
  Bench bench;
  bench.write(0, 0, 1);  // data until 18
  bench.read(0, 1, 2);   // precharge at 30, activate at 42, read at 54
  bench.run();
  EXPECT_EQ(bench.served[2], 68u);
}

TEST(Dram, the_queue_has_its_length) {
  DramConfig config;
  config.queue = 2;
  Bench bench(config);
  bench.read(0, 0, 1);
  EXPECT_FALSE(bench.channel.full());
  bench.read(1, 0, 2);
  EXPECT_TRUE(bench.channel.full());
  bench.step();  // activates leave their requests in the queue
  bench.step();
  EXPECT_TRUE(bench.channel.full());
  bench.step();
  EXPECT_FALSE(bench.channel.full());
}

TEST(Dram, hits_without_end_do_not_hold_a_row_open_for_good) {
  DramConfig config;
  config.queue = 4;
  Bench bench(config);
  bench.read(0, 0, 0);
  bench.read(0, 1, 1);
  Cycle tick = 0;
  for (uint32_t tag = 2; !bench.served.contains(1); ++tag) {
    ASSERT_LT(tag, 100u);
    bench.read(0, 0, tag, tick);
    const size_t before = bench.order.size();
    while (bench.order.size() == before) {
      tick = bench.channel.next_command() + 1;
      bench.step();
    }
  }
  // 1 is due once 4 * queue = 16 requests are younger: 2 to 17, the last of which waits while 16 is served. So 0, 2 to
  // 16, 1.
  EXPECT_EQ(bench.order.size(), 17u);
}

TEST(Dram, counters_agree_whatever_comes) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    DramConfig config;
    config.queue = 1 + random() % 20;
    config.banks = 1 + random() % 9;
    config.burst_cycles = 1 + random() % 4;
    Bench bench(config);
    uint32_t tags = 0;
    Cycle last_data = 0;
    const auto step = [&] {
      const DramChannel::Issued issued = bench.channel.issue();
      if (!issued.column) return;
      const unsigned bursts = 1 + issued.tag % 4;
      EXPECT_GE(issued.data, last_data + bursts * config.burst_cycles);  // bursts do not overlap
      last_data = issued.data;
      EXPECT_TRUE(bench.served.emplace(issued.tag, issued.data).second);
    };
    while (tags < 500) {
      while (bench.channel.full() || (random() % 3 == 0 && bench.channel.next_command() != kNever)) step();
      const Cycle next = bench.channel.next_command();
      bench.channel.push({random() % 3, static_cast<unsigned>(random() % config.banks)}, 1 + tags % 4,
                         random() % 2 == 0, tags, next == kNever ? last_data : next);
      ++tags;
    }
    while (bench.channel.next_command() != kNever) step();
    const Counters& c = bench.counters;
    EXPECT_EQ(bench.served.size(), 500u);
    EXPECT_EQ(c.dram_reads + c.dram_writes, 1250u);  // 125 times 1 + 2 + 3 + 4
    EXPECT_EQ(c.dram_row_hits + c.dram_row_misses, 1250u);
    EXPECT_EQ(c.dram_activates, c.dram_row_misses);
    EXPECT_LE(c.dram_precharges, c.dram_activates);
    EXPECT_GE(c.dram_precharges + config.banks, c.dram_activates);
    EXPECT_EQ(c.dram_busy_cycles, 1250u * config.burst_cycles);
  }
}

TEST(AddressMap, channel_and_offset_name_one_address) {
  for (const unsigned channels : {1u, 4u, 6u, 11u}) {
    for (const bool hashed : {false, true}) {
      DramConfig config;
      config.channels = channels;
      config.hashed_channels = hashed;
      std::map<std::pair<unsigned, uint64_t>, uint64_t> seen;
      for (uint64_t address = 0; address < 256u * channels * 300; address += 128) {
        const ChannelAddress at = locate(config, address);
        ASSERT_LT(at.channel, channels);
        ASSERT_LT(at.offset, 256u * 300);  // no gaps
        ASSERT_TRUE(seen.emplace(std::pair(at.channel, at.offset), address).second);
      }
    }
  }
}

TEST(AddressMap, by_hand) {
  DramConfig config;
  config.channels = 6;  // interleave 256
  EXPECT_EQ(locate(config, 255).channel, 0u);
  EXPECT_EQ(locate(config, 256).channel, 1u);
  EXPECT_EQ(locate(config, 6 * 256 + 5).channel, 0u);
  EXPECT_EQ(locate(config, 6 * 256 + 5).offset, 261u);
  config.hashed_channels = true;
  EXPECT_EQ(locate(config, 6 * 256).channel, 1u);           // turn 1
  EXPECT_EQ(locate(config, 0x0102 * 6 * 256).channel, 3u);  // turn 0x0102: 1 ^ 2
  EXPECT_EQ(locate(config, 0x0102 * 6 * 256 + 5 * 256).channel, 2u);
  EXPECT_EQ(place(config, 2047).bank, 0u);  // rows of 2048 bytes, 16 banks
  EXPECT_EQ(place(config, 2048).bank, 1u);
  EXPECT_EQ(place(config, 2048).row, 0u);
  EXPECT_EQ(place(config, 16 * 2048).bank, 0u);
  EXPECT_EQ(place(config, 16 * 2048).row, 1u);
}

TEST(AddressMap, folding_spreads_a_stride_over_the_channels) {
  DramConfig config;
  config.channels = 8;
  std::map<unsigned, unsigned> plain, hashed;
  for (uint64_t k = 0; k < 256; ++k) ++plain[locate(config, k * 8 * 256).channel];
  config.hashed_channels = true;
  for (uint64_t k = 0; k < 256; ++k) ++hashed[locate(config, k * 8 * 256).channel];
  EXPECT_EQ(plain.size(), 1u);
  EXPECT_EQ(hashed.size(), 8u);
  for (const auto& [channel, packets] : hashed) EXPECT_EQ(packets, 32u);
}

}  // namespace
}  // namespace bankshot::timing

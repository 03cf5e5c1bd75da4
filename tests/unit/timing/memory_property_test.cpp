// Random packets on random machines: what is sent is answered, what is counted adds up, and cutting time changes
// nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <span>
#include <tuple>

#include "bankshot/timing/memory/sector_cache.hpp"
#include "tests/unit/timing/memory_helpers.hpp"

namespace bankshot::timing {
namespace {

using Random = std::mt19937;

Config random_machine(Random& random) {
  const auto one_of = [&](auto... values) {
    const std::array all{values...};
    return all[random() % all.size()];
  };
  Config config = plain_machine();
  config.core_khz = one_of(1'000'000u, 1'400'000u, 700'000u);
  config.interconnect.khz = one_of(1'000'000u, 700'000u, 1'848'000u);
  config.interconnect.latency = one_of(1u, 20u, 57u);
  config.interconnect.flit_bytes = one_of(32u, 8u);
  config.l2.khz = one_of(1'000'000u, 350'000u, 2'000'001u);
  config.l2.ports = one_of(1u, 2u, 3u);
  config.l2.mshrs = one_of(1u, 3u, 64u);
  config.l2.ways = one_of(1u, 2u, 4u);
  config.l2.latency = one_of(0u, 1u, 30u);
  config.l2.atomic_cycles = one_of(0u, 1u, 5u);
  config.l2_bytes = one_of(0u, 512u, 3u * 1024, 64u * 1024);
  config.dram.khz = one_of(1'000'000u, 924'000u, 2'619'000u);
  config.dram.queue = one_of(1u, 2u, 7u, 32u);
  config.dram.banks = one_of(1u, 6u, 16u);
  config.dram.burst_bytes = one_of(16u, 32u, 64u);
  config.dram.burst_cycles = one_of(1u, 2u, 4u);
  config.dram.ccd = one_of(1u, 2u, 3u);
  return config;
}

/// Packets of some SMs, by SM; times ascend within an SM.
std::vector<std::vector<Packet>> random_packets(Random& random, unsigned count) {
  std::vector<std::vector<Packet>> of_sm(1 + random() % 4);
  const unsigned gap = std::array{1u, 10u, 100u}[random() % 3], lines = std::array{4u, 40u, 1000u}[random() % 3];
  for (uint16_t sm = 0; sm < of_sm.size(); ++sm) {
    Cycle time = 0;
    for (uint32_t tag = 0; tag < count; ++tag) {
      time += random() % (2 * gap);
      const uint64_t line = random() % lines * 128;
      const auto sectors = static_cast<uint8_t>(1 + random() % 15);
      switch (random() % 4) {
        case 0:
          of_sm[sm].push_back(store(time, line, sectors, static_cast<uint8_t>(random() & sectors), sm, tag));
          break;
        case 1:
          of_sm[sm].push_back(atomic(time, line, sectors, static_cast<uint8_t>(1 + random() % 32), sm, tag));
          break;
        default: of_sm[sm].push_back(load(time, line, sectors, sm, tag));
      }
    }
  }
  return of_sm;
}

bool same(const Packet& a, const Packet& b) {
  return std::tuple(a.time, a.line, a.tag, a.sm, a.kind) == std::tuple(b.time, b.line, b.tag, b.sm, b.kind);
}

TEST(PartitionProperty, cutting_time_changes_nothing) {
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    const Config config = random_machine(random);
    const std::vector<std::vector<Packet>> of_sm = random_packets(random, 100);
    Memory whole(config);
    for (const std::vector<Packet>& packets : of_sm) whole.partition.receive(packets);
    whole.partition.advance(kEnd, whole.answers);

    // Cut at random, now and then at the next event; packets are received when they have to be, or some time before.
    Memory cut(config);
    std::vector<size_t> sent(of_sm.size());
    const auto send_all_before = [&](Cycle end, Cycle early) {
      for (size_t k = 0; k < of_sm.size(); ++k) {
        const size_t sm = (k + random()) % 2 == 0 ? k : of_sm.size() - 1 - k;  // in some order, some of them twice
        size_t last = sent[sm];
        while (last < of_sm[sm].size() && of_sm[sm][last].time + config.interconnect.latency < end + early) ++last;
        cut.partition.receive(std::span(of_sm[sm]).subspan(sent[sm], last - sent[sm]));
        sent[sm] = last;
      }
    };
    Cycle now = 0;
    while (cut.answers.size() < whole.answers.size() || cut.partition.next_event() != kNever) {
      Cycle end = now + 1 + random() % 60;
      for (int times = 0; times < 8; ++times) send_all_before(end, random() % 50);
      for (size_t sm = 0; sm < of_sm.size(); ++sm) {  // whatever chance has left
        while (sent[sm] < of_sm[sm].size() && of_sm[sm][sent[sm]].time + config.interconnect.latency < end) {
          cut.partition.receive({&of_sm[sm][sent[sm]++], 1});
        }
      }
      if (random() % 3 == 0) end = std::min(end, std::max(now, cut.partition.next_event()));
      const size_t before = cut.answers.size();
      const bool idle = cut.partition.next_event() >= end;
      cut.partition.advance(end, cut.answers);
      if (idle) {
        ASSERT_EQ(cut.answers.size(), before);
      }
      ASSERT_GE(cut.partition.next_event(), end);
      now = end;
      ASSERT_LT(now, kEnd);
    }
    ASSERT_EQ(cut.answers.size(), whole.answers.size());
    for (size_t k = 0; k < whole.answers.size(); ++k)
      ASSERT_TRUE(same(whole.answers[k], cut.answers[k])) << round << " " << k;
    for (const CounterName& counter : counter_names()) {
      ASSERT_EQ(whole.counters().*counter.value, cut.counters().*counter.value) << counter.name;
    }
  }
}

TEST(PartitionProperty, everything_is_answered_once_and_counts_add_up) {
  Random random(12);
  for (int round = 0; round < 60; ++round) {
    const Config config = random_machine(random);
    const std::vector<std::vector<Packet>> of_sm = random_packets(random, 150);
    Memory memory(config);
    std::map<std::pair<uint16_t, uint32_t>, Packet> open;
    uint64_t read = 0, written = 0, fetched = 0, flits_back = 0;
    for (const std::vector<Packet>& packets : of_sm) {
      memory.partition.receive(packets);
      for (const Packet& packet : packets) {
        open[{packet.sm, packet.tag}] = packet;
        const auto sectors = static_cast<unsigned>(std::popcount(packet.sectors));
        const bool is_store = packet.kind == Packet::Kind::store;
        (packet.kind == Packet::Kind::load ? read : written) += sectors;
        fetched += is_store ? 0 : sectors;
        flits_back += flits(config.interconnect, is_store ? 0 : sectors * 32);
      }
    }
    const uint64_t all = open.size();
    memory.until_idle();

    Cycle last = 0;
    for (const Packet& answer : memory.answers) {
      const auto at = open.find({answer.sm, answer.tag});
      ASSERT_NE(at, open.end());
      const Packet& packet = at->second;
      EXPECT_EQ(answer.line, packet.line);
      EXPECT_EQ(answer.kind, packet.kind);
      EXPECT_GE(answer.time, last);
      EXPECT_GE(answer.time, packet.time + config.interconnect.latency + 1);
      last = answer.time;
      open.erase(at);
    }
    EXPECT_TRUE(open.empty());

    const Counters& c = memory.counters();
    EXPECT_EQ(c.packets_to_sms, all);
    EXPECT_EQ(c.flits_to_sms, flits_back);
    EXPECT_EQ(c.l2_reads, config.l2_bytes != 0 ? read : 0);
    EXPECT_EQ(c.l2_writes, config.l2_bytes != 0 ? written : 0);
    EXPECT_EQ(c.l2_reads, c.l2_read_hits + c.l2_read_merged + c.l2_read_misses);
    EXPECT_EQ(c.l2_writes, c.l2_write_hits + c.l2_write_misses);
    EXPECT_EQ(c.dram_reads + c.dram_writes, c.dram_row_hits + c.dram_row_misses);
    EXPECT_EQ(c.dram_activates, c.dram_row_misses);
    EXPECT_LE(c.dram_precharges, c.dram_activates);
    EXPECT_EQ(c.dram_busy_cycles, (c.dram_reads + c.dram_writes) * config.dram.burst_cycles);
    if (config.dram.burst_bytes == 32) {  // a burst is a sector
      if (config.l2_bytes != 0) {
        EXPECT_EQ(c.dram_writes, c.l2_writebacks);
        EXPECT_GE(c.dram_reads, c.l2_read_misses);
        EXPECT_LE(c.dram_reads, c.l2_read_misses + c.l2_write_misses);
        EXPECT_LE(c.l2_writebacks, c.l2_writes);
      } else {
        EXPECT_EQ(c.dram_reads, fetched);
        EXPECT_EQ(c.dram_writes, written);  // atomics read and write
      }
    }
  }
}

/// One packet after the other is what a list of tags can tell: the counters must be the same, and what was written must
/// be in DRAM once for every time that it became dirty, when other lines have pushed it out.
TEST(PartitionProperty, one_by_one_it_is_a_cache) {
  Random random(13);
  for (int round = 0; round < 20; ++round) {
    Config config = random_machine(random);
    config.l2_bytes = 128 * (1 + random() % 20);
    config.dram.burst_bytes = 32;
    Memory memory(config);
    SectorCache cache(config.l2_bytes, 128, config.l2.ways);
    uint64_t read_hits = 0, reads = 0, write_hits = 0, writes = 0, became_dirty = 0, writebacks = 0, fetches = 0;
    Cycle time = 0;
    const auto send = [&](Packet packet) {
      packet.time = time += 10'000;
      memory.run({packet});
      const bool is_load = packet.kind == Packet::Kind::load;
      const uint8_t valid = cache.lookup(packet.line), dirty = cache.dirty(packet.line);
      const auto bits = [](unsigned sectors) { return static_cast<uint64_t>(std::popcount(sectors)); };
      (is_load ? reads : writes) += bits(packet.sectors);
      (is_load ? read_hits : write_hits) += bits(packet.sectors & valid);
      fetches += bits(packet.sectors & ~valid & ~packet.full);
      if (!is_load) became_dirty += bits(packet.sectors & ~dirty);
      if (packet.sectors == 0) return;
      writebacks += bits(cache.fill(packet.line, packet.sectors, is_load ? 0 : packet.sectors).dirty);
    };
    const std::vector<Packet> packets = random_packets(random, 400)[0];
    for (const Packet& packet : packets) send(packet);
    const Counters& c = memory.counters();
    EXPECT_EQ(c.l2_reads, reads);
    EXPECT_EQ(c.l2_read_hits, read_hits);
    EXPECT_EQ(c.l2_read_merged, 0u);
    EXPECT_EQ(c.l2_writes, writes);
    EXPECT_EQ(c.l2_write_hits, write_hits);
    EXPECT_EQ(c.dram_reads, fetches);
    EXPECT_EQ(c.l2_writebacks, writebacks);
    EXPECT_EQ(c.dram_writes, writebacks);
    for (uint64_t k = 0; k < 40; ++k) send(load(0, (1'000'000 + k) * 128));  // fills every set anew
    EXPECT_EQ(c.l2_writebacks, became_dirty);
    EXPECT_EQ(c.dram_writes, became_dirty);
  }
}

TEST(PartitionProperty, fully_written_lines_reach_dram_once) {
  Config config = plain_machine();
  config.l2_bytes = 1024;
  Memory memory(config);
  std::vector<Packet> packets;
  for (uint64_t k = 0; k < 500; ++k) packets.push_back(store(k, k * 128, 0b1111, 0b1111));
  memory.run(packets);
  EXPECT_EQ(memory.counters().dram_reads, 0u);
  EXPECT_EQ(memory.counters().dram_writes, 4u * (500 - 8));  // eight lines are in the cache
}

TEST(PartitionProperty, a_stream_keeps_the_data_bus_busy) {
  Config config = plain_machine();
  config.interconnect.flit_bytes = 256;
  Memory memory(config);
  std::vector<Packet> packets;
  for (uint64_t k = 0; k < 2000; ++k) packets.push_back(load(0, k * 128, 0b1111));
  memory.run(packets);
  // 8000 bursts of 2 cycles, a row of 64 bursts after the other on another bank.
  EXPECT_EQ(memory.counters().dram_busy_cycles, 16000u);
  EXPECT_EQ(memory.counters().dram_row_misses, 125u);
  EXPECT_GE(memory.answers.back().time, 16000u);
  EXPECT_LE(memory.answers.back().time, 16000u + 100);
}

}  // namespace
}  // namespace bankshot::timing

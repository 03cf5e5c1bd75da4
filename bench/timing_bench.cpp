// Host time of one packet to a memory partition and back, by kind of traffic. Every packet has four sectors.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "bankshot/timing/memory/partition.hpp"

namespace {

using namespace bankshot::timing;

/// One channel of a GTX 480's size; the clocks differ if `clocks` says so, as they do in real machines.
Config machine(bool clocks, uint64_t l2_bytes) {
  Config config;
  config.core_khz = 1'400'000;
  config.interconnect.khz = config.l2.khz = clocks ? 700'000 : 1'400'000;
  config.dram.khz = clocks ? 924'000 : 1'400'000;
  config.l2_bytes = l2_bytes;
  return config;
}

/// Packets in batches, each received and simulated before the next, as the chip does it in quanta.
/// @param gap      core cycles between two packets
/// @param spread   lines among which random packets choose; 0: a stream
/// @param stores   so many of 4 packets are full stores
void traffic(benchmark::State& state, const Config& config, unsigned gap, uint64_t spread, unsigned stores) {
  Partition partition(config);
  std::mt19937_64 random(1);
  std::vector<Packet> batch, answers;
  Cycle now = 0;
  uint64_t line = 0, sent = 0, answered = 0;
  for (auto _ : state) {
    batch.clear();
    for (unsigned k = 0; k < 64; ++k, now += gap) {
      Packet packet;
      packet.time = now;
      packet.line = (spread == 0 ? line++ : random() % spread) * config.l2.line_bytes;
      packet.kind = sent++ % 4 < stores ? Packet::Kind::store : Packet::Kind::load;
      packet.sectors = packet.full = 0b1111;
      batch.push_back(packet);
    }
    partition.receive(batch);
    answers.clear();
    partition.advance(now, answers);
    answered += answers.size();
  }
  state.SetItemsProcessed(static_cast<int64_t>(answered));
  state.counters["row_hits"] =
      static_cast<double>(partition.counters().dram_row_hits) /
      static_cast<double>(partition.counters().dram_row_hits + partition.counters().dram_row_misses);
}

BENCHMARK_CAPTURE(traffic, stream_loads, machine(true, 128 << 10), 16, 0, 0);
BENCHMARK_CAPTURE(traffic, stream_loads_one_clock, machine(false, 128 << 10), 16, 0, 0);
BENCHMARK_CAPTURE(traffic, stream_loads_and_stores, machine(true, 128 << 10), 32, 0, 1);
BENCHMARK_CAPTURE(traffic, random_loads, machine(true, 128 << 10), 64, 1 << 20, 0);
BENCHMARK_CAPTURE(traffic, random_loads_and_stores, machine(true, 128 << 10), 64, 1 << 20, 1);
BENCHMARK_CAPTURE(traffic, hits, machine(true, 128 << 10), 16, 512, 0);
BENCHMARK_CAPTURE(traffic, stream_without_cache, machine(true, 0), 16, 0, 1);
BENCHMARK_CAPTURE(traffic, stream_with_idle_time, machine(true, 128 << 10), 2000, 0, 0);

}  // namespace

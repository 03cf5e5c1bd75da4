// What the tests of memory partitions share: a machine with plain numbers, and packets.
#pragma once

#include <vector>

#include "bankshot/timing/memory/partition.hpp"

namespace bankshot::timing {

/// One channel, every clock 1 GHz unless a test says otherwise. The times that tests are worked with:
///   arrival        20 after Packet::time (interconnect.latency)
///   input port     1 cycle for loads (8 bytes of header), 2, 3, 4, 5 for 1 to 4 sectors of data
///   cache          20 from lookup, or from the fill, until data leave
///   DRAM           26 from the request to a closed bank until one burst is there; 2 more for each further burst
///   output port    1 cycle for acknowledgements, 2 to 5 for 1 to 4 sectors
inline Config plain_machine() {
  Config config;
  config.l2_bytes = 64 << 10;
  return config;
}

inline Packet load(Cycle time, uint64_t line, uint8_t sectors = 1, uint16_t sm = 0, uint32_t tag = 0) {
  return {time, line, tag, sm, Packet::Kind::load, sectors, 0, 1};
}
inline Packet store(Cycle time, uint64_t line, uint8_t sectors, uint8_t full, uint16_t sm = 0, uint32_t tag = 0) {
  return {time, line, tag, sm, Packet::Kind::store, sectors, full, 1};
}
inline Packet atomic(Cycle time, uint64_t line, uint8_t sectors, uint8_t lanes, uint16_t sm = 0, uint32_t tag = 0) {
  return {time, line, tag, sm, Packet::Kind::atomic, sectors, 0, lanes};
}

constexpr Cycle kEnd = 1'000'000'000;

/// A partition and what it has answered.
struct Memory {
  explicit Memory(const Config& config) : partition(config) {}

  /// Sends packets in the order given, each of its own SM's, and simulates until all are answered and written.
  void run(const std::vector<Packet>& packets) {
    for (const Packet& packet : packets) partition.receive({&packet, 1});
    until_idle();
  }
  void until_idle() {
    for (Cycle next; (next = partition.next_event()) != kNever;) partition.advance(next + 1, answers);
  }
  const Counters& counters() const { return partition.counters(); }

  Partition partition;
  std::vector<Packet> answers;
};

}  // namespace bankshot::timing

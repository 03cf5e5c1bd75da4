// One memory partition: its part of the second-level cache and the DRAM channel behind it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bankshot/timing/base/config.hpp"
#include "bankshot/timing/base/counters.hpp"
#include "bankshot/timing/memory/packet.hpp"

namespace bankshot::timing {

/// Takes packets of SMs and answers every one of them: loads with data, stores and atomics with an acknowledgement (of
/// an atomic with its old values). Private: partitions may advance on different threads.
///
/// The way of a packet: it arrives `interconnect.latency` after Packet::time; the partition's input port then takes one
/// flit a cycle, packets in the order of (arrival, SM, order at that SM); its sectors are looked up in the cache, one
/// packet a cycle and port; what misses goes to the DRAM controller, and the packet answers when its last sector is
/// there.
class Partition {
 public:
  /// Packets must belong to one channel of the chip (channel_of).
  explicit Partition(const Config& config);
  ~Partition();
  Partition(Partition&&) noexcept;

  /// Packets of one SM, in the order in which it sent them. They arrive later than everything advanced over so far.
  void receive(std::span<const Packet> packets);

  /// Sectors of a line were written from outside between launches: the cache marks them as written, at no cost.
  void hold(uint64_t line, uint8_t sectors);

  /// Simulates the core cycles before `end` that were not simulated yet. Answers are appended in the order of their
  /// time, the core cycle at which their last flit left the output port; their `line`, `tag`, `sm` and `kind` are the
  /// packet's.
  void advance(Cycle end, std::vector<Packet>& answers);

  /// The core cycle before which advance() would change nothing; kNever if nothing is under way.
  Cycle next_event() const;

  /// The core cycle from which on its way to DRAM is free.
  Cycle busy_until() const;

  /// Everything this partition counts: packets_to_sms, flits_to_sms, l2_…, dram_….
  const Counters& counters() const;
  void reset_counters();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The channel that an address belongs to.
unsigned channel_of(const Config& config, uint64_t address);

/// Flits of a packet of `data` bytes beside its header, at the port of an SM, and at that of a channel.
inline unsigned flits(const InterconnectConfig& config, unsigned data) {
  return (config.header_bytes + data + config.flit_bytes - 1) / config.flit_bytes;
}
inline unsigned channel_flits(const Config& config, unsigned data) {
  const unsigned bytes = config.l2.flit_bytes != 0 ? config.l2.flit_bytes : config.interconnect.flit_bytes;
  return (config.interconnect.header_bytes + data + bytes - 1) / bytes;
}

}  // namespace bankshot::timing

#include "bankshot/timing/memory/partition.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <tuple>
#include <utility>

#include "bankshot/timing/base/ring.hpp"
#include "bankshot/timing/memory/address_map.hpp"
#include "bankshot/timing/memory/dram.hpp"
#include "bankshot/timing/memory/fetch_table.hpp"
#include "bankshot/timing/memory/sector_cache.hpp"

// How a partition computes: by events. Each of its three stages (DRAM commands; what the cache does; the output port)
// knows the tick of its clock at which it does something next. The stage whose tick is first in core cycles takes its
// turn, of equals the one nearest to the DRAM. An event makes others only at its own time or later, and depends on
// nothing that can still be received, so it does not matter how time is cut into calls of advance().
namespace bankshot::timing {
namespace {

/// Bits of each byte. Old machines, for which we compile, have no instruction for it.
constexpr std::array<uint8_t, 256> kCounts = [] {
  std::array<uint8_t, 256> counts{};
  for (unsigned byte = 1; byte < 256; ++byte) counts[byte] = static_cast<uint8_t>(counts[byte / 2] + byte % 2);
  return counts;
}();
unsigned count(uint8_t sectors) { return kCounts[sectors]; }

/// When a stage does something next, in its own clock and in core cycles.
class Alarm {
 public:
  explicit Alarm(ClockRatio to_core) : to_core_(to_core) {}
  void set(Cycle tick) {
    if (tick == tick_) return;
    tick_ = tick;
    core_ = to_core_(tick);
  }
  Cycle tick() const { return tick_; }
  Cycle core() const { return core_; }

 private:
  ClockRatio to_core_;
  Cycle tick_ = kNever, core_ = kNever;
};

}  // namespace

struct Partition::State {
  // Every kind of thing that waits somewhere, in the order of its way.
  struct Arriving {
    Packet packet;
    uint64_t order;  ///< in which packets were received
  };
  struct Input {
    Packet packet;
    uint64_t line;  ///< its place in the channel
    Cycle tick;     ///< of the cache, at which its last flit is in
  };
  struct Request {  ///< to DRAM
    DramPlace place;
    uint32_t tag;  ///< reads: number of the fetch, then 8 bits for its sectors
    uint8_t bursts;
    bool write;
  };
  struct Fill {
    Cycle tick;  ///< of the cache, at which the data are there
    uint32_t tag;
  };
  struct Output {
    Packet packet;
    Cycle tick;  ///< of the cache, at which its data leave it
  };

  explicit State(const Config& config)
      : config(config),
        cached(config.l2_bytes != 0),
        core_to_port(ClockRatio{config.core_khz, config.interconnect.khz}),
        port_to_cache(ClockRatio{config.interconnect.khz, cache_khz()}),
        cache_to_dram(ClockRatio{cache_khz(), config.dram.khz}),
        dram_to_cache(ClockRatio{config.dram.khz, cache_khz()}),
        cache_to_port(ClockRatio{cache_khz(), config.interconnect.khz}),
        port_to_core(ClockRatio{config.interconnect.khz, config.core_khz}),
        cache(cached ? config.l2_bytes / config.dram.channels : 0, config.l2.line_bytes, config.l2.ways),
        fetches(cached ? std::max(1u, config.l2.mshrs) : 0),
        dram(config.dram, counters),
        dram_alarm(ClockRatio{config.dram.khz, config.core_khz}),
        cache_alarm(ClockRatio{cache_khz(), config.core_khz}),
        output_alarm(ClockRatio{cache_khz(), config.core_khz}) {
    for (unsigned n = 0; n < flits_of.size(); ++n) flits_of[n] = channel_flits(config, n * config.l1.sector_bytes);
    for (unsigned sectors = 0; sectors < bursts_of.size(); ++sectors) bursts_of[sectors] = bursts(sectors);
    constexpr Cycle kLine = 8;  // bursts of a line, at most
    link_ahead = dram_to_cache(config.dram.latency + config.dram.cl + kLine * config.dram.burst_cycles);
  }

  /// Without a cache the stage between ports and DRAM has the ports' clock.
  unsigned cache_khz() const { return config.l2_bytes != 0 ? config.l2.khz : config.interconnect.khz; }
  /// … and takes no time.
  Cycle latency() const { return cached ? config.l2.latency : 0; }
  /// Bursts that move sectors of a line: sectors may share one, or take several each.
  uint8_t bursts(unsigned sectors) const {
    const unsigned sharing = std::max(1u, config.dram.burst_bytes / config.l1.sector_bytes);
    const unsigned each = std::max(1u, config.l1.sector_bytes / config.dram.burst_bytes);
    unsigned groups = 0;
    for (unsigned first = 0; first < 8; first += sharing) groups += (sectors >> first & ((1u << sharing) - 1)) != 0;
    return static_cast<uint8_t>(groups * each);
  }

  /// Data of sectors are read or written from a tick on. @return the tick from which on the next can be
  Cycle behind_data(Cycle tick, unsigned sectors, bool write) {
    const Cycle width = config.l2.data_bytes;
    if (width == 0) return tick;
    Cycle bytes = Cycle{sectors} * config.l1.sector_bytes;
    if (write && config.l2.write_bytes != 0) bytes = bytes * width / config.l2.write_bytes;
    data_free = std::max(data_free, tick * width) + bytes;
    return data_free / width;
  }
  /// Sectors go over the way to DRAM, or come, from a tick on. @return the tick in which they are there
  Cycle over_link(Cycle tick, unsigned sectors, bool write) {
    const Cycle width = config.l2.dram_bytes;
    if (width == 0) return tick;
    const bool turns = std::exchange(link_writes, write) != write;
    if (link_free < tick * width)
      link_free = tick * width;
    else if (turns)
      link_free += config.l2.dram_turn * width;
    link_free += Cycle{sectors} * config.l1.sector_bytes;
    return (link_free + width - 1) / width;
  }
  /// The tick from which on a lookup may send more over the way to DRAM: data that is asked for has it booked for when
  /// it comes.
  Cycle link_allows() const {
    const Cycle width = config.l2.dram_bytes;
    if (width == 0) return 0;
    const Cycle booked = (link_free + width - 1) / width;
    return booked - std::min(booked, link_ahead);
  }

  enum class Held { no, by_queue, by_mshrs };  ///< what the first input waits for

  void admit(Cycle end);
  void set_cache_alarm();
  void set_output_alarm();
  bool dram_turn();
  void cache_turn();
  void output_turn(std::vector<Packet>& answers);

  bool look_up(const Input& input, Cycle tick);
  void pass_by(const Input& input, Cycle tick);
  void release(Held what, Cycle tick);
  void wait_for(uint32_t fetch, const Packet& packet, uint8_t sectors);
  void fill(const Fill& fill);
  void answer(const Packet& packet, uint64_t line, Cycle tick);
  void to_dram(uint64_t line, uint8_t sectors, bool write, uint32_t fetch, Cycle tick);

  Config config;
  bool cached;
  std::array<unsigned, 9> flits_of{};    ///< by number of sectors
  std::array<uint8_t, 256> bursts_of{};  ///< by sectors
  ClockRatio core_to_port, port_to_cache, cache_to_dram, dram_to_cache, cache_to_port, port_to_core;
  Counters counters;

  // From the interconnect.
  std::vector<Arriving> arriving;
  Cycle first_arrival = kNever;  ///< core cycle
  bool sorted = true;            ///< `arriving`, by arrival, SM, order
  uint64_t received = 0;
  Cycle input_free = 0;  ///< ticks of the port
  Ring<Input> inputs;

  // The cache. Ticks of its clock.
  SectorCache cache;
  FetchTable<Packet> fetches;
  Cycle lookup_free = 0;  ///< from when the next packet can be looked up
  unsigned lookups = 0;   ///< in that tick
  Held held = Held::no;
  uint8_t touched = 0;  ///< sectors that the last lookup read or wrote
  Cycle data_free = 0;  ///< its data, in bytes of l2.data_bytes a tick
  bool link_writes = false;
  Cycle link_ahead = 0;  ///< ticks for which it may be booked in advance
  Cycle link_free = 0;   ///< the way to DRAM, in bytes of l2.dram_bytes a tick
  Ring<Fill> fills;
  Cycle atomics_free = 0;
  Ring<Output> outputs, atomics;  ///< each in the order of ticks

  // DRAM.
  Ring<Request> requests;  ///< that found no room in its queue
  DramChannel dram;

  Alarm dram_alarm, cache_alarm, output_alarm;
  Cycle output_free = 0;  ///< ticks of the port
  Cycle done = 0;         ///< core cycles before it are simulated
};

// ---------------------------------------------------------------------------------------------------- the order of
// events

void Partition::State::set_cache_alarm() {
  Cycle next = fills.empty() ? kNever : fills.front().tick;
  if (held == Held::no && !inputs.empty()) next = std::min(next, std::max(inputs.front().tick, lookup_free));
  cache_alarm.set(next);
}

void Partition::State::set_output_alarm() {
  const Cycle packet = outputs.empty() ? kNever : outputs.front().tick;
  const Cycle atomic = atomics.empty() ? kNever : atomics.front().tick;
  output_alarm.set(std::min(packet, atomic));
}

void Partition::advance(Cycle end, std::vector<Packet>& answers) {
  State& s = *state_;
  if (end <= s.done) return;
  s.done = end;
  s.admit(end);
  s.set_cache_alarm();
  for (;;) {
    const Cycle dram = s.dram_alarm.core(), cache = s.cache_alarm.core(), output = s.output_alarm.core();
    if (std::min({dram, cache, output}) >= end) return;
    if (dram <= cache && dram <= output) {
      if (s.dram_turn()) s.set_cache_alarm();
      s.dram_alarm.set(s.dram.next_command());
    } else if (cache <= output) {
      s.cache_turn();
      s.set_cache_alarm();
      s.dram_alarm.set(s.dram.next_command());
      s.set_output_alarm();
    } else {
      s.output_turn(answers);
      s.set_output_alarm();
    }
  }
}

Cycle Partition::next_event() const {
  const State& s = *state_;
  return std::min({s.first_arrival, s.dram_alarm.core(), s.cache_alarm.core(), s.output_alarm.core()});
}

// ------------------------------------------------------------------------------------------------------------- input
// port

void Partition::receive(std::span<const Packet> packets) {
  State& s = *state_;
  const Cycle latency = s.config.interconnect.latency;
  for (const Packet& packet : packets) {
    assert(packet.time + latency >= s.done && "packets arrive later than what is simulated");
    if (!s.arriving.empty()) {
      const Packet& last = s.arriving.back().packet;
      s.sorted = s.sorted && std::pair(last.time, last.sm) <= std::pair(packet.time, packet.sm);
    }
    s.first_arrival = std::min(s.first_arrival, packet.time + latency);
    s.arriving.push_back({packet, s.received++});
  }
}

/// Packets that arrive before `end` go through the port, which nothing behind it stops, so that all is known at once.
void Partition::State::admit(Cycle end) {
  if (first_arrival >= end) return;
  if (!sorted) {
    std::ranges::sort(arriving, {}, [](const Arriving& a) { return std::tuple(a.packet.time, a.packet.sm, a.order); });
    sorted = true;
  }
  const Cycle latency = config.interconnect.latency;
  size_t k = 0;
  for (; k < arriving.size() && arriving[k].packet.time + latency < end; ++k) {
    const Packet& packet = arriving[k].packet;
    const unsigned sectors = packet.kind == Packet::Kind::load ? 0 : count(packet.sectors);
    input_free = std::max(core_to_port(packet.time + latency), input_free) + flits_of[sectors];
    inputs.push({packet, locate(config.dram, packet.line).offset, port_to_cache(input_free)});
  }
  arriving.erase(arriving.begin(), arriving.begin() + static_cast<std::ptrdiff_t>(k));
  first_arrival = arriving.empty() ? kNever : arriving.front().packet.time + latency;
}

// ------------------------------------------------------------------------------------------------------------- the
// cache

void Partition::State::cache_turn() {
  const Cycle tick = cache_alarm.tick();
  if (!fills.empty() && fills.front().tick == tick) {
    const Fill next = fills.front();
    fills.pop();
    fill(next);
    return;
  }
  // In order: what cannot go on holds all behind it, until the DRAM queue has room or a fetch is over.
  const Input& input = inputs.front();
  touched = 0;
  if (!requests.empty()) {
    held = Held::by_queue;
    return;
  }
  if (!cached) {
    pass_by(input, tick);
  } else if (!look_up(input, tick)) {
    held = Held::by_mshrs;
    return;
  }
  const bool write = input.packet.kind != Packet::Kind::load;
  inputs.pop();
  if (tick != lookup_free) lookups = 0;
  lookup_free = tick;
  const Cycle next = std::max(behind_data(tick, count(touched), write), link_allows());
  if (++lookups >= config.l2.ports || next > tick + 1) {
    lookup_free = std::max(tick + 1, next);
    lookups = 0;
  }
}

/// What the first input waited for is there.
void Partition::State::release(Held what, Cycle tick) {
  if (held != what) return;
  held = Held::no;
  if (tick <= lookup_free) return;
  lookup_free = tick;
  lookups = 0;
}

/// @return  false: there is no MSHR, and nothing has changed
bool Partition::State::look_up(const Input& input, Cycle tick) {
  const Packet& packet = input.packet;
  const bool load = packet.kind == Packet::Kind::load;
  const uint8_t sectors = packet.sectors;
  const uint8_t full = packet.kind == Packet::Kind::store ? packet.full & sectors : 0;
  const uint8_t valid = cache.lookup(input.line);

  // What has to come from DRAM, and what of it is under way already.
  const uint8_t needed = sectors & ~full & ~valid;
  uint32_t fetch = needed != 0 ? fetches.find(input.line) : FetchTable<Packet>::kNone;
  const uint8_t merged = fetch == FetchTable<Packet>::kNone ? 0 : needed & fetches[fetch].pending;
  if (needed != 0 && fetch == FetchTable<Packet>::kNone) {
    fetch = fetches.add(input.line);
    if (fetch == FetchTable<Packet>::kNone) return false;
  }

  touched = load ? sectors & valid : sectors;
  if (load) {
    counters.l2_reads += count(sectors);
    counters.l2_read_hits += count(sectors & valid);
    counters.l2_read_merged += count(merged);
    counters.l2_read_misses += count(needed & ~merged);
  } else {
    counters.l2_writes += count(sectors);
    counters.l2_write_hits += count(sectors & valid);
    counters.l2_write_misses += count(sectors & ~valid);
    // Sectors that are here are written now, the others when they come.
    if (const uint8_t written = sectors & ~needed; written != 0) {
      const SectorCache::Evicted evicted = cache.fill(input.line, written, written);
      to_dram(evicted.line, evicted.dirty, true, 0, tick);
      counters.l2_writebacks += count(evicted.dirty);
    }
    if (needed != 0) fetches[fetch].dirty |= needed;
  }
  if (needed == 0) {
    answer(packet, input.line, tick);
    return true;
  }
  wait_for(fetch, packet, needed);
  to_dram(input.line, needed & ~merged, false, fetch, tick);
  return true;
}

/// Without a cache: stores are answered when the controller has them, which has byte masks; everything else reads. A
/// packet has a fetch of its own, and an atomic writes when it has its turn (answer).
void Partition::State::pass_by(const Input& input, Cycle tick) {
  const Packet& packet = input.packet;
  if (packet.kind == Packet::Kind::store) {
    to_dram(input.line, packet.sectors, true, 0, tick);
    answer(packet, input.line, tick);
    return;
  }
  const uint32_t fetch = fetches.add(input.line);
  wait_for(fetch, packet, packet.sectors);
  to_dram(input.line, packet.sectors, false, fetch, tick);
}

void Partition::State::wait_for(uint32_t fetch, const Packet& packet, uint8_t sectors) {
  fetches[fetch].pending |= sectors;
  fetches.wait(fetch, packet, sectors);
}

/// Data of DRAM are there.
void Partition::State::fill(const Fill& fill) {
  const uint32_t index = fill.tag >> 8;
  const auto sectors = static_cast<uint8_t>(fill.tag & 0xff);
  Fetch& fetch = fetches[index];
  const uint64_t line = fetch.line;
  if (cached) {
    const SectorCache::Evicted evicted = cache.fill(line, sectors, fetch.dirty & sectors);
    to_dram(evicted.line, evicted.dirty, true, 0, fill.tick);
    counters.l2_writebacks += count(evicted.dirty);
  }
  fetch.pending &= static_cast<uint8_t>(~sectors);
  fetch.dirty &= static_cast<uint8_t>(~sectors);
  fetches.arrive(index, sectors, [&](const Packet& packet) { answer(packet, line, fill.tick); });
  if (fetch.pending != 0) return;
  fetches.remove(index);
  release(Held::by_mshrs, fill.tick);
}

/// A packet's sectors are all there.
void Partition::State::answer(const Packet& packet, uint64_t line, Cycle tick) {
  if (packet.kind != Packet::Kind::atomic) {
    outputs.push({packet, tick + latency()});
    return;
  }
  // One unit executes atomics, in the order in which their data are there; lanes on one word take turns.
  atomics_free =
      std::max(atomics_free, tick) + (std::max<unsigned>(packet.lanes, 1) - 1) * Cycle{config.l2.atomic_cycles};
  atomics.push({packet, atomics_free + latency()});
  if (!cached) to_dram(line, packet.sectors, true, 0, tick);
}

// ------------------------------------------------------------------------------------------------------------------
// DRAM

/// @param fetch  reads: what waits for them
/// @param tick   of the cache
void Partition::State::to_dram(uint64_t line, uint8_t sectors, bool write, uint32_t fetch, Cycle tick) {
  if (sectors == 0) return;
  const Request request = {place(config.dram, line), fetch << 8 | sectors, bursts_of[sectors], write};
  if (write) over_link(tick, count(sectors), true);
  if (requests.empty() && !dram.full()) {
    dram.push(request.place, request.bursts, write, request.tag, cache_to_dram(tick));
  } else {
    requests.push(request);
  }
}

/// @return  whether the cache may have something else to do
bool Partition::State::dram_turn() {
  const Cycle tick = dram_alarm.tick();
  const DramChannel::Issued issued = dram.issue();
  if (!issued.column) return false;
  if (!issued.write) {
    const auto sectors = static_cast<uint8_t>(issued.tag & 0xff);
    fills.push({over_link(dram_to_cache(issued.data + config.dram.latency), count(sectors), false), issued.tag});
  }
  if (requests.empty()) return true;
  const Request& next = requests.front();
  dram.push(next.place, next.bursts, next.write, next.tag, tick + 1);
  requests.pop();
  if (requests.empty()) release(Held::by_queue, dram_to_cache(tick));
  return true;
}

// ----------------------------------------------------------------------------------------------------------- output
// port

void Partition::State::output_turn(std::vector<Packet>& answers) {
  const bool atomic = outputs.empty() || (!atomics.empty() && atomics.front().tick < outputs.front().tick);
  Ring<Output>& from = atomic ? atomics : outputs;
  Packet packet = from.front().packet;
  const unsigned length = flits_of[packet.kind == Packet::Kind::store ? 0 : count(packet.sectors)];
  output_free = std::max(output_free, cache_to_port(from.front().tick)) + length;
  from.pop();
  packet.time = port_to_core(output_free);
  answers.push_back(packet);
  ++counters.packets_to_sms;
  counters.flits_to_sms += length;
}

// -------------------------------------------------------------------------------------------------------------- the
// rest

Partition::Partition(const Config& config) : state_(std::make_unique<State>(config)) {}
Partition::~Partition() = default;
Partition::Partition(Partition&&) noexcept = default;

void Partition::hold(uint64_t line, uint8_t sectors) {
  if (state_->cached) state_->cache.fill(locate(state_->config.dram, line).offset, sectors, sectors);
}

Cycle Partition::busy_until() const {
  const Cycle width = state_->config.l2.dram_bytes;
  if (width == 0) return 0;
  const State& s = *state_;
  return s.port_to_core(s.cache_to_port((s.link_free + width - 1) / width));
}
const Counters& Partition::counters() const { return state_->counters; }
void Partition::reset_counters() { state_->counters = {}; }

}  // namespace bankshot::timing

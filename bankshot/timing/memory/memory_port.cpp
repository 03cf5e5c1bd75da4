#include "bankshot/timing/memory/memory_port.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/timing/memory/partition.hpp"

namespace bankshot::timing {

using scratchpad::LineRequest;
using scratchpad::LineRequests;

MemoryPort::MemoryPort(const Config& config, unsigned sm)
    : config_(config),
      sm_(static_cast<uint16_t>(sm)),
      cache_(config.l1.line_bytes, config.l1.line_bytes, 1),
      misses_(config.l1.mshrs),
      outbox_{std::vector<std::vector<Packet>>(config.dram.channels),
              std::vector<std::vector<Packet>>(config.dram.channels)},
      to_network_{config.core_khz, config.interconnect.khz},
      to_core_{config.interconnect.khz, config.core_khz} {}

void MemoryPort::begin_launch(unsigned l1_bytes) {
  const L1Config& l1 = config_.l1;
  l1_bytes_ = l1_bytes;
  pace_ = kPace;
  const unsigned lines = std::max(1u, l1_bytes / l1.line_bytes);
  cache_.reshape(uint64_t{lines} * l1.line_bytes, std::max(1u, l1.sets != 0 ? lines / l1.sets : l1.ways));
}

void MemoryPort::enter(Cycle now, const Access& access, const LineRequests& lines) {
  uint32_t ticket;
  if (free_tickets_.empty()) {
    ticket = static_cast<uint32_t>(tickets_.size());
    tickets_.emplace_back();
  } else {
    ticket = free_tickets_.back();
    free_tickets_.pop_back();
  }
  tickets_[ticket] = {{access.kind, access.warp, access.generation, access.instr, now}, lines.count};
  if (queue_.empty()) lookup_at_ = std::max(now, lookup_free_);
  Queued& queued = queue_.push();
  queued.ticket = ticket;
  queued.access = access;
  queued.lines.count = lines.count;
  std::copy_n(lines.request.begin(), lines.count, queued.lines.request.begin());
  queued.next = 0;
  look_up(now);
  ++counters_.global_accesses;
  counters_.global_sectors += lines.sectors();
}

void MemoryPort::use_outbox(unsigned which) {
  box_ = which;
  has_sent_ = has_sent_stores_ = false;
  for (std::vector<Packet>& box : outbox_[which]) box.clear();
}

void MemoryPort::receive(std::span<const Packet> answers) {
  for (const Packet& packet : answers) {
    // The input port takes one flit a cycle.
    const Cycle arrival = to_network_(packet.time + config_.interconnect.latency);
    const unsigned data = packet.kind == Packet::Kind::store
                              ? 0
                              : static_cast<unsigned>(std::popcount(packet.sectors)) * config_.l1.sector_bytes;
    in_free_ = std::max(in_free_, arrival) + flits(config_.interconnect, data);
    Answer& answer = answers_.push();
    answer.at = to_core_(in_free_);
    answer.packet = packet;
  }
}

Cycle MemoryPort::next_event() const {
  const Cycle answer = answers_.empty() ? kNever : answers_.front().at;
  return queue_.empty() ? answer : std::min(answer, lookup_at_);
}

void MemoryPort::advance(Cycle now) {
  for (; !answers_.empty() && answers_.front().at <= now; answers_.pop()) {
    answer(now, answers_.front().packet);
    if (!queue_.empty() && lookup_at_ == kNever) lookup_at_ = now;  // what the head waited for may be free
  }
  look_up(now);
}

void MemoryPort::look_up(Cycle now) {
  if (queue_.empty() || lookup_at_ > now) return;
  Queued& head = queue_.front();
  for (unsigned tag = 0; tag < config_.l1.tags && head.next != head.lines.count; ++tag) {
    if (!look_up_line(now, head)) {
      lookup_at_ = kNever;
      return;
    }
    ++head.next;
  }
  lookup_at_ = lookup_free_ = now + 1;
  if (head.next != head.lines.count) return;
  if (head.access.tells_when_left) {
    const Access& access = head.access;
    completions_.push_back({access.kind, access.warp, access.generation, access.instr,
                            to_core_((std::max(out_free_, stores_free_) + kPace - 1) / kPace), true});
  }
  queue_.pop();
}

bool MemoryPort::look_up_line(Cycle now, const Queued& head) {
  const LineRequest& line = head.lines.request[head.next];
  return head.access.kind == Packet::Kind::load ? load(now, head, line) : write(now, head, line);
}

bool MemoryPort::load(Cycle now, const Queued& head, const LineRequest& line) {
  const bool cached = l1_bytes_ != 0 && (config_.l1.global || head.access.local) && !head.access.strong;
  const uint8_t have = cached ? cache_.lookup(line.line) : uint8_t{0};
  const auto need = static_cast<uint8_t>(line.sectors & ~have);
  if (need == 0) {
    ++counters_.l1_loads;
    ++counters_.l1_load_hits;
    line_done(head.ticket, now + config_.l1.latency);
    return true;
  }
  using Misses = FetchTable<uint32_t>;
  // Data that the cache does not keep is fetched by each access: no lookup finds it, because no line begins there.
  const uint64_t key = cached ? line.line : line.line | 1;
  uint32_t miss = cached ? misses_.find(key) : Misses::kNone;
  const auto ask = static_cast<uint8_t>(need & ~(miss == Misses::kNone ? 0 : misses_[miss].pending));
  if (miss == Misses::kNone) {
    miss = misses_.add(key);
    if (miss == Misses::kNone) return false;
    misses_[miss].keep = cached;
  }
  ++counters_.l1_loads;
  ++(ask == 0 ? counters_.l1_load_merged : counters_.l1_load_misses);
  if (ask != 0) send(now, Packet::Kind::load, line, ask, miss);
  misses_[miss].pending |= ask;
  misses_.wait(miss, head.ticket, need);
  return true;
}

bool MemoryPort::write(Cycle now, const Queued& head, const LineRequest& line) {
  if (stores_ == config_.load_store.stores) return false;
  ++stores_;
  const bool atomic = head.access.kind == Packet::Kind::atomic;
  ++(atomic ? counters_.l1_atomics : counters_.l1_stores);
  if (l1_bytes_ != 0) {
    if (head.access.local) {
      cache_.fill(line.line, line.full, 0);
    } else {
      cache_.invalidate(line.line, line.sectors);
    }
  }
  send(now, head.access.kind, line, line.sectors, head.ticket);
  return true;
}

void MemoryPort::send(Cycle now, Packet::Kind kind, const LineRequest& line, uint8_t sectors, uint32_t tag) {
  const unsigned data =
      kind == Packet::Kind::load ? 0 : static_cast<unsigned>(std::popcount(sectors)) * config_.l1.sector_bytes;
  const unsigned length = flits(config_.interconnect, data);
  Cycle begin = std::max(out_free_, to_network_(now) * kPace);
  if (data != 0) begin = std::max(begin, stores_free_);
  out_free_ = begin + Cycle{length} * kPace;
  Cycle left = out_free_;
  if (data != 0) left = stores_free_ = begin + Cycle{length} * pace_;
  Packet packet;
  packet.time = to_core_((left + kPace - 1) / kPace);
  packet.line = line.line;
  packet.tag = tag;
  packet.sm = sm_;
  packet.kind = kind;
  packet.sectors = sectors;
  packet.full = kind == Packet::Kind::store ? line.full : uint8_t{0};
  packet.lanes = line.lanes;
  outbox_[box_][channel_of(config_, line.line)].push_back(packet);
  has_sent_ = true;
  has_sent_stores_ |= data != 0;
  ++under_way_;
  ++counters_.packets_to_memory;
  counters_.flits_to_memory += length;
}

void MemoryPort::answer(Cycle now, const Packet& packet) {
  --under_way_;
  if (packet.kind != Packet::Kind::load) {
    --stores_;
    line_done(packet.tag, now);
    return;
  }
  if (misses_[packet.tag].keep) cache_.fill(packet.line, packet.sectors, 0);
  misses_[packet.tag].pending &= static_cast<uint8_t>(~packet.sectors);
  misses_.arrive(packet.tag, packet.sectors, [&](uint32_t ticket) { line_done(ticket, now); });
  if (misses_[packet.tag].pending == 0) misses_.remove(packet.tag);
}

void MemoryPort::line_done(uint32_t index, Cycle ready) {
  Ticket& ticket = tickets_[index];
  ticket.completion.ready = std::max(ticket.completion.ready, ready);
  if (--ticket.remaining != 0) return;
  completions_.push_back(ticket.completion);
  free_tickets_.push_back(index);
}

}  // namespace bankshot::timing

#include "bankshot/timing/memory/dram.hpp"

#include <algorithm>
#include <cassert>

namespace bankshot::timing {
namespace {

/// Younger requests that may come before a request is due whatever row is open: else hits of a program that polls could
/// keep a row open for good. In queues full of requests, as a controller holds them.
constexpr uint64_t kPatience = 4;

/// Commands are compared by the ticks until they are ready, then by Next::order, in one number: 2^24 ticks, 2^39
/// requests.
constexpr unsigned kOrderBits = 40;
constexpr uint64_t kRowCommand = uint64_t{1} << (kOrderBits - 1);  ///< after all column commands

}  // namespace

DramChannel::DramChannel(const DramConfig& config, Counters& counters)
    : config_(config),
      counters_(counters),
      requests_(std::max(1u, config.queue)),
      banks_(config.banks),
      next_of_(config.banks, kNone),
      spacing_(std::max({1u, config.ccd, config.burst_cycles})) {
  for (uint32_t k = 0; k < requests_.size(); ++k) {
    requests_[k].next = free_;
    free_ = k;
  }
  nexts_.reserve(config.banks);
}

void DramChannel::push(DramPlace place, unsigned bursts, bool write, uint32_t tag, Cycle tick) {
  assert(!full() && "the caller asks full() first");
  const uint32_t request = free_;
  free_ = requests_[request].next;
  requests_[request] = {place.row, ages_++, tag, kNone, static_cast<uint8_t>(bursts), write};

  command_free_ = std::max(command_free_, tick);
  chosen_ = false;
  Bank& bank = banks_[place.bank];
  if (bank.first == kNone) {
    bank.first = bank.last = request;
    next_of_[place.bank] = static_cast<uint32_t>(nexts_.size());
    nexts_.push_back({});
    nexts_.back().bank = place.bank;
    decide(place.bank);
    return;
  }
  requests_[bank.last].next = request;
  bank.last = request;
  // What the bank wants changes only if the row that it was about to close is hit.
  if (place.row == bank.row && nexts_[next_of_[place.bank]].command == kPrecharge) decide(place.bank);
}

void DramChannel::decide(uint32_t index) {
  Bank& bank = banks_[index];
  Next& next = nexts_[next_of_[index]];
  bank.before = kNone;
  next.request = bank.first;
  const Request& first = requests_[bank.first];
  if (bank.row == kNoRow) {
    next.command = kActivate;
    next.from = bank.activate;
    next.order = kRowCommand | first.age;
    return;
  }
  uint32_t hit = bank.first;
  if (first.row != bank.row) {
    const bool due = ages_ - first.age > kPatience * requests_.size();
    while (hit != kNone && requests_[hit].row != bank.row) {
      bank.before = hit;
      hit = due ? kNone : requests_[hit].next;
    }
  }
  if (hit == kNone) {
    bank.before = kNone;
    next.command = kPrecharge;
    next.from = bank.precharge;
    next.order = kRowCommand | first.age;
    return;
  }
  next.request = hit;
  next.command = requests_[hit].write ? kWrite : kRead;
  next.from = bank.column;
  next.order = requests_[hit].age;
}

Cycle DramChannel::slot(Cycle tick) const {
  if (tick >= columns_end_ || (tick - columns_begin_) % spacing_ != 0) return tick;
  return spacing_ == 1 ? columns_end_ : tick + 1;
}

void DramChannel::choose() {
  chosen_ = true;
  next_tick_ = kNever;
  uint64_t least = ~uint64_t{0};
  for (uint32_t k = 0; k < nexts_.size(); ++k) {
    const Next& next = nexts_[k];
    Cycle ready = std::max({next.from, from_[next.command], command_free_});
    if (ready < columns_end_) ready = slot(ready);
    const uint64_t key = (ready - command_free_) << kOrderBits | next.order;
    if (key < least) {
      least = key;
      next_place_ = k;
    }
  }
  if (!nexts_.empty()) next_tick_ = command_free_ + (least >> kOrderBits);
}

DramChannel::Issued DramChannel::issue() {
  const Cycle tick = next_command();
  assert(tick != kNever && "there is a command");
  const Next next = nexts_[next_place_];
  Bank& bank = banks_[next.bank];
  command_free_ = tick + 1;
  chosen_ = false;

  Issued issued;
  if (next.command == kActivate) {
    bank.row = requests_[next.request].row;
    bank.fresh = true;
    bank.column = tick + config_.rcd;
    bank.precharge = tick + config_.ras;
    bank.activate = tick + config_.rc;
    from_[kActivate] = tick + config_.rrd;
    ++counters_.dram_activates;
  } else if (next.command == kPrecharge) {
    bank.row = kNoRow;
    bank.activate = std::max(bank.activate, tick + config_.rp);
    ++counters_.dram_precharges;
  } else {
    serve(bank, next, tick, issued);
    take(bank, next.request);
    if (bank.first == kNone) {  // the last of nexts_ takes its place
      nexts_[next_place_] = nexts_.back();
      next_of_[nexts_[next_place_].bank] = next_place_;
      nexts_.pop_back();
      return issued;
    }
  }
  decide(next.bank);
  return issued;
}

void DramChannel::serve(Bank& bank, const Next& next, Cycle tick, Issued& issued) {
  const Request& request = requests_[next.request];
  const bool write = next.command == kWrite;
  const unsigned bursts = request.bursts;
  const Cycle last = tick + (bursts - 1) * spacing_;
  columns_begin_ = tick;
  columns_end_ = last + 1;
  const Cycle data = last + (write ? config_.cwl : config_.cl) + config_.burst_cycles;
  issued = {true, write, request.tag, data};

  const auto bus_free = [data](unsigned latency) { return data > latency ? data - latency : 0; };
  from_[kRead] = std::max(last + config_.ccd, bus_free(config_.cl));
  from_[kWrite] = std::max(last + config_.ccd, bus_free(config_.cwl));
  if (write) {
    from_[kRead] = std::max(from_[kRead], data + config_.wtr);
    bank.precharge = std::max(bank.precharge, data + config_.wr);
  } else {
    bank.precharge = std::max(bank.precharge, last + config_.burst_cycles);
  }
  (write ? counters_.dram_writes : counters_.dram_reads) += bursts;
  counters_.dram_row_hits += bursts - bank.fresh;
  counters_.dram_row_misses += bank.fresh;
  counters_.dram_busy_cycles += uint64_t{bursts} * config_.burst_cycles;
  bank.fresh = false;
}

void DramChannel::take(Bank& bank, uint32_t request) {
  const uint32_t after = requests_[request].next;
  (bank.before == kNone ? bank.first : requests_[bank.before].next) = after;
  if (bank.last == request) bank.last = bank.before;
  requests_[request].next = free_;
  free_ = request;
}

}  // namespace bankshot::timing

#include "bankshot/timing/dram.hpp"

#include <algorithm>
#include <cassert>

namespace bankshot::timing {
namespace {

/// Younger requests that may come before a request is due whatever row is open: else hits of a program that polls could
/// keep a row open for good. In queues full of requests, as a controller holds them.
constexpr uint64_t kPatience = 4;

/// A command that is ready is compared by the ticks from the first possible one, then by this. The ticks are few: below.
constexpr unsigned kOrderBits = 48;
constexpr uint64_t kRowCommand = uint64_t{1} << (kOrderBits - 1);  ///< after all column commands

}  // namespace

DramChannel::DramChannel(const DramConfig& config, Counters& counters)
    : config_(config),
      counters_(counters),
      requests_(std::max(1u, config.queue)),
      banks_(config.banks),
      next_of_(config.banks, kNone) {
  for (uint32_t k = 0; k < requests_.size(); ++k) {
    requests_[k].next = free_;
    free_ = k;
  }
  nexts_.reserve(config.banks);
}

void DramChannel::push(DramPlace place, bool write, uint32_t tag, Cycle tick) {
  assert(!full() && "the caller asks full() first");
  const uint32_t request = free_;
  free_ = requests_[request].next;
  requests_[request] = {place.row, ages_++, tag, kNone, write};

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

void DramChannel::choose() {
  chosen_ = true;
  next_tick_ = kNever;
  // No command waits longer than a few hundred ticks once the channel may issue, so ticks and order fit in one number.
  uint64_t least = ~uint64_t{0};
  for (uint32_t k = 0; k < nexts_.size(); ++k) {
    const Next& next = nexts_[k];
    const Cycle ready = std::max({next.from, from_[next.command], command_free_});
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

  if (next.command == kActivate) {
    bank.row = requests_[next.request].row;
    bank.fresh = true;
    bank.column = tick + config_.rcd;
    bank.precharge = tick + config_.ras;
    bank.activate = tick + config_.rc;
    from_[kActivate] = tick + config_.rrd;
    ++counters_.dram_activates;
    decide(next.bank);
    return {};
  }
  if (next.command == kPrecharge) {
    bank.row = kNoRow;
    bank.activate = std::max(bank.activate, tick + config_.rp);
    ++counters_.dram_precharges;
    decide(next.bank);
    return {};
  }

  const Request& request = requests_[next.request];
  const bool write = next.command == kWrite;
  Issued issued{true, write, request.tag, 0};
  issued.data = tick + (write ? config_.cwl : config_.cl) + config_.burst_cycles;
  bus_free_ = issued.data;
  const auto data_after = [this](unsigned latency) { return bus_free_ > latency ? bus_free_ - latency : 0; };
  from_[kRead] = std::max({from_[kRead], tick + config_.ccd, data_after(config_.cl)});
  from_[kWrite] = std::max({from_[kWrite], tick + config_.ccd, data_after(config_.cwl)});
  if (write) {
    from_[kRead] = std::max(from_[kRead], issued.data + config_.wtr);
    bank.precharge = std::max(bank.precharge, issued.data + config_.wr);
  } else {
    bank.precharge = std::max(bank.precharge, tick + config_.burst_cycles);
  }
  ++(write ? counters_.dram_writes : counters_.dram_reads);
  ++(bank.fresh ? counters_.dram_row_misses : counters_.dram_row_hits);
  counters_.dram_busy_cycles += config_.burst_cycles;
  bank.fresh = false;

  take(bank, next.request);
  if (bank.first != kNone) {
    decide(next.bank);
  } else {
    nexts_[next_place_] = nexts_.back();
    next_of_[nexts_[next_place_].bank] = next_place_;
    nexts_.pop_back();
    next_of_[next.bank] = kNone;
  }
  return issued;
}

void DramChannel::take(Bank& bank, uint32_t request) {
  const uint32_t after = requests_[request].next;
  (bank.before == kNone ? bank.first : requests_[bank.before].next) = after;
  if (bank.last == request) bank.last = bank.before;
  requests_[request].next = free_;
  free_ = request;
}

}  // namespace bankshot::timing

#include "bankshot/timing/fetch_table.hpp"

#include <bit>
#include <cassert>

namespace bankshot::timing {

FetchTable::FetchTable(uint32_t limit) : limit_(limit) {
  if (limit != 0) buckets_.assign(std::bit_ceil(2 * limit), kNone);
}

uint32_t& FetchTable::bucket(uint64_t line) {
  return buckets_[(line * 0x9e3779b97f4a7c15) >> 32 & (buckets_.size() - 1)];
}

uint32_t FetchTable::find(uint64_t line) const {
  if (limit_ == 0) return kNone;
  uint32_t at = const_cast<FetchTable*>(this)->bucket(line);
  while (at != kNone && fetches_[at].line != line) at = fetches_[at].next;
  return at;
}

uint32_t FetchTable::add(uint64_t line) {
  if (limit_ != 0 && used_ == limit_) return kNone;
  ++used_;
  uint32_t fetch = free_fetch_;
  if (fetch == kNone) {
    fetch = static_cast<uint32_t>(fetches_.size());
    fetches_.emplace_back();
  } else {
    free_fetch_ = fetches_[fetch].next;
  }
  fetches_[fetch] = {};
  fetches_[fetch].line = line;
  if (limit_ != 0) {
    uint32_t& first = bucket(line);
    fetches_[fetch].next = first;
    first = fetch;
  }
  return fetch;
}

void FetchTable::remove(uint32_t fetch) {
  assert(fetches_[fetch].first == kNone && "nobody waits");
  if (limit_ != 0) {
    uint32_t* link = &bucket(fetches_[fetch].line);
    while (*link != fetch) link = &fetches_[*link].next;
    *link = fetches_[fetch].next;
  }
  fetches_[fetch].next = free_fetch_;
  free_fetch_ = fetch;
  --used_;
}

void FetchTable::wait(uint32_t fetch, const Packet& packet, uint8_t sectors) {
  uint32_t waiter = free_waiter_;
  if (waiter == kNone) {
    waiter = static_cast<uint32_t>(waiters_.size());
    waiters_.emplace_back();
  } else {
    free_waiter_ = waiters_[waiter].next;
  }
  waiters_[waiter] = {packet, sectors, kNone};
  Fetch& to = fetches_[fetch];
  (to.last == kNone ? to.first : waiters_[to.last].next) = waiter;
  to.last = waiter;
}

}  // namespace bankshot::timing

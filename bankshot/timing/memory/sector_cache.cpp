#include "bankshot/timing/memory/sector_cache.hpp"

#include <algorithm>
#include <bit>

namespace bankshot::timing {

SectorCache::SectorCache(uint64_t bytes, unsigned line_bytes, unsigned ways)
    : line_shift_(static_cast<unsigned>(std::countr_zero(line_bytes))) {
  reshape(bytes, ways);
}

void SectorCache::reshape(uint64_t bytes, unsigned ways) {
  const uint64_t sets = std::max<uint64_t>(1, (bytes >> line_shift_) / ways);
  if (sets != sets_ || ways != ways_) {
    sets_ = sets;
    ways_ = ways;
    of_.resize(sets * ways);
    order_.resize(sets);
    index_.resize(std::bit_ceil(2 * of_.size()));
    index_shift_ = static_cast<unsigned>(64 - std::countr_zero(index_.size()));
  }
  invalidate_all();
}

void SectorCache::invalidate_all() {
  std::ranges::fill(index_, kNone);
  std::ranges::fill(of_, Way{});
  for (uint64_t set = 0; set < sets_; ++set) {
    order_[set] = {};
    for (uint32_t way = 0; way < ways_; ++way) make_newest(set, static_cast<uint32_t>(set * ways_) + way);
  }
}

uint64_t SectorCache::set_of(uint64_t line) const {
  const uint64_t number = line >> line_shift_;
  // Most caches have a power of two of sets, which spares the division.
  return (sets_ & (sets_ - 1)) == 0 ? number & (sets_ - 1) : number % sets_;
}

uint32_t SectorCache::find(uint64_t line) const {
  uint32_t at = index_[bucket_of(line)];
  while (at != kNone && of_[at].line != line) at = of_[at].next;
  return at;
}

void SectorCache::take_out(uint64_t set, uint32_t way) {
  const Way& here = of_[way];
  (here.older == kNone ? order_[set].oldest : of_[here.older].newer) = here.newer;
  (here.newer == kNone ? order_[set].newest : of_[here.newer].older) = here.older;
}

void SectorCache::make_newest(uint64_t set, uint32_t way) {
  Set& order = order_[set];
  of_[way].older = order.newest;
  of_[way].newer = kNone;
  (order.newest == kNone ? order.oldest : of_[order.newest].newer) = way;
  order.newest = way;
}

void SectorCache::forget(uint32_t way) {
  uint32_t* link = &index_[bucket_of(of_[way].line)];
  while (*link != way) link = &of_[*link].next;
  *link = of_[way].next;
  of_[way].line = kNobody;
  of_[way].valid = of_[way].dirty = 0;
}

uint8_t SectorCache::lookup(uint64_t line) {
  const uint32_t at = find(line);
  if (at == kNone) return 0;
  const uint64_t set = set_of(line);
  if (order_[set].newest != at) {
    take_out(set, at);
    make_newest(set, at);
  }
  return of_[at].valid;
}

uint8_t SectorCache::valid(uint64_t line) const {
  const uint32_t at = find(line);
  return at == kNone ? 0 : of_[at].valid;
}

uint8_t SectorCache::dirty(uint64_t line) const {
  const uint32_t at = find(line);
  return at == kNone ? 0 : of_[at].dirty;
}

SectorCache::Evicted SectorCache::fill(uint64_t line, uint8_t sectors, uint8_t dirty) {
  Evicted evicted;
  const uint64_t set = set_of(line);
  uint32_t at = find(line);
  if (at == kNone) {
    at = order_[set].oldest;
    if (of_[at].line != kNobody) {
      evicted = {of_[at].line, of_[at].dirty};
      forget(at);
    }
    of_[at].line = line;
    uint32_t& first = index_[bucket_of(line)];
    of_[at].next = first;
    first = at;
  }
  if (order_[set].newest != at) {
    take_out(set, at);
    make_newest(set, at);
  }
  of_[at].valid |= sectors;
  of_[at].dirty |= dirty;
  return evicted;
}

void SectorCache::invalidate(uint64_t line, uint8_t sectors) {
  const uint32_t at = find(line);
  if (at == kNone) return;
  of_[at].valid &= static_cast<uint8_t>(~sectors);
  of_[at].dirty &= static_cast<uint8_t>(~sectors);
  if (of_[at].valid != 0) return;
  forget(at);
  const uint64_t set = set_of(line);  // an empty way goes first
  take_out(set, at);
  of_[at].newer = order_[set].oldest;
  of_[at].older = kNone;
  (order_[set].oldest == kNone ? order_[set].newest : of_[order_[set].oldest].older) = at;
  order_[set].oldest = at;
}

}  // namespace bankshot::timing

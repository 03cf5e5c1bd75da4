// The MSHRs of a cache: outstanding fetches from the next level, and what waits for them.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace bankshot::timing {

/// A line of which sectors are being fetched. `first` and `last`: the waiters, in FetchTable's own list.
struct Fetch {
  uint64_t line = 0;
  uint8_t pending = 0;  ///< sectors under way
  uint8_t dirty = 0;    ///< of them, those that are written as soon as they are there
  bool keep = true;     ///< the cache keeps what comes
  uint32_t first = ~0u, last = ~0u, next = ~0u;
};

/// Fetches by number, found by line; freed numbers and list entries are used again, so there is no allocation in steady
/// state.
/// @tparam Waiting  what waits: a packet, an access
template <class Waiting>
class FetchTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// @param limit  fetches at a time, one a line; 0: any number, and they are not found by line
  explicit FetchTable(uint32_t limit) : limit_(limit) {
    if (limit != 0) buckets_.assign(std::bit_ceil(2 * limit), kNone);
  }

  Fetch& operator[](uint32_t fetch) { return fetches_[fetch]; }

  /// The fetch of a line, or kNone.
  uint32_t find(uint64_t line) const {
    if (limit_ == 0) return kNone;
    uint32_t at = buckets_[bucket(line)];
    while (at != kNone && fetches_[at].line != line) at = fetches_[at].next;
    return at;
  }
  /// A new fetch of a line that has none, or of something that is never looked up: an odd number in place of a line.
  /// @return kNone if the limit is reached
  uint32_t add(uint64_t line) {
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
      uint32_t& first = buckets_[bucket(line)];
      fetches_[fetch].next = first;
      first = fetch;
    }
    return fetch;
  }
  /// Removes a fetch for which nothing waits any more.
  void remove(uint32_t fetch) {
    assert(fetches_[fetch].first == kNone && "nobody waits");
    if (limit_ != 0) {
      uint32_t* link = &buckets_[bucket(fetches_[fetch].line)];
      while (*link != fetch) link = &fetches_[*link].next;
      *link = fetches_[fetch].next;
    }
    fetches_[fetch].next = free_fetch_;
    free_fetch_ = fetch;
    --used_;
  }

  /// Somebody waits for sectors of a fetch.
  void wait(uint32_t fetch, const Waiting& waiting, uint8_t sectors) {
    uint32_t waiter = free_waiter_;
    if (waiter == kNone) {
      waiter = static_cast<uint32_t>(waiters_.size());
      waiters_.emplace_back();
    } else {
      free_waiter_ = waiters_[waiter].next;
    }
    waiters_[waiter] = {waiting, sectors, kNone};
    Fetch& to = fetches_[fetch];
    (to.last == kNone ? to.first : waiters_[to.last].next) = waiter;
    to.last = waiter;
  }

  /// Sectors have come. @param done  called with each that waits for nothing more, in the order in which they began
  template <class Done>
  void arrive(uint32_t fetch, uint8_t sectors, Done done) {
    uint32_t before = kNone;
    for (uint32_t at = fetches_[fetch].first; at != kNone;) {
      Waiter& waiter = waiters_[at];
      const uint32_t next = waiter.next;
      waiter.missing &= static_cast<uint8_t>(~sectors);
      if (waiter.missing != 0) {
        before = at;
      } else {
        done(waiter.waiting);
        (before == kNone ? fetches_[fetch].first : waiters_[before].next) = next;
        if (next == kNone) fetches_[fetch].last = before;
        waiter.next = free_waiter_;
        free_waiter_ = at;
      }
      at = next;
    }
  }

 private:
  struct Waiter {
    Waiting waiting;
    uint8_t missing = 0;
    uint32_t next = kNone;
  };

  size_t bucket(uint64_t line) const { return (line * 0x9e3779b97f4a7c15) >> 32 & (buckets_.size() - 1); }

  uint32_t limit_, used_ = 0;
  std::vector<Fetch> fetches_;
  uint32_t free_fetch_ = kNone;
  std::vector<uint32_t> buckets_;  ///< first fetch of a hash value; a power of two of them
  std::vector<Waiter> waiters_;
  uint32_t free_waiter_ = kNone;
};

}  // namespace bankshot::timing

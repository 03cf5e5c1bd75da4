// What a memory partition waits for from DRAM, and who waits for it: the MSHRs of a cache.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/timing/packet.hpp"

namespace bankshot::timing {

/// A line of which sectors are under way. `first` and `last`: the packets that wait, in FetchTable's own list.
struct Fetch {
  uint64_t line = 0;
  uint8_t pending = 0;  ///< sectors under way
  uint8_t dirty = 0;    ///< of them, those that are written as soon as they are there
  uint32_t first = ~0u, last = ~0u, next = ~0u;
};

/// Fetches by number, found by line; freed numbers and list entries are used again, so there is no allocation in steady state.
class FetchTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// @param limit  fetches at a time, one a line; 0: any number, and they are not found by line
  explicit FetchTable(uint32_t limit);

  Fetch& operator[](uint32_t fetch) { return fetches_[fetch]; }

  /// The fetch of a line, or kNone.
  uint32_t find(uint64_t line) const;
  /// A new fetch of a line that has none. @return kNone if the limit is reached
  uint32_t add(uint64_t line);
  /// Forgets a fetch for which no packet waits any more.
  void remove(uint32_t fetch);

  /// A packet waits for sectors of a fetch.
  void wait(uint32_t fetch, const Packet& packet, uint8_t sectors);

  /// Sectors have come. @param done  called with each packet that waits for nothing more, in the order in which they began
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
        done(waiter.packet);
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
    Packet packet;
    uint8_t missing = 0;
    uint32_t next = kNone;
  };

  uint32_t& bucket(uint64_t line);

  uint32_t limit_, used_ = 0;
  std::vector<Fetch> fetches_;
  uint32_t free_fetch_ = kNone;
  std::vector<uint32_t> buckets_;  ///< first fetch of a hash value; a power of two of them
  std::vector<Waiter> waiters_;
  uint32_t free_waiter_ = kNone;
};

}  // namespace bankshot::timing

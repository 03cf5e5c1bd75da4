// Tags of a set-associative cache whose lines are fetched sector by sector: valid sectors, dirty sectors, evictions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankshot::timing {

/// Holds no data and knows no time. The least recently used line of a set makes room. Lines are found through an index,
/// as a set may have hundreds of ways.
class SectorCache {
 public:
  /// @param bytes       capacity; sets are bytes / (line_bytes * ways), rounded down, at least one, any number
  /// @param line_bytes  a power of two
  /// @param ways        at least 1
  SectorCache(uint64_t bytes, unsigned line_bytes, unsigned ways);

  /// The sectors of a line that are there, bit s for sector s; 0 if none. The line is the most recently used of its
  /// set.
  /// @param line  address of its first byte; so for all functions
  uint8_t lookup(uint64_t line);

  /// As lookup, but leaves the order of use alone.
  uint8_t valid(uint64_t line) const;
  /// The sectors that were written and not evicted since.
  uint8_t dirty(uint64_t line) const;

  /// A line that made room. dirty == 0: nothing of it has to be written back.
  struct Evicted {
    uint64_t line = 0;
    uint8_t dirty = 0;
  };

  /// Adds sectors to a line, which becomes the most recently used of its set.
  /// @param sectors  that are there from now on, beside those that were already
  /// @param dirty    of them, those that differ from the memory behind; a dirty sector stays dirty until it is evicted
  /// @return         the line that had to go, if any
  Evicted fill(uint64_t line, uint8_t sectors, uint8_t dirty);

  /// Forgets sectors of a line, dirty or not.
  void invalidate(uint64_t line, uint8_t sectors);
  void invalidate_all();

  /// Takes another shape, and is empty.
  void reshape(uint64_t bytes, unsigned ways);

  uint64_t sets() const { return sets_; }

 private:
  static constexpr uint64_t kNobody = ~uint64_t{0};  ///< no line begins there
  static constexpr uint32_t kNone = ~uint32_t{0};

  struct Way {
    uint64_t line = kNobody;
    uint32_t older = kNone, newer = kNone;  ///< the set's ways in the order of use
    uint32_t next = kNone;                  ///< of its bucket
    uint8_t valid = 0, dirty = 0;
  };
  struct Set {
    uint32_t oldest = kNone, newest = kNone;
  };

  uint64_t set_of(uint64_t line) const;
  uint64_t bucket_of(uint64_t line) const { return (line * 0x9e3779b97f4a7c15) >> index_shift_; }
  /// The way of a line, or kNone.
  uint32_t find(uint64_t line) const;
  void take_out(uint64_t set, uint32_t way);  ///< of the order of use
  void make_newest(uint64_t set, uint32_t way);
  void forget(uint32_t way);  ///< its line, in the index

  unsigned line_shift_, ways_ = 0, index_shift_ = 0;
  uint64_t sets_ = 0;
  std::vector<Way> of_;          ///< by set, then way
  std::vector<Set> order_;       ///< by set
  std::vector<uint32_t> index_;  ///< first way of a bucket; a power of two of them
};

}  // namespace bankshot::timing

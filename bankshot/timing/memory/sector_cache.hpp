// Tags of a set-associative cache whose lines are fetched sector by sector: what is there, what was written, what goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankshot::timing {

/// Holds no data and knows no time. The least recently used line of a set makes room; no allocation after construction.
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

  uint64_t sets() const { return sets_; }

 private:
  static constexpr uint64_t kNobody = ~uint64_t{0};  ///< no line begins there

  /// Index of the first way of a line's set.
  size_t set_of(uint64_t line) const;
  /// Index of a line, or kNobody.
  size_t find(uint64_t line) const;

  uint64_t sets_;
  unsigned ways_, line_shift_;
  uint64_t uses_ = 0;  ///< counts up; a line's `used_` is the count of its last use, 0 if it is empty
  // By set, then way.
  std::vector<uint64_t> lines_, used_;
  std::vector<uint8_t> valid_, dirty_;
};

}  // namespace bankshot::timing

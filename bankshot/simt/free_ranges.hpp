// Ranges of addresses that are free again: neighbours are one range, and what is taken may be a part of one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {

/// Start -> bytes; ranges neither overlap nor touch.
using FreeRanges = std::multimap<uint64_t, uint64_t>;

inline void give_range(FreeRanges& ranges, uint64_t start, uint64_t bytes) {
  auto after = ranges.lower_bound(start);
  if (after != ranges.end() && after->first == start + bytes) {
    bytes += after->second;
    after = ranges.erase(after);
  }
  if (after != ranges.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == start) {
      before->second += bytes;
      return;
    }
  }
  ranges.emplace_hint(after, start, bytes);
}

/// The lowest place with room for so many bytes. @param alignment  power of two
inline std::optional<uint64_t> take_range(FreeRanges& ranges, uint64_t bytes, uint64_t alignment) {
  for (auto at = ranges.begin(); at != ranges.end(); ++at) {
    const auto [start, room] = *at;
    const uint64_t place = round_up(start, alignment), skipped = place - start;
    if (place < start || skipped > room || room - skipped < bytes) continue;
    ranges.erase(at);
    if (skipped != 0) ranges.emplace(start, skipped);
    if (room - skipped > bytes) ranges.emplace(place + bytes, room - skipped - bytes);
    return place;
  }
  return std::nullopt;
}

}  // namespace bankshot::simt

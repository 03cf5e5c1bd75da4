#include "bankshot/timing/memory/sector_cache.hpp"

#include <algorithm>
#include <bit>

namespace bankshot::timing {

SectorCache::SectorCache(uint64_t bytes, unsigned line_bytes, unsigned ways)
    : sets_(std::max<uint64_t>(1, bytes / (uint64_t{line_bytes} * ways))),
      ways_(ways),
      line_shift_(static_cast<unsigned>(std::countr_zero(line_bytes))),
      lines_(sets_ * ways, kNobody),
      used_(sets_ * ways),
      valid_(sets_ * ways),
      dirty_(sets_ * ways) {}

size_t SectorCache::set_of(uint64_t line) const {
  const uint64_t number = line >> line_shift_;
  // Most caches have a power of two of sets, which spares the division.
  const uint64_t set = (sets_ & (sets_ - 1)) == 0 ? number & (sets_ - 1) : number % sets_;
  return set * ways_;
}

size_t SectorCache::find(uint64_t line) const {
  const size_t first = set_of(line);
  for (size_t at = first; at < first + ways_; ++at) {
    if (lines_[at] == line) return at;
  }
  return kNobody;
}

uint8_t SectorCache::lookup(uint64_t line) {
  const size_t at = find(line);
  if (at == kNobody) return 0;
  used_[at] = ++uses_;
  return valid_[at];
}

uint8_t SectorCache::valid(uint64_t line) const {
  const size_t at = find(line);
  return at == kNobody ? 0 : valid_[at];
}

uint8_t SectorCache::dirty(uint64_t line) const {
  const size_t at = find(line);
  return at == kNobody ? 0 : dirty_[at];
}

SectorCache::Evicted SectorCache::fill(uint64_t line, uint8_t sectors, uint8_t dirty) {
  Evicted evicted;
  size_t at = find(line);
  if (at == kNobody) {
    // Empty ways were used at 0, so they go first.
    const auto set = used_.begin() + static_cast<std::ptrdiff_t>(set_of(line));
    at = static_cast<size_t>(std::min_element(set, set + ways_) - used_.begin());
    if (used_[at] != 0) evicted = {lines_[at], dirty_[at]};
    lines_[at] = line;
    valid_[at] = dirty_[at] = 0;
  }
  used_[at] = ++uses_;
  valid_[at] |= sectors;
  dirty_[at] |= dirty;
  return evicted;
}

void SectorCache::invalidate(uint64_t line, uint8_t sectors) {
  const size_t at = find(line);
  if (at == kNobody) return;
  valid_[at] &= static_cast<uint8_t>(~sectors);
  dirty_[at] &= static_cast<uint8_t>(~sectors);
  if (valid_[at] != 0) return;
  lines_[at] = kNobody;
  used_[at] = 0;
}

void SectorCache::invalidate_all() {
  std::ranges::fill(lines_, kNobody);
  std::ranges::fill(used_, 0);
  std::ranges::fill(valid_, 0);
  std::ranges::fill(dirty_, 0);
}

}  // namespace bankshot::timing

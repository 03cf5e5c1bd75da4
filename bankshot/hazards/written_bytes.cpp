#include "bankshot/hazards/written_bytes.hpp"

#include <algorithm>
#include <bit>

namespace bankshot::hazards {
namespace {

constexpr uint64_t kBits = 64;

/// f(word, mask) for the bits [begin, end).
template <class F>
void for_words(uint64_t begin, uint64_t end, F f) {
  while (begin < end) {
    const uint64_t word = begin / kBits, next = std::min(end, (word + 1) * kBits);
    f(word, ~uint64_t{0} >> (kBits - (next - begin)) << begin % kBits);
    begin = next;
  }
}

}  // namespace

void WrittenBytes::write(uint64_t offset, uint64_t bytes) {
  if (all_written()) return;
  for_words(offset, offset + bytes, [&](uint64_t word, uint64_t mask) {
    unwritten_ -= static_cast<uint64_t>(std::popcount(mask & ~bits_[word]));
    bits_[word] |= mask;
  });
}

bool WrittenBytes::is_written(uint64_t offset, uint64_t bytes) const {
  bool all = true;
  if (all_written()) return true;
  for_words(offset, offset + bytes, [&](uint64_t word, uint64_t mask) { all &= (bits_[word] & mask) == mask; });
  return all;
}

WrittenRanges::Ranges::iterator WrittenRanges::from(uint64_t address) {
  auto it = ranges_.upper_bound(address);
  if (it != ranges_.begin() && std::prev(it)->second.end > address) --it;
  return it;
}

void WrittenRanges::forget(uint64_t address, uint64_t bytes) {
  for (auto it = from(address); it != ranges_.end() && it->first < address + bytes;) it = ranges_.erase(it);
}

void WrittenRanges::add(uint64_t address, uint64_t bytes) {
  forget(address, bytes);
  if (bytes != 0) ranges_[address] = {address + bytes, {}};
}

void WrittenRanges::remove(uint64_t address) { ranges_.erase(address); }

WrittenBytes* WrittenRanges::page_of(Range& range, uint64_t address, bool make) {
  if (make) return &range.pages.try_emplace(address / kPage, kPage).first->second;
  const auto it = range.pages.find(address / kPage);
  return it == range.pages.end() ? nullptr : &it->second;
}

void WrittenRanges::write(uint64_t address, uint64_t bytes) {
  const uint64_t end = address + bytes;
  for (auto it = from(address); it != ranges_.end() && it->first < end; ++it) {
    for (uint64_t at = std::max(address, it->first), last = std::min(end, it->second.end); at < last;) {
      const uint64_t next = std::min(last, (at / kPage + 1) * kPage);
      page_of(it->second, at, true)->write(at % kPage, next - at);
      at = next;
    }
  }
}

uint64_t WrittenRanges::first_unwritten(uint64_t address, uint64_t bytes) {
  const uint64_t end = address + bytes;
  for (auto it = from(address); it != ranges_.end() && it->first < end; ++it) {
    for (uint64_t at = std::max(address, it->first), last = std::min(end, it->second.end); at < last;) {
      const uint64_t next = std::min(last, (at / kPage + 1) * kPage);
      const WrittenBytes* const page = page_of(it->second, at, false);
      if (page == nullptr) return at;
      if (!page->is_written(at % kPage, next - at)) {
        while (page->is_written(at % kPage, 1)) ++at;
        return at;
      }
      at = next;
    }
  }
  return end;
}

}  // namespace bankshot::hazards

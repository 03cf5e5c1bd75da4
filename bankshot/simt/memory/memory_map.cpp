// Address ranges of which memory is mapped and unmapped after they were reserved.
#include <sys/mman.h>

#include <algorithm>

#include "bankshot/simt/memory/mapped_range.hpp"
#include "bankshot/simt/memory/memory.hpp"
#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

/// Gives pages back; the range stays ours, and a host access to it faults.
void empty(uint64_t address, uint64_t bytes) {
  mmap(pointer(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace

Result<uint64_t> Memory::reserve(uint64_t bytes, uint64_t alignment) {
  alignment = std::max(alignment, kPage);
  if (base_ == 0 || bytes == 0 || bytes > reserve_ || alignment > reserve_) return Error{"out of device address space"};
  const uint64_t span = round_up(bytes, kPage) + kPage;
  uint64_t start = round_up(next_, alignment);
  if (start + span <= base_ + reserve_) {
    if (start != next_) freed_.give(next_, start - next_);  // passed over for the alignment
    next_ = start + span;
  } else {
    const auto reuse = freed_.take(span, alignment);
    if (!reuse) return Error{"out of device address space"};
    start = *reuse;
    table_.erase(table_.lower_bound(start), table_.lower_bound(start + span));
  }
  reserved_[start] = bytes;
  return start;
}

bool Memory::unreserve(uint64_t address, uint64_t bytes) {
  const auto found = reserved_.find(address);
  if (found == reserved_.end() || found->second != bytes) return false;
  const auto inside = [&](const auto& entry) { return entry.first < address + bytes; };
  for (auto it = table_.lower_bound(address); it != table_.end() && inside(*it); ++it)
    if (it->second.live) return false;
  reserved_.erase(found);
  freed_.give(address, round_up(bytes, kPage) + kPage);
  return true;
}

bool Memory::is_reserved(uint64_t address, uint64_t bytes) const {
  auto it = reserved_.upper_bound(address);
  if (it == reserved_.begin()) return false;
  --it;
  return address - it->first < it->second && bytes <= it->second - (address - it->first);
}

bool Memory::map(uint64_t address, uint64_t bytes, int file, uint64_t offset, bool writable) {
  if (!is_reserved(address, bytes)) return false;
  if (const Allocation* before = find(address); before != nullptr && before->live) return false;
  const auto first = table_.lower_bound(address);
  auto last = first;
  for (; last != table_.end() && last->first < address + bytes; ++last)
    if (last->second.live) return false;
  if (file < 0 && bytes > capacity_ - std::min(capacity_, used_)) return false;
  const void* const got = file < 0 ? mmap(pointer(address), bytes, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0)
                                   : mmap(pointer(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                                          static_cast<off_t>(offset));
  if (got == MAP_FAILED) return false;
  table_.erase(first, last);
  const bool is_alias = std::ranges::any_of(
      multicast_, [address](const auto& one) { return address - one.second.alias < one.second.bytes; });
  table_[address] = {.address = address,
                     .size = bytes,
                     .writable = writable,
                     .mapped = true,
                     .charged = file < 0,
                     .label = is_alias ? "memory behind a multicast object" : ""};
  if (file < 0) used_ += bytes;
  ++generation_;
  if (after_allocate) after_allocate(table_[address]);
  return true;
}

bool Memory::unmap(uint64_t address) {
  const auto it = table_.find(address);
  if (it == table_.end() || !it->second.live || !it->second.mapped) return false;
  Allocation& allocation = it->second;
  if (before_free) before_free(allocation);
  empty(address, allocation.size);
  allocation.live = false;
  if (allocation.charged) used_ -= allocation.size;
  ++generation_;
  return true;
}

bool reaches(const Memory& memory, uint64_t address, uint64_t bytes) {
  const Allocation* here = memory.find(address);
  while (here && here->live) {
    const uint64_t there = here->address + here->size - address;
    if (bytes <= there) return true;
    if (!here->mapped) return false;
    address += there;
    bytes -= there;
    here = memory.find(address);
  }
  return false;
}

bool Memory::take(uint64_t bytes) {
  if (bytes > capacity_ - std::min(capacity_, used_)) return false;
  used_ += bytes;
  return true;
}

}  // namespace bankshot::simt

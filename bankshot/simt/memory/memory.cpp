#include "bankshot/simt/memory/memory.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

constexpr uint64_t kReserveFactor = 8;  // freed ranges stay unused until this many capacities are consumed
constexpr uint64_t kReserveMost = uint64_t{1} << 44;

/// What was known of a range that is taken again.
void forget(std::map<uint64_t, Allocation>& table, uint64_t address, uint64_t bytes) {
  table.erase(table.lower_bound(address), table.lower_bound(address + bytes));
}

}  // namespace

Memory::Memory(uint64_t capacity) : capacity_(capacity) {
  // Address space only: pages come into being when touched.
  for (reserve_ = std::min(capacity * kReserveFactor, kReserveMost); reserve_ >= kPage; reserve_ /= 2) {
    void* base = mmap(nullptr, reserve_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base != MAP_FAILED) {
      base_ = reinterpret_cast<uint64_t>(base);
      break;
    }
  }
  next_ = base_ + kPage;  // so that an address just below the first allocation is no allocation's
}

Memory::~Memory() {
  if (base_ != 0) munmap(reinterpret_cast<void*>(base_), reserve_);
}

Result<uint64_t> Memory::allocate(uint64_t bytes, MemoryKind kind, uint64_t alignment, std::string label) {
  if (bytes > capacity_ - std::min(capacity_, used_)) return Error{"out of device memory"};
  alignment = std::max<uint64_t>(alignment, 256);
  const uint64_t span = round_up(std::max<uint64_t>(bytes, 1), kPage);
  const uint64_t start = round_up(next_, alignment);
  uint64_t address = start;
  if (base_ != 0 && start + span + kPage <= base_ + reserve_) {
    // One page stays empty between allocations: a guard for host code and a place no allocation owns.
    if (start != next_) freed_.give(next_, start - next_);  // passed over for the alignment
    next_ = start + span + kPage;
  } else {
    const auto reuse = freed_.take(span + kPage, alignment);
    if (!reuse) return Error{"out of device address space"};
    address = *reuse;
    forget(table_, address, span + kPage);
  }
  if (mprotect(reinterpret_cast<void*>(address), span, PROT_READ | PROT_WRITE) != 0) {
    return Error{"the host has no memory left for a device allocation of " + std::to_string(bytes) + " bytes"};
  }
  table_[address] = {.address = address,
                     .size = bytes,
                     .kind = kind,
                     .writable = kind != MemoryKind::module_constant,
                     .label = std::move(label)};
  used_ += bytes;
  ++generation_;
  if (after_allocate) after_allocate(table_[address]);
  return address;
}

bool Memory::free(uint64_t address) {
  const auto it = table_.find(address);
  if (it == table_.end() || !it->second.live || it->second.kind == MemoryKind::registered || it->second.mapped ||
      it->second.kind == MemoryKind::heap) {
    return false;
  }
  Allocation& allocation = it->second;
  if (before_free) before_free(allocation);
  const uint64_t span = round_up(std::max<uint64_t>(allocation.size, 1), kPage);
  // Gives the pages back; the range stays reserved and a host access to it faults.
  void* const start = reinterpret_cast<void*>(address);
  mmap(start, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  allocation.live = false;
  used_ -= allocation.size;
  freed_.give(address, span + kPage);
  ++generation_;
  return true;
}

namespace {

/// Room of a block, followed by an unused gap.
constexpr uint64_t kHeapUnit = 16;
uint64_t heap_span(uint64_t bytes) { return round_up(std::max<uint64_t>(bytes, 1), kHeapUnit) + kHeapUnit; }

}  // namespace

uint64_t Memory::heap_allocate(uint64_t bytes) {
  if (bytes == 0 || bytes > heap_bytes) return 0;
  if (heap_end_ == 0) {
    const uint64_t span = round_up(heap_bytes, kPage);
    if (base_ == 0 || next_ + span + kPage > base_ + reserve_ ||
        mprotect(reinterpret_cast<void*>(next_), span, PROT_READ | PROT_WRITE) != 0) {
      return 0;
    }
    heap_next_ = next_;
    heap_end_ = next_ + span;
    next_ += span + kPage;
  }
  const uint64_t span = heap_span(bytes);
  uint64_t address = heap_next_;
  if (span <= heap_end_ - heap_next_) {
    heap_next_ += span;
  } else {  // room that was freed
    const auto reuse = heap_freed_.take(span, kHeapUnit);
    if (!reuse) return 0;
    address = *reuse;
    forget(table_, address, span);
  }
  table_[address] = Allocation{address, bytes, MemoryKind::heap, true, true, {}};
  ++generation_;
  if (after_allocate) after_allocate(table_[address]);
  return address;
}

bool Memory::heap_free(uint64_t address) {
  const auto it = table_.find(address);
  if (it == table_.end() || !it->second.live || it->second.kind != MemoryKind::heap) return false;
  if (before_free) before_free(it->second);
  it->second.live = false;
  heap_freed_.give(address, heap_span(it->second.size));
  ++generation_;
  return true;
}

bool Memory::register_host(uint64_t address, uint64_t bytes) {
  if (bytes == 0 || address + bytes < address) return false;
  const auto after = table_.lower_bound(address);
  if (after != table_.end() && after->second.address < address + bytes) return false;
  if (const Allocation* before = find(address); before != nullptr && before->live) return false;
  table_[address] = {.address = address, .size = bytes, .kind = MemoryKind::registered};
  ++generation_;
  return true;
}

bool Memory::unregister_host(uint64_t address) {
  const auto it = table_.find(address);
  if (it == table_.end() || it->second.kind != MemoryKind::registered) return false;
  table_.erase(it);
  ++generation_;
  return true;
}

const Allocation* Memory::find(uint64_t address) const {
  auto it = table_.upper_bound(address);
  if (it == table_.begin()) return nullptr;
  --it;
  const Allocation& allocation = it->second;
  return address - allocation.address < std::max<uint64_t>(allocation.size, 1) ? &allocation : nullptr;
}

const Allocation* Memory::accessible(uint64_t address) const {
  const Allocation* const found = find(address);
  if (found != nullptr || host_ranges_.empty()) return found;
  const auto above = std::ranges::upper_bound(host_ranges_, address, {}, &Allocation::address);
  if (above == host_ranges_.begin()) return nullptr;
  const Allocation& range = *std::prev(above);
  return address - range.address < range.size ? &range : nullptr;
}

void Memory::set_host_ranges(std::vector<Allocation> ranges) {
  host_ranges_ = std::move(ranges);
  ++generation_;
}

uint64_t Memory::behind_multicast(uint64_t address) const {
  const auto after = multicast_.upper_bound(address);
  if (after == multicast_.begin()) return 0;
  const auto& [start, range] = *std::prev(after);
  return address - start < range.bytes ? range.alias + (address - start) : 0;
}

const Allocation* Memory::nearest(uint64_t address) const {
  if (table_.empty()) return nullptr;
  const auto above = table_.lower_bound(address);
  if (above == table_.begin()) return &above->second;
  const auto below = std::prev(above);
  if (above == table_.end()) return &below->second;
  const uint64_t to_below = address - std::min(address, below->second.address + below->second.size);
  return above->second.address - address < to_below ? &above->second : &below->second;
}

}  // namespace bankshot::simt

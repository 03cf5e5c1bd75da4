#include "bankshot/cuda/memory/managed_ranges.hpp"

#include <cstring>
#include <iterator>

namespace bankshot::cuda {
namespace {

// CUmemLocationType, CUmem_advise, CUmem_range_attribute.
constexpr int kAtDevice = 1, kAtHost = 2, kAtHostOfCaller = 4;
constexpr int kHostNumber = -1, kNone = -2;
enum Advice : int { read_mostly = 1, not_read_mostly, prefer, no_preference, accessed_by, not_accessed_by };
enum Attribute : int {
  is_read_mostly = 1,
  preferred_location,
  accessed_by_whom,
  last_prefetch,
  preferred_type,
  preferred_id,
  prefetch_type,
  prefetch_id
};

/// As the older attributes have it.
int number_of(abi::Location location) {
  return location.type == kAtDevice ? location.id : location.type >= kAtHost ? kHostNumber : kNone;
}

}  // namespace

Status check(abi::Location location) {
  if (location.type < kAtDevice || location.type > kAtHostOfCaller) return Status::invalid_value;
  return location.type == kAtDevice && location.id != 0 ? Status::invalid_device : Status::success;
}

const ManagedRanges::Said& ManagedRanges::at(uint64_t address) const {
  static const Said nothing;
  const auto after = starts_.upper_bound(address);
  return after == starts_.begin() ? nothing : std::prev(after)->second;
}

void ManagedRanges::split(uint64_t address) { starts_.emplace(address, at(address)); }

template <class Change>
void ManagedRanges::change(uint64_t address, uint64_t bytes, Change&& change) {
  split(address);
  split(address + bytes);
  const auto end = starts_.find(address + bytes);
  for (auto it = starts_.find(address); it != end; ++it) change(it->second);
}

template <class What>
bool ManagedRanges::all(uint64_t address, uint64_t bytes, What&& what) const {
  if (!what(at(address))) return false;
  for (auto it = starts_.upper_bound(address); it != starts_.end() && it->first - address < bytes; ++it)
    if (!what(it->second)) return false;
  return true;
}

abi::Location ManagedRanges::common(uint64_t address, uint64_t bytes, abi::Location Said::* which) const {
  const abi::Location first = at(address).*which;
  const auto same = [&](const Said& said) { return (said.*which).type == first.type && (said.*which).id == first.id; };
  return all(address, bytes, same) ? first : abi::Location{};
}

Status ManagedRanges::advise(uint64_t address, uint64_t bytes, int advice, abi::Location location) {
  if (bytes == 0 || advice < read_mostly || advice > not_accessed_by) return Status::invalid_value;
  const bool for_a_place = advice == prefer || advice >= accessed_by;
  if (for_a_place)
    if (const Status status = check(location); status != Status::success) return status;
  change(address, bytes, [&](Said& said) {
    switch (advice) {
      case read_mostly:
      case not_read_mostly: said.read_mostly = advice == read_mostly; break;
      case prefer: said.preferred = location; break;
      case no_preference: said.preferred = {}; break;
      default: (location.type == kAtDevice ? said.by_device : said.by_host) = advice == accessed_by; break;
    }
  });
  return Status::success;
}

Status ManagedRanges::prefetch(uint64_t address, uint64_t bytes, abi::Location location) {
  if (bytes == 0) return Status::invalid_value;
  if (const Status status = check(location); status != Status::success) return status;
  change(address, bytes, [&](Said& said) { said.prefetched = location; });
  return Status::success;
}

Status ManagedRanges::attribute(uint64_t address, uint64_t bytes, int which, void* data, size_t size) const {
  if (!data || bytes == 0 || size == 0 || size % sizeof(int) != 0) return Status::invalid_value;
  if (which != accessed_by_whom && size != sizeof(int)) return Status::invalid_value;
  const abi::Location preferred = common(address, bytes, &Said::preferred),
                      prefetched = common(address, bytes, &Said::prefetched);
  const auto give = [&](int value) {
    std::memcpy(data, &value, sizeof value);
    return Status::success;
  };
  switch (which) {
    case is_read_mostly: return give(all(address, bytes, [](const Said& said) { return said.read_mostly; }));
    case preferred_location: return give(number_of(preferred));
    case last_prefetch: return give(number_of(prefetched));
    case preferred_type: return give(preferred.type);
    case preferred_id: return give(preferred.id);
    case prefetch_type: return give(prefetched.type);
    case prefetch_id: return give(prefetched.id);
    case accessed_by_whom: break;
    default: return Status::invalid_value;
  }
  int* next = static_cast<int*>(data);
  int* const end = next + size / sizeof(int);
  if (all(address, bytes, [](const Said& said) { return said.by_device; })) *next++ = 0;
  if (next != end && all(address, bytes, [](const Said& said) { return said.by_host; })) *next++ = kHostNumber;
  while (next != end) *next++ = kNone;
  return Status::success;
}

void ManagedRanges::forget(uint64_t address, uint64_t bytes) {
  if (starts_.empty() || bytes == 0) return;
  split(address + bytes);
  starts_.erase(starts_.lower_bound(address), starts_.find(address + bytes));
  starts_.emplace(address, Said{});
}

abi::Location location_of(int device) {
  return device == kHostNumber ? abi::Location{kAtHost, 0} : abi::Location{kAtDevice, device};
}

}  // namespace bankshot::cuda

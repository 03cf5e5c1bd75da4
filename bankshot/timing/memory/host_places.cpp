#include "bankshot/timing/memory/host_places.hpp"

#include <algorithm>

namespace bankshot::timing {
namespace {

// Neither these nor local memory (sm_access.cpp) are addresses of the device's memory.
constexpr uint64_t kRegistered = uint64_t{1} << 45, kPageable = uint64_t{1} << 48, kUnit = 512;

}  // namespace

void HostPlaces::update(const simt::Memory& memory) {
  std::vector<Range> now;
  auto before = ranges_.begin();
  memory.for_each_live([&](const simt::Allocation& one) {
    if (one.kind != simt::MemoryKind::registered) return;
    while (before != ranges_.end() && before->begin < one.address) ++before;
    const bool stayed = before != ranges_.end() && before->begin == one.address && before->size == one.size;
    now.push_back({one.address, one.size, stayed ? before->place : kRegistered + next_});
    if (!stayed) next_ += (one.size + kUnit - 1) / kUnit * kUnit;
  });
  ranges_ = std::move(now);
}

uint64_t HostPlaces::of(uint64_t address) const {
  const auto after = std::ranges::upper_bound(ranges_, address, {}, [](const Range& range) { return range.begin; });
  if (after == ranges_.begin()) return kPageable + address;
  const Range& range = *std::prev(after);
  return address - range.begin < range.size ? range.place + (address - range.begin) : kPageable + address;
}

}  // namespace bankshot::timing

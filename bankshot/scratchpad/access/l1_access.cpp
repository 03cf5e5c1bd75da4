#include "bankshot/scratchpad/access/l1_access.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/scratchpad/access/cache_lines.hpp"

namespace bankshot::scratchpad {
namespace {

constexpr unsigned parts_of(unsigned whole, unsigned part) { return (whole + part - 1) / part; }

}  // namespace

Rules l1_bank_rules(Rules shared, unsigned banks) {
  shared.banks = std::max(8u, banks);
  shared.bank_bytes = 4;
  shared.hash.reset();
  shared.merge_pairs = false;  // double at stride 0 takes 2 cycles of an A100 and an H200 (gpu-benches, gpu-strides)
  return shared;
}

std::array<uint32_t, kMaxLanes> bank_addresses(const uint64_t* address, uint64_t lanes) {
  constexpr unsigned kBits = 26;  // of a region: there are at most as many as lanes
  static_assert(kMaxLanes <= 1u << (32 - kBits));
  std::array<uint32_t, kMaxLanes> at{};
  std::array<uint64_t, kMaxLanes> regions{};
  uint32_t count = 0;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    const uint64_t region = address[lane] >> kBits;
    uint32_t index = 0;
    while (index < count && regions[index] != region) ++index;
    if (index == count) regions[count++] = region;
    at[lane] = index << kBits | (static_cast<uint32_t>(address[lane]) & ((1u << kBits) - 1));
  }
  return at;
}

L1Cost l1_cost(const L1Rules& rules, bool reads, unsigned width, const uint64_t* address, uint64_t lanes) {
  const TouchedLines touched = touched_lines(address, lanes, width, rules.line_bytes, rules.sector_bytes);
  L1Cost all;
  all.sectors = touched.sectors;
  all.ideal_sectors = parts_of(touched.bytes, rules.sector_bytes);
  all.tags = touched.lines;
  all.ideal_tags = parts_of(touched.bytes, rules.line_bytes);
  if (reads) {
    const Cost banks = cost(rules.banks, AccessKind::load, width, bank_addresses(address, lanes).data(), lanes);
    all.wavefronts = banks.wavefronts;
    all.ideal_wavefronts = banks.ideal;
  }
  all.cycles = std::max(all.wavefronts, parts_of(all.tags, rules.tags));
  all.ideal_cycles = std::max(all.ideal_wavefronts, parts_of(all.ideal_tags, rules.tags));
  return all;
}

}  // namespace bankshot::scratchpad

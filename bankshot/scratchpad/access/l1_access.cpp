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
  return shared;
}

std::array<uint32_t, kMaxLanes> bank_addresses(const uint64_t* address, uint64_t lanes) {
  std::array<uint32_t, kMaxLanes> at{};
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    at[lane] = static_cast<uint32_t>(address[lane]);
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

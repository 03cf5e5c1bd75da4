#include "bankshot/timing/sm/l1_banks.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace bankshot::timing {

L1Banks::L1Banks(const Config& config, Pipeline& pipeline, ConflictGuard& guard, Counters& counters)
    : config_(config),
      pipeline_(pipeline),
      guard_(guard),
      counters_(counters),
      rules_(config.rules),
      staged_(pipeline.staged()) {
  rules_.banks = std::max(8u, config.l1.banks);
  rules_.bank_bytes = 4;
  rules_.hash.reset();
}

Cycle L1Banks::load(const Issued& issued, unsigned width, unsigned rows, uint64_t lanes, const uint64_t* addresses,
                    bool& conflict) {
  std::array<uint32_t, scratchpad::kMaxLanes> at{};
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    at[lane] = static_cast<uint32_t>(addresses[lane]);
  }
  std::array<unsigned, scratchpad::kMaxLanes> degrees{};
  const std::span<unsigned> parts(degrees.data(), staged_ ? sub_warps(config_) : 1);
  const unsigned width_of_part = staged_ ? config_.issue.simd_lanes : scratchpad::kMaxLanes;
  scratchpad::sub_warp_degrees(rules_, scratchpad::AccessKind::load, width, at.data(), lanes, width_of_part, parts);
  for (unsigned& part : parts) part *= rows;
  const unsigned ideal = rows * scratchpad::cost(rules_, scratchpad::AccessKind::load, width, at.data(), lanes).ideal;
  const unsigned needed = std::accumulate(parts.begin(), parts.end(), 0u);
  counters_.l1_wavefronts += needed;
  counters_.l1_ideal += ideal;
  const Passage passage = pipeline_.shared(issued, parts, config_.l1.latency);
  conflict = needed > ideal;
  guard_.accessed(issued.now, issued.slot, issued.instr, parts, passage.end);
  load_[issued.slot] = issued.instr;
  return served_[issued.slot] = passage.ready;
}

}  // namespace bankshot::timing

#include "bankshot/timing/sm/l1_banks.hpp"

#include <numeric>

#include "bankshot/scratchpad/access/l1_access.hpp"

namespace bankshot::timing {

L1Banks::L1Banks(const Config& config, Pipeline& pipeline, ConflictGuard& guard, Counters& counters)
    : config_(config),
      pipeline_(pipeline),
      guard_(guard),
      counters_(counters),
      rules_(scratchpad::l1_bank_rules(config.rules, config.l1.banks)),
      staged_(pipeline.staged()) {}

Cycle L1Banks::load(const Issued& issued, unsigned width, unsigned rows, uint64_t lanes, const uint64_t* addresses,
                    bool& conflict) {
  const std::array<uint32_t, scratchpad::kMaxLanes> at = scratchpad::bank_addresses(addresses, lanes);
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

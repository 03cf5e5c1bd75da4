#include "bankshot/timing/chip/overhead.hpp"

#include <bit>

#include "bankshot/timing/pipelines/stage_config.hpp"
#include "bankshot/timing/schedulers/foresight.hpp"

namespace bankshot::timing {

std::optional<Overhead> overhead(const Config& config) {
  const unsigned memory_stages = config.parameters[kMemoryStages];
  if (memory_stages == 0) return std::nullopt;
  const unsigned parts = sub_warps(config);
  Overhead all;
  all.nonmem = nonmem_depth(memory_stages, parts, false);
  all.nonmem_corrected = nonmem_depth(memory_stages, parts, true);
  all.premem = premem_depth(parts);
  all.latches = (all.nonmem + all.premem) * config.issue.simd_lanes;
  all.write_back_inputs = all.nonmem + 3;
  all.memory_inputs = all.premem + 1;
  all.gates = 2 * config.max_warps;
  all.counter_bits = static_cast<unsigned>(std::bit_width(config.warp_size - 1));
  for (const auto& entry : ForesightRegistry::entries()) {
    const std::unique_ptr<Foresight> foresight = entry.make(config);
    if (foresight && foresight->bits() != 0) all.memories.push_back({entry.name, foresight->bits()});
  }
  return all;
}

}  // namespace bankshot::timing

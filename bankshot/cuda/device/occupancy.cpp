#include "bankshot/cuda/device/occupancy.hpp"

#include <algorithm>

#include "bankshot/support/round_up.hpp"

namespace bankshot::cuda {
namespace {

uint32_t blocks_by_registers(const SmLimits& sm, uint32_t registers, uint32_t warps) {
  const uint32_t per_warp = round_up(registers * sm.warp_size, sm.register_unit);
  // A warp's registers lie in the part of its scheduler, so what is left over in one part helps no other.
  const uint32_t warps_held = sm.registers / sm.register_parts / per_warp * sm.register_parts;
  return warps_held / warps;
}

}  // namespace

Residents residents(const SmLimits& sm, const BlockNeeds& block) {
  if (block.threads == 0 || block.threads > sm.max_threads_per_block) return {0, "warps"};
  if (block.shared > sm.shared_per_block) return {0, "shared memory"};
  const uint32_t warps = (block.threads + sm.warp_size - 1) / sm.warp_size;
  Residents fit{sm.max_warps / warps, "warps"};
  const auto limit = [&](uint64_t blocks, const char* by) {
    if (blocks < fit.blocks) fit = {static_cast<uint32_t>(blocks), by};
  };
  if (block.registers > 0) limit(blocks_by_registers(sm, block.registers, warps), "registers");
  if (const uint64_t shared = round_up<uint64_t>(block.shared + sm.shared_reserved, sm.shared_unit); shared > 0)
    limit(sm.shared / shared, "shared memory");
  limit(sm.max_blocks, "CTA slots");
  return fit;
}

uint32_t registers_that_fit(const SmLimits& sm, uint32_t threads, uint32_t blocks) {
  const uint64_t warps = uint64_t{blocks} * ((threads + sm.warp_size - 1) / sm.warp_size);
  const uint64_t in_a_part = (warps + sm.register_parts - 1) / sm.register_parts;
  if (in_a_part == 0) return sm.registers_per_thread;
  const uint32_t all = blocks > 1 ? sm.registers : sm.registers_per_block;
  const uint64_t per_warp = all / sm.register_parts / in_a_part / sm.register_unit * sm.register_unit;
  return static_cast<uint32_t>(std::min<uint64_t>(per_warp / sm.warp_size, sm.registers_per_thread));
}

uint32_t blocks_per_sm(const SmLimits& sm, const BlockNeeds& block) { return residents(sm, block).blocks; }

uint64_t available_dynamic_shared(const SmLimits& sm, const BlockNeeds& block, uint32_t blocks) {
  if (blocks == 0 || blocks > blocks_per_sm(sm, block)) return 0;
  const uint64_t share = sm.shared / blocks / sm.shared_unit * sm.shared_unit;
  const uint64_t usable =
      std::min<uint64_t>(share - std::min<uint64_t>(share, sm.shared_reserved), sm.shared_per_block);
  return usable - std::min(usable, block.shared);
}

}  // namespace bankshot::cuda

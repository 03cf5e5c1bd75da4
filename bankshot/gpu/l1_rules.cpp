#include "bankshot/gpu/gpu.hpp"

namespace bankshot::gpu {

std::optional<scratchpad::L1Rules> Gpu::l1_rules() const {
  if (!timing || timing->l1.bytes == 0 || timing->l1.banks == 0 || !timing->l1.global) return std::nullopt;
  const timing::L1Config& l1 = timing->l1;
  return scratchpad::L1Rules{scratchpad::l1_bank_rules(machine.scratchpad, l1.banks), l1.line_bytes, l1.sector_bytes,
                             l1.tags};
}

}  // namespace bankshot::gpu

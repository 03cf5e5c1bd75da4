#include "bankshot/timing/base/config.hpp"

namespace bankshot::timing {

unsigned l1_bytes(const Config& config, unsigned ctas_per_sm, unsigned shared_bytes) {
  const L1Config& l1 = config.l1;
  if (l1.carveouts_kb.empty() || l1.bytes == 0) return l1.bytes;
  const uint64_t each = (uint64_t{shared_bytes} + l1.reserved + l1.shared_unit - 1) / l1.shared_unit * l1.shared_unit;
  const uint64_t need = ctas_per_sm * each;
  for (const unsigned kb : l1.carveouts_kb) {
    if (uint64_t{kb} * 1024 >= need) return l1.bytes - kb * 1024;
  }
  return l1.bytes - l1.carveouts_kb.back() * 1024;
}

}  // namespace bankshot::timing

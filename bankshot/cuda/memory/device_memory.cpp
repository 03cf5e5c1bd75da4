#include "bankshot/cuda/memory/device_memory.hpp"

namespace bankshot::cuda {

void GraphMemoryUse::allocated(uint64_t bytes) {
  used += bytes;
  most_used = std::max(most_used, used);
  kept = std::max(kept, used);
  most_kept = std::max(most_kept, kept);
}

void DeviceMemory::clear() {
  virtual_memory.clear();
  managed_ranges.clear();
  pools.clear();
  arrays.clear();
  graph_use = {};
  host_flags.clear();
}

}  // namespace bankshot::cuda

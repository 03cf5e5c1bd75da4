#include "bankshot/cuda/memory/device_memory.hpp"

namespace bankshot::cuda {

void GraphMemoryUse::allocated(uint64_t bytes) {
  live += bytes;
  mapped = std::max(mapped, live);
  most_used = std::max(most_used, mapped);
  most_kept = std::max(most_kept, mapped);
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

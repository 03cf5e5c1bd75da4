// Device memory as the CUDA interfaces see it: the engine's allocations, and what the interfaces know about them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "bankshot/cuda/memory/arrays.hpp"
#include "bankshot/cuda/memory/managed_ranges.hpp"
#include "bankshot/cuda/memory/pools.hpp"
#include "bankshot/cuda/memory/virtual_memory.hpp"
#include "bankshot/simt/memory/memory.hpp"

namespace bankshot::cuda {

/// Bytes allocated by graph nodes, now and at most. `kept` restarts from `used` at a trim.
struct GraphMemoryUse {
  uint64_t used = 0, most_used = 0, kept = 0, most_kept = 0;
  void allocated(uint64_t bytes);
  void freed(uint64_t bytes) { used -= std::min(used, bytes); }
};

/// Requires the session's lock.
class DeviceMemory {
 public:
  /// The engine's memory. Valid between attach() and detach().
  simt::Memory& engine() const { return *engine_; }
  void attach(simt::Memory& memory) { engine_ = &memory; }
  void detach() { engine_ = nullptr; }

  PoolTable pools;
  ArrayTable arrays;
  VirtualMemory virtual_memory;
  ManagedRanges managed_ranges;
  GraphMemoryUse graph_use;
  /// Flags of pinned and registered memory, by address.
  std::unordered_map<uint64_t, unsigned> host_flags;

  /// For a reset. Does not free the allocations: they go with the engine.
  void clear();

 private:
  simt::Memory* engine_ = nullptr;
};

}  // namespace bankshot::cuda

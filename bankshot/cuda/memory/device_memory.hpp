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

/// Bytes that graph nodes allocate. What is freed stays mapped, for the next allocation, until it is trimmed; what is
/// mapped counts as used and as reserved. Source: CUDA programming guide, "Graph Memory Nodes", section "Physical
/// Memory Footprint".
struct GraphMemoryUse {
  uint64_t live = 0, mapped = 0;
  uint64_t most_used = 0, most_kept = 0;  ///< of what is mapped, each since it was last set
  void allocated(uint64_t bytes);
  void freed(uint64_t bytes) { live -= std::min(live, bytes); }
  void trim() { mapped = live; }
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

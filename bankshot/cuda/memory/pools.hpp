// Memory pools: cudaMallocAsync allocates at once and frees at once, so a pool keeps its settings and counts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "bankshot/cuda/abi/abi_graph.hpp"
#include "bankshot/cuda/abi/errors.hpp"

namespace bankshot::cuda {

struct Pool {
  enum Attribute : size_t { threshold = 4, reserved_now = 5, reserved_most = 6, used_now = 7, used_most = 8 };
  /// By cudaMemPoolAttr and CUmemPool_attribute, which share their numbers: 1-3 reuse policies (int), 4 release
  /// threshold, 5 and 6 reserved bytes now and at most, 7 and 8 used bytes now and at most (64 bits each). Reserved is
  /// the size of a real pool: the memory in use, and as much of the memory used before as the threshold allows.
  std::array<uint64_t, 9> attributes{0, 1, 1, 1, 0, 0, 0, 0, 0};

  /// Returns reserved memory, except `keep` bytes, to the device.
  void trim(uint64_t keep);
};

class PoolTable {
 public:
  Pool* default_pool() { return &default_; }
  Pool* current() { return current_; }
  /// Sets the pool that cudaMallocAsync uses. @return false if it is not a pool
  bool use(const void* handle);
  Pool* create();
  /// @return false if create() did not make it: the default pool cannot be destroyed
  bool destroy(const void* handle);
  Pool* find(const void* handle);
  void clear();

  /// Counts an allocation from a pool, and the release of any allocation.
  void allocated(Pool& pool, uint64_t address, uint64_t bytes);
  void freed(uint64_t address);

 private:
  struct Share {
    Pool* pool;
    uint64_t bytes;
  };
  Pool default_;
  Pool* current_ = &default_;
  std::unordered_map<const void*, std::unique_ptr<Pool>> created_;
  std::unordered_map<uint64_t, Share> shares_;  ///< by address
};

/// @param value  int for attributes 1 to 3, else uint64_t. @return success or invalid_value, here and below
Status set_pool_attribute(Pool* pool, int attribute, const void* value);
Status get_pool_attribute(const Pool* pool, int attribute, void* value);
/// Returns reserved memory, except `keep` bytes, to the device.
Status trim_pool(Pool* pool, uint64_t keep);
/// One device, which always has access.
Status set_pool_access(const Pool* pool, const abi::AccessDescription* descriptions, size_t count);
Status get_pool_access(const Pool* pool, int* flags, const abi::Location* location);

/// Checks the location and the kind of memory (CUmemAllocationType) of a pool. Only device memory has pools.
/// @return success, invalid_value, invalid_device, or not_supported for pools that a real system may have
Status check_pool_place(const abi::Location* location, int kind);

}  // namespace bankshot::cuda

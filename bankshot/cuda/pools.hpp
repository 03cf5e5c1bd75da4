// Memory pools: cudaMallocAsync allocates at once and frees at once, so a pool keeps nothing but its settings.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "bankshot/cuda/errors.hpp"

namespace bankshot::cuda {

struct Pool {
  /// By cudaMemPoolAttr and CUmemPool_attribute, which share their numbers: 1-3 reuse policies (int), 4 release threshold,
  /// 5 and 6 reserved bytes now and at most, 7 and 8 used bytes now and at most (64 bits each).
  std::array<uint64_t, 9> attributes{0, 1, 1, 1, 0, 0, 0, 0, 0};
};

class PoolTable {
 public:
  Pool* default_pool() { return &default_; }
  Pool* current() { return current_; }
  /// The pool that cudaMallocAsync takes. @return false if it is no pool
  bool use(const void* handle);
  Pool* create();
  /// @return false if it is no created pool; the default pool cannot be destroyed
  bool destroy(const void* handle);
  Pool* find(const void* handle);
  void clear();

 private:
  Pool default_;
  Pool* current_ = &default_;
  std::unordered_map<const void*, std::unique_ptr<Pool>> created_;
};

/// @param value  int for attributes 1 to 3, else uint64_t. @return success or invalid_value, here and below
Status set_pool_attribute(Pool* pool, int attribute, const void* value);
Status get_pool_attribute(const Pool* pool, int attribute, void* value);

}  // namespace bankshot::cuda

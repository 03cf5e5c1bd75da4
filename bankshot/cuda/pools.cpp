#include "bankshot/cuda/pools.hpp"

#include <cstring>

namespace bankshot::cuda {
namespace {

bool is_int(int attribute) { return attribute <= 3; }

}  // namespace

bool PoolTable::use(const void* handle) {
  Pool* pool = find(handle);
  if (pool) current_ = pool;
  return pool != nullptr;
}

Pool* PoolTable::create() {
  auto pool = std::make_unique<Pool>();
  Pool* handle = pool.get();
  created_[handle] = std::move(pool);
  return handle;
}

bool PoolTable::destroy(const void* handle) {
  if (current_ == handle) current_ = &default_;
  return created_.erase(handle) != 0;
}

Pool* PoolTable::find(const void* handle) {
  if (handle == &default_) return &default_;
  const auto found = created_.find(handle);
  return found == created_.end() ? nullptr : found->second.get();
}

void PoolTable::clear() {
  created_.clear();
  default_ = {};
  current_ = &default_;
}

Status set_pool_attribute(Pool* pool, int attribute, const void* value) {
  // Of the counters only the high-water marks can be set, and only to zero. Source: CUDA runtime API reference
  if (!pool || !value || attribute < 1 || attribute > 8 || attribute == 5 || attribute == 7)
    return Status::invalid_value;
  uint64_t number = 0;
  std::memcpy(&number, value, is_int(attribute) ? sizeof(int) : sizeof number);
  if (attribute > 4 && number != 0) return Status::invalid_value;
  pool->attributes[static_cast<size_t>(attribute)] = number;
  return Status::success;
}

Status get_pool_attribute(const Pool* pool, int attribute, void* value) {
  if (!pool || !value || attribute < 1 || attribute > 8) return Status::invalid_value;
  std::memcpy(value, &pool->attributes[static_cast<size_t>(attribute)],
              is_int(attribute) ? sizeof(int) : sizeof(uint64_t));
  return Status::success;
}

}  // namespace bankshot::cuda

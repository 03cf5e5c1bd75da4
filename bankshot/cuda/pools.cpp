#include "bankshot/cuda/pools.hpp"

#include <algorithm>
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
  std::erase_if(shares_, [&](const auto& entry) { return entry.second.pool == handle; });
  return created_.erase(handle) != 0;
}

Pool* PoolTable::find(const void* handle) {
  if (handle == &default_) return &default_;
  const auto found = created_.find(handle);
  return found == created_.end() ? nullptr : found->second.get();
}

void Pool::trim(uint64_t keep) {
  attributes[reserved_now] = std::max(attributes[used_now], std::min(attributes[reserved_now], keep));
}

void PoolTable::allocated(Pool& pool, uint64_t address, uint64_t bytes) {
  auto& counts = pool.attributes;
  shares_[address] = {&pool, bytes};
  counts[Pool::used_now] += bytes;
  counts[Pool::used_most] = std::max(counts[Pool::used_most], counts[Pool::used_now]);
  counts[Pool::reserved_now] = std::max(counts[Pool::reserved_now], counts[Pool::used_now]);
  counts[Pool::reserved_most] = std::max(counts[Pool::reserved_most], counts[Pool::reserved_now]);
}

void PoolTable::freed(uint64_t address) {
  const auto found = shares_.find(address);
  if (found == shares_.end()) return;
  Pool& pool = *found->second.pool;
  pool.attributes[Pool::used_now] -= found->second.bytes;
  pool.trim(pool.attributes[Pool::threshold]);
  shares_.erase(found);
}

void PoolTable::clear() {
  created_.clear();
  shares_.clear();
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
  if (attribute > 4) number = pool->attributes[static_cast<size_t>(attribute - 1)];  // a mark starts at what there is now
  pool->attributes[static_cast<size_t>(attribute)] = number;
  return Status::success;
}

Status get_pool_attribute(const Pool* pool, int attribute, void* value) {
  if (!pool || !value || attribute < 1 || attribute > 8) return Status::invalid_value;
  std::memcpy(value, &pool->attributes[static_cast<size_t>(attribute)],
              is_int(attribute) ? sizeof(int) : sizeof(uint64_t));
  return Status::success;
}

Status set_pool_access(Pool* pool, int location_type, int location, int flags) {
  constexpr int kDevice = 1, kReadWrite = 3;
  if (!pool || location_type != kDevice) return Status::invalid_value;
  if (location != 0) return Status::invalid_device;
  return flags == kReadWrite ? Status::success : Status::invalid_value;  // the device cannot lose its access
}

}  // namespace bankshot::cuda

#include "bankshot/cuda/memory/pools.hpp"

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
  if (attribute > 4)
    number = pool->attributes[static_cast<size_t>(attribute - 1)];  // a mark starts at what there is now
  pool->attributes[static_cast<size_t>(attribute)] = number;
  return Status::success;
}

Status get_pool_attribute(const Pool* pool, int attribute, void* value) {
  if (!pool || !value || attribute < 1 || attribute > 8) return Status::invalid_value;
  std::memcpy(value, &pool->attributes[static_cast<size_t>(attribute)],
              is_int(attribute) ? sizeof(int) : sizeof(uint64_t));
  return Status::success;
}

Status trim_pool(Pool* pool, uint64_t keep) {
  if (!pool) return Status::invalid_value;
  pool->trim(keep);
  return Status::success;
}

namespace {

constexpr int kOnDevice = 1, kReadWrite = 3;

Status check_access(const Pool* pool, const abi::Location& location, int flags) {
  if (!pool || location.type != kOnDevice) return Status::invalid_value;
  if (location.id != 0) return Status::invalid_device;
  return flags == kReadWrite ? Status::success : Status::invalid_value;  // the device cannot lose its access
}

}  // namespace

Status set_pool_access(const Pool* pool, const abi::AccessDescription* descriptions, size_t count) {
  if (!descriptions) return Status::invalid_value;
  for (size_t k = 0; k < count; ++k) {
    const Status status = check_access(pool, descriptions[k].location, descriptions[k].flags);
    if (status != Status::success) return status;
  }
  return Status::success;
}

Status get_pool_access(const Pool* pool, int* flags, const abi::Location* location) {
  if (!flags || !location) return Status::invalid_value;
  *flags = kReadWrite;
  return check_access(pool, *location, kReadWrite);
}

Status check_pool_place(const abi::Location* location, int kind) {
  constexpr int kPinned = 1, kManaged = 2, kHostNuma = 3;
  if (!location || (kind != kPinned && kind != kManaged)) return Status::invalid_value;
  if (location->type < 0 || location->type > kHostNuma || (location->type == 0 && kind != kManaged))
    return Status::invalid_value;
  if (location->type != kOnDevice || kind != kPinned) return Status::not_supported;
  return location->id == 0 ? Status::success : Status::invalid_device;
}

}  // namespace bankshot::cuda

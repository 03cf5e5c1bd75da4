#include "bankshot/cuda/memory/managed_memory.hpp"

#include "bankshot/cuda/abi/abi_batch.hpp"
#include "bankshot/cuda/memory/allocate.hpp"

namespace bankshot::cuda {

Status advise(DeviceMemory& memory, const void* pointer, size_t bytes, int advice, abi::Location location) {
  if (const Status status = check_managed(memory, pointer, bytes); status != Status::success) return status;
  return memory.managed_ranges.advise(reinterpret_cast<uint64_t>(pointer), bytes, advice, location);
}

Status prefetch(DeviceMemory& memory, const void* pointer, size_t bytes, abi::Location location) {
  if (const Status status = check_managed(memory, pointer, bytes); status != Status::success) return status;
  return memory.managed_ranges.prefetch(reinterpret_cast<uint64_t>(pointer), bytes, location);
}

Status range_attribute(DeviceMemory& memory, void* data, size_t size, int which, const void* pointer, size_t bytes) {
  if (const Status status = check_managed(memory, pointer, bytes); status != Status::success) return status;
  return memory.managed_ranges.attribute(reinterpret_cast<uint64_t>(pointer), bytes, which, data, size);
}

Status range_attributes(DeviceMemory& memory, void* const* data, const size_t* sizes, const int* which, size_t count,
                        const void* pointer, size_t bytes) {
  if (!data || !sizes || !which || count == 0) return Status::invalid_value;
  Status status = Status::success;
  for (size_t k = 0; k < count && status == Status::success; ++k)
    status = range_attribute(memory, data[k], sizes[k], which[k], pointer, bytes);
  return status;
}

Status discard(DeviceMemory& memory, const PrefetchBatch& batch) {
  if (!batch.pointers || !batch.sizes || batch.count == 0 || batch.flags != 0) return Status::invalid_value;
  for (size_t k = 0; k < batch.count; ++k)
    if (const Status status = check_managed(memory, batch.pointers[k], batch.sizes[k]); status != Status::success)
      return status;
  return Status::success;
}

Status prefetch(DeviceMemory& memory, const PrefetchBatch& batch) {
  if (const Status status = discard(memory, batch); status != Status::success) return status;  // the same checks
  if (!batch.locations || !abi::are_firsts(batch.firsts, batch.location_count, batch.count))
    return Status::invalid_value;
  for (size_t k = 0; k < batch.location_count; ++k)
    if (const Status status = check(batch.locations[k]); status != Status::success) return status;
  for (size_t k = 0, place = 0; k < batch.count; ++k) {
    if (place + 1 < batch.location_count && batch.firsts[place + 1] == k) ++place;
    const Status status = prefetch(memory, batch.pointers[k], batch.sizes[k], batch.locations[place]);
    if (status != Status::success) return status;
  }
  return Status::success;
}

}  // namespace bankshot::cuda

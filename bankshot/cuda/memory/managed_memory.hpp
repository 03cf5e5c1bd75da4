// Functions on managed memory that both interfaces have: advice, prefetching, attributes of ranges.
#pragma once

#include "bankshot/cuda/memory/device_memory.hpp"

namespace bankshot::cuda {

// A range that is not managed memory gives invalid_value.

Status advise(DeviceMemory& memory, const void* pointer, size_t bytes, int advice, abi::Location location);
Status prefetch(DeviceMemory& memory, const void* pointer, size_t bytes, abi::Location location);
Status range_attribute(DeviceMemory& memory, void* data, size_t size, int which, const void* pointer, size_t bytes);
/// Several attributes of a range, up to the first that fails. @param count  of each list
Status range_attributes(DeviceMemory& memory, void* const* data, const size_t* sizes, const int* which, size_t count,
                        const void* pointer, size_t bytes);

/// Ranges to prefetch to several locations. `firsts` has the first range of each location.
struct PrefetchBatch {
  void* const* pointers = nullptr;
  const size_t* sizes = nullptr;
  size_t count = 0;
  const abi::Location* locations = nullptr;
  const size_t* firsts = nullptr;
  size_t location_count = 0;
  unsigned long long flags = 0;
};
Status prefetch(DeviceMemory& memory, const PrefetchBatch& batch);
/// Discarded memory may hold anything afterwards; here it keeps its contents.
Status discard(DeviceMemory& memory, const PrefetchBatch& batch);

}  // namespace bankshot::cuda

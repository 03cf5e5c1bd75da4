// What programs say of managed memory and may ask for again: advice, and where it was prefetched to. It lives in one
// place. Source: CUDA driver API reference, cuMemAdvise and cuMemRangeGetAttribute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "bankshot/cuda/abi/abi_graph.hpp"
#include "bankshot/cuda/abi/errors.hpp"

namespace bankshot::cuda {

class DeviceMemory;

class ManagedRanges {
 public:
  /// @param advice  CUmem_advise @param location  for which it is; not looked at by advice that is for none
  /// @return success, invalid_value or invalid_device, here and below
  Status advise(uint64_t address, uint64_t bytes, int advice, abi::Location location);
  Status prefetch(uint64_t address, uint64_t bytes, abi::Location location);
  /// @param which  CUmem_range_attribute @param size  bytes of `data`, which the attribute prescribes
  Status attribute(uint64_t address, uint64_t bytes, int which, void* data, size_t size) const;
  /// The memory is freed.
  void forget(uint64_t address, uint64_t bytes);
  void clear() { starts_.clear(); }

 private:
  struct Said {
    bool read_mostly = false, by_device = false, by_host = false;
    abi::Location preferred{}, prefetched{};
  };
  template <class Change>
  void change(uint64_t address, uint64_t bytes, Change&& change);
  void split(uint64_t address);
  const Said& at(uint64_t address) const;
  /// Whether `what` holds of all of the range.
  template <class What>
  bool all(uint64_t address, uint64_t bytes, What&& what) const;
  abi::Location common(uint64_t address, uint64_t bytes, abi::Location Said::* which) const;

  std::map<uint64_t, Said> starts_;  ///< each holds up to the next; before the first nothing was said
};

/// The location that a device's number stands for in the older functions: -1 is the host.
abi::Location location_of(int device);

// The functions of both interfaces. A range that is not managed memory gives invalid_value.
Status advise(DeviceMemory& memory, const void* pointer, size_t bytes, int advice, abi::Location location);
Status prefetch(DeviceMemory& memory, const void* pointer, size_t bytes, abi::Location location);
Status range_attribute(DeviceMemory& memory, void* data, size_t size, int which, const void* pointer, size_t bytes);
/// Several attributes of a range, up to the first that fails. @param count  of each list
Status range_attributes(DeviceMemory& memory, void* const* data, const size_t* sizes, const int* which, size_t count,
                        const void* pointer, size_t bytes);

/// Ranges that are prefetched together. @param firsts  of each location the first range that goes there
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
/// What is discarded may hold anything afterwards: it stays.
Status discard(DeviceMemory& memory, const PrefetchBatch& batch);

}  // namespace bankshot::cuda

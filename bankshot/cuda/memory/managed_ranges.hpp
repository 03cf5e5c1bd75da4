// What a program said about managed memory and may query: advice, and where it was prefetched to. The memory itself
// stays in one place. Source: CUDA driver API reference, cuMemAdvise and cuMemRangeGetAttribute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "bankshot/cuda/abi/abi_graph.hpp"
#include "bankshot/cuda/abi/errors.hpp"

namespace bankshot::cuda {

class ManagedRanges {
 public:
  /// @param advice  CUmem_advise @param location  ignored by advice that has none
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

  std::map<uint64_t, Said> starts_;  ///< each holds up to the next; nothing was said before the first
};

/// @return success, invalid_value or invalid_device
Status check(abi::Location location);
/// The location of a device number in the older functions: -1 is the host.
abi::Location location_of(int device);

}  // namespace bankshot::cuda

// Limits a program may set, such as the stack of a thread.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/simt/memory/memory.hpp"

namespace bankshot::cuda {

/// By cudaLimit and CUlimit, which share their numbers. Values are kept and told back; only the heap of kernels is
/// limited by its own. The engine's stack grows to its own limit.
class Limits {
 public:
  /// @param memory  whose heap is limited @return success or unsupported_limit
  Status set(int limit, size_t value, simt::Memory& memory);
  /// @return success, invalid_value or unsupported_limit
  Status get(int limit, size_t* value) const;
  void clear() { set_.clear(); }

 private:
  std::unordered_map<int, size_t> set_;
};

}  // namespace bankshot::cuda

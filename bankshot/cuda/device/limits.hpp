// Limits that a program may set, such as the stack size of a thread.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/simt/memory/memory.hpp"

namespace bankshot::cuda {

/// By the numbers of cudaLimit and CUlimit, which are the same. Values are stored and returned; only that of the
/// kernels' heap has an effect.
class Limits {
 public:
  /// @param memory  has the heap to limit @return success or unsupported_limit
  Status set(int limit, size_t value, simt::Memory& memory);
  /// @return success, invalid_value or unsupported_limit
  Status get(int limit, size_t* value) const;
  void clear() { set_.clear(); }

 private:
  std::unordered_map<int, size_t> set_;
};

}  // namespace bankshot::cuda

#include "bankshot/cuda/device/limits.hpp"

#include <array>

namespace bankshot::cuda {
namespace {

/// Defaults by number: stack of a thread, printf buffer, malloc heap, nesting depth, pending launches, L2 granularity,
/// persisting L2. Source: CUDA runtime API reference, cudaDeviceSetLimit; values as real GPUs report them.
constexpr std::array<size_t, 7> kDefaults{1024, size_t{1} << 20, size_t{8} << 20, 2, 2048, 64, 0};

bool is_limit(int limit) { return limit >= 0 && limit < static_cast<int>(kDefaults.size()); }

}  // namespace

Status Limits::set(int limit, size_t value, simt::Memory& memory) {
  if (!is_limit(limit)) return Status::unsupported_limit;
  set_[limit] = value;
  constexpr int kHeap = 2;
  if (limit == kHeap) memory.heap_bytes = value;
  return Status::success;
}

Status Limits::get(int limit, size_t* value) const {
  if (!value) return Status::invalid_value;
  if (!is_limit(limit)) return Status::unsupported_limit;
  const auto found = set_.find(limit);
  *value = found != set_.end() ? found->second : kDefaults[static_cast<size_t>(limit)];
  return Status::success;
}

}  // namespace bankshot::cuda

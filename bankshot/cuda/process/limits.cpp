#include "bankshot/cuda/process/limits.hpp"

#include <array>

namespace bankshot::cuda {
namespace {

/// Defaults by number: stack of a thread, printf buffer, malloc heap, nesting depth, pending launches, L2 granularity,
/// persisting L2. Source: CUDA runtime API reference, cudaDeviceSetLimit; values as real GPUs report them.
constexpr std::array<size_t, 7> kDefaults{1024, size_t{1} << 20, size_t{8} << 20, 2, 2048, 64, 0};

bool is_limit(int limit) { return limit >= 0 && limit < static_cast<int>(kDefaults.size()); }

}  // namespace

Status set_limit(Session& session, int limit, size_t value) {
  if (!is_limit(limit)) return Status::unsupported_limit;
  session.limits()[limit] = value;
  constexpr int kHeap = 2;
  if (limit == kHeap) session.memory().heap_bytes = value;
  return Status::success;
}

Status get_limit(Session& session, int limit, size_t* value) {
  if (!value) return Status::invalid_value;
  if (!is_limit(limit)) return Status::unsupported_limit;
  const auto found = session.limits().find(limit);
  *value = found != session.limits().end() ? found->second : kDefaults[static_cast<size_t>(limit)];
  return Status::success;
}

}  // namespace bankshot::cuda

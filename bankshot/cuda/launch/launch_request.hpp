// The parameters of a launch, and the reason why one is refused.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/simt/run/engine.hpp"

namespace bankshot::cuda {

struct LaunchRequest {
  simt::Dim3 grid, block;
  simt::Dim3 cluster{0, 0, 0};          ///< in CTAs; zeros: not given. Use cluster_of()
  uint64_t dynamic_shared = 0;          ///< bytes
  bool cooperative = false;             ///< all CTAs must be resident at once
  void* event = nullptr;                ///< recorded when the kernel has run, or null
  void* const* arguments = nullptr;     ///< one pointer per parameter; or null, and
  std::span<const std::byte> packed{};  ///< … the whole parameter buffer
};

/// The parameter buffer, with each argument at the offset that the kernel declares.
std::vector<std::byte> pack(const simt::KernelInfo& kernel, const LaunchRequest& request);

struct Refusal {
  Status status = Status::success;
  std::string reason;  ///< one line: "2000 threads a block, the GPU allows 1024"
};

}  // namespace bankshot::cuda

// What the real driver refuses to launch, and why, in words.
#pragma once

#include <optional>
#include <string>

#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/launch/launch_request.hpp"
#include "bankshot/cuda/modules/modules.hpp"

namespace bankshot::cuda {

struct Refusal {
  Status status = Status::success;
  std::string reason;  ///< one line: "2000 threads a block, the GPU allows 1024"
};

/// Nothing if the GPU could launch it. The function's module must be loaded.
std::optional<Refusal> refusal_of(const DeviceInfo& device, const Function& function, const LaunchRequest& request);

/// Why set_dynamic_shared_limit() refuses `bytes`.
std::string beyond_shared(const DeviceInfo& device, const Function& function, int64_t bytes);

}  // namespace bankshot::cuda

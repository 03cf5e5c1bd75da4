// The launches that the real driver refuses.
#pragma once

#include <optional>
#include <string>

#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/launch/launch_request.hpp"
#include "bankshot/cuda/modules/modules.hpp"

namespace bankshot::cuda {

/// nullopt if the GPU could run the launch. The function's module must be loaded.
std::optional<Refusal> refusal_of(const DeviceInfo& device, const Function& function, const LaunchRequest& request);

/// Why set_dynamic_shared_limit() refuses `bytes`.
std::string beyond_shared(const DeviceInfo& device, const Function& function, int64_t bytes);

}  // namespace bankshot::cuda

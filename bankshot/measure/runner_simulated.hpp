// Micro-benchmarks on a simulated GPU.
#pragma once

#include <memory>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/measure/runner.hpp"
#include "bankshot/timing/base/config.hpp"

namespace bankshot::measure {

/// @param gpu     whose values it tells of itself
/// @param config  the machine that is simulated, checked: cuda::simulated_config.
/// @return an error if its warps have not 32 lanes
Result<std::unique_ptr<Runner>> simulated_runner(const gpu::Gpu& gpu, const timing::Config& config);

}  // namespace bankshot::measure

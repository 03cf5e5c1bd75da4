// Micro-benchmarks on a real GPU, through NVIDIA's driver.
#pragma once

#include <memory>
#include <string>

#include "bankshot/measure/driver.hpp"
#include "bankshot/measure/runner.hpp"

namespace bankshot::measure {

/// @param ordinal  of the device, as the driver counts them
/// @return an error if there is no driver, no such device, or one whose warps do not have 32 lanes
Result<std::unique_ptr<Runner>> cuda_runner(int ordinal, const std::string& library = kDriverLibrary);

}  // namespace bankshot::measure

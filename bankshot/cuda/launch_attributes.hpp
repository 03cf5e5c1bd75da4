// The attributes that cudaLaunchKernelExC and cuLaunchKernelEx carry.
#pragma once

#include <span>

#include "bankshot/cuda/abi.hpp"
#include "bankshot/cuda/launch.hpp"

namespace bankshot::cuda {

/// Takes over what changes the result of a launch; hints for the scheduler and caches are ignored. Attributes that ask
/// for something that is not there are refused, and told once.
/// @return success or not_supported
Status apply_launch_attributes(std::span<const abi::LaunchAttribute> attributes, LaunchRequest& request);

}  // namespace bankshot::cuda

// Launch parameters of cudaLaunchKernelExC, cuLaunchKernelEx and cuLaunchKernel besides the arguments.
#pragma once

#include <span>

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/launch/launch_request.hpp"

namespace bankshot::cuda {

/// Applies the attributes that change the result of a launch; hints for the scheduler and caches are ignored.
/// Attributes that request unsupported features are refused, which is reported once.
/// @return success, not_supported or invalid_cluster_size
Status apply_launch_attributes(std::span<const abi::LaunchAttribute> attributes, LaunchRequest& request);

/// Applies the list of cuLaunchKernel's `extra`: pairs of a tag and a value until the end tag 0; 1 = buffer, 2 = its
/// size.
/// @return success, or invalid_value for an unknown tag
Status unpack_extra(void** extra, LaunchRequest& request);

}  // namespace bankshot::cuda

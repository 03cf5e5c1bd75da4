// Kernel launches as graph nodes.
#pragma once

#include "bankshot/cuda/graphs/graph.hpp"
#include "bankshot/cuda/launch/launch_request.hpp"
#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda {

/// Checks the launch and copies its arguments. @param key  host stub or handle @param extra  as of cuLaunchKernel, or
/// null
MadeWork kernel_work(Session& session, const void* key, const LaunchRequest& request, void** extra = nullptr);
/// The same for a launch that is captured.
MadeWork kernel_work(Session& session, Function& function, const LaunchRequest& request);

/// The launch that a node carries out. The result refers to the node's parameters.
LaunchRequest request_of(const KernelWork& work);

}  // namespace bankshot::cuda

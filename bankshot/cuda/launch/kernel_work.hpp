// Launches as nodes of graphs.
#pragma once

#include "bankshot/cuda/graphs/graph.hpp"
#include "bankshot/cuda/launch/launch_request.hpp"
#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda {

/// Copies the arguments and makes the checks of a launch. @param key  host stub or handle
MadeWork kernel_work(Session& session, const void* key, const LaunchRequest& request, void** extra = nullptr);
/// A launch as it was asked for: what capturing it makes.
MadeWork kernel_work(Session& session, Function& function, const LaunchRequest& request);

/// The launch that a node stands for. @return refers to the node's parameters
LaunchRequest request_of(const KernelWork& work);

}  // namespace bankshot::cuda

// Launching a kernel: the checks of the real driver, the engine, the report.
#pragma once

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/launch/launch_request.hpp"
#include "bankshot/cuda/modules/modules.hpp"
#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda {

/// Loads the kernel's module if necessary and runs the kernel to its end. If the kernel fails, the reason is told on
/// standard error and the context is corrupted; the call itself succeeds, as on a GPU, where kernels run later, unless
/// CUDA_LAUNCH_BLOCKING=1 is set. Every launch that does not finish is noted: failed_launch.hpp. If the stream is
/// captured, the launch becomes a node of the graph and does not run.
/// @return success, or why it cannot be launched: the context's or the module's error, invalid_handle,
///         invalid_configuration, invalid_value, launch_out_of_resources, cooperative_launch_too_large, out_of_memory
Status launch(Session& session, Function& function, void* stream, const LaunchRequest& request);

}  // namespace bankshot::cuda

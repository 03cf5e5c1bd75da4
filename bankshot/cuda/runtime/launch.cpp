// Launches.
#include "bankshot/cuda/launch/launch.hpp"

#include <fmt/format.h>

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/launch/failed_launch.hpp"
#include "bankshot/cuda/launch/launch_attributes.hpp"
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {
namespace {

Status launch_kernel(const void* key, void* stream, const LaunchRequest& request) {
  return plain([&](Session& session) {
    const Status opened = session.open();
    use_primary_context();
    if (Function* function = session.modules().function(key)) return launch(session, *function, stream, request);
    return launch_failed(session, {}, opened != Status::success ? opened : Status::invalid_device_function,
                         "no fat binary of the program has it");
  });
}

Status attributes_failed(const void* key, Status status) {
  return plain([&](Session& session) {
    const Function* function = session.modules().function(key);
    return launch_failed(session, function ? function->name : "", status,
                         "an attribute of the launch is not supported");
  });
}

}  // namespace

BANKSHOT_API(cudaLaunchKernel)
(const void* function, simt::Dim3 grid, simt::Dim3 block, void** arguments, size_t shared, void* stream) {
  return launch_kernel(function, stream,
                       {.grid = grid, .block = block, .dynamic_shared = shared, .arguments = arguments});
}

BANKSHOT_API(__cudaLaunchKernel)
(void* kernel, simt::Dim3 grid, simt::Dim3 block, void** arguments, size_t shared, void* stream) {
  return bankshot_cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

BANKSHOT_API(cudaLaunchCooperativeKernel)
(const void* function, simt::Dim3 grid, simt::Dim3 block, void** arguments, size_t shared, void* stream) {
  return launch_kernel(
      function, stream,
      {.grid = grid, .block = block, .dynamic_shared = shared, .cooperative = true, .arguments = arguments});
}

BANKSHOT_API(cudaLaunchKernelExC)(const abi::LaunchConfig* config, const void* function, void** arguments) {
  if (!config) return remember(Status::invalid_value);
  LaunchRequest request{
      .grid = config->grid, .block = config->block, .dynamic_shared = config->dynamic_shared, .arguments = arguments};
  if (const Status status = apply_launch_attributes({config->attributes, config->attribute_count}, request);
      status != Status::success)
    return attributes_failed(function, status);
  return launch_kernel(function, config->stream, request);
}

/// The handle of a kernel, by its host stub. An unregistered kernel is detected at the launch.
BANKSHOT_API(__cudaGetKernel)(void** kernel, const void* host) {
  return plain([&](Session& session) {
    *kernel = session.modules().function(host);
    return *kernel ? Status::success : Status::invalid_device_function;
  });
}

BANKSHOT_API(cudaGetKernel)(void** kernel, const void* host) { return bankshot___cudaGetKernel(kernel, host); }

BANKSHOT_API(cudaGetFuncBySymbol)(void** function, const void* host) {
  return call([&](Session& session) {
    Function* found = session.modules().function(host);
    if (!function) return Status::invalid_value;
    if (!found) return Status::invalid_device_function;
    *function = found;
    return load(session.load_target(), *found);
  });
}

}  // namespace bankshot::cuda::runtime

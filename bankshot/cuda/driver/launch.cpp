// Functions: launches, attributes, occupancy.
#include "bankshot/cuda/launch/launch.hpp"
#include "bankshot/cuda/launch/kernel_limits.hpp"

#include <algorithm>

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/launch/clusters.hpp"
#include "bankshot/cuda/launch/failed_launch.hpp"
#include "bankshot/cuda/launch/function_attributes.hpp"
#include "bankshot/cuda/launch/launch_attributes.hpp"

namespace bankshot::cuda::driver {
namespace {

/// Work on a function handle, which is checked and whose module is loaded.
template <class Work>
Status call_with(const void* handle, Work&& work) {
  return call([&](Session& session) {
    Function* function = session.modules().function(handle);
    if (!function) return Status::invalid_handle;
    if (const Status status = load(session.load_target(), *function); status != Status::success) return status;
    return function->info ? work(session, *function) : Status::invalid_handle;
  });
}

Status launch_function(const void* handle, void* stream, LaunchRequest request, void** arguments, void** extra) {
  return query([&](Session& session) {
    Function* function = session.modules().function(handle);
    const auto failed = [&](Status status, const char* reason) {
      return launch_failed(session, function ? function->name : "", status, reason);
    };
    if (session.corrupted() == Status::success) {
      if (!current_context() && is_of_current(stream)) return failed(Status::invalid_context, "no context is current");
      if (!function) return failed(Status::invalid_handle, "the handle given is not that of a function");
    } else if (!function) {
      return failed(session.corrupted(), "an earlier kernel failed");
    }
    if (arguments && extra) return failed(Status::invalid_value, "its parameters are given twice");
    request.arguments = arguments;
    if (extra)
      if (const Status status = unpack_extra(extra, request); status != Status::success)
        return failed(status, "its list of extra options has an unknown tag");
    return launch(session, *function, stream, request);
  });
}

LaunchRequest shape_of(const abi::DriverLaunchConfig& config) {
  return {.grid = {config.grid_x, config.grid_y, config.grid_z},
          .block = {config.block_x, config.block_y, config.block_z},
          .dynamic_shared = config.dynamic_shared};
}

}  // namespace

BANKSHOT_API(cuLaunchKernel)
(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
 unsigned block_z, unsigned shared, void* stream, void** arguments, void** extra) {
  return launch_function(
      function, stream,
      {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .dynamic_shared = shared}, arguments,
      extra);
}

BANKSHOT_API(cuLaunchCooperativeKernel)
(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
 unsigned block_z, unsigned shared, void* stream, void** arguments) {
  return launch_function(function, stream,
                         {.grid = {grid_x, grid_y, grid_z},
                          .block = {block_x, block_y, block_z},
                          .dynamic_shared = shared,
                          .cooperative = true},
                         arguments, nullptr);
}

BANKSHOT_API(cuLaunchKernelEx)(const abi::DriverLaunchConfig* config, void* function, void** arguments, void** extra) {
  if (!config) return Status::invalid_value;
  LaunchRequest request = shape_of(*config);
  if (const Status status = apply_launch_attributes({config->attributes, config->attribute_count}, request);
      status != Status::success)
    return query([&](Session& session) {
      const Function* found = session.modules().function(function);
      return launch_failed(session, found ? found->name : "", status, "an attribute of the launch is not supported");
    });
  return launch_function(function, config->stream, request, arguments, extra);
}

BANKSHOT_API(cuFuncGetAttribute)(int* value, int which, void* handle) {
  return call_with(handle, [&](Session& session, Function& function) {
    const auto found = function_attribute(session.device(), function, which);
    return found ? give(value, *found) : Status::invalid_value;
  });
}

BANKSHOT_API(cuFuncSetAttribute)(void* handle, int which, int value) {
  return call_with(handle, [&](Session& session, Function& function) {
    return set_function_attribute(session.device(), function, which, value);
  });
}

BANKSHOT_API(cuKernelGetAttribute)(int* value, int which, void* kernel, int device) {
  return device == 0 ? bankshot_cuFuncGetAttribute(value, which, kernel) : Status::invalid_device;
}

BANKSHOT_API(cuKernelSetAttribute)(int which, int value, void* kernel, int device) {
  return device == 0 ? bankshot_cuFuncSetAttribute(kernel, which, value) : Status::invalid_device;
}

BANKSHOT_API(cuFuncSetCacheConfig)(void* handle, int) {
  return call_with(handle, [](Session&, Function&) { return Status::success; });
}
BANKSHOT_API(cuKernelSetCacheConfig)(void* kernel, int config, int) {
  return bankshot_cuFuncSetCacheConfig(kernel, config);
}
BANKSHOT_API(cuFuncSetSharedMemConfig)(void* handle, int) {
  return call_with(handle, [](Session&, Function&) { return Status::success; });
}

/// PyCUDA sets the shape of CTAs before cuLaunchKernel, which has it as an argument. Those that have not, such as
/// cuLaunchGrid, are not supported.
BANKSHOT_API(cuFuncSetBlockShape)(void* handle, int x, int y, int z) {
  return call_with(
      handle, [&](Session&, Function&) { return x > 0 && y > 0 && z > 0 ? Status::success : Status::invalid_value; });
}

BANKSHOT_API(cuFuncGetName)(const char** name, void* handle) {
  return call_with(handle, [&](Session&, Function& function) { return give(name, function.name.c_str()); });
}
BANKSHOT_API(cuKernelGetName)(const char** name, void* kernel) { return bankshot_cuFuncGetName(name, kernel); }

BANKSHOT_API(cuFuncGetModule)(Module** module, void* handle) {
  return call_with(handle, [&](Session&, Function& function) { return give(module, function.module); });
}
BANKSHOT_API(cuKernelGetLibrary)(Module** library, void* kernel) { return bankshot_cuFuncGetModule(library, kernel); }

BANKSHOT_API(cuKernelGetFunction)(void** function, void* kernel) {
  return call_with(kernel, [&](Session&, Function& found) { return give(function, &found); });
}

BANKSHOT_API(cuFuncGetParamInfo)(void* handle, size_t index, size_t* offset, size_t* size) {
  return call_with(handle,
                   [&](Session&, Function& function) { return function_parameter(function, index, offset, size); });
}
BANKSHOT_API(cuKernelGetParamInfo)(void* kernel, size_t index, size_t* offset, size_t* size) {
  return bankshot_cuFuncGetParamInfo(kernel, index, offset, size);
}

BANKSHOT_API(cuFuncIsLoaded)(int* state, void* handle) {
  return call_with(handle, [&](Session&, Function&) { return give(state, 1); });
}
BANKSHOT_API(cuFuncLoad)(void* handle) {
  return call_with(handle, [](Session&, Function&) { return Status::success; });
}

BANKSHOT_API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* blocks, void* handle, int threads, size_t dynamic_shared, unsigned) {
  return call_with(handle, [&](Session& session, Function& function) {
    if (threads <= 0) return Status::invalid_value;
    return give(blocks, occupancy(session.device(), function, static_cast<uint32_t>(threads), dynamic_shared));
  });
}

BANKSHOT_API(cuOccupancyMaxActiveBlocksPerMultiprocessor)
(int* blocks, void* handle, int threads, size_t dynamic_shared) {
  return bankshot_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, threads, dynamic_shared, 0);
}

BANKSHOT_API(cuOccupancyAvailableDynamicSMemPerBlock)(size_t* bytes, void* handle, int blocks, int threads) {
  return call_with(handle, [&](Session& session, Function& function) {
    return available_shared(session.device(), function, blocks, threads, bytes);
  });
}

/// The block size with the most threads on an SM; of equal ones the largest.
BANKSHOT_API(cuOccupancyMaxPotentialBlockSizeWithFlags)
(int* grid, int* block, void* handle, size_t (*shared_of)(int), size_t dynamic_shared, int limit, unsigned) {
  return call_with(handle, [&](Session& session, Function& function) {
    if (!grid || !block) return Status::invalid_value;
    const DeviceInfo& device = session.device();
    uint32_t most = most_threads(device, function);
    if (limit > 0) most = std::min(most, static_cast<uint32_t>(limit));
    uint64_t best_threads = 0;
    const uint32_t step = device.sm.warp_size;
    for (uint32_t threads = most; threads > 0; threads = threads > step ? (threads - 1) / step * step : 0) {
      const size_t shared = shared_of ? shared_of(static_cast<int>(threads)) : dynamic_shared;
      const uint32_t blocks = occupancy(device, function, threads, shared);
      if (uint64_t{blocks} * threads <= best_threads) continue;
      best_threads = uint64_t{blocks} * threads;
      *block = static_cast<int>(threads);
      *grid = static_cast<int>(blocks * device.sms);
    }
    return best_threads > 0 ? Status::success : Status::invalid_value;
  });
}

BANKSHOT_API(cuOccupancyMaxPotentialBlockSize)
(int* grid, int* block, void* handle, size_t (*shared_of)(int), size_t dynamic_shared, int limit) {
  return bankshot_cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, handle, shared_of, dynamic_shared, limit, 0);
}

BANKSHOT_API(cuOccupancyMaxActiveClusters)(int* clusters, void* handle, const abi::DriverLaunchConfig* config) {
  return call_with(handle, [&](Session& session, Function& function) {
    if (!clusters || !config) return Status::invalid_value;
    LaunchRequest request = shape_of(*config);
    if (const Status status = apply_launch_attributes({config->attributes, config->attribute_count}, request);
        status != Status::success)
      return status;
    return count_clusters(session.device(), function, request, clusters);
  });
}

BANKSHOT_API(cuOccupancyMaxPotentialClusterSize)(int* size, void* handle, const abi::DriverLaunchConfig* config) {
  return call_with(handle, [&](Session& session, Function& function) {
    if (!config) return Status::invalid_value;
    return give(size, largest_cluster(session.device(), function, shape_of(*config)));
  });
}

}  // namespace bankshot::cuda::driver

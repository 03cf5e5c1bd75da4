// Attributes of kernels and occupancy.
#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/launch/clusters.hpp"
#include "bankshot/cuda/launch/function_attributes.hpp"
#include "bankshot/cuda/launch/kernel_limits.hpp"
#include "bankshot/cuda/launch/launch.hpp"
#include "bankshot/cuda/launch/launch_attributes.hpp"
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {
namespace {

/// Work on a kernel whose module is loaded. @param key  host stub or handle
template <class Work>
Status call_with(const void* key, Work&& work) {
  return call([&](Session& session) {
    Function* function = session.modules().function(key);
    if (!function) return Status::invalid_device_function;
    if (const Status status = load(session.load_target(), *function); status != Status::success) return status;
    return function->info ? work(session, *function) : Status::invalid_device_function;
  });
}

Status clusters_of(const abi::LaunchConfig& config, LaunchRequest& request) {
  request.grid = config.grid;
  request.block = config.block;
  request.dynamic_shared = config.dynamic_shared;
  return apply_launch_attributes({config.attributes, config.attribute_count}, request);
}

}  // namespace

BANKSHOT_API(cudaFuncGetAttributes)(abi::FuncAttributes* attributes, const void* key) {
  return call_with(key, [&](Session& session, Function& function) {
    if (!attributes) return Status::invalid_value;
    const auto get = [&](FunctionAttribute which) {
      return function_attribute(session.device(), function, static_cast<int>(which)).value_or(0);
    };
    using A = FunctionAttribute;
    *attributes = {};
    attributes->shared_size_bytes = static_cast<size_t>(get(A::shared_size));
    attributes->const_size_bytes = static_cast<size_t>(get(A::const_size));
    attributes->local_size_bytes = static_cast<size_t>(get(A::local_size));
    attributes->max_threads_per_block = get(A::max_threads);
    attributes->num_regs = get(A::registers);
    attributes->ptx_version = get(A::ptx_version);
    attributes->binary_version = get(A::binary_version);
    attributes->max_dynamic_shared_size_bytes = get(A::max_dynamic_shared);
    attributes->preferred_shmem_carveout = get(A::carveout);
    attributes->cluster_dim_must_be_set = get(A::must_set_cluster);
    attributes->required_cluster_width = get(A::cluster_width);
    attributes->required_cluster_height = get(A::cluster_height);
    attributes->required_cluster_depth = get(A::cluster_depth);
    attributes->non_portable_cluster_size_allowed = get(A::non_portable_cluster);
    return Status::success;
  });
}

BANKSHOT_API(cudaFuncSetAttribute)(const void* key, int which, int value) {
  return call_with(key, [&](Session& session, Function& function) {
    return set_function_attribute(session.device(), function, which, value);
  });
}

BANKSHOT_API(cudaKernelSetAttributeForDevice)(const void* kernel, int which, int value, int device) {
  if (device != 0) return remember(Status::invalid_device);
  return bankshot_cudaFuncSetAttribute(kernel, which, value);
}

BANKSHOT_API(cudaFuncSetCacheConfig)(const void* key, int config) {
  return call_with(
      key, [&](Session&, Function&) { return config >= 0 && config <= 3 ? Status::success : Status::invalid_value; });
}

BANKSHOT_API(cudaFuncSetSharedMemConfig)(const void* key, int config) {
  return call_with(
      key, [&](Session&, Function&) { return config >= 0 && config <= 2 ? Status::success : Status::invalid_value; });
}

BANKSHOT_API(cudaFuncGetName)(const char** name, const void* key) {
  return call_with(key, [&](Session&, Function& function) {
    if (!name) return Status::invalid_value;
    *name = function.name.c_str();
    return Status::success;
  });
}

BANKSHOT_API(cudaFuncGetParamInfo)(const void* key, size_t index, size_t* offset, size_t* size) {
  return call_with(key,
                   [&](Session&, Function& function) { return function_parameter(function, index, offset, size); });
}

BANKSHOT_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* blocks, const void* key, int threads, size_t dynamic_shared, unsigned flags) {
  return call_with(key, [&](Session& session, Function& function) {
    if (!blocks || threads <= 0 || flags > 1) return Status::invalid_value;
    *blocks = static_cast<int>(occupancy(session.device(), function, static_cast<uint32_t>(threads), dynamic_shared));
    return Status::success;
  });
}

BANKSHOT_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
(int* blocks, const void* key, int threads, size_t dynamic_shared) {
  return bankshot_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, key, threads, dynamic_shared, 0);
}

BANKSHOT_API(cudaOccupancyAvailableDynamicSMemPerBlock)(size_t* bytes, const void* key, int blocks, int threads) {
  return call_with(key, [&](Session& session, Function& function) {
    return available_shared(session.device(), function, blocks, threads, bytes);
  });
}

BANKSHOT_API(cudaOccupancyMaxActiveClusters)(int* clusters, const void* key, const abi::LaunchConfig* config) {
  return call_with(key, [&](Session& session, Function& function) {
    LaunchRequest request;
    if (!clusters || !config) return Status::invalid_value;
    if (const Status status = clusters_of(*config, request); status != Status::success) return status;
    return count_clusters(session.device(), function, request, clusters);
  });
}

BANKSHOT_API(cudaOccupancyMaxPotentialClusterSize)(int* size, const void* key, const abi::LaunchConfig* config) {
  return call_with(key, [&](Session& session, Function& function) {
    if (!size || !config) return Status::invalid_value;
    const LaunchRequest request{.grid = config->grid, .block = config->block, .dynamic_shared = config->dynamic_shared};
    *size = static_cast<int>(largest_cluster(session.device(), function, request));
    return Status::success;
  });
}

}  // namespace bankshot::cuda::runtime

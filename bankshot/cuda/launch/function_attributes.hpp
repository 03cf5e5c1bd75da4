// Attributes of a kernel by number, shared by both interfaces.
#pragma once

#include <cstddef>
#include <optional>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/modules/modules.hpp"

namespace bankshot::cuda {

/// Source: CUDA driver API reference, enum CUfunction_attribute; cudaFuncAttribute has some of them.
enum class FunctionAttribute : int {
  max_threads = 0,
  shared_size = 1,
  const_size = 2,
  local_size = 3,
  registers = 4,
  ptx_version = 5,
  binary_version = 6,
  cache_mode_ca = 7,
  max_dynamic_shared = 8,
  carveout = 9,
  must_set_cluster = 10,
  cluster_width = 11,
  cluster_height = 12,
  cluster_depth = 13,
  non_portable_cluster = 14,
  scheduling_policy = 15,
};

/// nullopt for an unknown number. The function's module must be loaded, here and below.
std::optional<int> function_attribute(const DeviceInfo& device, const Function& function, int which);

/// @return success or invalid_value
Status set_function_attribute(const DeviceInfo& device, Function& function, int which, int value);

/// The place of a parameter in the buffer. @return success, or invalid_value if there is no such parameter
Status function_parameter(const Function& function, size_t index, size_t* offset, size_t* size);

/// Dynamic shared memory with which `blocks` CTAs fit on an SM. @return success or invalid_value
Status available_shared(const DeviceInfo& device, const Function& function, int blocks, int threads, size_t* bytes);

}  // namespace bankshot::cuda

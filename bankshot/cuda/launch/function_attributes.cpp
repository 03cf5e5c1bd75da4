#include "bankshot/cuda/launch/function_attributes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bankshot/cuda/launch/failed_launch.hpp"
#include "bankshot/cuda/launch/kernel_limits.hpp"
#include "bankshot/cuda/launch/launch_check.hpp"
#include "bankshot/cuda/process/say.hpp"

namespace bankshot::cuda {
namespace {

/// That of the whole module, which is what a kernel of machine code has too.
int constant_bytes(const Module& module) {
  uint64_t bytes = 0;
  for (const simt::GlobalInfo& global : simt::globals(*module.program)) bytes += global.constant ? global.size : 0;
  return static_cast<int>(bytes);
}

}  // namespace

std::optional<int> function_attribute(const DeviceInfo& device, const Function& function, int which) {
  const simt::KernelInfo& kernel = *function.info;
  switch (static_cast<FunctionAttribute>(which)) {
    case FunctionAttribute::max_threads: return static_cast<int>(most_threads(device, function));
    case FunctionAttribute::shared_size: return static_cast<int>(kernel.static_shared);
    case FunctionAttribute::const_size: return constant_bytes(*function.module);
    case FunctionAttribute::local_size: return static_cast<int>(kernel.local_bytes);
    case FunctionAttribute::registers: return static_cast<int>(registers_told(device, function));
    // What the PTX was compiled for, which need not be what it runs on: CUB picks its tuning by it.
    case FunctionAttribute::ptx_version: return static_cast<int>(kernel.target);
    case FunctionAttribute::binary_version: return device.major * 10 + device.minor;
    case FunctionAttribute::cache_mode_ca: return 0;
    case FunctionAttribute::max_dynamic_shared: return static_cast<int>(dynamic_shared_limit(device, function));
    case FunctionAttribute::carveout: return function.carveout;
    case FunctionAttribute::must_set_cluster: return kernel.explicit_cluster ? 1 : 0;
    case FunctionAttribute::cluster_width:
    case FunctionAttribute::cluster_height:
    case FunctionAttribute::cluster_depth:
      return static_cast<int>(
          kernel.required_cluster[static_cast<size_t>(which) - static_cast<size_t>(FunctionAttribute::cluster_width)]);
    case FunctionAttribute::non_portable_cluster: return function.non_portable_cluster ? 1 : 0;
    case FunctionAttribute::scheduling_policy: return 0;
  }
  return std::nullopt;
}

Status set_function_attribute(const DeviceInfo& device, Function& function, int which, int value) {
  switch (static_cast<FunctionAttribute>(which)) {
    case FunctionAttribute::max_dynamic_shared: {
      const Status status = set_dynamic_shared_limit(device, function, value);
      if (status != Status::success) {
        const std::string text = fmt::format("{}: the limit is not raised to {}", name_in_messages(function.name),
                                             beyond_shared(device, function, value));
        say_once(text, text);
      }
      return status;
    }
    case FunctionAttribute::carveout:
      if (value < -1 || value > 100) return Status::invalid_value;
      function.carveout = value;
      return Status::success;
    case FunctionAttribute::non_portable_cluster: function.non_portable_cluster = value != 0; return Status::success;
    default: return which >= 10 && which <= 15 ? Status::success : Status::invalid_value;
  }
}

Status function_parameter(const Function& function, size_t index, size_t* offset, size_t* size) {
  if (!offset || index >= function.info->params.size()) return Status::invalid_value;
  *offset = function.info->params[index].offset;
  if (size) *size = function.info->params[index].size;
  return Status::success;
}

Status available_shared(const DeviceInfo& device, const Function& function, int blocks, int threads, size_t* bytes) {
  if (!bytes || blocks <= 0 || threads <= 0) return Status::invalid_value;
  const BlockNeeds block = {.threads = static_cast<uint32_t>(threads),
                            .registers = registers_for(device, function, static_cast<uint32_t>(threads)),
                            .shared = function.info->static_shared};
  // A launch may not use more than the kernel's limit either, as cuda.core's tests of NVIDIA's driver have it.
  *bytes = std::min<size_t>(available_dynamic_shared(device.sm, block, static_cast<uint32_t>(blocks)),
                            dynamic_shared_limit(device, function));
  return Status::success;
}

}  // namespace bankshot::cuda

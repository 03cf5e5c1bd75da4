// Launching a kernel: the checks of the real driver, the parameter buffer, the engine, the report.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/modules/modules.hpp"
#include "bankshot/cuda/process/session.hpp"

namespace bankshot::cuda {

struct LaunchRequest {
  simt::Dim3 grid, block;
  simt::Dim3 cluster{0, 0, 0};          ///< in CTAs; zeros: the launch does not say. Use cluster_of()
  uint64_t dynamic_shared = 0;          ///< bytes
  bool cooperative = false;             ///< all CTAs must be resident at once
  void* event = nullptr;                ///< recorded when the kernel has run, or null
  void* const* arguments = nullptr;     ///< one pointer a parameter; or null, and
  std::span<const std::byte> packed{};  ///< … the whole parameter buffer
};

/// The parameter buffer, each argument at the offset the kernel declares for it.
std::vector<std::byte> pack(const simt::KernelInfo& kernel, const LaunchRequest& request);

/// Loads the kernel's module if need be and runs the kernel to its end. A kernel that fails tells why on standard error
/// and corrupts the context; the call itself succeeds then, as on a GPU, where kernels run later, unless
/// CUDA_LAUNCH_BLOCKING=1 is set. Every launch that does not come to its end is noted: failed_launch.hpp.
/// On a stream that is captured it becomes a node of the graph and does not run.
/// @return success, or why it cannot be launched: the context's or the module's error, invalid_handle,
///         invalid_configuration, invalid_value, launch_out_of_resources, cooperative_launch_too_large, out_of_memory
Status launch(Session& session, Function& function, void* stream, const LaunchRequest& request);

/// Registers a thread as told to programs: what the PTX has in use at once, as far as the GPU's instructions can name
/// them and the kernel's launch bounds, where it has any, leave room.
uint32_t registers_told(const DeviceInfo& device, const simt::KernelInfo& kernel);
/// Registers a thread in CTAs of so many threads: no more than fit. Where the PTX needs more the compiler must have
/// been told by other means (-maxrregcount), since the program launches it so; what we count is an estimate, and no
/// launch fails by it.
/// @param ctas  that the program counts on having on an SM at once
uint32_t registers_for(const DeviceInfo& device, const simt::KernelInfo& kernel, uint32_t threads, uint32_t ctas = 1);

/// CTAs that an SM must hold at once for a launch: of a cooperative one its share of the grid, else one.
uint32_t ctas_together(const DeviceInfo& device, const simt::Dim3& grid, bool cooperative);

/// The dynamic shared memory a launch may use: what the program asked for, else the default of 48 KiB less the static.
uint64_t dynamic_shared_limit(const DeviceInfo& device, const Function& function);

/// Sets the limit for launches. @return invalid_value if the GPU has not that much
Status set_dynamic_shared_limit(const DeviceInfo& device, Function& function, int bytes);

/// CTAs of a kernel on an SM and what allows no more. @param threads  of a CTA @param dynamic_shared  bytes
/// @param together  that the program counts on: ctas_together()
Residents occupancy_limits(const DeviceInfo& device, const Function& function, uint32_t threads,
                           uint64_t dynamic_shared, uint32_t together = 1);
/// CTAs of a kernel on an SM. @param threads  of a CTA @param dynamic_shared  bytes
uint32_t occupancy(const DeviceInfo& device, const Function& function, uint32_t threads, uint64_t dynamic_shared);
/// Threads of the largest CTA, in whole warps, that can be launched without dynamic shared memory.
uint32_t most_threads(const DeviceInfo& device, const Function& function);

}  // namespace bankshot::cuda

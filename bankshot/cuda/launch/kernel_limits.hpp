// How many threads, CTAs and bytes a kernel may have on the GPU.
#pragma once

#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/modules/modules.hpp"

namespace bankshot::cuda {

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

// How many registers, threads, CTAs and bytes of shared memory a kernel may have on the GPU.
#pragma once

#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/modules/modules.hpp"

namespace bankshot::cuda {

/// Registers per thread as reported to programs: those of the machine code, or else the most that the PTX has in use at
/// once, limited by the GPU and by the kernel's launch bounds.
uint32_t registers_told(const DeviceInfo& device, const Function& function);
/// Registers per thread in CTAs of this size: those of the machine code, or else no more than fit. Our count is an
/// estimate then, and the compiler may have been limited by other means (-maxrregcount), so no launch fails because of
/// it.
/// @param ctas  CTAs that must be on an SM at once
uint32_t registers_for(const DeviceInfo& device, const Function& function, uint32_t threads, uint32_t ctas = 1);

/// CTAs that an SM must hold at once: for a cooperative launch its share of the grid, else one.
uint32_t ctas_together(const DeviceInfo& device, const simt::Dim3& grid, bool cooperative);

/// Bytes of dynamic shared memory that a launch may use: what the program set, else 48 KiB less the static.
uint64_t dynamic_shared_limit(const DeviceInfo& device, const Function& function);

/// Sets that limit. @return success, or invalid_value if the GPU has less
Status set_dynamic_shared_limit(const DeviceInfo& device, Function& function, int bytes);

/// CTAs of a kernel that fit on an SM, and what limits them.
/// @param threads  per CTA @param dynamic_shared  bytes per CTA @param together  of ctas_together()
Residents occupancy_limits(const DeviceInfo& device, const Function& function, uint32_t threads,
                           uint64_t dynamic_shared, uint32_t together = 1);
/// Only the number of CTAs.
uint32_t occupancy(const DeviceInfo& device, const Function& function, uint32_t threads, uint64_t dynamic_shared);
/// Threads of the largest CTA that can be launched without dynamic shared memory. Whole warps where
/// registers or transactions limit them.
uint32_t most_threads(const DeviceInfo& device, const Function& function);

}  // namespace bankshot::cuda

// The shared memory that the system has of each CTA since compute capability 8.0, of which special registers tell.
// Tiles of cooperative groups of more than a warp keep their barriers and values there. Source: PTX ISA 9.0, section 10
// (%reserved_smem_offset_begin and relatives); CUDA 13.0, cooperative_groups/details/memory.h, which expects 288 bytes
// from %reserved_smem_offset_1 on. Here it lies behind all other shared memory of a CTA, and only where a kernel may
// name it: what is out of the bounds of other kernels stays so. It is no part of what a kernel asks for.
#pragma once

#include <cstdint>
#include <string_view>

#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// Whether a special register is one of those: begin, end, cap (bytes of all), and the places 0 and 1 in it.
bool is_reserved_shared(std::string_view name);
/// What it tells in a CTA that has so many bytes of its own.
uint32_t reserved_shared(std::string_view name, uint32_t own_bytes);

/// Static and dynamic shared memory of a CTA, bytes.
uint32_t own_shared(const KernelInfo& kernel, const LaunchConfig& config);
/// Whether a byte of the CTA is in the reserved memory. What is done there orders accesses to other memory, but whether
/// it is right itself is not the program's concern.
inline bool is_the_systems(const Warp& w, uint64_t offset) {
  const Launch& launch = *w.worker->launch;
  return offset >= own_shared(*launch.kernel, *launch.config);
}
/// Bytes of a CTA with the reserved memory, if the kernel or a function that it may call names it.
/// @param function  of the kernel
uint32_t all_shared(const LoadedProgram& program, uint32_t function, uint32_t own);

}  // namespace bankshot::simt

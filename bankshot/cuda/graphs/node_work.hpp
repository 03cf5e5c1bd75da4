// Makes the work of a graph node from the parameters of a call. For kernels: launch/kernel_work.hpp.
#pragma once

#include <algorithm>

#include "bankshot/cuda/graphs/graph.hpp"
#include "bankshot/cuda/memory/array_copy.hpp"
#include "bankshot/cuda/memory/device_memory.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cuda {

/// @return invalid_value if the parameters contradict each other
MadeWork copy_work(const abi::DriverMemcpy3D& parameters);
/// @return invalid_value for null (host_work() too) and for elements that are not 1, 2 or 4 bytes
MadeWork fill_work(const abi::MemsetNode* parameters);
MadeWork host_work(const abi::HostNode* parameters);
/// @param flags  must be 0 @return invalid_value or not_supported if an operation can never run
MadeWork memory_operations_work(const abi::MemoryOperation* operations, unsigned count, unsigned flags);

/// Reserves address space, which is backed by memory when the node runs. @return not_supported for shareable memory
MadeWork allocate_work(DeviceMemory& memory, const abi::AllocateNode& parameters);

/// @return invalid_value for an address that no node allocates. Source: CUDA driver API reference,
/// cuGraphAddMemFreeNode and, for captured streams, cuMemFreeAsync
MadeWork free_work(DeviceMemory& memory, uint64_t address);

/// An allocation on a captured stream. Zero bytes are an allocation, too, as cuda.core's tests
/// (test_graph_mem_alloc_zero) ask of NVIDIA's driver. @param pointer  receives the address
template <class Pointer>
MadeWork allocate_later(DeviceMemory& memory, Pointer* pointer, size_t bytes) {
  if (!pointer) return Status::invalid_value;
  abi::AllocateNode parameters{};
  parameters.pool.allocation_type = 1;  // pinned
  parameters.pool.location = {1, 0};
  parameters.bytes = std::max<size_t>(bytes, 1);
  MadeWork work = allocate_work(memory, parameters);
  if (work) *pointer = (Pointer)std::get<AllocateWork>(*work).memory->address;
  return work;
}

}  // namespace bankshot::cuda

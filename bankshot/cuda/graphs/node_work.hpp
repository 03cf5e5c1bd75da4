// The work of nodes, made of the parameters of the interfaces. That of kernels: launch/kernel_work.hpp.
#pragma once

#include "bankshot/cuda/graphs/graph.hpp"
#include "bankshot/cuda/memory/array_copy.hpp"
#include "bankshot/cuda/memory/device_memory.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cuda {

/// @return invalid_value if the parameters contradict each other
MadeWork copy_work(const abi::DriverMemcpy3D& parameters);
/// @return invalid_value for null, here and below, and for elements of other than 1, 2 or 4 bytes
MadeWork fill_work(const abi::MemsetNode* parameters);
MadeWork host_work(const abi::HostNode* parameters);
/// Checks what can be checked before the operations run. @param flags  0
MadeWork memory_operations_work(const abi::MemoryOperation* operations, unsigned count, unsigned flags);

/// Takes address space; the memory is there when the node has run. @return not_supported for memory to be shared
MadeWork allocate_work(DeviceMemory& memory, const abi::AllocateNode& parameters);

/// The same for an allocation on a stream that is captured. @param pointer  set to the address
template <class Pointer>
MadeWork allocate_later(DeviceMemory& memory, Pointer* pointer, size_t bytes) {
  if (!pointer) return Status::invalid_value;
  abi::AllocateNode parameters{};
  parameters.pool.allocation_type = 1;  // pinned
  parameters.pool.location = {1, 0};
  parameters.bytes = bytes;
  MadeWork work = allocate_work(memory, parameters);
  if (work) *pointer = (Pointer)std::get<AllocateWork>(*work).memory->address;
  return work;
}

}  // namespace bankshot::cuda

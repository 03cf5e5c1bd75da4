// What nodes are made of: from the parameters of the interfaces, and their execution.
#pragma once

#include "bankshot/cuda/graphs/graph.hpp"
#include "bankshot/cuda/launch/launch.hpp"
#include "bankshot/cuda/memory/transfer.hpp"
#include "bankshot/cuda/process/session.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cuda {

/// Copies the arguments and makes the checks of a launch. @param key  host stub or handle
MadeWork kernel_work(Session& session, const void* key, const LaunchRequest& request, void** extra = nullptr);
/// A launch as it was asked for: what capturing it makes.
MadeWork kernel_work(Session& session, Function& function, const LaunchRequest& request);

/// A copy between two regions. For arrays: CUDA_MEMCPY3D itself.
abi::DriverMemcpy3D copy_parameters(const Region& to, const Region& from, const Extent& extent);
/// @return invalid_value if the parameters contradict each other
MadeWork copy_work(const abi::DriverMemcpy3D& parameters);
/// @return invalid_value for null, here and below, and for elements of other than 1, 2 or 4 bytes
MadeWork fill_work(const abi::MemsetNode* parameters);
MadeWork host_work(const abi::HostNode* parameters);

/// Takes address space; the memory is there when the node has run. @return not_supported for memory to be shared
MadeWork allocate_work(Session& session, const abi::AllocateNode& parameters);

/// The same for an allocation on a stream that is captured. @param pointer  set to the address
template <class Pointer>
MadeWork allocate_later(Session& session, Pointer* pointer, size_t bytes) {
  if (!pointer) return Status::invalid_value;
  abi::AllocateNode parameters{};
  parameters.pool.allocation_type = 1;  // pinned
  parameters.pool.location = {1, 0};
  parameters.bytes = bytes;
  MadeWork work = allocate_work(session, parameters);
  if (work) *pointer = (Pointer)std::get<AllocateWork>(*work).memory->address;
  return work;
}

/// Does what a node does that neither calls the program back nor has nodes inside.
/// @param frees  memory that was allocated by an earlier launch and not freed is freed first
Status execute(Session& session, void* stream, const Work& work, bool frees);

}  // namespace bankshot::cuda

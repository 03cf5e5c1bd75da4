// Values in memory that streams write and wait for. Source: CUDA driver API reference, cuStreamBatchMemOp.
#pragma once

#include <span>

#include "bankshot/cuda/abi/abi_graph.hpp"
#include "bankshot/cuda/abi/errors.hpp"

namespace bankshot::cuda {

class DeviceMemory;

/// What can be checked before an operation runs. @return success, invalid_value or not_supported
Status check(const abi::MemoryOperation& operation);

/// Carries out one operation. What a stream waits for must be there already, as its work is done when it is issued.
/// @return success, invalid_value, or not_supported, told once, of a value that is not there and of other operations
Status execute(DeviceMemory& memory, const abi::MemoryOperation& operation);
/// Carries them out in order up to the first that fails.
Status execute(DeviceMemory& memory, std::span<const abi::MemoryOperation> operations);

}  // namespace bankshot::cuda

// Values in memory that streams write and wait for. Source: CUDA driver API reference, cuStreamBatchMemOp.
#pragma once

#include <span>

#include "bankshot/cuda/abi/abi_graph.hpp"
#include "bankshot/cuda/abi/errors.hpp"

namespace bankshot::cuda {

class DeviceMemory;

/// Checks an operation before it runs. @return success, invalid_value or not_supported
Status check(const abi::MemoryOperation& operation);

/// Runs one operation. A value that a stream waits for must be there already, since work runs when it is issued.
/// @return success, invalid_value, or not_supported (reported once) if it is not there yet, or for other operations
Status execute(DeviceMemory& memory, const abi::MemoryOperation& operation);
/// Runs them in order, up to the first that fails.
Status execute(DeviceMemory& memory, std::span<const abi::MemoryOperation> operations);

}  // namespace bankshot::cuda

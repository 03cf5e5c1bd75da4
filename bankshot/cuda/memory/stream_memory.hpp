// Values in memory that streams write and wait for. Source: CUDA driver API reference, cuStreamBatchMemOp.
#pragma once

#include "bankshot/cuda/abi/abi_graph.hpp"
#include "bankshot/cuda/graphs/graph.hpp"

namespace bankshot::cuda {

class Session;

/// Carries out one operation. What a stream waits for must be there already, as its work is done when it is issued.
/// @return success, invalid_value, or not_supported, told once, of a value that is not there and of other operations
Status execute(Session& session, const abi::MemoryOperation& operation);

/// Checks what can be checked before the operations run. @param flags  0
MadeWork memory_operations_work(const abi::MemoryOperation* operations, unsigned count, unsigned flags);
Status execute(Session& session, const MemoryOperationsWork& work);

}  // namespace bankshot::cuda

// Copies on a stream that become several nodes if it is captured: runs of bytes of an array, and batches.
// Source: CUDA driver API reference, cuMemcpyAtoH, cuMemcpyBatchAsync and cuMemcpy3DBatchAsync.
#pragma once

#include <cstddef>

#include "bankshot/cuda/abi/abi_batch.hpp"
#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/graphs/work_tables.hpp"
#include "bankshot/cuda/memory/array_copy.hpp"
#include "bankshot/cuda/memory/device_memory.hpp"

namespace bankshot::cuda {

/// Copies bytes between an array, row after row from `place` on, and memory. If the stream is captured it becomes one
/// or more nodes.
Status issue_run(WorkTables& tables, DeviceMemory& memory, void* stream, const ArrayPlace& place, const Region& linear,
                 uint64_t bytes, bool to_array);

struct CopyBatch {
  const uint64_t *to = nullptr, *from = nullptr;
  const size_t* sizes = nullptr;
  size_t count = 0;
  const abi::CopyAttributes* attributes = nullptr;
  const size_t* firsts = nullptr;
  size_t attribute_count = 0;
};
/// If the stream is captured, each copy becomes a node.
/// @param failed  receives the index of the copy that failed; may be null
/// @return success, invalid_value, invalid_handle, or an error of capture()
Status copy_batch(WorkTables& tables, DeviceMemory& memory, void* stream, const CopyBatch& batch,
                  size_t* failed = nullptr);
Status copy_batch(WorkTables& tables, DeviceMemory& memory, void* stream, const abi::BatchCopy* copies, size_t count,
                  unsigned long long flags, size_t* failed = nullptr);

}  // namespace bankshot::cuda

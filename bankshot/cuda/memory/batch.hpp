// Copies in batches. Source: CUDA driver API reference, cuMemcpyBatchAsync and cuMemcpy3DBatchAsync.
#pragma once

#include <cstddef>
#include <vector>

#include "bankshot/cuda/abi/abi_batch.hpp"
#include "bankshot/cuda/abi/errors.hpp"

namespace bankshot::cuda {

class Session;

/// Whether these are the indices of the first of so many things in groups: 0, then ascending.
bool are_firsts(const size_t* firsts, size_t groups, size_t count);

struct CopyBatch {
  const uint64_t *to = nullptr, *from = nullptr;
  const size_t* sizes = nullptr;
  size_t count = 0;
  const abi::CopyAttributes* attributes = nullptr;
  const size_t* firsts = nullptr;
  size_t attribute_count = 0;
};
/// On a stream that is captured each copy becomes a node. @param failed  receives the index of the one at fault; may be
/// null
/// @return success, invalid_value, invalid_handle, or what capturing gives
Status copy_batch(Session& session, void* stream, const CopyBatch& batch, size_t* failed = nullptr);
Status copy_batch(Session& session, void* stream, const abi::BatchCopy* copies, size_t count, unsigned long long flags,
                  size_t* failed = nullptr);

}  // namespace bankshot::cuda

// Copies in batches. The first forms are CUDA 12's.
#include "bankshot/cuda/graphs/stream_copies.hpp"

#include "bankshot/cuda/driver/call.hpp"

namespace bankshot::cuda::driver {

BANKSHOT_API(cuMemcpyBatchAsync)
(const DevicePointer* to, const DevicePointer* from, const size_t* sizes, size_t count,
 const abi::CopyAttributes* attributes, const size_t* firsts, size_t attribute_count, size_t* failed, void* stream) {
  return call_by(stream, [&](Session& session) {
    return copy_batch(session.work(), session.memory(), stream,
                      {to, from, sizes, count, attributes, firsts, attribute_count}, failed);
  });
}
BANKSHOT_API(cuMemcpyBatchAsync_v2)
(const DevicePointer* to, const DevicePointer* from, const size_t* sizes, size_t count,
 const abi::CopyAttributes* attributes, const size_t* firsts, size_t attribute_count, void* stream) {
  return bankshot_cuMemcpyBatchAsync(to, from, sizes, count, attributes, firsts, attribute_count, nullptr, stream);
}

BANKSHOT_API(cuMemcpy3DBatchAsync)
(size_t count, const abi::BatchCopy* copies, size_t* failed, unsigned long long flags, void* stream) {
  return call_by(stream, [&](Session& session) {
    return copy_batch(session.work(), session.memory(), stream, copies, count, flags, failed);
  });
}
BANKSHOT_API(cuMemcpy3DBatchAsync_v2)
(size_t count, const abi::BatchCopy* copies, unsigned long long flags, void* stream) {
  return bankshot_cuMemcpy3DBatchAsync(count, copies, nullptr, flags, stream);
}

}  // namespace bankshot::cuda::driver

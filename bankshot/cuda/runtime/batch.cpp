// Copies in batches.
#include "bankshot/cuda/graphs/stream_copies.hpp"

#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {

BANKSHOT_API(cudaMemcpyBatchAsync)
(const uint64_t* to, const uint64_t* from, const size_t* sizes, size_t count, const abi::CopyAttributes* attributes,
 const size_t* firsts, size_t attribute_count, void* stream) {
  return call([&](Session& session) {
    return copy_batch(session.work(), session.memory(), stream,
                      {to, from, sizes, count, attributes, firsts, attribute_count});
  });
}
/// As it is in CUDA 12, as that below.
BANKSHOT_API(cudaMemcpyBatchAsync_v12)
(const uint64_t* to, const uint64_t* from, const size_t* sizes, size_t count, const abi::CopyAttributes* attributes,
 const size_t* firsts, size_t attribute_count, size_t* failed, void* stream) {
  return call([&](Session& session) {
    return copy_batch(session.work(), session.memory(), stream,
                      {to, from, sizes, count, attributes, firsts, attribute_count}, failed);
  });
}

BANKSHOT_API(cudaMemcpy3DBatchAsync)
(size_t count, const abi::BatchCopy* copies, unsigned long long flags, void* stream) {
  return call(
      [&](Session& session) { return copy_batch(session.work(), session.memory(), stream, copies, count, flags); });
}
BANKSHOT_API(cudaMemcpy3DBatchAsync_v12)
(size_t count, const abi::BatchCopy* copies, size_t* failed, unsigned long long flags, void* stream) {
  return call([&](Session& session) {
    return copy_batch(session.work(), session.memory(), stream, copies, count, flags, failed);
  });
}

}  // namespace bankshot::cuda::runtime

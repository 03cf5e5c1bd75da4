// Allocation and registration of memory.
#include <fmt/format.h>

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/graphs/node_work.hpp"
#include "bankshot/cuda/memory/allocate.hpp"
#include "bankshot/cuda/memory/managed_memory.hpp"
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {
namespace {

using simt::MemoryKind;

/// Allocates and stores the address. Zero bytes give a null pointer and succeed, as in CUDA.
Status give_memory(Session& session, void** pointer, size_t bytes, MemoryKind kind) {
  if (!pointer) return Status::invalid_value;
  uint64_t address = 0;
  const Status status = allocate(session.memory(), bytes, kind, address);
  if (status == Status::success) *pointer = reinterpret_cast<void*>(address);
  return status;
}

Status malloc_3d(abi::PitchedPtr* pitched, size_t width, size_t height, size_t depth) {
  return call_unsafe([&](Session& session) {
    if (!pitched) return Status::invalid_value;
    const size_t pitch = pitch_for(width);
    size_t rows = 0, bytes = 0;
    if (__builtin_mul_overflow(height, depth, &rows) || __builtin_mul_overflow(pitch, rows, &bytes))
      return Status::out_of_memory;
    void* pointer = nullptr;
    if (const Status status = give_memory(session, &pointer, bytes, MemoryKind::device); status != Status::success)
      return status;
    *pitched = {pointer, pitch, width, height};
    return Status::success;
  });
}

}  // namespace

BANKSHOT_API(cudaMalloc)(void** pointer, size_t bytes) {
  return call_unsafe([&](Session& session) { return give_memory(session, pointer, bytes, MemoryKind::device); });
}

BANKSHOT_API(cudaMallocFromPoolAsync)(void** pointer, size_t bytes, void* pool, void* stream) {
  return issue(
      stream,
      [&](Session& session) {
        uint64_t address = 0;
        if (!pointer) return Status::invalid_value;
        const Status status = allocate_from(session.memory(), pool, bytes, address);
        if (status == Status::success) *pointer = reinterpret_cast<void*>(address);
        return status;
      },
      [&](Session& session) { return allocate_later(session.memory(), pointer, bytes); });
}

BANKSHOT_API(cudaMallocAsync)(void** pointer, size_t bytes, void* stream) {
  return bankshot_cudaMallocFromPoolAsync(pointer, bytes, nullptr, stream);
}

BANKSHOT_API(cudaMallocManaged)(void** pointer, size_t bytes, unsigned flags) {
  return call_unsafe([&](Session& session) {
    // 1 = attach global, 2 = attach host. Source: CUDA runtime API reference, cudaMallocManaged
    if (bytes == 0 || (flags != 1 && flags != 2)) return Status::invalid_value;
    return give_memory(session, pointer, bytes, MemoryKind::managed);
  });
}

BANKSHOT_API(cudaMallocPitch)(void** pointer, size_t* pitch, size_t width, size_t height) {
  abi::PitchedPtr pitched{};
  if (!pointer || !pitch) return remember(Status::invalid_value);
  const Status status = malloc_3d(&pitched, width, height, 1);
  if (status != Status::success) return status;
  *pointer = pitched.ptr;
  *pitch = pitched.pitch;
  return Status::success;
}

BANKSHOT_API(cudaMalloc3D)(abi::PitchedPtr* pitched, abi::Extent extent) {
  return malloc_3d(pitched, extent.width, extent.height, extent.depth);
}

BANKSHOT_API(cudaFree)(void* pointer) {
  return call_unsafe(
      [&](Session& session) { return release(session.memory(), pointer, {MemoryKind::device, MemoryKind::managed}); });
}

BANKSHOT_API(cudaFreeAsync)(void* pointer, void* stream) {
  return issue(
      stream, [&](Session& session) { return release(session.memory(), pointer, {MemoryKind::device}); },
      [&](Session& session) { return free_work(session.memory(), reinterpret_cast<uint64_t>(pointer)); });
}

BANKSHOT_API(cudaHostAlloc)(void** pointer, size_t bytes, unsigned flags) {
  return call_unsafe([&](Session& session) {
    // 1 portable, 2 mapped, 4 write-combined. Source: CUDA runtime API reference, cudaHostAlloc
    if (flags & ~7u) return Status::invalid_value;
    const Status status = give_memory(session, pointer, bytes, MemoryKind::pinned);
    if (status == Status::success && *pointer)
      session.memory().host_flags[reinterpret_cast<uint64_t>(*pointer)] = flags | 2;
    return status;
  });
}

BANKSHOT_API(cudaMallocHost)(void** pointer, size_t bytes) { return bankshot_cudaHostAlloc(pointer, bytes, 0); }

BANKSHOT_API(cudaFreeHost)(void* pointer) {
  return call_unsafe([&](Session& session) { return release(session.memory(), pointer, {MemoryKind::pinned}); });
}

BANKSHOT_API(cudaHostRegister)(void* pointer, size_t bytes, unsigned flags) {
  return call_unsafe([&](Session& session) { return register_host(session.memory(), pointer, bytes, flags); });
}

BANKSHOT_API(cudaHostUnregister)(void* pointer) {
  return call_unsafe([&](Session& session) { return unregister_host(session.memory(), pointer); });
}

BANKSHOT_API(cudaHostGetDevicePointer)(void** device, void* host, unsigned flags) {
  return call([&](Session& session) {
    if (!device || flags) return Status::invalid_value;
    if (!is_host_memory(session.memory(), host)) return Status::invalid_value;
    *device = host;
    return Status::success;
  });
}

BANKSHOT_API(cudaHostGetFlags)(unsigned* flags, void* host) {
  return call([&](Session& session) { return host_flags(session.memory(), host, flags); });
}

BANKSHOT_API(cudaMemGetInfo)(size_t* free, size_t* total) {
  return call([&](Session& session) {
    memory_info(session.memory().engine(), free, total);
    return Status::success;
  });
}

BANKSHOT_API(cudaPointerGetAttributes)(abi::PointerAttributes* attributes, const void* pointer) {
  return call([&](Session& session) {
    if (!attributes) return Status::invalid_value;
    const PointerView view = look_at(session.memory(), pointer);
    *attributes = {view.type, view.type == PointerView::unregistered ? -2 : 0, view.device, view.host};
    return Status::success;
  });
}

// Hints about the place of managed memory. It stays in one place, but the hints can be queried.

BANKSHOT_API(cudaMemAdvise)(const void* pointer, size_t bytes, int advice, abi::Location location) {
  return call([&](Session& session) { return advise(session.memory(), pointer, bytes, advice, location); });
}
/// As it is in CUDA 12.
BANKSHOT_API(cudaMemAdvise_v12)(const void* pointer, size_t bytes, int advice, int device) {
  return bankshot_cudaMemAdvise(pointer, bytes, advice, location_of(device));
}

BANKSHOT_API(cudaMemPrefetchAsync)(const void* pointer, size_t bytes, abi::Location location) {
  return call([&](Session& session) { return prefetch(session.memory(), pointer, bytes, location); });
}
/// As it is in CUDA 12.
BANKSHOT_API(cudaMemPrefetchAsync_v12)(const void* pointer, size_t bytes, int device) {
  return bankshot_cudaMemPrefetchAsync(pointer, bytes, location_of(device));
}

BANKSHOT_API(cudaMemRangeGetAttribute)(void* data, size_t size, int which, const void* pointer, size_t bytes) {
  return call([&](Session& session) { return range_attribute(session.memory(), data, size, which, pointer, bytes); });
}
BANKSHOT_API(cudaMemRangeGetAttributes)
(void** data, const size_t* sizes, const int* which, size_t count, const void* pointer, size_t bytes) {
  return call(
      [&](Session& session) { return range_attributes(session.memory(), data, sizes, which, count, pointer, bytes); });
}

BANKSHOT_API(cudaStreamAttachMemAsync)(void* stream, void* pointer, size_t bytes, unsigned) {
  return call_on(stream, [&](Session& session) { return check_managed(session.memory(), pointer, bytes); });
}

}  // namespace bankshot::cuda::runtime

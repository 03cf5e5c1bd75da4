// Copies and fills. The asynchronous forms do their work at once.
#include "bankshot/cuda/array_copy.hpp"
#include "bankshot/cuda/runtime/call.hpp"
#include "bankshot/cuda/runtime/copy_kind.hpp"
#include "bankshot/cuda/transfer.hpp"

namespace bankshot::cuda::runtime {
namespace {

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

Status copy_rows(void* stream, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                 size_t height, int kind) {
  return call_on(stream, [&](Session& session) {
    const auto sides = sides_of(kind);
    if (!sides) return Status::invalid_memcpy_direction;
    return copy(session.memory(), {address_of(to), to_pitch, 0, sides->to},
                {address_of(from), from_pitch, 0, sides->from}, {width, height, 1});
  });
}

Status copy_bytes(void* stream, void* to, const void* from, size_t bytes, int kind) {
  return copy_rows(stream, to, bytes, from, bytes, bytes, 1, kind);
}

Region region_of(const abi::PitchedPtr& pointer, const abi::Pos& at, Side side) {
  const uint64_t slice = pointer.pitch * pointer.ysize;
  return {address_of(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x, pointer.pitch, slice, side};
}

Status fill_rows(void* stream, void* to, size_t pitch, int value, size_t width, size_t height) {
  return call_on(stream, [&](Session& session) {
    return fill(session.memory(), {address_of(to), pitch, 0, Side::device}, {width, height, 1},
                static_cast<unsigned char>(value));
  });
}

}  // namespace

BANKSHOT_API(cudaMemcpyAsync)(void* to, const void* from, size_t bytes, int kind, void* stream) {
  return copy_bytes(stream, to, from, bytes, kind);
}

BANKSHOT_API(cudaMemcpy)(void* to, const void* from, size_t bytes, int kind) {
  return copy_bytes(nullptr, to, from, bytes, kind);
}

BANKSHOT_API(cudaMemcpyPeerAsync)
(void* to, int to_device, const void* from, int from_device, size_t bytes, void* stream) {
  if (to_device != 0 || from_device != 0) return remember(Status::invalid_device);
  return copy_bytes(stream, to, from, bytes, 3);
}

BANKSHOT_API(cudaMemcpyPeer)(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return bankshot_cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

BANKSHOT_API(cudaMemcpy2DAsync)
(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, int kind, void* stream) {
  if (width > to_pitch || width > from_pitch) return remember(Status::invalid_pitch);
  return copy_rows(stream, to, to_pitch, from, from_pitch, width, height, kind);
}

BANKSHOT_API(cudaMemcpy2D)
(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, int kind) {
  return bankshot_cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}

BANKSHOT_API(cudaMemcpy3DAsync)(const abi::Memcpy3DParms* parms, void* stream) {
  return call_on(stream, [&](Session& session) {
    if (!parms) return Status::invalid_value;
    const auto sides = sides_of(parms->kind);
    if (!sides) return Status::invalid_memcpy_direction;
    return copy_3d(session, *parms, sides->to, sides->from);
  });
}

BANKSHOT_API(cudaMemcpy3D)(const abi::Memcpy3DParms* parms) { return bankshot_cudaMemcpy3DAsync(parms, nullptr); }

BANKSHOT_API(cudaMemcpy3DPeerAsync)(const abi::Memcpy3DPeerParms* parms, void* stream) {
  if (!parms) return remember(Status::invalid_value);
  if (parms->src_device != 0 || parms->dst_device != 0) return remember(Status::invalid_device);
  const abi::Memcpy3DParms plain{parms->src_array, parms->src_pos, parms->src_ptr, parms->dst_array,
                                 parms->dst_pos,   parms->dst_ptr, parms->extent,  3};
  return bankshot_cudaMemcpy3DAsync(&plain, stream);
}

BANKSHOT_API(cudaMemcpy3DPeer)(const abi::Memcpy3DPeerParms* parms) {
  return bankshot_cudaMemcpy3DPeerAsync(parms, nullptr);
}

BANKSHOT_API(cudaMemsetAsync)(void* to, int value, size_t bytes, void* stream) {
  return fill_rows(stream, to, bytes, value, bytes, 1);
}

BANKSHOT_API(cudaMemset)(void* to, int value, size_t bytes) { return fill_rows(nullptr, to, bytes, value, bytes, 1); }

BANKSHOT_API(cudaMemset2DAsync)(void* to, size_t pitch, int value, size_t width, size_t height, void* stream) {
  if (width > pitch) return remember(Status::invalid_value);
  return fill_rows(stream, to, pitch, value, width, height);
}

BANKSHOT_API(cudaMemset2D)(void* to, size_t pitch, int value, size_t width, size_t height) {
  return bankshot_cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}

BANKSHOT_API(cudaMemset3DAsync)(abi::PitchedPtr to, int value, abi::Extent extent, void* stream) {
  return call_on(stream, [&](Session& session) {
    return fill(session.memory(), region_of(to, {0, 0, 0}, Side::device), {extent.width, extent.height, extent.depth},
                static_cast<unsigned char>(value));
  });
}

BANKSHOT_API(cudaMemset3D)(abi::PitchedPtr to, int value, abi::Extent extent) {
  return bankshot_cudaMemset3DAsync(to, value, extent, nullptr);
}

}  // namespace bankshot::cuda::runtime

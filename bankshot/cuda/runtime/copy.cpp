// Copies and fills. The asynchronous forms do their work at once.
#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/graphs/node_work.hpp"
#include "bankshot/cuda/memory/array_copy.hpp"
#include "bankshot/cuda/memory/arrays.hpp"
#include "bankshot/cuda/memory/transfer.hpp"
#include "bankshot/cuda/runtime/call.hpp"
#include "bankshot/cuda/runtime/copy_sides.hpp"

#include <algorithm>

namespace bankshot::cuda::runtime {
namespace {

Status issue_copy(void* stream, const Region& to, const Region& from, const Extent& extent) {
  return issue(
      stream, [&](Session& session) { return copy(session.memory().engine(), to, from, extent); },
      [&](Session&) { return copy_work(copy_parameters(to, from, extent)); });
}

Status copy_rows(void* stream, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                 size_t height, int kind) {
  const auto sides = sides_of(kind);
  if (!sides) return remember(Status::invalid_memcpy_direction);
  return issue_copy(stream, {address_of(to), to_pitch, 0, sides->to}, {address_of(from), from_pitch, 0, sides->from},
                    {width, height, 1});
}

Status copy_bytes(void* stream, void* to, const void* from, size_t bytes, int kind) {
  return copy_rows(stream, to, bytes, from, bytes, bytes, 1, kind);
}

Region region_of(const abi::PitchedPtr& pointer, const abi::Pos& at, Side side) {
  const uint64_t slice = pointer.pitch * pointer.ysize;
  return {address_of(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x, pointer.pitch, slice, side};
}

Status issue_fill(void* stream, const Region& to, const Extent& extent, int value) {
  const auto byte = static_cast<unsigned char>(value);
  return issue(
      stream, [&](Session& session) { return fill(session.memory().engine(), to, extent, byte); },
      [&](Session&) {
        return MadeWork(FillWork{{to.address, to.pitch, byte, 1, extent.width, extent.height}, extent.depth, to.slice});
      });
}

Status fill_rows(void* stream, void* to, size_t pitch, int value, size_t width, size_t height) {
  return issue_fill(stream, {address_of(to), pitch, 0, Side::device}, {width, height, 1}, value);
}

constexpr int kHost = 1, kDevice = 2, kArray = 3;  // CUmemorytype

/// ArrayTable::common_texel() of the process.
size_t element_of(const void* to, const void* from) { return Session::get().memory().arrays.common_texel(to, from); }

}  // namespace

Result<abi::DriverMemcpy3D, Status> driver_copy(const abi::Memcpy3DParms& copy) {
  const auto sides = sides_of(copy.kind);
  if (!sides) return Status::invalid_memcpy_direction;
  const size_t element = element_of(copy.dst_array, copy.src_array);
  if (element == 0) return Status::invalid_value;
  const auto pointer = [](const void* array, const abi::PitchedPtr& to, const abi::Pos& at, Side side) {
    return array ? Region{} : region_of(to, at, side);
  };
  abi::DriverMemcpy3D out = copy_parameters(pointer(copy.dst_array, copy.dst_ptr, copy.dst_pos, sides->to),
                                            pointer(copy.src_array, copy.src_ptr, copy.src_pos, sides->from),
                                            {copy.extent.width * element, copy.extent.height, copy.extent.depth});
  if (copy.src_array) {
    out.src_type = kArray;
    out.src_array = copy.src_array;
    out.src_x = copy.src_pos.x * element;
    out.src_y = copy.src_pos.y;
    out.src_z = copy.src_pos.z;
  }
  if (copy.dst_array) {
    out.dst_type = kArray;
    out.dst_array = copy.dst_array;
    out.dst_x = copy.dst_pos.x * element;
    out.dst_y = copy.dst_pos.y;
    out.dst_z = copy.dst_pos.z;
  }
  return out;
}

abi::Memcpy3DParms runtime_copy(const abi::DriverMemcpy3D& copy) {
  const auto pointer = [](int type, const void* host, uint64_t device) {
    return type == kHost ? const_cast<void*>(host) : reinterpret_cast<void*>(device);
  };
  const bool to_array = copy.dst_type == kArray, from_array = copy.src_type == kArray;
  const size_t element =
      std::max<size_t>(element_of(to_array ? copy.dst_array : nullptr, from_array ? copy.src_array : nullptr), 1);
  abi::Memcpy3DParms out{};
  if (from_array) {
    out.src_array = copy.src_array;
  } else {
    out.src_ptr = {pointer(copy.src_type, copy.src_host, copy.src_device), copy.src_pitch, copy.width, copy.src_height};
  }
  out.src_pos = {from_array ? copy.src_x / element : copy.src_x, copy.src_y, copy.src_z};
  if (to_array) {
    out.dst_array = copy.dst_array;
  } else {
    out.dst_ptr = {pointer(copy.dst_type, copy.dst_host, copy.dst_device), copy.dst_pitch, copy.width, copy.dst_height};
  }
  out.dst_pos = {to_array ? copy.dst_x / element : copy.dst_x, copy.dst_y, copy.dst_z};
  out.extent = {copy.width / element, copy.height, copy.depth};
  const bool known = copy.src_type <= kDevice && copy.dst_type <= kDevice;
  out.kind = !known ? 4 : (copy.src_type == kDevice ? 2 : 0) + (copy.dst_type == kDevice ? 1 : 0);
  return out;
}

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
  if (!parms) return remember(Status::invalid_value);
  const auto sides = sides_of(parms->kind);
  if (!sides) return remember(Status::invalid_memcpy_direction);
  return issue(
      stream, [&](Session& session) { return copy_3d(session.memory(), *parms, sides->to, sides->from); },
      [&](Session&) {
        const auto parameters = driver_copy(*parms);
        return parameters ? copy_work(*parameters) : MadeWork(parameters.error());
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
  return issue_fill(stream, region_of(to, {0, 0, 0}, Side::device), {extent.width, extent.height, extent.depth}, value);
}

BANKSHOT_API(cudaMemset3D)(abi::PitchedPtr to, int value, abi::Extent extent) {
  return bankshot_cudaMemset3DAsync(to, value, extent, nullptr);
}

}  // namespace bankshot::cuda::runtime

// Copies and fills. The asynchronous forms do their work at once.
#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/graphs/node_work.hpp"
#include "bankshot/cuda/memory/array_copy.hpp"
#include "bankshot/cuda/memory/transfer.hpp"

namespace bankshot::cuda::driver {
namespace {

Status copy_bytes(void* stream, DevicePointer to, Side to_side, DevicePointer from, Side from_side, size_t bytes) {
  const Region into{to, bytes, 0, to_side}, out_of{from, bytes, 0, from_side};
  return issue(
      stream, [&](Session& session) { return copy(session.memory().engine(), into, out_of, {bytes, 1, 1}); },
      [&](Session&) { return copy_work(copy_parameters(into, out_of, {bytes, 1, 1})); });
}

/// The same copy as one of a single slice.
abi::DriverMemcpy3D in_3d(const abi::DriverMemcpy2D& c) {
  abi::DriverMemcpy3D copy{};
  copy.src_x = c.src_x;
  copy.src_y = c.src_y;
  copy.src_type = c.src_type;
  copy.src_host = c.src_host;
  copy.src_device = c.src_device;
  copy.src_array = c.src_array;
  copy.src_pitch = c.src_pitch == 0 ? c.width : c.src_pitch;  // zero: rows without gaps
  copy.dst_x = c.dst_x;
  copy.dst_y = c.dst_y;
  copy.dst_type = c.dst_type;
  copy.dst_host = c.dst_host;
  copy.dst_device = c.dst_device;
  copy.dst_array = c.dst_array;
  copy.dst_pitch = c.dst_pitch == 0 ? c.width : c.dst_pitch;
  copy.width = c.width;
  copy.height = c.height;
  copy.depth = 1;
  return copy;
}

Status copy_3d(void* stream, const abi::DriverMemcpy3D* c) {
  if (!c) return Status::invalid_value;
  return issue(
      stream, [&](Session& session) { return cuda::copy_3d(session.memory(), *c); },
      [&](Session&) { return copy_work(*c); });
}

Status copy_2d(void* stream, const abi::DriverMemcpy2D* c) {
  if (!c) return Status::invalid_value;
  const abi::DriverMemcpy3D copy = in_3d(*c);
  return copy_3d(stream, &copy);
}

template <class T>
Status fill_rows(void* stream, DevicePointer to, size_t pitch, T value, size_t width, size_t height) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(width, sizeof(T), &bytes) || (height > 1 && bytes > pitch)) return Status::invalid_value;
  return issue(
      stream,
      [&](Session& session) {
        return fill(session.memory().engine(), {to, pitch, 0, Side::device}, {bytes, height, 1}, value, sizeof(T));
      },
      [&](Session&) { return MadeWork(FillWork{{to, pitch, value, sizeof(T), width, height}}); });
}

}  // namespace

BANKSHOT_API(cuMemcpyAsync)(DevicePointer to, DevicePointer from, size_t bytes, void* stream) {
  return copy_bytes(stream, to, Side::either, from, Side::either, bytes);
}
BANKSHOT_API(cuMemcpy)(DevicePointer to, DevicePointer from, size_t bytes) {
  return bankshot_cuMemcpyAsync(to, from, bytes, nullptr);
}

BANKSHOT_API(cuMemcpyHtoDAsync_v2)(DevicePointer to, const void* from, size_t bytes, void* stream) {
  return copy_bytes(stream, to, Side::device, address_of(from), Side::host, bytes);
}
BANKSHOT_API(cuMemcpyHtoD_v2)(DevicePointer to, const void* from, size_t bytes) {
  return bankshot_cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr);
}

BANKSHOT_API(cuMemcpyDtoHAsync_v2)(void* to, DevicePointer from, size_t bytes, void* stream) {
  return copy_bytes(stream, address_of(to), Side::host, from, Side::device, bytes);
}
BANKSHOT_API(cuMemcpyDtoH_v2)(void* to, DevicePointer from, size_t bytes) {
  return bankshot_cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr);
}

BANKSHOT_API(cuMemcpyDtoDAsync_v2)(DevicePointer to, DevicePointer from, size_t bytes, void* stream) {
  return copy_bytes(stream, to, Side::device, from, Side::device, bytes);
}
BANKSHOT_API(cuMemcpyDtoD_v2)(DevicePointer to, DevicePointer from, size_t bytes) {
  return bankshot_cuMemcpyDtoDAsync_v2(to, from, bytes, nullptr);
}

BANKSHOT_API(cuMemcpyPeerAsync)(DevicePointer to, Context*, DevicePointer from, Context*, size_t bytes, void* stream) {
  return copy_bytes(stream, to, Side::device, from, Side::device, bytes);
}
BANKSHOT_API(cuMemcpyPeer)
(DevicePointer to, Context* to_context, DevicePointer from, Context* from_context, size_t bytes) {
  return bankshot_cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, nullptr);
}

BANKSHOT_API(cuMemcpy2D_v2)(const abi::DriverMemcpy2D* parameters) { return copy_2d(nullptr, parameters); }
BANKSHOT_API(cuMemcpy2DUnaligned_v2)(const abi::DriverMemcpy2D* parameters) { return copy_2d(nullptr, parameters); }
BANKSHOT_API(cuMemcpy2DAsync_v2)(const abi::DriverMemcpy2D* parameters, void* stream) {
  return copy_2d(stream, parameters);
}
BANKSHOT_API(cuMemcpy3D_v2)(const abi::DriverMemcpy3D* parameters) { return copy_3d(nullptr, parameters); }
BANKSHOT_API(cuMemcpy3DAsync_v2)(const abi::DriverMemcpy3D* parameters, void* stream) {
  return copy_3d(stream, parameters);
}

// Counts and widths of the fills are in elements, pitches in bytes.

BANKSHOT_API(cuMemsetD8_v2)(DevicePointer to, unsigned char value, size_t count) {
  return fill_rows(nullptr, to, 0, value, count, 1);
}
BANKSHOT_API(cuMemsetD16_v2)(DevicePointer to, unsigned short value, size_t count) {
  return fill_rows(nullptr, to, 0, value, count, 1);
}
BANKSHOT_API(cuMemsetD32_v2)(DevicePointer to, unsigned value, size_t count) {
  return fill_rows(nullptr, to, 0, value, count, 1);
}
BANKSHOT_API(cuMemsetD8Async)(DevicePointer to, unsigned char value, size_t count, void* stream) {
  return fill_rows(stream, to, 0, value, count, 1);
}
BANKSHOT_API(cuMemsetD16Async)(DevicePointer to, unsigned short value, size_t count, void* stream) {
  return fill_rows(stream, to, 0, value, count, 1);
}
BANKSHOT_API(cuMemsetD32Async)(DevicePointer to, unsigned value, size_t count, void* stream) {
  return fill_rows(stream, to, 0, value, count, 1);
}
BANKSHOT_API(cuMemsetD2D8_v2)(DevicePointer to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill_rows(nullptr, to, pitch, value, width, height);
}
BANKSHOT_API(cuMemsetD2D16_v2)(DevicePointer to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return fill_rows(nullptr, to, pitch, value, width, height);
}
BANKSHOT_API(cuMemsetD2D32_v2)(DevicePointer to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill_rows(nullptr, to, pitch, value, width, height);
}
BANKSHOT_API(cuMemsetD2D8Async)
(DevicePointer to, size_t pitch, unsigned char value, size_t width, size_t height, void* stream) {
  return fill_rows(stream, to, pitch, value, width, height);
}
BANKSHOT_API(cuMemsetD2D16Async)
(DevicePointer to, size_t pitch, unsigned short value, size_t width, size_t height, void* stream) {
  return fill_rows(stream, to, pitch, value, width, height);
}
BANKSHOT_API(cuMemsetD2D32Async)
(DevicePointer to, size_t pitch, unsigned value, size_t width, size_t height, void* stream) {
  return fill_rows(stream, to, pitch, value, width, height);
}

}  // namespace bankshot::cuda::driver

#include "bankshot/cuda/memory/array_copy.hpp"

namespace bankshot::cuda {
namespace {

/// One end of cudaMemcpy3D. Extent in bytes.
Status end_of(DeviceMemory& memory, const void* handle, const abi::PitchedPtr& pointer, const abi::Pos& at,
              const Extent& extent, Side side, Region& out) {
  if (!handle) {
    const uint64_t slice = pointer.pitch * pointer.ysize;
    out = {address_of(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x, pointer.pitch, slice, side};
    return Status::success;
  }
  const Array* array = memory.arrays.array(handle);
  if (!array) return Status::invalid_handle;
  uint64_t x = 0;
  if (__builtin_mul_overflow(at.x, texel_bytes(array->spec.format), &x)) return Status::invalid_value;
  return region_of(*array, x, at.y, at.z, extent, out);
}

constexpr int kHost = 1, kDevice = 2, kArray = 3, kUnified = 4;  // CUmemorytype

int memory_type(Side side) { return side == Side::host ? kHost : side == Side::device ? kDevice : kUnified; }

void put_source(abi::DriverMemcpy3D& copy, const ArrayPlace& place) {
  copy.src_type = kArray;
  copy.src_array = const_cast<void*>(place.array);
  copy.src_x = place.x;
  copy.src_y = place.y;
}

void put_target(abi::DriverMemcpy3D& copy, const ArrayPlace& place) {
  copy.dst_type = kArray;
  copy.dst_array = const_cast<void*>(place.array);
  copy.dst_x = place.x;
  copy.dst_y = place.y;
}

/// One end of a copy of the driver interface.
struct DriverEnd {
  int type;
  const void* host;
  uint64_t device;
  const void* array;
  size_t pitch, rows, x, y, z;
};

Status end_of(DeviceMemory& memory, const DriverEnd& end, const Extent& extent, Region& out) {
  if (end.type == kArray) {
    const Array* array = memory.arrays.array(end.array);
    return array ? region_of(*array, end.x, end.y, end.z, extent, out) : Status::invalid_handle;
  }
  if (end.type != kHost && end.type != kDevice && end.type != kUnified) return Status::invalid_value;
  out.address =
      (end.type == kHost ? address_of(end.host) : end.device) + (end.z * end.rows + end.y) * end.pitch + end.x;
  out.pitch = end.pitch;
  out.slice = end.pitch * end.rows;
  out.side = end.type == kHost ? Side::host : end.type == kDevice ? Side::device : Side::either;
  return Status::success;
}

}  // namespace

Status copy_3d(DeviceMemory& memory, const abi::Memcpy3DParms& parms, Side to_side, Side from_side) {
  const auto both = [](const void* array, const abi::PitchedPtr& pointer) { return array && pointer.ptr; };
  if (both(parms.src_array, parms.src_ptr) || both(parms.dst_array, parms.dst_ptr)) return Status::invalid_value;
  for (const void* handle : {parms.src_array, parms.dst_array})
    if (handle && !memory.arrays.array(handle)) return Status::invalid_handle;
  const size_t element = memory.arrays.common_texel(parms.dst_array, parms.src_array);
  if (element == 0) return Status::invalid_value;
  Extent extent{0, parms.extent.height, parms.extent.depth};
  if (__builtin_mul_overflow(parms.extent.width, element, &extent.width)) return Status::invalid_value;
  Region to, from;
  if (const Status status = end_of(memory, parms.dst_array, parms.dst_ptr, parms.dst_pos, extent, to_side, to);
      status != Status::success)
    return status;
  if (const Status status = end_of(memory, parms.src_array, parms.src_ptr, parms.src_pos, extent, from_side, from);
      status != Status::success)
    return status;
  return copy(memory.engine(), to, from, extent);
}

Status copy_3d(DeviceMemory& memory, const abi::DriverMemcpy3D& c) {
  if (c.src_lod || c.dst_lod) return Status::invalid_value;
  const Extent extent{c.width, c.height, c.depth};
  const DriverEnd target{c.dst_type,   c.dst_host, c.dst_device, c.dst_array, c.dst_pitch,
                         c.dst_height, c.dst_x,    c.dst_y,      c.dst_z};
  const DriverEnd source{c.src_type,   c.src_host, c.src_device, c.src_array, c.src_pitch,
                         c.src_height, c.src_x,    c.src_y,      c.src_z};
  Region to, from;
  if (const Status status = end_of(memory, target, extent, to); status != Status::success) return status;
  if (const Status status = end_of(memory, source, extent, from); status != Status::success) return status;
  return copy(memory.engine(), to, from, extent);
}

abi::DriverMemcpy3D copy_parameters(const Region& to, const Region& from, const Extent& extent) {
  abi::DriverMemcpy3D copy{};
  const auto rows = [](const Region& region) { return region.pitch ? region.slice / region.pitch : 0; };
  copy.src_type = memory_type(from.side);
  copy.src_host = reinterpret_cast<const void*>(from.address);
  copy.src_device = from.address;
  copy.src_pitch = from.pitch;
  copy.src_height = rows(from);
  copy.dst_type = memory_type(to.side);
  copy.dst_host = reinterpret_cast<void*>(to.address);
  copy.dst_device = to.address;
  copy.dst_pitch = to.pitch;
  copy.dst_height = rows(to);
  copy.width = extent.width;
  copy.height = extent.height;
  copy.depth = extent.depth;
  return copy;
}

abi::DriverMemcpy3D rectangle_copy(const ArrayPlace& to, const Region& from, const Extent& extent) {
  abi::DriverMemcpy3D copy = copy_parameters({}, from, extent);
  put_target(copy, to);
  return copy;
}

abi::DriverMemcpy3D rectangle_copy(const Region& to, const ArrayPlace& from, const Extent& extent) {
  abi::DriverMemcpy3D copy = copy_parameters(to, {}, extent);
  put_source(copy, from);
  return copy;
}

abi::DriverMemcpy3D rectangle_copy(const ArrayPlace& to, const ArrayPlace& from, const Extent& extent) {
  abi::DriverMemcpy3D copy = copy_parameters({}, {}, extent);
  put_target(copy, to);
  put_source(copy, from);
  return copy;
}

}  // namespace bankshot::cuda

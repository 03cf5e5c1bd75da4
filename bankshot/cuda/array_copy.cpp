#include "bankshot/cuda/array_copy.hpp"

#include "bankshot/cuda/arrays.hpp"

namespace bankshot::cuda {
namespace {

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

/// One end of cudaMemcpy3D. Extent in bytes.
Status end_of(Session& session, const void* handle, const abi::PitchedPtr& pointer, const abi::Pos& at,
              const Extent& extent, Side side, Region& out) {
  if (!handle) {
    const uint64_t slice = pointer.pitch * pointer.ysize;
    out = {address_of(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x, pointer.pitch, slice, side};
    return Status::success;
  }
  const Array* array = session.arrays().array(handle);
  if (!array) return Status::invalid_handle;
  uint64_t x = 0;
  if (__builtin_mul_overflow(at.x, texel_bytes(array->spec.format), &x)) return Status::invalid_value;
  return region_of(*array, x, at.y, at.z, extent, out);
}

/// Memory types of the driver: 1 host, 2 device, 3 array, 4 unified.
struct DriverEnd {
  int type;
  const void* host;
  uint64_t device;
  const void* array;
  size_t pitch, rows, x, y, z;
};

Status end_of(Session& session, const DriverEnd& end, const Extent& extent, Region& out) {
  if (end.type == 3) {
    const Array* array = session.arrays().array(end.array);
    return array ? region_of(*array, end.x, end.y, end.z, extent, out) : Status::invalid_handle;
  }
  if (end.type != 1 && end.type != 2 && end.type != 4) return Status::invalid_value;
  out.address = (end.type == 1 ? address_of(end.host) : end.device) + (end.z * end.rows + end.y) * end.pitch + end.x;
  out.pitch = end.pitch;
  out.slice = end.pitch * end.rows;
  out.side = end.type == 1 ? Side::host : end.type == 2 ? Side::device : Side::either;
  return Status::success;
}

}  // namespace

Status copy_3d(Session& session, const abi::Memcpy3DParms& parms, Side to_side, Side from_side) {
  const auto both = [](const void* array, const abi::PitchedPtr& pointer) { return array && pointer.ptr; };
  if (both(parms.src_array, parms.src_ptr) || both(parms.dst_array, parms.dst_ptr)) return Status::invalid_value;
  unsigned element = 0;
  for (const void* handle : {parms.src_array, parms.dst_array}) {
    if (!handle) continue;
    const Array* array = session.arrays().array(handle);
    if (!array) return Status::invalid_handle;
    const unsigned own = texel_bytes(array->spec.format);
    if (element != 0 && element != own) return Status::invalid_value;
    element = own;
  }
  Extent extent{0, parms.extent.height, parms.extent.depth};
  if (__builtin_mul_overflow(parms.extent.width, element == 0 ? 1 : element, &extent.width))
    return Status::invalid_value;
  Region to, from;
  if (const Status status = end_of(session, parms.dst_array, parms.dst_ptr, parms.dst_pos, extent, to_side, to);
      status != Status::success)
    return status;
  if (const Status status = end_of(session, parms.src_array, parms.src_ptr, parms.src_pos, extent, from_side, from);
      status != Status::success)
    return status;
  return copy(session.memory(), to, from, extent);
}

Status copy_2d(Session& session, const abi::DriverMemcpy2D& c) {
  const Extent extent{c.width, c.height, 1};
  Region to, from;
  if (const Status status =
          end_of(session, {c.dst_type, c.dst_host, c.dst_device, c.dst_array, c.dst_pitch, 0, c.dst_x, c.dst_y, 0},
                 extent, to);
      status != Status::success)
    return status;
  if (const Status status =
          end_of(session, {c.src_type, c.src_host, c.src_device, c.src_array, c.src_pitch, 0, c.src_x, c.src_y, 0},
                 extent, from);
      status != Status::success)
    return status;
  // A pitch of zero means rows without gaps.
  if (to.pitch == 0) to.pitch = c.width;
  if (from.pitch == 0) from.pitch = c.width;
  return copy(session.memory(), to, from, extent);
}

Status copy_3d(Session& session, const abi::DriverMemcpy3D& c) {
  if (c.src_lod || c.dst_lod) return Status::invalid_value;
  const Extent extent{c.width, c.height, c.depth};
  Region to, from;
  if (const Status status = end_of(
          session,
          {c.dst_type, c.dst_host, c.dst_device, c.dst_array, c.dst_pitch, c.dst_height, c.dst_x, c.dst_y, c.dst_z},
          extent, to);
      status != Status::success)
    return status;
  if (const Status status = end_of(
          session,
          {c.src_type, c.src_host, c.src_device, c.src_array, c.src_pitch, c.src_height, c.src_x, c.src_y, c.src_z},
          extent, from);
      status != Status::success)
    return status;
  return copy(session.memory(), to, from, extent);
}

}  // namespace bankshot::cuda

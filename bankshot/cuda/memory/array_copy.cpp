#include "bankshot/cuda/memory/array_copy.hpp"

#include "bankshot/cuda/graphs/capture.hpp"
#include "bankshot/cuda/graphs/graph_work.hpp"
#include "bankshot/cuda/memory/arrays.hpp"

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

constexpr int kArray = 3;

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

Status issue_run(Session& session, void* stream, const ArrayPlace& place, const Region& linear, uint64_t bytes,
                 bool to_array) {
  Stream* capturing = nullptr;
  if (const Status status = before_work(session, stream, capturing); status != Status::success) return status;
  const Array* const array = session.arrays().array(place.array);
  if (!array) return Status::invalid_handle;
  if (!capturing) return copy_rows_of(session.memory(), *array, place.x, place.y, bytes, linear, to_array);
  const auto pieces = pieces_of_run(array->spec, place.x, place.y, bytes);
  if (!pieces) return capture(session, *capturing, pieces.error());
  for (const RunPiece& piece : *pieces) {
    const Region part{linear.address + piece.begin, piece.extent.width, 0, linear.side};
    const ArrayPlace there{place.array, piece.x, piece.y};
    const Status status = capture(
        session, *capturing,
        copy_work(to_array ? rectangle_copy(there, part, piece.extent) : rectangle_copy(part, there, piece.extent)));
    if (status != Status::success) return status;
  }
  return Status::success;
}

}  // namespace bankshot::cuda

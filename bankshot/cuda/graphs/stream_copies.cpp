#include "bankshot/cuda/graphs/stream_copies.hpp"

#include <algorithm>

#include "bankshot/cuda/graphs/capture.hpp"
#include "bankshot/cuda/graphs/node_work.hpp"
#include "bankshot/cuda/memory/array_copy.hpp"

namespace bankshot::cuda {
namespace {

bool is_order(int order) { return order >= 1 && order <= 3; }

/// Bytes per element of the copy: those of its arrays, else 1; 0 if an array is invalid or the two differ.
size_t element_of(const DeviceMemory& memory, const abi::BatchCopy& copy) {
  constexpr int kArray = 2;
  const void* arrays[2] = {};
  for (size_t k = 0; k < 2; ++k) {
    const abi::CopyOperand& operand = k == 0 ? copy.to : copy.from;
    if (operand.type != kArray) continue;
    if (!operand.array.array) return 0;
    arrays[k] = operand.array.array;
  }
  return memory.arrays.common_texel(arrays[0], arrays[1]);
}

/// One end of a copy in the terms of cuMemcpy3D.
struct End {
  int type = 4;
  uint64_t address = 0;
  void* array = nullptr;
  size_t pitch = 0, rows = 0, x = 0, y = 0, z = 0;
};

Result<End, Status> end_of(const abi::CopyOperand& operand, const abi::Extent& extent, size_t element) {
  if (operand.type == 2)
    return End{3, 0, operand.array.array, 0, 0, operand.array.x * element, operand.array.y, operand.array.z};
  if (operand.type != 1) return Status::invalid_value;
  const auto& [address, row_length, layer_height, hint] = operand.pointer;
  if ((row_length != 0 && row_length < extent.width) || (layer_height != 0 && layer_height < extent.height))
    return Status::invalid_value;
  const size_t length = row_length == 0 ? extent.width : row_length;
  return End{4, address, nullptr, length * element, layer_height == 0 ? extent.height : layer_height};
}

Result<abi::DriverMemcpy3D, Status> driver_copy(DeviceMemory& memory, const abi::BatchCopy& copy) {
  const size_t element = element_of(memory, copy);
  const abi::Extent& extent = copy.extent;
  abi::DriverMemcpy3D out{};
  if (element == 0 || !is_order(copy.order) || extent.width == 0 || extent.height == 0 || extent.depth == 0 ||
      __builtin_mul_overflow(extent.width, element, &out.width))
    return Status::invalid_value;
  const auto from = end_of(copy.from, extent, element), to = end_of(copy.to, extent, element);
  if (!from || !to) return Status::invalid_value;
  out.height = extent.height;
  out.depth = extent.depth;
  out.src_type = from->type;
  out.src_device = from->address;
  out.src_array = from->array;
  out.src_pitch = from->pitch;
  out.src_height = from->rows;
  out.src_x = from->x;
  out.src_y = from->y;
  out.src_z = from->z;
  out.dst_type = to->type;
  out.dst_device = to->address;
  out.dst_array = to->array;
  out.dst_pitch = to->pitch;
  out.dst_height = to->rows;
  out.dst_x = to->x;
  out.dst_y = to->y;
  out.dst_z = to->z;
  return out;
}

/// @param make  returns the k-th copy, or why it is invalid
template <class Make>
Status issue_all(WorkTables& tables, DeviceMemory& memory, void* stream, size_t count, size_t* failed, Make&& make) {
  if (tables.streams.find(stream) == tables.streams.find(nullptr)) return Status::invalid_value;
  Stream* capturing = nullptr;
  if (const Status status = before_work(tables, stream, capturing); status != Status::success) return status;
  for (size_t k = 0; k < count; ++k) {
    if (failed) *failed = k;
    const Result<abi::DriverMemcpy3D, Status> parameters = make(k);
    const Status status = !parameters ? parameters.error()
                          : capturing ? capture(tables, *capturing, copy_work(*parameters))
                                      : copy_3d(memory, *parameters);
    if (status != Status::success) return status;
  }
  return Status::success;
}

}  // namespace

Status issue_run(WorkTables& tables, DeviceMemory& memory, void* stream, const ArrayPlace& place, const Region& linear,
                 uint64_t bytes, bool to_array) {
  Stream* capturing = nullptr;
  if (const Status status = before_work(tables, stream, capturing); status != Status::success) return status;
  const Array* const array = memory.arrays.array(place.array);
  if (!array) return Status::invalid_handle;
  if (!capturing) return copy_rows_of(memory.engine(), *array, place.x, place.y, bytes, linear, to_array);
  const auto pieces = pieces_of_run(array->spec, place.x, place.y, bytes);
  if (!pieces) return capture(tables, *capturing, pieces.error());
  for (const RunPiece& piece : *pieces) {
    const Region part{linear.address + piece.begin, piece.extent.width, 0, linear.side};
    const ArrayPlace there{place.array, piece.x, piece.y};
    const Status status = capture(
        tables, *capturing,
        copy_work(to_array ? rectangle_copy(there, part, piece.extent) : rectangle_copy(part, there, piece.extent)));
    if (status != Status::success) return status;
  }
  return Status::success;
}

Status copy_batch(WorkTables& tables, DeviceMemory& memory, void* stream, const CopyBatch& batch, size_t* failed) {
  if (failed) *failed = SIZE_MAX;  // none of the copies
  if (!batch.to || !batch.from || !batch.sizes || !batch.attributes ||
      !abi::are_firsts(batch.firsts, batch.attribute_count, batch.count))
    return Status::invalid_value;
  for (size_t k = 0; k < batch.attribute_count; ++k)
    if (!is_order(batch.attributes[k].order)) return Status::invalid_value;
  return issue_all(tables, memory, stream, batch.count, failed, [&](size_t k) -> Result<abi::DriverMemcpy3D, Status> {
    const size_t bytes = batch.sizes[k];
    return copy_parameters({batch.to[k], bytes, 0, Side::either}, {batch.from[k], bytes, 0, Side::either},
                           {bytes, 1, 1});
  });
}

Status copy_batch(WorkTables& tables, DeviceMemory& memory, void* stream, const abi::BatchCopy* copies, size_t count,
                  unsigned long long flags, size_t* failed) {
  if (failed) *failed = SIZE_MAX;
  if (!copies || count == 0 || flags != 0) return Status::invalid_value;
  return issue_all(tables, memory, stream, count, failed, [&](size_t k) { return driver_copy(memory, copies[k]); });
}

}  // namespace bankshot::cuda

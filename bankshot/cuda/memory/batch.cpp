#include "bankshot/cuda/memory/batch.hpp"

#include <algorithm>

#include "bankshot/cuda/graphs/capture.hpp"
#include "bankshot/cuda/graphs/graph_work.hpp"
#include "bankshot/cuda/memory/array_copy.hpp"
#include "bankshot/cuda/process/session.hpp"

namespace bankshot::cuda {
namespace {

bool is_order(int order) { return order >= 1 && order <= 3; }

/// Bytes of an element of the copy: of its arrays', which must be the same, else 1; 0 if they are not.
size_t element_of(Session& session, const abi::BatchCopy& copy) {
  size_t element = 0;
  for (const abi::CopyOperand& operand : {copy.from, copy.to}) {
    if (operand.type != 2) continue;
    const Array* const array = session.arrays().array(operand.array.array);
    const size_t own = array ? texel_bytes(array->spec.format) : 0;
    if (own == 0 || (element != 0 && element != own)) return 0;
    element = own;
  }
  return element == 0 ? 1 : element;
}

/// One end in the terms of cuMemcpy3D, of which type, address, pitch, rows and position are set.
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

Result<abi::DriverMemcpy3D, Status> driver_copy(Session& session, const abi::BatchCopy& copy) {
  const size_t element = element_of(session, copy);
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

/// @param make  the k-th copy, or why it is none
template <class Make>
Status issue_all(Session& session, void* stream, size_t count, size_t* failed, Make&& make) {
  if (session.streams().find(stream) == session.streams().find(nullptr)) return Status::invalid_value;
  Stream* capturing = nullptr;
  if (const Status status = before_work(session, stream, capturing); status != Status::success) return status;
  for (size_t k = 0; k < count; ++k) {
    if (failed) *failed = k;
    const Result<abi::DriverMemcpy3D, Status> parameters = make(k);
    const Status status = !parameters ? parameters.error()
                          : capturing ? capture(session, *capturing, copy_work(*parameters))
                                      : copy_3d(session, *parameters);
    if (status != Status::success) return status;
  }
  return Status::success;
}

}  // namespace

bool are_firsts(const size_t* firsts, size_t groups, size_t count) {
  if (!firsts || groups == 0 || groups > count || firsts[0] != 0) return false;
  for (size_t k = 1; k < groups; ++k)
    if (firsts[k] <= firsts[k - 1] || firsts[k] >= count) return false;
  return true;
}

Status copy_batch(Session& session, void* stream, const CopyBatch& batch, size_t* failed) {
  if (failed) *failed = SIZE_MAX;  // none of the copies
  if (!batch.to || !batch.from || !batch.sizes || !batch.attributes ||
      !are_firsts(batch.firsts, batch.attribute_count, batch.count))
    return Status::invalid_value;
  for (size_t k = 0; k < batch.attribute_count; ++k)
    if (!is_order(batch.attributes[k].order)) return Status::invalid_value;
  return issue_all(session, stream, batch.count, failed, [&](size_t k) -> Result<abi::DriverMemcpy3D, Status> {
    const size_t bytes = batch.sizes[k];
    return copy_parameters({batch.to[k], bytes, 0, Side::either}, {batch.from[k], bytes, 0, Side::either},
                           {bytes, 1, 1});
  });
}

Status copy_batch(Session& session, void* stream, const abi::BatchCopy* copies, size_t count, unsigned long long flags,
                  size_t* failed) {
  if (failed) *failed = SIZE_MAX;
  if (!copies || count == 0 || flags != 0) return Status::invalid_value;
  return issue_all(session, stream, count, failed, [&](size_t k) { return driver_copy(session, copies[k]); });
}

}  // namespace bankshot::cuda

// CUDA arrays and mipmapped arrays.
#include "bankshot/cuda/abi/abi_texture.hpp"
#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/graphs/stream_copies.hpp"
#include "bankshot/cuda/memory/array_copy.hpp"
#include "bankshot/cuda/memory/array_format.hpp"
#include "bankshot/cuda/memory/arrays.hpp"

namespace bankshot::cuda::driver {
namespace {

Status spec_of(const Session& session, const abi::Array3DDescriptor& desc, bool mipmapped, ArraySpec& out) {
  const auto format = format_of(desc.format, desc.channels);
  if (!format) return Status::invalid_value;
  out = {desc.width, desc.height, desc.depth, *format, desc.flags};
  return check(session.device(), out, mipmapped);
}

Status create(void** array, const abi::Array3DDescriptor& desc) {
  return call([&](Session& session) {
    ArraySpec spec;
    if (const Status status = spec_of(session, desc, false, spec); status != Status::success) return status;
    Array* made = nullptr;
    const Status status = session.memory().arrays.create(session.memory().engine(), spec, made);
    if (status == Status::success) *array = made;
    return status;
  });
}

abi::Array3DDescriptor descriptor_of(const ArraySpec& spec) {
  return {spec.width, spec.height, spec.depth, driver_format_of(spec.format), spec.format.channels, spec.flags};
}

/// Looks at an array.
template <class Work>
Status with_array(const void* handle, Work&& work) {
  return call([&](Session& session) {
    const Array* array = session.memory().arrays.array(handle);
    return array ? work(*array) : Status::invalid_handle;
  });
}

Status copy_bytes(void* stream, const void* array, size_t offset, uint64_t address, Side side, size_t bytes,
                  bool to_array) {
  return call([&](Session& session) {
    return issue_run(session.work(), session.memory(), stream, {array, offset, 0}, {address, bytes, 0, side}, bytes,
                     to_array);
  });
}

}  // namespace

BANKSHOT_API(cuArray3DCreate_v2)(void** array, const abi::Array3DDescriptor* desc) {
  return array && desc ? create(array, *desc) : Status::invalid_value;
}
BANKSHOT_API(cuArrayCreate_v2)(void** array, const abi::ArrayDescriptor* desc) {
  if (!array || !desc) return Status::invalid_value;
  return create(array, {desc->width, desc->height, 0, desc->format, desc->channels, 0});
}

BANKSHOT_API(cuArray3DGetDescriptor_v2)(abi::Array3DDescriptor* desc, void* handle) {
  return with_array(handle, [&](const Array& array) {
    if (!desc) return Status::invalid_value;
    *desc = descriptor_of(array.spec);
    return Status::success;
  });
}
BANKSHOT_API(cuArrayGetDescriptor_v2)(abi::ArrayDescriptor* desc, void* handle) {
  return with_array(handle, [&](const Array& array) {
    if (!desc) return Status::invalid_value;
    const abi::Array3DDescriptor all = descriptor_of(array.spec);
    *desc = {all.width, all.height, all.format, all.channels};
    return Status::success;
  });
}

BANKSHOT_API(cuArrayDestroy)(void* array) {
  return call([&](Session& session) { return session.memory().arrays.destroy(session.memory().engine(), array); });
}

BANKSHOT_API(cuMipmappedArrayCreate)(void** mipmapped, const abi::Array3DDescriptor* desc, unsigned levels) {
  return call([&](Session& session) {
    if (!mipmapped || !desc) return Status::invalid_value;
    ArraySpec spec;
    if (const Status status = spec_of(session, *desc, true, spec); status != Status::success) return status;
    MipmappedArray* made = nullptr;
    const Status status = session.memory().arrays.create(session.memory().engine(), spec, levels, made);
    if (status == Status::success) *mipmapped = made;
    return status;
  });
}

BANKSHOT_API(cuMipmappedArrayGetLevel)(void** level, void* handle, unsigned number) {
  return call([&](Session& session) {
    const MipmappedArray* mipmapped = session.memory().arrays.mipmapped(handle);
    if (!mipmapped) return Status::invalid_handle;
    if (!level || number >= mipmapped->levels.size()) return Status::invalid_value;
    *level = mipmapped->levels[number].get();
    return Status::success;
  });
}

BANKSHOT_API(cuMipmappedArrayDestroy)(void* mipmapped) {
  return call([&](Session& session) {
    return session.memory().arrays.destroy_mipmapped(session.memory().engine(), mipmapped);
  });
}

/// Only planar formats have planes.
BANKSHOT_API(cuArrayGetPlane)() {
  return call([&](Session&) { return Status::invalid_value; });
}

BANKSHOT_API(cuDeviceGetTexture1DLinearMaxWidth)(size_t* width, int format, unsigned channels, int device) {
  return query([&](Session& session) {
    if (!width || !format_of(format, channels)) return Status::invalid_value;
    if (device != 0) return Status::invalid_device;
    return give(width, attribute(session.device(), 69).value_or(0));
  });
}

BANKSHOT_API(cuMemcpyHtoAAsync_v2)(void* to, size_t offset, const void* from, size_t bytes, void* stream) {
  return copy_bytes(stream, to, offset, address_of(from), Side::host, bytes, true);
}
BANKSHOT_API(cuMemcpyHtoA_v2)(void* to, size_t offset, const void* from, size_t bytes) {
  return bankshot_cuMemcpyHtoAAsync_v2(to, offset, from, bytes, nullptr);
}
BANKSHOT_API(cuMemcpyAtoHAsync_v2)(void* to, const void* from, size_t offset, size_t bytes, void* stream) {
  return copy_bytes(stream, from, offset, address_of(to), Side::host, bytes, false);
}
BANKSHOT_API(cuMemcpyAtoH_v2)(void* to, const void* from, size_t offset, size_t bytes) {
  return bankshot_cuMemcpyAtoHAsync_v2(to, from, offset, bytes, nullptr);
}
BANKSHOT_API(cuMemcpyDtoA_v2)(void* to, size_t offset, DevicePointer from, size_t bytes) {
  return copy_bytes(nullptr, to, offset, from, Side::device, bytes, true);
}
BANKSHOT_API(cuMemcpyAtoD_v2)(DevicePointer to, const void* from, size_t offset, size_t bytes) {
  return copy_bytes(nullptr, from, offset, to, Side::device, bytes, false);
}
BANKSHOT_API(cuMemcpyAtoA_v2)(void* to, size_t to_offset, const void* from, size_t from_offset, size_t bytes) {
  return call_on(nullptr, [&](Session& session) {
    const Array *array = session.memory().arrays.array(to), *source = session.memory().arrays.array(from);
    if (!array || !source) return Status::invalid_handle;
    return copy_rows_of(session.memory().engine(), *array, to_offset, 0, *source, from_offset, 0, bytes);
  });
}

}  // namespace bankshot::cuda::driver

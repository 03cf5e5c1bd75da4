// CUDA arrays and mipmapped arrays.
#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/memory/array_format.hpp"
#include "bankshot/cuda/memory/arrays.hpp"
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {
namespace {

/// success, or what is wrong with the request. invalid_channel_descriptor for formats that there are none of.
Status spec_of(const Session& session, const abi::ChannelFormatDesc* desc, const abi::Extent& extent, unsigned flags,
               bool mipmapped, ArraySpec& out) {
  if (!desc) return Status::invalid_value;
  const auto format = format_of(*desc);
  if (!format) return Status::invalid_channel_descriptor;
  out = {extent.width, extent.height, extent.depth, *format, flags};
  return check(session.device(), out, mipmapped);
}

Status make_array(void** array, const abi::ChannelFormatDesc* desc, const abi::Extent& extent, unsigned flags) {
  return call([&](Session& session) {
    if (!array) return Status::invalid_value;
    ArraySpec spec;
    if (const Status status = spec_of(session, desc, extent, flags, false, spec); status != Status::success)
      return status;
    Array* made = nullptr;
    const Status status = session.memory().arrays.create(session.memory().engine(), spec, made);
    if (status == Status::success) *array = made;
    return status;
  });
}

void describe(const ArraySpec& spec, abi::ChannelFormatDesc* desc, abi::Extent* extent, unsigned* flags) {
  if (desc) *desc = channel_desc_of(spec.format);
  if (extent) *extent = {spec.width, spec.height, spec.depth};
  if (flags) *flags = spec.flags;
}

}  // namespace

BANKSHOT_API(cudaMallocArray)
(void** array, const abi::ChannelFormatDesc* desc, size_t width, size_t height, unsigned flags) {
  return make_array(array, desc, {width, height, 0}, flags);
}

BANKSHOT_API(cudaMalloc3DArray)
(void** array, const abi::ChannelFormatDesc* desc, abi::Extent extent, unsigned flags) {
  return make_array(array, desc, extent, flags);
}

BANKSHOT_API(cudaMallocMipmappedArray)
(void** mipmapped, const abi::ChannelFormatDesc* desc, abi::Extent extent, unsigned levels, unsigned flags) {
  return call([&](Session& session) {
    if (!mipmapped) return Status::invalid_value;
    ArraySpec spec;
    if (const Status status = spec_of(session, desc, extent, flags, true, spec); status != Status::success)
      return status;
    MipmappedArray* made = nullptr;
    const Status status = session.memory().arrays.create(session.memory().engine(), spec, levels, made);
    if (status == Status::success) *mipmapped = made;
    return status;
  });
}

BANKSHOT_API(cudaGetMipmappedArrayLevel)(void** level, void* handle, unsigned number) {
  return call([&](Session& session) {
    if (!level) return Status::invalid_value;
    const MipmappedArray* mipmapped = session.memory().arrays.mipmapped(handle);
    if (!mipmapped) return Status::invalid_handle;
    if (number >= mipmapped->levels.size()) return Status::invalid_value;
    *level = mipmapped->levels[number].get();
    return Status::success;
  });
}

BANKSHOT_API(cudaFreeArray)(void* array) {
  return call([&](Session& session) {
    if (!array) return Status::success;
    return session.memory().arrays.destroy(session.memory().engine(), array) == Status::success ? Status::success
                                                                                                : Status::invalid_value;
  });
}

BANKSHOT_API(cudaFreeMipmappedArray)(void* mipmapped) {
  return call([&](Session& session) {
    if (!mipmapped) return Status::success;
    return session.memory().arrays.destroy_mipmapped(session.memory().engine(), mipmapped) == Status::success
               ? Status::success
               : Status::invalid_value;
  });
}

BANKSHOT_API(cudaArrayGetInfo)
(abi::ChannelFormatDesc* desc, abi::Extent* extent, unsigned* flags, void* handle) {
  return call([&](Session& session) {
    const Array* array = session.memory().arrays.array(handle);
    if (!array) return Status::invalid_handle;
    describe(array->spec, desc, extent, flags);
    return Status::success;
  });
}

BANKSHOT_API(cudaGetChannelDesc)(abi::ChannelFormatDesc* desc, void* handle) {
  return call([&](Session& session) {
    if (!desc) return Status::invalid_value;
    const Array* array = session.memory().arrays.array(handle);
    if (!array) return Status::invalid_handle;
    describe(array->spec, desc, nullptr, nullptr);
    return Status::success;
  });
}

/// Only planar formats have planes.
BANKSHOT_API(cudaArrayGetPlane)() {
  return call([&](Session&) { return Status::invalid_value; });
}

BANKSHOT_API(cudaDeviceGetTexture1DLinearMaxWidth)(size_t* width, const abi::ChannelFormatDesc* desc, int device) {
  return query([&](Session& session) {
    if (!width || !desc || !format_of(*desc)) return Status::invalid_value;
    if (device != 0) return Status::invalid_device;
    *width = static_cast<size_t>(attribute(session.device(), 69).value_or(0));
    return Status::success;
  });
}

}  // namespace bankshot::cuda::runtime

// Texture and surface references.
#include <algorithm>

#include "bankshot/cuda/abi/abi_texture.hpp"
#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/memory/array_format.hpp"

namespace bankshot::cuda::driver {
namespace {

using Reference = TextureReference;

/// Changes a reference; kernels see it at once.
template <class Work>
Status change(void* handle, bool surface, Work&& work) {
  return call([&](Session& session) {
    Reference* reference = session.textures().references.find(handle, surface);
    if (!reference) return Status::invalid_handle;
    const Status status = work(session, *reference);
    if (status == Status::success) rebind(session.texture_context(), *reference);
    return status;
  });
}

template <class Work>
Status change_sampler(void* handle, Work&& work) {
  return change(handle, false, [&](Session&, Reference& reference) { return work(reference.description.texture); });
}

template <class Out, class Get>
Status tell(Out* out, void* handle, Get&& get) {
  return call([&](Session& session) {
    const Reference* reference = session.textures().references.find(handle, false);
    if (!reference) return Status::invalid_handle;
    return out ? give(out, get(*reference)) : Status::invalid_value;
  });
}

Status get_reference(void** out, Module* module, const char* name, bool surface) {
  return call([&](Session& session) {
    if (!out || !name) return Status::invalid_value;
    if (!session.modules().contains(module)) return Status::invalid_handle;
    if (const Status status = load(session.load_target(), *module); status != Status::success) return status;
    const Variable* variable = find_variable(*module, name);
    if (!variable || variable->info->opaque != (surface ? "surfref" : "texref")) return Status::not_found;
    *out = session.textures().references.of_variable(variable->info->address, surface);
    return Status::success;
  });
}

Status bind_array(Session& session, Reference& reference, void* handle) {
  const Array* array = session.memory().arrays.array(handle);
  if (!array) return Status::invalid_handle;
  reference.is_bound = true;
  reference.description.resource = {};
  reference.description.resource.type = abi::kArrayResource;
  reference.description.resource.array = handle;
  reference.format = driver_format_of(array->spec.format);
  reference.channels = array->spec.format.channels;
  return Status::success;
}

bool is_filter(int mode) { return mode == 0 || mode == 1; }
constexpr unsigned kOverrideFormat = 1;  // CU_TRSA_OVERRIDE_FORMAT, the only flag, and required

}  // namespace

BANKSHOT_API(cuModuleGetTexRef)(void** out, Module* module, const char* name) {
  return get_reference(out, module, name, false);
}
BANKSHOT_API(cuModuleGetSurfRef)(void** out, Module* module, const char* name) {
  return get_reference(out, module, name, true);
}

BANKSHOT_API(cuTexRefCreate)(void** out) {
  return call([&](Session& session) {
    return out ? give(out, session.textures().references.create()) : Status::invalid_value;
  });
}
BANKSHOT_API(cuTexRefDestroy)(void* handle) {
  return call([&](Session& session) {
    return session.textures().references.destroy(handle) ? Status::success : Status::invalid_handle;
  });
}

BANKSHOT_API(cuTexRefSetArray)(void* handle, void* array, unsigned flags) {
  return change(handle, false, [&](Session& session, Reference& reference) {
    return flags & ~kOverrideFormat ? Status::invalid_value : bind_array(session, reference, array);
  });
}
BANKSHOT_API(cuSurfRefSetArray)(void* handle, void* array, unsigned flags) {
  return change(handle, true, [&](Session& session, Reference& reference) {
    if (flags != 0) return Status::invalid_value;
    const Array* there = session.memory().arrays.array(array);
    if (there && !there->spec.has(ArraySpec::kSurface)) return Status::invalid_value;
    return bind_array(session, reference, array);
  });
}
BANKSHOT_API(cuTexRefSetMipmappedArray)(void* handle, void* mipmapped, unsigned flags) {
  return change(handle, false, [&](Session& session, Reference& reference) {
    if (flags & ~kOverrideFormat) return Status::invalid_value;
    if (!session.memory().arrays.mipmapped(mipmapped)) return Status::invalid_handle;
    reference.is_bound = true;
    reference.description.resource = {};
    reference.description.resource.type = abi::kMipmappedResource;
    reference.description.resource.mipmap = mipmapped;
    return Status::success;
  });
}

BANKSHOT_API(cuTexRefSetAddress_v2)(size_t* offset, void* handle, DevicePointer address, size_t bytes) {
  return change(handle, false, [&](Session& session, Reference& reference) {
    // Where the address is not aligned, the texture begins before it, and the offset says how far.
    const auto alignment = static_cast<uint64_t>(attribute(session.device(), 14).value_or(512));
    const uint64_t before = address % alignment;
    if (before != 0 && !offset) return Status::invalid_value;
    if (offset) *offset = before;
    reference.is_bound = address != 0;
    reference.description.resource = {};
    reference.description.resource.type = abi::kLinearResource;
    reference.description.resource.linear = {address - before, reference.format,
                                             static_cast<unsigned>(reference.channels), bytes + before};
    return Status::success;
  });
}
BANKSHOT_API(cuTexRefSetAddress2D_v3)
(void* handle, const abi::ArrayDescriptor* desc, DevicePointer address, size_t pitch) {
  return change(handle, false, [&](Session& session, Reference& reference) {
    if (!desc) return Status::invalid_value;
    Reference next = reference;
    next.is_bound = true;
    next.format = desc->format;
    next.channels = static_cast<int>(desc->channels);
    next.description.resource = {};
    next.description.resource.type = abi::kPitch2DResource;
    next.description.resource.pitch_2d = {address, desc->format, desc->channels, desc->width, desc->height, pitch};
    TextureDescription plain;  // the sampler may be set later
    plain.resource = next.description.resource;
    texture::Texture made;
    const Status status = make_texture(session.texture_context(), plain, made);
    if (status == Status::success) reference = next;
    return status;
  });
}
BANKSHOT_API(cuTexRefSetAddress2D_v2)
(void* handle, const abi::ArrayDescriptor* desc, DevicePointer address, size_t pitch) {
  return bankshot_cuTexRefSetAddress2D_v3(handle, desc, address, pitch);
}

BANKSHOT_API(cuTexRefSetFormat)(void* handle, int format, int channels) {
  return change(handle, false, [&](Session&, Reference& reference) {
    if (channels < 0 || !format_of(format, static_cast<unsigned>(channels))) return Status::invalid_value;
    reference.format = format;
    reference.channels = channels;
    abi::DriverResourceDesc& resource = reference.description.resource;
    if (resource.type == abi::kLinearResource && reference.is_bound) {
      resource.linear.format = format;
      resource.linear.channels = static_cast<unsigned>(channels);
    }
    return Status::success;
  });
}
BANKSHOT_API(cuTexRefSetAddressMode)(void* handle, int dimension, int mode) {
  return change_sampler(handle, [&](abi::DriverTextureDesc& desc) {
    if (dimension < 0 || dimension > 2 || mode < 0 || mode > 3) return Status::invalid_value;
    desc.address_mode[dimension] = mode;
    return Status::success;
  });
}
BANKSHOT_API(cuTexRefSetFilterMode)(void* handle, int mode) {
  return change_sampler(handle, [&](abi::DriverTextureDesc& desc) {
    return is_filter(mode) ? give(&desc.filter_mode, mode) : Status::invalid_value;
  });
}
BANKSHOT_API(cuTexRefSetMipmapFilterMode)(void* handle, int mode) {
  return change_sampler(handle, [&](abi::DriverTextureDesc& desc) {
    return is_filter(mode) ? give(&desc.mip_filter, mode) : Status::invalid_value;
  });
}
BANKSHOT_API(cuTexRefSetMipmapLevelBias)(void* handle, float bias) {
  return change_sampler(handle, [&](abi::DriverTextureDesc& desc) { return give(&desc.level_bias, bias); });
}
BANKSHOT_API(cuTexRefSetMipmapLevelClamp)(void* handle, float least, float most) {
  return change_sampler(handle, [&](abi::DriverTextureDesc& desc) {
    desc.level_min = least;
    desc.level_max = most;
    return Status::success;
  });
}
BANKSHOT_API(cuTexRefSetMaxAnisotropy)(void* handle, unsigned most) {
  return change_sampler(handle, [&](abi::DriverTextureDesc& desc) { return give(&desc.anisotropy, most); });
}
BANKSHOT_API(cuTexRefSetBorderColor)(void* handle, const float* colour) {
  return change_sampler(handle, [&](abi::DriverTextureDesc& desc) {
    if (!colour) return Status::invalid_value;
    std::copy_n(colour, 4, desc.border);
    return Status::success;
  });
}
BANKSHOT_API(cuTexRefSetFlags)(void* handle, unsigned flags) {
  return change_sampler(handle, [&](abi::DriverTextureDesc& desc) {
    return flags & ~0x73u ? Status::invalid_value : give(&desc.flags, flags);
  });
}

BANKSHOT_API(cuTexRefGetAddress_v2)(DevicePointer* out, void* handle) {
  return tell(out, handle, [](const Reference& r) {
    const abi::DriverResourceDesc& resource = r.description.resource;
    return resource.type == abi::kLinearResource    ? resource.linear.pointer
           : resource.type == abi::kPitch2DResource ? resource.pitch_2d.pointer
                                                    : 0;
  });
}
BANKSHOT_API(cuTexRefGetArray)(void** out, void* handle) {
  return tell(out, handle, [](const Reference& r) {
    return r.is_bound && r.description.resource.type == abi::kArrayResource ? r.description.resource.array : nullptr;
  });
}
BANKSHOT_API(cuSurfRefGetArray)(void** out, void* handle) {
  return call([&](Session& session) {
    const Reference* reference = session.textures().references.find(handle, true);
    if (!reference) return Status::invalid_handle;
    return out ? give(out, reference->is_bound ? reference->description.resource.array : nullptr)
               : Status::invalid_value;
  });
}
BANKSHOT_API(cuTexRefGetMipmappedArray)(void** out, void* handle) {
  return tell(out, handle, [](const Reference& r) {
    return r.is_bound && r.description.resource.type == abi::kMipmappedResource ? r.description.resource.mipmap
                                                                                : nullptr;
  });
}
BANKSHOT_API(cuTexRefGetAddressMode)(int* out, void* handle, int dimension) {
  if (dimension < 0 || dimension > 2) return Status::invalid_value;
  return tell(out, handle, [&](const Reference& r) { return r.description.texture.address_mode[dimension]; });
}
BANKSHOT_API(cuTexRefGetFilterMode)(int* out, void* handle) {
  return tell(out, handle, [](const Reference& r) { return r.description.texture.filter_mode; });
}
BANKSHOT_API(cuTexRefGetFormat)(int* format, int* channels, void* handle) {
  if (!channels) return Status::invalid_value;
  const Status status = tell(channels, handle, [](const Reference& r) { return r.channels; });
  return status == Status::success ? tell(format, handle, [](const Reference& r) { return r.format; }) : status;
}
BANKSHOT_API(cuTexRefGetMipmapFilterMode)(int* out, void* handle) {
  return tell(out, handle, [](const Reference& r) { return r.description.texture.mip_filter; });
}
BANKSHOT_API(cuTexRefGetMipmapLevelBias)(float* out, void* handle) {
  return tell(out, handle, [](const Reference& r) { return r.description.texture.level_bias; });
}
BANKSHOT_API(cuTexRefGetMipmapLevelClamp)(float* least, float* most, void* handle) {
  if (!most) return Status::invalid_value;
  const Status status = tell(most, handle, [](const Reference& r) { return r.description.texture.level_max; });
  return status == Status::success
             ? tell(least, handle, [](const Reference& r) { return r.description.texture.level_min; })
             : status;
}
BANKSHOT_API(cuTexRefGetMaxAnisotropy)(int* out, void* handle) {
  return tell(out, handle, [](const Reference& r) { return r.description.texture.anisotropy; });
}
BANKSHOT_API(cuTexRefGetBorderColor)(float* out, void* handle) {
  return call([&](Session& session) {
    const Reference* reference = session.textures().references.find(handle, false);
    if (!reference) return Status::invalid_handle;
    if (!out) return Status::invalid_value;
    std::copy_n(reference->description.texture.border, 4, out);
    return Status::success;
  });
}
BANKSHOT_API(cuTexRefGetFlags)(unsigned* out, void* handle) {
  return tell(out, handle, [](const Reference& r) { return r.description.texture.flags; });
}

/// The reference of a module's variable is the kernel's by its name already.
BANKSHOT_API(cuParamSetTexRef)(Function*, int, void* handle) {
  return change(handle, false, [](Session&, Reference&) { return Status::success; });
}

}  // namespace bankshot::cuda::driver

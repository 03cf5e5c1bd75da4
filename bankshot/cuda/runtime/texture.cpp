// Texture and surface objects.
#include <cstring>

#include "bankshot/cuda/runtime/call.hpp"
#include "bankshot/cuda/textures/textures.hpp"

namespace bankshot::cuda::runtime {
namespace {

// Sizes of CUDA 12's structures. CUDA 13 adds members that must be zero; they are neither read nor written.
constexpr size_t kResourceDescOf12 = 64, kViewDescOf12 = 48;

/// The program's structure, as far as both versions have it.
template <class T>
T read(const void* from, size_t bytes) {
  T out{};
  std::memcpy(&out, from, bytes);
  return out;
}

Status describe_resource(Session& session, void* out, unsigned long long handle, bool surface) {
  if (!out) return Status::invalid_value;
  const TextureDescription* description = session.textures().objects.find(handle, surface);
  if (!description) return Status::invalid_value;
  const abi::ResourceDesc desc = runtime_form(description->resource);
  std::memcpy(out, &desc, kResourceDescOf12);
  return Status::success;
}

/// Makes an object of a resource. @param description  the rest of its description
Status create(Session& session, unsigned long long* handle, const void* resource, TextureDescription& description) {
  const auto desc = driver_form(read<abi::ResourceDesc>(resource, kResourceDescOf12));
  if (!desc) return Status::invalid_channel_descriptor;
  description.resource = *desc;
  uint64_t made = 0;
  const Status status = session.textures().objects.create(session.texture_context(), description, &made);
  if (status == Status::success) *handle = made;
  return status;
}

}  // namespace

BANKSHOT_API(cudaCreateTextureObject)
(unsigned long long* handle, const void* resource, const abi::TextureDesc* texture, const void* view) {
  return call([&](Session& session) {
    if (!handle || !resource || !texture) return Status::invalid_value;
    TextureDescription description;
    description.texture = driver_form(*texture);
    if (view) description.view = read<abi::ResourceViewDesc>(view, kViewDescOf12);
    return create(session, handle, resource, description);
  });
}

BANKSHOT_API(cudaDestroyTextureObject)(unsigned long long handle) {
  return call(
      [&](Session& session) { return session.textures().objects.destroy(session.texture_context(), handle, false); });
}

BANKSHOT_API(cudaGetTextureObjectResourceDesc)(void* out, unsigned long long handle) {
  return call([&](Session& session) { return describe_resource(session, out, handle, false); });
}

BANKSHOT_API(cudaGetTextureObjectTextureDesc)(abi::TextureDesc* out, unsigned long long handle) {
  return call([&](Session& session) {
    const TextureDescription* description = session.textures().objects.find(handle, false);
    if (!out || !description) return Status::invalid_value;
    *out = runtime_form(description->texture);
    return Status::success;
  });
}

BANKSHOT_API(cudaGetTextureObjectResourceViewDesc)(void* out, unsigned long long handle) {
  return call([&](Session& session) {
    const TextureDescription* description = session.textures().objects.find(handle, false);
    if (!out || !description || !description->view) return Status::invalid_value;
    std::memcpy(out, &*description->view, kViewDescOf12);
    return Status::success;
  });
}

BANKSHOT_API(cudaCreateSurfaceObject)(unsigned long long* handle, const void* resource) {
  return call([&](Session& session) {
    if (!handle || !resource) return Status::invalid_value;
    TextureDescription description;
    description.is_surface = true;
    return create(session, handle, resource, description);
  });
}

BANKSHOT_API(cudaDestroySurfaceObject)(unsigned long long handle) {
  return call(
      [&](Session& session) { return session.textures().objects.destroy(session.texture_context(), handle, true); });
}

BANKSHOT_API(cudaGetSurfaceObjectResourceDesc)(void* out, unsigned long long handle) {
  return call([&](Session& session) { return describe_resource(session, out, handle, true); });
}

}  // namespace bankshot::cuda::runtime

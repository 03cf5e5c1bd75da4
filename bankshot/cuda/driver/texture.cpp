// Texture and surface objects.
#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/textures/textures.hpp"

namespace bankshot::cuda::driver {
namespace {

Status create(uint64_t* handle, const TextureDescription& description) {
  return call([&](Session& session) {
    return session.textures().objects.create(session.texture_context(), description, handle);
  });
}

template <class Work>
Status with_object(uint64_t handle, bool surface, const void* out, Work&& work) {
  return call([&](Session& session) {
    const TextureDescription* description = session.textures().objects.find(handle, surface);
    return out && description ? work(*description) : Status::invalid_value;
  });
}

}  // namespace

BANKSHOT_API(cuTexObjectCreate)
(uint64_t* handle, const abi::DriverResourceDesc* resource, const abi::DriverTextureDesc* texture,
 const abi::ResourceViewDesc* view) {
  if (!handle || !resource || !texture) return Status::invalid_value;
  TextureDescription description{*resource, *texture, std::nullopt, false};
  if (view) description.view = *view;
  return create(handle, description);
}

BANKSHOT_API(cuTexObjectDestroy)(uint64_t handle) {
  return call(
      [&](Session& session) { return session.textures().objects.destroy(session.texture_context(), handle, false); });
}

BANKSHOT_API(cuTexObjectGetResourceDesc)(abi::DriverResourceDesc* out, uint64_t handle) {
  return with_object(handle, false, out,
                     [&](const TextureDescription& description) { return give(out, description.resource); });
}

BANKSHOT_API(cuTexObjectGetTextureDesc)(abi::DriverTextureDesc* out, uint64_t handle) {
  return with_object(handle, false, out,
                     [&](const TextureDescription& description) { return give(out, description.texture); });
}

BANKSHOT_API(cuTexObjectGetResourceViewDesc)(abi::ResourceViewDesc* out, uint64_t handle) {
  return with_object(handle, false, out, [&](const TextureDescription& description) {
    return description.view ? give(out, *description.view) : Status::invalid_value;
  });
}

BANKSHOT_API(cuSurfObjectCreate)(uint64_t* handle, const abi::DriverResourceDesc* resource) {
  if (!handle || !resource) return Status::invalid_value;
  return create(handle, {*resource, {}, std::nullopt, true});
}

BANKSHOT_API(cuSurfObjectDestroy)(uint64_t handle) {
  return call(
      [&](Session& session) { return session.textures().objects.destroy(session.texture_context(), handle, true); });
}

BANKSHOT_API(cuSurfObjectGetResourceDesc)(abi::DriverResourceDesc* out, uint64_t handle) {
  return with_object(handle, true, out,
                     [&](const TextureDescription& description) { return give(out, description.resource); });
}

}  // namespace bankshot::cuda::driver

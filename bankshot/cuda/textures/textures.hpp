// Texture and surface objects from their descriptions, for both interfaces. Descriptions are kept in the driver's
// structures; the runtime's are converted.
#pragma once

#include <optional>
#include <unordered_map>

#include "bankshot/cuda/abi/abi_texture.hpp"
#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/memory/device_memory.hpp"
#include "bankshot/simt/textures/texture_table.hpp"
#include "bankshot/texture/texture.hpp"

namespace bankshot::cuda {

/// What make_texture() needs in addition to the description.
struct TextureContext {
  const DeviceInfo& device;
  DeviceMemory& memory;
  simt::TextureTable& made;  ///< what kernels look up by handle
};

struct TextureDescription {
  abi::DriverResourceDesc resource{};
  abi::DriverTextureDesc texture{};
  std::optional<abi::ResourceViewDesc> view;
  bool is_surface = false;
};

/// What kernels sample. @return success, invalid_value, or invalid_filter_setting for a linear filter on integers
Status make_texture(const TextureContext& context, const TextureDescription& description, texture::Texture& out);

/// Descriptions by object.
class TextureObjects {
 public:
  Status create(const TextureContext& context, const TextureDescription& description, uint64_t* handle);
  Status destroy(const TextureContext& context, uint64_t handle, bool surface);
  /// Null if it is not an object of this kind.
  const TextureDescription* find(uint64_t handle, bool surface) const;
  void clear() { table_.clear(); }

 private:
  std::unordered_map<uint64_t, TextureDescription> table_;
};

/// Conversion from the runtime's structures and back. nullopt if a format is unknown.
std::optional<abi::DriverResourceDesc> driver_form(const abi::ResourceDesc& desc);
abi::ResourceDesc runtime_form(const abi::DriverResourceDesc& desc);
abi::DriverTextureDesc driver_form(const abi::TextureDesc& desc);
abi::TextureDesc runtime_form(const abi::DriverTextureDesc& desc);

}  // namespace bankshot::cuda

#include "bankshot/cuda/textures/textures.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/cuda/memory/array_format.hpp"
#include "bankshot/cuda/process/say.hpp"

namespace bankshot::cuda {
namespace {

using texture::Texture;

/// Numbers of cudaDeviceAttr.
constexpr int kTextureAlignment = 14, kPitchAlignment = 51, kLinearWidth = 69, kPlaneWidth = 70, kPlaneHeight = 71,
              kPlanePitch = 72;

uint64_t limit(const TextureContext& context, int number) {
  return static_cast<uint64_t>(attribute(context.device, number).value_or(0));
}

Status take_linear(const TextureContext& context, const abi::DriverResourceDesc& desc, Texture& out) {
  const auto format = format_of(desc.linear.format, desc.linear.channels);
  if (!format || desc.linear.pointer % limit(context, kTextureAlignment) != 0) return Status::invalid_value;
  const uint64_t texels = desc.linear.bytes / texel_bytes(*format);
  if (texels == 0 || texels > limit(context, kLinearWidth)) return Status::invalid_value;
  if (const Status status = check_range(context.memory.engine(), desc.linear.pointer, desc.linear.bytes, Side::device);
      status != Status::success)
    return status;
  out.format = *format;
  out.is_buffer = true;
  out.levels = {{desc.linear.pointer, static_cast<uint32_t>(texels), 1, 1, desc.linear.bytes, desc.linear.bytes}};
  out.memory = desc.linear.pointer;
  out.bytes = desc.linear.bytes;
  return Status::success;
}

Status take_pitch_2d(const TextureContext& context, const abi::DriverResourceDesc& desc, Texture& out) {
  const auto& plane = desc.pitch_2d;
  const auto format = format_of(plane.format, plane.channels);
  if (!format || plane.width == 0 || plane.height == 0 || plane.width > limit(context, kPlaneWidth) ||
      plane.height > limit(context, kPlaneHeight) || plane.pitch > limit(context, kPlanePitch)) {
    return Status::invalid_value;
  }
  const uint64_t row = plane.width * texel_bytes(*format);
  if (plane.pointer % limit(context, kTextureAlignment) != 0 || plane.pitch % limit(context, kPitchAlignment) != 0 ||
      plane.pitch < row)
    return Status::invalid_value;
  const uint64_t bytes = (plane.height - 1) * plane.pitch + row;
  if (const Status status = check_range(context.memory.engine(), plane.pointer, bytes, Side::device);
      status != Status::success)
    return status;
  out.format = *format;
  out.shape = texture::Shape::plane;
  out.is_pitched = true;
  out.levels = {
      {plane.pointer, static_cast<uint32_t>(plane.width), static_cast<uint32_t>(plane.height), 1, plane.pitch, bytes}};
  out.memory = plane.pointer;
  out.bytes = bytes;
  return Status::success;
}

void take_spec(const ArraySpec& spec, Texture& out) {
  out.format = spec.format;
  out.shape = spec.shape();
  out.layered = spec.has(ArraySpec::kLayered);
}

Status take_array(const Array* array, Texture& out) {
  if (!array) return Status::invalid_value;
  take_spec(array->spec, out);
  out.levels = {array->level};
  out.memory = array->memory;
  out.bytes = array->bytes;
  return Status::success;
}

Status take_mipmapped(const MipmappedArray* mipmapped, Texture& out) {
  if (!mipmapped) return Status::invalid_value;
  take_spec(mipmapped->spec, out);
  out.levels.clear();
  for (const auto& level : mipmapped->levels) out.levels.push_back(level->level);
  out.memory = mipmapped->levels[0]->memory;
  out.bytes = mipmapped->levels[0]->bytes;
  return Status::success;
}

Status take_resource(const TextureContext& context, const abi::DriverResourceDesc& desc, Texture& out) {
  if (desc.flags != 0) return Status::invalid_value;
  switch (desc.type) {
    case abi::kArrayResource: return take_array(context.memory.arrays.array(desc.array), out);
    case abi::kMipmappedResource: return take_mipmapped(context.memory.arrays.mipmapped(desc.mipmap), out);
    case abi::kLinearResource: return take_linear(context, desc, out);
    case abi::kPitch2DResource: return take_pitch_2d(context, desc, out);
    default: return Status::invalid_value;
  }
}

/// Levels and layers of an array, maybe read as another format of the same size. Extents must be the array's own.
Status take_view(const abi::ResourceViewDesc& view, Texture& out) {
  const texture::Level& first = out.levels[0];
  if (view.format != 0) {
    const auto format = view_format(view.format);
    if (!format || texel_bytes(*format) != texel_bytes(out.format)) return Status::invalid_value;
    out.format = *format;
  }
  const uint64_t layers = first.depth;
  const bool sliced = out.layered || out.shape == texture::Shape::cube;
  const auto is = [](uint64_t given, uint64_t own, bool has) { return given == own || (!has && given <= 1); };
  if (view.width != first.width || !is(view.height, first.height, out.shape != texture::Shape::line) ||
      (out.shape == texture::Shape::volume && view.depth != first.depth)) {
    return Status::invalid_value;
  }
  if (view.last_level < view.first_level || view.last_level >= out.levels.size()) return Status::invalid_value;
  out.levels = std::vector(out.levels.begin() + view.first_level, out.levels.begin() + view.last_level + 1);
  if (!sliced || (view.first_layer == 0 && view.last_layer == 0)) return Status::success;
  const uint64_t count = uint64_t{view.last_layer} - view.first_layer + 1;
  if (view.last_layer < view.first_layer || view.last_layer >= layers) return Status::invalid_value;
  if (out.shape == texture::Shape::cube && count % 6 != 0) return Status::invalid_value;
  for (texture::Level& level : out.levels) {
    level.address += view.first_layer * level.slice_pitch;
    level.depth = static_cast<uint32_t>(count);
  }
  return Status::success;
}

Status take_sampler(const abi::DriverTextureDesc& desc, Texture& out) {
  using Desc = abi::DriverTextureDesc;
  texture::Sampler& sampler = out.sampler;
  for (size_t k = 0; k < 3; ++k) {
    if (desc.address_mode[k] < 0 || desc.address_mode[k] > 3) return Status::invalid_value;
    sampler.address[k] = static_cast<texture::Address>(desc.address_mode[k]);
  }
  const auto is_filter = [](int mode) { return mode == 0 || mode == 1; };
  if (!is_filter(desc.filter_mode) || !is_filter(desc.mip_filter)) return Status::invalid_value;
  sampler.filter = static_cast<texture::Filter>(desc.filter_mode);
  sampler.mip_filter = static_cast<texture::Filter>(desc.mip_filter);
  sampler.normalised_coordinates = (desc.flags & Desc::kNormalised) != 0;
  sampler.reading.normalised = (desc.flags & Desc::kInteger) == 0;
  sampler.reading.srgb = (desc.flags & Desc::kSrgb) != 0;
  sampler.seamless_cube = (desc.flags & Desc::kSeamless) != 0;
  sampler.anisotropy = desc.anisotropy;
  sampler.level_bias = desc.level_bias;
  sampler.level_min = desc.level_min;
  sampler.level_max = desc.level_max;
  for (size_t k = 0; k < 4; ++k) sampler.border[k] = std::bit_cast<uint32_t>(desc.border[k]);
  if (out.levels.size() > 1 && !sampler.normalised_coordinates) return Status::invalid_value;
  if (out.is_buffer) {
    sampler.filter = texture::Filter::point;
    return Status::success;
  }
  const bool linear = sampler.filter == texture::Filter::linear ||
                      (out.levels.size() > 1 && sampler.mip_filter == texture::Filter::linear);
  if (linear && !reads_floats(out.format, sampler.reading)) return Status::invalid_filter_setting;
  if (desc.anisotropy > 1)
    say_once("anisotropy",
             "anisotropic filtering of textures is not modelled: filtering is the same in all directions");
  return Status::success;
}

}  // namespace

Status make_texture(const TextureContext& context, const TextureDescription& description, Texture& out) {
  out = {};
  if (const Status status = take_resource(context, description.resource, out); status != Status::success) return status;
  if (description.is_surface) {
    out.is_surface = true;
    if (description.resource.type != abi::kArrayResource) return Status::invalid_value;
    const Array* array = context.memory.arrays.array(description.resource.array);
    return array->spec.has(ArraySpec::kSurface) ? Status::success : Status::invalid_value;
  }
  if (description.view) {
    if (out.is_buffer || out.is_pitched) return Status::invalid_value;
    if (const Status status = take_view(*description.view, out); status != Status::success) return status;
  }
  return take_sampler(description.texture, out);
}

Status TextureObjects::create(const TextureContext& context, const TextureDescription& description, uint64_t* handle) {
  Texture made;
  if (const Status status = make_texture(context, description, made); status != Status::success) return status;
  *handle = context.made.add(std::move(made));
  table_[*handle] = description;
  return Status::success;
}

Status TextureObjects::destroy(const TextureContext& context, uint64_t handle, bool surface) {
  if (!find(handle, surface)) return Status::invalid_value;
  context.made.remove(handle);
  table_.erase(handle);
  return Status::success;
}

const TextureDescription* TextureObjects::find(uint64_t handle, bool surface) const {
  const auto at = table_.find(handle);
  return at == table_.end() || at->second.is_surface != surface ? nullptr : &at->second;
}

std::optional<abi::DriverResourceDesc> driver_form(const abi::ResourceDesc& desc) {
  abi::DriverResourceDesc out{};
  out.type = desc.type;
  out.flags = 0;  // CUDA 12's structure ends before them
  if (desc.type == abi::kLinearResource) {
    const auto format = format_of(desc.linear.desc);
    if (!format) return std::nullopt;
    out.linear = {reinterpret_cast<uint64_t>(desc.linear.pointer), driver_format_of(*format), format->channels,
                  desc.linear.bytes};
  } else if (desc.type == abi::kPitch2DResource) {
    const auto format = format_of(desc.pitch_2d.desc);
    if (!format) return std::nullopt;
    out.pitch_2d = {reinterpret_cast<uint64_t>(desc.pitch_2d.pointer),
                    driver_format_of(*format),
                    format->channels,
                    desc.pitch_2d.width,
                    desc.pitch_2d.height,
                    desc.pitch_2d.pitch};
  } else {
    out.array = desc.array;
  }
  return out;
}

abi::ResourceDesc runtime_form(const abi::DriverResourceDesc& desc) {
  abi::ResourceDesc out{};
  out.type = desc.type;
  const auto channels = [](int format, unsigned count) {
    return channel_desc_of(format_of(format, count).value_or(texture::Format{}));
  };
  if (desc.type == abi::kLinearResource) {
    out.linear = {reinterpret_cast<void*>(desc.linear.pointer), channels(desc.linear.format, desc.linear.channels),
                  desc.linear.bytes};
  } else if (desc.type == abi::kPitch2DResource) {
    const auto& plane = desc.pitch_2d;
    out.pitch_2d = {reinterpret_cast<void*>(plane.pointer), channels(plane.format, plane.channels), plane.width,
                    plane.height, plane.pitch};
  } else {
    out.array = desc.array;
  }
  return out;
}

abi::DriverTextureDesc driver_form(const abi::TextureDesc& desc) {
  using Out = abi::DriverTextureDesc;
  Out out{};
  std::copy_n(desc.address_mode, 3, out.address_mode);
  out.filter_mode = desc.filter_mode;
  out.flags = (desc.read_mode == 0 ? Out::kInteger : 0u) | (desc.normalised_coordinates ? Out::kNormalised : 0u) |
              (desc.srgb ? Out::kSrgb : 0u) | (desc.no_trilinear_optimisation ? Out::kNoTrilinear : 0u) |
              (desc.seamless_cube ? Out::kSeamless : 0u);
  out.anisotropy = desc.anisotropy;
  out.mip_filter = desc.mip_filter;
  out.level_bias = desc.level_bias;
  out.level_min = desc.level_min;
  out.level_max = desc.level_max;
  std::copy_n(desc.border, 4, out.border);
  return out;
}

abi::TextureDesc runtime_form(const abi::DriverTextureDesc& desc) {
  using In = abi::DriverTextureDesc;
  abi::TextureDesc out{};
  std::copy_n(desc.address_mode, 3, out.address_mode);
  out.filter_mode = desc.filter_mode;
  out.read_mode = desc.flags & In::kInteger ? 0 : 1;
  out.srgb = desc.flags & In::kSrgb ? 1 : 0;
  std::copy_n(desc.border, 4, out.border);
  out.normalised_coordinates = desc.flags & In::kNormalised ? 1 : 0;
  out.anisotropy = desc.anisotropy;
  out.mip_filter = desc.mip_filter;
  out.level_bias = desc.level_bias;
  out.level_min = desc.level_min;
  out.level_max = desc.level_max;
  out.no_trilinear_optimisation = desc.flags & In::kNoTrilinear ? 1 : 0;
  out.seamless_cube = desc.flags & In::kSeamless ? 1 : 0;
  return out;
}

}  // namespace bankshot::cuda

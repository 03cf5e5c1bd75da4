#include "bankshot/simt/textures/texture_lanes.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/memory/mapped_range.hpp"
#include "bankshot/simt/textures/texture_table.hpp"

namespace bankshot::simt {
namespace {

using texture::Shape;
using texture::Texture;

std::string shape_name(Shape shape, bool layered) {
  const char* const names[] = {"1D", "2D", "3D", "cube"};
  return std::string(names[static_cast<size_t>(shape)]) + (layered ? " layered" : "");
}

/// What a handle that stands for nothing is.
std::string nothing_there(const Worker& worker, uint64_t handle, bool surface) {
  const std::string object = surface ? "surface" : "texture";
  for (const GlobalInfo& global : worker.program->globals) {
    if (global.address == handle && !global.opaque.empty())
      return object + " variable " + global.name + " is bound to nothing";
  }
  if (worker.textures->was_destroyed(handle)) return object + " object " + hex(handle) + " was destroyed";
  return hex(handle) + " is no " + object + " object";
}

float float_of(const Warp& w, uint32_t row, unsigned lane) {
  return row == OperandRef::kNone ? 0.0f : std::bit_cast<float>(w.row<const uint32_t>(row)[lane]);
}
int32_t integer_of(const Warp& w, uint32_t row, unsigned lane) {
  return row == OperandRef::kNone ? 0 : w.row<const int32_t>(row)[lane];
}

}  // namespace

std::string misfit(const TextureOp& op, const Texture& texture) {
  if (op.kind == TextureOp::Kind::query) return {};
  const auto& level = texture.levels[0];
  const std::string is =
      (texture.is_surface ? "the surface is " : "the texture is ") + shape_name(texture.shape, texture.layered);
  // A surface's faces are layers to instructions.
  if (texture.is_surface && texture.shape == Shape::cube) return op.shape == Shape::plane && op.layered ? "" : is;
  if (op.layered != texture.layered) return is;
  if (op.shape == texture.shape) return {};
  // One row is a line and the other way round: programs make arrays of height 1 for lines.
  const bool flat = op.shape != Shape::cube && op.shape != Shape::volume && texture.shape != Shape::cube &&
                    texture.shape != Shape::volume;
  return flat && level.height == 1 ? "" : is;
}

const Texture* TextureLookup::of(unsigned lane) {
  const uint64_t handle = w_.row<const uint64_t>(i_->op[0])[lane];
  if (texture_ == nullptr || handle != handle_) {
    texture_ = resolve(handle, lane);
    handle_ = handle;
  }
  return texture_;
}

const Texture* TextureLookup::resolve(uint64_t handle, unsigned lane) {
  Worker& worker = *w_.worker;
  const auto wrong = [&](const std::string& what) {
    fault(w_, i_, Fault::Kind::illegal_address, static_cast<int>(lane), handle, what);
    return nullptr;
  };
  const Texture* const found = worker.textures->find(handle);
  if (found == nullptr) return wrong(nothing_there(worker, handle, op_.is_surface));
  if (found->is_surface != op_.is_surface) {
    return wrong(hex(handle) + (op_.is_surface ? " is a texture object, not a surface object"
                                               : " is a surface object, not a texture object"));
  }
  if (const std::string is = misfit(op_, *found); !is.empty()) {
    return wrong(is + ", but the instruction accesses a " + shape_name(op_.shape, op_.layered) + " one");
  }
  Worker::Hit& hit = worker.last_hit(i_);
  if (found->memory < hit.begin || found->memory + found->bytes > hit.end) {
    const Allocation* const memory = worker.memory->find(found->memory);
    if (memory == nullptr || !reaches(*worker.memory, found->memory, found->bytes)) {
      return wrong("the memory of " + std::string(op_.is_surface ? "surface" : "texture") + " object " + hex(handle) +
                   " was freed");
    }
    // The whole texture, which may go on in another mapping.
    hit = {memory->address, std::max(memory->address + memory->size, found->memory + found->bytes), false};
  }
  return found;
}

texture::Request request_of(const Warp& w, const TextureOp& op, const Texture& texture, unsigned lane) {
  texture::Request request;
  request.shape = op.shape;
  request.by_number = op.by_number;
  request.layer = static_cast<uint32_t>(integer_of(w, op.layer, lane));
  std::array<float, 3> dx{}, dy{};
  for (unsigned k = 0; k < 3; ++k) {
    request.at[k] = op.by_number ? 0.0f : float_of(w, op.at[k], lane);
    request.texel[k] = op.by_number ? integer_of(w, op.at[k], lane) : 0;
    dx[k] = float_of(w, op.dx[k], lane);
    dy[k] = float_of(w, op.dy[k], lane);
  }
  if (op.lod_mode == TextureOp::Lod::level) {
    request.has_lod = true;
    request.lod = op.by_number ? static_cast<float>(integer_of(w, op.lod, lane)) : float_of(w, op.lod, lane);
  } else if (op.lod_mode == TextureOp::Lod::gradient) {
    request.has_lod = true;
    request.lod = texture.levels.size() > 1 ? level_of_detail(texture, request, dx, dy) : 0;
  }
  return request;
}

texture::SurfaceRequest surface_request_of(const Warp& w, const TextureOp& op, const Texture& surface, unsigned lane) {
  texture::SurfaceRequest request;
  request.shape = op.shape;
  request.in_bytes = !op.formatted;
  for (unsigned k = 0; k < 3; ++k) request.at[k] = integer_of(w, op.at[k], lane);
  request.layer = static_cast<uint32_t>(integer_of(w, op.layer, lane));
  request.bytes = op.formatted ? texel_bytes(surface.format) : unsigned{op.element_bytes} * op.values;
  return request;
}

}  // namespace bankshot::simt

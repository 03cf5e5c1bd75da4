#include "bankshot/texture/surface.hpp"

#include <algorithm>

namespace bankshot::texture {

SurfacePlace place(const Texture& surface, const SurfaceRequest& request, Outside outside) {
  using Kind = SurfacePlace::Kind;
  const Level& level = surface.levels[0];
  const unsigned texel = texel_bytes(surface.format);
  const int64_t row_bytes = int64_t{level.width} * texel;
  const bool layered = surface.layered || surface.shape == Shape::cube;
  int64_t x = int64_t{request.at[0]} * (request.in_bytes ? 1 : texel);
  int64_t y = request.shape == Shape::line ? 0 : request.at[1];
  int64_t z = request.shape == Shape::volume ? request.at[2] : layered ? int64_t{request.layer} : 0;
  const int64_t last_x = row_bytes - request.bytes, last_y = int64_t{level.height} - 1,
                last_z = int64_t{level.depth} - 1;
  const bool inside = x >= 0 && x <= last_x && y >= 0 && y <= last_y && z >= 0 && z <= last_z;
  if (!inside) {
    if (outside == Outside::trap || last_x < 0) return {outside == Outside::zero ? Kind::nothing : Kind::trap, 0};
    if (outside == Outside::zero) return {Kind::nothing, 0};
    x = std::clamp<int64_t>(x, 0, last_x);
    y = std::clamp<int64_t>(y, 0, last_y);
    z = std::clamp<int64_t>(z, 0, last_z);
  }
  if (x % request.bytes != 0) return {Kind::misaligned, 0};
  return {Kind::inside, level.address + static_cast<uint64_t>(z) * level.slice_pitch +
                            static_cast<uint64_t>(y) * level.row_pitch + static_cast<uint64_t>(x)};
}

}  // namespace bankshot::texture

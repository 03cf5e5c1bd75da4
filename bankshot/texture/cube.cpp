#include "bankshot/texture/cube.hpp"

#include <algorithm>
#include <cmath>

namespace bankshot::texture {
namespace {

/// A face of the cube: the major axis m and the axes of s and t, each 0 to 2 for x, y, z, with their signs.
/// Source: CUDA C++ Programming Guide, "Cubemap Textures", the table of faces
struct Face {
  int m, m_sign, s, s_sign, t, t_sign;
};
constexpr Face kFaces[6] = {{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1},
                            {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1},  {2, -1, 0, -1, 1, -1}};

uint32_t face_of(const std::array<float, 3>& d) {
  const float x = std::fabs(d[0]), y = std::fabs(d[1]), z = std::fabs(d[2]);
  // Where two are equal x comes before y, y before z.
  if (x >= y && x >= z) return std::signbit(d[0]) ? 1 : 0;
  if (y >= z) return std::signbit(d[1]) ? 3 : 2;
  return std::signbit(d[2]) ? 5 : 4;
}

float part(const std::array<float, 3>& d, int axis, int sign) {
  return sign > 0 ? d[static_cast<size_t>(axis)] : -d[static_cast<size_t>(axis)];
}

/// The direction of a place on a face, which may lie beyond its edges.
std::array<float, 3> direction_of(uint32_t face, double s, double t) {
  const Face& f = kFaces[face];
  std::array<float, 3> d{};
  d[static_cast<size_t>(f.m)] = static_cast<float>(f.m_sign);
  d[static_cast<size_t>(f.s)] = static_cast<float>((2 * s - 1) * f.s_sign);
  d[static_cast<size_t>(f.t)] = static_cast<float>((2 * t - 1) * f.t_sign);
  return d;
}

uint32_t nearest(float c, uint32_t size) {
  const double x = std::floor(static_cast<double>(c) * size);
  if (std::isnan(x)) return 0;
  return static_cast<uint32_t>(std::clamp(x, 0.0, static_cast<double>(size - 1)));
}

}  // namespace

CubePlace cube_place(const std::array<float, 3>& d) {
  const uint32_t face = face_of(d);
  const Face& f = kFaces[face];
  const float m = part(d, f.m, f.m_sign);
  if (!(m > 0)) return {face, 0.5f, 0.5f};  // no direction at all: the middle
  return {face, (part(d, f.s, f.s_sign) / m + 1) / 2, (part(d, f.t, f.t_sign) / m + 1) / 2};
}

std::array<double, 2> change_on_face(const std::array<float, 3>& direction, const std::array<float, 3>& d) {
  const Face& f = kFaces[face_of(direction)];
  const double m = part(direction, f.m, f.m_sign), dm = part(d, f.m, f.m_sign);
  if (!(m > 0)) return {0, 0};
  const auto one = [&](int axis, int sign) {
    return (part(d, axis, sign) * m - part(direction, axis, sign) * dm) / (m * m) / 2;
  };
  return {one(f.s, f.s_sign), one(f.t, f.t_sign)};
}

void add_seamless(const Texture& texture, const Request& request, uint32_t number, uint32_t slice, double weight,
                  Taps& to) {
  const Level& level = texture.levels[number];
  const CubePlace place = cube_place(request.at);
  const uint32_t size = level.width;
  const double x = static_cast<double>(place.s * static_cast<float>(size)) - 0.5;
  const double y = static_cast<double>(place.t * static_cast<float>(size)) - 0.5;
  const double i = std::floor(x), j = std::floor(y);
  const double a = std::floor((x - i) * 256 + 0.5) / 256, b = std::floor((y - j) * 256 + 0.5) / 256;
  for (unsigned corner = 0; corner < 4; ++corner) {
    const bool right = corner & 1, down = corner & 2;
    const double share = weight * (right ? a : 1 - a) * (down ? b : 1 - b);
    if (share == 0) continue;
    const double column = i + right, row = j + down;
    CubePlace at{place.face, static_cast<float>((column + 0.5) / size), static_cast<float>((row + 0.5) / size)};
    if (column < 0 || column >= size || row < 0 || row >= size) {
      at = cube_place(direction_of(place.face, (column + 0.5) / size, (row + 0.5) / size));
    }
    const uint64_t address =
        level.at(nearest(at.s, size), nearest(at.t, size), slice + at.face, texel_bytes(texture.format));
    to.tap[to.count++] = {address, share};
  }
}

}  // namespace bankshot::texture

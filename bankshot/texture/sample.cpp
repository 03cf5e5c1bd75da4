#include "bankshot/texture/sample.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bankshot/texture/cube.hpp"

namespace bankshot::texture {
namespace {

constexpr int64_t kOutside = -1;

/// Texels of one axis: numbers, kOutside for the border, and weights in 256ths.
struct AxisTaps {
  std::array<int64_t, 2> index{};
  std::array<unsigned, 2> weight{256, 0};
};

/// A number of a texel as the address mode has it. @param size  texels of the axis
int64_t addressed(int64_t index, int64_t size, Address mode) {
  if (index >= 0 && index < size) return index;
  if (mode == Address::border) return kOutside;
  if (mode == Address::wrap) return (index % size + size) % size;
  return index < 0 ? 0 : size - 1;  // a mirrored coordinate was turned back before: only its neighbours are outside
}

Address mode_of(const Sampler& sampler, unsigned axis, bool normalised) {
  const Address mode = sampler.address[axis];
  return !normalised && (mode == Address::wrap || mode == Address::mirror) ? Address::clamp : mode;
}

/// A coordinate in texels. Normalised ones are brought into [0, 1] where they wrap or mirror, then multiplied in f32.
double in_texels(float c, uint32_t size, Address mode, bool normalised) {
  constexpr double kFar = 0x1p40;  // beyond any texture, within any integer
  if (!(c == c)) return 0;
  if (!normalised) return std::clamp<double>(c, -kFar, kFar);
  if (mode == Address::wrap || mode == Address::mirror) {
    const float whole = std::floor(c), fraction = c - whole;
    const bool odd = std::fmod(whole, 2.0f) != 0;
    c = mode == Address::mirror && odd ? 1.0f - fraction : fraction;
    if (!(c == c)) return 0;  // infinity
  }
  return std::clamp<double>(c * static_cast<float>(size), -kFar, kFar);
}

/// The largest integer that is not greater, within +-2^62: std::floor is a call.
int64_t whole(double x) {
  const auto towards_zero = static_cast<int64_t>(x);
  return towards_zero - (x < static_cast<double>(towards_zero) ? 1 : 0);
}

AxisTaps along(double x, uint32_t size, Address mode, bool linear) {
  AxisTaps out;
  if (!linear) {
    out.index[0] = addressed(whole(x), size, mode);
    return out;
  }
  const double from_centre = x - 0.5;
  const int64_t first = whole(from_centre);
  const auto weight = static_cast<unsigned>((from_centre - static_cast<double>(first)) * 256 + 0.5);
  out.index = {addressed(first, size, mode), addressed(first + 1, size, mode)};
  out.weight = {256 - weight, weight};
  return out;
}

/// Levels that a level of detail falls between.
struct LevelChoice {
  uint32_t first = 0, second = 0;
  unsigned weight = 0;  ///< of the second, in 256ths
};

LevelChoice choose_levels(const Texture& texture, const Request& request) {
  const auto last = static_cast<float>(texture.levels.size() - 1);
  if (!request.has_lod || last == 0) return {};
  const Sampler& sampler = texture.sampler;
  float lod = request.lod + sampler.level_bias;
  if (!(lod == lod)) lod = 0;
  lod = std::min(std::max(lod, sampler.level_min), sampler.level_max);  // not clamp: limits may be crossed
  lod = std::clamp(lod, 0.0f, last);
  if (sampler.mip_filter == Filter::point) {
    const auto level = static_cast<uint32_t>(std::floor(static_cast<double>(lod) + 0.5));
    return {level, level, 0};
  }
  const float low = std::floor(lod);
  const auto first = static_cast<uint32_t>(low);
  const auto weight = static_cast<unsigned>(std::floor(static_cast<double>(lod - low) * 256 + 0.5));
  return {first, std::min(first + 1, static_cast<uint32_t>(last)), weight};
}

/// The fetch from one level, once the cube's face is found.
struct LevelFetch {
  const Texture& texture;
  const Level& level;
  uint32_t slice = 0;  ///< layer or face; of volumes none
  bool linear = false;
  std::array<AxisTaps, 3> axes;
  unsigned axis_count = 1;

  /// The address of the texel of a point filter.
  uint64_t only_tap() const {
    const int64_t x = axes[0].index[0], y = axes[1].index[0], z = axes[2].index[0];
    if (x == kOutside || (axis_count > 1 && y == kOutside) || (axis_count > 2 && z == kOutside)) return 0;
    return level.at(static_cast<uint32_t>(x), axis_count > 1 ? static_cast<uint32_t>(y) : 0,
                    axis_count > 2 ? static_cast<uint32_t>(z) : slice, texel_bytes(texture.format));
  }

  /// Calls visit(address, share of the weight) for each texel that counts.
  template <class Visit>
  void visit_taps(double weight, Visit&& visit) const {
    const unsigned texel = texel_bytes(texture.format);
    const unsigned corners = linear ? 1u << axis_count : 1;
    for (unsigned corner = 0; corner < corners; ++corner) {
      double share = weight;
      std::array<int64_t, 3> at{};
      for (unsigned k = 0; k < axis_count; ++k) {
        const unsigned side = corner >> k & 1;
        share *= axes[k].weight[side] / 256.0;
        at[k] = axes[k].index[side];
      }
      if (share == 0) continue;
      const bool outside = at[0] == kOutside || at[1] == kOutside || at[2] == kOutside;
      const uint32_t z = axis_count == 3 ? static_cast<uint32_t>(at[2]) : slice;
      const uint64_t address =
          outside ? 0 : level.at(static_cast<uint32_t>(at[0]), static_cast<uint32_t>(at[1]), z, texel);
      visit(address, share);
    }
  }
};

std::array<uint32_t, 3> sides(const Level& level) { return {level.width, level.height, level.depth}; }

unsigned axes_of(Shape shape) { return shape == Shape::line ? 1 : shape == Shape::volume ? 3 : 2; }

uint32_t first_slice(const Texture& texture, const Request& request) {
  if (!texture.layered) return 0;
  const uint32_t layer = std::min(request.layer, texture.layers() - 1);
  return texture.shape == Shape::cube ? 6 * layer : layer;
}

/// The fetch along each axis from one level.
LevelFetch prepare(const Texture& texture, const Request& request, uint32_t number, bool linear) {
  const Level& level = texture.levels[number];
  LevelFetch fetch{texture, level, first_slice(texture, request), linear, {}, axes_of(request.shape)};
  const Sampler& sampler = texture.sampler;
  std::array<float, 3> at = request.at;
  bool normalised = sampler.normalised_coordinates;
  if (request.shape == Shape::cube) {
    const CubePlace place = cube_place(request.at);
    at = {place.s, place.t, 0};
    fetch.slice += place.face;
    normalised = true;
  }
  for (unsigned k = 0; k < fetch.axis_count; ++k) {
    const uint32_t size = sides(level)[k];
    if (request.by_number) {
      fetch.axes[k].index[0] = addressed(request.texel[k], size, mode_of(sampler, k, false));
      continue;
    }
    // On a cube's faces what is outside is not said; the nearest texel of the face is taken unless it is seamless.
    const Address mode = request.shape == Shape::cube ? Address::clamp : mode_of(sampler, k, normalised);
    fetch.axes[k] = along(in_texels(at[k], size, mode, normalised), size, mode, linear);
  }
  return fetch;
}

void add_level(const Texture& texture, const Request& request, uint32_t number, double weight, Taps& to) {
  if (weight == 0) return;
  const bool linear = texture.sampler.filter == Filter::linear && !request.by_number;
  if (request.shape == Shape::cube && linear && texture.sampler.seamless_cube) {
    add_seamless(texture, request, number, first_slice(texture, request), weight, to);
    return;
  }
  prepare(texture, request, number, linear).visit_taps(weight, [&](uint64_t address, double share) {
    to.tap[to.count++] = {address, share};
  });
}

Texel border_of(const Texture& texture) { return texture.is_buffer ? Texel{} : texture.sampler.border; }

Texel texel_at(const Texture& texture, uint64_t address) {
  if (address == 0) return border_of(texture);
  return decode(texture.format, texture.sampler.reading, reinterpret_cast<const std::byte*>(address));
}

Taps buffer_taps(const Texture& texture, const Request& request) {
  const Level& level = texture.levels[0];
  const double x =
      request.by_number ? request.texel[0] : std::floor(in_texels(request.at[0], level.width, Address::clamp, false));
  Taps out;
  out.count = 1;
  out.tap[0].address =
      x < 0 || x >= level.width ? 0 : level.at(static_cast<uint32_t>(x), 0, 0, texel_bytes(texture.format));
  return out;
}

}  // namespace

Taps taps(const Texture& texture, const Request& request) {
  if (texture.is_buffer) return buffer_taps(texture, request);
  const LevelChoice levels = choose_levels(texture, request);
  Taps out;
  add_level(texture, request, levels.first, (256 - levels.weight) / 256.0, out);
  add_level(texture, request, levels.second, levels.weight / 256.0, out);
  return out;
}

namespace {

/// A weighted sum of texels.
struct Sum {
  std::array<double, 4> channels{};
  Texel only{};
  unsigned count = 0;

  void add(const Texture& texture, uint64_t address, double weight) {
    only = texel_at(texture, address);
    ++count;
    for (unsigned c = 0; c < 4; ++c) channels[c] += weight * static_cast<double>(std::bit_cast<float>(only[c]));
  }
  /// A single texel stays as it is, integer or float.
  Texel rounded() const {
    if (count == 1) return only;
    Texel out;
    for (unsigned c = 0; c < 4; ++c) {
      const auto value = static_cast<float>(channels[c]);
      out[c] = value == value ? std::bit_cast<uint32_t>(value) : 0x7fffffffu;
    }
    return out;
  }
};

}  // namespace

Texel blend(const Texture& texture, const Taps& taps) {
  Sum sum;
  for (unsigned k = 0; k < taps.count; ++k) sum.add(texture, taps.tap[k].address, taps.tap[k].weight);
  return sum.rounded();
}

Texel fetch(const Texture& texture, const Request& request) {
  // Most fetches are from one level without a cube: no list of taps then.
  if (texture.is_buffer || texture.levels.size() > 1 || request.shape == Shape::cube)
    return blend(texture, taps(texture, request));
  const bool linear = texture.sampler.filter == Filter::linear && !request.by_number;
  const LevelFetch one = prepare(texture, request, 0, linear);
  if (!linear) return texel_at(texture, one.only_tap());
  Sum sum;
  one.visit_taps(1, [&](uint64_t address, double share) { sum.add(texture, address, share); });
  return sum.rounded();
}

std::array<Taps::Tap, 4> gather_taps(const Texture& texture, const Request& request) {
  LevelFetch four = prepare(texture, request, 0, true);
  const auto at = [&](unsigned x, unsigned y) {
    const int64_t i = four.axes[0].index[x], j = four.axes[1].index[y];
    const bool outside = i == kOutside || j == kOutside;
    return Taps::Tap{outside ? 0
                             : four.level.at(static_cast<uint32_t>(i), static_cast<uint32_t>(j), four.slice,
                                             texel_bytes(texture.format)),
                     1};
  };
  return {at(0, 1), at(1, 1), at(1, 0), at(0, 0)};
}

Texel gather(const Texture& texture, const Request& request, unsigned component) {
  Texel out;
  const std::array<Taps::Tap, 4> four = gather_taps(texture, request);
  for (unsigned k = 0; k < 4; ++k) out[k] = texel_at(texture, four[k].address)[component];
  return out;
}

float level_of_detail(const Texture& texture, const Request& request, const std::array<float, 3>& dx,
                      const std::array<float, 3>& dy) {
  const Level& level = texture.levels[0];
  const bool cube = request.shape == Shape::cube;
  const auto length = [&](const std::array<float, 3>& d) {
    const std::array<double, 2> on_face = cube ? change_on_face(request.at, d) : std::array<double, 2>{};
    double sum = 0;
    for (unsigned k = 0; k < axes_of(request.shape); ++k) {
      const bool scaled = cube || texture.sampler.normalised_coordinates;
      const double change = (cube ? on_face[k] : static_cast<double>(d[k])) * (scaled ? sides(level)[k] : 1);
      sum += change * change;
    }
    return std::sqrt(sum);
  };
  const double longest = std::max(length(dx), length(dy));
  return longest > 0 ? static_cast<float>(std::log2(longest)) : -126.0f;
}

}  // namespace bankshot::texture

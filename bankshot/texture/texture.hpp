// A texture or surface as a kernel sees it: where its texels lie, and how it is sampled. Pure data.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bankshot/texture/format.hpp"

namespace bankshot::texture {

enum class Shape : uint8_t { line, plane, volume, cube };  ///< 1D, 2D, 3D, cube

/// What an index outside of an axis means. wrap and mirror are for normalised coordinates; with others they clamp.
/// Source: CUDA C++ Programming Guide, "Texture Memory". In the order of cudaTextureAddressMode.
enum class Address : uint8_t { wrap, clamp, mirror, border };
enum class Filter : uint8_t { point, linear };

struct Sampler {
  std::array<Address, 3> address{Address::clamp, Address::clamp, Address::clamp};
  Filter filter = Filter::point;
  bool normalised_coordinates = false;  ///< [0, 1) in place of [0, width)
  Reading reading;
  std::array<uint32_t, 4> border{};  ///< as the fetch gives it: f32 bits, or integers
  Filter mip_filter = Filter::point;
  float level_bias = 0, level_min = 0, level_max = 0;
  unsigned anisotropy = 0;     ///< kept for queries; sampling is isotropic
  bool seamless_cube = false;  ///< filtering crosses the edges of a cube's faces
};

/// Texels in rows. What lies behind it is `depth` slices: of a volume, or layers, or the faces of cubes (six for each).
struct Level {
  uint64_t address = 0;                       ///< of texel (0, 0, 0)
  uint32_t width = 1, height = 1, depth = 1;  ///< texels, rows, slices
  uint64_t row_pitch = 0, slice_pitch = 0;    ///< bytes
  uint64_t at(uint32_t x, uint32_t y, uint32_t z, unsigned texel) const {
    return address + z * slice_pitch + y * row_pitch + uint64_t{x} * texel;
  }
};

struct Texture {
  Format format;
  Shape shape = Shape::line;
  bool layered = false;
  bool is_buffer = false;  ///< linear memory: fetched by number, no filter, zero outside
  bool is_surface = false;
  bool is_pitched = false;    ///< rows of linear memory
  std::vector<Level> levels;  ///< from the largest on; one or more
  Sampler sampler;
  uint64_t memory = 0, bytes = 0;  ///< the allocation that must be there: start, and size as far as it is used

  /// Layers, or cubes of a layered cube; 1 if it has none.
  uint32_t layers() const {
    const uint32_t slices = shape == Shape::cube ? levels[0].depth / 6 : levels[0].depth;
    return layered ? slices : 1;
  }
};

}  // namespace bankshot::texture

// Texture fetches: which texels with which weights, and what comes of them.
// Source: CUDA C++ Programming Guide, "Texture Fetching" and "Texture Memory", from which the formulas are. Hardware is
// not documented further; where the guide leaves something open, this header says what is done.
#pragma once

#include <array>
#include <cstdint>

#include "bankshot/texture/texture.hpp"

namespace bankshot::texture {

/// What one lane of a tex instruction asks for.
struct Request {
  Shape shape = Shape::line;
  bool by_number = false;          ///< coordinates are numbers of texels (.s32), not places
  std::array<float, 3> at{};       ///< unless by_number
  std::array<int32_t, 3> texel{};  ///< if by_number
  uint32_t layer = 0;              ///< clamped to those there are
  /// .level and .grad: the level of detail, to which the sampler's bias and limits apply. Without it the fetch is from
  /// the first level.
  bool has_lod = false;
  float lod = 0;
};

/// Texels that a fetch needs. Weights sum to 1.
struct Taps {
  struct Tap {
    uint64_t address = 0;  ///< 0: outside, where the border's colour is
    double weight = 1;
  };
  static constexpr unsigned kMost = 16;  ///< eight texels of each of two levels
  std::array<Tap, kMost> tap;
  unsigned count = 0;
};

/// Weights of linear filtering are of 9 bits, 8 of them behind the point, as the guide says; here rounded to the
/// nearest. Texels of weight 0 are not among the taps. A NaN coordinate is taken as 0.
Taps taps(const Texture& texture, const Request& request);

/// What the fetch gives: a texel, or the weighted sum of several, summed in double and rounded once.
Texel fetch(const Texture& texture, const Request& request);
Texel blend(const Texture& texture, const Taps& taps);

/// tld4: one component of the four texels that a linear filter would weigh, counterclockwise from lower left: (i, j+1),
/// (i+1, j+1), (i+1, j), (i, j). Source: PTX ISA, tld4
std::array<Taps::Tap, 4> gather_taps(const Texture& texture, const Request& request);
Texel gather(const Texture& texture, const Request& request, unsigned component);

/// The level of detail for .grad: log2 of the longer of the two changes in texels of level 0.
/// @param dx, dy  change of the coordinates toward the neighbours
/// Source: the definition of OpenGL, "Scale Factor and Level-of-Detail"; CUDA does not say
float level_of_detail(const Texture& texture, const Request& request, const std::array<float, 3>& dx,
                      const std::array<float, 3>& dy);

/// Where a direction meets the cube. Source: the guide, "Cubemap Textures"
struct CubePlace {
  uint32_t face = 0;
  float s = 0, t = 0;  ///< [0, 1] across the face
};
CubePlace cube_place(const std::array<float, 3>& direction);

}  // namespace bankshot::texture

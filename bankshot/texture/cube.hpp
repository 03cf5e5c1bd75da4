// The geometry of cube maps beyond which face a direction meets.
#pragma once

#include "bankshot/texture/sample.hpp"

namespace bankshot::texture {

/// Adds the texels of a linear filter that crosses the edges of faces: one beyond an edge is the nearest one on the
/// face that its direction meets. At a corner, where three faces meet, so are all four texels.
/// @param slice  of the cube's first face
void add_seamless(const Texture& texture, const Request& request, uint32_t level, uint32_t slice, double weight,
                  Taps& to);

/// How fast the place on the face changes, in widths of the face, as the direction changes by `d`.
std::array<double, 2> change_on_face(const std::array<float, 3>& direction, const std::array<float, 3>& d);

}  // namespace bankshot::texture

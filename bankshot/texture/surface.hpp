// Surface accesses: where they go.
#pragma once

#include "bankshot/texture/texture.hpp"

namespace bankshot::texture {

/// What an access outside of the surface does: .trap, .clamp, .zero. Source: PTX ISA, suld
enum class Outside : uint8_t { trap, clamp, zero };

/// What one lane of suld, sust or sured asks for.
struct SurfaceRequest {
  Shape shape = Shape::line;  ///< of the instruction: line, plane or volume
  bool in_bytes = true;       ///< x counts bytes (.b), not texels (.p)
  std::array<int32_t, 3> at{};
  uint32_t layer = 0;
  unsigned bytes = 4;  ///< of the access
};

struct SurfacePlace {
  enum class Kind : uint8_t { inside, nothing, trap, misaligned };
  Kind kind = Kind::inside;
  uint64_t address = 0;  ///< inside: of its first byte
};

/// In the first level. Layers count as a coordinate: those outside trap, clamp or are zero as well.
SurfacePlace place(const Texture& surface, const SurfaceRequest& request, Outside outside);

}  // namespace bankshot::texture

// Sizes of grids, blocks and clusters as messages show them.
#pragma once

#include <string>

#include <fmt/format.h>

#include "bankshot/simt/state/fault.hpp"

namespace bankshot::cuda {

/// "(8,1,1)"
inline std::string extents(const simt::Dim3& size) { return fmt::format("({},{},{})", size.x, size.y, size.z); }

}  // namespace bankshot::cuda

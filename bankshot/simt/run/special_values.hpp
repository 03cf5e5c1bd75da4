// What the special registers of a warp hold that do not change while it runs. Source: PTX ISA 9.0, section 10 (special
// registers).
#pragma once

#include <string_view>

#include "bankshot/simt/state/cta_state.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

struct SpecialPlace {
  const Worker& worker;
  const Cta& cta;
  uint32_t warp;          ///< of the CTA
  std::string_view name;  ///< of the register
};

struct WarpSpecial {
  std::string_view name;
  uint64_t (*value)(const SpecialPlace& place, uint32_t lane);
};

/// By its name, "%tid.x". Of those that are not known before the warp runs, such as clocks, the value is 0.
WarpSpecial warp_special(std::string_view name);

/// The size or place along the axis x, y or z; 0 along another.
inline uint32_t along(const Dim3& d, char axis) {
  return axis == 'x' ? d.x : axis == 'y' ? d.y : axis == 'z' ? d.z : 0;
}

}  // namespace bankshot::simt

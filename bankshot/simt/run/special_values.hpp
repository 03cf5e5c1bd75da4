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

/// What the register holds in a lane.
using SpecialValue = uint64_t (*)(const SpecialPlace& place, uint32_t lane);

/// Looks a register up by its name, such as "%tid.x". Registers that change while the warp runs, such as clocks, give
/// 0.
SpecialValue special_value(std::string_view name);

/// The size or place along the axis x, y or z; 0 along another.
inline uint32_t along(const Dim3& d, char axis) {
  return axis == 'x' ? d.x : axis == 'y' ? d.y : axis == 'z' ? d.z : 0;
}

}  // namespace bankshot::simt

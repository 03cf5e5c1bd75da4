// What PTX leaves open and a program may rely on all the same.
#pragma once

#include <array>
#include <cstdint>

#include "bankshot/simt/state/fault.hpp"

namespace bankshot::simt {

enum class LeftOpen : uint8_t {
  unnamed_lane,  ///< an exchange between lanes in a lane that its membermask does not name
  absent_lane,   ///< a shuffle from a lane that is off
};
inline constexpr std::array kLeftOpen = {LeftOpen::unnamed_lane, LeftOpen::absent_lane};

/// "unnamed_lane"
constexpr const char* name(LeftOpen what) { return what == LeftOpen::unnamed_lane ? "unnamed_lane" : "absent_lane"; }

/// Where a launch did so first in the text.
struct LeftOpenPlace {
  LeftOpen what{};
  Source source;
};

}  // namespace bankshot::simt

// What happened when: spans of time on the tracks of an SM, for a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/timing/base/clock.hpp"

namespace bankshot::timing {

/// Which row of an SM's picture a span is on.
enum class Track : uint8_t { warp, unit, scratchpad };

struct Span {
  Cycle begin = 0, end = 0;  ///< core cycles since the launch began; [begin, end)
  Track track = Track::warp;
  uint8_t index = 0;  ///< warp slot; UnitClass; 0
  uint16_t sm = 0;
  uint32_t instr = 0;   ///< index of the instruction in LaunchTiming::lines
  uint32_t cta = 0;     ///< linear
  uint32_t degree = 0;  ///< scratchpad: wavefronts
};

}  // namespace bankshot::timing

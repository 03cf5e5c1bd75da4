// A picture of one warp access: banks from left to right, passes from top to bottom.
#pragma once

#include <string>
#include <vector>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// Lines of the picture of the worst access of a site, a sentence about it last. At most `most_passes` passes are
/// drawn.
///
///     bank   0       4       8  …
///     pass 1 0 . . . . . . . .  …     lane 0 is served by bank 0; the other banks idle
///     pass 2 1 . . . . . . . .  …
std::vector<std::string> picture(const Site& site, const scratchpad::Rules& rules, unsigned most_passes = 8);

/// "0".."9", "a".."v" for lanes 0 to 31; capitals and signs after that.
char lane_letter(unsigned lane);

}  // namespace bankshot::report

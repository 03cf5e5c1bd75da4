// The instructions of a simulated kernel by source line.
#pragma once

#include <cstddef>
#include <vector>

#include "bankshot/report/run/kernel_timing.hpp"

namespace bankshot::report {

/// The instructions of one source line; without line information, one instruction.
struct TimedLine {
  std::vector<size_t> instructions;  ///< indices into KernelTiming::lines, never empty: most stalls first
  timing::LineCounters counters;     ///< sums over them
};

/// Every instruction is in one line. Most stalls first; of equals, by the place of the first instruction in the PTX.
std::vector<TimedLine> timed_lines(const KernelTiming& timing);

}  // namespace bankshot::report

// What the simulation of a launch tells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/simt/run/engine.hpp"
#include "bankshot/timing/base/counters.hpp"
#include "bankshot/timing/base/timeline.hpp"

namespace bankshot::timing {

struct LineTiming {
  simt::Source source;
  std::string op;  ///< "ld.shared.f32"
  LineCounters counters;
};

struct LaunchTiming {
  Counters counters;
  unsigned ctas_per_sm = 0;  ///< that fit at once
  unsigned warps_per_cta = 0;
  std::string limited_by;         ///< "registers", "shared memory", "warps", "CTA slots"
  std::vector<LineTiming> lines;  ///< instructions that were issued or waited for, in the order of the program
  bool partial = false;           ///< it was stopped: --max-cycles or an interrupt
  std::vector<Span> timeline;     ///< of its first cycles, if one is wanted; by SM, then in order of begin
};

}  // namespace bankshot::timing

// What the simulation of a launch tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/simt/run/engine.hpp"
#include "bankshot/timing/base/counters.hpp"
#include "bankshot/timing/base/slot_series.hpp"
#include "bankshot/timing/base/timeline.hpp"

namespace bankshot::timing {

struct LineTiming {
  simt::Source source;
  std::string op;  ///< "ld.shared.f32"
  LineCounters counters;
};

/// Of a program that is sampled: what a launch, or several, would take if all of it were simulated.
struct Sampled {
  uint64_t warp_instructions = 0;  ///< of all
  double cycles = 0;               ///< estimated
  double error = 0;                ///< of that, to both sides, 95 % by the spread of the samples: sampling.hpp
};
/// Their errors may have the same cause.
inline void add(Sampled& sum, const Sampled& more) {
  sum.warp_instructions += more.warp_instructions;
  sum.cycles += more.cycles;
  sum.error += more.error;
}

struct LaunchTiming {
  Counters counters;
  unsigned ctas_per_sm = 0;  ///< that fit at once
  unsigned warps_per_cta = 0;
  std::string limited_by;          ///< "registers", "shared memory", "warps", "CTA slots"
  SlotSeries over_time;            ///< the issue slots of all SMs
  std::vector<LineTiming> lines;   ///< instructions that were issued or waited for, in the order of the program
  bool partial = false;            ///< it was stopped: --max-cycles or an interrupt
  std::optional<Sampled> sampled;  ///< with sampling; everything else covers the simulated part, which may be empty
  std::vector<Span> timeline;      ///< of its first cycles, if one is wanted; by SM, then in order of begin
};

}  // namespace bankshot::timing

// bankshot sweep PLAN: runs the points of a plan that have no result.
#pragma once

#include <string>

#include "bankshot/sweep/engines/engine.hpp"
#include "bankshot/sweep/run/halving.hpp"
#include "bankshot/sweep/store/store.hpp"

namespace bankshot::cli {

struct SweepRun {
  std::string plan, store, json;
  std::string engine = "local";
  sweep::EngineOptions options;
  bool dry = false;
  bool retry = false;    ///< points that failed, too
  std::string optimise;  ///< the measure to make least; empty: all points run
  sweep::HalvingOptions halving;
  bool progress = false;  ///< on standard error even if that is no terminal
};

/// @return exit status
int run_sweep(const SweepRun& request);

/// "3 points failed: …" with the messages, at most a few.
std::string failures_text(sweep::Store& store, const sweep::SweepInfo& sweep);

/// "2 h 5 min", "3 min 20 s", "12 s", "0.4 s"
std::string duration_text(double seconds);

}  // namespace bankshot::cli

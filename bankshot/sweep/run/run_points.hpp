// Running chosen points of a plan, and their results.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bankshot/sweep/run/optimise.hpp"
#include "bankshot/sweep/run/run_open.hpp"

namespace bankshot::sweep {

struct PlannedRun {
  size_t row = 0;  ///< of the plan
  bool sampled = false;
};

/// Runs those that are not known. Of a point that is known in full no sample is made: its result counts.
/// @return the measure of each, of the kernels that count; none: it failed.
/// Empty if progress() stopped it
Result<std::vector<std::optional<double>>> run_points(Store& store, const Plan& plan, Resolver& resolver,
                                                      Engine& engine, const std::vector<PlannedRun>& runs,
                                                      const OptimiseRequest& request);

}  // namespace bankshot::sweep

// Running chosen points of a plan, and their results.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bankshot/sweep/run/run_open.hpp"

namespace bankshot::sweep {

struct PlannedRun {
  size_t row = 0;  ///< of the plan
  bool sampled = false;
};

/// Runs those that are not known. @param retry  those that failed before, too
/// @return the cycles of each (conflicts, if the plan does not simulate) of the kernels that count; none: it failed.
/// Empty if progress() stopped it
Result<std::vector<std::optional<double>>> run_points(Store& store, const Plan& plan, Resolver& resolver,
                                                      Engine& engine, const std::vector<PlannedRun>& runs, bool retry,
                                                      const std::function<bool(const RunProgress&)>& progress);

}  // namespace bankshot::sweep

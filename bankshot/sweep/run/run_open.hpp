// Running the points of a sweep that have no result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bankshot/sweep/engines/engine.hpp"
#include "bankshot/sweep/plan/plan.hpp"
#include "bankshot/sweep/points/resolver.hpp"
#include "bankshot/sweep/store/store.hpp"

namespace bankshot::sweep {

struct RunProgress {
  size_t points = 0;  ///< to be run
  size_t done = 0, failed = 0, running = 0;
  double elapsed = 0;               ///< seconds
  double busy = 0;                  ///< seconds that the points took that have ended, all together
  std::optional<double> left = {};  ///< seconds, if that can be told
};

struct RunRequest {
  bool failed = false;  ///< those that failed before, too
  /// Called at least once a second. @return false: stop
  std::function<bool(const RunProgress&)> progress;
};

/// A point of a plan that has no result.
struct Pending {
  uint64_t point = 0;  ///< in the store
  size_t row = 0;      ///< in the plan
  bool sampled = false;
};

/// @return what was done, or why points cannot run on this engine
Result<RunProgress> run_pending(Store& store, Resolver& resolver, Engine& engine, const std::vector<Pending>& points,
                                const RunRequest& request);
/// The same of all points of a sweep without a result.
Result<RunProgress> run_open(Store& store, const SweepInfo& sweep, Resolver& resolver, Engine& engine,
                             const RunRequest& request);

/// What a plan would run, by what is known.
struct Forecast {
  size_t points = 0;     ///< of the plan
  size_t different = 0;  ///< runs that they are
  size_t known = 0, failed = 0, open = 0;
  double seconds = 0;       ///< that the open ones take on one core, as far as that is known
  size_t without_time = 0;  ///< open ones of programs that never ran
};
/// @param store  null: nothing is known
/// @param retry  points that failed are to be run, too
Result<Forecast> forecast(Store* store, const Plan& plan, Resolver& resolver, bool retry);

}  // namespace bankshot::sweep

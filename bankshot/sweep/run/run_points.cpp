#include "bankshot/sweep/run/run_points.hpp"

#include <algorithm>
#include <unordered_set>

namespace bankshot::sweep {

Result<std::vector<std::optional<double>>> run_points(Store& store, const Plan& plan, Resolver& resolver,
                                                      Engine& engine, const std::vector<PlannedRun>& runs,
                                                      const OptimiseRequest& request) {
  std::vector<uint64_t> points;
  std::vector<Pending> pending;
  std::unordered_set<uint64_t> seen;
  for (const PlannedRun& run : runs) {
    if (run.sampled) {
      const Result<Point> exact = resolver.point(run.row);
      if (!exact) return exact.error();
      const std::optional<Known> known = store.known(exact->key);
      if (known && known->status == "done") {
        points.push_back(known->point);
        continue;
      }
    }
    const Result<Point> point = resolver.point(run.row, run.sampled);
    if (!point) return point.error();
    points.push_back(store.enter(*point));
    const std::optional<Known> known = store.known(point->key);
    const bool is_wanted = known && (known->status == "open" || (request.retry && known->status == "failed"));
    if (is_wanted && seen.insert(points.back()).second) pending.push_back({points.back(), run.row, run.sampled});
  }
  bool is_stopped = false;
  RunRequest run;
  run.progress = [&](const RunProgress& now) {
    is_stopped |= request.progress && !request.progress(now);
    return !is_stopped;
  };
  const Result<RunProgress> ran = run_pending(store, resolver, engine, pending, run);
  if (!ran) return ran.error();
  std::vector<std::optional<double>> values;
  if (is_stopped) return values;
  for (size_t k = 0; k < runs.size(); ++k) {
    const std::string& kernel = plan.program(runs[k].row).kernel;
    values.push_back(store.result(points[k], request.measure, kernel));
  }
  return values;
}

}  // namespace bankshot::sweep

#include "bankshot/sweep/run/run_open.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bankshot/sweep/store/point_ids.hpp"

namespace bankshot::sweep {
namespace {

/// How long what is left will take: by the mean of each kind of run so far, and how many ran at once so far.
class TimeLeft {
 public:
  /// @return the number of a kind of run
  size_t kind(const std::string& name, double expected) {
    const auto [known, is_new] = numbers_.try_emplace(name, kinds_.size());
    if (is_new) kinds_.push_back({0, 0, 0, expected});
    return known->second;
  }
  void add(size_t kind) { ++kinds_[kind].open; }
  void ended(size_t kind, double seconds) {
    --kinds_[kind].open;
    ++kinds_[kind].ended;
    kinds_[kind].seconds += seconds;
    busy_ += seconds;
    ++ended_;
  }
  double busy() const { return busy_; }
  std::optional<double> left(double elapsed) const {
    if (ended_ == 0 || elapsed <= 0 || busy_ <= 0) return std::nullopt;
    double work = 0;
    for (const Kind& one : kinds_) {
      const double mean = one.ended != 0      ? one.seconds / static_cast<double>(one.ended)
                          : one.expected != 0 ? one.expected
                                              : busy_ / static_cast<double>(ended_);
      work += mean * static_cast<double>(one.open);
    }
    return work / (busy_ / elapsed);
  }

 private:
  struct Kind {
    size_t open = 0, ended = 0;
    double seconds = 0, expected = 0;
  };
  std::map<std::string, size_t> numbers_;
  std::vector<Kind> kinds_;
  double busy_ = 0;
  size_t ended_ = 0;
};

}  // namespace

Result<RunProgress> run_pending(Store& store, Resolver& resolver, Engine& engine, const std::vector<Pending>& points,
                                const RunRequest& request) {
  using Clock = std::chrono::steady_clock;
  const Expectations expectations = store.expectations();
  struct Open {
    Pending point;
    size_t kind = 0;
  };
  std::unordered_map<uint64_t, Open> all;
  std::vector<Job> jobs;
  TimeLeft time;
  for (const Pending& open : points) {
    const Result<Point> point = resolver.point(open.row, open.sampled);
    if (!point) return point.error();
    const Expected expected = expectations.of(point->task).value_or(Expected{});
    const size_t kind = time.kind(program_name(point->task) + " " + arguments_text(point->task), expected.seconds);
    jobs.push_back({open.point, expected.seconds, expected.peak_bytes, kind});
    all[open.point] = {open, kind};
    time.add(kind);
  }
  RunProgress progress;
  progress.points = jobs.size();
  const Clock::time_point start = Clock::now();
  double next_estimate = 0;
  std::unordered_map<uint64_t, std::vector<std::string>> running;
  std::string changed;  ///< a file that is no longer what it was
  std::string trouble;  ///< why a point can no longer be made
  Caller caller;
  caller.task = [&](const Job& job) -> std::optional<Task> {
    if (store.is_done(job.id)) {
      ++progress.done;
      time.ended(all.at(job.id).kind, 0);
      return std::nullopt;
    }
    const Pending& pending = all.at(job.id).point;
    Result<Point> point = resolver.point(pending.row, pending.sampled);
    if (!point) {
      trouble = point.error().message;
      return std::nullopt;
    }
    running[job.id] = point->files;
    point->task.id = job.id;
    point->task.key = point->key;
    return std::move(point->task);
  };
  caller.finished = [&](const Outcome& outcome) {
    // The key stands for the bytes that were there when it was made.
    if (changed.empty()) changed = resolver.changed_since(running[outcome.id]);
    running.erase(outcome.id);
    if (!changed.empty()) return;
    store.record(outcome);
    ++(outcome.failure.empty() ? progress.done : progress.failed);
    time.ended(all.at(outcome.id).kind, outcome.seconds);
  };
  caller.found = [&](const std::string& key, Outcome outcome) -> std::optional<uint64_t> {
    const std::optional<Known> known = store.known(key);
    if (!known || known->status == "done" || (known->status == "failed" && !outcome.failure.empty()))
      return std::nullopt;
    outcome.id = known->point;
    if (all.contains(outcome.id))
      caller.finished(outcome);
    else
      store.record(outcome);
    return outcome.id;
  };
  caller.beat = [&](size_t running) {
    progress.running = running;
    progress.elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    progress.busy = time.busy();
    if (progress.elapsed >= next_estimate) {
      progress.left = time.left(progress.elapsed);
      next_estimate = progress.elapsed + 0.5;
    }
    return changed.empty() && trouble.empty() && (!request.progress || request.progress(progress));
  };
  if (jobs.empty()) return progress;
  if (auto error = engine.run(std::move(jobs), caller)) return *error;
  if (!trouble.empty()) return Error{trouble};
  if (!changed.empty())
    return Error{
        fmt::format("{} changed while the sweep ran, so the sweep stopped, and the last results are dropped. Run it "
                    "again to use the "
                    "new file; if the program itself writes this file, name it in `outputs`",
                    changed)};
  caller.beat(0);
  return progress;
}

Result<RunProgress> run_open(Store& store, const SweepInfo& sweep, Resolver& resolver, Engine& engine,
                             const RunRequest& request) {
  std::vector<Pending> points;
  for (const OpenPoint& one : store.open_points(sweep, request.failed)) points.push_back({one.point, one.row});
  return run_pending(store, resolver, engine, points, request);
}

Result<Forecast> forecast(Store* store, const Plan& plan, Resolver& resolver, bool retry) {
  Forecast all;
  all.points = plan.points();
  const Expectations expectations = store != nullptr ? store->expectations() : Expectations();
  std::unordered_set<std::string> seen;
  for (size_t k = 0; k < plan.points(); ++k) {
    const Result<Point> point = resolver.point(k);
    if (!point) return point.error();
    if (!seen.insert(point->key).second) continue;
    const std::optional<Known> known = store != nullptr ? store->known(point->key) : std::nullopt;
    const std::string status = known ? known->status : "open";
    if (status == "done") ++all.known;
    if (status == "failed") ++all.failed;
    if (status == "done" || (status == "failed" && !retry)) continue;
    ++all.open;
    const std::optional<Expected> expected = expectations.of(point->task);
    if (expected)
      all.seconds += expected->seconds;
    else
      ++all.without_time;
  }
  all.different = seen.size();
  return all;
}

}  // namespace bankshot::sweep

#include "bankshot/sweep/run/run_open.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <unordered_set>

#include "bankshot/sweep/store/point_ids.hpp"

namespace bankshot::sweep {
namespace {

/// How long what is left will take: by the mean of each program so far, and how many points ran at once so far.
class TimeLeft {
 public:
  void add(const std::string& program, double expected) {
    Program& one = programs_[program];
    ++one.open;
    one.expected = expected;
  }
  void ended(const std::string& program, double seconds) {
    Program& one = programs_[program];
    --one.open;
    ++one.ended;
    one.seconds += seconds;
    busy_ += seconds;
    ++ended_;
  }
  double busy() const { return busy_; }
  std::optional<double> left(double elapsed) const {
    if (ended_ == 0 || elapsed <= 0 || busy_ <= 0) return std::nullopt;
    double work = 0;
    for (const auto& [name, one] : programs_) {
      const double mean = one.ended != 0      ? one.seconds / static_cast<double>(one.ended)
                          : one.expected != 0 ? one.expected
                                              : busy_ / static_cast<double>(ended_);
      work += mean * static_cast<double>(one.open);
    }
    return work / (busy_ / elapsed);
  }

 private:
  struct Program {
    size_t open = 0, ended = 0;
    double seconds = 0, expected = 0;
  };
  std::map<std::string, Program> programs_;
  double busy_ = 0;
  size_t ended_ = 0;
};

}  // namespace

Result<RunProgress> run_open(Store& store, const SweepInfo& sweep, Resolver& resolver, Engine& engine,
                             const RunRequest& request) {
  using Clock = std::chrono::steady_clock;
  const Expectations expectations = store.expectations();
  std::map<uint64_t, size_t> rows;
  std::map<uint64_t, std::string> programs;
  std::vector<Job> jobs;
  TimeLeft time;
  for (const OpenPoint& open : store.open_points(sweep, request.failed)) {
    const Result<Point> point = resolver.point(open.row);
    if (!point) return point.error();
    const Expected expected = expectations.of(point->task).value_or(Expected{});
    jobs.push_back({open.point, expected.seconds, expected.peak_bytes});
    rows[open.point] = open.row;
    const std::string name = program_name(point->task) + " " + arguments_text(point->task);
    programs[open.point] = name;
    time.add(name, expected.seconds);
  }
  RunProgress progress;
  progress.points = jobs.size();
  const Clock::time_point start = Clock::now();
  Caller caller;
  caller.task = [&](const Job& job) -> std::optional<Task> {
    if (store.is_done(job.id)) {
      ++progress.done;
      time.ended(programs[job.id], 0);
      return std::nullopt;
    }
    Result<Point> point = resolver.point(rows.at(job.id));
    if (!point) return std::nullopt;
    point->task.id = job.id;
    point->task.key = point->key;
    point->task.keep_report = request.keep_reports;
    return std::move(point->task);
  };
  caller.finished = [&](const Outcome& outcome) {
    store.record(outcome);
    ++(outcome.failure.empty() ? progress.done : progress.failed);
    time.ended(programs[outcome.id], outcome.seconds);
  };
  caller.found = [&](const std::string& key, Outcome outcome) -> std::optional<uint64_t> {
    const std::optional<Known> known = store.known(key);
    if (!known || known->status == "done" || (known->status == "failed" && !outcome.failure.empty()))
      return std::nullopt;
    outcome.id = known->point;
    if (rows.contains(outcome.id))
      caller.finished(outcome);
    else
      store.record(outcome);
    return outcome.id;
  };
  caller.beat = [&](size_t running) {
    progress.running = running;
    progress.elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    progress.busy = time.busy();
    progress.left = time.left(progress.elapsed);
    return !request.progress || request.progress(progress);
  };
  if (jobs.empty()) return progress;
  if (auto error = engine.run(std::move(jobs), caller)) return *error;
  caller.beat(0);
  return progress;
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

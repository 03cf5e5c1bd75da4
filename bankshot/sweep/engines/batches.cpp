#include "bankshot/sweep/engines/batches.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace bankshot::sweep {
namespace {

constexpr double kTask = 600;            ///< seconds
constexpr double kUnknown = kTask / 32;  ///< that a point is taken to need
constexpr size_t kMost = 1000;           ///< points of a task: what is lost with it stays small

double seconds_of(const Job& job) { return job.seconds > 0 ? job.seconds : kUnknown; }

}  // namespace

std::vector<std::vector<Job>> batches(std::vector<Job> jobs, unsigned per_task, size_t at_once) {
  std::ranges::stable_sort(jobs, std::greater(), seconds_of);
  at_once = std::max<size_t>(at_once, 1);
  size_t most = per_task;
  double longest = INFINITY;
  if (per_task == 0) {
    double all = 0;
    for (const Job& job : jobs) all += seconds_of(job);
    most = std::min(kMost, (jobs.size() + at_once - 1) / at_once);
    longest = std::min(kTask, all / static_cast<double>(at_once)) * (1 + 1e-9);
  }
  std::vector<std::vector<Job>> tasks;
  double seconds = 0;
  for (const Job& job : jobs) {
    if (tasks.empty() || tasks.back().size() == most || seconds + seconds_of(job) > longest) {
      tasks.emplace_back();
      seconds = 0;
    }
    tasks.back().push_back(job);
    seconds += seconds_of(job);
  }
  return tasks;
}

}  // namespace bankshot::sweep

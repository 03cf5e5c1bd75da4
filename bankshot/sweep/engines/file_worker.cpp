// A worker of a cluster: the workers of one machine, with files instead of a caller.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "bankshot/host/read_text.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/support/temporary_folder.hpp"
#include "bankshot/sweep/engines/engine.hpp"
#include "bankshot/sweep/engines/result_lines.hpp"

namespace bankshot::sweep {
namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t ending_signal = 0;

void end_on_signals() {
  struct sigaction action{};
  action.sa_handler = [](int signal) { ending_signal = signal; };
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGXCPU}) sigaction(signal, &action, nullptr);
}

/// The results so far, in a file of this machine, and their copy for others.
class Results {
 public:
  static Result<Results> make(const std::string& shared) {
    Result<TemporaryFolder> folder = TemporaryFolder::make();
    if (!folder) return folder.error();
    return Results(std::move(*folder), shared);
  }

  std::optional<Error> add(const std::string& line) {
    file_ << line << '\n' << std::flush;
    is_published_ = false;
    if (!file_) return Error{fmt::format("{} cannot be written; {}", path(), kNeedsRoom)};
    return std::nullopt;
  }

  /// @param now  else only if the last time is some seconds ago
  std::optional<Error> publish(bool now) {
    const Clock::time_point start = Clock::now();
    if (!now && (is_published_ || start < next_)) return std::nullopt;
    const Result<std::string> text = host::read_text(path());
    if (!text) return text.error();
    if (auto error = host::write_file(shared_, *text)) return error;
    is_published_ = true;
    // The first results soon; later so seldom that copying takes a small part of the time, however large the file is.
    const Clock::time_point end = Clock::now();
    const Clock::duration pause =
        std::clamp<Clock::duration>((end - begin_) / 4, std::chrono::milliseconds(100), std::chrono::seconds(3));
    next_ = end + std::max(pause, 20 * (end - start));
    return std::nullopt;
  }

 private:
  Results(TemporaryFolder folder, std::string shared)
      : folder_(std::move(folder)), shared_(std::move(shared)), file_(path(), std::ios::app) {}
  std::string path() const { return folder_.path() + "/results"; }

  TemporaryFolder folder_;
  std::string shared_;
  std::ofstream file_;
  bool is_published_ = false;
  Clock::time_point begin_ = Clock::now(), next_;
};

/// Failures wait for a second before they count: what asks this process to end may reach the programs first.
class Failures {
 public:
  void add(Outcome outcome) { all_.emplace_back(Clock::now() + std::chrono::seconds(1), std::move(outcome)); }
  std::optional<Outcome> next() {
    if (all_.empty() || Clock::now() < all_.front().first) return std::nullopt;
    Outcome outcome = std::move(all_.front().second);
    all_.pop_front();
    return outcome;
  }
  bool empty() const { return all_.empty(); }

 private:
  std::deque<std::pair<Clock::time_point, Outcome>> all_;
};

}  // namespace

Result<int> serve_file(const std::string& tasks, const std::string& results, const EngineOptions& options) {
  end_on_signals();
  const Result<std::string> text = host::read_text(tasks);
  if (!text) return text.error();
  Result<Results> kept = Results::make(results);
  if (!kept) return kept.error();
  std::map<uint64_t, Task> open;
  std::vector<Job> jobs;
  for (const std::string_view line : whole_lines(*text)) {
    Result<Task> task = task_from(line);
    if (!task) return Error{fmt::format("{} cannot be read: {}", tasks, task.error().message)};
    jobs.push_back({.id = task->id});
    open[task->id] = *std::move(task);
  }
  // A task that was started again, as its node failed, goes on behind its results.
  std::optional<Error> error;
  if (const Result<std::string> before = host::read_text(results)) {
    for (const std::string_view line : whole_lines(*before)) {
      const Result<Outcome> outcome = outcome_from(line);
      if (!outcome || open.erase(outcome->id) == 0) continue;
      if ((error = kept->add(std::string(line)))) return *error;
    }
  }
  std::erase_if(jobs, [&](const Job& job) { return !open.contains(job.id); });
  // That results can be kept shows before the first point runs.
  if ((error = kept->publish(true))) return *error;

  Failures failures;
  const auto keep = [&](const Outcome& outcome) {
    if (!error) error = kept->add(to_line(outcome));
  };
  Caller caller;
  caller.task = [&](const Job& job) { return std::optional(open.at(job.id)); };
  caller.finished = [&](const Outcome& outcome) {
    if (!outcome.failure.empty())
      failures.add(outcome);
    else
      keep(outcome);
  };
  const auto go_on = [&] {
    while (const std::optional<Outcome> failure = ending_signal == 0 ? failures.next() : std::nullopt) keep(*failure);
    // The shared folder may be there again next time; at the end it must be.
    if (!error) kept->publish(false);
    return ending_signal == 0 && !error;
  };
  caller.beat = [&](size_t) { return go_on(); };
  const auto local = std::ranges::find(engines(), "local", &EngineEntry::name);
  if (!jobs.empty()) {
    if (auto why = local->make(options)->run(std::move(jobs), caller)) return *why;
  }
  while (go_on() && !failures.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  if (error) return *error;
  if ((error = kept->publish(true))) return *error;
  return ending_signal == 0 ? 0 : 128 + ending_signal;
}

}  // namespace bankshot::sweep

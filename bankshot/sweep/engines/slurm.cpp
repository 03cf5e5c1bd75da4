// Job arrays of Slurm. A task of an array runs many points, and hands their results in through files of a folder that
// all nodes see. Nothing but this process writes the store.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>
#include <unordered_map>

#include <fmt/format.h>

#include "bankshot/host/read_text.hpp"
#include "bankshot/host/shell.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/support/find_program.hpp"
#include "bankshot/sweep/engines/batches.hpp"
#include "bankshot/sweep/engines/engine.hpp"
#include "bankshot/sweep/engines/job_folder.hpp"
#include "bankshot/sweep/engines/result_lines.hpp"
#include "bankshot/sweep/engines/slurm_queue.hpp"

namespace bankshot::sweep {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kScript = "batch.sh";
constexpr size_t kMostBarren = 3;  ///< arrays in a row that may end without any result

/// A task of an array.
struct Batch {
  explicit Batch(const std::string& files) : results(files + ".results"), stem(files) {}

  std::vector<Job> jobs;
  std::set<uint64_t> missing;  ///< points without a result
  ResultFile results;
  std::string stem;        ///< path of its files, without their endings
  slurm::QueuedTask last;  ///< as Slurm told it last
  std::optional<Clock::time_point> ended;

  /// Whether nothing more can come. What a task wrote last may show late in a network file system.
  bool is_over() const {
    if (missing.empty()) return true;
    return ended && (last.state != "COMPLETED" || Clock::now() - *ended > seconds(10));
  }
};

/// The last line of a file, if there is one.
std::string last_line(const std::string& file) {
  const Result<std::string> text = host::read_text(file);
  if (!text) return {};
  std::string line;
  for (const std::string_view one : whole_lines(*text)) {
    if (!one.empty()) line = one;
  }
  return line;
}

class Slurm final : public Engine {
 public:
  explicit Slurm(const EngineOptions& options) : options_(options) {
    if (options_.folder.empty()) options_.folder = options_.store + ".jobs";
  }
  ~Slurm() override {
    std::error_code code;
    if (options_.folder == options_.store + ".jobs") std::filesystem::remove(options_.folder, code);  // if it is empty
  }

  std::optional<Error> run(std::vector<Job> jobs, const Caller& caller) override {
    for (const char* command : {"sbatch", "squeue", "scancel"}) {
      if (find_in_path(command).empty())
        return Error{fmt::format("--engine slurm needs {}, of Slurm; on Debian: slurm-client", command)};
    }
    open_ = std::move(jobs);
    for (JobFolder& left : JobFolder::left(options_.folder, options_.store)) take_over(left, caller);
    Result<JobFolder> folder = JobFolder::make(options_.folder, options_.store);
    if (!folder) return folder.error();
    std::optional<Error> error = host::write_file(folder->path() + "/" + kScript, script());
    bool goes_on = !error && caller.beat(0);
    for (size_t array = 0; goes_on && !error; ++array) {
      std::erase_if(open_, [&](const Job& job) { return reported_.contains(job.id); });
      if (open_.empty()) break;
      goes_on = run_array(*folder, array, caller, error);
    }
    if (!has_submitted_ || end(*folder, caller)) folder->remove();
    return error;
  }

 private:
  std::string script() const {
    std::string text = fmt::format(
        "#!/bin/sh\n# A task of a job array of `bankshot sweep`. $1: which array\n"
        "exec {} sweep worker --tasks \"$1-$SLURM_ARRAY_TASK_ID.tasks\" --results \"$1-$SLURM_ARRAY_TASK_ID.results\" "
        "--workers \"${{SLURM_CPUS_ON_NODE:-1}}\"",
        host::shell_word(options_.program));
    if (options_.memory != 0) text += fmt::format(" --memory {}", options_.memory);
    if (options_.timeout != 0) text += fmt::format(" --timeout {}", options_.timeout);
    return text + "\n";
  }

  /// Takes the results of a killed sweep, and ends what of it runs still.
  void take_over(JobFolder& left, const Caller& caller) {
    const bool is_gone = end(left, caller);
    left.touch();
    std::unordered_map<uint64_t, std::string> keys;
    for (const std::string& stem : left.stems("tasks")) {
      const Result<std::string> text = host::read_text(stem + ".tasks");
      if (!text) continue;
      for (const std::string_view line : whole_lines(*text)) {
        if (const Result<Task> task = task_from(line)) keys[task->id] = task->key;
      }
    }
    for (const std::string& stem : left.stems("results")) {
      for (Outcome& outcome : ResultFile(stem + ".results").all()) {
        const auto key = keys.find(outcome.id);
        if (key == keys.end()) continue;
        if (const auto point = caller.found(key->second, std::move(outcome))) reported_.insert(*point);
      }
    }
    if (is_gone) left.remove();
  }

  /// Asks the jobs of a folder to end if they do not by themselves, and waits for them.
  /// @return false if some do not end
  bool end(const JobFolder& folder, const Caller& caller) {
    // The last tasks of an array end by themselves, soon after they wrote their results.
    const Clock::time_point start = Clock::now();
    const bool ends = !batches_.empty() && std::ranges::all_of(batches_, &Batch::is_over);
    bool is_cancelled = !ends && cancel(folder);
    while (slurm::is_queued(folder.name())) {
      if (!is_cancelled && Clock::now() - start > seconds(3)) is_cancelled = cancel(folder);
      if (Clock::now() - start > seconds(30)) return false;
      caller.beat(0);
      std::this_thread::sleep_for(milliseconds(200));
    }
    folder.touch();
    for (Batch& batch : batches_) take(batch, batch.results.all(), caller);
    return true;
  }

  static bool cancel(const JobFolder& folder) {
    slurm::cancel(folder.name());
    return true;
  }

  /// @return false if beat() said so
  bool run_array(const JobFolder& folder, size_t array, const Caller& caller, std::optional<Error>& error) {
    if (!make_batches(folder, array, caller, error)) return false;
    if (error || batches_.empty()) return true;
    const Result<std::string> number = slurm::submit({.name = folder.name(),
                                                      .folder = folder.path(),
                                                      .script = kScript,
                                                      .argument = std::to_string(array),
                                                      .logs = fmt::format("{}-%a.log", array),
                                                      .tasks = batches_.size(),
                                                      .at_once = options_.tasks,
                                                      .partition = options_.partition,
                                                      .account = options_.account,
                                                      .time = options_.time,
                                                      .cores = options_.workers,
                                                      .memory = options_.memory});
    if (!number) {
      batches_.clear();
      error = number.error();
      return true;
    }
    has_submitted_ = true;
    const Clock::time_point start = Clock::now();
    Clock::time_point next_look = start, next_question = start;
    while (!std::ranges::all_of(batches_, &Batch::is_over)) {
      if (Clock::now() >= next_question) {
        ask(*number);
        if (std::ranges::all_of(batches_, [](const Batch& batch) { return slurm::waits_in_vain(batch.last); })) {
          error = Error{fmt::format(
              "Slurm cannot start the job array ({}): change --partition, --account, --time, --workers or --memory",
              batches_[0].last.reason)};
          return true;
        }
        next_question = Clock::now() + std::clamp<Clock::duration>((Clock::now() - start) / 4, seconds(1), seconds(5));
      }
      if (Clock::now() >= next_look) {
        folder.touch();
        for (Batch& batch : batches_) {
          if (!batch.missing.empty()) take(batch, batch.results.fresh(), caller);
        }
        next_look = Clock::now() + seconds(1);
      }
      if (!caller.beat(running())) return false;
      std::this_thread::sleep_for(milliseconds(100));
    }
    error = judge(caller);
    return true;
  }

  /// The next array: as many of the open points as it may have tasks for.
  bool make_batches(const JobFolder& folder, size_t array, const Caller& caller, std::optional<Error>& error) {
    if (most_tasks_ == 0) {
      most_tasks_ = slurm::most_tasks();
      at_once_ = slurm::cores(options_.partition) / std::max(1u, options_.workers);
      if (options_.tasks != 0) at_once_ = at_once_ == 0 ? options_.tasks : std::min<size_t>(at_once_, options_.tasks);
    }
    std::vector<std::vector<Job>> parts;
    std::vector<Job> others;
    for (const Job& job : open_) {
      if (suspects_.contains(job.id))
        parts.push_back({job});
      else
        others.push_back(job);
    }
    std::ranges::move(batches(std::move(others), options_.points_per_task, at_once_), std::back_inserter(parts));
    batches_.clear();
    for (const std::vector<Job>& part : parts) {
      if (batches_.size() == most_tasks_) break;
      const std::string stem = folder.file(array, batches_.size());
      Batch batch(stem);
      std::string text;
      for (const Job& job : part) {
        const std::optional<Task> task = caller.task(job);
        if (!task) {
          reported_.insert(job.id);
          continue;
        }
        text += to_line(*task) + "\n";
        batch.jobs.push_back(job);
        batch.missing.insert(job.id);
      }
      if (batch.jobs.empty()) continue;
      if ((error = host::write_file(stem + ".tasks", text))) {
        batches_.clear();
        return true;
      }
      batches_.push_back(std::move(batch));
      if (!caller.beat(0)) {
        batches_.clear();
        return false;
      }
    }
    return true;
  }

  void take(Batch& batch, const std::vector<Outcome>& outcomes, const Caller& caller) {
    for (const Outcome& outcome : outcomes) {
      if (batch.missing.erase(outcome.id) == 0) continue;
      reported_.insert(outcome.id);
      caller.finished(outcome);
    }
  }

  void ask(const std::string& number) {
    const auto queued = slurm::queue(number);
    if (!queued) return;  // the controller may start again
    std::vector<bool> is_known(batches_.size());
    for (const slurm::QueuedTask& task : *queued) {
      if (task.index >= batches_.size()) continue;
      Batch& batch = batches_[task.index];
      is_known[task.index] = true;
      batch.last = task;
      if (!slurm::has_ended(task.state))
        batch.ended.reset();
      else if (!batch.ended)
        batch.ended = Clock::now();
    }
    for (size_t k = 0; k < batches_.size(); ++k) {
      if (!is_known[k] && !batches_[k].ended) batches_[k].ended = Clock::now();
    }
  }

  size_t running() const {
    const auto tasks = std::ranges::count_if(
        batches_, [](const Batch& batch) { return batch.last.state == "RUNNING" && !batch.missing.empty(); });
    return static_cast<size_t>(tasks) * std::max(1u, options_.workers);
  }

  /// What follows from tasks that ended without all of their results. What is missing runs again in the next array,
  /// unless that is hopeless.
  std::optional<Error> judge(const Caller& caller) {
    size_t cancelled = 0;
    bool is_barren = true;
    std::string why;
    for (Batch& batch : batches_) {
      take(batch, batch.results.all(), caller);
      const bool has_results = batch.missing.size() < batch.jobs.size();
      if (has_results) is_barren = false;
      if (batch.missing.empty()) continue;
      const std::string& state = batch.last.state;
      if (state == "CANCELLED") cancelled += batch.missing.size();
      // A worker that ends by itself cannot keep results; what it ran has nothing to do with that.
      const bool is_innocent = state == "CANCELLED" || state == "NODE_FAIL" || state == "PREEMPTED" ||
                               state == "BOOT_FAIL" || (state == "TIMEOUT" && has_results) ||
                               (state == "FAILED" && batch.last.has_failed);
      const std::string words = last_line(batch.stem + ".log");
      why = fmt::format("{} ({}){}{}", state, batch.last.reason, words.empty() ? "" : ": ", words);
      std::error_code code;
      if (is_innocent || !std::filesystem::exists(batch.stem + ".results", code)) continue;
      // The task began. What its first point without a result has to do with its end shows when that runs by itself.
      is_barren = false;
      const auto suspect =
          std::ranges::find_if(batch.jobs, [&](const Job& job) { return batch.missing.contains(job.id); });
      if (suspects_.insert(suspect->id).second) continue;
      Outcome outcome;
      outcome.id = suspect->id;
      outcome.failure = "Slurm ended its task twice without a result: " + why;
      take(batch, {outcome}, caller);
    }
    if (cancelled != 0)
      return Error{
          fmt::format("{} points of the job array have no result, as their tasks were cancelled; run the same command "
                      "again to continue",
                      cancelled)};
    barren_ = is_barren ? barren_ + 1 : 0;
    if (barren_ < kMostBarren) return std::nullopt;
    return Error{fmt::format("{} job arrays in a row ended without a result; the last one: {}", barren_, why)};
  }

  EngineOptions options_;
  std::vector<Job> open_;
  std::set<uint64_t> reported_;
  std::set<uint64_t> suspects_;  ///< points that a task ended at: they run in tasks of their own
  std::vector<Batch> batches_;   ///< of the array that runs
  bool has_submitted_ = false;
  size_t barren_ = 0, at_once_ = 0, most_tasks_ = 0;
};

const RegisterEngine slurm_registered({"slurm", "job arrays of a cluster with Slurm",
                                       [](const EngineOptions& options) -> std::unique_ptr<Engine> {
                                         return std::make_unique<Slurm>(options);
                                       }});

}  // namespace
}  // namespace bankshot::sweep

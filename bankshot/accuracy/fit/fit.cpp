#include "bankshot/accuracy/fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "bankshot/accuracy/fit/search.hpp"
#include "bankshot/accuracy/work.hpp"
#include "bankshot/gpu/keys.hpp"

namespace bankshot::accuracy {
namespace {

constexpr unsigned kMostRounds = 3;
/// Benchmarks of the whole GPU that tell one parameter, evenly spread over those that there are.
constexpr size_t kMostOfWholeChip = 3;
/// Percent points by which another value must be better than the present one.
constexpr double kNoticeablePercent = 0.1;

const gpu::Key* key_of(std::string_view name) {
  for (const auto table : {gpu::keys(), gpu::timing_keys()}) {
    for (const gpu::Key& key : table) {
      if (name == fmt::format("{}.{}", key.section, key.name)) return &key;
    }
  }
  return nullptr;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

bool is_rate(const Row& row) {
  const Dimension dimension = find_unit(row.unit)->dimension;
  return dimension == Dimension::per_cycle || dimension == Dimension::per_time;
}

/// Simulated by published values of some rows.
using Ratios = std::vector<double>;

double percent_off(const Ratios& ratios) {
  std::vector<double> off;
  for (const double ratio : ratios) off.push_back(100 * std::abs(ratio - 1));
  return median(off);
}

/// What `accuracy` makes of a row's GPU, if the base is its description.
const Target* described(const Row& row, const gpu::Gpu& base) {
  const Target* target = find_target(row.gpu);
  if (!target) return nullptr;
  const auto file = gpu::find_gpu_file(std::string(target->description));
  return file && *file == base.file ? target : nullptr;
}

/// The GPU of a row as it is simulated: as `accuracy` does if the base is its description; else as the base is, at the
/// clock of the measurement.
Target target_of(const Row& row, const FitRequest& request, const gpu::Gpu& base) {
  if (const Target* target = described(row, base)) return *target;
  const Target* other = find_target(row.gpu);
  return {.name = row.gpu, .description = request.base, .mhz = other ? other->mhz : 0};
}

bool is_asked_for(const Row& row, const FitRequest& request, const gpu::Gpu& base) {
  if (request.devices.empty()) return described(row, base) != nullptr;
  return std::ranges::any_of(request.devices, [&](const std::string& name) { return row.gpu.starts_with(name); });
}

std::vector<std::string> names_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (std::ranges::find(names, row.gpu) == names.end()) names.push_back(row.gpu);
  }
  return names;
}

Error no_rows(const std::vector<Row>& rows, const FitRequest& request) {
  if (rows.empty()) return {request.file + ":1: there are no rows below the names of the columns; add measurements"};
  const std::string there = fmt::format("{}", fmt::join(names_of(rows), ", "));
  if (request.devices.empty()) {
    return {fmt::format("{} has no row for a GPU that {} describes; it has rows for {}. Choose some with --device NAME",
                        request.file, request.base, there)};
  }
  return {
      fmt::format("{} has no row for {}; it has rows for {}", request.file, fmt::join(request.devices, " or "), there)};
}

/// Fits the parameters of one base to rows.
class Fitter {
 public:
  Fitter(const FitRequest& request, Fit& fit) : request_(request), fit_(fit) {}

  std::optional<Error> add(const Row& row) {
    const auto plan = plan_of(row);
    if (!plan) {
      fit_.after.unanswered.push_back({row, "no benchmark"});
      return std::nullopt;
    }
    const Result<std::string> reason = work_.add(row, *plan->first, plan->second, target_of(row, request_, fit_.gpu));
    if (!reason) return reason.error();
    if (!reason->empty()) fit_.after.unanswered.push_back({row, *reason});
    return std::nullopt;
  }

  void run() {
    for (const Parameter& parameter : parameters()) jobs_.push_back(job_of(parameter));
    for (const Job& job : jobs_) all_ += job.fitted.not_determined.empty() ? 1 : 0;
    for (unsigned round = 0; round < kMostRounds; ++round) {
      bool has_changed = false;
      for (unsigned stage = 0; stage < stages(); ++stage) has_changed = run_stage(stage, round) || has_changed;
      if (!has_changed) break;
    }
    add_answers(fit_.after, work_,
                {.families = {}, .gpus = {}, .threads = request_.threads, .progress = of("benchmarks")});
    for (Job& job : jobs_) {
      if (job.fitted.not_determined.empty()) tell_after(job);
      fit_.parameters.push_back(std::move(job.fitted));
    }
  }

 private:
  struct Job {
    const Parameter* parameter;
    const gpu::Key* key;
    std::vector<size_t> asked;  ///< rows, as the work has them
    FittedParameter fitted;
    double error = 0;  ///< of its value, when it was last looked for
  };

  /// A value that the search has looked at.
  struct Seen {
    double error, off;
  };

  Job job_of(const Parameter& parameter) {
    Job job{&parameter, key_of(parameter.key), {}, {}, 0};
    job.fitted.key = parameter.key;
    for (size_t k = 0; k < work_.asked.size(); ++k) {
      const Asked& asked = work_.asked[k];
      const Task& task = work_.tasks[asked.task];
      const gpu::Gpu& gpu = work_.machines[task.machine];
      if (!tells(*asked.family, task.plan, gpu, parameter)) continue;
      // The DRAM's times are in its cycles: they are others of other memory.
      if (parameter.level == Level::dram && gpu.memory_khz != fit_.gpu.memory_khz) continue;
      job.asked.push_back(k);
    }
    thin_out(job);
    for (const size_t k : job.asked) job.fitted.rows.push_back(work_.asked[k].row);
    job.fitted.not_determined = reason_not_to(job);
    return job;
  }

  /// Of the benchmarks of the whole GPU, which take seconds each, only a few are run again and again.
  void thin_out(Job& job) const {
    std::vector<size_t> tasks;
    for (const size_t k : job.asked) {
      const size_t task = work_.asked[k].task;
      if (work_.tasks[task].plan.whole_chip && std::ranges::find(tasks, task) == tasks.end()) tasks.push_back(task);
    }
    if (tasks.size() <= kMostOfWholeChip) return;
    std::vector<size_t> kept;
    for (size_t k = 0; k < kMostOfWholeChip; ++k)
      kept.push_back(tasks[k * (tasks.size() - 1) / (kMostOfWholeChip - 1)]);
    std::erase_if(job.asked, [&](size_t k) {
      const size_t task = work_.asked[k].task;
      return work_.tasks[task].plan.whole_chip && std::ranges::find(kept, task) == kept.end();
    });
  }

  /// Why the parameter is not looked for, or empty. Else the value in the base is known afterwards.
  std::string reason_not_to(Job& job) const {
    if (!job.key || !gpu::is_said(fit_.gpu, *job.key)) return fmt::format("{} does not say it", request_.base);
    job.fitted.was = job.fitted.value = number_in(fit_.gpu, *job.key);
    const std::string change = fmt::format("{}={}", job.parameter->key, job.fitted.was);
    if (gpu::changes_nothing(fit_.gpu, std::span(&change, 1))) return fmt::format("{} does not use it", request_.base);
    if (job.asked.empty()) return "no row";
    return {};
  }

  static uint64_t number_in(const gpu::Gpu& gpu, const gpu::Key& key) {
    return std::strtoull(gpu::value_text(gpu, key).c_str(), nullptr, 10);
  }

  /// Searches for the parameters of a stage, each beside the values that the others have had so far.
  bool run_stage(unsigned stage, unsigned round) {
    std::vector<Job*> jobs;
    for (Job& job : jobs_) {
      if (job.parameter->stage == stage && job.fitted.not_determined.empty()) jobs.push_back(&job);
    }
    std::vector<uint64_t> values(jobs.size());
    std::mutex mutex;
    on_threads(request_.threads, jobs.size(), [&](size_t k) {
      values[k] = look(*jobs[k], round);
      const std::lock_guard lock(mutex);
      if (round == 0) ++done_;
      if (request_.progress) request_.progress(done_, all_, "parameters");
    });
    bool has_changed = false;
    for (size_t k = 0; k < jobs.size(); ++k) {
      if (values[k] == jobs[k]->fitted.value || !set_all(*jobs[k], values[k])) continue;
      has_changed = true;
      jobs[k]->fitted.value = values[k];
    }
    return has_changed;
  }

  static bool set(gpu::Gpu& gpu, const Job& job, uint64_t value) {
    const std::string change = fmt::format("{}={}", job.parameter->key, value);
    return !gpu::change(gpu, std::span(&change, 1));
  }

  /// @return false, and nothing has changed, if the value cannot be beside those of others
  bool set_all(const Job& job, uint64_t value) {
    std::vector<gpu::Gpu> changed = work_.machines;
    if (!std::ranges::all_of(changed, [&](gpu::Gpu& gpu) { return set(gpu, job, value); })) return false;
    work_.machines = std::move(changed);
    return true;
  }

  /// The best value beside the present ones of the others.
  uint64_t look(Job& job, unsigned round) {
    if (round == 0 && !leave_out_failing(job)) return job.fitted.value;
    const Result<Ratios> now = ratios(job, job.fitted.value);
    if (!now) return job.fitted.value;  // what another parameter has become keeps a row from running
    if (round == 0) job.fitted.off_before = percent_off(*now);
    const double error = error_of(job, *now);
    if (round != 0 && error == job.error) return job.fitted.value;  // nothing that it depends on has changed
    std::map<uint64_t, Seen> seen = {{job.fitted.value, {error, percent_off(*now)}}};
    const auto error_at = [&](uint64_t value) -> std::optional<double> {
      if (const auto known = seen.find(value); known != seen.end()) return known->second.error;
      const Result<Ratios> there = ratios(job, value);
      if (!there) return std::nullopt;
      return seen.emplace(value, Seen{error_of(job, *there), percent_off(*there)}).first->second.error;
    };
    look_around(job, error_at);
    const uint64_t best = best_of(seen, job.fitted.value);
    job.error = seen[best].error;
    return best;
  }

  /// Searches from the present value.
  static void look_around(const Job& job, const std::function<std::optional<double>(uint64_t)>& error_at) {
    const uint64_t start = job.fitted.value, least = job.key->least, most = job.key->most;
    if (job.parameter->effect == Effect::doubling && std::has_single_bit(start)) {
      const auto bits = [](uint64_t value) { return static_cast<uint64_t>(std::bit_width(value) - 1); };
      (void)search({bits(start), bits(std::bit_ceil(least)), bits(most)},
                   [&](uint64_t power) { return error_at(uint64_t{1} << power); });
    } else {
      (void)search({start, least, most}, error_at);
    }
  }

  /// The value with the least `off`, of equal ones the nearest to the start; the start, if none is much better.
  static uint64_t best_of(const std::map<uint64_t, Seen>& seen, uint64_t start) {
    const auto rank = [start](const auto& one) {
      return std::pair(one.second.off, one.first > start ? one.first - start : start - one.first);
    };
    const auto best = std::ranges::min_element(seen, {}, rank);
    return best->second.off > seen.at(start).off - kNoticeablePercent ? start : best->first;
  }

  /// Rows whose benchmarks fail tell nothing: of instructions that the base does not have. @return whether any is left
  bool leave_out_failing(Job& job) const {
    const std::vector<Result<double>> all = ratios_or_reasons(job, job.fitted.value);
    const std::vector<size_t> asked = std::exchange(job.asked, {});
    job.fitted.rows.clear();
    for (size_t k = 0; k < asked.size(); ++k) {
      if (!all[k]) {
        job.fitted.not_determined = all[k].error().message;
        continue;
      }
      job.asked.push_back(asked[k]);
      job.fitted.rows.push_back(work_.asked[asked[k]].row);
    }
    if (!job.asked.empty()) job.fitted.not_determined.clear();
    return !job.asked.empty();
  }

  /// Rises with the parameter.
  double error_of(const Job& job, const Ratios& ratios) const {
    std::vector<double> times;
    for (size_t k = 0; k < ratios.size(); ++k) {
      constexpr double kTiny = 1e-9;  // a difference of two readings may be 0 or less
      const double logarithm = std::log(std::max(ratios[k], kTiny));
      times.push_back(is_rate(work_.asked[job.asked[k]].row) ? -logarithm : logarithm);
    }
    return job.parameter->effect == Effect::slower ? median(times) : -median(times);
  }

  /// Of the parameter's rows, in their order: simulated by published, or why there is none.
  std::vector<Result<double>> ratios_or_reasons(const Job& job, uint64_t value) const {
    std::map<size_t, Result<Reading>> readings;  // by task
    std::vector<Result<double>> all;
    for (const size_t k : job.asked) {
      const Asked& asked = work_.asked[k];
      const Task& task = work_.tasks[asked.task];
      if (!readings.contains(asked.task)) {
        gpu::Gpu gpu = work_.machines[task.machine];
        readings.emplace(asked.task, set(gpu, job, value)
                                         ? simulate(task.plan, gpu)
                                         : Error{fmt::format("{} = {} cannot be", job.parameter->key, value)});
      }
      const Result<double> simulated = in_unit_of(asked, readings.at(asked.task));
      all.push_back(simulated ? Result<double>(*simulated / asked.row.value) : simulated.error());
    }
    return all;
  }

  Result<Ratios> ratios(const Job& job, uint64_t value) const {
    Ratios all;
    for (const Result<double>& one : ratios_or_reasons(job, value)) {
      if (!one) return one.error();
      all.push_back(*one);
    }
    return all;
  }

  /// What its rows are off by now.
  void tell_after(Job& job) const {
    Ratios all;
    for (const Row& row : job.fitted.rows) {
      const auto answer =
          std::ranges::find_if(fit_.after.answers, [&](const Answer& one) { return one.row.line == row.line; });
      if (answer != fit_.after.answers.end()) all.push_back(answer->ratio());
    }
    if (all.empty())
      job.fitted.not_determined = "its rows do not run with what other parameters have become";
    else
      job.fitted.off_after = percent_off(all);
  }

  std::function<void(size_t, size_t)> of(std::string_view what) const {
    if (!request_.progress) return {};
    return [this, what](size_t done, size_t all) { request_.progress(done, all, what); };
  }

  const FitRequest& request_;
  Fit& fit_;
  Work work_;
  std::vector<Job> jobs_;
  size_t done_ = 0, all_ = 0;
};

}  // namespace

Result<Fit> fit(const std::vector<Row>& rows, const FitRequest& request) {
  Result<gpu::Gpu> base = gpu::find_gpu(request.base);
  if (!base) return base.error();
  Fit result{.base = request.base, .gpu = std::move(*base), .devices = {}, .parameters = {}, .after = {}};
  std::vector<Row> wanted;
  std::ranges::copy_if(rows, std::back_inserter(wanted),
                       [&](const Row& row) { return is_asked_for(row, request, result.gpu); });
  if (wanted.empty()) return no_rows(rows, request);
  result.devices = names_of(wanted);
  Fitter fitter(request, result);
  for (const Row& row : wanted) {
    if (const auto error = fitter.add(row)) return *error;
  }
  fitter.run();
  return result;
}

}  // namespace bankshot::accuracy

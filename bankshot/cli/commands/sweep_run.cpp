#include "bankshot/cli/commands/sweep_run.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/support/file_writing.hpp"
#include "bankshot/support/printable.hpp"
#include "bankshot/sweep/plan/settings.hpp"
#include "bankshot/sweep/run/optimise.hpp"
#include "bankshot/sweep/run/run_open.hpp"

namespace bankshot::cli {
namespace {

volatile sig_atomic_t stop_signal = 0;

/// While one lives, Ctrl-C and requests to end stop the sweep in good order.
class StopOnSignals {
 public:
  StopOnSignals() {
    stop_signal = 0;
    struct sigaction action{};
    action.sa_handler = [](int signal) { stop_signal = signal; };
    for (size_t k = 0; k < kSignals.size(); ++k) {
      sigaction(kSignals[k], nullptr, &before_[k]);
      if (before_[k].sa_handler != SIG_IGN) sigaction(kSignals[k], &action, nullptr);
    }
  }
  ~StopOnSignals() {
    for (size_t k = 0; k < kSignals.size(); ++k) sigaction(kSignals[k], &before_[k], nullptr);
  }
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> before_;
};

using report::grouped;

std::string plural(uint64_t count, const char* what) { return report::counted(count, what, std::string(what) + "s"); }

/// "312 of 3,696 points, 4 failed, 2 running, about 12 min left"
std::string progress_text(const sweep::RunProgress& progress) {
  std::string text =
      fmt::format("{} of {}", grouped(progress.done + progress.failed), plural(progress.points, "point"));
  if (progress.failed != 0) text += fmt::format(", {} failed", grouped(progress.failed));
  text += fmt::format(", {} running", progress.running);
  if (progress.left) text += fmt::format(", about {} left", duration_text(*progress.left));
  return text;
}

/// "program 22, gpu 4, bank_hash 7": the settings that differ, with the number of their values.
std::string axes_text(const sweep::Plan& plan) {
  std::string text;
  for (const sweep::Column& column : plan.columns) {
    if (column.values.size() > 1)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", sweep::column_of(column.name), column.values.size());
  }
  return text;
}

int tell_forecast(const SweepRun& request, const sweep::Plan& plan, sweep::Resolver& resolver) {
  std::optional<sweep::Store> store;
  std::error_code code;
  if (std::filesystem::exists(request.store, code)) store = sweep::Store::open(request.store, false);
  const Result<sweep::Forecast> all = sweep::forecast(store ? &*store : nullptr, plan, resolver, request.retry);
  if (!all) return refuse(all.error().message);
  const unsigned workers =
      request.options.workers != 0 ? request.options.workers : std::max(1u, std::thread::hardware_concurrency());
  const double seconds = all->seconds / std::min<double>(workers, static_cast<double>(std::max<size_t>(all->open, 1)));
  std::string text = fmt::format("{}: {}", plan.name, plural(all->points, "point"));
  if (all->different != all->points) text += fmt::format(", {}", plural(all->different, "different run"));
  if (const std::string axes = axes_text(plan); !axes.empty()) text += fmt::format(" ({})", axes);
  text += fmt::format("\nstore {}: {} known, {} failed, {} to run\n", request.store, grouped(all->known),
                      grouped(all->failed), grouped(all->open));
  if (all->open > all->without_time)
    text += fmt::format("about {} with {}", duration_text(seconds), plural(workers, "worker"));
  if (all->without_time != 0)
    text += fmt::format("{}{}: their programs have not run yet",
                        all->open > all->without_time ? ", and unknown for " : "time unknown for ",
                        plural(all->without_time, "point"));
  if (all->open != 0) text += "\n";
  nlohmann::ordered_json json = {{"schema", "bankshot/sweep-forecast/1"},
                                 {"sweep", plan.name},
                                 {"store", request.store},
                                 {"points", all->points},
                                 {"different", all->different},
                                 {"known", all->known},
                                 {"failed", all->failed},
                                 {"open", all->open},
                                 {"workers", workers},
                                 {"seconds", seconds},
                                 {"without_time", all->without_time}};
  return deliver(request.json, report::json_text(json), text);
}

/// Tells how far a sweep is.
class SweepProgress {
 public:
  explicit SweepProgress(bool lines) : is_terminal_(isatty(STDERR_FILENO) != 0), lines_(lines) {}
  void operator()(const sweep::RunProgress& progress) {
    if (is_terminal_) {
      fmt::print(stderr, "\r{}\033[K", progress_text(progress));
      std::fflush(stderr);
    } else if (lines_ && progress.elapsed >= next_) {
      fmt::print(stderr, "bankshot: {}\n", progress_text(progress));
      next_ = progress.elapsed + 5;
    }
  }
  void entering(size_t done, size_t points) const {
    if (is_terminal_) fmt::print(stderr, "\rentering {} of {}\033[K", grouped(done), plural(points, "point"));
  }
  void erase() const {
    if (is_terminal_) std::fputs("\r\033[K", stderr);
  }

 private:
  bool is_terminal_, lines_;
  double next_ = 5;
};

int tell_optimum(const SweepRun& request, const sweep::Plan& plan, const sweep::Optimum& best) {
  using Json = nlohmann::ordered_json;
  const std::string& unit = request.optimise;
  std::string text = fmt::format("{}: {} of {} machines tried, on {}; seed {}\n\n", plan.name,
                                 grouped(best.rungs[0].candidates.size()), grouped(best.candidates),
                                 plural(best.instances, "instance"), request.halving.seed);
  Json rungs = Json::array();
  bool any_failed = false;
  for (size_t k = 0; k < best.rungs.size(); ++k) {
    const sweep::Rung& rung = best.rungs[k];
    std::optional<double> least;
    size_t failed = 0;
    for (const std::optional<double>& value : rung.values) {
      if (value && (!least || *value < *least)) least = value;
      failed += value ? 0 : 1;
    }
    text += fmt::format("rung {}: {} on {}, {}", k + 1, plural(rung.candidates.size(), "machine"),
                        plural(rung.instances, "instance"), rung.sampled ? "estimated by sampling" : "in full");
    if (least) text += fmt::format("; least {:.6g} {}", *least, unit);
    if (failed != 0) text += fmt::format("; {} failed", failed);
    any_failed |= failed != 0;
    text += "\n";
    Json machines = Json::array();
    for (size_t c = 0; c < rung.candidates.size(); ++c)
      machines.push_back({{"machine", sweep::describe_machine(plan, best.rows[rung.candidates[c]])},
                          {"value", rung.values[c] ? Json(*rung.values[c]) : Json(nullptr)}});
    rungs.push_back({{"instances", rung.instances}, {"sampled", rung.sampled}, {"machines", std::move(machines)}});
  }
  text +=
      fmt::format("\nbest of {} known in full: {}{}\n{:.6g} {}{}\n", plural(best.in_full, "machine"), best.best,
                  best.equally_good > 1 ? fmt::format(", and {} more", best.equally_good - 1) : "", best.value, unit,
                  best.instances == 1 ? ""
                  : plan.simulates    ? ", geometric mean"
                                      : ", mean");
  text += fmt::format(
      "{} looked at with sampling and {} in full, known ones included; all points are {} in full\nstore {}\n",
      plural(best.runs - best.full_runs, "run"), grouped(best.full_runs), grouped(best.candidates * best.instances),
      request.store);
  const Json json = {{"schema", "bankshot/sweep-optimum/1"},
                     {"sweep", plan.name},
                     {"store", request.store},
                     {"measure", unit},
                     {"seed", request.halving.seed},
                     {"candidates", best.candidates},
                     {"instances", best.instances},
                     {"best", best.best},
                     {"value", best.value},
                     {"equally_good", best.equally_good},
                     {"in_full", best.in_full},
                     {"runs", best.runs},
                     {"full_runs", best.full_runs},
                     {"rungs", std::move(rungs)}};
  const int status = deliver(request.json, report::json_text(json), text);
  return status == kDone && any_failed ? kProgramFailed : status;
}

/// How the sweep stands, in a few lines.
std::string summary(const sweep::Plan& plan, sweep::Store& store, const sweep::SweepInfo& info,
                    const sweep::RunProgress& ran, const SweepRun& request) {
  const sweep::Counts counts = store.counts(info);
  std::string text = fmt::format("{}: {}", plan.name, plural(plan.points(), "point"));
  if (counts.points != plan.points()) text += fmt::format(", {}", plural(counts.points, "different run"));
  text += fmt::format("; {} done", grouped(counts.done));
  if (counts.failed != 0) text += fmt::format(", {} failed", grouped(counts.failed));
  if (counts.open() != 0) text += fmt::format(", {} open", grouped(counts.open()));
  const size_t computed = ran.done + ran.failed;
  if (counts.open() != 0 && computed == 0)
    text += "\nnothing was computed";
  else if (computed != 0)
    text += fmt::format("\n{} computed in {}, {:.1f} at once on average", grouped(computed), duration_text(ran.elapsed),
                        ran.elapsed > 0 ? ran.busy / ran.elapsed : 0);
  else
    text += counts.failed != 0 ? "\nnothing to compute; --retry-failed runs what failed again"
                               : "\nnothing to compute: all results are known";
  text += fmt::format("\nstore {}\n", request.store);
  return text;
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<uint64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 48 * 3600) return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} days {} h", whole / 86400, whole % 86400 / 3600);
}

std::string failures_text(sweep::Store& store, const sweep::SweepInfo& sweep) {
  constexpr size_t kMost = 5;
  const std::vector<sweep::Failure> all = store.failures(sweep);
  std::string text;
  for (size_t k = 0; k < all.size() && k < kMost; ++k)
    text += fmt::format("  {} failed, first row {}: {}\n", plural(all[k].points, "point"), all[k].row,
                        printable(all[k].message));
  if (all.size() > kMost)
    text += fmt::format("  and {} more reasons: bankshot sweep status {}\n", all.size() - kMost, sweep.name);
  if (const sweep::Failure none = store.without_kernel(sweep); none.points != 0)
    text += fmt::format("  {} ran no matching kernel, first row {}: {}\n", plural(none.points, "point"), none.row,
                        printable(none.message));
  return text;
}

int run_sweep(const SweepRun& request) {
  if (const char* patches = std::getenv("BANKSHOT_PATCH_DIR"); patches != nullptr && *patches != 0)
    return refuse("BANKSHOT_PATCH_DIR is set: a sweep runs programs as they are; unset it");
  const Result<sweep::Plan> plan = sweep::load_plan(request.plan);
  if (!plan) return refuse(plan.error().message);
  Result<sweep::Resolver> resolver = sweep::Resolver::make(*plan);
  if (!resolver) return refuse(resolver.error().message);
  for (const std::string& name : resolver->scripts())
    fmt::print(
        stderr,
        "bankshot: note: {} is a script: what it runs and reads decides results unnoticed, unless `inputs` names "
        "it\n",
        name);
  if (request.dry) return tell_forecast(request, *plan, *resolver);
  if (!request.optimise.empty() && (request.optimise == "conflicts") == plan->simulates)
    return refuse(
        fmt::format("--optimise {}: the plan measures {}", request.optimise, plan->simulates ? "cycles" : "conflicts"));
  const auto entry = std::ranges::find(sweep::engines(), request.engine, &sweep::EngineEntry::name);
  const FileSizeSignalHeld held;  // a limit on the size of the store is an error, as a full disk is
  sweep::Store store = sweep::Store::open(request.store, true);
  SweepProgress told(request.progress);
  const Result<sweep::SweepInfo> info =
      store.put(*plan, *resolver, [&](size_t done) { told.entering(done, plan->points()); });
  if (!info) return refuse(info.error().message);
  const StopOnSignals stopping;
  sweep::RunRequest run;
  run.failed = request.retry;
  run.progress = [&](const sweep::RunProgress& progress) {
    told(progress);
    return stop_signal == 0;
  };
  const std::unique_ptr<sweep::Engine> engine = entry->make(request.options);
  if (!request.optimise.empty()) {
    const Result<sweep::Optimum> best = sweep::optimise(
        store, *plan, *resolver, *engine, {request.optimise, request.halving, request.retry, run.progress});
    told.erase();
    if (!best) return refuse(best.error().message);
    store.check_file();
    if (!best->stopped) return tell_optimum(request, *plan, *best);
    std::fputs("bankshot: interrupted; run the same command again to continue\n", stderr);
    return 128 + stop_signal;
  }
  const Result<sweep::RunProgress> ran = sweep::run_open(store, *info, *resolver, *engine, run);
  told.erase();
  if (!ran) return refuse(ran.error().message);
  store.check_file();
  const sweep::Counts counts = store.counts(*info);
  nlohmann::ordered_json json = {{"schema", "bankshot/sweep/1"},
                                 {"sweep", info->name},
                                 {"store", request.store},
                                 {"points", plan->points()},
                                 {"different", counts.points},
                                 {"done", counts.done},
                                 {"failed", counts.failed},
                                 {"open", counts.open()},
                                 {"without_kernel", store.without_kernel(*info).points},
                                 {"computed", ran->done + ran->failed},
                                 {"seconds", ran->elapsed},
                                 {"busy_seconds", ran->busy}};
  const int status = deliver(request.json, report::json_text(json),
                             summary(*plan, store, *info, *ran, request) + failures_text(store, *info));
  if (stop_signal != 0) {
    std::fputs("bankshot: interrupted; run the same command again to continue\n", stderr);
    return 128 + stop_signal;
  }
  if (status != kDone) return status;
  return counts.failed != 0 || counts.open() != 0 || store.without_kernel(*info).points != 0 ? kProgramFailed : kDone;
}

}  // namespace bankshot::cli

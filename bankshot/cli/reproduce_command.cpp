// bankshot reproduce: a figure or table of the papers, beside the published values.
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/cli/command.hpp"
#include "bankshot/cli/deliver.hpp"
#include "bankshot/cli/gate.hpp"
#include "bankshot/cli/observe.hpp"
#include "bankshot/cli/output.hpp"
#include "bankshot/cuda/simulate.hpp"
#include "bankshot/experiment/experiment.hpp"
#include "bankshot/report/pattern_set.hpp"

namespace bankshot::cli {
namespace {

using experiment::Value;

constexpr unsigned kTraced = 1 << 16;  // different accesses kept of each instruction: all of them in what we run

std::string text_of(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{:.15g}", *number);
  const std::string* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : "-";
}

nlohmann::ordered_json json_of(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) {
    const bool whole = *number == static_cast<double>(static_cast<int64_t>(*number));
    return whole ? nlohmann::ordered_json(static_cast<int64_t>(*number)) : nlohmann::ordered_json(*number);
  }
  const std::string* text = std::get_if<std::string>(&value);
  return text != nullptr ? nlohmann::ordered_json(*text) : nlohmann::ordered_json(nullptr);
}

/// What a program writes, of interest only if it fails: it is the same warnings over and over, of its PTX on an old GPU.
class Said {
 public:
  Said() : descriptor_(memfd_create("said", MFD_CLOEXEC)) {}
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;
  ~Said() { close(descriptor_); }

  int descriptor() const { return descriptor_; }
  /// Prints it to standard error.
  void show() const {
    char text[4096];
    off_t at = 0;
    for (ssize_t got; (got = pread(descriptor_, text, sizeof text, at)) > 0; at += got) std::fwrite(text, 1, static_cast<size_t>(got), stderr);
  }

 private:
  int descriptor_;
};

/// Runs our own programs on one GPU and keeps what they did: several benchmarks are kernels of one run, and several hash
/// functions find the same hash.
class Runs {
 public:
  explicit Runs(const RunOptions& options) : options_(options) {}

  Result<scratchpad::PatternSet> trace(const experiment::Benchmark& benchmark, const std::vector<std::string>& arguments) {
    const std::vector<std::string> command = command_of(benchmark, arguments);
    const auto [set, is_new] = sets_.try_emplace({command, benchmark.kernel});
    if (!is_new) return set->second;
    const Result<report::RunReport> report = kernel_of(benchmark, command, "");
    if (!report) return report.error();
    Result<scratchpad::PatternSet> patterns = report::pattern_set(report->rules, report->kernels);
    if (patterns) set->second = *patterns;
    return patterns;
  }

  /// Core cycles of the benchmark's kernels under a bank hash.
  Result<uint64_t> simulate(const experiment::Benchmark& benchmark, const std::vector<std::string>& arguments, const std::string& bank_hash) {
    const Result<report::RunReport> report = kernel_of(benchmark, command_of(benchmark, arguments), bank_hash);
    if (!report) return report.error();
    uint64_t cycles = 0;
    for (const report::Kernel& kernel : report->kernels) cycles += kernel.timing ? kernel.timing->counters.cycles : 0;
    return cycles;
  }

 private:
  static std::vector<std::string> command_of(const experiment::Benchmark& benchmark, const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {(std::filesystem::path(library_folder()).parent_path() / "kernels" / benchmark.program).string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  }

  /// The report of a run with the benchmark's kernels only. @param bank_hash  of the simulated GPU; empty: trace, no time
  Result<report::RunReport> kernel_of(const experiment::Benchmark& benchmark, const std::vector<std::string>& command,
                                      const std::string& bank_hash) {
    const std::pair key{command, bank_hash};
    if (!runs_.contains(key)) {
      Result<report::RunReport> report = run(command, bank_hash);
      if (!report) return report.error();
      runs_.emplace(key, std::move(*report));
    }
    report::RunReport report = runs_.at(key);
    if (!benchmark.kernel.empty()) {
      if (const std::string reason = keep_kernels(report, {benchmark.kernel}); !reason.empty()) return Error{reason};
    }
    return report;
  }

  Result<report::RunReport> run(const std::vector<std::string>& command, const std::string& bank_hash) const {
    if (access(command[0].c_str(), X_OK) != 0) {
      return Error{command[0] + " is not built; `make build` builds our kernels where nvcc or clang-19 is on PATH"};
    }
    RunOptions options = options_;
    options.bank_hash = bank_hash;
    Result<Setup> setup = set_up(options, command);
    if (!setup) return setup.error();
    ObserveOptions how{.launch = {}, .trace_accesses = kTraced};
    if (!bank_hash.empty()) {
      const cuda::SimulateRequest as_the_gpu_is;
      const Result<timing::Config> config = cuda::simulated_config(setup->gpu, as_the_gpu_is, bank_hash);
      if (!config) return config.error();
      setup->environment[cuda::kSimulateVariable] = cuda::to_text(as_the_gpu_is);
      how.trace_accesses = 0;
    }
    Said said;
    how.launch.output = how.launch.error = said.descriptor();
    const Result<Observation> seen = observe(*setup, command, how);
    if (!seen) return seen.error();
    if (seen->ending.shell_status() != 0 || seen->report.is_partial()) {
      said.show();
      return Error{command[0] + " failed"};
    }
    return seen->report;
  }

  RunOptions options_;
  std::map<std::pair<std::vector<std::string>, std::string>, report::RunReport> runs_;       ///< by command and bank hash
  std::map<std::pair<std::vector<std::string>, std::string>, scratchpad::PatternSet> sets_;  ///< by command and kernel
};

class Reproduce final : public Command {
 public:
  void define(CLI::App& app) override {
    options_.define(app);
    app.add_option("NAME", names_, "experiments; those of --list");
    app.add_flag("--list", list_, "list the experiments");
    app.add_flag("--quick", quick_, "fewer runs where an experiment takes a mean of several, and smaller problems where it takes time");
    app.add_option("--json", json_, "write the result as JSON, a line an experiment; - is standard output")->type_name("FILE|-");
  }

  int run(const std::vector<std::string>&) override {
    if (const auto error = cannot_deliver(json_)) return refuse(error->message);
    if (list_) return list();
    if (names_.empty()) return refuse("which experiment? bankshot reproduce --list lists them");
    std::vector<experiment::Experiment> all;
    for (const std::string& name : names_) {
      Result<experiment::Experiment> one = experiment::load(name);
      if (!one) return refuse(one.error().message);
      all.push_back(std::move(*one));
    }
    if (const auto gpu = gpu::find_gpu_file(options_.gpu)) {
      if (const auto error = overwrites("--json", json_, {{"the file of --gpu", *gpu}})) return refuse(error->message);
    }
    std::map<std::string, Runs> runs_by_gpu;
    std::string text, json;
    for (const experiment::Experiment& one : all) {
      RunOptions options = options_;
      if (!one.gpu.empty()) options.gpu = one.gpu;
      Runs& runs = runs_by_gpu.try_emplace(options.gpu, options).first->second;
      experiment::Settings settings;
      settings.trace = [&](const auto& benchmark, const auto& arguments) { return runs.trace(benchmark, arguments); };
      settings.simulate = [&](const auto& benchmark, const auto& arguments, const auto& hash) { return runs.simulate(benchmark, arguments, hash); };
      settings.quick = quick_;
      if (isatty(STDERR_FILENO) != 0) {
        settings.progress = [&](const std::string& what) { std::fprintf(stderr, "\r%s: %s\033[K", one.name.c_str(), what.c_str()); };
      }
      const Result<experiment::Outcome> outcome = experiment::reproduce(one, settings);
      if (settings.progress) std::fputs("\r\033[K", stderr);
      if (!outcome) return refuse(one.name + ": " + outcome.error().message);
      text += to_text(one, *outcome);
      json += to_json(one, *outcome);
    }
    return deliver(json_, json, text);
  }

 private:
  int list() const {
    std::string text;
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const std::string& name : experiment::names()) {
      const Result<experiment::Experiment> one = experiment::load(name);
      if (!one) return refuse(one.error().message);
      names.push_back({{"name", one->name}, {"title", one->title}, {"paper", one->paper}});
      text += fmt::format("{:<14}  {} ({})\n", one->name, one->title, one->paper);
    }
    const nlohmann::ordered_json document = {{"schema", "bankshot/experiments/1"}, {"experiments", names}};
    return deliver(json_, document.dump(1) + "\n", text);
  }

  std::string to_text(const experiment::Experiment& one, const experiment::Outcome& outcome) const {
    size_t label = 5, published = 9, measured = 8;
    for (const experiment::Row& row : outcome.rows) {
      label = std::max(label, row.label.size());
      published = std::max(published, text_of(row.published).size());
      measured = std::max(measured, text_of(row.measured).size());
    }
    std::string text = fmt::format("{}: {}\n{}\n\n", one.name, one.title, one.paper);
    text += fmt::format("  {:<{}}  {:>{}}  {:>{}}\n", "", label, "published", published, "measured", measured);
    for (const experiment::Row& row : outcome.rows) {
      text += fmt::format("  {:<{}}  {:>{}}  {:>{}}  {}{}\n", row.label, label, text_of(row.published), published,
                          text_of(row.measured), measured, row.unit, row.note.empty() ? "" : "; " + row.note);
    }
    text += "\n";
    for (const std::string& note : outcome.notes) text += note + "\n";
    // The files explain what the full runs measure.
    if (!one.deviations.empty()) text += quick_ ? "Deviations, of the full run:\n" : "Deviations:\n";
    for (const std::string& deviation : one.deviations) text += "- " + deviation + "\n";
    return text + "\n";
  }

  static std::string to_json(const experiment::Experiment& one, const experiment::Outcome& outcome) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const experiment::Row& row : outcome.rows) {
      rows.push_back({{"label", row.label}, {"published", json_of(row.published)}, {"measured", json_of(row.measured)}, {"unit", row.unit}});
      if (!row.note.empty()) rows.back()["note"] = row.note;
    }
    const nlohmann::ordered_json document = {{"schema", "bankshot/reproduce/1"}, {"name", one.name},         {"title", one.title},
                                             {"paper", one.paper},               {"rows", rows},             {"notes", outcome.notes},
                                             {"deviations", one.deviations}};
    return document.dump() + "\n";
  }

  RunOptions options_;
  std::vector<std::string> names_;
  std::string json_;
  bool list_ = false, quick_ = false;
};

const RegisterCommand registration({
    "reproduce", "Rebuild a figure or table of the papers beside the published values",
    "Experiments are files in experiments/, or in the folder that BANKSHOT_EXPERIMENTS names; they run our own programs of\n"
    "kernels/. One that names its GPU runs on that, whatever --gpu says.\n\n"
    "Examples:\n"
    "  bankshot reproduce --list\n"
    "  bankshot reproduce tc16-table5\n"
    "  bankshot reproduce --quick --json - tc16-table6\n",
    [] { return std::make_unique<Reproduce>(); }});

}  // namespace
}  // namespace bankshot::cli

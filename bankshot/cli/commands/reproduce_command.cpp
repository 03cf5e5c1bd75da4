// bankshot reproduce: a figure or table of the papers, beside the published values.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/circuit/synthesis.hpp"
#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/report_output.hpp"
#include "bankshot/cli/commands/reproduce_output.hpp"
#include "bankshot/cli/commands/reproduce_report.hpp"
#include "bankshot/cli/commands/reproduce_runs.hpp"
#include "bankshot/experiment/experiment.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/report/json/json_text.hpp"

namespace bankshot::cli {
namespace {

class Reproduce final : public Command {
 public:
  void define(CLI::App& app) override {
    options_.define(app);
    app.add_option("NAME", names_, "experiments, as listed by --list");
    app.add_flag("--list", list_, "list the experiments");
    app.add_flag("--all", all_, "run all experiments");
    app.add_flag("--quick", quick_,
                 "fewer runs where an experiment averages several, and smaller problems where it takes long");
    app.add_option("--json", json_, "write the results as JSON, one line per experiment; - is standard output")
        ->type_name("FILE|-");
    app.add_option("--report", report_,
                   "write a page, DIR/index.html, with these results and with those computed earlier, which are kept "
                   "in DIR even after an interruption")
        ->type_name("DIR");
    app.add_option("--store", store_file_,
                   "the store that keeps the results of runs, so that none is made twice (default: that of bankshot "
                   "sweep)")
        ->type_name("FILE");
    app.add_flag("--no-store", no_store_, "make all runs again, and keep none of their results");
    app.add_option("--plot", plot_, "draw the figure of one experiment as SVG")->type_name("FILE.svg");
  }

  std::vector<std::string> values_of(const std::string& option) const override {
    return option == "NAME" ? experiment::names() : std::vector<std::string>();
  }

  int run(const std::vector<std::string>&) override {
    if (const auto error = cannot_deliver(json_, inputs())) return refuse(error->message);
    if (list_) {
      if (all_ || !names_.empty() || !plot_.empty() || !report_.empty())
        return refuse("--list takes neither NAME nor --all, --plot or --report");
      return list();
    }
    if (const auto gpu = gpu::find_gpu(options_.gpu); !gpu) return refuse(gpu.error().message);
    if (all_ && !names_.empty()) return refuse("--all takes no NAME");
    if (all_) {
      names_ = experiment::names();
      if (names_.empty()) return refuse("there are no experiments in " + experiment::searched());
    }
    if (names_.empty()) return refuse("which experiment? bankshot reproduce --list lists them; --all runs all");
    if (const std::string reason = plot_problem(); !reason.empty()) return refuse(reason);
    std::vector<experiment::Experiment> all;
    for (const std::string& name : names_) {
      const auto same = [&](const experiment::Experiment& other) { return other.name == name; };
      if (std::ranges::any_of(all, same)) continue;
      Result<experiment::Experiment> one = experiment::load(name);
      if (!one) return refuse(one.error().message);
      all.push_back(std::move(*one));
    }
    if (const std::string reason = open_store(); !reason.empty()) return refuse(reason);
    return report_.empty() ? print_all(all) : report_all(all);
  }

 private:
  /// Files that are read. The GPU of an experiment that names its own is one of ours.
  std::vector<host::Input> inputs() const {
    const Result<std::string> gpu = gpu::find_gpu_file(options_.gpu);
    return gpu ? std::vector<host::Input>{{"the file of --gpu", *gpu}} : std::vector<host::Input>{};
  }

  const std::string& gpu_of(const experiment::Experiment& one) const {
    return one.gpu.empty() ? options_.gpu : one.gpu;
  }

  ExperimentRuns& runs_on(const std::string& gpu) {
    RunOptions options = options_;
    options.gpu = gpu;
    return runs_by_gpu_.try_emplace(gpu, options, store_ ? &*store_ : nullptr).first->second;
  }

  /// @param where  among all experiments, for the progress line: "7 of 38, about 40 s left"
  Result<experiment::Outcome> compute(const experiment::Experiment& one, const std::string& where) {
    ExperimentRuns& runs = runs_on(gpu_of(one));
    experiment::Settings settings;
    settings.trace = [&](const auto& benchmark, const auto& arguments) { return runs.trace(benchmark, arguments); };
    settings.trace_by_instruction = [&](const auto& benchmark, const auto& arguments) {
      return runs.trace_by_instruction(benchmark, arguments);
    };
    settings.simulate = [&](const auto& benchmark, const auto& arguments, const auto& hash) {
      return runs.simulate(benchmark, arguments, hash);
    };
    settings.fix = [&](const auto& benchmark, const auto& arguments, const auto& gpu, const auto& hash_class) {
      return runs_on(gpu).fix(benchmark, arguments, hash_class);
    };
    settings.quick = quick_;
    settings.threads = options_.threads;
    if (isatty(STDERR_FILENO) != 0) {
      settings.progress = [&](const std::string& what) {
        std::fprintf(stderr, "\r%s%s: %s\033[K", one.name.c_str(), where.c_str(), what.c_str());
      };
      settings.progress("");
    }
    Result<experiment::Outcome> outcome = experiment::reproduce(one, settings);
    if (settings.progress) std::fputs("\r\033[K", stderr);
    interrupted_ = std::ranges::any_of(runs_by_gpu_, [](const auto& on) { return on.second.is_interrupted(); }) ||
                   (!outcome && outcome.error().message.ends_with(circuit::kInterrupted));
    return outcome;
  }

  static std::string svg_of(const experiment::Experiment& one, const experiment::Outcome& outcome) {
    return report::to_svg({one.title, one.paper, outcome.panels});
  }

  int print_all(const std::vector<experiment::Experiment>& all) {
    std::string text, json;
    for (const experiment::Experiment& one : all) {
      const Result<experiment::Outcome> outcome = compute(one, "");
      if (interrupted_) {
        say(one.name + " was interrupted");
        if (!text.empty()) deliver(json_, json, text);  // those before it
        return 128 + SIGINT;
      }
      if (!outcome) return refuse(one.name + ": " + outcome.error().message);
      if (!plot_.empty()) {
        if (outcome->panels.empty()) return refuse("--plot: " + one.name + " is a table; there is no figure to draw");
        if (const auto error = host::write_file(plot_, svg_of(one, *outcome))) return refuse(error->message);
      }
      text += to_text(one, *outcome, quick_);
      json += to_document(one, *outcome, quick_).dump() + "\n";
    }
    return deliver(json_, json, text);
  }

  /// Each is kept when it is computed; one that fails does not stop the others.
  int report_all(const std::vector<experiment::Experiment>& all) {
    using Clock = std::chrono::steady_clock;
    std::error_code code;
    const std::filesystem::path json_folder = std::filesystem::absolute(json_, code).parent_path();
    if (!json_.empty() && json_ != "-" && host::same_file(json_folder.string(), report_))
      return refuse(
          "--json would write into the folder of --report, which is reserved for the report: choose another folder");
    const Result<ReproduceReport> report = ReproduceReport::open(report_, quick_);
    if (!report) return refuse(report.error().message);
    std::vector<ReportedExperiment> done;
    for (const experiment::Experiment& one : all) done.push_back(report->planned(one, gpu_of(one)));
    size_t earlier = 0, computed = 0, failed = 0;
    double spent = 0;
    for (size_t k = 0; k < all.size() && !interrupted_; ++k) {
      const experiment::Experiment& one = all[k];
      if (std::optional<ReportedExperiment> kept = report->kept(one, gpu_of(one))) {
        done[k] = std::move(*kept);
        ++earlier;
        continue;
      }
      std::string where = fmt::format(" ({} of {}", k + 1, all.size());
      if (computed != 0)
        where += fmt::format(", about {:.0f} s left",
                             spent / static_cast<double>(computed) * static_cast<double>(all.size() - k));
      const Clock::time_point start = Clock::now();
      const Result<experiment::Outcome> outcome = compute(one, where + ")");
      if (interrupted_) break;
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      spent += seconds;
      ++computed;
      if (!outcome) {
        ++failed;
        done[k].missing = outcome.error().message;
        say(one.name + ": " + outcome.error().message);
        continue;
      }
      done[k].result = to_document(one, *outcome, quick_);
      if (!outcome->panels.empty()) done[k].svg = svg_of(one, *outcome);
      if (const auto error = report->keep(done[k], one, gpu_of(one), seconds)) return refuse(error->message);
    }
    if (const auto error = report->write_page(done)) return refuse(error->message);
    std::string text = fmt::format("{}: {} experiment{}, {} computed in {:.0f} s", report->page(), all.size(),
                                   all.size() == 1 ? "" : "s", computed - failed, spent);
    if (earlier != 0) text += fmt::format(", {} from an earlier run", earlier);
    if (failed != 0) text += fmt::format(", {} failed", failed);
    std::string json;
    for (const ReportedExperiment& one : done) {
      if (!one.result.is_null()) json += one.result.dump() + "\n";
    }
    const int status = deliver(json_, json, text + "\n");
    if (interrupted_) {
      say("interrupted; repeat the command to compute what is missing");
      return 128 + SIGINT;
    }
    return failed != 0 ? kBadInput : status;
  }

  /// Why the store that was asked for cannot be used, or empty. One that nobody asked for may be missing.
  std::string open_store() {
    // Programs with patched PTX give other results.
    const char* const patches = std::getenv(cuda::kPatchFolderVariable);
    if (no_store_ || (patches != nullptr && *patches != 0)) return {};
    const std::string file = store_file_.empty() ? sweep::default_store() : store_file_;
    if (file.empty()) return {};
    try {
      store_.emplace(sweep::Store::open(file, true));
    } catch (const sweep::StoreError& error) {
      if (!store_file_.empty()) return error.what();
      say(fmt::format("note: results are not kept: {}", error.what()));
    }
    return {};
  }

  /// Why no plot can be written, before the long work, or empty.
  std::string plot_problem() const {
    if (plot_.empty()) return {};
    if (!report_.empty()) return "--plot is one of the files that --report writes";
    if (names_.size() != 1) return "--plot draws one experiment; " + std::to_string(names_.size()) + " are named";
    if (plot_ == "-") return "--plot needs the name of a file: standard output is used for the tables";
    if (host::same_file(plot_, json_)) return "--plot and --json name the same file, " + json_;
    if (const auto error = host::overwrites("--plot", plot_, inputs())) return error->message;
    if (!plot_.ends_with(".svg")) return "--plot writes SVG: give a name that ends in .svg, not " + plot_;
    const auto error = host::cannot_write(plot_);
    return error ? error->message : "";
  }

  int list() const {
    std::string text;
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const std::string& name : experiment::names()) {
      const Result<experiment::Experiment> one = experiment::load(name);
      if (!one) return refuse(one.error().message);
      names.push_back({{"name", one->name}, {"title", one->title}, {"paper", one->paper}});
      text += fmt::format("{:<14}  {} ({})\n", one->name, one->title, one->paper);
    }
    if (names.empty()) return refuse("there are no experiments in " + experiment::searched());
    const nlohmann::ordered_json document = {{"schema", "bankshot/experiments/1"}, {"experiments", names}};
    return deliver(json_, report::json_text(document), text);
  }

  RunOptions options_;
  std::vector<std::string> names_;
  std::string json_, plot_, report_;
  bool list_ = false, all_ = false, quick_ = false, interrupted_ = false;
  std::string store_file_;
  bool no_store_ = false;
  std::optional<sweep::Store> store_;
  std::map<std::string, ExperimentRuns> runs_by_gpu_;
};

const RegisterCommand reproduce_registered(
    {"reproduce", "Reproduce a figure or table of the papers beside the published values",
     "Each experiment is a file in experiments/, or in the folder that BANKSHOT_EXPERIMENTS names, and runs our own "
     "programs\nin kernels/. If the file names a GPU, the experiment runs on that GPU, whatever --gpu says.\n\n"
     "Examples:\n"
     "  bankshot reproduce --list\n"
     "  bankshot reproduce tc16-table5\n"
     "  bankshot reproduce --quick --json - tc16-table6\n"
     "  bankshot reproduce --plot figure.svg iccd13-fig5\n"
     "  bankshot reproduce --all --report papers\n",
     [] { return std::make_unique<Reproduce>(); }});

}  // namespace
}  // namespace bankshot::cli

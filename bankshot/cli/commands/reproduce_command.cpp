// bankshot reproduce: a figure or table of the papers, beside the published values.
#include <unistd.h>

#include <csignal>
#include <map>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/report_output.hpp"
#include "bankshot/cli/commands/reproduce_output.hpp"
#include "bankshot/cli/commands/reproduce_runs.hpp"
#include "bankshot/experiment/experiment.hpp"
#include "bankshot/host/write_file.hpp"

namespace bankshot::cli {
namespace {

class Reproduce final : public Command {
 public:
  void define(CLI::App& app) override {
    options_.define(app);
    app.add_option("NAME", names_, "experiments; those of --list");
    app.add_flag("--list", list_, "list the experiments");
    app.add_flag("--quick", quick_,
                 "fewer runs where an experiment takes a mean of several, and smaller problems where it takes time");
    app.add_option("--json", json_, "write the result as JSON, a line an experiment; - is standard output")
        ->type_name("FILE|-");
    app.add_option("--plot", plot_, "draw the figure of one experiment, as SVG")->type_name("FILE.svg");
  }

  int run(const std::vector<std::string>&) override {
    if (const auto error = cannot_deliver(json_, inputs())) return refuse(error->message);
    if (list_) {
      if (!names_.empty() || !plot_.empty()) return refuse("--list takes neither NAME nor --plot");
      return list();
    }
    if (const auto gpu = gpu::find_gpu(options_.gpu); !gpu) return refuse(gpu.error().message);
    if (names_.empty()) return refuse("which experiment? bankshot reproduce --list lists them");
    if (const std::string reason = plot_problem(); !reason.empty()) return refuse(reason);
    std::vector<experiment::Experiment> all;
    for (const std::string& name : names_) {
      Result<experiment::Experiment> one = experiment::load(name);
      if (!one) return refuse(one.error().message);
      all.push_back(std::move(*one));
    }
    std::map<std::string, ExperimentRuns> runs_by_gpu;
    std::string text, json;
    for (const experiment::Experiment& one : all) {
      RunOptions options = options_;
      if (!one.gpu.empty()) options.gpu = one.gpu;
      ExperimentRuns& runs = runs_by_gpu.try_emplace(options.gpu, options).first->second;
      experiment::Settings settings;
      settings.trace = [&](const auto& benchmark, const auto& arguments) { return runs.trace(benchmark, arguments); };
      settings.simulate = [&](const auto& benchmark, const auto& arguments, const auto& hash) {
        return runs.simulate(benchmark, arguments, hash);
      };
      settings.quick = quick_;
      settings.threads = options_.threads;
      if (isatty(STDERR_FILENO) != 0) {
        settings.progress = [&](const std::string& what) {
          std::fprintf(stderr, "\r%s: %s\033[K", one.name.c_str(), what.c_str());
        };
      }
      const Result<experiment::Outcome> outcome = experiment::reproduce(one, settings);
      if (settings.progress) std::fputs("\r\033[K", stderr);
      if (runs.is_interrupted()) {
        say(one.name + " was interrupted");
        if (!text.empty()) deliver(json_, json, text);  // those before it
        return 128 + SIGINT;
      }
      if (!outcome) return refuse(one.name + ": " + outcome.error().message);
      if (!plot_.empty()) {
        if (outcome->panels.empty()) return refuse("--plot: " + one.name + " is a table, there is no figure to draw");
        if (const auto error = host::write_file(plot_, report::to_svg({one.title, one.paper, outcome->panels})))
          return refuse(error->message);
      }
      text += to_text(one, *outcome, quick_);
      json += to_json(one, *outcome, quick_);
    }
    return deliver(json_, json, text);
  }

 private:
  /// Files that are read. The GPU of an experiment that names its own is one of ours.
  std::vector<host::Input> inputs() const {
    const Result<std::string> gpu = gpu::find_gpu_file(options_.gpu);
    return gpu ? std::vector<host::Input>{{"the file of --gpu", *gpu}} : std::vector<host::Input>{};
  }

  /// Why no plot can be written, before the long work, or empty.
  std::string plot_problem() const {
    if (plot_.empty()) return {};
    if (names_.size() != 1) return "--plot draws one experiment; " + std::to_string(names_.size()) + " are named";
    if (plot_ == "-") return "--plot takes the name of a file: standard output is the tables'";
    if (host::same_file(plot_, json_)) return "--plot and --json name the same file, " + json_;
    if (const auto error = host::overwrites("--plot", plot_, inputs())) return error->message;
    if (!plot_.ends_with(".svg")) return "--plot writes SVG: give a name that ends in .svg rather than " + plot_;
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
    return deliver(json_, document.dump(1) + "\n", text);
  }

  RunOptions options_;
  std::vector<std::string> names_;
  std::string json_, plot_;
  bool list_ = false, quick_ = false;
};

const RegisterCommand reproduce_registered(
    {"reproduce", "Rebuild a figure or table of the papers beside the published values",
     "Experiments are files in experiments/, or in the folder that BANKSHOT_EXPERIMENTS "
     "names; they run our own programs of\n"
     "kernels/. One that names its GPU runs on that, whatever --gpu says.\n\n"
     "Examples:\n"
     "  bankshot reproduce --list\n"
     "  bankshot reproduce tc16-table5\n"
     "  bankshot reproduce --quick --json - tc16-table6\n"
     "  bankshot reproduce --plot figure.svg iccd13-fig5\n",
     [] { return std::make_unique<Reproduce>(); }});

}  // namespace
}  // namespace bankshot::cli

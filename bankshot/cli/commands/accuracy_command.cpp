// bankshot accuracy: micro-benchmarks on simulated GPUs, beside what real ones were measured to do.
#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bankshot/accuracy/benchmark.hpp"
#include "bankshot/accuracy/evaluate.hpp"
#include "bankshot/accuracy/report.hpp"
#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/progress_line.hpp"
#include "bankshot/measure/runner_cuda.hpp"
#include "bankshot/support/installation.hpp"
#include "bankshot/support/nearest_name.hpp"

namespace bankshot::cli {
namespace {

constexpr const char* kRows = "microbenchmarks.tsv";

std::string family_names() {
  std::string text;
  for (const accuracy::Family& family : accuracy::families()) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", family.name);
  }
  return text;
}

class Accuracy final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("--gpu", options_.gpus, "only rows of GPUs whose names begin with NAME; may be repeated")
        ->type_name("NAME");
    app.add_option("--family", options_.families, "only benchmarks of this family; may be repeated: " + family_names())
        ->type_name("NAME");
    app.add_option("--from", from_, "published measurements (default: hardware/microbenchmarks.tsv)")
        ->type_name("FILE.tsv");
    device_option_ =
        app.add_option("--device", device_, "measure a real GPU instead: its number in the driver")->type_name("N");
    driver_option_ =
        app.add_option("--driver", driver_, "NVIDIA's driver library")->type_name("FILE")->capture_default_str();
    app.add_option("--threads", options_.threads, "host threads; 0 uses all cores")
        ->check(CLI::Range(0u, 4096u))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  int run(const std::vector<std::string>&) override {
    if (const std::string reason = problem(); !reason.empty()) return refuse(reason);
    const Result<std::vector<accuracy::Row>> rows = accuracy::load_rows(from_);
    if (!rows) return refuse(rows.error().message);
    if (isatty(STDERR_FILENO) != 0)
      options_.progress = [line = ProgressLine()](size_t done, size_t all) mutable { line(done, all, "benchmarks"); };
    std::string device;
    const Result<accuracy::Evaluation> evaluation = evaluate(*rows, device);
    if (options_.progress) ProgressLine::erase();
    if (!evaluation) return refuse(evaluation.error().message);
    return deliver(json_, accuracy::to_json(*evaluation, device, from_), accuracy::to_text(*evaluation, device));
  }

 private:
  /// Why it cannot be done, before anything runs. Finds the file of the rows.
  std::string problem() {
    for (const std::string& name : options_.families) {
      std::vector<std::string> all;
      for (const auto& one : accuracy::families()) all.emplace_back(one.name);
      if (std::ranges::find(all, name) == all.end())
        return fmt::format("--family: unknown family {}; families are {}{}", name, family_names(),
                           did_you_mean(name, all));
    }
    if (driver_option_->count() != 0 && device_option_->count() == 0) {
      return "--driver is for a real GPU: select one with --device, or leave --driver out";
    }
    if (from_.empty()) {
      const std::vector<std::string> folders = data_folders("hardware");
      if (folders.empty())
        return "the folder hardware with the published measurements was not found: name a file with --from";
      from_ = folders.front() + "/" + kRows;
    }
    const auto error = cannot_deliver(json_, {{"the file of --from", from_}});
    return error ? error->message : "";
  }

  /// @param device  gets the name of the real GPU, if one is measured
  Result<accuracy::Evaluation> evaluate(const std::vector<accuracy::Row>& rows, std::string& device) const {
    if (device_option_->count() == 0) return accuracy::evaluate(rows, options_);
    const auto runner = measure::cuda_runner(device_, driver_);
    if (!runner) return runner.error();
    device = (*runner)->device().name;
    return accuracy::evaluate_on(**runner, rows, options_);
  }

  accuracy::EvaluateOptions options_;
  std::string from_, driver_ = measure::kDriverLibrary, json_;
  int device_ = 0;
  const CLI::Option *device_option_ = nullptr, *driver_option_ = nullptr;
};

const RegisterCommand accuracy_registered(
    {"accuracy", "Compare micro-benchmarks on simulated GPUs with published measurements",
     "Runs micro-benchmarks on the simulated GPUs of gpus/ and prints their results beside those of real GPUs in "
     "hardware/. Rows\nwithout a matching benchmark are only counted. See docs/accuracy.md. Exit status: 0; 2 if "
     "something cannot be read.\n\n"
     "Examples:\n"
     "  bankshot accuracy\n"
     "  bankshot accuracy --gpu V100 --family latency --family shared\n"
     "  bankshot accuracy --gpu H100 --json -\n"
     "  bankshot accuracy --device 0 --gpu 'A100 80GB'\n",
     [] { return std::make_unique<Accuracy>(); }});

}  // namespace
}  // namespace bankshot::cli

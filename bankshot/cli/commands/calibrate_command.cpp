// bankshot calibrate: measures the shared memory of a GPU, or takes published measurements, and writes its description.
#include <charconv>
#include <ctime>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/cli/commands/calibrate_from.hpp"
#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/library/atomics_machine.hpp"
#include "bankshot/measure/programs.hpp"
#include "bankshot/measure/report.hpp"
#include "bankshot/measure/runner_cuda.hpp"
#include "bankshot/measure/runner_simulated.hpp"

namespace bankshot::cli {
namespace {

using measure::Base;

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16] = "";
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

class Calibrate final : public Command {
 public:
  void define(CLI::App& app) override {
    from_option_ =
        app.add_option("--from", from_.from,
                       "measure nothing; fit the description --gpu to published measurements, rows as in hardware/")
            ->type_name("FILE.tsv");
    backend_option_ =
        app.add_option("--backend", backend_,
                       "what to measure: cuda, a real GPU through NVIDIA's driver; simulate, a simulated GPU")
            ->check(CLI::IsMember({"cuda", "simulate"}))
            ->capture_default_str();
    driver_option_ =
        app.add_option("--driver", driver_, "NVIDIA's driver library")->type_name("FILE")->capture_default_str();
    device_option_ = app.add_option("--device", from_.devices,
                                    "number of the GPU in the driver (default: 0). With --from: only rows of GPUs "
                                    "whose names begin with NAME; may be repeated")
                         ->type_name("N|NAME");
    gpu_option_ = app.add_option("--gpu", gpu_,
                                 "the GPU to simulate (--backend simulate) or to fit (--from): a name or a TOML file")
                      ->type_name("NAME")
                      ->capture_default_str();
    base_option_ = app.add_option("--base", base_,
                                  "description that supplies the values that are not measured (default: the simulated "
                                  "GPU, or the description nearest to the real one)")
                       ->type_name("NAME");
    samples_option_ = app.add_option("--samples", options_.samples, "number of measurements of each pattern")
                          ->check(CLI::Range(1u, 1000u))
                          ->type_name("N")
                          ->capture_default_str();
    threads_option_ = app.add_option("--threads", from_.threads, "host threads for --from; 0 uses all cores")
                          ->check(CLI::Range(0u, 4096u))
                          ->type_name("N")
                          ->capture_default_str();
    app.add_option("-o,--output", output_, "write the description of the GPU to this file; its name must end in .toml")
        ->type_name("FILE.toml");
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  int run(const std::vector<std::string>&) override {
    if (const std::string reason = problem(); !reason.empty()) return refuse(reason);
    if (fits()) {
      from_.gpu = gpu_;
      from_.output = output_;
      from_.json = json_;
      return calibrate_from(from_);
    }
    const Result<std::unique_ptr<measure::Runner>> runner = open();
    if (!runner) return refuse(runner.error().message);
    const Result<Base> base = find_base((*runner)->device());
    if (!base) return refuse(base.error().message);
    Result<measure::Calibration> measured = measure::calibrate(**runner, base->gpu.machine.scratchpad, options_);
    if (!measured) return refuse(measured.error().message);
    measured->date = today();
    const measure::Description description = measure::describe(*measured, *base);
    const Result<measure::VoteCheck> votes = check(**runner, description);
    if (!output_.empty()) {
      if (const auto error = host::write_file(output_, description.toml)) return refuse(error->message);
    }
    return deliver(json_, measure::to_json(*measured, *base, description, *votes),
                   measure::to_text(*measured, *base, description, *votes));
  }

 private:
  bool fits() const { return from_option_->count() != 0; }
  bool simulates() const { return backend_ == "simulate"; }

  /// Why it cannot be done, before anything is measured.
  std::string problem() {
    if (const std::string reason = fits() ? problem_of_fit() : problem_of_measuring(); !reason.empty()) return reason;
    if (!output_.empty() && !output_.ends_with(".toml"))
      return output_ + ": the name of a description must end in .toml";
    if (host::same_file(output_, json_)) return "-o and --json name the same file, " + output_;
    if (const auto error = host::overwrites("-o", output_, inputs())) return error->message;
    if (!output_.empty()) {
      if (const auto error = host::cannot_write(output_)) return error->message;
    }
    const auto error = cannot_deliver(json_, inputs());
    return error ? error->message : "";
  }

  std::string problem_of_fit() const {
    for (const auto& [option, name] : {std::pair(backend_option_, "--backend"), std::pair(driver_option_, "--driver"),
                                       std::pair(base_option_, "--base"), std::pair(samples_option_, "--samples")}) {
      if (option->count() != 0) {
        return fmt::format("{} is for measuring, but --from measures nothing: leave one of the two out", name);
      }
    }
    return {};
  }

  /// Reads the number of --device.
  std::string problem_of_measuring() {
    if (threads_option_->count() != 0) return "--threads needs --from: leave it out, or name a file of measurements";
    if (simulates() && (driver_option_->count() != 0 || device_option_->count() != 0)) {
      return "--driver and --device are for a real GPU: leave out either these or --backend simulate";
    }
    if (!simulates() && gpu_option_->count() != 0) return "--gpu names a GPU to simulate: add --backend simulate";
    if (device_option_->count() == 0) return {};
    const std::string& text = from_.devices[0];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), device_);
    if (from_.devices.size() == 1 && error == std::errc() && end == text.data() + text.size()) return {};
    return fmt::format("--device {}: give the number of one GPU in the driver; names need --from",
                       fmt::join(from_.devices, ", "));
  }

  std::vector<host::Input> inputs() const {
    std::vector<host::Input> files;
    const auto add = [&](const char* what, const std::string& name) {
      if (const auto file = gpu::find_gpu_file(name)) files.push_back({what, *file});
    };
    if (fits()) files.push_back({"the file of --from", from_.from});
    if (simulates() || fits()) add("the file of --gpu", gpu_);
    if (!base_.empty()) add("the file of --base", base_);
    return files;
  }

  Result<std::unique_ptr<measure::Runner>> open() const {
    if (!simulates()) return measure::cuda_runner(device_, driver_);
    const Result<gpu::Gpu> gpu = gpu::find_gpu(gpu_);
    if (!gpu) return gpu.error();
    const Result<timing::Config> config = cuda::simulated_config(*gpu, {}, {});
    if (!config) return config.error();
    return measure::simulated_runner(*gpu, *config);
  }

  Result<Base> find_base(const measure::Device& device) const {
    if (base_.empty() && !simulates()) return measure::nearest_base(device);
    const std::string& name = base_.empty() ? gpu_ : base_;
    Result<gpu::Gpu> gpu = gpu::find_gpu(name);
    if (!gpu) return gpu.error();
    if (gpu->timing) return Base{name, std::move(*gpu)};
    return Error{
        name +
        " has no timing sections, so it cannot supply the values that are not measured; name another GPU with --base"};
  }

  /// Compares the description with the GPU that it describes.
  Result<measure::VoteCheck> check(measure::Runner& runner, const measure::Description& description) const {
    const Result<gpu::Gpu> found = gpu::parse_gpu(description.toml, "the description that was found");
    if (!found) return found.error();
    library::AtomicsRequest request;
    request.weights = true;  // results are waited for, so nothing is combined
    const Result<library::AtomicsMachine> model = library::atomics_machine(*found, request);
    if (!model) return model.error();
    const Result<timing::Config> config = cuda::simulated_config(*found, {}, {});
    if (!config) return config.error();
    const Result<std::unique_ptr<measure::Runner>> simulated = measure::simulated_runner(*found, *config);
    if (!simulated) return simulated.error();
    if (const auto error = (*simulated)->load(measure::programs())) return *error;
    return measure::check_votes(runner, **simulated, model->model, options_.samples);
  }

  std::string backend_ = "cuda", driver_ = measure::kDriverLibrary, gpu_{gpu::kDefaultGpu}, base_, output_, json_;
  int device_ = 0;
  measure::CalibrateOptions options_;
  CalibrateFrom from_;
  const CLI::Option *from_option_ = nullptr, *backend_option_ = nullptr, *driver_option_ = nullptr,
                    *device_option_ = nullptr, *gpu_option_ = nullptr, *base_option_ = nullptr,
                    *samples_option_ = nullptr, *threads_option_ = nullptr;
};

const RegisterCommand calibrate_registered(
    {"calibrate", "Measure the shared memory of a GPU and write its description",
     "Measures the cost of loads, stores and atomics on shared memory under conflicts, with micro-benchmarks of one "
     "warp, and\nwrites a description with the measured values. With --from it measures nothing: it fits a description "
     "to published\nmeasurements with the benchmarks of bankshot accuracy. See docs/calibrate.md. Exit status: 0; 2 if "
     "there is no GPU,\nit cannot be measured, or a file cannot be read.\n\n"
     "Examples:\n"
     "  bankshot calibrate -o mine.toml\n"
     "  bankshot calibrate --device 1 --base v100 -o mine.toml --json mine.json\n"
     "  bankshot calibrate --backend simulate --gpu gtx580\n"
     "  bankshot calibrate --from hardware/microbenchmarks.tsv --gpu v100 -o mine.toml\n"
     "  bankshot calibrate --from mine.tsv --gpu v100 --device 'TITAN V'\n",
     [] { return std::make_unique<Calibrate>(); }});

}  // namespace
}  // namespace bankshot::cli

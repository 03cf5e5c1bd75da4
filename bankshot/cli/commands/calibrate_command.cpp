// bankshot calibrate: measures the shared memory of a GPU and writes its description.
#include <ctime>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/cli/commands/atomics_machine.hpp"
#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/host/write_file.hpp"
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
    app.add_option("--backend", backend_, "what is measured: cuda, a real GPU through NVIDIA's driver, or simulate")
        ->check(CLI::IsMember({"cuda", "simulate"}))
        ->capture_default_str();
    driver_option_ =
        app.add_option("--driver", driver_, "NVIDIA's driver library")->type_name("FILE")->capture_default_str();
    device_option_ = app.add_option("--device", device_, "which GPU, as the driver counts them")
                         ->type_name("N")
                         ->capture_default_str();
    gpu_option_ = app.add_option("--gpu", gpu_, "GPU to simulate, or a TOML file; with --backend simulate")
                      ->type_name("NAME")
                      ->capture_default_str();
    app.add_option("--base", base_,
                   "description whose values stand where nothing is measured; without, the nearest one "
                   "that can be simulated")
        ->type_name("NAME");
    app.add_option("--samples", options_.samples, "how often each pattern is measured")
        ->check(CLI::Range(1u, 1000u))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("-o,--output", output_, "write the description of the GPU; its name ends in .toml")
        ->type_name("FILE.toml");
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  int run(const std::vector<std::string>&) override {
    if (const std::string reason = problem(); !reason.empty()) return refuse(reason);
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
  bool simulates() const { return backend_ == "simulate"; }

  /// Why it cannot be done, before anything is measured.
  std::string problem() const {
    if (simulates() && (driver_option_->count() != 0 || device_option_->count() != 0)) {
      return "--driver and --device are for a real GPU: leave them away, or --backend simulate";
    }
    if (!simulates() && gpu_option_->count() != 0) return "--gpu names a GPU to simulate: say --backend simulate";
    if (!output_.empty() && !output_.ends_with(".toml")) return output_ + ": the name of a description ends in .toml";
    if (host::same_file(output_, json_)) return "-o and --json name the same file, " + output_;
    if (const auto error = host::overwrites("-o", output_, inputs())) return error->message;
    if (!output_.empty()) {
      if (const auto error = host::cannot_write(output_)) return error->message;
    }
    const auto error = cannot_deliver(json_, inputs());
    return error ? error->message : "";
  }

  std::vector<host::Input> inputs() const {
    std::vector<host::Input> files;
    const auto add = [&](const char* what, const std::string& name) {
      if (const auto file = gpu::find_gpu_file(name)) files.push_back({what, *file});
    };
    if (simulates()) add("the file of --gpu", gpu_);
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
        " has no timing sections, so what is measured has no place beside its values; name another GPU with --base"};
  }

  /// What the description says, held against the GPU it is of.
  Result<measure::VoteCheck> check(measure::Runner& runner, const measure::Description& description) const {
    const Result<gpu::Gpu> found = gpu::parse_gpu(description.toml, "the description that was found");
    if (!found) return found.error();
    AtomicsRequest request;
    request.weights = true;  // results are waited for, so nothing is combined
    const Result<AtomicsMachine> model = atomics_machine(*found, request);
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
  const CLI::Option *driver_option_ = nullptr, *device_option_ = nullptr, *gpu_option_ = nullptr;
};

const RegisterCommand calibrate_registered(
    {"calibrate", "Measure the shared memory of a GPU and write its description",
     "Measures, by micro-benchmarks of one warp, what loads, stores and atomics on "
     "shared memory cost under conflicts, and\n"
     "writes a description with the values found. docs/calibrate.md says how. Exit "
     "status: 0; 2 if there is no GPU, or it\n"
     "cannot be measured.\n\n"
     "Examples:\n"
     "  bankshot calibrate -o mine.toml\n"
     "  bankshot calibrate --device 1 --base v100 -o mine.toml --json mine.json\n"
     "  bankshot calibrate --backend simulate --gpu gtx580\n",
     [] { return std::make_unique<Calibrate>(); }});

}  // namespace
}  // namespace bankshot::cli

#include "bankshot/cli/commands/measure_on.hpp"

#include <algorithm>
#include <thread>

#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/measure/runner_cuda.hpp"
#include "bankshot/measure/runner_simulated.hpp"

namespace bankshot::cli {

void MeasureOn::define(CLI::App& app) {
  backend_option_ = app.add_option("--backend", backend_,
                                   "also time a launch of each rewritten kernel: cuda, on a real GPU through NVIDIA's "
                                   "driver, or simulate, on the simulated GPU of --gpu in the same way")
                        ->check(CLI::IsMember({"cuda", "simulate"}));
  driver_option_ =
      app.add_option("--driver", driver_, "NVIDIA's driver library, libcuda.so.1 if not given; implies --backend cuda")
          ->type_name("FILE");
  device_option_ =
      app.add_option("--device", device_, "number of the GPU in the driver, 0 if not given; implies --backend cuda")
          ->type_name("N");
}

bool MeasureOn::is_given() const {
  return backend_option_->count() + driver_option_->count() + device_option_->count() != 0;
}

std::string MeasureOn::problem() const {
  if (backend_ == "simulate" && driver_option_->count() + device_option_->count() != 0)
    return "--driver and --device are for a real GPU: leave out either these or --backend simulate";
  return {};
}

Result<std::unique_ptr<measure::Runner>> MeasureOn::open(const gpu::Gpu& simulated, unsigned threads) const {
  if (!is_given()) return std::unique_ptr<measure::Runner>();
  if (backend_ == "cuda") return measure::cuda_runner(device_, driver_);
  const Result<timing::Config> config = cuda::simulated_config(simulated, {}, {});
  if (!config) return config.error();
  measure::SimulatedOptions options;
  options.one_sm = false;
  options.machine_code = true;
  options.threads = threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  return measure::simulated_runner(simulated, *config, options);
}

}  // namespace bankshot::cli

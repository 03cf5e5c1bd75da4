// bankshot gpus: the machine descriptions there are.
#include <fmt/format.h>

#include "bankshot/cli/command.hpp"
#include "bankshot/cli/output.hpp"
#include "bankshot/gpu/gpu.hpp"

namespace bankshot::cli {
namespace {

std::string row(const std::string& name, const gpu::Gpu& gpu) {
  const scratchpad::Rules& banks = gpu.machine.scratchpad;
  return fmt::format("{:<10} {:<28} {:>2}.{} {:>5} {:>6} MHz {:>4} GB {:>5} KB {:>4} x {} B{}\n", name, gpu.name,
                     gpu.compute_major, gpu.compute_minor, gpu.machine.sms, gpu.core_khz / 1000,
                     gpu.global_bytes >> 30, gpu.shared_per_sm / 1024, banks.banks, banks.bank_bytes,
                     name == gpu::kDefaultGpu ? "  (default)" : "");
}

class Gpus final : public Command {
 public:
  void define(CLI::App&) override {}

  int run(const std::vector<std::string>&) override {
    const std::vector<std::string> names = gpu::gpu_names();
    if (names.empty()) {
      const Result<std::string> none = gpu::find_gpu_file(std::string(gpu::kDefaultGpu));
      return refuse(none ? "no GPU descriptions were found" : none.error().message);
    }
    print(fmt::format("{:<10} {:<28} {:>4} {:>5} {:>10} {:>7} {:>8} {:>10}\n", "NAME", "GPU", "CC", "SMS", "CLOCK",
                      "MEMORY", "SHARED", "BANKS"));
    int status = kDone;
    for (const std::string& name : names) {
      const Result<gpu::Gpu> gpu = gpu::find_gpu(name);
      if (gpu) {
        print(row(name, *gpu));
      } else {
        status = refuse(gpu.error().message);
      }
    }
    return status;
  }
};

const RegisterCommand registration({
    "gpus", "List the GPUs that programs can run on",
    "A GPU is one TOML file; BANKSHOT_GPUS names another folder of them.\n\n"
    "Examples:\n"
    "  bankshot gpus\n"
    "  bankshot run --gpu v100 ./app\n"
    "  bankshot run --gpu ./my_gpu.toml ./app\n",
    [] { return std::make_unique<Gpus>(); }});

}  // namespace
}  // namespace bankshot::cli

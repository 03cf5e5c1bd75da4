// bankshot gpus: the machine descriptions there are.
#include <fmt/format.h>

#include "bankshot/cli/command.hpp"
#include "bankshot/cli/output.hpp"
#include "bankshot/gpu/gpu.hpp"

namespace bankshot::cli {
namespace {

std::string row(const std::string& name, const gpu::Gpu& gpu) {
  const scratchpad::Rules& banks = gpu.machine.scratchpad;
  return fmt::format("{:<10} {:<28} {:>2}.{} {:>5} {:>6} MHz {:>4.3g} GB {:>5} KB {:>4} x {} B  {}{}\n", name, gpu.name,
                     gpu.compute_major, gpu.compute_minor, gpu.machine.sms, gpu.core_khz / 1000,
                     static_cast<double>(gpu.global_bytes) / (1 << 30), gpu.shared_per_sm / 1024, banks.banks, banks.bank_bytes,
                     gpu.timing ? "run, simulate" : "run", name == gpu::kDefaultGpu ? "  (default)" : "");
}

/// Everything a description says, with what each number means: itself a description.
std::string whole(const gpu::Gpu& gpu) {
  const std::string text = fmt::format("# {}\n", gpu.file) + gpu::to_toml(gpu);
  if (!gpu.timing) return text + "\n# It cannot be simulated: its file has no timing sections.\n";
  const timing::Config& timing = *gpu.timing;
  return text + fmt::format("\n# DRAM {:.1f} GB/s, single precision {:.0f} GFLOP/s, both at most\n",
                            timing.dram_bytes_per_second() / 1e9, timing.fp32_per_second() / 1e9);
}

class Gpus final : public Command {
 public:
  void define(CLI::App& app) override { app.add_option("gpu", gpu_, "a GPU, or a TOML file: tells all of it"); }

  int run(const std::vector<std::string>&) override {
    if (!gpu_.empty()) {
      const Result<gpu::Gpu> gpu = gpu::find_gpu(gpu_);
      if (!gpu) return refuse(gpu.error().message);
      print(whole(*gpu));
      return kDone;
    }
    const std::vector<std::string> names = gpu::gpu_names();
    if (names.empty()) {
      const Result<std::string> none = gpu::find_gpu_file(std::string(gpu::kDefaultGpu));
      return refuse(none ? "no GPU descriptions were found" : none.error().message);
    }
    print(fmt::format("{:<10} {:<28} {:>4} {:>5} {:>10} {:>7} {:>8} {:>10}  {}\n", "NAME", "GPU", "CC", "SMS", "CLOCK",
                      "MEMORY", "SHARED", "BANKS", "CAN"));
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

 private:
  std::string gpu_;
};

const RegisterCommand registration({
    "gpus", "List the GPUs that programs can run on",
    "A GPU is one TOML file; BANKSHOT_GPUS names another folder of them. All can run programs; those whose file says how\n"
    "long everything takes can be simulated.\n\n"
    "Examples:\n"
    "  bankshot gpus\n"
    "  bankshot gpus gtx480\n"
    "  bankshot run --gpu v100 ./app\n"
    "  bankshot run --gpu ./my_gpu.toml ./app\n",
    [] { return std::make_unique<Gpus>(); }});

}  // namespace
}  // namespace bankshot::cli

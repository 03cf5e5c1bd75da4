#include "bankshot/measure/runner_simulated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "bankshot/gpu/keys.hpp"
#include "bankshot/measure/programs.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "bankshot/timing/chip/chip.hpp"

namespace bankshot::measure {
namespace {

Device describe(const gpu::Gpu& gpu, const timing::Config& config) {
  Device device;
  device.name = gpu.name;
  device.major = gpu.compute_major;
  device.minor = gpu.compute_minor;
  device.driver = "simulated";
  device.clock_khz = config.clock_khz != 0 ? config.clock_khz : config.core_khz;
  device.issue_cycles_by_tick = static_cast<double>(config.core_khz) / device.clock_khz;
  device.shared_bytes = gpu.shared_per_block;
  device.max_threads = gpu.max_threads_per_block;
  device.exact_time = true;
  for (const gpu::Key& key : gpu::keys()) {
    if (key.section == "scratchpad") continue;  // what it may find out by measuring
    device.facts[fmt::format("{}.{}", key.section, key.name)] = gpu::value_text(gpu, key);
  }
  return device;
}

simt::EngineOptions engine_options(const gpu::Gpu& gpu, const timing::Config& config, const SimulatedOptions& wanted) {
  simt::EngineOptions options;
  options.machine = gpu.machine;
  options.machine.scratchpad = config.rules;
  options.threads = 1;  // the chip runs the blocks
  if (wanted.machine_code) options.machine_code = gpu.machine_code();
  options.timing = wanted.machine_code;
  return options;
}

timing::ChipOptions chip_options(const SimulatedOptions& wanted) {
  timing::ChipOptions options;
  options.threads = wanted.threads;
  return options;
}

timing::Config chip_config(timing::Config config, const SimulatedOptions& wanted) {
  if (wanted.one_sm) config.sms = 1;
  return config;
}

/// Blocks of a launch that an SM holds at once. Registers come in units of 256 a warp.
/// Source: CUDA Best Practices Guide, "Occupancy".
timing::Residency residency(const gpu::Gpu& gpu, const simt::KernelInfo& kernel, const Launch& launch) {
  const unsigned warps = std::max(1u, static_cast<unsigned>((launch.block.count() + 31) / 32));
  timing::Residency result{std::max(1u, gpu.max_blocks_per_sm), "CTA slots"};
  const auto limit = [&](uint64_t blocks, const char* by) {
    if (blocks < result.ctas_per_sm) result = {static_cast<unsigned>(std::max<uint64_t>(1, blocks)), by};
  };
  limit(gpu.max_warps_per_sm / warps, "warps");
  limit(gpu.registers_per_sm / (warps * 256 * ((kernel.registers * 32 + 255) / 256)), "registers");
  const uint64_t shared = uint64_t{kernel.static_shared} + launch.shared_bytes + gpu.shared_reserved_per_block;
  if (shared != 0) limit(gpu.shared_per_sm / shared, "shared memory");
  return result;
}

class Simulated final : public Runner {
 public:
  Simulated(const gpu::Gpu& gpu, const timing::Config& config, const SimulatedOptions& options)
      : gpu_(gpu),
        device_(describe(gpu, config)),
        engine_(engine_options(gpu, config, options)),
        chip_(chip_config(config, options), chip_options(options)) {}

  const Device& device() const override { return device_; }

  std::optional<Error> load(std::string_view ptx) override {
    auto program = engine_.load(ptx, kModule);
    if (!program) return Error{format_diagnostics(program.error(), kModule, ptx)};
    program_ = *program;
    return std::nullopt;
  }

  Result<Variable> variable(const std::string& name) override {
    if (program_) {
      for (const simt::GlobalInfo& global : simt::globals(*program_)) {
        if (global.name == name) return Variable{global.address, global.size};
      }
    }
    return Error{fmt::format("no variable {} was loaded", name)};
  }
  Result<uint64_t> allocate(uint64_t bytes) override {
    return engine_.memory().allocate(bytes, simt::MemoryKind::device);
  }
  void release(uint64_t address) override { engine_.memory().free(address); }

  std::optional<Error> copy_in(uint64_t to, std::span<const std::byte> from) override {
    if (auto error = outside(to, from.size())) return error;
    std::memcpy(reinterpret_cast<void*>(to), from.data(), from.size());
    chip_.copied(engine_.memory(), to, from.size());
    return std::nullopt;
  }
  std::optional<Error> copy_out(std::span<std::byte> to, uint64_t from) override {
    if (auto error = outside(from, to.size())) return error;
    std::memcpy(to.data(), reinterpret_cast<const void*>(from), to.size());
    return std::nullopt;
  }

  std::optional<Error> launch(const Launch& launch) override {
    const simt::KernelInfo* kernel = find(launch.kernel);
    if (!kernel) return Error{fmt::format("no kernel {} was loaded", launch.kernel)};
    if (launch.arguments.size() != kernel->param_bytes) {
      return Error{fmt::format("kernel {} takes {} bytes of arguments and was given {}", launch.kernel,
                               kernel->param_bytes, launch.arguments.size())};
    }
    simt::LaunchConfig config;
    config.grid = launch.grid;
    config.block = launch.block;
    config.dynamic_shared = launch.shared_bytes;
    config.params = launch.arguments;
    const timing::Cycle start = chip_.cycles();
    const auto ran = chip_.launch(engine_, *program_, launch.kernel, config, residency(gpu_, *kernel, launch));
    if (!ran) return Error{ran.error().message};
    const timing::Cycle cycles = chip_.cycles() - start - chip_.config().launch.cycles;  // the first block starts then
    elapsed_ns_ = static_cast<double>(cycles) * 1e6 / chip_.config().core_khz;
    return std::nullopt;
  }
  double elapsed_ns() const override { return elapsed_ns_; }

 private:
  static constexpr const char* kModule = "measure.ptx";

  const simt::KernelInfo* find(std::string_view name) const {
    if (!program_) return nullptr;
    const std::vector<simt::KernelInfo>& all = simt::kernels(*program_);
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& kernel) { return kernel.name == name; });
    return found == all.end() ? nullptr : &*found;
  }

  std::optional<Error> outside(uint64_t address, uint64_t bytes) {
    const simt::Allocation* allocation = engine_.memory().find(address);
    if (allocation && allocation->live && bytes <= allocation->address + allocation->size - address)
      return std::nullopt;
    return Error{fmt::format("a copy of {} bytes exceeds the allocation", bytes)};
  }

  gpu::Gpu gpu_;
  Device device_;
  simt::Engine engine_;
  timing::Chip chip_;
  std::shared_ptr<simt::Program> program_;
  double elapsed_ns_ = 0;
};

}  // namespace

Result<std::unique_ptr<Runner>> simulated_runner(const gpu::Gpu& gpu, const timing::Config& config,
                                                 const SimulatedOptions& options) {
  if (gpu.machine.warp_size != 32) {
    return Error{
        fmt::format("{} has warps of {} lanes; the micro-benchmarks are for 32", gpu.name, gpu.machine.warp_size)};
  }
  return std::unique_ptr<Runner>(std::make_unique<Simulated>(gpu, config, options));
}

}  // namespace bankshot::measure

#include "bankshot/accuracy/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bankshot/accuracy/condition.hpp"

namespace bankshot::accuracy {
namespace {

// Clocks: those that rows of the same source say of their chases, or boost clocks of the data sheets; of the TITAN V
// its base clock. Memory: A100 40GB 1,555 GB/s, 80GB SXM 2,039 and PCIe 1,935 (gpu-benches' a100_80 reaches 1,896);
// H100 SXM 3,352, PCIe 2,039; H200 4,800; GH200 4,000; A40 696 and RTX 3080 760 of RTX 3090's 936; L40 864 of RTX
// 4090's 1,008; T4 320, Quadro RTX 6000 672. SMs: data sheets.
constexpr std::array kTargets = {
    Target{.name = "V100", .description = "v100", .mhz = 1380},
    Target{.name = "Quadro GV100", .description = "v100", .mhz = 1132},
    Target{.name = "TITAN V", .description = "v100", .mhz = 1200, .one_sm_only = true},  // three stacks of memory
    Target{.name = "T4", .description = "t4"},
    Target{.name = "TU102", .description = "t4", .mhz = 1455, .memory = 672.0 / 320, .sms = 72},
    Target{.name = "TITAN RTX", .description = "t4", .memory = 672.0 / 320, .sms = 72},
    Target{.name = "A100", .description = "a100", .mhz = 1410},
    Target{.name = "A100 80GB", .description = "a100", .mhz = 1410, .memory = 2039.0 / 1555},
    Target{.name = "A100 PCIe", .description = "a100", .mhz = 1395},
    Target{.name = "A40", .description = "rtx3090", .mhz = 1740, .memory = 696.0 / 936, .sms = 84},
    Target{.name = "RTX 3080", .description = "rtx3090", .memory = 760.0 / 936, .sms = 68},
    Target{.name = "RTX 3090", .description = "rtx3090"},
    Target{.name = "RTX A6000", .description = "rtx3090", .memory = 768.0 / 936, .sms = 84},
    Target{.name = "RTX 4090", .description = "rtx4090"},
    Target{.name = "L40", .description = "rtx4090", .mhz = 2490, .memory = 864.0 / 1008, .sms = 142},
    Target{.name = "H100", .description = "h100"},
    Target{.name = "H100 PCIe", .description = "h100", .mhz = 1755, .memory = 2039.0 / 3352, .sms = 114},
    Target{.name = "H800", .description = "h100"},
    Target{.name = "H800 PCIe", .description = "h100", .mhz = 1755, .memory = 2039.0 / 3352, .sms = 114},
    Target{.name = "H200", .description = "h100", .mhz = 1980, .memory = 4800.0 / 3352},
    Target{.name = "GH200", .description = "h100", .mhz = 1980, .memory = 4000.0 / 3352},
    Target{.name = "B200", .description = "b200"},
    Target{.name = "B300", .description = "b300"},
    Target{.name = "RTX 5090", .description = "rtx5090"},
};

/// "… 1380 MHz …": the number before the first unit of a clock.
double megahertz_in(std::string_view text) {
  for (const auto& [unit, factor] : {std::pair<std::string_view, double>{" MHz", 1}, {" GHz", 1000}}) {
    const size_t at = text.find(unit);
    if (at == text.npos) continue;
    size_t begin = at;
    while (begin != 0 && (std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '.')) {
      --begin;
    }
    if (const auto value = number_after(text.substr(begin, at - begin), "")) return *value * factor;
  }
  return 0;
}

}  // namespace

const Target* find_target(std::string_view gpu) {
  const Target* best = nullptr;
  for (const Target& target : kTargets) {
    if (!gpu.starts_with(target.name)) continue;
    const std::string_view rest = gpu.substr(target.name.size());
    if (!rest.empty() && rest[0] != ' ') continue;  // H100 is not H1000; "H100 SXM5" is H100
    if (!best || best->name.size() < target.name.size()) best = &target;
  }
  return best;
}

double clock_of(const Row& row, const Target& target) {
  for (const std::string& text : {row.condition, row.source}) {
    if (const double mhz = megahertz_in(text); mhz != 0) return mhz;
  }
  return target.mhz;
}

std::string Machine::key() const { return fmt::format("{} {}", description, fmt::join(changes, " ")); }

Result<Machine> machine_of(const Row& row, const Target& target) {
  Machine machine{std::string(target.description), {}};
  const Result<gpu::Gpu> gpu = gpu::find_gpu(machine.description);
  if (!gpu) return gpu.error();
  const auto khz = static_cast<unsigned>(std::lround(1000 * clock_of(row, target)));
  if (khz != 0 && khz != gpu->core_khz) machine.changes.push_back(fmt::format("clocks.core_khz={}", khz));
  const auto memory = static_cast<unsigned>(std::lround(target.memory * gpu->memory_khz));
  if (memory != gpu->memory_khz) machine.changes.push_back(fmt::format("clocks.memory_khz={}", memory));
  // The way to another memory is as wide as gives the same share of its rate; its clock follows that of the SMs. To the
  // description's own memory it is as measured.
  if (target.memory != 1 && gpu->timing && gpu->timing->l2.dram_bytes != 0) {
    const unsigned width = gpu->timing->l2.dram_bytes;
    const double clocks = khz == 0 ? 1 : static_cast<double>(gpu->core_khz) / khz;
    const auto bytes = static_cast<unsigned>(std::lround(width * target.memory * clocks));
    if (bytes != width) machine.changes.push_back(fmt::format("l2.dram_bytes={}", bytes));
  }
  if (target.sms != 0 && target.sms != gpu->machine.sms)
    machine.changes.push_back(fmt::format("gpu.sms={}", target.sms));
  return machine;
}

Result<std::optional<gpu::Gpu>> build(const Machine& machine) {
  Result<gpu::Gpu> gpu = gpu::find_gpu(machine.description);
  if (!gpu || !gpu->timing) return std::optional<gpu::Gpu>();
  if (const auto error = gpu::change(*gpu, machine.changes)) {
    return Error{fmt::format("{} with other clocks: {}", machine.description, error->message)};
  }
  return std::optional<gpu::Gpu>(std::move(*gpu));
}

}  // namespace bankshot::accuracy

// Loads that hit L1: 1,024 threads of one SM read words a stride apart, again and again.
// Source: gpu-benches, gpu-strides.
#include <fmt/format.h>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/kernel.hpp"
#include "bankshot/measure/buffer.hpp"

namespace bankshot::accuracy {
namespace {

constexpr uint32_t kThreads = 1024, kUnrolled = 8, kBases = 2, kTurns = 12;

/// Lane i of every warp reads element i * stride, then the same 128 bytes further on, and so on, so that no two of
/// eight loads are the same and all warps hit. Then again, from an address to which a zero was added that no compiler
/// sees to be one: ptxas merges equal loads, and the driver's compiler hoists loads out of the loop whose address stays
/// the same (an H200 then took an eighth of the time).
Result<Reading> measure_stride(measure::Runner& runner, uint32_t stride, uint32_t width) {
  const Result<uint64_t> address = runner.allocate(uint64_t{32} * (stride + 1) * width + kUnrolled * 128);
  if (!address) return address.error();
  const measure::Buffer buffer(runner, *address);
  const auto loads_from = [&](uint32_t base) {
    std::string loads, uses;
    for (uint32_t k = 0; k < kUnrolled; ++k) {
      loads += load("global.ca", width / 4, k, fmt::format("%d{}+{}", base, 128 * k));
      uses += use(width / 4, k);
    }
    return loads + uses;
  };
  Kernel kernel;
  kernel.warmed_up = true;
  kernel.setup = "  mul.lo.u32 %x, %lane, %a;\n  cvt.u64.u32 %d0, %x;\n  add.u64 %d0, %d0, %data;\n" + loads_from(0);
  kernel.timed = "  cvt.u64.u32 %v, %zero;\n";
  std::string turn(kNoUnroll);
  for (uint32_t base = 0; base < kBases; ++base) {
    turn += fmt::format("  add.u64 %d{}, %d{}, %v;\n", base, base == 0 ? kBases - 1 : base - 1);
    turn += loads_from(base);
  }
  kernel.timed += fmt::format("  mov.u64 %d{}, %d0;\n", kBases - 1);
  kernel.timed += loop(turn) + wait_for_used();
  Arguments arguments{buffer.address(), 0, kTurns, stride * width, 0, 0};
  const Result<double> cycles = run(runner, kernel, {1, kThreads, 0}, arguments);
  if (!cycles) return cycles.error();
  return Reading{*cycles / (kTurns * kBases * kUnrolled * (kThreads / 32)), Dimension::cycles};
}

}  // namespace

std::optional<Plan> plan_l1_strides(const Row& row) {
  if (row.quantity != "global load, L1 hit: cycles per warp load") return std::nullopt;
  for (const auto& [type, width] : {std::pair("float", 4u), std::pair("double", 8u)}) {
    const auto stride = number_after(row.condition, fmt::format("{} stride ", type));
    if (!stride) continue;
    const auto elements = static_cast<uint32_t>(*stride);
    return Plan{fmt::format("l1 stride {} {}", elements, width), false,
                [=](measure::Runner& runner) { return measure_stride(runner, elements, width); }};
  }
  return std::nullopt;
}

}  // namespace bankshot::accuracy

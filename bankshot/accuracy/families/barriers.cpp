// bar.sync with 1 to 32 warps: the time of one among many.
#include <fmt/format.h>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/kernel.hpp"

namespace bankshot::accuracy {
namespace {

constexpr uint32_t kUnrolled = 64, kTurns = 4;

Result<Reading> measure_barrier(measure::Runner& runner, uint32_t warps) {
  Kernel kernel;
  kernel.warmed_up = true;
  kernel.timed = loop(unrolled("  bar.sync 0;\n", kUnrolled));
  const Result<double> cycles = run(runner, kernel, {1, 32 * warps, 0}, {0, 0, kTurns, 0, 0, 0});
  if (!cycles) return cycles.error();
  return Reading{*cycles / (kUnrolled * kTurns), Dimension::cycles};
}

std::optional<uint32_t> warps_of(const Row& row) {
  if (row.quantity.starts_with("sync.bar.lat ")) return whole_number(row.condition, "w");
  if (row.quantity != "__syncthreads cost") return std::nullopt;
  const auto number = number_after(row.condition, "");
  if (!number) return std::nullopt;
  const auto count = static_cast<uint32_t>(*number);
  return row.condition.find("threads") == std::string::npos ? count : count / 32;
}

}  // namespace

std::optional<Plan> plan_barriers(const Row& row) {
  const auto warps = warps_of(row);
  if (!warps || *warps < 1 || *warps > 32) return std::nullopt;
  return Plan{fmt::format("barrier {}", *warps), false,
              [count = *warps](measure::Runner& runner) { return measure_barrier(runner, count); }};
}

}  // namespace bankshot::accuracy

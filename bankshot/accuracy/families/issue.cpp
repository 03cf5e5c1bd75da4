// When memory instructions of a sub-core issue: the units that all sub-cores share take one every few cycles, and a
// sub-core buffers a few before it stalls.
// Source: Huerta et al., Analyzing Modern NVIDIA GPU Cores, arXiv 2503.20481, table 1.
#include <fmt/format.h>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/kernel.hpp"

namespace bankshot::accuracy {
namespace {

/// One warp on each sub-core, as warps are dealt out to them in turn. Loads of one word of shared memory. Each has a
/// register of its own, which is used after the clock is read: nothing waits for a load, and no compiler gives its
/// register to the clock.
Kernel kernel_of(unsigned loads) {
  Kernel kernel;
  kernel.warmed_up = true;
  kernel.setup =
      "  mov.u32 %x, scratch;\n  mad.lo.u32 %x, %lane, 4, %x;\n  mov.u32 %y, 0;\n  st.shared.u32 [%x], %y;\n";
  for (unsigned k = 0; k < loads; ++k) {
    kernel.timed += load("volatile.shared", 1, k, "%x");
    kernel.tail += use(1, k);
  }
  kernel.tail += wait_for_used();
  return kernel;
}

/// Cycles between the readings of the clock around so many loads.
Result<double> cycles_of(measure::Runner& runner, unsigned loads, uint32_t sub_cores) {
  return run(runner, kernel_of(loads), {1, 32 * sub_cores, 4096}, {});
}

/// The cycle in which load number n of the only sub-core that has any issues, as the paper counts: the first in 2.
Result<Reading> measure_issue(measure::Runner& runner, unsigned n) {
  const Result<double> none = cycles_of(runner, 0, 1), loads = cycles_of(runner, n, 1);
  if (!none) return none.error();
  if (!loads) return loads.error();
  return Reading{*loads - *none + 1, Dimension::cycles};
}

/// Between two loads of a sub-core, after many.
Result<Reading> measure_interval(measure::Runner& runner, uint32_t sub_cores) {
  constexpr unsigned kFew = 32, kMany = 96;
  const Result<double> few = cycles_of(runner, kFew, sub_cores), many = cycles_of(runner, kMany, sub_cores);
  if (!few) return few.error();
  if (!many) return many.error();
  return Reading{(*many - *few) / (kMany - kFew), Dimension::cycles};
}

}  // namespace

std::optional<Plan> plan_issue(const Row& row) {
  if (row.quantity == "steady-state issue interval of memory instructions per sub-core") {
    const auto sub_cores = number_after(row.condition, "");
    if (!sub_cores || *sub_cores < 1 || *sub_cores > 4) return std::nullopt;
    const auto count = static_cast<uint32_t>(*sub_cores);
    return Plan{fmt::format("issue interval {}", count), false,
                [count](measure::Runner& runner) { return measure_interval(runner, count); }};
  }
  if (row.quantity == "issue cycle of memory instruction n of a sub-core, L1/shared hits") {
    const auto n = number_after(row.condition, "n=");
    const bool alone = row.condition.find("any number of") != std::string::npos ||
                       row.condition.find(", 1 active") != std::string::npos;
    if (!alone || !n || *n < 1 || *n > 64) return std::nullopt;
    const auto count = static_cast<unsigned>(*n);
    return Plan{fmt::format("issue cycle {}", count), false,
                [count](measure::Runner& runner) { return measure_issue(runner, count); }};
  }
  return std::nullopt;
}

}  // namespace bankshot::accuracy

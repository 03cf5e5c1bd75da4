#include "bankshot/formats/ncu_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bankshot/report/text/text.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::formats {
namespace {

using report::Kernel;
using report::Site;

constexpr std::array<std::string_view, 4> kOperations{"ld", "st", "atom", "ldgsts"};

/// Which of kOperations an instruction is for Nsight Compute; empty: it is not known (bulk copies, barrier objects).
std::string_view operation_of(const Site& site) {
  const std::string_view op = site.op;
  const std::string_view first = op.substr(0, op.find('.'));
  if (op.starts_with("cp.async.bulk")) return {};
  if (first == "ld" || first == "ldu" || first == "ldmatrix" || op.starts_with("wmma.load")) return "ld";
  if (first == "st" || first == "stmatrix" || op.starts_with("wmma.store")) return "st";
  if (first == "atom" || first == "red") return "atom";
  return op.starts_with("cp.async") ? "ldgsts" : std::string_view();
}

/// Copies that bypass the first-level cache: the hardware's counters leave them out.
bool is_uncounted(const Site& site) { return site.op.starts_with("cp.async.cg"); }

/// Atomics for which machine code loops around a compare-and-swap: explain counts one round.
bool is_loop(const Site& site) {
  if (operation_of(site) != "atom") return false;
  if (site.op.find(".cas") != site.op.npos || site.op.find(".exch") != site.op.npos) return false;
  const std::string_view type = std::string_view(site.op).substr(site.op.rfind('.') + 1);
  return type.starts_with('f') || type.starts_with("bf") || type.ends_with("64") || type.ends_with("16");
}

/// The counter of conflicts counts one of the passes of a compare-and-swap.
uint64_t conflicts_of(const Site& site, const scratchpad::Rules& rules) {
  return site.kind == scratchpad::AccessKind::cas ? site.totals.conflicts() / rules.cas_passes
                                                  : site.totals.conflicts();
}

void add(std::vector<NcuMetric>& list, std::string name, uint64_t value, std::string_view unit = "") {
  list.push_back({std::move(name), unit, static_cast<double>(value)});
}

void add_shared(std::vector<NcuMetric>& list, const Kernel& kernel, const report::RunReport& report) {
  const bool simulated = kernel.timing.has_value();
  const auto is_known = [&](const Site& site) { return !operation_of(site).empty() && (simulated || !is_loop(site)); };
  const bool all_known = std::ranges::all_of(kernel.sites, is_known);
  NcuShared sum;
  std::array<NcuShared, kOperations.size()> parts;
  for (size_t k = 0; k < kOperations.size(); ++k) {
    parts[k] = ncu_shared(kernel, report.rules, kOperations[k]);
    sum.wavefronts += parts[k].wavefronts;
    sum.conflicts += parts[k].conflicts;
  }
  const auto part_known = [&](std::string_view operation) {
    return std::ranges::all_of(kernel.sites,
                               [&](const Site& site) { return operation_of(site) != operation || is_known(site); });
  };
  const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared",
                    conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared";
  if (all_known) {
    add(list, wavefronts + ".sum", sum.wavefronts);
    add(list, conflicts + ".sum", sum.conflicts);
  }
  for (size_t k = 0; k < kOperations.size(); ++k) {
    if (!part_known(kOperations[k])) continue;
    const std::string end = fmt::format("_op_{}.sum", kOperations[k]);
    if (kOperations[k] != "ldgsts") add(list, wavefronts + end, parts[k].wavefronts);
    add(list, conflicts + end, parts[k].conflicts);
  }
  if (!all_known) return;
  add(list, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared.sum", sum.wavefronts);
  add(list, "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared.sum", sum.conflicts);
  // The page "source" does not look at the banks of copies that bypass the first-level cache.
  const bool has_uncounted = std::ranges::any_of(kernel.sites, is_uncounted);
  if (has_uncounted) return;
  const report::SharedTotals shared = kernel.shared();
  add(list, "memory_l1_wavefronts_shared", shared.wavefronts);
  add(list, "memory_l1_wavefronts_shared_ideal", shared.ideal_wavefronts);
  add(list, "derived__memory_l1_wavefronts_shared_excessive", shared.conflicts());
}

void add_global(std::vector<NcuMetric>& list, const Kernel& kernel) {
  uint64_t loads = 0, stores = 0;
  for (const report::L1Site& site : kernel.l1_sites) {
    if (site.kind == scratchpad::AccessKind::load) loads += site.totals.sums.sectors;
    if (site.kind == scratchpad::AccessKind::store) stores += site.totals.sums.sectors;
  }
  add(list, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", loads, "sector");
  add(list, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", stores, "sector");
}

void add_launch(std::vector<NcuMetric>& list, const Kernel& kernel) {
  constexpr std::string_view kSection = "Launch Statistics";
  const auto size = [](const simt::Dim3& extent) { return static_cast<double>(extent.x) * extent.y * extent.z; };
  if (!kernel.launch_shapes_vary) {
    list.push_back({"launch__block_size", "", size(kernel.block), true, kSection, "Block Size"});
    list.push_back({"launch__grid_size", "", size(kernel.grid), true, kSection, "Grid Size"});
    list.push_back(
        {"launch__thread_count", "thread", size(kernel.block) * size(kernel.grid), true, kSection, "Threads"});
  }
  if (kernel.facts.registers_known) {
    list.push_back({"launch__registers_per_thread", "register/thread", static_cast<double>(kernel.facts.registers),
                    true, kSection, "Registers Per Thread"});
  }
}

void add_timing(std::vector<NcuMetric>& list, const report::KernelTiming& timing,
                const report::SimulatedMachine& machine) {
  constexpr std::string_view kSection = "GPU Speed Of Light Throughput";
  const timing::Counters& counters = timing.counters;
  list.push_back({"gpc__cycles_elapsed.max", "cycle", std::round(timing.cycles()), true, kSection, "Elapsed Cycles"});
  list.push_back(
      {"gpu__time_duration.sum", "ns", std::round(machine.seconds(timing.cycles()) * 1e9), true, kSection, "Duration"});
  list.push_back(
      {"smsp__cycles_elapsed.avg.per_second", "hz", machine.core_khz * 1e3, false, kSection, "SM Frequency"});
  if (timing.is_estimated() || counters.active_cycles == 0) return;
  const auto active = static_cast<double>(counters.active_cycles);
  list.push_back({"sm__cycles_active.avg", "cycle", active / machine.sms, false, kSection, "SM Active Cycles"});
  const double warps = static_cast<double>(counters.warp_cycles) / active;
  list.push_back({"sm__warps_active.avg.pct_of_peak_sustained_active", "%", 100 * warps / machine.max_warps, false,
                  "Occupancy", "Achieved Occupancy"});
  list.push_back(
      {"sm__warps_active.avg.per_cycle_active", "warp", warps, false, "Occupancy", "Achieved Active Warps Per SM"});
}

constexpr std::array kNotModelled{
    NotModelled{"smsp__inst_executed_op_shared_ld.sum", "it also counts instructions of which all lanes are off"},
    NotModelled{"derived__memory_l1_conflicts_shared_nway", "it divides by such instructions"},
    NotModelled{"smsp__inst_executed.sum", "Bankshot executes PTX, not machine code"},
    NotModelled{"l1tex__throughput.avg.pct_of_peak_sustained_active", "the largest of many counters of the hardware"},
    NotModelled{"smsp__average_warps_issue_stalled_*", "`bankshot simulate` has causes of its own"},
    NotModelled{"memory_l2_theoretical_sectors_global", "it is counted for machine code"},
};

}  // namespace

NcuShared ncu_shared(const Kernel& kernel, const scratchpad::Rules& rules, std::string_view operation) {
  NcuShared sum;
  for (const Site& site : kernel.sites) {
    if (operation_of(site) != operation || is_uncounted(site)) continue;
    sum.wavefronts += site.totals.wavefronts;
    sum.conflicts += conflicts_of(site, rules);
  }
  return sum;
}

std::vector<NcuMetric> ncu_metrics(const Kernel& kernel, const report::RunReport& report) {
  std::vector<NcuMetric> list;
  if (!report.checks.any()) add_shared(list, kernel, report);  // a check counts no accesses
  if (report.l1) add_global(list, kernel);
  add_launch(list, kernel);
  if (kernel.timing && report.machine) add_timing(list, *kernel.timing, *report.machine);
  return list;
}

std::span<const NotModelled> not_modelled() { return kNotModelled; }

std::string assumption(const report::RunReport& report) {
  if (report.rules.hash) return ", as if the hardware chose banks by the hash " + scratchpad::spec(*report.rules.hash);
  if (report.machine && report.machine->bank_hash != "none")
    return ", as if the hardware chose banks by the hash " + report.machine->bank_hash;
  return report.instruction_hashes.empty()
             ? ""
             : ", as if loads and stores had the hashes in " + printable(report.instruction_hashes);
}

std::string value_text(const NcuMetric& metric) {
  if (metric.value >= 0x1p63) return fmt::format("{:.0f}", metric.value);
  if (metric.whole) return report::grouped(static_cast<uint64_t>(metric.value));
  const double hundredths = std::round(metric.value * 100);
  const auto units = static_cast<uint64_t>(hundredths / 100);
  return report::grouped(units) + fmt::format(".{:02}", static_cast<uint64_t>(hundredths) - 100 * units);
}

}  // namespace bankshot::formats

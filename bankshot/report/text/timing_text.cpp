#include "bankshot/report/text/timing_text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "bankshot/report/text/site_text.hpp"
#include "bankshot/report/text/timing_lines_text.hpp"
#include "bankshot/report/text/transactions_text.hpp"

namespace bankshot::report {
namespace {

using timing::Counters;

constexpr unsigned kBar = 20;  // columns of a bar of 100 %

uint64_t whole(double cycles) { return static_cast<uint64_t>(std::llround(cycles)); }

std::string clock(unsigned khz) {
  return khz >= 1'000'000 ? fmt::format("{:.3g} GHz", khz / 1e6) : fmt::format("{:.3g} MHz", khz / 1e3);
}

/// Empty where each instruction of the PTX is one of the machine, as GPUs without a model of ptxas have it.
std::string machine_code(const Counters& c) {
  if (c.machine_instructions == c.warp_instructions) return {};
  return fmt::format("  machine code      {:>16} warp instructions expected from ptxas\n",
                     grouped(c.machine_instructions));
}

std::string cycles(const KernelTiming& timing, const SimulatedMachine& machine) {
  const Counters& c = timing.counters;
  const std::string time =
      fmt::format("{} at {}", duration_text(machine.seconds(timing.cycles())), clock(machine.core_khz));
  if (!timing.is_estimated())
    return fmt::format("  cycles            {:>16} {}{}\n", grouped(c.cycles), time,
                       timing.sampled ? "; all was simulated" : "");
  const timing::Sampled& all = *timing.sampled;
  return fmt::format("  cycles            {:>16} {}, estimated; ± {:.1f} % by the spread of the samples\n",
                     grouped(whole(all.cycles)), time, all.cycles == 0 ? 0 : 100 * all.error / all.cycles) +
         fmt::format(
             "  simulated         {:>16} cycles, {:.1f} % of {} warp instructions; all that follows refers to these\n",
             grouped(c.cycles), percent(c.warp_instructions, all.warp_instructions), grouped(all.warp_instructions));
}

std::string speed(const KernelTiming& timing, const SimulatedMachine& machine) {
  const Counters& c = timing.counters;
  return cycles(timing, machine) +
         fmt::format("  instructions      {:>16} warp      {:>16} thread\n", grouped(c.warp_instructions),
                     grouped(c.thread_instructions)) +
         machine_code(c) +
         fmt::format("  IPC               {:>16.3f} warp instructions a cycle of an active SM, {:.2f} of the chip\n",
                     share(c.machine_instructions, c.active_cycles), ipc(c));
}

/// CTAs go to one SM after the other, so a grid smaller than the chip leaves SMs without any.
uint64_t sms_with_a_cta(const TimedLaunch& launch, const SimulatedMachine& machine) {
  return std::min<uint64_t>(machine.sms, launch.grid.count());
}

/// How much of the chip had work: of the launch that used the most SMs.
std::string use_of_the_chip(const KernelTiming& timing, const SimulatedMachine& machine) {
  if (timing.launches.empty()) return {};
  uint64_t least = machine.sms, most = 0;
  for (const TimedLaunch& launch : timing.launches) {
    least = std::min(least, sms_with_a_cta(launch, machine));
    most = std::max(most, sms_with_a_cta(launch, machine));
  }
  const Counters& c = timing.counters;
  return fmt::format("  SMs               {:>16} of {} had a CTA{}, {:.1f} % of all SM cycles were active{}\n", most,
                     machine.sms, least == most ? "" : " in the largest launch", percent(c.active_cycles, c.sm_cycles),
                     most == machine.sms ? "" : "; the grid is smaller than the chip");
}

/// How many CTAs fit and why no more, of the first launch; how many warps were there on average, of all.
std::string occupancy(const KernelTiming& timing, const KernelFacts& facts, const SimulatedMachine& machine) {
  if (timing.launches.empty()) return {};
  const TimedLaunch& first = timing.launches.front();
  const bool vary = std::ranges::any_of(timing.launches, [&](const TimedLaunch& launch) {
    return launch.ctas_per_sm != first.ctas_per_sm || launch.warps_per_cta != first.warps_per_cta;
  });
  const std::string registers = facts.registers == 0
                                    ? ""
                                    : fmt::format("  registers         {:>16} a thread ({})\n", facts.registers,
                                                  facts.registers_known ? "machine code" : "estimated");
  return fmt::format("  occupancy         {:>16.1f} of {} warps on average; {} of {} {} on an SM (limit: {}){}\n",
                     share(timing.counters.warp_cycles, timing.counters.active_cycles), machine.max_warps,
                     counted(first.ctas_per_sm, "CTA", "CTAs"), counted(first.warps_per_cta, "warp", "warps"),
                     first.ctas_per_sm == 1 ? "fits" : "fit", printable(first.limited_by), vary ? " at first" : "") +
         registers;
}

/// One bar a cause: what issued first, then the most frequent causes.
std::string slots(const Counters& c, const Paint& paint) {
  const std::array<uint64_t, timing::kCauses> active = slots_of_active_sms(c);
  std::vector<unsigned> causes;
  for (unsigned k = 1; k < timing::kCauses; ++k) {
    if (c.slots[k] != 0) causes.push_back(k);
  }
  std::ranges::stable_sort(causes, [&](unsigned a, unsigned b) { return active[a] > active[b]; });
  causes.insert(causes.begin(), 0);
  const uint64_t all = std::accumulate(c.slots.begin(), c.slots.end(), uint64_t{0}),
                 with_ctas = std::accumulate(active.begin(), active.end(), uint64_t{0});
  std::string text = "  issue slots of active SMs, and of the chip, by their use\n";
  for (const unsigned k : causes) {
    const auto columns = static_cast<size_t>(share(active[k], with_ctas) * kBar + 0.5);
    const std::string bar = fmt::format("{:<{}}", std::string(columns, '#'), kBar);
    text +=
        fmt::format("    {:>5.1f} %  {}  {:>5.1f} %  {}\n", percent(active[k], with_ctas),
                    k == 0 ? bar : paint.bad(bar), percent(c.slots[k], all), meaning(static_cast<timing::Cause>(k)));
  }
  return text;
}

/// What lanes and warps lose to each other in loops over locks is time, not passes of the banks.
std::string about_locks(const Counters& c, const SimulatedMachine& machine) {
  if (machine.lock_hash.empty()) return {};
  const double waiting = percent(c.slots[static_cast<unsigned>(timing::Cause::atomic)],
                                 std::accumulate(c.slots.begin(), c.slots.end(), uint64_t{0}));
  if (waiting < 1) return {};
  return fmt::format(
      "    Retries of atomics are not counted here: {:.1f} % of the issue slots wait for atomics. Fewer lanes on one "
      "word or\n    lock reduce this (bankshot atomics advise), as may --lock-hash xor with --bank-hash xor.\n",
      waiting);
}

/// Whether the conflicts cost anything, in one sentence.
std::string verdict(const Kernel& kernel, const Counters& c, const SimulatedMachine& machine, const Paint& paint) {
  const uint64_t exposed = c.conflict_cycles_exposed, all = exposed + c.conflict_cycles_hidden;
  const std::string question = "  do bank conflicts cost anything? ", locks = about_locks(c, machine);
  if (c.shared_wavefronts == c.shared_ideal) {
    const uint64_t counted_there = kernel.shared().conflicts();
    if (counted_there == 0)
      return question + (kernel.timing->partial_launches == 0 ? "There are none.\n" : "There were none so far.\n") +
             locks;
    if (kernel.timing->sampled)
      return question + fmt::format("Unknown: the simulated part has none of the {} that explain counts.\n",
                                    grouped(counted_there));
    return question +
           fmt::format("No: the atomics unit does not charge the {} that explain counts.\n", grouped(counted_there));
  }
  if (exposed == 0) {
    return question + fmt::format("No: other work hides all {} of them.\n", counted(all, "cycle", "cycles")) + locks;
  }
  const double lost = percent(exposed, c.active_cycles);
  const std::string answer =
      fmt::format("{}: in {:.1f} % of its active cycles an SM waits for them.", lost < 1 ? "Hardly" : "Yes", lost);
  if (lost < 1) return question + answer + "\n" + locks;
  const bool hashed = machine.bank_hash != "none";
  return question + paint.bad(answer) + "\n    Without conflicts it would save at most these cycles directly" +
         (hashed ? ".\n" : "; a run with --bank-hash xor shows the whole gain.\n") + locks;
}

/// Banks may still deliver to stores of a CTA that has ended.
double busy_percent(const Counters& c) { return std::min(100.0, percent(c.shared_busy_cycles, c.active_cycles)); }

/// How often foresight was right.
std::string foreseen(const Counters& c) {
  const uint64_t all = c.foreseen_right + c.foreseen_over + c.foreseen_under;
  if (all == 0) return {};
  return fmt::format("  foreseen conflicts{:>16.1f} % right; {} too large, {} too small\n",
                     percent(c.foreseen_right, all), grouped(c.foreseen_over), grouped(c.foreseen_under));
}

std::string shared_memory(const Kernel& kernel, const Counters& c, const SimulatedMachine& machine,
                          const Paint& paint) {
  if (c.shared_accesses == 0) return "  shared memory is not used\n";
  std::string text =
      fmt::format("  shared memory     {:>16} {}, busy in {:.1f} % of the active cycles\n", grouped(c.shared_accesses),
                  c.shared_accesses == 1 ? "access" : "accesses", busy_percent(c));
  text += fmt::format("  wavefronts        {:>16} needed    {:>16} ideal\n", grouped(c.shared_wavefronts),
                      grouped(c.shared_ideal));
  if (c.shared_wavefronts != c.shared_ideal) {
    text += fmt::format("  conflicts         {:>16} wavefronts; their cycles: {} exposed, {} hidden\n",
                        grouped(c.shared_wavefronts - c.shared_ideal), grouped(c.conflict_cycles_exposed),
                        grouped(c.conflict_cycles_hidden));
  }
  return text + foreseen(c) + verdict(kernel, c, machine, paint);
}

/// "123 reads, 12.5 % hits", with what waits for a fetch under way, if any does.
std::string hits(uint64_t accesses, uint64_t hits, uint64_t merged, const char* one, const char* more) {
  std::string text =
      fmt::format("{:>16} {}, {:.1f} % hit", grouped(accesses), accesses == 1 ? one : more, percent(hits, accesses));
  if (merged != 0) text += fmt::format(", {:.1f} % join a fetch under way", percent(merged, accesses));
  return text;
}

std::string memory(const Counters& c, const SimulatedMachine& machine) {
  std::string text;
  if (c.l1_loads != 0)
    text += "  L1                " + hits(c.l1_loads, c.l1_load_hits, c.l1_load_merged, "load", "loads") + "\n";
  if (c.l1_wavefronts != 0) {
    text += fmt::format("  L1 banks          {:>16} wavefronts needed {:>9} ideal\n", grouped(c.l1_wavefronts),
                        grouped(c.l1_ideal));
  }
  if (c.l2_reads != 0)
    text += "  L2 reads          " + hits(c.l2_reads, c.l2_read_hits, c.l2_read_merged, "sector", "sectors") + "\n";
  if (c.l2_writes != 0)
    text += "  L2 writes         " + hits(c.l2_writes, c.l2_write_hits, 0, "sector", "sectors") + "\n";
  const uint64_t bursts = c.dram_reads + c.dram_writes;
  if (bursts == 0) return text;
  const double bytes = static_cast<double>(bursts) * machine.dram_burst_bytes;
  const double achieved = c.cycles == 0 ? 0 : bytes / machine.seconds(c.cycles);
  return text + fmt::format(
                    "  DRAM              {:>16.1f} GB/s of {:.1f} ({:.1f} %); {} read, {} written, {:.1f} % row hits\n",
                    achieved / 1e9, machine.dram_peak() / 1e9, 100 * achieved / machine.dram_peak(),
                    counted(c.dram_reads, "burst", "bursts"), grouped(c.dram_writes), percent(c.dram_row_hits, bursts));
}

std::string partial(const KernelTiming& timing, const Paint& paint) {
  if (timing.partial_launches == 0) return {};
  const std::string which =
      timing.partial_launches == 1 ? "1 launch was" : grouped(timing.partial_launches) + " launches were";
  return "  " + paint.bad(fmt::format("partial: {} stopped before its end; the numbers cover what ran", which)) + "\n";
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.3f} s", seconds);
}

std::string machine_text(const SimulatedMachine& machine) {
  std::string text =
      fmt::format("{} at {}; scheduler {}, pipeline {}, atomics {}, bank hash {}", counted(machine.sms, "SM", "SMs"),
                  clock(machine.core_khz), printable(machine.scheduler), printable(machine.pipeline),
                  printable(machine.atomics), printable(machine.bank_hash));
  if (machine.hash_cycles != 0) text += fmt::format(" (+ {})", counted(machine.hash_cycles, "cycle", "cycles"));
  if (machine.aware != "none") {
    text += ", aware of conflicts: " + printable(machine.aware) + (machine.aware_yields != 0 ? ", yields" : "");
  }
  if (!machine.transactions.empty() && machine.transactions != scratchpad::text(scratchpad::TxConfig()))
    text += ", transactions: " + printable(machine.transactions);
  if (machine.commit != "any") text += ", commit: " + printable(machine.commit);
  if (!machine.lock_hash.empty() && machine.lock_hash != "none") text += ", lock hash " + printable(machine.lock_hash);
  return text + "\n";
}

std::string program_text(const RunReport& report) {
  uint64_t launches = 0;
  double cycles = 0;
  bool estimated = false;
  for (const Kernel& kernel : report.kernels) {
    if (!kernel.timing) continue;
    launches += kernel.launches;
    cycles += kernel.timing->cycles();
    estimated |= kernel.timing->is_estimated();
  }
  return fmt::format("{}, {}: {}, {}\n", counted(report.kernels.size(), "kernel", "kernels"),
                     counted(launches, "launch", "launches"), counted(whole(cycles), "cycle", "cycles"),
                     duration_text(report.machine->seconds(cycles)) + (estimated ? ", estimated" : ""));
}

std::string timing_text(const Kernel& kernel, const RunReport& report, const TextOptions& options,
                        SourceLines& sources) {
  const Paint paint{options.colour};
  const KernelTiming& timing = *kernel.timing;
  const Counters& c = timing.counters;
  const SimulatedMachine& machine = *report.machine;
  return partial(timing, paint) + speed(timing, machine) + use_of_the_chip(timing, machine) +
         occupancy(timing, kernel.facts, machine) + slots(c, paint) + shared_memory(kernel, c, machine, paint) +
         transactions_text(kernel) + memory(c, machine) + timed_lines_text(kernel, options, sources);
}

}  // namespace bankshot::report

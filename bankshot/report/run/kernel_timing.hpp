// What simulated launches of a kernel took: counters of all, of each launch, of each instruction. Plain data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/scratchpad/transactions/tx_config.hpp"
#include "bankshot/timing/base/config.hpp"
#include "bankshot/timing/chip/launch_timing.hpp"

namespace bankshot::report {

/// What a reader of the counters has to know of the machine that was simulated.
struct SimulatedMachine {
  std::string scheduler, pipeline, atomics;                 ///< names of components
  std::string aware = "none";                               ///< component that foresees bank conflicts
  std::string bank_hash = "none";                           ///< as one word of the command line
  std::string lock_hash;                                    ///< likewise; empty: atomics have no locks
  std::string transactions;                                 ///< how they find conflicts: scratchpad::text()
  std::string commit = "any";                               ///< order of a warp's results
  std::map<std::string, unsigned> parameters;               ///< of the components, by key, those that have a value
  unsigned aware_yields = 0;                                ///< 1: into conflicts, where nothing else can issue
  unsigned simd_lanes = 32, stages = 0, memory_stages = 0;  ///< of the pipeline; stages 0: not said
  unsigned premem = 0, nonmem = 0;                          ///< entries of the elastic pipeline's queues; of others 0
  unsigned reorder_entries = 0;                             ///< of a warp, if commit is "reorder"
  unsigned l1_bytes = 0, l1_banks = 0;                      ///< first-level cache; 0: none, no conflicts
  unsigned hash_cycles = 0;                                 ///< that the hash adds to each access of shared memory
  unsigned core_khz = 1, sms = 1, max_warps = 1;
  unsigned schedulers = 1, width = 1;  ///< of an SM; instructions that one issues in a cycle
  unsigned dram_khz = 1, dram_channels = 1, dram_burst_bytes = 1, dram_burst_cycles = 1;
  bool operator==(const SimulatedMachine&) const = default;

  uint64_t slots_per_cycle() const { return uint64_t{sms} * schedulers * width; }
  double seconds(double cycles) const { return cycles / (core_khz * 1e3); }
  double seconds(uint64_t cycles) const { return seconds(static_cast<double>(cycles)); }
  /// Bytes a second that the data buses of all channels can move.
  double dram_peak() const { return 1e3 * dram_khz * dram_channels * dram_burst_bytes / dram_burst_cycles; }
};
/// @param transactions  those of the engine, which a chip does not know
SimulatedMachine machine_of(const timing::Config& config, const scratchpad::TxConfig& transactions);

/// A whole number of SimulatedMachine, at least 1 unless `zero`, with its name in JSON.
struct MachineNumber {
  std::string_view name;
  unsigned SimulatedMachine::* value;
  bool zero = false;
};
std::span<const MachineNumber> machine_numbers();

struct TimedLaunch {
  simt::Dim3 grid, block;
  timing::Counters counters;
  unsigned ctas_per_sm = 0;  ///< that fit at once
  unsigned warps_per_cta = 0;
  std::string limited_by;  ///< why no more fit: "registers"
  bool partial = false;    ///< it was stopped
  std::optional<timing::Sampled> sampled = {};
  std::optional<timing::SlotSeries> over_time = {};  ///< of the first KernelTiming::kMostSeries launches
};

struct KernelTiming {
  timing::Counters counters;  ///< sums over all launches
  /// With sampling: of all launches. Everything else then covers only the simulated part.
  std::optional<timing::Sampled> sampled;
  uint64_t partial_launches = 0;
  std::vector<TimedLaunch> launches;      ///< the first ones, at most kMostLaunches
  uint64_t launches_left_out = 0;         ///< of the list, not of the sums
  std::vector<timing::LineTiming> lines;  ///< sums over all launches, by place in the PTX

  /// Launches of one kernel that are kept apart: a program can make any number.
  static constexpr size_t kMostLaunches = 1000;
  static constexpr size_t kMostSeries = 10;

  void add(const timing::LaunchTiming& launch, simt::Dim3 grid, simt::Dim3 block);
  void merge(const KernelTiming& other);
  bool is_estimated() const { return sampled && sampled->warp_instructions != counters.warp_instructions; }
  /// Of all launches, estimated where not all was simulated.
  double cycles() const { return sampled ? sampled->cycles : static_cast<double>(counters.cycles); }
};

/// Issue slots while an SM has a CTA, by cause: the others have no warp.
std::array<uint64_t, timing::kCauses> slots_of_active_sms(const timing::Counters& counters);

/// Warp instructions a cycle of the whole chip; 0 if there was no cycle.
double ipc(const timing::Counters& counters);

/// Slots in which the scheduler waited to issue this instruction.
uint64_t stalls(const timing::LineCounters& counters);

/// Which law of conservation the counters break, in words; empty if none. Those of caches and memory hold for launches
/// that came to their end.
std::string contradiction(const KernelTiming& timing, const SimulatedMachine& machine);

}  // namespace bankshot::report

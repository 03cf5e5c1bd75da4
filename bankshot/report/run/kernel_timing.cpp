#include "bankshot/report/run/kernel_timing.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/timing/atomics/locks.hpp"
#include "bankshot/timing/chip/components.hpp"
#include "bankshot/timing/pipelines/stage_config.hpp"

namespace bankshot::report {
namespace {

using timing::Counters;

auto place(const timing::LineTiming& line) {
  return std::tie(line.source.ptx_line, line.source.file, line.source.line, line.op);
}

void add_line(std::vector<timing::LineTiming>& lines, const timing::LineTiming& line) {
  const auto before = [](const timing::LineTiming& a, const timing::LineTiming& b) { return place(a) < place(b); };
  const auto at = std::lower_bound(lines.begin(), lines.end(), line, before);
  if (at == lines.end() || place(*at) != place(line)) {
    lines.insert(at, line);
    return;
  }
  add(at->counters, line.counters);
}

constexpr MachineNumber kMachineNumbers[] = {
    {"hash_cycles", &SimulatedMachine::hash_cycles, true},
    {"aware_yields", &SimulatedMachine::aware_yields, true},
    {"simd_lanes", &SimulatedMachine::simd_lanes},
    {"stages", &SimulatedMachine::stages, true},
    {"memory_stages", &SimulatedMachine::memory_stages, true},
    {"premem", &SimulatedMachine::premem, true},
    {"nonmem", &SimulatedMachine::nonmem, true},
    {"reorder_entries", &SimulatedMachine::reorder_entries, true},
    {"l1_bytes", &SimulatedMachine::l1_bytes, true},
    {"l1_banks", &SimulatedMachine::l1_banks, true},
    {"core_khz", &SimulatedMachine::core_khz},
    {"sms", &SimulatedMachine::sms},
    {"max_warps", &SimulatedMachine::max_warps},
    {"schedulers", &SimulatedMachine::schedulers},
    {"issue_width", &SimulatedMachine::width},
    {"dram_khz", &SimulatedMachine::dram_khz},
    {"dram_channels", &SimulatedMachine::dram_channels},
    {"dram_burst_bytes", &SimulatedMachine::dram_burst_bytes},
    {"dram_burst_cycles", &SimulatedMachine::dram_burst_cycles},
};

uint64_t sum(const std::array<uint64_t, timing::kCauses>& slots) {
  return std::accumulate(slots.begin(), slots.end(), uint64_t{0});
}

/// Laws that hold at any time.
std::string broken_always(const Counters& c, const SimulatedMachine& machine) {
  if (sum(c.slots) != machine.slots_per_cycle() * c.cycles)
    return "the issue slots are not SMs * schedulers * width * cycles";
  if (c.sm_cycles != machine.sms * c.cycles) return "sm_cycles is not SMs * cycles";
  if (c.active_cycles > c.sm_cycles) return "active_cycles exceeds sm_cycles";
  if (c.warp_cycles > machine.max_warps * c.active_cycles) return "warp_cycles exceeds max_warps * active_cycles";
  if (c.conflict_cycles_exposed > c.active_cycles) return "conflict_cycles_exposed exceeds active_cycles";
  if (c.shared_ideal > c.shared_wavefronts) return "shared_ideal_wavefronts exceeds shared_wavefronts";
  return {};
}

/// Laws of launches at whose end nothing is under way.
std::string broken_at_the_end(const Counters& c) {
  if (c.l1_loads != c.l1_load_hits + c.l1_load_merged + c.l1_load_misses)
    return "l1_loads is not hits + merged + misses";
  if (c.packets_to_memory != c.packets_to_sms) return "packets_to_memory is not packets_to_sms";
  if (c.l2_reads != c.l2_read_hits + c.l2_read_merged + c.l2_read_misses)
    return "l2_reads is not hits + merged + misses";
  if (c.l2_writes != c.l2_write_hits + c.l2_write_misses) return "l2_writes is not hits + misses";
  if (c.dram_row_hits + c.dram_row_misses != c.dram_reads + c.dram_writes)
    return "row hits and misses are not the bursts";
  return {};
}

std::string broken(const Counters& counters, bool partial, const SimulatedMachine& machine) {
  const std::string law = broken_always(counters, machine);
  return law.empty() && !partial ? broken_at_the_end(counters) : law;
}

std::string broken(const std::optional<timing::SlotSeries>& series, const Counters& counters) {
  if (!series) return {};
  if (series->spans().size() != (counters.cycles + series->cycles() - 1) / series->cycles())
    return "the spans of over_time are not the cycles of the launch";
  timing::SlotSeries::Slots all{};
  for (const timing::SlotSeries::Slots& span : series->spans()) {
    for (unsigned k = 0; k < timing::kCauses; ++k) all[k] += span[k];
  }
  return all == counters.slots ? "" : "the slots of over_time are not those of the launch";
}

std::string broken(const std::optional<timing::Sampled>& sampled, const Counters& counters) {
  if (!sampled) return {};
  if (sampled->warp_instructions < counters.warp_instructions) return "more was simulated than there is";
  if (sampled->cycles < static_cast<double>(counters.cycles)) return "all takes less than what was simulated";
  return {};
}

bool same(const Counters& a, const Counters& b) {
  const auto equal = [&](const timing::CounterName& counter) { return a.*counter.value == b.*counter.value; };
  return a.slots == b.slots && a.bank_lanes == b.bank_lanes && std::ranges::all_of(timing::counter_names(), equal);
}

std::string broken_by_lines(const KernelTiming& timing) {
  timing::LineCounters all;
  for (const timing::LineTiming& line : timing.lines) add(all, line.counters);
  if (all.issued != timing.counters.warp_instructions) return "the instructions issued are not warp_instructions";
  for (unsigned k = 0; k < timing::kCauses; ++k) {
    if (all.slots[k] > timing.counters.slots[k]) {
      return "the instructions have more slots of " + std::string(name(static_cast<timing::Cause>(k))) +
             " than there are";
    }
  }
  return {};
}

/// The fixed XOR is a bit-vector XOR as well, in hardware that can be told others; what it takes tells which is meant.
std::string hash_text(const scratchpad::BankHash& hash, unsigned cycles) {
  return cycles == 0 ? scratchpad::fixed_spec(hash) : scratchpad::spec(hash);
}

}  // namespace

SimulatedMachine machine_of(const timing::Config& config, const scratchpad::TxConfig& transactions) {
  SimulatedMachine machine;
  machine.scheduler = config.issue.policy;
  machine.pipeline = config.issue.pipeline;
  machine.atomics = config.scratchpad.atomics;
  machine.aware = config.issue.aware;
  machine.aware_yields = config.issue.aware_yields ? 1 : 0;
  machine.commit = timing::commits()[static_cast<size_t>(config.issue.commit)].name;
  machine.transactions = scratchpad::text(transactions);
  machine.simd_lanes = config.issue.simd_lanes;
  machine.stages = config.parameters[timing::kStages];
  machine.memory_stages = config.parameters[timing::kMemoryStages];
  if (config.issue.pipeline == "elastic") {
    machine.premem = timing::premem_entries(config);
    machine.nonmem = timing::nonmem_entries(config);
  }
  if (config.issue.commit == timing::Commit::reorder) machine.reorder_entries = config.issue.reorder_entries;
  for (const timing::ComponentKind& kind : timing::component_kinds()) {
    for (const timing::Parameter* parameter : chosen(kind, config).parameters) {
      const unsigned value = config.parameters[*parameter];
      if (value >= parameter->least && value <= parameter->most) machine.parameters[parameter->key()] = value;
    }
  }
  machine.l1_bytes = config.l1.bytes;
  machine.l1_banks = config.l1.bytes == 0 ? 0 : config.l1.banks;
  if (config.rules.hash) machine.bank_hash = hash_text(*config.rules.hash, config.scratchpad.hash_cycles);
  if (config.scratchpad.atomics == "lock")
    machine.lock_hash = scratchpad::spec(config.lock_hash, timing::lock_size(config));
  machine.hash_cycles = config.scratchpad.hash_cycles;
  machine.core_khz = config.core_khz;
  machine.sms = config.sms;
  machine.max_warps = config.max_warps;
  machine.schedulers = config.issue.schedulers;
  machine.width = config.issue.width;
  machine.dram_khz = config.dram.khz;
  machine.dram_channels = config.dram.channels;
  machine.dram_burst_bytes = config.dram.burst_bytes;
  machine.dram_burst_cycles = config.dram.burst_cycles;
  return machine;
}

std::span<const MachineNumber> machine_numbers() { return kMachineNumbers; }

void KernelTiming::add(const timing::LaunchTiming& launch, simt::Dim3 grid, simt::Dim3 block) {
  KernelTiming one;
  one.counters = launch.counters;
  one.partial_launches = launch.partial ? 1 : 0;
  one.sampled = launch.sampled;
  one.launches.push_back({grid, block, launch.counters, launch.ctas_per_sm, launch.warps_per_cta, launch.limited_by,
                          launch.partial, launch.sampled, launch.over_time});
  one.lines = launch.lines;
  merge(one);
}

void KernelTiming::merge(const KernelTiming& other) {
  timing::add(counters, other.counters);
  if (other.sampled) timing::add(sampled ? *sampled : sampled.emplace(), *other.sampled);
  partial_launches += other.partial_launches;
  launches_left_out += other.launches_left_out;
  for (const TimedLaunch& launch : other.launches) {
    if (launches.size() == kMostLaunches) {
      ++launches_left_out;
      continue;
    }
    launches.push_back(launch);
    if (launches.size() > kMostSeries) launches.back().over_time.reset();
  }
  for (const timing::LineTiming& line : other.lines) add_line(lines, line);
}

std::array<uint64_t, timing::kCauses> slots_of_active_sms(const timing::Counters& counters) {
  std::array<uint64_t, timing::kCauses> slots = counters.slots;
  const uint64_t all = std::accumulate(slots.begin(), slots.end(), uint64_t{0});
  uint64_t& no_warp = slots[static_cast<unsigned>(timing::Cause::no_warp)];
  if (counters.sm_cycles != 0)
    no_warp -= std::min(no_warp, (counters.sm_cycles - counters.active_cycles) * (all / counters.sm_cycles));
  return slots;
}

double ipc(const timing::Counters& counters) {
  if (counters.cycles == 0) return 0;
  return static_cast<double>(counters.machine_instructions) / static_cast<double>(counters.cycles);
}

uint64_t stalls(const timing::LineCounters& counters) {
  return sum(counters.slots) - counters.slots[static_cast<unsigned>(timing::Cause::issued)] -
         counters.slots[static_cast<unsigned>(timing::Cause::sub_warp)];
}

std::string contradiction(const KernelTiming& timing, const SimulatedMachine& machine) {
  Counters all;
  uint64_t partial = 0;
  for (const TimedLaunch& launch : timing.launches) {
    if (std::string law = broken(launch.counters, launch.partial, machine); !law.empty()) return law;
    if (std::string law = broken(launch.sampled, launch.counters); !law.empty()) return law;
    if (std::string law = broken(launch.over_time, launch.counters); !law.empty()) return law;
    timing::add(all, launch.counters);
    partial += launch.partial ? 1 : 0;
  }
  if (timing.launches_left_out == 0) {
    if (!same(all, timing.counters)) return "the launches do not add up to the kernel";
    if (partial != timing.partial_launches) return "partial_launches is not the number of partial launches";
  }
  if (std::string law = broken(timing.counters, timing.partial_launches != 0, machine); !law.empty()) return law;
  if (std::string law = broken(timing.sampled, timing.counters); !law.empty()) return law;
  return broken_by_lines(timing);
}

}  // namespace bankshot::report

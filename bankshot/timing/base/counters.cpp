#include "bankshot/timing/base/counters.hpp"

#include "bankshot/timing/base/config.hpp"

namespace bankshot::timing {
namespace {

struct CauseText {
  std::string_view name, meaning;
};
constexpr std::array<CauseText, kCauses> kCauseTexts = {{
    {"issued", "issued an instruction"},
    {"sub_warp", "further lanes of the last instruction: the datapath is narrow"},
    {"replay", "the last access issues again: a further wavefront, line or word"},
    {"unit_busy", "the execution unit is busy"},
    {"scratchpad_busy", "shared memory is busy"},
    {"memory_busy", "the queue to the first-level cache is full"},
    {"bank_conflict", "the pipeline stalls: a bank conflict"},
    {"pipeline", "the pipeline stalls: loaded data is written to registers"},
    {"foreseen", "a memory access is held back: it would meet a bank conflict"},
    {"reorder", "the reorder buffer is full"},
    {"branch", "fetching instructions after a taken branch"},
    {"scratchpad", "waiting for data from shared memory"},
    {"atomic", "waiting for an atomic on shared memory"},
    {"transaction", "a transaction begins, commits, or waits for one that runs alone"},
    {"execution", "waiting for the result of an arithmetic instruction"},
    {"memory", "waiting for global or local memory"},
    {"ordering", "waiting for an atomic, volatile access or fence to take effect"},
    {"barrier", "waiting for other warps at a barrier"},
    {"no_warp", "no warp to issue from"},
}};

constexpr CounterName kCounterNames[] = {
    {"cycles", &Counters::cycles},
    {"warp_instructions", &Counters::warp_instructions},
    {"thread_instructions", &Counters::thread_instructions},
    {"machine_instructions", &Counters::machine_instructions},
    {"ctas", &Counters::ctas},
    {"warp_cycles", &Counters::warp_cycles},
    {"sm_cycles", &Counters::sm_cycles},
    {"active_cycles", &Counters::active_cycles},
    {"shared_accesses", &Counters::shared_accesses},
    {"shared_wavefronts", &Counters::shared_wavefronts},
    {"shared_ideal_wavefronts", &Counters::shared_ideal},
    {"shared_busy_cycles", &Counters::shared_busy_cycles},
    {"conflict_cycles_exposed", &Counters::conflict_cycles_exposed},
    {"conflict_cycles_hidden", &Counters::conflict_cycles_hidden},
    {"foreseen_right", &Counters::foreseen_right},
    {"foreseen_over", &Counters::foreseen_over},
    {"foreseen_under", &Counters::foreseen_under},
    {"tx_warp_cycles", &Counters::tx_warp_cycles},
    {"tx_retry_cycles", &Counters::tx_retry_cycles},
    {"tx_access_cycles", &Counters::tx_access_cycles},
    {"tx_mask_cycles", &Counters::tx_mask_cycles},
    {"global_accesses", &Counters::global_accesses},
    {"global_sectors", &Counters::global_sectors},
    {"l1_loads", &Counters::l1_loads},
    {"l1_load_hits", &Counters::l1_load_hits},
    {"l1_load_merged", &Counters::l1_load_merged},
    {"l1_load_misses", &Counters::l1_load_misses},
    {"l1_stores", &Counters::l1_stores},
    {"l1_atomics", &Counters::l1_atomics},
    {"l1_wavefronts", &Counters::l1_wavefronts},
    {"l1_ideal_wavefronts", &Counters::l1_ideal},
    {"packets_to_memory", &Counters::packets_to_memory},
    {"packets_to_sms", &Counters::packets_to_sms},
    {"flits_to_memory", &Counters::flits_to_memory},
    {"flits_to_sms", &Counters::flits_to_sms},
    {"l2_reads", &Counters::l2_reads},
    {"l2_read_hits", &Counters::l2_read_hits},
    {"l2_read_merged", &Counters::l2_read_merged},
    {"l2_read_misses", &Counters::l2_read_misses},
    {"l2_writes", &Counters::l2_writes},
    {"l2_write_hits", &Counters::l2_write_hits},
    {"l2_write_misses", &Counters::l2_write_misses},
    {"l2_writebacks", &Counters::l2_writebacks},
    {"dram_reads", &Counters::dram_reads},
    {"dram_writes", &Counters::dram_writes},
    {"dram_row_hits", &Counters::dram_row_hits},
    {"dram_row_misses", &Counters::dram_row_misses},
    {"dram_activates", &Counters::dram_activates},
    {"dram_precharges", &Counters::dram_precharges},
    {"dram_busy_cycles", &Counters::dram_busy_cycles},
};

}  // namespace

std::string_view name(Cause cause) { return kCauseTexts[static_cast<unsigned>(cause)].name; }
std::string_view meaning(Cause cause) { return kCauseTexts[static_cast<unsigned>(cause)].meaning; }

std::span<const CounterName> counter_names() { return kCounterNames; }

void add(Counters& to, const Counters& from) {
  for (const CounterName& counter : kCounterNames) to.*counter.value += from.*counter.value;
  for (unsigned k = 0; k < kCauses; ++k) to.slots[k] += from.slots[k];
  for (unsigned k = 0; k < scratchpad::kMaxBanks; ++k) to.bank_lanes[k] += from.bank_lanes[k];
}

void add(LineCounters& to, const LineCounters& from) {
  to.issued += from.issued;
  for (unsigned k = 0; k < kCauses; ++k) to.slots[k] += from.slots[k];
  to.conflict_cycles += from.conflict_cycles;
  to.exposed += from.exposed;
}

const char* name(UnitClass unit) {
  static constexpr const char* kNames[kUnitClasses] = {"alu",  "multiply", "fp16", "fp32",
                                                       "fp64", "sfu",      "warp", "tensor"};
  return kNames[static_cast<unsigned>(unit)];
}

}  // namespace bankshot::timing

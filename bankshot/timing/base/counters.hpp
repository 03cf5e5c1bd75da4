// What a simulated launch counts. One table names every counter: sums, JSON and tests follow from it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::timing {

/// Why an issue slot issued nothing. Every slot of every cycle of a launch has one cause, or issued.
/// Of several warps of a scheduler the one nearest to issuing decides: the first of this list.
enum class Cause : uint8_t {
  issued,
  sub_warp,         ///< the datapath is narrower than the warp: further lanes of the last instruction
  replay,           ///< the last access issues again: for its next wavefront, line or word
  unit_busy,        ///< operands are ready, the execution unit is not
  scratchpad_busy,  ///< … the scratchpad's queue is full
  memory_busy,      ///< … the queue to the first-level cache is full
  bank_conflict,    ///< … the pipeline stands still: an access in it has conflicts
  pipeline,         ///< … the pipeline stands still: data from outside is written back
  foreseen,         ///< … but a memory access would meet a conflict that is foreseen
  reorder,          ///< … but the warp's reorder buffer is full
  branch,           ///< the front end follows a taken branch
  scratchpad,       ///< waits for data from shared memory
  atomic,           ///< waits for an atomic on shared memory
  transaction,      ///< begins or commits a transaction, or waits for a warp whose transaction runs alone
  execution,        ///< waits for the result of an arithmetic instruction
  memory,           ///< waits for global or local memory
  ordering,         ///< waits until an atomic or volatile access has taken effect, or a fence for stores
  barrier,          ///< waits at a barrier, or for other lanes of its warp
  no_warp,          ///< no warp of this scheduler is left
};
constexpr unsigned kCauses = 19;
std::string_view name(Cause cause);     ///< "scratchpad_busy"
std::string_view meaning(Cause cause);  ///< a few words for people

/// Plain sums: adding the counters of SMs, launches and processes is adding each.
struct Counters {
  // All SMs together.
  uint64_t cycles = 0;  ///< core cycles, of the chip: from the first CTA's start until nothing is under way
  uint64_t warp_instructions = 0, thread_instructions = 0;  ///< of the PTX
  uint64_t machine_instructions = 0;                        ///< warp instructions of the machine that they become
  std::array<uint64_t, kCauses> slots{};  ///< issue slots by cause; their sum is SMs * schedulers * width * cycles
  uint64_t ctas = 0;                      ///< that ran
  uint64_t warp_cycles = 0;               ///< resident warps, summed over cycles and SMs
  uint64_t sm_cycles = 0;                 ///< SMs * cycles
  uint64_t active_cycles = 0;             ///< … of SMs that have a CTA
  // Scratchpad.
  uint64_t shared_accesses = 0;  ///< warp accesses
  uint64_t shared_wavefronts = 0, shared_ideal = 0;
  uint64_t shared_busy_cycles = 0;  ///< in which banks were delivering, summed over SMs
  uint64_t conflict_cycles_exposed =
      0;  ///< cycles of conflicts in which an SM issued nothing and a warp waited for shared memory
  uint64_t conflict_cycles_hidden = 0;  ///< … in which it issued, or waited for something else
  uint64_t foreseen_right = 0, foreseen_over = 0,
           foreseen_under = 0;  ///< accesses by how well their conflict was predicted
  // Transactions on shared memory.
  uint64_t tx_warp_cycles = 0;    ///< warps in a transaction, summed over cycles and SMs: from begin to commit
  uint64_t tx_retry_cycles = 0;   ///< … in attempts that are not its first
  uint64_t tx_access_cycles = 0;  ///< that detection and versions add to accesses
  uint64_t tx_mask_cycles = 0;    ///< that begins and commits take
  std::array<uint64_t, scratchpad::kMaxBanks> bank_lanes{};  ///< lane accesses (bank words) by bank
  // First-level cache: one access a line (or sectors of one) that a warp touches.
  uint64_t l1_loads = 0, l1_load_hits = 0, l1_load_merged = 0, l1_load_misses = 0;  ///< loads = hits + merged + misses
  uint64_t l1_stores = 0, l1_atomics = 0;
  uint64_t l1_wavefronts = 0, l1_ideal = 0;  ///< of loads in its banks, if it has any
  uint64_t global_accesses = 0;              ///< warp accesses to global and local memory
  uint64_t global_sectors = 0;               ///< that they touch
  // Interconnect.
  uint64_t packets_to_memory = 0, packets_to_sms = 0;  ///< equal: everything is answered
  uint64_t flits_to_memory = 0, flits_to_sms = 0;
  // Second-level cache, by sector.
  uint64_t l2_reads = 0, l2_read_hits = 0, l2_read_merged = 0, l2_read_misses = 0;
  uint64_t l2_writes = 0, l2_write_hits = 0, l2_write_misses = 0;  ///< atomics are writes of the sectors they change
  uint64_t l2_writebacks = 0;                                      ///< sectors written to DRAM
  // DRAM.
  uint64_t dram_reads = 0, dram_writes = 0;         ///< bursts
  uint64_t dram_row_hits = 0, dram_row_misses = 0;  ///< their sum is reads + writes; a miss opened the row
  uint64_t dram_activates = 0, dram_precharges = 0;
  uint64_t dram_busy_cycles = 0;  ///< command-clock cycles in which a data bus was occupied, summed over channels
};

/// A number of Counters with its name in JSON.
struct CounterName {
  std::string_view name;
  uint64_t Counters::* value;
};
std::span<const CounterName> counter_names();  ///< all but the arrays
void add(Counters& to, const Counters& from);

/// What one instruction of the program did, and why it waited.
struct LineCounters {
  uint64_t issued = 0;                        ///< warp instructions
  std::array<uint64_t, kCauses> slots{};      ///< slots in which the scheduler waited to issue it
  uint64_t conflict_cycles = 0, exposed = 0;  ///< of its shared accesses
};

void add(LineCounters& to, const LineCounters& from);

}  // namespace bankshot::timing

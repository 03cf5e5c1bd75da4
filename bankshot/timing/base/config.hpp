// The timing half of a GPU description: what every part of the machine takes, in cycles. Plain data. What only one
// component reads is a Parameter of that component.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/atomics/lock_hash.hpp"
#include "bankshot/timing/base/parameter.hpp"

namespace bankshot::timing {

constexpr unsigned kLongCycles = 100'000;  ///< no part of a GPU takes longer

/// Classes of instructions by what they cost. Loads, stores, atomics and barriers are described elsewhere.
///   alu       integer, logic, moves, conversions, comparisons; branches are issued here too
///   multiply  integer multiplication
///   fp16      half precision; a GPU without does it in fp32
///   fp32      single precision
///   fp64      double precision
///   sfu       approximations: sin, cos, ex2, lg2, rcp, rsqrt, sqrt; conversions of integers; counting, finding or
///             reversing bits
///   warp      shuffles, votes, reductions over the warp
///   tensor    matrix products; "lanes" are multiply-adds of 16-bit factors there. A GPU without does them in fp32
enum class UnitClass : uint8_t { alu, multiply, fp16, fp32, fp64, sfu, warp, tensor };
constexpr unsigned kUnitClasses = 8;
const char* name(UnitClass unit);

/// Units of one class in an SM. Scheduler s issues to unit s mod `count`, and to units beyond one for each scheduler.
struct UnitConfig {
  unsigned count = 1;    ///< units
  unsigned lanes = 32;   ///< lanes that one unit starts a cycle: a warp occupies it ceil(warp / lanes) cycles
  unsigned latency = 4;  ///< cycles from issue until a dependent instruction can issue
};

/// Where a warp may have several instructions in flight: in which order their results are kept (CF'11, section 6).
enum class Commit : uint8_t {
  any,      ///< as they come: no precise exceptions
  reorder,  ///< as they come, and a reorder buffer that commits in order
  hold,     ///< in order: a warp with a conflict in flight issues nothing
};

struct IssueConfig {
  unsigned schedulers = 1;           ///< warp slot w belongs to scheduler w mod schedulers
  unsigned width = 1;                ///< instructions of one warp that a scheduler issues in a cycle
  unsigned simd_lanes = 32;          ///< lanes of the datapath: a warp takes ceil(warp / lanes) issue cycles
  unsigned branch_cycles = 0;        ///< cycles after a taken branch in which its warp cannot issue
  unsigned barrier_cycles = 1;       ///< cycles from the last arrival until the warps can issue
  unsigned barrier_warp_cycles = 0;  ///< cycles in which the SM takes note of one warp's arrival
  std::string policy = "lrr";        ///< name of a WarpScheduler
  std::string pipeline = "queued";   ///< name of a Pipeline
  std::string aware = "none";        ///< name of a Foresight: bank-conflict aware scheduling
  bool aware_yields = false;         ///< … which lets a memory access into a conflict where nothing else can issue
  bool replays = false;              ///< further wavefronts, lines and words of an access take issue slots
  Commit commit = Commit::any;
  unsigned reorder_entries = 8;  ///< instructions of a warp in its reorder buffer
};

struct LoadStoreConfig {
  unsigned lanes = 32;            ///< lanes whose addresses are made a cycle
  unsigned queue = 4;             ///< accesses of global and local memory whose lines were not all looked up yet
  unsigned constant_latency = 8;  ///< ld.const, ld.param; a cycle more for each further word of a warp
  unsigned stores = 64;           ///< store and atomic packets of an SM that are under way
  // Of each scheduler, before the SM's own unit. Source of the model: Huerta et al., arXiv 2503.20481.
  unsigned sub_core_queue = 0;   ///< memory instructions that have issued and still hold their operands; 0: any number
  unsigned sub_core_cycles = 0;  ///< between two that leave
  unsigned operand_cycles = 0;   ///< from issue until one can have left
};

struct ScratchpadConfig {
  unsigned latency = 20;           ///< cycles from issue until a dependent instruction can issue, without conflicts
  unsigned hash_cycles = 0;        ///< added to the latency of every access when a configurable hash is used
  std::string atomics = "native";  ///< name of an AtomicsUnit
};

struct L1Config {
  unsigned bytes = 0;                  ///< 0: there is none. With carveouts_kb: of shared memory, too
  std::vector<unsigned> carveouts_kb;  ///< KB of these that shared memory may have; none: it has its own
  unsigned reserved = 0;               ///< bytes of shared memory that the system reserves for each CTA
  unsigned shared_unit = 1;            ///< bytes of which a CTA gets whole multiples
  unsigned line_bytes = 128;
  unsigned sector_bytes = 32;  ///< fetched one by one; of the memory system as a whole
  unsigned ways = 4;           ///< lines of a set; 0: sets says how many there are
  unsigned sets = 0;           ///< whatever the size; 0: ways says
  unsigned tags = 1;           ///< lines that are looked up a cycle, of one access
  unsigned latency = 20;       ///< cycles from issue until a dependent instruction can issue, on a hit
  unsigned mshrs = 32;         ///< lines that may be waited for
  bool global = true;          ///< global loads are cached; local memory always is
  unsigned banks = 0;  ///< of 4 bytes, that its data lies in; lanes are served as by the scratchpad. 0: no conflicts
};

struct InterconnectConfig {
  unsigned khz = 1'000'000;
  unsigned latency = 20;       ///< core cycles each way. The lookahead of the simulation
  unsigned flit_bytes = 32;    ///< a port moves one flit a cycle of this clock
  unsigned header_bytes = 8;   ///< of a packet, beside its data
  unsigned group_sms = 0;      ///< SMs that send their stores through one port; 0: each has its own
  unsigned group_percent = 0;  ///< stores that this takes, of what the port of one SM does
};

/// The part of the second-level cache that stands before one DRAM channel.
struct L2Config {
  unsigned khz = 1'000'000;
  unsigned line_bytes = 128;
  unsigned ways = 8;
  unsigned latency = 20;       ///< its cycles from tag lookup until data leaves, on a hit
  unsigned ports = 1;          ///< lookups a cycle
  unsigned flit_bytes = 0;     ///< a channel's port moves one flit of so many a cycle; 0: interconnect.flit_bytes
  unsigned data_bytes = 0;     ///< that are read or written a cycle, of a channel; 0: a line
  unsigned write_bytes = 0;    ///< that are written a cycle, of a channel; 0: data_bytes
  unsigned dram_bytes = 0;     ///< that a channel exchanges with its DRAM a cycle; 0: no limit but the DRAM's own
  unsigned dram_turn = 0;      ///< additional cycles when the direction changes
  unsigned mshrs = 64;         ///< lines that may be waited for, of a channel
  unsigned atomic_cycles = 1;  ///< its cycles for each lane of an atomic beyond the first on the line's fullest word
};

/// One DRAM channel. Cycles of its command clock.
struct DramConfig {
  unsigned khz = 1'000'000;  ///< command clock
  unsigned channels = 1;
  unsigned interleave_bytes = 256;  ///< consecutive bytes on one channel
  bool hashed_channels = false;     ///< higher address bits are folded into the choice of the channel
  unsigned burst_bytes = 32;        ///< that one column command moves
  unsigned burst_cycles = 2;        ///< in which the data bus is occupied by them
  unsigned banks = 16;
  unsigned row_bytes = 2048;  ///< of a bank, over all chips of the channel
  unsigned queue = 32;        ///< requests that the controller chooses from
  unsigned latency = 0;  ///< from the last data of a read on the bus until the cache has them: the controller's own
  unsigned cl = 12, rcd = 12, rp = 12, ras = 28, rc = 40, rrd = 6, ccd = 2, wr = 12, cwl = 4, wtr = 5;
};

/// The cost of a kernel launch in addition to that of its CTAs.
struct LaunchConfig {
  unsigned cycles = 0;      ///< from its beginning until its first CTAs start
  unsigned cta_cycles = 0;  ///< from the end of a CTA until the one that takes its place starts
};

/// Products of a warpgroup (wgmma), by the tensor units of four schedulers.
struct WarpgroupConfig {
  unsigned lanes = 0;         ///< multiply-adds of 16-bit factors a cycle, of each unit; 0: as many as of mma
  unsigned least_cycles = 0;  ///< from one product to the next
  unsigned latency = 0;       ///< from the last cycle of the tensor units until wgmma.wait_group knows
};

/// Tensor memory (tcgen05) of an SM, and the unit that works on it.
struct TensorMemoryConfig {
  unsigned product_columns = 0;  ///< of D that a product makes a cycle; 0: the GPU's file does not say
  unsigned least_cycles = 0;     ///< of a product
  unsigned latency = 0;          ///< from the last cycle of the unit until the mbarrier of tcgen05.commit knows
  unsigned alloc_cycles = 0;     ///< of tcgen05.alloc, once enough columns are free
  unsigned load_bytes = 0;       ///< that tcgen05.ld moves a cycle, of each quarter of the lanes; 0: all at once
  unsigned store_bytes = 0;      ///< … tcgen05.st
  unsigned access_latency = 0;   ///< from the last of these cycles until tcgen05.wait lets the warp go on
};

/// A GPU whose file has these sections can be simulated.
struct Config {
  unsigned core_khz = 1'000'000;  ///< clock of the SMs: of issue
  unsigned clock_khz = 0;         ///< that %clock counts; 0: core_khz
  unsigned sms = 1, warp_size = 32;
  unsigned max_warps = 48;  ///< of an SM; at most 64
  uint64_t l2_bytes = 0;    ///< of all channels together
  scratchpad::Rules rules;  ///< banks, ports, hash
  IssueConfig issue;
  std::array<UnitConfig, kUnitClasses> units = {
      {{}, {}, {0, 0, 0}, {}, {}, {}, {}, {0, 0, 0}}};  ///< fp16, tensor: count 0 if it has none
  WarpgroupConfig warpgroup;
  TensorMemoryConfig tensor_memory;
  LoadStoreConfig load_store;
  ScratchpadConfig scratchpad;
  scratchpad::LockHash lock_hash;  ///< of the locks of atomics, if there are any; whoever sets their number sets it
  LaunchConfig launch;
  L1Config l1;
  InterconnectConfig interconnect;
  L2Config l2;
  DramConfig dram;
  Parameters parameters;  ///< of the components

  /// What all data buses move at most.
  double dram_bytes_per_second() const { return 1e3 * dram.khz * dram.channels * dram.burst_bytes / dram.burst_cycles; }
  /// Single-precision operations of all units, a fused multiply-add being two.
  double fp32_per_second() const {
    const UnitConfig& fp32 = units[static_cast<unsigned>(UnitClass::fp32)];
    return 1e3 * core_khz * sms * fp32.count * fp32.lanes * 2;
  }
};

/// Bytes of the first-level cache while CTAs of a kernel are on an SM. Where it shares its memory with the scratchpad,
/// that gets the least it can of what all CTAs of the SM need (CUDA C++ Programming Guide, compute capability 7.x: the
/// driver chooses the carve-out for the occupancy).
/// @param shared_bytes  of a CTA
unsigned l1_bytes(const Config& config, unsigned ctas_per_sm, unsigned shared_bytes);

/// Parts of a warp that its datapath takes one after the other.
inline unsigned sub_warps(const Config& config) {
  return (config.warp_size + config.issue.simd_lanes - 1) / std::max(1u, config.issue.simd_lanes);
}

}  // namespace bankshot::timing

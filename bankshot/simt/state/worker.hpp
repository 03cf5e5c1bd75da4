// The state of a host thread that runs CTAs, and of the launch that they belong to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bankshot/ptx/module.hpp"
#include "bankshot/scratchpad/counting/l1_site.hpp"
#include "bankshot/scratchpad/counting/site.hpp"
#include "bankshot/scratchpad/transactions/tx_config.hpp"
#include "bankshot/scratchpad/transactions/tx_totals.hpp"
#include "bankshot/simt/memory/memory.hpp"
#include "bankshot/simt/state/cta_state.hpp"
#include "bankshot/simt/state/kernel.hpp"
#include "bankshot/simt/state/left_open.hpp"
#include "bankshot/simt/tiles/tile_reads.hpp"

namespace bankshot::simt {

class Checker;
class TextureTable;
struct InstructionHash;
struct NativeProgram;
struct LoadedProgram;
struct Launch;

/// What the last instruction of a warp cost for being in a transaction, for a timing model; whoever reads it clears it.
struct TxCharge {
  unsigned access_cycles = 0;  ///< beside the passes of the banks, if it accessed shared memory
  unsigned mask_cycles = 0;    ///< of begins and commits
};

/// A bulk copy between global and shared memory for which a timing model takes its time: the data is there, but its
/// barriers do not know, or the groups of its lane do not.
struct BulkArrival {
  struct Part {
    uint64_t from = 0;  ///< in global memory; of a store: to
    uint32_t bytes = 0;
  };
  std::vector<Part> parts;
  std::vector<uint64_t> barriers;  ///< of a load: offsets in shared memory, of the cluster; each learns of all bytes
  uint32_t bytes = 0;
  unsigned lane = 0;  ///< that copies
};

/// Sees the accesses of transactions to shared memory. For tests.
class TransactionObserver {
 public:
  virtual ~TransactionObserver() = default;
  virtual void begins(const Warp& warp, uint64_t lanes) = 0;
  /// Lanes are about to access, or have accessed, `width` bytes each; those that met a conflict are not among them.
  /// @param offsets  bytes in the CTA's shared memory, by lane
  virtual void accesses(const Warp& warp, scratchpad::AccessKind kind, unsigned width, const uint32_t* offsets,
                        uint64_t lanes, bool done) = 0;
  /// A lane does so to global memory, where all words of the access are as its transaction sees them.
  virtual void accesses_global(const Warp& /*warp*/, scratchpad::AccessKind /*kind*/, unsigned /*width*/,
                               unsigned /*lane*/, uint64_t /*address*/, bool /*done*/) {}
  /// Before accesses() of the lanes that they make way for.
  virtual void aborts(const Warp& warp, uint64_t lanes) = 0;
  virtual void commits(const Warp& warp, uint64_t lanes) = 0;
};

/// A host thread running CTAs of one launch.
struct Worker {
  const Launch* launch = nullptr;
  const LoadedProgram* program = nullptr;
  Memory* memory = nullptr;
  const TextureTable* textures = nullptr;
  NativeProgram* native = nullptr;  ///< null: everything is interpreted
  uint8_t fp = 0;                   ///< FpMode in force
  bool parallel = false;            ///< other CTAs run at the same time: atomics are host atomics
  bool counting = false;
  bool performing = false;  ///< what takes effect later than it issued: nothing else runs
  unsigned warp_size = 32, sms = 1;
  uint64_t register_stack = 0, local_stack = 0;  ///< bytes a warp, bytes a thread
  struct Hit {
    uint64_t begin = 1, end = 1;
    bool writable = false;
  };
  static constexpr size_t kHits = 256;
  Hit hits[kHits];  ///< direct-mapped by instruction
  /// The allocation this instruction (or one that shares its entry) hit last: most hit the same one again.
  Hit& last_hit(const Instr* i) { return hits[reinterpret_cast<uintptr_t>(i) / sizeof(Instr) % kHits]; }
  uint64_t warp_instructions = 0, thread_instructions = 0;
  uint64_t native_instructions = 0;  ///< of warp_instructions: native code executed them
  int32_t sm = -1;                   ///< the SM that it stands for, when a timing model drives it; else -1
  uint64_t cycle = 0;                ///< … and the time there, which %clock then tells
  std::vector<scratchpad::SiteCounter> sites;
  std::optional<TileReads> tiles;  ///< what products read by descriptors, if it is counted and the program has such
  const scratchpad::Rules* rules = nullptr;
  std::span<const InstructionHash* const> hashes;  ///< LoadedProgram::hash_of_site
  std::vector<scratchpad::L1Counter> l1_sites;     ///< empty: accesses of global memory are not counted
  const scratchpad::L1Rules* l1 = nullptr;         ///< … and this is null
  const scratchpad::TxConfig* tx_config = nullptr;
  scratchpad::TxTotals tx;
  TxCharge tx_charge;
  std::vector<BulkArrival> bulk;       ///< of the last instruction, when a timing model drives it
  std::vector<DeviceLaunch> launched;  ///< by kernels that launch kernels
  TransactionObserver* observer = nullptr;
  Checker* checks = nullptr;  ///< null: nothing is checked but what would be a fault
  Windows windows;
  static constexpr size_t kSyncRow = 512;         ///< a row of 64 lanes of 8 bytes
  alignas(64) std::byte sync_rows[6 * kSyncRow];  ///< operands of lanes that meet at a warp-wide instruction
  Fault fault;                                    ///< valid when the CTA is `faulted`
  bool phase_ended = false;  ///< by this instruction: the phase of an mbarrier; after_phase() clears it
  uint8_t relied_on = 0;     ///< a bit for each LeftOpen that the exchange between lanes in progress relies on
  std::array<const Instr*, kLeftOpen.size()> relied_on_at{};  ///< the first instruction of the text for each
  scratchpad::Cost shared_cost;  ///< of the last instruction's accesses to shared memory, see step()
};

/// An exchange between lanes is about to rely on it.
inline void rely_on(Worker& worker, LeftOpen what) {
  worker.relied_on |= static_cast<uint8_t>(1u << static_cast<unsigned>(what));
}

/// An exchange is over that relied on something.
void note_relied_on(Worker& worker, const Instr* i);

/// Clusters of a launch that have not started, which one that runs may take over. All run on one thread.
struct UnstartedClusters {
  uint64_t next = 0, end = 0;
  uint64_t taken = 0;  ///< clusters that others took over
};

/// A launch in progress, shared by its workers.
struct Launch {
  const LaunchConfig* config = nullptr;
  const KernelInfo* kernel = nullptr;
  const std::byte* params = nullptr;  ///< in the constant bank: generic addresses work
  uint32_t function = 0;
  uint32_t shared_bytes = 0;
  Dim3 clusters;                           ///< of the grid
  UnstartedClusters* unstarted = nullptr;  ///< null: none is given away, as where a timing model starts them
  uint64_t grid_workspace = 0;  ///< what %envreg1 and %envreg2 hold: an address, or 0 if the launch is not cooperative
};

/// The offset in the shared window (of the CTA, or of another one of its cluster: Windows) if a generic or shared
/// address lies there, else -1.
inline int64_t shared_offset(const Warp& warp, ptx::Space space, uint64_t address) {
  if (space == ptx::Space::shared) {
    return static_cast<int64_t>(address & 0xffffffffu);
  }
  const uint64_t offset = address - warp.worker->windows.shared;
  return space == ptx::Space::generic && offset < Windows::kClusterBytes ? static_cast<int64_t>(offset) : -1;
}

}  // namespace bankshot::simt

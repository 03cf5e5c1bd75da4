// The state of a running warp, its CTA, and the host thread that runs it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bankshot/ptx/module.hpp"
#include "bankshot/scratchpad/counting/site.hpp"
#include "bankshot/scratchpad/transactions/shared_transactions.hpp"
#include "bankshot/scratchpad/transactions/tx_masks.hpp"
#include "bankshot/simt/memory/memory.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "bankshot/simt/state/global_log.hpp"
#include "bankshot/simt/state/instr.hpp"

namespace bankshot::simt {

struct LoadedProgram;
struct Cluster;
struct Cta;
struct Worker;
struct Launch;
struct CtaChecks;

/// Generic addresses of these two windows stand for the shared memory of the CTA and its cluster, and the thread's
/// local memory. They are reserved in the process, so no other pointer can lie there. The shared window begins with the
/// CTA's own memory; behind it comes that of every CTA of the cluster by rank, the own one once more. An offset in it
/// is a .shared address:
///     31      24 23                 0
///     | rank + 1 | byte in that CTA |     0 in the upper part: the CTA itself
struct Windows {
  uint64_t shared = 0, local = 0;
  static constexpr unsigned kCtaShift = 24, kMostCtas = 16;  ///< of a cluster
  static constexpr uint64_t kSharedBytes = uint64_t{1} << kCtaShift, kLocalBytes = 16u << 20;
  static constexpr uint64_t kClusterBytes = kSharedBytes * (kMostCtas + 1);
  static constexpr uint64_t kAllBytes = kClusterBytes + kLocalBytes;
};

/// A call frame of a path.
struct Frame {
  const Instr* call = nullptr;  ///< the call instruction to return behind
  uint32_t registers = 0;       ///< byte offset of the caller's registers in the warp's register stack
  uint32_t local = 0;           ///< byte offset of the caller's local frame in the thread's stack
  uint32_t function = 0;        ///< the caller
  bool operator==(const Frame&) const = default;
};

/// A set of lanes that execute together, or a place where paths wait for each other (paths with children).
/// Divergence makes a tree: an inner path resumes at its `pc` when all its children arrived there.
struct Path {
  enum class State : uint8_t { free, ready, inner, at_barrier, at_warp_sync, at_transaction, at_cluster_barrier };
  State state = State::free;
  uint8_t barrier = 0;  ///< at_barrier: its number
  int32_t parent = -1;
  uint32_t children = 0;
  uint64_t mask = 0;                  ///< lanes that execute (leaf)
  uint64_t arrived = 0;               ///< inner: lanes that wait at pc
  uint64_t stale = 0;                 ///< … that did so when the warp last let others run
  uint32_t stale_turns = 0;           ///< how often in a row they were the same
  const Instr* pc = nullptr;          ///< next instruction; null while it is being executed
  const Instr* reconverge = nullptr;  ///< where this path joins its parent; null: never
  uint32_t reconverge_depth = 0;      ///< call depth at which it does
  uint64_t wait_mask = 0;             ///< at_warp_sync: the lanes of its membermask
  uint32_t registers = 0;             ///< base[0] of the frame, as an offset
  uint32_t local = 0;                 ///< base of the local frame
  uint32_t function = 0;
  std::vector<Frame> frames;
};

/// The transaction that lanes of a warp are in: transaction.hpp. Its paths stand below one that waits for their
/// commits.
struct WarpTransaction {
  int32_t path = -1;             ///< that one; -1: no transaction
  const Instr* begin = nullptr;  ///< its tx_begin
  bool restarting = false;       ///< that comes next, for lanes that did not commit
  scratchpad::TxMasks masks;
  uint32_t attempts = 0;                  ///< with the one that runs
  uint64_t lanes = 0;                     ///< all that entered
  uint64_t arrived = 0;                   ///< at their commit, in this attempt
  std::array<const Instr*, 64> resume{};  ///< by lane: behind its commit
  std::array<uint8_t, 64> nested{};       ///< by lane: begins within
  uint32_t walked = 0;                    ///< instructions passed over without lanes, in this attempt
  std::vector<uint64_t> queue;            ///< lanes outside of it that wait at a begin, in the order in which they came
  bool commit_waits = false;      ///< all that are left have arrived, and a timing model performs the commit later
  std::vector<GlobalLog> global;  ///< by lane, if they have accessed global memory
  // As it was at tx_begin.
  std::vector<std::byte> registers, local;
  uint64_t carry = 0;
};

struct Warp {
  // What every instruction touches.
  std::byte* base[4] = {};  ///< by OperandRef's top bits
  uint64_t active = 0;      ///< lanes that execute the current instruction
  Worker* worker = nullptr;
  Cta* cta = nullptr;
  const Instr* segment = nullptr;  ///< start of the straight line being executed, for the counters
  int32_t polls = 0;               ///< polls left before this warp yields
  int32_t loops = 0;               ///< backward branches left before it lets other warps run

  // Control.
  uint32_t index = 0;        ///< in the CTA
  uint64_t alive = 0;        ///< lanes that have not exited
  int32_t current = -1;      ///< the path being executed
  uint32_t local_frame = 0;  ///< offset of the local frame of the path being executed
  std::vector<Path> paths;
  bool done = false, yielded = false;
  WarpTransaction tx;
  bool displaced = false;  ///< another warp made its transaction start again: what it was about to execute is not next

  // Storage.
  std::byte* registers = nullptr;  ///< the register stack
  std::byte* specials = nullptr;
  std::byte* local = nullptr;             ///< word w of lane l at (w * lanes + l) * 4
  uint64_t carry = 0;                     ///< CC.CF of each lane
  std::array<uint32_t, 64> stack_used{};  ///< by lane: bytes of alloca, from the end of the stack down
  uint64_t cluster_arrived = 0;           ///< lanes that have arrived at the barrier of the cluster in its phase
  uint64_t cluster_odd = 0;               ///< … that have waited there an odd number of times

  template <class T>
  T* row(uint32_t op) const {
    return reinterpret_cast<T*>(base[op >> 30] + (op & OperandRef::kOffset));
  }
  uint64_t& predicate(uint32_t op) const { return *row<uint64_t>(op); }
  uint64_t predicate_value(uint32_t op) const {
    const uint64_t value = *row<uint64_t>(op);
    return op & OperandRef::kNegated ? ~value : value;
  }
};

struct Barrier {
  uint32_t arrived = 0;   ///< threads
  uint32_t expected = 0;  ///< 0: all threads of the CTA
  uint32_t waiting = 0;   ///< paths that block
  uint64_t red_and = 1, red_or = 0, red_count = 0;
};

struct Cta {
  uint64_t linear = 0;
  Dim3 index;
  std::byte* shared = nullptr;
  uint32_t shared_bytes = 0;
  uint32_t threads = 0;  ///< at start
  uint32_t exited = 0;
  uint32_t live_warps = 0;
  bool faulted = false;
  uint64_t clock_base = 0;  ///< Worker::warp_instructions at time 0
  Barrier barriers[16];
  uint32_t barriers_in_use = 0;  ///< bit n: somebody has arrived at barrier n; all others are as at the start
  std::vector<Warp> warps;
  std::string output;                                            ///< of vprintf
  std::unique_ptr<scratchpad::SharedTransactions> transactions;  ///< made by the first
  bool has_transactions = false;                                 ///< it was started for this CTA
  std::shared_ptr<Cluster> cluster;                              ///< cluster.hpp; of one CTA where the launch has none
  uint32_t rank = 0;                                             ///< in it
  bool cluster_news = false;    ///< lanes have arrived at the barrier of the cluster, or ended: for a timing model
  const Warp* alone = nullptr;  ///< no other one may be in a transaction
  std::shared_ptr<CtaChecks> checks;  ///< what Checks knows of it
};

/// What the last instruction of a warp cost for being in a transaction, for a timing model; whoever reads it clears it.
struct TxCharge {
  unsigned passes = 0;         ///< of the banks, if it accessed shared memory
  unsigned access_cycles = 0;  ///< beside those
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
  uint8_t fp = 0;         ///< FpMode in force
  bool parallel = false;  ///< other CTAs run at the same time: atomics are host atomics
  bool counting = false;
  bool performing = false;  ///< what takes effect later than it issued: nothing else runs
  unsigned warp_size = 32, sms = 1;
  uint64_t register_stack = 0, local_stack = 0;  ///< bytes a warp, bytes a thread
  struct Hit {
    uint64_t begin = 1, end = 0;
    bool writable = false;
  };
  static constexpr size_t kHits = 256;
  Hit hits[kHits];  ///< direct-mapped by instruction
  /// The allocation this instruction (or one that shares its entry) hit last: most hit the same one again.
  Hit& last_hit(const Instr* i) { return hits[reinterpret_cast<uintptr_t>(i) / sizeof(Instr) % kHits]; }
  uint64_t warp_instructions = 0, thread_instructions = 0;
  int32_t sm = -1;     ///< the SM that it stands for, when a timing model drives it; else -1
  uint64_t cycle = 0;  ///< … and the time there, which %clock then tells
  std::vector<scratchpad::SiteCounter> sites;
  const scratchpad::Rules* rules = nullptr;
  const scratchpad::TxConfig* tx_config = nullptr;
  scratchpad::TxTotals tx;
  TxCharge tx_charge;
  std::vector<BulkArrival> bulk;       ///< of the last instruction, when a timing model drives it
  std::vector<DeviceLaunch> launched;  ///< by kernels that launch kernels
  TransactionObserver* observer = nullptr;
  Checks* checks = nullptr;  ///< null: nothing is checked but what would be a fault
  Windows windows;
  static constexpr size_t kSyncRow = 512;         ///< a row of 64 lanes of 8 bytes
  alignas(64) std::byte sync_rows[6 * kSyncRow];  ///< operands of lanes that meet at a warp-wide instruction
  Fault fault;                                    ///< valid when the CTA is `faulted`
};

/// A launch in progress, shared by its workers.
struct Launch {
  const LaunchConfig* config = nullptr;
  const KernelInfo* kernel = nullptr;
  const std::byte* params = nullptr;  ///< in the constant bank: generic addresses work
  uint32_t function = 0;
  uint32_t shared_bytes = 0;
  Dim3 clusters;                ///< of the grid
  uint64_t grid_workspace = 0;  ///< what %envreg1 and %envreg2 hold: an address, or 0 if the launch is not cooperative
};

}  // namespace bankshot::simt

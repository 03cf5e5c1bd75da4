// The state of a running warp. Its CTA: cta_state.hpp; the host thread that runs it: worker.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bankshot/scratchpad/transactions/tx_masks.hpp"
#include "bankshot/simt/state/global_log.hpp"
#include "bankshot/simt/state/instr.hpp"
#include "bankshot/simt/state/native.hpp"

namespace bankshot::simt {

struct Cta;
struct Worker;

/// Generic addresses in these two windows are the shared memory of the CTA and its cluster, and the thread's local
/// memory. They are reserved in the process, so no other pointer can lie there. The shared window begins with the CTA's
/// own memory; after it comes that of every CTA of the cluster by rank, including the CTA itself. An offset in it is a
/// .shared address:
///     31       24 23                 0
///     | 16 + rank | byte in that CTA |     0 in the upper part: the CTA itself
/// In a cluster of several CTAs addresses of a CTA's own variables have its rank, as on hardware: programs clear bit 24
/// to name the even CTA of a pair, or exclusive-or bits 24 to 27 to name all others. The lower half of the window's
/// address is 0, so that the lower half of a generic address is a .shared address, as programs rely on.
struct Windows {
  uint64_t shared = 0, local = 0;
  static constexpr unsigned kCtaShift = 24, kMostCtas = 16;  ///< of a cluster
  static constexpr uint64_t kSharedBytes = uint64_t{1} << kCtaShift, kLocalBytes = 16u << 20;
  static constexpr uint64_t kClusterBytes = kSharedBytes * (2 * kMostCtas);
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
  enum class State : uint8_t {
    free,
    ready,
    inner,
    at_barrier,
    at_warp_sync,
    at_transaction,
    at_cluster_barrier,
    at_warpgroup,
    at_aligned  ///< at an instruction that the whole warp executes: for the rest of it
  };
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
  uint64_t wait_mask = 0;             ///< the lanes of the membermask of the warp-wide instruction it waits at
  uint32_t idle_turns = 0;            ///< ready: how often in a row it did no more than find that it has to wait
  uint32_t registers = 0;             ///< base[0] of the frame, as an offset
  uint32_t local = 0;                 ///< base of the local frame
  uint32_t function = 0;
  std::vector<Frame> frames;
};

/// The transaction that lanes of a warp are in: transaction.hpp. Its paths stand below one that waits for their
/// commits.
struct WarpTransaction {
  int32_t path = -1;                      ///< that one; -1: no transaction
  void (*ended)(struct Warp&) = nullptr;  ///< called when no lane runs below that path any more
  const Instr* begin = nullptr;           ///< its tx_begin
  bool restarting = false;                ///< that comes next, for lanes that did not commit
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
  uint32_t index = 0;           ///< in the CTA
  uint64_t alive = 0;           ///< lanes that have not exited
  int32_t current = -1;         ///< the path being executed
  uint64_t awaited = 0;         ///< bit_of_join() of joins at which a path waits for it, and perhaps of others
  uint32_t local_frame = 0;     ///< offset of the local frame of the path being executed
  NativeCode native = nullptr;  ///< continues after the barrier at which the warp waits
  uint32_t native_at = 0;       ///< … by this number
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
#if defined(BANKSHOT_LANE_CODE)  // jit/lanes
    return reinterpret_cast<T*>(base[0] + (op & OperandRef::kOffset));
#else
    return reinterpret_cast<T*>(base[op >> 30] + (op & OperandRef::kOffset));
#endif
  }
  uint64_t& predicate(uint32_t op) const { return *row<uint64_t>(op); }
  uint64_t predicate_value(uint32_t op) const {
    const uint64_t value = *row<uint64_t>(op);
    return op & OperandRef::kNegated ? ~value : value;
  }
};

/// The bit of a join in Warp::awaited.
inline uint64_t bit_of_join(const Instr* join) {
  return join == nullptr ? 0 : uint64_t{1} << (reinterpret_cast<uintptr_t>(join) / sizeof(Instr) % 64);
}

/// Whether the lanes that execute are in a transaction.
inline bool in_transaction(const Warp& w) { return w.tx.path >= 0 && (w.tx.lanes & w.active) != 0; }

}  // namespace bankshot::simt

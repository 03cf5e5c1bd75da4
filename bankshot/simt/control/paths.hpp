// Operations on the tree of paths of a warp.
#pragma once

#include <bit>

#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// Instr::small of barrier instructions.
constexpr uint8_t kBarrierSync = 0, kBarrierArrive = 1, kBarrierRedPopc = 2, kBarrierRedAnd = 3, kBarrierRedOr = 4;

constexpr int32_t kPollsPerTurn = 256;  ///< polls after which a warp lets others run
/// Turns after which lanes that wait at a join, and always the same, are taken for those that the polling ones wait
/// for.
constexpr uint32_t kStaleTurns = 3;
constexpr int32_t kLoopsPerTurn = 1 << 20;  ///< backward branches after which it does: it may poll with plain loads

/// How many lanes there are in a mask. Most are whole warps; without an instruction for it counting takes long.
inline uint32_t lane_count(uint64_t lanes) {
  return lanes == 0xffffffff ? 32 : static_cast<uint32_t>(std::popcount(lanes));
}

/// Adds the instructions from the segment's start up to and including `last`, executed by `lanes`.
inline void count(Warp& w, const Instr* last, uint64_t lanes) {
  const uint64_t n = static_cast<uint64_t>(last - w.segment) + 1;
  w.worker->warp_instructions += n;
  w.worker->thread_instructions += n * lane_count(lanes);
}
inline void account(Warp& w, const Instr* last, const Instr* next) {
  count(w, last, w.active);
  w.segment = next;
}
/// The same in front of a pseudo instruction, which does not count itself.
inline void account_pseudo(Warp& w, const Instr* pseudo) {
  if (pseudo != w.segment) count(w, pseudo - 1, w.active);
  w.segment = pseudo + 1;
}

/// Writes the state of the current path back to it.
void save(Warp& w, const Instr* next);
/// Makes a ready path the current one. @return its next instruction
const Instr* resume(Warp& w, int32_t index);

/// Whether lanes may come to where others of their warp wait for them: on a path that can go on, or that other warps
/// let go on. Lanes at a join cannot, unless there is such a path: they wait for the lanes that wait here.
bool any_may_come(const Warp& w);
/// Paths in the state become ready, to find out again whether they have to wait.
void look_again(Warp& w, Path::State state);

/// The current path becomes an inner one that resumes at `join` when its children have arrived.
void park_inner(Warp& w, int32_t index, const Instr* join);
/// A new ready path below `parent`.
int32_t add_child(Warp& w, int32_t parent, uint64_t mask, const Instr* pc, const Instr* join, uint32_t depth);
/// A new ready path beside `index`, with the same parent, join and frames.
int32_t add_sibling(Warp& w, int32_t index, uint64_t mask, const Instr* pc);
/// Removes a path. If it was the last child, its parent resumes, or is removed as well if no lane arrived.
void remove_child(Warp& w, int32_t index);
/// Lanes that wait at a join while others still run become a separate path. This is what lets programs finish that
/// rely on Volta's forward progress: a lane spins until one that already left the loop releases its lock.
/// @return true if there were any
bool release_waiting(Warp& w);

/// The same where lanes have been waiting for kStaleTurns turns that ended in polling. A polling loop that makes
/// progress, such as one with an atomic in it, meets at its joins again and again; lanes that wait there are not meant.
void release_stale(Warp& w);

/// Lanes that came together at a warp-wide instruction or a barrier go on together, if all of the warp did: what
/// divided them is over. As on hardware, where a warp converges at WARPSYNC and BAR.
void reunite(Warp& w);

/// What bar and barrier do. @return what comes next in the warp
const Instr* arrive_at_barrier(Warp& w, const Instr* i);

/// Wakes the paths of barriers that are complete.
void check_barriers(Cta& cta);

const Instr* enter_function(Warp& w, const Instr* i, const CallInfo& call, uint32_t function);
const Instr* leave_function(Warp& w);
/// Back behind the call, without its results.
const Instr* pop_frame(Warp& w);

}  // namespace bankshot::simt

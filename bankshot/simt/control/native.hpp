// What native code asks of the tree of paths. It counts its instructions itself, and has put registers into their rows.
#pragma once

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/state/native.hpp"

namespace bankshot::simt {

/// Goes on at `next`, in native code as far as there is some.
inline const Instr* enter(Warp& w, const Instr* next) {
  return w.worker->native == nullptr || next == nullptr ? next : run_native(w, next);
}

/// What native_join returns where no path of the warp can go on.
inline const Instr* const kNobodyReady = reinterpret_cast<const Instr*>(1);

/// Some of the active lanes, not all, take the branch. @return what comes next; Warp::active says for which lanes
const Instr* native_diverge(Warp& w, const Instr* branch, uint64_t taken);

/// The active lanes reach a join. @return null: no lane waits for them there, so they continue; else the next
/// instruction, or kNobodyReady
const Instr* native_join(Warp& w, const Instr* join);

/// The whole warp arrives at a barrier, which is not counted yet; `code` continues after it.
/// @return as run_barrier
const Instr* native_barrier(Warp& w, const Instr* i, NativeCode code, uint32_t at);

/// The warp lets others run, and continues at `target`.
void native_yield(Warp& w, const Instr* target);

}  // namespace bankshot::simt

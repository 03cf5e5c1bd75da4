// Paths of a warp: divergence, reconvergence, barriers, calls. The handlers of control instructions are built on these.
#pragma once

#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// Picks another ready path of the warp and makes it current. @return its next instruction, or null if none is ready
const Instr* next_path(Warp& warp);

/// Stops the warp so that others may run; it continues at `next`.
const Instr* let_others_run(Warp& warp, const Instr* next);
/// The same for who may be waiting: lanes that wait for it at a join may go on without it.
const Instr* yield_slow(Warp& warp, const Instr* next);
/// To be returned by instructions that may be waiting for another lane, warp or CTA (InstrFlag::kPolls).
inline const Instr* polled(Warp& warp, const Instr* next) { return --warp.polls <= 0 ? yield_slow(warp, next) : next; }

/// Records the first fault of the CTA and stops it. @param lane  the lane at fault, or -1
/// @return null, for `return fault(…)`
const Instr* fault(Warp& warp, const Instr* i, Fault::Kind kind, int lane, uint64_t address, std::string what);

/// An address in the text of a fault: "0x2a".
std::string hex(uint64_t value);

/// The fault of doing `what` in a transaction: "a barrier".
const Instr* refuse_in_transaction(Warp& w, const Instr* i, const char* what);

/// The active lanes end.
const Instr* exit_lanes(Warp& warp, const Instr* i);

// Handlers that are the same for every instruction set of the host.
const Instr* run_branch(Warp& w, const Instr* i);          ///< imm: target; guard read here
const Instr* run_branch_indexed(Warp& w, const Instr* i);  ///< op[0]: index row; imm: list of targets
const Instr* run_reconverge(Warp& w, const Instr* i);      ///< pseudo instruction at a join
const Instr* run_call(Warp& w, const Instr* i);            ///< aux: CallInfo; op[0]: function pointer row if indirect
const Instr* run_return(Warp& w, const Instr* i);
const Instr* run_exit(Warp& w, const Instr* i);
const Instr* run_trap(Warp& w, const Instr* i);
const Instr* run_barrier(Warp& w, const Instr* i);  ///< op[0]: number, op[1]: count or kNone; small: see BarrierOp
const Instr* run_nanosleep(Warp& w, const Instr* i);
const Instr* run_printf(Warp& w, const Instr* i);  ///< op[0]: format, op[1]: arguments, op[2]: result
const Instr* run_assert(Warp& w, const Instr* i);
const Instr* run_set_condition(Warp& w,
                               const Instr* i);     ///< cudaGraphSetConditional: a handle is the address of a word
const Instr* run_guarded(Warp& w, const Instr* i);  ///< wrapper: runs `body` for the lanes whose guard holds

/// Most joins of a branch. aux is the index of the first, 0 if there is none. If lanes may leave a loop before they
/// reach it, op[1] is the join after that loop; if they may leave another loop before that, op[2] is the join after it,
/// and so on; then 0.
constexpr size_t kMostJoins = 6;

/// Whether Instr::imm is a branch target.
inline bool jumps(const Instr& i) { return i.body == &run_branch; }

}  // namespace bankshot::simt

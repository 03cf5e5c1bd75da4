// Transactions in the engine: the execution model of GPU-LocalTM (section 3.1) on the tree of paths. tx_begin parks the
// path of its lanes and runs them below it; a lane that meets a conflict leaves its path; when no lane is left below,
// all that arrived at their commit have committed, and the others start again, registers and local memory as they were.
#pragma once

#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {

/// Whether lanes of the warp wait at a tx_begin: for a warp that runs alone, or for other lanes of their own.
bool waits_at_begin(const Warp& w);

/// For an access to both memories, the lanes that go to global memory become a separate path, because those to shared
/// memory may have to start again before a timing model performs the accesses of the others.
void part(Warp& w, const Instr* i, uint64_t lanes);

/// Whether the warp's transaction hides its writes to global memory until the commit: where CTAs may see each other.
bool keeps_global(const Warp& w);
/// Addresses of the words of global memory that the lanes that are about to commit have read or would write, ascending.
std::vector<uint64_t> global_words(const Warp& w);
/// The commit that waits.
void commit_now(Warp& w);

/// A warp without lanes passes over an instruction on its way to the commit. @return as a handler
const Instr* pass_over(Warp& w, const Instr* i);

// Handlers.
const Instr* run_tx_begin(Warp& w, const Instr* i);
const Instr* run_tx_commit(Warp& w, const Instr* i);
/// A wrapper: asks for the words of lanes that are in a transaction.
const Instr* run_tx_access(Warp& w, const Instr* i);

}  // namespace bankshot::simt

// What the files of transactions share.
#pragma once

#include <bit>

#include "bankshot/simt/access/lane_addresses.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

inline unsigned first_thread(const Warp& w) { return w.index * w.worker->warp_size; }
inline uint64_t lanes_in(uint64_t mask) { return static_cast<uint64_t>(std::popcount(mask)); }

/// Of the warp's CTA; made and started when a transaction first needs it.
scratchpad::SharedTransactions& memory_of(Warp& w);
/// Whether the path stands below `root`.
bool is_below(const Warp& w, int32_t index, int32_t root);
/// No lane runs below the transaction's path any more.
void end_attempt(Warp& w);
/// Lanes that met a conflict leave the path that executes. @return the next instruction
const Instr* abort_lanes(Warp& w, uint64_t lanes, const Instr* next);

/// Makes the global writes of the lanes that are about to commit visible; if global memory that they read has changed,
/// they abort instead. @return false if that has to wait for a timing model
bool settle_global(Warp& w);
/// Those of the lanes that have read global memory that has changed since.
uint64_t stale_lanes(const Warp& w, uint64_t lanes);
/// Others have committed to what these lanes had read of global memory: their masks and words, not their paths.
void abort_invalid(Warp& w, uint64_t lanes);
/// An access of which lanes go to global memory, in a transaction that hides its writes.
const Instr* access_global(Warp& w, const Instr* i, const LaneAddresses& to);

}  // namespace bankshot::simt

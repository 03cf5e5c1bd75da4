// tcgen05: allocation, loads and stores of tensor memory, copies into it, and what orders them. What is asynchronous is
// done at once, before the program may use it, so that waits and fences do nothing. Handlers that are the same for
// every instruction set of the host.
#pragma once

#include <string>

#include "bankshot/simt/state/instr.hpp"
#include "bankshot/simt/state/worker.hpp"
#include "bankshot/simt/tensor_memory/tensor_memory.hpp"

namespace bankshot::simt {

/// The tensor memory of the CTA; null after a fault
TensorMemory* tensor_memory_of(Warp& w, Cta& cta, const Instr* i, int lane);
/// Before an access. @return false after a fault, if the columns are not allocated or lanes are missing.
/// @param what  "D"
bool tensor_range(Warp& w, Cta& cta, const Instr* i, int lane, const TensorRange& range, const std::string& what);
/// The CTAs that .cta_group::1 or ::2 (pair) names, by rank: one, or two. @return how many; 0 after a fault
unsigned tensor_group(Warp& w, const Instr* i, unsigned lane, bool pair, Cta* (&ctas)[2]);

/// op[0], imm, small, kWide: where the address goes; op[1]: row of column counts
const Instr* run_tensor_allocate(Warp& w, const Instr* i);
/// op[0]: row of addresses, op[1]: row of column counts
const Instr* run_tensor_free(Warp& w, const Instr* i);
const Instr* run_tensor_relinquish(Warp& w, const Instr* i);
/// op[0]: row of addresses, imm: added to them; op[1]: list of registers, op[2]: TensorMoveShape::bits(), op[3]: split
const Instr* run_tensor_memory_load(Warp& w, const Instr* i);
const Instr* run_tensor_memory_store(Warp& w, const Instr* i);
/// op[0], imm, small, kWide: an mbarrier; op[4]: row of masks of CTAs, or kNone
const Instr* run_tensor_commit(Warp& w, const Instr* i);

}  // namespace bankshot::simt

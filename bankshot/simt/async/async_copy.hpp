// Asynchronous copies between global and shared memory. Source: PTX ISA 9.0, section 9.7.9.25. A program may look at
// the copied data only after it has waited for it, so the data may be there as soon as the copy is issued.
#pragma once

#include "bankshot/simt/state/instr.hpp"

namespace bankshot::simt {

struct Warp;

// What handlers find: op[5], the index in LoadedProgram::copies. op[0], imm, small and kWide are the global address,
// aux the site of the shared one.

/// cp.async: 4, 8 or 16 bytes of each lane to shared memory.
const Instr* run_async_copy(Warp& w, const Instr* i);
/// cp.async.bulk: each lane that executes copies so many bytes to shared memory, and tells a barrier.
const Instr* run_bulk_load(Warp& w, const Instr* i);
/// … or from shared memory to global.
const Instr* run_bulk_store(Warp& w, const Instr* i);
/// … or from shared memory to that of a CTA of the cluster, and tells a barrier there.
const Instr* run_bulk_move(Warp& w, const Instr* i);

}  // namespace bankshot::simt

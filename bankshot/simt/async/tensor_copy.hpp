// Copies of boxes of a tensor between global and shared memory (TMA). Source: PTX ISA 9.0, sections 5.5 (tensors)
// and 9.7.9.25.5 (cp.async.bulk.tensor). As with other asynchronous copies all is there as soon as the copy was issued.
#pragma once

#include "bankshot/simt/state/instr.hpp"

namespace bankshot::simt {

struct Warp;

// What handlers find: op[5], the index in LoadedProgram::copies; op[0], imm, small and kWide are the descriptor's
// address, aux the site of shared memory; op[4] the mode: kFourRows (.tile::gather4, .tile::scatter4), or a
// TensorMap::Mode.
constexpr uint32_t kFourRows = 8;

/// Each lane that executes copies a box to shared memory, and tells a barrier.
const Instr* run_tensor_load(Warp& w, const Instr* i);
/// … or from shared memory, or combines it with the contents of global memory.
const Instr* run_tensor_store(Warp& w, const Instr* i);

}  // namespace bankshot::simt

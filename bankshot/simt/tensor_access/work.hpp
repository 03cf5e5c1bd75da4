// What instructions of tensor memory ask of an SM, for a timing model, which looks at them before it executes them.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/simt/state/instr.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// A product or a copy, as the first of the lanes describes it.
struct TensorWork {
  unsigned lanes = 0;          ///< that issue it, each one of its own
  unsigned columns = 0;        ///< of a product
  unsigned operand_bytes = 0;  ///< that each CTA reads of its shared memory
};
/// @param lanes  of executing_lanes(), here and below
TensorWork product_work(const Warp& w, const Instr* i, uint64_t lanes);
TensorWork copy_work(const Instr* i, uint64_t lanes);
/// Bytes of registers that tcgen05.ld or .st moves.
unsigned moved_bytes(const Instr* i);
/// Columns that tcgen05.alloc asks for; perhaps a number that it refuses.
unsigned asked_columns(const Warp& w, const Instr* i);
/// Adds the mbarriers that tcgen05.commit tells, as offsets in shared memory of the cluster. @return false after a
/// fault
bool commit_targets(Warp& w, const Instr* i, uint64_t lanes, std::vector<uint64_t>& barriers);
/// tcgen05.alloc can never be executed: a fault. @param in_use  columns that are allocated
const Instr* waits_forever(Warp& w, const Instr* i, unsigned in_use);

}  // namespace bankshot::simt

// Execution one instruction at a time, for who decides when each warp executes its next one: a timing model.
#pragma once

#include <array>
#include <cstdint>

#include "bankshot/simt/access/lane_addresses.hpp"
#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {

/// The next instruction of a warp that was just started, or that was blocked and may no longer be. Pseudo instructions
/// on the way are executed. @return null if it is blocked, has ended (Warp::done) or its CTA has faulted
const Instr* next_of(Warp& warp);

/// What an instruction did.
struct Step {
  const Instr* next = nullptr;  ///< as next_of
  scratchpad::Cost shared;      ///< of all its accesses to shared memory, if accesses are counted (Worker::counting)
};
/// Executes the warp's next instruction. lane_addresses_of() gives the addresses of its lanes before that.
Step step(Warp& warp, const Instr* i);

/// Whether `next` is what comes behind `i` in the program, pseudo instructions apart.
bool follows(const Instr* next, const Instr* i);

/// Where the lanes of any load, store or atomic go, of matrices and textures as well, before it is executed.
/// @param lanes  of executing_lanes()
void lane_addresses_of(const Warp& warp, const Instr* i, uint64_t lanes, LaneAddresses& to);

/// The host fetches the first operands of an instruction that the warp will execute before long.
inline void prefetch_operands(const Warp& warp, const Instr& i) {
  for (const uint32_t op : {i.op[0], i.op[1], i.op[2]}) {
    if (op == OperandRef::kNone) continue;
    const auto row = reinterpret_cast<uintptr_t>(warp.row<const std::byte>(op));
    __builtin_prefetch(reinterpret_cast<const void*>(row));
    __builtin_prefetch(reinterpret_cast<const void*>(row + 64));  // the row may be shorter
  }
}

/// Whether an asynchronous store or copy to shared memory, or an operation on an mbarrier, reaches another CTA.
/// @param lanes  of executing_lanes()
bool reaches_elsewhere(const Warp& warp, const Instr* i, uint64_t lanes);

/// An access to memory whose effect comes later than its issue. Its registers must be left alone until then.
struct Deferred {
  Warp* warp = nullptr;
  const Instr* instr = nullptr;  ///< null: not an access, but the commit that waits (WarpTransaction::commit_waits)
  uint64_t active = 0;
  std::byte* frame = nullptr;
  uint32_t local_frame = 0;
};
/// Passes over the warp's next instruction, a load, store or atomic. @param next  receives what step() would return
Deferred defer(Warp& warp, const Instr* i, const Instr*& next);
/// Executes it. @return false if its CTA has faulted
bool perform(const Deferred& access);

}  // namespace bankshot::simt

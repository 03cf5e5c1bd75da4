// Execution one instruction at a time, for who decides when each warp executes its next one: a timing model.
#pragma once

#include <array>
#include <cstdint>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {

/// The next instruction of a warp that was just started, or that was blocked and may no longer be. Pseudo instructions
/// on the way are executed. @return null if it is blocked, has ended (Warp::done) or its CTA has faulted
const Instr* next_of(Warp& warp);

/// Executes the warp's next instruction. @return as next_of
const Instr* step(Warp& warp, const Instr* i);

/// Whether `next` is what comes behind `i` in the program, pseudo instructions apart.
bool follows(const Instr* next, const Instr* i);

/// Lanes for which the guard of the warp's next instruction holds.
uint64_t executing_lanes(const Warp& warp, const Instr* i);

/// Where the lanes of a load, store or atomic go, before it is executed.
struct LaneAddresses {
  uint64_t shared = 0, local = 0,
           global = 0;     ///< lanes by the space they access; constant memory and parameters: global
  uint64_t elsewhere = 0;  ///< lanes that access the shared memory of another CTA; they are not among those of `shared`
  /// Shared: byte offset in the CTA's. Elsewhere: offset in the shared window. Local: byte offset in the thread's.
  /// Global: device pointer. Others: not written.
  std::array<uint64_t, scratchpad::kMaxLanes> address;
};
/// @param lanes  of executing_lanes()
void lane_addresses_of(const Warp& warp, const Instr* i, uint64_t lanes, LaneAddresses& to);

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

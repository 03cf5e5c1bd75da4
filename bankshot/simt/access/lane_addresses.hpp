// Which memory the lanes of an access go to, determined before it is executed.
#pragma once

#include <array>
#include <cstdint>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// Lanes for which the guard of the warp's next instruction holds.
uint64_t executing_lanes(const Warp& warp, const Instr* i);

/// Where the lanes of an access go, by space.
struct LaneAddresses {
  uint64_t shared = 0, local = 0,
           global = 0;     ///< lanes by the space they access; constant memory and parameters: global
  uint64_t elsewhere = 0;  ///< lanes that access the shared memory of another CTA; they are not among those of `shared`
  /// Shared: byte offset in the CTA's. Elsewhere: offset in the shared window. Local: byte offset in the thread's.
  /// Global: device pointer. Others: not written.
  std::array<uint64_t, scratchpad::kMaxLanes> address;
};
/// Those of an ld, st, atom or red, before it is executed. @param lanes  of executing_lanes()
void addresses_of(const Warp& warp, const Instr* i, uint64_t lanes, LaneAddresses& to);
/// From addresses as the instruction has them, in `to.address`, to those by space.
void sort_by_space(const Warp& warp, const Instr* i, uint64_t lanes, LaneAddresses& to);

}  // namespace bankshot::simt

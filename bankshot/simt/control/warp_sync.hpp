// Instructions that need all live lanes of a membermask (shfl.sync and relatives), when these lanes stand apart.
#pragma once

#include <cstdint>

#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {

/// What the operands of such an instruction are, one letter each, '-' for none: d row to write, p predicate to write, a
/// row to read (A of 64 bits), q predicate to read, m membermask.
struct SyncOperands {
  char kind[7];
  constexpr int mask() const {
    for (int k = 0; k < 6; ++k) {
      if (kind[k] == 'm') return k;
    }
    return -1;
  }
};

/// The instruction proper, for the lanes of Warp::active.
using SyncBody = void (*)(Warp&, const Instr*);

/// The lanes a membermask names. Masks have 32 bits; in wider warps ~0 means all lanes.
inline uint64_t member_lanes(uint32_t mask) { return mask == ~uint32_t{0} ? ~uint64_t{0} : mask; }

/// For lanes whose masks name inactive lanes: each waits until all live lanes of its own mask stand at the
/// same operation with the same mask, be it this instruction or another, in this function or another (sm_70 and later;
/// PTX ISA, shfl.sync: "the same qualifiers and same membermask value"); then they execute together and go on apart.
const Instr* wait_for_members(Warp& warp, const Instr* i, const SyncOperands& operands, SyncBody body);

/// Tells the worker's Checks that lanes have met (bar.warp.sync).
void have_met(Warp& warp, uint64_t lanes);

}  // namespace bankshot::simt

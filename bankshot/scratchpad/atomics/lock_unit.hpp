// What an atomic on shared memory goes through where locks guard words: the rules of one pass of its loop.
#pragma once

#include <bitset>
#include <cstdint>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/atomics/lock_hash.hpp"

namespace bankshot::scratchpad {

/// Lock bits that are set.
using Locks = std::bitset<(size_t{1} << kMaxLockBits)>;

/// Read-and-lock: of the pending lanes, the first in lane order of every lock that is free gets it; its lock bit is
/// set. Lanes on one word compete like lanes on aliased words: each of them must do its own update. Source: ICCD'13,
/// section II; TPDS'13, section 2.1.3. That the lowest lane wins: "the order … is 0-1,024-2,048".
/// @param addresses  byte addresses in the CTA's shared memory, one a lane
/// @param base       where that begins in the SM's, which all its CTAs share with its locks
/// @return           the lanes that got their lock
uint64_t acquire(const LockTable& locks, const uint32_t* addresses, uint64_t pending, Locks& held, uint32_t base = 0);

/// Write-and-unlock by lanes that had got their locks.
void release(const LockTable& locks, const uint32_t* addresses, uint64_t lanes, Locks& held, uint32_t base = 0);

/// Passes over the banks in which lanes read their words: lanes on one word are a broadcast and count once.
inline uint32_t read_level(const Rules& rules, unsigned width, const uint32_t* addresses, uint64_t pending) {
  return pending == 0 ? 0 : cost(rules, AccessKind::load, width, addresses, pending).wavefronts;
}
/// … in which those write that have the locks, all of different words.
inline uint32_t write_level(const Rules& rules, unsigned width, const uint32_t* addresses, uint64_t winners) {
  return winners == 0 ? 0 : cost(rules, AccessKind::store, width, addresses, winners).wavefronts;
}

}  // namespace bankshot::scratchpad

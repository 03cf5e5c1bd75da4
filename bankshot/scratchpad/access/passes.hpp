// The passes of one access, one by one: which lane each bank serves in each of them.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/scratchpad/access/access.hpp"

namespace bankshot::scratchpad {

struct Pass {
  static constexpr int8_t kIdle = -1;
  static constexpr int8_t kSeveral = -2;  ///< several lanes want the word: a broadcast, or a store of which one wins

  LaneMask phase;               ///< all lanes of the phase it belongs to
  std::vector<int8_t> bank;     ///< [port * banks + bank]: lane served, or kIdle or kSeveral
  std::vector<LaneMask> lanes;  ///< [the same]: all lanes served
  std::vector<uint32_t> word;   ///< [the same]: the bank word they want; 0 where the bank idles
};

/// As many passes as cost() counts wavefronts; the arguments are the same. Every bank serves its words, or for atomics
/// its lanes, in lane order: no document says in which order the hardware does, and the count does not depend on it.
std::vector<Pass> passes(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses, uint64_t mask);

}  // namespace bankshot::scratchpad

// What accesses of threads to tiles of products cost, and would cost if the tiles had another swizzle.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/counting/trace.hpp"
#include "bankshot/simt/tiles/tile_reads.hpp"

namespace bankshot::simt {

/// Of accesses of one instruction.
struct SwizzleConflicts {
  static constexpr std::array<unsigned, 4> kSpans = {0, 32, 64, 128};

  Swizzle now;  ///< of the tiles
  uint64_t accesses = 0;
  uint64_t conflicts = 0;  ///< as they were
  /// With each of kSpans, in units of 16 bytes; nothing if the descriptors do not tell how the tiles would lie: they
  /// say nothing of what follows an atom that is narrower.
  std::array<std::optional<uint64_t>, kSpans.size()> by_span;

  void merge(const SwizzleConflicts& other);
  /// The narrowest with fewest conflicts, fewer than now; nothing if there is none.
  std::optional<unsigned> best_span() const;
};

/// By the swizzle that the tiles have. Of accesses whose lanes all are in tiles of one swizzle.
/// @param rules  of a memory with banks of 4 bytes and no hash; else the result is empty
std::vector<SwizzleConflicts> conflicts_by_swizzle(const TileReads& tiles, const scratchpad::AccessTrace& trace,
                                                   const scratchpad::Rules& rules, scratchpad::AccessKind kind,
                                                   unsigned width);

/// Adds up what has the same swizzle.
void merge(std::vector<SwizzleConflicts>& to, const std::vector<SwizzleConflicts>& from);

}  // namespace bankshot::simt

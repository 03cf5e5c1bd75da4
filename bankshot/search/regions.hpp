// A bank hash for each instruction: regions of shared memory that instructions do not share have separate hashes.
// Source: the XOR-hash paper, section 9, which names the danger that two addresses become one place, and splitting
// memory into regions as the way out.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bankshot/scratchpad/patterns/region.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::search {

/// Chooses a hash for patterns.
using Chooser = std::function<Result<Found>(const Problem&)>;

/// Regions with one hash together.
struct RegionHash {
  std::vector<size_t> regions;  ///< indices, ascending
  scratchpad::BankHash hash;    ///< modulo where nothing is better
  uint64_t excess = 0, without = 0;
};

/// A hash for each region. Regions get one together, searched on both their patterns, where a block of a hash
/// (scratchpad::block_of) would have words of both. So no two words come to the same place.
/// @param rules    of the banks; Rules::hash is not looked at
/// @param regions  no two share a row of banks. Those that `keeps` says keep word modulo banks
/// @return by first region; of a chooser's errors the first
Result<std::vector<RegionHash>> find_by_region(const scratchpad::Rules& rules,
                                               std::span<const scratchpad::Region> regions,
                                               const std::vector<bool>& keeps, const Chooser& choose);

}  // namespace bankshot::search

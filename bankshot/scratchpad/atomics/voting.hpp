// Voting: many lanes add to few words. Copies of the vote space spread them; which copy a lane takes is a mapping.
// Source: TPDS'13, equations 1 and 2; ICCD'13, section V for bin-stretching.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bankshot/scratchpad/atomics/atomics_model.hpp"

namespace bankshot::scratchpad {

enum class Mapping : uint8_t {
  cyclic,     ///< copies one after the other; lane t takes copy t mod R
  block,      ///< …; N / R neighbouring lanes take the same copy
  stretched,  ///< the R copies of a word lie together (bin-stretching); lane t takes the t mod R-th
};
constexpr unsigned kMappings = 3;
std::string_view name(Mapping mapping);

/// A layout of the vote space in shared memory.
struct Layout {
  unsigned words = 0;    ///< V: size of the vote space
  unsigned copies = 1;   ///< R
  unsigned padding = 0;  ///< words unused behind each copy; of stretched: behind each group of copies
  Mapping mapping = Mapping::cyclic;

  /// Words of shared memory it takes. The last padding is not needed.
  uint64_t size() const {
    return mapping == Mapping::stretched ? uint64_t{words} * (copies + padding) - padding
                                         : uint64_t{copies} * (words + padding) - padding;
  }
  /// Where a vote goes. @param threads  of a block: N of equation 2
  uint32_t word(uint32_t vote, uint32_t thread, uint32_t threads) const {
    switch (mapping) {
      case Mapping::cyclic: return vote + (words + padding) * (thread % copies);
      case Mapping::block:
        return vote + (words + padding) * (thread / (threads < copies ? 1 : threads / copies) % copies);
      default: return vote * (copies + padding) + thread % copies;
    }
  }
};

/// What the warps of a block of one warp vote for.
struct Votes {
  unsigned lanes = 32;            ///< of a warp
  std::vector<uint32_t> of;       ///< by warp, then by lane
  std::vector<uint64_t> weights;  ///< by warp: how many warps it represents; empty: one each
  size_t warps() const { return of.size() / lanes; }
};

/// Uniform votes for `words` words, the same on every host.
Votes random_votes(uint64_t seed, size_t warps, unsigned lanes, unsigned words);
/// The votes of each warp in ascending order: equal ones meet in neighbouring lanes, as those of neighbouring pixels
/// do. Source: TPDS'13, section 3, third experiment.
void sort_warps(Votes& votes);

/// Means over warps, each by its weight.
struct VotingCost {
  double latency = 0, rounds = 0, reads = 0, writes = 0;  ///< cycles: AtomicsLatency
  double lock_degree = 0, bank_degree = 0;
};
/// What voting costs in a layout. All words of the layout must be below 2^address_bits of the model's hashes.
VotingCost voting_cost(const AtomicsModel& model, const Layout& layout, const Votes& votes);

/// The layouts worth a try in `budget` words: copies 1, 2, 4 … a warp's lanes and the most that fit, each mapping, with
/// and without a word of padding. Empty if not even one copy fits.
std::vector<Layout> layouts(unsigned words, unsigned lanes, uint64_t budget);

}  // namespace bankshot::scratchpad

// Many random votes in many layouts, on all cores.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/scratchpad/atomics/voting.hpp"

namespace bankshot::experiment {

/// A layout, and whether each warp's votes are sorted before.
struct VoteTrial {
  scratchpad::Layout layout;
  bool sorted = false;
};

struct VoteSetup {
  scratchpad::LockGeometry geometry;
  scratchpad::AtomicsTimes times;
  uint64_t seed = 1;
  size_t patterns = 0;   ///< warps that vote in each trial: the same in all trials of one size of the vote space
  unsigned threads = 0;  ///< of the host; 0: all cores
};

/// The mean cost of each trial; the same for any number of threads.
std::vector<scratchpad::VotingCost> mean_costs(const VoteSetup& setup, const std::vector<VoteTrial>& trials);

}  // namespace bankshot::experiment

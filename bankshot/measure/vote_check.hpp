// Random votes on a measured GPU, by the closed model and in simulation: whether the description found matches the GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/measure/fit.hpp"
#include "bankshot/measure/latency.hpp"
#include "bankshot/scratchpad/atomics/voting.hpp"

namespace bankshot::measure {

/// Atomic additions of one warp after the other to a vote space. Ticks by warp.
struct VoteCase {
  scratchpad::Layout layout;
  bool sorted = false;  ///< each warp's votes ascend from lane to lane
  std::vector<double> measured, model, simulated;
};

/// What differs from the measured times, relative to these, in percent.
struct Apart {
  double median = 0, most = 0;
};

struct VoteCheck {
  uint64_t seed = 1;   ///< of the votes
  unsigned warps = 0;  ///< of each case
  std::vector<VoteCase> cases;

  /// Over all warps of all cases. @param of  &VoteCase::model or &VoteCase::simulated
  Apart apart(std::vector<double> VoteCase::* of) const;
};

/// Vote spaces of 32 to 4,096 words; one copy, and eight or as many as fit in the mappings of TPDS'13, section 3, and
/// stretched, with and without sorting. Those that do not fit the GPU's shared memory are left out. Both runners must
/// have loaded programs().
/// @param samples  of each pattern on the measured GPU; the simulated one is asked once
Result<VoteCheck> check_votes(Runner& measured, Runner& simulated, const scratchpad::AtomicsModel& model,
                              unsigned samples, uint64_t seed = 1, unsigned warps = 32);

}  // namespace bankshot::measure

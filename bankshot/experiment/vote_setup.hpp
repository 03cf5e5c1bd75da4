// What the experiments on random votes have in common.
#pragma once

#include "bankshot/experiment/atomics_machine.hpp"
#include "bankshot/experiment/vote_trials.hpp"

namespace bankshot::experiment {

/// Patterns, a fiftieth of them with --quick, seed and cycles, on a scratchpad without hashes.
VoteSetup vote_setup(Parameters& parameters, const Settings& settings);
/// Sizes of the vote space.
std::vector<unsigned> vote_spaces(Parameters& parameters);

/// The largest power of two of copies that fits 48 KB, at most one a lane. Source: TPDS'13, section 3. That it is a
/// power of two is assumed: the paper's figures have no numbers any more, but in 2,048 words for instance six would
/// fit.
unsigned most_copies(unsigned words);

}  // namespace bankshot::experiment

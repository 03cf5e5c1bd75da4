// The experiments of the papers on shared-memory atomics (TPDS'13, ICCD'13) that the closed model answers.
#pragma once

#include "bankshot/experiment/experiment.hpp"

namespace bankshot::experiment {

/// Latency of one warp by equation 1 of ICCD'13, 1 to 32 conflicts: Figures 2 and 3 of TPDS'13, Figure 5 of ICCD'13.
///   strides           of the lanes in conflict
///   hashes            of banks and locks alike: none, xor, add; the first is what published points are compared with
///   base, round, read_level, write_level   cycles
///   gaps              "256 5": what the 5th conflict of stride 256 adds
///   degrees           "256 3": the bank conflict degree of 3 conflicts at stride 256, of every hash
///   examples          "0 1024": words of the first lanes, the others have their own; what that adds to no conflict
Result<Outcome> strided_atomics(const Experiment& experiment, const Settings& settings);

/// Mean latency of random votes by the size of the vote space: Figures 5 and 6 of TPDS'13.
///   words             sizes of the vote space
///   copies            "one", or "most": the largest power of two up to a warp's lanes that fits 48 KB
///   patterns, seed    how many warps vote; a fiftieth of them with --quick
Result<Outcome> random_votes(const Experiment& experiment, const Settings& settings);

/// … by replication factor, mapping, padding, with and without sorting: Figure 7 of TPDS'13. Parameters as above but for copies.
Result<Outcome> replicated_votes(const Experiment& experiment, const Settings& settings);

/// Two forms of the model against each other over a set of patterns: section 2.1.4 of TPDS'13.
Result<Outcome> model_against_loop(const Experiment& experiment, const Settings& settings);

}  // namespace bankshot::experiment

// The experiments of the papers on shared-memory atomics (TPDS'13, ICCD'13): first what the closed model answers, then
// what is simulated.
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

/// Banks of the words of a square picture, one row of all banks below the other, and what its columns (a stride of as
/// many words as banks) and its diagonals (a word more: padding) cost: Figure 6 of ICCD'13.
///   bank_bits         m: 2^m banks, m further bits are hashed
///   hashes            of banks: none, xor, add
Result<Outcome> hashed_picture(const Experiment& experiment, const Settings& settings);

/// Mean latency of random votes by the size of the vote space: Figures 5 and 6 of TPDS'13.
///   words             sizes of the vote space
///   copies            "one", or "most": the largest power of two up to a warp's lanes that fits 48 KB
///   patterns, seed    how many warps vote; a fiftieth of them with --quick
Result<Outcome> random_votes(const Experiment& experiment, const Settings& settings);

/// … by replication factor, mapping, padding, with and without sorting: Figure 7 of TPDS'13. Parameters as above but
/// for copies.
Result<Outcome> replicated_votes(const Experiment& experiment, const Settings& settings);

/// Two forms of the model against each other over a set of patterns: section 2.1.4 of TPDS'13.
Result<Outcome> model_against_loop(const Experiment& experiment, const Settings& settings);

/// Cycles of a voting program by number of copies, on units of atomics: Figure 4 of ICCD'13.
///   units             of atomics: lock, loadlike …
/// and those of ReplicationSweep
Result<Outcome> compared_units(const Experiment& experiment, const Settings& settings);

/// What hashes of banks and locks gain in voting programs: Figures 7 and 8 of ICCD'13.
///   hashes            of banks and locks alike, compared with none
///   points            "256 32": a size and a number of copies whose speed-ups are rows
/// and those of ReplicationSweep
Result<Outcome> hash_gains(const Experiment& experiment, const Settings& settings);

/// How much such gains depend on arguments that the paper does not tell: least, median and largest over all of them.
///   hashes            as above
///   choices           "--lines= 4 12": an option of the program and its values; quick_choices with --quick
Result<Outcome> hash_gain_sweep(const Experiment& experiment, const Settings& settings);

/// Throughput of atomic additions in conflict: sections 2.1.1 and 2.2 of TPDS'13. The benchmark is atomic_throughput.
///   warps, repeat     of a CTA; additions of a thread, times 16
///   degrees           threads of each warp that are on one word of the warp
///   colliding_warps, colliding_threads   how many warps meet on the same words, with how many threads of each
Result<Outcome> atomic_throughput(const Experiment& experiment, const Settings& settings);

/// Cycles of voting programs by number of copies, one a benchmark: Figures 8 and 9 of TPDS'13.
///   compare           "a / b": labels of benchmarks; how much faster a is, by size
/// and those of ReplicationSweep
Result<Outcome> compared_mappings(const Experiment& experiment, const Settings& settings);

}  // namespace bankshot::experiment

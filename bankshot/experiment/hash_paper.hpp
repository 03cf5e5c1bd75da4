// The experiments of the XOR-hash paper (TC'16).
#pragma once

#include "bankshot/experiment/experiment.hpp"

namespace bankshot::experiment {

/// Table 1: how many hashes each class has, n = 14 and m = 5.
Result<Outcome> class_sizes(const Experiment& experiment, const Settings& settings);
/// Table 5: the parameters that the search and the heuristics find.
Result<Outcome> hash_parameters(const Experiment& experiment, const Settings& settings);
/// Figure 8: conflicts removed, by benchmark and function. Hashes are searched on the first run and judged on the
/// tests.
Result<Outcome> removed_by_benchmark(const Experiment& experiment, const Settings& settings);
/// Table 6: the same, mean over the benchmarks.
Result<Outcome> removed_on_average(const Experiment& experiment, const Settings& settings);

/// Figure 9: speed-ups in simulated cycles over no hash, and their geometric means; for benchmarks without conflicts,
/// the time that the bit-vector XOR's extra cycle of latency costs (section 7.1).
///   atomics           the unit of atomics on shared memory
Result<Outcome> speedups(const Experiment& experiment, const Settings& settings);

}  // namespace bankshot::experiment

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

/// Table 4: power and area of hardware for bank hashes, scaled to 40 nm.
///   designs           "label: class", a class that can be set, or a hash; ratios are to the first
///   instances         how many a chip has
///   cycle_ps          of its clock
///   activity_percent  cycles in which an address bit changes
///   chip_mm2, chip_watts  of the whole chip
Result<Outcome> hash_cost(const Experiment& experiment, const Settings& settings);
/// Figure 4: power, area and latency by clock. `designs` and `activity_percent` as above, `clocks_mhz` at 40 nm.
Result<Outcome> hash_cost_by_clock(const Experiment& experiment, const Settings& settings);
/// ICCD'13, section IV: gates of the XOR and the ADD hash of banks and `lock_bits`, and what synthesis makes of them.
Result<Outcome> hash_gates(const Experiment& experiment, const Settings& settings);

}  // namespace bankshot::experiment

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
///   counting  a list: "access-width", by the width of an access, as hardware does; "word-per-lane", a word for each
///   lane
Result<Outcome> removed_on_average(const Experiment& experiment, const Settings& settings);

/// Figure 9: speed-ups in simulated cycles over no hash, and their geometric means; for benchmarks without conflicts,
/// the time that the bit-vector XOR's extra cycle of latency costs (section 7.1).
///   atomics           the unit of atomics on shared memory
Result<Outcome> speedups(const Experiment& experiment, const Settings& settings);

/// Section 9: hash parameters in loads and stores against one hash a kernel, as far as conflicts go, and in cycles
/// where they have fewer.
///   classes  "CLASS METHOD", as `bankshot search` takes them, METHOD perhaps with "in-place" behind it
Result<Outcome> instruction_hashes(const Experiment& experiment, const Settings& settings);
/// Figures 10 and 11: what hashes and padding in software do to conflicts and simulated cycles, as `bankshot fix`
/// rewrites the kernels, or by hand.
///   gpus     that the programs are fixed for and simulated on
///   apart    those of them for which conflicts of loads and of stores are rows of their own
///   class    of the hashes
///   by_hand  "label / label of the benchmark without conflicts by the technique of the original code": in place of
///            padding by `fix`
Result<Outcome> software_hashes(const Experiment& experiment, const Settings& settings);

/// What the text works out: conflicts of access patterns (section 3.2), XOR candidates (Table 3), candidates of the
/// search for strides (section 5.1), Figures 5 and 6.
///   blocks, block_labels  "TY TX WIDTH": word = ty * TY + tx * TX, tx below WIDTH
///   strides               of the search; elements: of Table 3's vector
///   example, example_bank_bits  words and bank bits of Figure 6
Result<Outcome> hash_examples(const Experiment& experiment, const Settings& settings);
/// Figures 1 and 2: passes of a load whose first lanes, `way` of them, have a stride. `strides`; `bank_bytes` and
/// `labels` of the machines, which have 32 banks.
Result<Outcome> strided_loads(const Experiment& experiment, const Settings& settings);
/// Section 2: what share of a benchmark's instructions access shared memory, and with how many passes.
Result<Outcome> shared_shares(const Experiment& experiment, const Settings& settings);

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

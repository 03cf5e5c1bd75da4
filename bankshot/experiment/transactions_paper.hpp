// Table 1 and figures of Hardware Support for Local Memory Transactions on GPU Architectures (GPU-LocalTM), and what
// goes beyond them.
#pragma once

#include "bankshot/experiment/experiment.hpp"

namespace bankshot::experiment {

/// Table 1: the masks of a warp that executes Figure 2's branch in a transaction, line by line. `lanes`; `taken`, those
/// that take the "if", as "1100" with lane 0 first; `accesses`, in the "else", as "2: 0 1": a lane and the words that
/// it writes.
Result<Outcome> transaction_trace(const Experiment& experiment, const Settings& settings);

/// Figures 3 to 5: speed-up of transactions on each of `machines` over the argument `serial` of the same program on the
/// first; where the cycles of warps go; attempts by mode; conflicts, commit ratios and false conflicts. What is told of
/// all benchmarks is of the first machine, and of those together that have the same name before the last comma.
Result<Outcome> transaction_speedups(const Experiment& experiment, const Settings& settings);

/// Beyond: the benchmarks on `machines` that differ in how conflicts are found.
Result<Outcome> transaction_machines(const Experiment& experiment, const Settings& settings);

/// Beyond: `versions` of each program, "label: argument", and which is the fastest. `without`, "program label": it has
/// none.
Result<Outcome> compared_versions(const Experiment& experiment, const Settings& settings);

}  // namespace bankshot::experiment

// Tables and figures of Elastic Pipeline (Gou and Gaydadjiev, Computing Frontiers 2011), and what goes beyond them:
// benchmarks on machines that differ in some keys of the GPU's file.
#pragma once

#include "bankshot/experiment/experiment.hpp"

namespace bankshot::experiment {

/// Table 4. For each benchmark: instructions, shared-memory intensity, mean conflict degree, theoretic speed-up.
/// Parameter `set`, of all these: changes of the GPU's file for every machine.
Result<Outcome> characteristics(const Experiment& experiment, const Settings& settings);

/// Figures 3 and 8: stalls by class on the second of `machines`, beside those on the first.
Result<Outcome> machine_stalls(const Experiment& experiment, const Settings& settings);

/// Figures 9 and 11: how many times as fast each benchmark is on each of `machines` as on the first. `ratios`, "a / b":
/// the mean gain of a over b.
Result<Outcome> machine_speedups(const Experiment& experiment, const Settings& settings);

/// Figure 10: `compare`, "X / Y": X on the second of `machines` against Y on the first, both as times of X on the
/// first.
Result<Outcome> against_hand(const Experiment& experiment, const Settings& settings);

/// Tables 1 and 2: what a core needs. Parameters `warp_size`, `simd_width`, `memory_stages`, `warps`, those of a core.
Result<Outcome> pipeline_overhead(const Experiment& experiment, const Settings& settings);

/// Figures 4 to 6: stalls, bubbles, and in which cycles a warp is in which stage, told from the cycle i in which W(i)
/// is fetched. `figures`, "LABEL: ORGANISATION PREMEM NONMEM: SEQUENCE" with what `bankshot pipeline` takes; `i`, the
/// place of W(i); `shown`, how many warps from W(i) on; `front` and `memory_stages`, stages.
Result<Outcome> pipeline_figures(const Experiment& experiment, const Settings& settings);

}  // namespace bankshot::experiment

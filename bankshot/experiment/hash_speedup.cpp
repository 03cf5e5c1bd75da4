// Figure 9 of the XOR-hash paper (TC'16): what the hash functions gain in cycles on a simulated GPU, and what they
// cost.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bankshot/experiment/hash_functions.hpp"
#include "bankshot/experiment/hash_paper.hpp"
#include "bankshot/experiment/parameters.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::experiment {
namespace {

using scratchpad::PatternSet;

/// The hash in the form that the simulator takes. A configurable hash that happens to be word modulo banks still costs
/// its cycle, so that it must not be called "none".
std::string told(const std::optional<search::Found>& found) {
  if (!found) return "xor";
  const std::string spec = scratchpad::spec(found->hash);
  return spec == "none" ? "perm:0" : spec;
}

/// The runs whose cycles are compared.
std::vector<std::vector<std::string>> timed_runs(const Benchmark& benchmark, bool quick) {
  if (!benchmark.timed.empty() && !quick) return {benchmark.timed};
  std::vector<std::vector<std::string>> runs = tests_of(benchmark, quick);
  if (runs.empty()) runs.push_back(benchmark.arguments);
  return runs;
}

struct Hashed {
  std::string hash;
  uint64_t cycles = 0;
};

/// Cycles of a benchmark, all runs together.
struct Timed {
  const Benchmark* benchmark;
  bool has_conflicts = false;  ///< without a hash
  uint64_t cycles = 0;         ///< without a hash
  std::vector<Hashed> hashed;  ///< by hash_functions()

  double speedup(size_t f) const { return static_cast<double>(cycles) / static_cast<double>(hashed[f].cycles); }
  /// Execution time lost, in percent of that without a hash.
  double loss(size_t f) const {
    return 100 * (static_cast<double>(hashed[f].cycles) / static_cast<double>(cycles) - 1);
  }
  std::string note(size_t f) const {
    return fmt::format("{} of {} cycles under {}", hashed[f].cycles, cycles, hashed[f].hash);
  }
};

/// @param atomics  the unit
Result<Timed> timed(const Benchmark& benchmark, const std::string& atomics, const Settings& settings) {
  const Result<PatternSet> train = patterns_of(benchmark, benchmark.arguments, settings);
  if (!train) return at(benchmark, train.error().message);
  const search::Problem problem = search::problem(train->rules, *train);
  Timed all{&benchmark, excess(*train, scratchpad::modulo_hash(problem.size)) != 0, 0, {}};
  const auto cycles = [&](const std::string& hash) -> Result<uint64_t> {
    uint64_t sum = 0;
    for (const std::vector<std::string>& arguments : timed_runs(benchmark, settings.quick)) {
      const Result<Simulated> one = settings.simulate(benchmark, arguments, {hash, atomics, {}, benchmark.set});
      if (!one) return at(benchmark, one.error().message);
      if (one->cycles == 0) return at(benchmark, "no cycle was simulated");
      sum += one->cycles;
    }
    return sum;
  };
  const Result<uint64_t> without = cycles("none");
  if (!without) return without.error();
  all.cycles = *without;
  for (const HashFunction& function : hash_functions()) {
    const std::string hash = told(function.choose(problem));
    const Result<uint64_t> with = cycles(hash);
    if (!with) return with.error();
    all.hashed.push_back({hash, *with});
  }
  return all;
}

std::string over(size_t benchmarks) {
  return benchmarks == 1 ? "1 benchmark" : fmt::format("{} benchmarks", benchmarks);
}

/// Figure 9: a row for each benchmark and function, then the geometric means.
void add_speedups(const Experiment& experiment, const std::vector<Timed>& all, Outcome& outcome) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> speedups;
  for (const Timed& one : all) {
    names.push_back(one.benchmark->label);
    std::vector<double>& shown = speedups.emplace_back();
    for (size_t f = 0; f < hash_functions().size(); ++f) {
      const std::string label = one.benchmark->label + ", " + hash_functions()[f].label;
      shown.push_back(rounded(one.speedup(f), 3));
      outcome.rows.push_back({label, published(experiment, label), shown.back(), "times as fast", one.note(f)});
    }
  }
  if (!all.empty()) outcome.panels.push_back(bars_by_benchmark("speed-up", "times as fast", names, speedups));
  std::vector<const Timed*> together;
  for (const Timed& one : all) {
    if (!one.benchmark->aside) together.push_back(&one);
  }
  for (size_t f = 0; f < hash_functions().size() && !together.empty(); ++f) {
    double logarithms = 0;
    for (const Timed* const one : together) logarithms += std::log(one->speedup(f));
    const std::string label = std::string("geometric mean, ") + hash_functions()[f].label;
    outcome.rows.push_back({label, published(experiment, label),
                            rounded(std::exp(logarithms / static_cast<double>(together.size())), 3), "times as fast",
                            over(together.size())});
  }
}

/// The last paragraph of section 7.1: what the configurable hash costs where it has nothing to gain.
void add_losses(const Experiment& experiment, const std::vector<Timed>& all, Outcome& outcome) {
  if (all.empty()) return;
  const size_t f = kBitvectorXor;
  double sum = 0, most = 0;
  size_t together = 0;
  for (const Timed& one : all) {
    const std::string label = "without conflicts: " + one.benchmark->label;
    outcome.rows.push_back(
        {label, published(experiment, label), rounded(one.loss(f), 2), "% of the time lost", one.note(f)});
    if (one.benchmark->aside) continue;
    sum += one.loss(f);
    most = together == 0 ? one.loss(f) : std::max(most, one.loss(f));
    ++together;
  }
  const auto summary = [&](const std::string& label, double value) {
    outcome.rows.push_back(
        {label, published(experiment, label), rounded(value, 2), "% of the time lost", over(together)});
  };
  if (together == 0) return;
  summary("without conflicts, on average", sum / static_cast<double>(together));
  summary("without conflicts, at most", most);
}

}  // namespace

Result<Outcome> speedups(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const std::string atomics = parameters.text("atomics");
  if (parameters.error()) return *parameters.error();
  std::vector<Timed> with_conflicts, without;
  for (const Benchmark& benchmark : experiment.benchmarks) {
    if (settings.progress) settings.progress(benchmark.label);
    Result<Timed> one = timed(benchmark, atomics, settings);
    if (!one) return one.error();
    (one->has_conflicts ? with_conflicts : without).push_back(std::move(*one));
  }
  Outcome outcome;
  add_speedups(experiment, with_conflicts, outcome);
  add_losses(experiment, without, outcome);
  return outcome;
}

}  // namespace bankshot::experiment

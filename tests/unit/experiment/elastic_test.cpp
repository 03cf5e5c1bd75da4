// Machines that are compared: stalls by class and speed-ups, on counters worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "experiment_helpers.hpp"

namespace bankshot::experiment {
namespace {

using timing::Cause;

/// 1,000 slots on the baseline, 600 of them stalls; the elastic pipeline leaves 240 of these. A benchmark with a `set`
/// has the half of the cycles in which nothing issues.
Result<Simulated> simulate(const Benchmark& benchmark, const std::vector<std::string>&, const Machine& machine) {
  const auto has = [&](const std::string& key) {
    return std::find(machine.set.begin(), machine.set.end(), key) != machine.set.end();
  };
  Simulated seen;
  const uint64_t part = has("sm.max_blocks=4") ? 2 : 1;
  const auto slot = [&](Cause cause) -> uint64_t& { return seen.slots[static_cast<unsigned>(cause)]; };
  slot(Cause::issued) = 100;
  slot(Cause::sub_warp) = 300;
  slot(Cause::no_warp) = (has("issue.pipeline=elastic") ? 200 : 100) / part;
  slot(Cause::bank_conflict) = (has("issue.pipeline=elastic") ? 30 : 400) / part;
  slot(Cause::pipeline) = (has("issue.pipeline=elastic") ? 10 : 100) / part;
  for (const uint64_t slots : seen.slots) seen.cycles += slots;
  EXPECT_EQ(has("sm.max_blocks=4"), !benchmark.set.empty());
  return seen;
}

Experiment experiment(const std::string& kind) {
  Experiment e;
  e.kind = kind;
  e.parameters["machines"] = {"baseline", "elastic: issue.pipeline=elastic"};
  e.benchmarks = {named("a", {}), named("b", {}), named("b, 4 CTAs a core", {})};
  e.benchmarks[2].set = {"sm.max_blocks=4"};
  e.benchmarks[2].aside = true;
  return e;
}

Settings settings() {
  Settings settings;
  settings.simulate = simulate;
  return settings;
}

TEST(ElasticExperiment, stalls_are_slots_in_which_nothing_issues_by_class) {
  const Result<Outcome> outcome = reproduce(experiment("machine-stalls"), settings());
  EXPECT_EQ(measured(outcome, "a: stalls removed"), 60);  // 240 of 600 are left
  EXPECT_EQ(std::get<std::string>(row(outcome, "a: scheduling fails").measured), "16.7 to 33.3");
  EXPECT_EQ(std::get<std::string>(row(outcome, "a: bank conflicts").measured), "66.7 to 5.0");
  EXPECT_EQ(std::get<std::string>(row(outcome, "a: others").measured), "16.7 to 1.7");
  EXPECT_EQ(measured(outcome, "a: performance gained"), 56.3);  // 640 of 1,000 cycles
}

TEST(ElasticExperiment, benchmarks_aside_have_rows_and_no_part_in_the_means) {
  const Result<Outcome> stalls = reproduce(experiment("machine-stalls"), settings());
  EXPECT_EQ(measured(stalls, "b, 4 CTAs a core: performance gained"), 34.6);  // 520 of 700 cycles
  EXPECT_EQ(measured(stalls, "performance gained, on average"), 56.3);
  EXPECT_EQ(row(stalls, "performance gained, on average").note, "2 benchmarks");

  const Result<Outcome> speedups = reproduce(experiment("machine-speedups"), settings());
  EXPECT_EQ(measured(speedups, "b, elastic"), 1.563);
  EXPECT_EQ(measured(speedups, "b, 4 CTAs a core, elastic"), 1.346);
  EXPECT_EQ(measured(speedups, "elastic, on average"), 56.3);
  EXPECT_EQ(row(speedups, "elastic, on average").note, "2 benchmarks");
}

}  // namespace
}  // namespace bankshot::experiment

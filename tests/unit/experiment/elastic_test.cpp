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

Experiment figures(const std::string& figure) {
  Experiment e;
  e.name = "f";
  e.kind = "pipeline-figures";
  e.parameters = {{"figures", {figure}}, {"front", {3.0}}, {"memory_stages", {2.0}}, {"i", {1.0}}, {"shown", {2.0}}};
  return e;
}
std::string cycles_of(const Result<Outcome>& outcome, const std::string& label) {
  return std::get<std::string>(row(outcome, "Figure " + label).measured);
}

// IF ID EXE MEM0 MEM1 WB: W(i) is in MEM0 in i+3 to i+5, and W(i+1) behind it in EXE.
TEST(ElasticExperiment, figures_tell_cycles_from_that_in_which_the_warp_of_the_conflict_is_fetched) {
  const Result<Outcome> outcome = reproduce(figures("x: unified 0 0: S1 S3 N N"), {});
  EXPECT_EQ(cycles_of(outcome, "x: stalls"), "i+4, i+5");
  EXPECT_EQ(cycles_of(outcome, "x: W(i) in MEM0"), "i+3, i+4, i+5");
  EXPECT_EQ(cycles_of(outcome, "x: W(i) in WB"), "i+7");
  EXPECT_EQ(cycles_of(outcome, "x: write-back bubbles"), "i+5, i+6");  // W(i-1) is written back in i+4
  EXPECT_EQ(cycles_of(outcome, "x: W(i+1) in EXE"), "i+3, i+4, i+5");
  EXPECT_EQ(outcome->rows.back().label, "Figure x: W(i+1) in WB");
  EXPECT_EQ(outcome->rows.size(), 2u + 2 * 4);
}

TEST(ElasticExperiment, without_a_queue_before_the_banks_the_safe_distance_is_the_conflict_degree) {
  for (const char* organisation : {"split", "elastic"}) {
    const auto outcome = reproduce(figures("x: " + std::string(organisation) + " 0 2: S1 S5 N N"), {});
    EXPECT_EQ(measured(outcome, "Figure x: safe distance behind W(i)"), 5) << organisation;
  }
}

TEST(ElasticExperiment, rejects_figures_that_are_none) {
  const auto why = [](const std::string& figure) { return reproduce(figures(figure), {}).error().message; };
  EXPECT_NE(why("unified").find("is not \"LABEL: ORGANISATION PREMEM NONMEM: SEQUENCE\""), std::string::npos);
  EXPECT_NE(why("x: wide 0 0: S1 S2").find("has no organisation with the entries of two queues"), std::string::npos);
  EXPECT_NE(why("x: split 0: S1 S2").find("has no organisation with the entries of two queues"), std::string::npos);
  EXPECT_NE(why("x: split 0 0: S1 Q").find("'Q' is no instruction"), std::string::npos);
  EXPECT_NE(why("x: split 0 0: S1 N").find("has no memory access W(i) in place 1"), std::string::npos);
  EXPECT_NE(why("x: split 0 0: S1").find("has no memory access W(i) in place 1"), std::string::npos);
}

// Two sub-warps of 16 lanes, two memory stages: M = 2, N = 1.
TEST(ElasticExperiment, hardware_follows_from_the_sizes_of_a_core) {
  Experiment e;
  e.kind = "pipeline-overhead";
  e.parameters = {{"warp_size", {32.0}}, {"simd_width", {16.0}}, {"memory_stages", {2.0}}, {"warps", {48.0}}};
  const Result<Outcome> outcome = reproduce(e, {});
  EXPECT_EQ(measured(outcome, "Table 1: pipeline latches, simd_width (M+N)"), 48);
  EXPECT_EQ(measured(outcome, "Table 1: multiplexer before write-back, M+3"), 5);
  EXPECT_EQ(measured(outcome, "Table 1: its logic complexity, N"), 1);
  EXPECT_EQ(measured(outcome, "Table 2: AND or NAND gates, 2 a warp context"), 96);
  EXPECT_EQ(measured(outcome, "Table 2: counter, log2(warp_size)"), 5);
  EXPECT_EQ(measured(outcome, "Table 2: bank conflict history cache"), 512 * (6 + 5) / 8);
}

}  // namespace
}  // namespace bankshot::experiment

// Experiments on simulated voting programs, with a simulator that knows the cycles: which runs are asked for, and what
// the rows make of them.
#include <gtest/gtest.h>

#include <map>

#include "bankshot/experiment/parameters.hpp"
#include "experiment_helpers.hpp"

namespace bankshot::experiment {
namespace {

Experiment sweep(const std::string& kind) {
  Experiment e;
  e.name = "e";
  e.kind = kind;
  e.parameters = {{"sizes", list({32, 4096})},      {"copies", list({1, 2, 4})}, {"size_option", {"--bins="}},
                  {"copies_option", {"--copies="}}, {"size_name", {"bins"}},     {"units", {"lock", "loadlike"}},
                  {"hashes", {"xor", "add"}}};
  e.benchmarks = {named("plain", {"quick"})};
  return e;
}

/// Cycles by the last arguments and the machine; 1000 where none are given.
class SweepSimulator {
 public:
  std::map<std::string, uint64_t> cycles;
  std::vector<std::string> asked;

  Result<Outcome> operator()(const Experiment& experiment, bool quick = false) {
    Settings settings;
    settings.quick = quick;
    settings.simulate = [this](const Benchmark&, const std::vector<std::string>& arguments,
                               const Machine& machine) -> Result<experiment::Simulated> {
      std::string key;
      for (const std::string& argument : arguments) key += argument + " ";
      for (const std::string& part : {machine.bank_hash, machine.atomics, machine.lock_hash})
        key += part.empty() ? "- " : part + " ";
      key.pop_back();
      asked.push_back(key);
      const auto found = cycles.find(key);
      experiment::Simulated counters;
      counters.cycles = found == cycles.end() ? 1000 : found->second;
      return counters;
    };
    return reproduce(experiment, settings);
  }
};

std::string text(const Result<Outcome>& outcome, const std::string& label) {
  return std::get<std::string>(row(outcome, label).measured);
}

TEST(ExperimentSweep, copies_that_do_not_fit_48_kb_are_not_simulated) {
  SweepSimulator simulated;
  ASSERT_TRUE(simulated(sweep("compared-units")));
  EXPECT_EQ(simulated.asked,
            (std::vector<std::string>{
                "quick --bins=32 --copies=1 none lock -", "quick --bins=32 --copies=2 none lock -",
                "quick --bins=32 --copies=4 none lock -", "quick --bins=4096 --copies=1 none lock -",
                "quick --bins=4096 --copies=2 none lock -", "quick --bins=32 --copies=1 none loadlike -",
                "quick --bins=32 --copies=2 none loadlike -", "quick --bins=32 --copies=4 none loadlike -",
                "quick --bins=4096 --copies=1 none loadlike -", "quick --bins=4096 --copies=2 none loadlike -"}));
}

TEST(ExperimentSweep, spaces_and_padding_count_and_a_size_that_cannot_be_is_an_error) {
  Experiment e = sweep("compared-units");
  e.parameters["units"] = {"lock"};
  e.parameters["sizes"] = list({3072});
  SweepSimulator four;
  ASSERT_TRUE(four(e));
  EXPECT_EQ(four.asked.size(), 3u) << "4 x 3,072 words are 48 KB";
  e.parameters["padding"] = list({1});
  SweepSimulator padded;
  ASSERT_TRUE(padded(e));
  EXPECT_EQ(padded.asked.size(), 2u) << "3 words between them are too many";
  e.parameters["spaces"] = list({5});
  const Result<Outcome> none = SweepSimulator()(e);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "plain: no number of copies of 3072 words fits 48 KB");
}

TEST(ExperimentSweep, quick_runs_are_smaller_and_fewer) {
  Experiment e = sweep("compared-units");
  e.benchmarks[0].timed = {"full"};
  e.parameters["units"] = {"lock"};
  e.parameters["quick_sizes"] = list({32});
  e.parameters["quick_copies"] = list({2});
  SweepSimulator full, quick;
  ASSERT_TRUE(full(e));
  ASSERT_TRUE(quick(e, true));
  EXPECT_EQ(full.asked.size(), 5u);
  EXPECT_EQ(full.asked[0], "full --bins=32 --copies=1 none lock -");
  EXPECT_EQ(quick.asked, std::vector<std::string>{"quick --bins=32 --copies=2 none lock -"});
}

TEST(ExperimentSweep, the_best_replication_has_the_fewest_cycles_and_what_is_hardly_worse_is_told) {
  SweepSimulator simulated;
  simulated.cycles = {{"quick --bins=32 --copies=2 none lock -", 801},
                      {"quick --bins=32 --copies=4 none lock -", 800},
                      {"quick --bins=4096 --copies=2 none lock -", 900}};
  Experiment e = sweep("compared-units");
  e.published["plain, 32 bins, lock: best replication"] = 2.0;
  const Result<Outcome> outcome = simulated(e);
  EXPECT_EQ(measured(outcome, "plain, 32 bins, lock: best replication"), 4);
  EXPECT_EQ(row(outcome, "plain, 32 bins, lock: best replication").note,
            "800 cycles; with 1: 1000; within half a percent: 2");
  EXPECT_EQ(measured(outcome, "plain, 4096 bins, lock: best replication"), 2);
  EXPECT_EQ(measured(outcome, "plain, 32 bins, loadlike: best replication"), 1);
  EXPECT_EQ(std::get<double>(row(outcome, "plain, 32 bins, lock: best replication").published), 2);
  ASSERT_EQ(outcome->panels.size(), 2u);
  EXPECT_EQ(outcome->panels[0].series[0].points[1], (report::PlotPoint{2, 801}));
}

TEST(ExperimentSweep, gains_are_of_a_hash_of_banks_and_locks_and_losses_are_named) {
  SweepSimulator simulated;
  simulated.cycles = {{"quick --bins=32 --copies=4 xor - xor", 250},
                      {"quick --bins=32 --copies=2 xor - xor", 1250},
                      {"quick --bins=4096 --copies=2 add - add", 500}};
  Experiment e = sweep("hash-gains");
  e.parameters["points"] = {"4096 2"};
  const Result<Outcome> outcome = simulated(e);
  EXPECT_EQ(measured(outcome, "plain: largest speed-up"), 4);
  EXPECT_EQ(row(outcome, "plain: largest speed-up").note, "XOR, 32 bins, 4 copies: 250 of 1000 cycles");
  EXPECT_EQ(text(outcome, "plain, XOR: sizes that it slows by more than 5 %"), "32");
  EXPECT_EQ(text(outcome, "plain, ADD: sizes that it slows by more than 5 %"), "none");
  EXPECT_EQ(measured(outcome, "plain, 4096 bins, 2 copies, XOR: speed-up"), 1);
  EXPECT_EQ(measured(outcome, "plain, 4096 bins, 2 copies, ADD: speed-up"), 2);
  EXPECT_EQ(measured(outcome, "plain: XOR and ADD differ by at most"), 300);
  ASSERT_EQ(outcome->panels.size(), 2u) << "one a hash";
  EXPECT_EQ(outcome->panels[0].series[0].points[2], (report::PlotPoint{4, 4}));
}

TEST(ExperimentSweep, gains_of_one_size_are_drawn_as_cycles) {
  Experiment e = sweep("hash-gains");
  e.parameters["sizes"] = list({32});
  e.parameters.erase("size_option");
  SweepSimulator simulated;
  const Result<Outcome> outcome = simulated(e);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(simulated.asked[0], "quick --copies=1 none - -");
  ASSERT_EQ(outcome->panels.size(), 1u);
  EXPECT_EQ(outcome->panels[0].y_title, "cycles");
  EXPECT_EQ(outcome->panels[0].series.size(), 3u);
}

TEST(ExperimentSweep, mappings_are_compared_with_as_many_copies) {
  Experiment e = sweep("compared-mappings");
  e.benchmarks = {named("cyclic", {"c"}), named("block", {"b"})};
  e.parameters["compare"] = {"block / cyclic"};
  SweepSimulator simulated;
  simulated.cycles = {{"b --bins=32 --copies=2 none - -", 500},
                      {"b --bins=32 --copies=4 none - -", 2000},
                      {"c --bins=32 --copies=4 none - -", 900}};
  const Result<Outcome> outcome = simulated(e);
  EXPECT_EQ(text(outcome, "32 bins: block against cyclic"), "0.45 to 2.00");
  EXPECT_EQ(row(outcome, "32 bins: block against cyclic").note, "with 4 and 2 copies");
  EXPECT_EQ(measured(outcome, "32 bins, block: best replication"), 2);
  EXPECT_EQ(measured(outcome, "32 bins, cyclic: best replication"), 4);
}

TEST(ExperimentSweep, gains_over_choices_are_told_by_their_least_median_and_largest) {
  Experiment e = sweep("hash-gain-sweep");
  e.parameters = {{"hashes", {"xor"}}, {"choices", {"--lines= 3 12", "--seed= 1 2"}}};
  SweepSimulator simulated;
  // 1000 cycles without a hash; with it 1.25, 1.6, 2 and 4 times as fast: the median is 1.8.
  simulated.cycles = {{"quick --lines=3 --seed=1 xor - xor", 800},
                      {"quick --lines=3 --seed=2 xor - xor", 500},
                      {"quick --lines=12 --seed=1 xor - xor", 250},
                      {"quick --lines=12 --seed=2 xor - xor", 625}};
  const Result<Outcome> outcome = simulated(e);
  EXPECT_EQ(simulated.asked.size(), 8u);
  EXPECT_EQ(measured(outcome, "plain, XOR: least speed-up"), 1.25);
  EXPECT_EQ(row(outcome, "plain, XOR: least speed-up").note, "--lines=3 --seed=1");
  EXPECT_EQ(measured(outcome, "plain, XOR: median speed-up"), 1.8);
  EXPECT_EQ(measured(outcome, "plain, XOR: largest speed-up"), 4);
  ASSERT_EQ(outcome->panels.size(), 2u) << "a panel for each choice";
  EXPECT_EQ(outcome->panels[0].series[1].points[0], (report::PlotPoint{3, 1.625})) << "half of 1.25 + 2";
  EXPECT_EQ(outcome->panels[1].series[2].points[0], (report::PlotPoint{1, 4}));
  for (const char* bad : {"--lines 3", "--lines=", "--lines= 3 x", "--lines= 3  4"}) {
    e.parameters["choices"] = {bad};
    const Result<Outcome> refused = SweepSimulator()(e);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().message,
              "e.toml: parameters.choices must be texts of an option and its values: \"--lines= 4 12\"");
  }
}

TEST(ExperimentSweep, throughput_is_of_the_additions_that_a_longer_run_has_more) {
  Experiment e = sweep("atomic-throughput");
  e.parameters = {{"warps", list({2})},
                  {"repeat", list({1})},
                  {"degrees", list({1, 2})},
                  {"colliding_warps", list({2})},
                  {"colliding_threads", list({1, 32})}};
  // Twice as many additions are 2 x 32 x 16 = 1,024 more: in 128, 256 and 160 cycles 8, 4 and 6.4 a cycle.
  SweepSimulator simulated;
  for (const auto& [test, cycles] : {std::pair{"--intra=1", 128},
                                     {"--intra=2", 256},
                                     {"--colliding=2 --lanes=1", 160},
                                     {"--colliding=2 --lanes=32", 160}})
    simulated.cycles["quick " + std::string(test) + " --warps=2 --repeat=2 none - -"] = 1000 + cycles;
  const Result<Outcome> outcome = simulated(e);
  EXPECT_EQ(measured(outcome, "intrawarp: from 1 to 2 threads on a word"), -50);
  EXPECT_EQ(row(outcome, "intrawarp: from 1 to 2 threads on a word").note, "8.00 and 4.00 additions a cycle");
  EXPECT_EQ(measured(outcome, "interwarp, 2 warps: by the number of colliding threads of each"), 0);
  EXPECT_EQ(text(outcome, "interwarp: throughput depends on the number of colliding warps"), "no") << "of one number";
  EXPECT_EQ(text(outcome, "2 threads of a warp, or 2 warps: intrawarp conflicts burden more"), "yes");
  simulated.cycles["quick --colliding=2 --lanes=32 --warps=2 --repeat=2 none - -"] = 1200;
  const Result<Outcome> slower = simulated(e);
  EXPECT_EQ(measured(slower, "interwarp, 2 warps: by the number of colliding threads of each"), -20) << "5.12 of 6.4";
  EXPECT_EQ(measured(slower, "interwarp, 2 warps: by the number of colliding threads of each, fewer than 32"), 0);
  e.parameters["colliding_warps"] = list({4});
  const Result<Outcome> refused = simulated(e);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "e.toml: parameters.colliding_warps must be at most as many as parameters.warps");
}

TEST(ExperimentSweep, rejects_what_it_cannot_compare) {
  Experiment e = sweep("compared-mappings");
  e.parameters["compare"] = {"block / cyclic"};
  EXPECT_EQ(SweepSimulator()(e).error().message,
            "e.toml: parameters.compare 'block / cyclic' is not the labels of two benchmarks with ' / ' between them");
  e.parameters["compare"] = {};
  e.parameters["copies_option"] = {};
  EXPECT_EQ(SweepSimulator()(e).error().message, "e.toml: parameters.copies_option must be one string");
  e = sweep("hash-gains");
  e.parameters["points"] = {"32"};
  EXPECT_EQ(SweepSimulator()(e).error().message,
            "e.toml: parameters.points must be texts of a size and a number of copies: \"256 32\"");
  e = sweep("compared-units");
  e.parameters["copies"] = list({4});
  EXPECT_EQ(SweepSimulator()(e).error().message,
            "e.toml: parameters.sizes must leave room for as few copies as parameters.copies has");
}

}  // namespace
}  // namespace bankshot::experiment

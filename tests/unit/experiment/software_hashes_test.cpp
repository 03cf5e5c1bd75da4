// Hashes and padding in software: what is computed of forms that are given, worked out by hand.
#include <gtest/gtest.h>

#include <map>

#include "experiment_helpers.hpp"

namespace bankshot::experiment {
namespace {

/// Answers from a list, by the first argument and the GPU.
struct Fixes {
  std::map<std::string, FixedKernel> by_name;
  std::vector<std::string> asked;  ///< "run gpu class"

  Settings settings() {
    Settings settings;
    settings.fix = [this](const Benchmark&, const std::vector<std::string>& arguments, const std::string& gpu,
                          const std::string& hash_class) -> Result<FixedKernel> {
      asked.push_back(arguments[0] + " " + gpu + " " + hash_class);
      const auto found = by_name.find(arguments[0] + " " + gpu);
      if (found == by_name.end()) return Error{"no such run"};
      return found->second;
    };
    return settings;
  }
};

Experiment of_two_gpus() {
  Experiment e;
  e.kind = "software-hashes";
  e.parameters["gpus"] = {"f", "k"};
  e.parameters["apart"] = {"k"};
  e.parameters["class"] = {"bitvector-xor"};
  e.benchmarks = {named("a", {"a"}), named("b", {"b"}), named("c", {"c"})};
  return e;
}

/// a: 10 load and 30 store conflicts, hashed and padded. b: 20 of loads, left alone. c: none.
Fixes three() {
  Fixes fixes;
  for (const char* const gpu : {" f", " k"}) {
    FixedKernel a;
    a.original = {900, 100, 10, 30};
    a.hash = KernelForm{300, 150, 1, 9};
    a.padding = KernelForm{450, 120, 0, 30};
    a.hashes = "tile bvxor:0,5,7";
    a.paddings = "tile rows of 32 + 1 words";
    FixedKernel b;
    b.original = {700, 100, 20, 0};
    b.left_alone = "table: its address is stored";
    FixedKernel c;
    c.original = {500, 100, 0, 0};
    fixes.by_name["a" + std::string(gpu)] = a;
    fixes.by_name["b" + std::string(gpu)] = b;
    fixes.by_name["c" + std::string(gpu)] = c;
  }
  return fixes;
}

TEST(SoftwareHashes, kernels_that_are_left_alone_keep_their_conflicts_and_those_without_are_in_no_mean) {
  Experiment e = of_two_gpus();
  e.published["k, load conflicts removed by hash, on average"] = 99.0;
  Fixes fixes = three();
  const Result<Outcome> outcome = reproduce(e, fixes.settings());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(measured(outcome, "a, f, conflicts removed by hash"), 75);     // 10 of 40 stay
  EXPECT_EQ(measured(outcome, "a, f, conflicts removed by padding"), 25);  // 30 of 40
  EXPECT_EQ(measured(outcome, "b, f, conflicts removed by hash"), 0);
  EXPECT_EQ(row(outcome, "b, f, conflicts removed by hash").note, "20 of 20 stay; table: its address is stored");
  EXPECT_EQ(measured(outcome, "f, conflicts removed by hash, on average"), 37.5);  // of a and b
  EXPECT_EQ(measured(outcome, "a, k, load conflicts removed by hash"), 90);
  EXPECT_EQ(measured(outcome, "a, k, store conflicts removed by hash"), 70);
  EXPECT_EQ(measured(outcome, "k, load conflicts removed by hash, on average"), 45);   // of a and b
  EXPECT_EQ(measured(outcome, "k, store conflicts removed by hash, on average"), 70);  // b stores without any
  EXPECT_EQ(std::get<double>(row(outcome, "k, load conflicts removed by hash, on average").published), 99);
  EXPECT_THROW(row(outcome, "c, f, conflicts removed by hash"), std::out_of_range);
  EXPECT_THROW(row(outcome, "a, f, load conflicts removed by hash"), std::out_of_range);
  ASSERT_EQ(outcome->panels.size(), 5u);  // conflicts and speed-up on f; loads, stores and speed-up on k
  EXPECT_EQ(outcome->panels[3].title, "store conflicts removed, k");
}

TEST(SoftwareHashes, speedups_are_of_cycles_and_one_where_nothing_changed) {
  const Experiment e = of_two_gpus();
  Fixes fixes = three();
  const Result<Outcome> outcome = reproduce(e, fixes.settings());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(measured(outcome, "a, f, speed-up by hash"), 3);
  EXPECT_EQ(row(outcome, "a, f, speed-up by hash").note, "300 of 900 cycles, +50.0 % instructions; tile bvxor:0,5,7");
  EXPECT_EQ(measured(outcome, "a, f, speed-up by padding"), 2);
  EXPECT_EQ(measured(outcome, "b, f, speed-up by hash"), 1);
  EXPECT_EQ(row(outcome, "c, f, speed-up by hash").note, "as it is; it has no conflicts");
  EXPECT_EQ(measured(outcome, "f, geometric mean, hash"), 1.442);  // the cube root of 3
  EXPECT_EQ(measured(outcome, "f, geometric mean, hash, of those hashed"), 3);
  EXPECT_EQ(fixes.asked[0], "a f bitvector-xor");
}

TEST(SoftwareHashes, by_hand_is_another_benchmark_in_place_of_padding_by_fix) {
  Experiment e = of_two_gpus();
  e.benchmarks.push_back(named("a, by hand", {"a padded"}));
  e.parameters["by_hand"] = {"a / a, by hand"};
  Fixes fixes = three();
  FixedKernel padded;
  padded.original = {100, 90, 0, 4};
  fixes.by_name["a padded f"] = fixes.by_name["a padded k"] = padded;
  const Result<Outcome> outcome = reproduce(e, fixes.settings());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(measured(outcome, "a, f, speed-up by padding"), 9);
  EXPECT_EQ(row(outcome, "a, f, speed-up by padding").note,
            "100 of 900 cycles, -10.0 % instructions; by hand: a, by hand");
  EXPECT_EQ(measured(outcome, "a, f, conflicts removed by padding"), 90);  // 4 of 40 stay
  EXPECT_EQ(measured(outcome, "f, geometric mean, padding, of those changed by hand"), 9);
  EXPECT_THROW(row(outcome, "a, by hand, f, speed-up by hash"), std::out_of_range);
}

TEST(SoftwareHashes, one_run_is_compared_the_timed_one_or_the_first_test_and_quickly_the_searched_one) {
  Experiment e = of_two_gpus();
  e.parameters["gpus"] = {"f"};
  e.parameters.erase("apart");
  e.benchmarks.resize(2);
  e.benchmarks[0].timed = {"big"};
  e.benchmarks[1].tests = {{"x"}, {"y"}};
  Fixes fixes = three();
  fixes.by_name["big f"] = fixes.by_name["x f"] = fixes.by_name["a f"];
  Settings settings = fixes.settings();
  ASSERT_TRUE(reproduce(e, settings));
  EXPECT_EQ(fixes.asked, (std::vector<std::string>{"big f bitvector-xor", "x f bitvector-xor"}));
  fixes.asked.clear();
  settings.quick = true;
  ASSERT_TRUE(reproduce(e, settings));
  EXPECT_EQ(fixes.asked, (std::vector<std::string>{"a f bitvector-xor", "b f bitvector-xor"}));
}

TEST(SoftwareHashes, rejects_labels_that_are_no_benchmarks_and_gpus_that_are_not_listed) {
  Experiment e = of_two_gpus();
  Fixes fixes = three();
  e.parameters["by_hand"] = {"a / d"};
  const Result<Outcome> unknown = reproduce(e, fixes.settings());
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("'a / d' is not the labels of two benchmarks with ' / ' between them"),
            std::string::npos);
  e.parameters.erase("by_hand");
  e.parameters["apart"] = {"z"};
  const Result<Outcome> other = reproduce(e, fixes.settings());
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("'z' is not one of gpus"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::experiment

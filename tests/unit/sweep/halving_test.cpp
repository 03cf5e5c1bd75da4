// Successive halving on functions whose least value is known.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "bankshot/sweep/run/halving.hpp"

namespace bankshot::sweep {
namespace {

/// Candidate k takes (k - 40)² and something that depends on the instance; estimates are off by up to 10 %.
std::optional<double> value(size_t candidate, size_t instance, bool sampled) {
  const double exact = 1000 + std::pow(static_cast<double>(candidate) - 40, 2) + 100 * static_cast<double>(instance);
  return sampled ? exact * (1 + 0.1 * std::sin(static_cast<double>(candidate * 31 + instance))) : exact;
}

std::optional<std::vector<std::optional<double>>> evaluate(const std::vector<size_t>& candidates,
                                                           const std::vector<size_t>& instances, bool sampled) {
  std::vector<std::optional<double>> all;
  for (const size_t candidate : candidates) {
    double sum = 0;
    for (const size_t instance : instances) sum += *value(candidate, instance, sampled);
    all.emplace_back(sum / static_cast<double>(instances.size()));
  }
  return all;
}

TEST(Halving, rungs_have_fewer_candidates_and_more_instances) {
  const auto rungs = halve(100, 9, {}, evaluate);
  // 100, 34 with 3, 9 instances, then 12 in full.
  ASSERT_EQ(rungs.size(), 3u);
  std::vector<size_t> candidates, instances;
  for (const Rung& rung : rungs) {
    candidates.push_back(rung.candidates.size());
    instances.push_back(rung.instances);
  }
  EXPECT_EQ(candidates, (std::vector<size_t>{100, 34, 12}));
  EXPECT_EQ(instances, (std::vector<size_t>{3, 9, 9}));
  EXPECT_TRUE(rungs[1].sampled);
  EXPECT_FALSE(rungs[2].sampled);
}

TEST(Halving, finds_the_best_of_exact_values) {
  HalvingOptions options;
  options.samples = false;
  const auto rungs = halve(100, 9, options, evaluate);
  const Rung& last = rungs.back();
  EXPECT_EQ(last.instances, 9u);
  EXPECT_NE(std::ranges::find(last.candidates, 40u), last.candidates.end());
}

TEST(Halving, is_the_same_for_the_same_seed_and_looks_at_others_for_another) {
  HalvingOptions options;
  options.candidates = 20;
  const auto first = halve(1000, 3, options, evaluate), again = halve(1000, 3, options, evaluate);
  ASSERT_EQ(first.size(), again.size());
  for (size_t k = 0; k < first.size(); ++k) EXPECT_EQ(first[k].candidates, again[k].candidates);
  EXPECT_EQ(first[0].candidates.size(), 20u);
  EXPECT_EQ(std::set<size_t>(first[0].candidates.begin(), first[0].candidates.end()).size(), 20u);
  options.seed = 2;
  EXPECT_NE(halve(1000, 3, options, evaluate)[0].candidates, first[0].candidates);
}

TEST(Halving, equal_candidates_go_on_together) {
  const Evaluate same = [](const auto& candidates, const auto&, bool) {
    return std::optional(std::vector<std::optional<double>>(candidates.size(), 1.0));
  };
  const auto rungs = halve(10, 4, {}, same);
  for (const Rung& rung : rungs) EXPECT_EQ(rung.candidates.size(), 10u);
  EXPECT_FALSE(rungs.back().sampled);
  EXPECT_EQ(rungs.back().instances, 4u);
}

TEST(Halving, candidates_that_fail_are_out) {
  const Evaluate evens = [](const auto& candidates, const auto& instances, bool sampled) {
    auto values = evaluate(candidates, instances, sampled);
    for (size_t k = 0; k < candidates.size(); ++k) {
      if (candidates[k] % 2 == 0) (*values)[k].reset();
    }
    return values;
  };
  const auto rungs = halve(30, 3, {}, evens);
  for (const size_t candidate : rungs.back().candidates) EXPECT_EQ(candidate % 2, 1u);
  const Evaluate none = [](const auto& candidates, const auto&, bool) {
    return std::optional(std::vector<std::optional<double>>(candidates.size()));
  };
  EXPECT_EQ(halve(30, 3, {}, none).size(), 1u);
}

TEST(Halving, stops_when_it_is_told) {
  const Evaluate stopped = [](const auto&, const auto&, bool) -> std::optional<std::vector<std::optional<double>>> {
    return std::nullopt;
  };
  EXPECT_TRUE(halve(30, 3, {}, stopped).empty());
}

}  // namespace
}  // namespace bankshot::sweep

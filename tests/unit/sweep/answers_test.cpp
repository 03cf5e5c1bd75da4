// Answers, with numbers worked by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bankshot/sweep/answers/groups.hpp"
#include "bankshot/sweep/answers/pareto.hpp"
#include "bankshot/sweep/answers/sensitivity.hpp"

namespace bankshot::sweep {
namespace {

/// A full factorial of axes a, b, … with these numbers of values; results in the order of a grid.
Table factorial(const std::vector<std::pair<std::string, size_t>>& axes, const std::vector<double>& results) {
  Table table;
  table.measures = {"cycles"};
  for (const auto& [name, size] : axes) {
    table.axes.push_back({name, {}});
    for (size_t k = 0; k < size; ++k) table.axes.back().values.emplace_back(static_cast<int64_t>(k));
  }
  for (size_t row = 0; row < results.size(); ++row) {
    size_t rest = row;
    std::vector<uint32_t> codes(axes.size());
    for (size_t a = axes.size(); a-- > 0; rest /= axes[a].second)
      codes[a] = static_cast<uint32_t>(rest % axes[a].second);
    table.codes.insert(table.codes.end(), codes.begin(), codes.end());
    table.results.push_back(results[row]);
    table.rows.push_back(row);
  }
  return table;
}

const Effect& effect(const Sensitivity& all, size_t axis) {
  for (const Effect& one : all.main) {
    if (one.axes[0] == axis) return one;
  }
  ADD_FAILURE() << "no axis " << axis;
  return all.main[0];
}

TEST(SweepSensitivity, shares_of_a_sum_are_those_of_its_parts) {
  // 3 a + b, a and b of 0, 1, 2, less 4 so that no logarithm is taken: the variances are 9 v and v.
  std::vector<double> results;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) results.push_back(3 * a + b - 4);
  }
  const Sensitivity all = *sensitivity(factorial({{"a", 3}, {"b", 3}}, results));
  EXPECT_TRUE(all.complete);
  EXPECT_FALSE(all.logarithmic);
  EXPECT_NEAR(all.variance, 20.0 / 3, 1e-12);  // 10 times the 2/3 of 0, 1, 2
  EXPECT_EQ(all.main[0].axes[0], 0u);
  EXPECT_NEAR(*effect(all, 0).share, 0.9, 1e-12);
  EXPECT_NEAR(*effect(all, 1).share, 0.1, 1e-12);
  EXPECT_NEAR(*effect(all, 0).total, 0.9, 1e-12);
  EXPECT_NEAR(effect(all, 0).range, 6, 1e-12);
  EXPECT_EQ(effect(all, 0).least, 0u);
  EXPECT_EQ(effect(all, 0).most, 2u);
  EXPECT_NEAR(*all.interactions[0].share, 0, 1e-12);
}

TEST(SweepSensitivity, a_product_of_signs_is_all_interaction) {
  const Sensitivity all = *sensitivity(factorial({{"a", 2}, {"b", 2}}, {1, -1, -1, 1}));
  EXPECT_NEAR(*effect(all, 0).share, 0, 1e-12);
  EXPECT_NEAR(*effect(all, 0).total, 1, 1e-12);
  EXPECT_NEAR(*all.interactions[0].share, 1, 1e-12);
}

TEST(SweepSensitivity, factors_that_multiply_do_not_interact) {
  // 2^a 4^b: of the logarithm, b has 4 times the variance of a.
  const Sensitivity all = *sensitivity(factorial({{"a", 2}, {"b", 2}}, {1, 4, 2, 8}));
  EXPECT_TRUE(all.logarithmic);
  EXPECT_NEAR(*effect(all, 0).share, 0.2, 1e-12);
  EXPECT_NEAR(*effect(all, 1).share, 0.8, 1e-12);
  EXPECT_NEAR(effect(all, 1).range, 4, 1e-12);
  EXPECT_NEAR(*all.interactions[0].share, 0, 1e-12);
}

TEST(SweepSensitivity, agrees_with_ishigamis_function) {
  // sin x + 7 sin² y + 0.1 z⁴ sin x on (-pi, pi): first-order indices 0.3139, 0.4424, 0; total 0.5576, 0.4424, 0.2437.
  // Source: Ishigami, Homma 1990; Saltelli et al., Sensitivity Analysis in Practice, 2004.
  // Midpoints: few are exact for powers of sines, z⁸ needs more.
  constexpr size_t kSteps = 8, kZSteps = 64;
  const auto at = [](size_t k, size_t steps) {
    return M_PI * (2 * (static_cast<double>(k) + 0.5) / static_cast<double>(steps) - 1);
  };
  std::vector<double> results;
  for (size_t x = 0; x < kSteps; ++x) {
    for (size_t y = 0; y < kSteps; ++y) {
      for (size_t z = 0; z < kZSteps; ++z)
        results.push_back(std::sin(at(x, kSteps)) + 7 * std::pow(std::sin(at(y, kSteps)), 2) +
                          0.1 * std::pow(at(z, kZSteps), 4) * std::sin(at(x, kSteps)));
    }
  }
  const Sensitivity all = *sensitivity(factorial({{"x", kSteps}, {"y", kSteps}, {"z", kZSteps}}, results));
  EXPECT_NEAR(*effect(all, 0).share, 0.3139, 0.001);
  EXPECT_NEAR(*effect(all, 1).share, 0.4424, 0.001);
  EXPECT_NEAR(*effect(all, 2).share, 0, 0.001);
  EXPECT_NEAR(*effect(all, 0).total, 0.5576, 0.001);
  EXPECT_NEAR(*effect(all, 2).total, 0.2437, 0.001);
}

TEST(SweepSensitivity, one_axis_explains_everything) {
  const Sensitivity all = *sensitivity(factorial({{"a", 12}}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_TRUE(all.complete);
  EXPECT_NEAR(*effect(all, 0).share, 1, 1e-12);
  EXPECT_EQ(effect(all, 0).most, 11u);
}

TEST(SweepSensitivity, many_values_of_a_chosen_design_are_put_together) {
  // Sixteen points, the first axis with a value for each: y = 2 to the power of its upper bit.
  Table table = factorial({{"a", 16}}, {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2});
  table.axes.push_back({"b", {int64_t{0}, int64_t{1}}});
  std::vector<uint32_t> codes;
  for (uint32_t row = 0; row < 16; ++row) codes.insert(codes.end(), {row, row % 2});
  table.codes = codes;
  table.is_grid = false;
  const Sensitivity all = *sensitivity(table);
  EXPECT_FALSE(all.complete);
  EXPECT_NEAR(*effect(all, 0).share, 1, 1e-12);  // four groups of four values
  EXPECT_NEAR(*effect(all, 1).share, 0, 1e-12);
  EXPECT_NEAR(effect(all, 0).range, 2, 1e-12);
  EXPECT_EQ(effect(all, 0).most, 8u);
}

TEST(SweepSensitivity, axes_of_a_zip_are_one) {
  Table table = factorial({{"a", 2}, {"b", 2}}, {1, 2, 3, 4});
  // A third axis that always is what a is.
  table.axes.push_back({"with_a", {int64_t{5}, int64_t{6}}});
  table.codes = {0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1};
  const Sensitivity all = *sensitivity(table);
  EXPECT_TRUE(all.complete);
  ASSERT_EQ(all.main.size(), 2u);
  EXPECT_EQ(effect(all, 0).with, std::vector<std::string>{"with_a"});
}

TEST(SweepSensitivity, without_all_combinations_shares_are_estimates_without_totals) {
  Table table = factorial({{"a", 2}, {"b", 3}}, {1, 2, 3, 10, 20, 30});
  table.codes.resize(10);
  table.results.resize(5);
  table.rows.resize(5);
  const Sensitivity all = *sensitivity(table);
  EXPECT_FALSE(all.complete);
  EXPECT_FALSE(all.main[0].total);
  EXPECT_TRUE(all.interactions.empty());
  EXPECT_GT(*effect(all, 0).share, 0.5);
}

TEST(SweepSensitivity, rejects_what_has_nothing_to_compare) {
  EXPECT_FALSE(sensitivity(factorial({}, {1})));
  EXPECT_FALSE(sensitivity(factorial({{"a", 2}}, {1, std::numeric_limits<double>::quiet_NaN()})));
}

TEST(SweepGroups, means_are_geometric_or_arithmetic) {
  const Table table = factorial({{"a", 2}, {"b", 2}}, {1, 4, 2, 32});
  const auto by_a = group(table, {0}, Mean::geometric);
  ASSERT_EQ(by_a.size(), 2u);
  EXPECT_NEAR(by_a[0].cell.value, 2, 1e-12);
  EXPECT_NEAR(by_a[1].cell.value, 8, 1e-12);
  EXPECT_EQ(by_a[0].cell.points, 2u);
  EXPECT_FALSE(by_a[0].cell.error);
  EXPECT_NEAR(group(table, {1}, Mean::arithmetic)[1].cell.value, 18, 1e-12);
}

TEST(SweepGroups, seeds_give_an_interval) {
  // Means of the seeds 10, 12, 14: 12 with a standard error of 2 / sqrt(3), times 4.303 for two degrees of freedom.
  const Table table = factorial({{"seed", 3}}, {10, 12, 14});
  const auto all = group(table, {}, Mean::arithmetic);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(all[0].cell.value, 12, 1e-12);
  EXPECT_NEAR(*all[0].cell.error, 4.303 * 2 / std::sqrt(3), 1e-9);
}

TEST(SweepGroups, sampled_points_have_the_mean_of_their_errors) {
  Table table = factorial({{"a", 2}}, {100, 200});
  table.errors = {10, 2};  // 10 % and 1 %
  const auto all = group(table, {}, Mean::arithmetic);
  EXPECT_NEAR(*all[0].cell.error, 150 * 0.055, 1e-9);
}

TEST(SweepGroups, relative_results_have_the_partner_that_differs_in_one_axis) {
  Table table = factorial({{"a", 2}, {"b", 2}}, {8, 6, 2, 3});
  Table slower = table;
  EXPECT_EQ(make_relative(table, {"a", "0"}, true, true)->alone, 0u);
  EXPECT_EQ(table.results, (std::vector<double>{1, 1, 4, 2}));
  EXPECT_EQ(make_relative(slower, {"a", "0"}, false, true)->alone, 0u);
  EXPECT_EQ(slower.results, (std::vector<double>{1, 1, 0.25, 0.5}));
  // Without the point a = 0, b = 1 its partner has nothing to compare with.
  Table lacking = factorial({{"a", 2}, {"b", 2}}, {8, 6, 2, 3});
  lacking.codes.erase(lacking.codes.begin() + 2, lacking.codes.begin() + 4);
  lacking.results.erase(lacking.results.begin() + 1);
  lacking.rows.erase(lacking.rows.begin() + 1);
  EXPECT_EQ(make_relative(lacking, {"a", "0"}, true, true)->alone, 1u);
  EXPECT_EQ(lacking.results, (std::vector<double>{1, 4}));
  EXPECT_FALSE(make_relative(lacking, {"c", "0"}, true, true));
  EXPECT_FALSE(make_relative(lacking, {"a", "9"}, true, true));
}

TEST(SweepGroups, means_of_ratios_leave_the_reference_out) {
  Table table = factorial({{"a", 3}}, {8, 2, 4});
  ASSERT_TRUE(make_relative(table, {"a", "0"}, true, false));
  EXPECT_EQ(table.results, (std::vector<double>{4, 2}));
  EXPECT_NEAR(group(table, {}, Mean::geometric)[0].cell.value, std::sqrt(8), 1e-12);
}

TEST(SweepGroups, a_ratio_that_is_no_number_is_told_apart) {
  Table table = factorial({{"a", 2}}, {8, 0});
  const Result<LeftOut> left_out = make_relative(table, {"a", "0"}, true, true);
  EXPECT_EQ(left_out->alone, 0u);
  EXPECT_EQ(left_out->not_finite, 1u);  // 8 / 0
}

TEST(SweepGroups, geometric_means_stay_geometric_over_seeds) {
  const Table table = factorial({{"seed", 2}}, {10, 1000});
  const auto all = group(table, {}, Mean::geometric);
  EXPECT_NEAR(all[0].cell.value, 100, 1e-9);
  // The logarithms differ by ln 100; the standard error of their mean is half of that, times 12.706 for one degree.
  EXPECT_NEAR(*all[0].cell.error, 100 * std::expm1(12.706 * std::log(100) / 2), 1e-3 * *all[0].cell.error);
}

TEST(SweepGroups, one_at_a_time_compares_each_axis_with_the_base) {
  // Base 100; a = 1: 50; b = 1: 400. Rows of the other axis say nothing of one.
  Table table = factorial({{"a", 2}, {"b", 2}}, {100, 400, 50, 0});
  table.codes.resize(6);
  table.results.resize(3);
  table.rows.resize(3);
  table.is_grid = false;
  table.one_at_a_time = true;
  const auto by_a = group(table, {0}, Mean::geometric);
  EXPECT_NEAR(by_a[0].cell.value, 100, 1e-9);
  EXPECT_NEAR(by_a[1].cell.value, 50, 1e-9);
  const Sensitivity all = *sensitivity(table);
  EXPECT_FALSE(effect(all, 0).share);
  EXPECT_NEAR(effect(all, 0).range, 2, 1e-12);
  EXPECT_EQ(effect(all, 0).least, 1u);
  EXPECT_NEAR(effect(all, 1).range, 4, 1e-12);
}

TEST(SweepPareto, keeps_what_nothing_beats) {
  const std::vector<std::pair<double, double>> points = {{3, 1}, {1, 3}, {2, 2}, {2, 3}, {3, 3}, {1, 4}, {2, 2}};
  EXPECT_EQ(pareto_front(points), (std::vector<size_t>{1, 2, 6, 0}));
  EXPECT_TRUE(pareto_front({}).empty());
}

}  // namespace
}  // namespace bankshot::sweep

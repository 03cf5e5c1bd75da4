// The search behind calibrate --from, on functions worked by hand.
#include "bankshot/accuracy/fit/search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace bankshot::accuracy {
namespace {

/// Searches and notes down where it looked.
struct Looked {
  std::vector<uint64_t> at;
  std::optional<SearchResult> result;
};

Looked look(const SearchRange& range, const std::function<std::optional<double>(uint64_t)>& error_of) {
  Looked looked;
  looked.result = search(range, [&](uint64_t value) {
    looked.at.push_back(value);
    return error_of(value);
  });
  return looked;
}

TEST(FitSearch, a_start_that_fits_is_kept) {
  const Looked looked = look({4, 1, 100}, [](uint64_t value) { return static_cast<double>(value) - 4; });
  EXPECT_EQ(looked.at, (std::vector<uint64_t>{4}));
  EXPECT_EQ(looked.result->value, 4u);
  EXPECT_EQ(looked.result->error, 0);
}

TEST(FitSearch, what_grows_with_the_value_is_met_at_once) {
  // The outcome is 3 times the value and should be 60: at 10 it is half, so the first step doubles.
  const Looked looked =
      look({10, 1, 100}, [](uint64_t value) { return std::log(3 * static_cast<double>(value) / 60); });
  EXPECT_EQ(looked.at, (std::vector<uint64_t>{10, 20}));
  EXPECT_EQ(looked.result->value, 20u);
}

TEST(FitSearch, a_line_with_an_offset_takes_one_step_more) {
  // 100 + value should be 150. From 10, ln(110 / 150) = -0.310 gives 10 / (110 / 150) = 13.6, so 14; the line through
  // both errors, ln(114 / 150) = -0.274, gives 14 + 4 * 0.274 / 0.0357 = 44.7, so 45; then 45 + 31 * 0.0339 / 0.240 =
  // 49.4, so 49; the next goes by at least one.
  const Looked looked =
      look({10, 1, 1000}, [](uint64_t value) { return std::log((100 + static_cast<double>(value)) / 150); });
  EXPECT_EQ(looked.at, (std::vector<uint64_t>{10, 14, 45, 49, 50}));
  EXPECT_EQ(looked.result->value, 50u);
}

TEST(FitSearch, goes_down_as_well_as_up) {
  const Looked looked = look({80, 1, 100}, [](uint64_t value) { return std::log(static_cast<double>(value) / 20); });
  EXPECT_EQ(looked.at, (std::vector<uint64_t>{80, 20}));
}

TEST(FitSearch, takes_the_nearer_of_two_neighbours) {
  // Zero lies at 7.4.
  const Looked looked = look({4, 1, 100}, [](uint64_t value) { return static_cast<double>(value) - 7.4; });
  EXPECT_EQ(looked.result->value, 7u);
  EXPECT_NEAR(looked.result->error, -0.4, 1e-9);
}

TEST(FitSearch, a_plateau_keeps_the_start) {
  // Too small everywhere: two further looks, the second twice as far, and nothing changes.
  const Looked looked = look({10, 1, 1000}, [](uint64_t) { return std::log(0.5); });
  EXPECT_EQ(looked.at, (std::vector<uint64_t>{10, 20, 40}));
  EXPECT_EQ(looked.result->value, 10u);
  EXPECT_EQ(looked.result->error, std::log(0.5));
}

TEST(FitSearch, of_a_plateau_that_fits_takes_the_value_nearest_to_the_start) {
  // Passes of a warp through so many lanes: 2 from 16 to 31. From 32, the first step to 16 meets them.
  const Looked looked = look({32, 1, 64}, [](uint64_t lanes) { return -std::log(std::ceil(32.0 / lanes) / 2); });
  EXPECT_EQ(looked.at, (std::vector<uint64_t>{32, 16}));
  EXPECT_EQ(looked.result->value, 16u);
}

TEST(FitSearch, a_target_that_cannot_be_reached_ends_at_the_bound) {
  const Looked looked = look({10, 1, 30}, [](uint64_t value) { return std::log(static_cast<double>(value) / 1000); });
  EXPECT_EQ(looked.at, (std::vector<uint64_t>{10, 30}));
  EXPECT_EQ(looked.result->value, 30u);
}

TEST(FitSearch, values_that_cannot_be_end_the_range) {
  // Nothing above 24 can be; 30 would fit. After the refusal of 30 half of the rest is tried each time.
  const Looked looked = look({10, 1, 1000}, [](uint64_t value) -> std::optional<double> {
    if (value > 24) return std::nullopt;
    return std::log(static_cast<double>(value) / 30);
  });
  EXPECT_EQ(looked.at, (std::vector<uint64_t>{10, 30, 20, 25, 22, 23, 24}));
  EXPECT_EQ(looked.result->value, 24u);
  EXPECT_FALSE(search({10, 1, 20}, [](uint64_t) { return std::nullopt; }));
}

TEST(FitSearch, a_curve_is_met_within_eight_calls) {
  for (uint64_t target = 1; target <= 400; target += 13) {
    // Steep at first, flat later: 1000 / (500 - value).
    const auto error = [&](uint64_t value) {
      return std::log((500 - static_cast<double>(target)) / (500 - static_cast<double>(value)));
    };
    const Looked looked = look({100, 1, 450}, error);
    EXPECT_LE(looked.at.size(), size_t{kMostCalls});
    EXPECT_NEAR(static_cast<double>(looked.result->value), static_cast<double>(target), 1) << target;
  }
}

}  // namespace
}  // namespace bankshot::accuracy

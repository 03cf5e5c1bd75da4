// What is made of measurements: lines through points, lock bits found, their parts told from each other. The GPUs
// measured here are formulas, so every number is known.
#include <gtest/gtest.h>

#include "bankshot/measure/calibrate.hpp"
#include "model_runner.hpp"

namespace bankshot::measure {
namespace {

const scratchpad::Rules kBanks;  // 32 of 4 bytes

Calibration measured(ModelRunner& runner, unsigned samples = 1) {
  auto all = calibrate(runner, kBanks, {.samples = samples, .warps = 4, .repeats = 8});
  EXPECT_TRUE(all) << all.error().message;
  return *all;
}

TEST(MeasureFit, a_line_through_points_on_a_line_is_that_line) {
  const std::vector<double> points = {108, 228, 348, 468};
  const Line line = fit_line(points);
  EXPECT_EQ(line.first, 108);
  EXPECT_EQ(line.step, 120);
  EXPECT_EQ(line.residual, 0);
  EXPECT_EQ(line.points, 4u);
}

TEST(MeasureFit, an_outlier_moves_the_residual_and_not_the_step) {
  // Slopes of the pairs: 2 2 33 2, 2 48.5 2, 95 2, -91: sorted -91 2 2 2 2 2 2 33 48.5 95, median 2.
  const std::vector<double> points = {10, 12, 14, 109, 18};
  const Line line = fit_line(points);
  EXPECT_EQ(line.step, 2);
  EXPECT_EQ(line.residual, 93);
}

TEST(MeasureFit, few_points_are_no_trouble) {
  EXPECT_EQ(fit_line({}).points, 0u);
  const std::vector<double> one = {7};
  EXPECT_EQ(fit_line(one).first, 7);
  EXPECT_EQ(fit_line(one).step, 0);
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1}), 2);
  EXPECT_EQ(median({5, 1, 2}), 2);
}

TEST(MeasureSamples, spread_is_that_of_the_middle_half) {
  // Quartiles of five: the second and the fourth.
  EXPECT_EQ((Samples{{4, 1, 100, 2, 3}}.median()), 3);
  EXPECT_EQ((Samples{{4, 1, 100, 2, 3}}.spread()), 2);
  EXPECT_EQ(Samples{}.median(), 0);
  EXPECT_EQ(Samples{}.spread(), 0);
}

TEST(MeasurePattern, conflicts_are_those_of_equation_1) {
  const Pattern pattern = conflict_pattern(32, 3);
  EXPECT_EQ(pattern[0], 0u);
  EXPECT_EQ(pattern[1], 32u);
  EXPECT_EQ(pattern[2], 64u);
  EXPECT_EQ(pattern[3], 3u);
  EXPECT_EQ(pattern[31], 31u);
}

TEST(MeasureCalibrate, finds_the_penalties_of_the_papers_gpu) {
  ModelRunner runner;
  runner.law = lock_law(kTpds);
  const Calibration all = measured(runner);
  const Series& position = *all.find(Access::add, "position");
  EXPECT_EQ(position.line.first, 108);
  EXPECT_EQ(position.line.step, 120);  // figure 2
  EXPECT_EQ(position.line.residual, 0);
  const Series& bank = *all.find(Access::add, "bank");
  EXPECT_EQ(bank.stride, 32u);
  EXPECT_EQ(bank.line.step, 64);  // 2 t_bank, figure 3 above
  const Series& load = *all.find(Access::load, "bank");
  EXPECT_EQ(load.line.first, 50);
  EXPECT_EQ(load.line.step, 2);
  EXPECT_EQ(all.find(Access::load, "position")->line.step, 0);
  ASSERT_TRUE(all.locks.number);
  EXPECT_EQ(*all.locks.number, 1024u);
  EXPECT_EQ(all.locks.pair, 152);  // t_bank-long
  EXPECT_EQ(all.locks.read_level, 32);
  EXPECT_EQ(all.locks.write_level, 32);
}

TEST(MeasureCalibrate, figure_3_of_the_paper_comes_out_step_by_step) {
  ModelRunner runner;
  runner.law = lock_law(kTpds);
  const Calibration all = measured(runner);
  const Series& mixed = *all.find(Access::add, "mixed");
  EXPECT_EQ(mixed.line.points, 4u);  // up to the first arrow
  EXPECT_EQ(mixed.line.step, 64);
  EXPECT_EQ(mixed.stride, 256u);
  // Below: three steps of 64, then the arrow of 152; three of 96, then the arrow of 184.
  const std::vector<double> steps = {64, 64, 64, 152, 96, 96, 96, 184};
  for (size_t k = 0; k < steps.size(); ++k) {
    EXPECT_EQ(mixed.latency[k + 1].median() - mixed.latency[k].median(), steps[k]) << "degree " << k + 2;
  }
}

TEST(MeasureCalibrate, tells_reading_from_writing_in_a_state_machine) {
  ModelRunner runner;
  runner.law = lock_law(kFsm);
  const Calibration all = measured(runner);
  EXPECT_EQ(all.find(Access::add, "position")->line.step, 118);
  EXPECT_EQ(all.find(Access::add, "bank")->line.step, 68);
  EXPECT_EQ(all.locks.pair, 150);
  EXPECT_EQ(all.locks.read_level, 32);
  EXPECT_EQ(all.locks.write_level, 36);
}

TEST(MeasureCalibrate, counts_other_numbers_of_locks) {
  for (const unsigned bits : {8u, 9u, 11u}) {
    ModelRunner runner;
    runner.law = lock_law(kTpds, bits);
    const Calibration all = measured(runner);
    EXPECT_EQ(all.locks.number, std::optional(1u << bits));
    EXPECT_EQ(all.find(Access::add, "bank")->line.step, 64);  // as far as no two of its words share a lock
    EXPECT_EQ(all.locks.read_level, 32);
  }
}

TEST(MeasureCalibrate, sees_no_locks_where_lanes_take_turns_at_the_banks) {
  ModelRunner runner;
  runner.law = [](Access access, const Pattern& pattern) {
    if (access == Access::load) return fermi_load(pattern);
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; ++bank) {
      most = std::max(most, static_cast<unsigned>(std::count_if(pattern.begin(), pattern.end(),
                                                                [&](uint32_t word) { return word % 32 == bank; })));
    }
    return 60.0 + 4 * most;
  };
  const Calibration all = measured(runner);
  EXPECT_FALSE(all.locks.number);
  EXPECT_EQ(all.find(Access::add, "position")->line.step, 4);
  EXPECT_EQ(atomics_unit(all), "native");
}

TEST(MeasureCalibrate, noise_and_outliers_change_little) {
  constexpr unsigned kSeed = 20130815;
  SCOPED_TRACE(kSeed);
  ModelRunner runner;
  runner.law = lock_law(kTpds);
  std::mt19937 random(kSeed);
  runner.noise = [&] { return static_cast<double>(random() % 7) + (random() % 12 == 0 ? 900 : 0); };
  const Calibration all = measured(runner, 9);
  EXPECT_NEAR(all.find(Access::add, "position")->line.step, 120, 0.5);
  EXPECT_NEAR(all.find(Access::add, "bank")->line.step, 64, 0.5);
  EXPECT_NEAR(all.find(Access::load, "bank")->line.step, 2, 0.5);
  EXPECT_EQ(all.locks.number, std::optional(1024u));
  EXPECT_NEAR(all.locks.pair, 152, 6);
}

TEST(MeasureCalibrate, small_shared_memory_has_fewer_degrees) {
  ModelRunner runner;
  runner.law = lock_law(kTpds);
  runner.about.shared_bytes = 16'384;  // 4,095 words and its own
  const Calibration all = measured(runner);
  EXPECT_EQ(all.find(Access::add, "bank")->latency.size(), 32u);
  EXPECT_EQ(all.find(Access::add, "mixed")->latency.size(), 16u);
  EXPECT_EQ(all.find(Access::add, "lock")->latency.size(), 4u);
  EXPECT_EQ(all.locks.number, std::optional(1024u));
}

TEST(MeasureCalibrate, rates_are_ticks_of_one_access) {
  ModelRunner runner;
  runner.law = lock_law(kTpds);
  const Calibration all = measured(runner);
  ASSERT_EQ(all.rates.size(), 3u);
  // The formula has warps wait for each other: an access takes its latency.
  EXPECT_EQ(all.rates[1].degrees, (std::vector<unsigned>{1, 2, 4}));
  EXPECT_EQ(all.rates[1].ticks[0].median(), 108);
  EXPECT_EQ(all.rates[1].ticks[2].median(), 108 + 3 * 120);
}

TEST(MeasureLatency, gives_its_memory_back_and_takes_the_slowest_lane) {
  class Uneven : public ModelRunner {
   public:
    std::optional<Error> launch(const Launch& launch) override {
      auto error = ModelRunner::launch(launch);
      Arguments arguments;
      std::memcpy(&arguments, launch.arguments.data(), sizeof arguments);
      reinterpret_cast<uint64_t*>(arguments.times)[64 + 32 + 5] += 11;  // lane 5 of the second round
      return error;
    }
  } runner;
  runner.law = [](Access, const Pattern&) { return 30.0; };
  const std::vector<Pattern> patterns = {conflict_pattern(0, 1)};
  const auto all = latencies(runner, Access::load, patterns, 1);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->at(0).of, std::vector<double>{41});
  EXPECT_EQ(runner.allocations(), 0u);
}

TEST(MeasureLatency, rejects_words_that_a_block_does_not_have) {
  ModelRunner runner;
  runner.about.shared_bytes = 4096;
  const std::vector<Pattern> patterns = {conflict_pattern(1023, 2)};
  const auto all = latencies(runner, Access::load, patterns, 1);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().message, "a pattern has word 1023, but a block of Formula has 1023 words to measure in");
  EXPECT_TRUE(runner.launched.empty());
}

}  // namespace
}  // namespace bankshot::measure

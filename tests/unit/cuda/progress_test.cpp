#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "bankshot/cuda/process/progress.hpp"

namespace bankshot::cuda {
namespace {

TEST(CudaProgress, the_line_names_ctas_time_rate_and_kernel) {
  // 3 CTAs in 12.5 s: 9 more take 37.5 s.
  EXPECT_EQ(progress_text("_Z5scalePfi", simt::LaunchProgress{3, 12, 50'000'000}, 12.5),
            "bankshot: 3 of 12 CTAs in 12 s, 4.00 M instr/s, 38 s left, scale(float*, int)");
}

TEST(CudaProgress, no_time_left_is_told_before_a_cta_is_done) {
  EXPECT_EQ(progress_text("k", simt::LaunchProgress{0, 8, 500}, 2.0), "bankshot: 0 of 8 CTAs in 2 s, 250 instr/s, k");
}

TEST(CudaProgress, the_line_fits_into_a_narrow_terminal) {
  const std::string text = progress_text(std::string(500, 'k'), simt::LaunchProgress{3, 1024, 12}, 12);
  EXPECT_EQ(text.size(), 78u);
  EXPECT_TRUE(text.ends_with("k..."));
}

TEST(CudaProgress, long_times_are_told_in_minutes_and_hours) {
  // 1 CTA in 10 s: 60 more take 600 s, 3600 more take 10 h.
  EXPECT_EQ(progress_text("k", simt::LaunchProgress{1, 61, 0}, 10),
            "bankshot: 1 of 61 CTAs in 10 s, 0 instr/s, 10 min left, k");
  EXPECT_EQ(progress_text("k", simt::LaunchProgress{1, 3601, 0}, 10),
            "bankshot: 1 of 3601 CTAs in 10 s, 0 instr/s, 10.0 h left, k");
}

TEST(CudaProgress, without_a_terminal_lines_come_after_10_20_40_seconds) {
  using namespace std::chrono_literals;
  ProgressTimes times = Progress::times(Progress::Style::few_lines);
  std::vector<int> seconds;
  for (int now = 0; now <= 100; ++now) {
    if (times.due(0s, std::chrono::seconds(now))) seconds.push_back(now);
  }
  EXPECT_EQ(seconds, (std::vector<int>{10, 20, 40, 80}));
  // The next launch begins at 150 s: its own ten seconds pass first, and 80 s since the last line.
  EXPECT_FALSE(times.due(150s, 159s));
  EXPECT_TRUE(times.due(150s, 160s));
}

TEST(CudaProgress, lines_that_are_asked_for_come_every_five_seconds) {
  using namespace std::chrono_literals;
  ProgressTimes times = Progress::times(Progress::Style::lines);
  std::vector<int> seconds;
  for (int now = 0; now <= 13; ++now) {
    if (times.due(0s, std::chrono::seconds(now))) seconds.push_back(now);
  }
  EXPECT_EQ(seconds, (std::vector<int>{1, 6, 11}));
}

TEST(CudaProgress, what_helps_is_said_of_a_launch_of_more_than_a_minute) {
  const Remedies none{.threads = 0, .cores = 8, .quicker = ""};
  // 1 of 6 CTAs in 10 s: a minute in all. 1 of 84: 14 minutes.
  EXPECT_EQ(slow_text({1, 6, 0}, 10, none), "");
  EXPECT_EQ(slow_text({1, 84, 0}, 10, none),
            "bankshot: this launch takes about 14 min; to shorten it: use a smaller problem");
  EXPECT_EQ(slow_text({0, 84, 0}, 60, none), "");
  EXPECT_EQ(slow_text({0, 84, 0}, 61, none),
            "bankshot: this launch takes more than 61 s; to shorten it: use a smaller problem");
}

TEST(CudaProgress, threads_help_where_there_are_more_and_ctas_run_in_parallel) {
  const Remedies one{.threads = 1, .cores = 8, .quicker = "--sample"};
  EXPECT_EQ(
      slow_text({1, 84, 0}, 10, one),
      "bankshot: this launch takes about 14 min; to shorten it: use a smaller problem, --threads 8 (now 1), --sample");
  const simt::LaunchProgress in_order{.ctas_done = 1, .ctas = 84, .parallel = false};
  EXPECT_EQ(slow_text(in_order, 10, one),
            "bankshot: this launch takes about 14 min; to shorten it: use a smaller problem, --sample");
  const Remedies all{.threads = 8, .cores = 8, .quicker = ""};
  EXPECT_EQ(slow_text({1, 84, 0}, 10, all),
            "bankshot: this launch takes about 14 min; to shorten it: use a smaller problem");
}

}  // namespace
}  // namespace bankshot::cuda

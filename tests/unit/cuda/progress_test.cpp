#include <gtest/gtest.h>

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

}  // namespace
}  // namespace bankshot::cuda

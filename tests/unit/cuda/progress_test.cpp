#include <gtest/gtest.h>

#include "bankshot/cuda/process/progress.hpp"

namespace bankshot::cuda {
namespace {

TEST(CudaProgress, the_line_names_ctas_time_and_kernel) {
  EXPECT_EQ(progress_text("_Z5scalePfi", 3, 1024, 12), "bankshot: 3 of 1024 CTAs in 12 s, scale(float*, int)");
}

TEST(CudaProgress, the_line_fits_into_a_narrow_terminal) {
  const std::string text = progress_text(std::string(500, 'k'), 3, 1024, 12);
  EXPECT_EQ(text.size(), 78u);
  EXPECT_TRUE(text.ends_with("k..."));
}

}  // namespace
}  // namespace bankshot::cuda

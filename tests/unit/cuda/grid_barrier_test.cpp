#include "bankshot/cuda/modules/grid_barrier.hpp"

#include <gtest/gtest.h>

#include "bankshot/ptx/parser.hpp"

namespace bankshot::cuda {
namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";
const std::string kDeclaration = ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 h, .param .b32 f);\n";
const std::string kKernel = ".visible .entry k() { ret; }\n";

/// tests/cuda/driver_from_python.py runs it.
TEST(GridBarrier, is_linked_with_a_module_that_lacks_it) {
  const auto linked = with_grid_barrier(kHead + kDeclaration + kKernel);
  ASSERT_TRUE(linked);
  EXPECT_TRUE(ptx::parse(*linked));
  EXPECT_EQ(linked->find(".extern"), std::string::npos);
  EXPECT_FALSE(with_grid_barrier(*linked));  // it has it now
}

TEST(GridBarrier, leaves_other_modules_as_they_are) {
  EXPECT_FALSE(with_grid_barrier(kHead + kKernel));
  EXPECT_FALSE(with_grid_barrier(kHead + "// cudaCGSynchronize\n" + kKernel));
  EXPECT_FALSE(with_grid_barrier(kHead + kDeclaration + "this is no PTX"));
}

}  // namespace
}  // namespace bankshot::cuda

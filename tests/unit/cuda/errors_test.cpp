#include <gtest/gtest.h>

#include <string_view>

#include "bankshot/cuda/abi/errors.hpp"

namespace bankshot::cuda {
namespace {

TEST(CudaErrors, table_is_sorted_complete_rows_without_duplicates) {
  int previous = -1;
  for (const ErrorRow& row : error_table()) {
    EXPECT_GT(row.code, previous);
    previous = row.code;
    EXPECT_TRUE(row.runtime_name || row.driver_name) << row.code;
    ASSERT_NE(row.text, nullptr) << row.code;
    EXPECT_NE(*row.text, '\0') << row.code;
    EXPECT_TRUE(!row.runtime_name || std::string_view(row.runtime_name).starts_with("cuda")) << row.code;
    EXPECT_TRUE(!row.driver_name || std::string_view(row.driver_name).starts_with("CUDA_")) << row.code;
  }
}

TEST(CudaErrors, names_and_texts_of_common_codes) {
  struct Expected {
    Status status;
    std::string_view runtime, driver, text;
  };
  for (const Expected& expected :
       {Expected{Status::success, "cudaSuccess", "CUDA_SUCCESS", "no error"},
        {Status::invalid_value, "cudaErrorInvalidValue", "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
        {Status::out_of_memory, "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
        {Status::illegal_address, "cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS",
         "an illegal memory access was encountered"},
        {Status::launch_failure, "cudaErrorLaunchFailure", "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
        {Status::not_supported, "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"}}) {
    const ErrorRow* row = find_error(static_cast<int>(expected.status));
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->runtime_name, expected.runtime);
    EXPECT_EQ(row->driver_name, expected.driver);
    EXPECT_EQ(row->text, expected.text);
  }
  EXPECT_EQ(find_error(9)->driver_name, nullptr) << "invalid configuration is the runtime interface's own";
  EXPECT_EQ(find_error(-1), nullptr);
  EXPECT_EQ(find_error(5000), nullptr);
}

TEST(CudaErrors, every_fault_is_a_sticky_error_of_the_table) {
  using Kind = simt::Fault::Kind;
  for (const Kind kind :
       {Kind::illegal_address, Kind::misaligned, Kind::out_of_shared, Kind::out_of_local, Kind::deadlock,
        Kind::divergent_barrier, Kind::trap, Kind::assertion, Kind::bad_call, Kind::partial_warp}) {
    const Status status = status_of(kind);
    EXPECT_TRUE(is_sticky(status)) << static_cast<int>(kind);
    EXPECT_NE(find_error(static_cast<int>(status)), nullptr);
  }
  EXPECT_EQ(static_cast<int>(status_of(Kind::illegal_address)), 700);
  EXPECT_EQ(static_cast<int>(status_of(Kind::misaligned)), 716);
  EXPECT_EQ(static_cast<int>(status_of(Kind::assertion)), 710);
  EXPECT_EQ(static_cast<int>(status_of(Kind::trap)), 719);
  EXPECT_EQ(static_cast<int>(status_of(Kind::deadlock)), 702);
}

TEST(CudaErrors, a_bad_argument_is_not_sticky) {
  EXPECT_FALSE(is_sticky(Status::invalid_value));
  EXPECT_FALSE(is_sticky(Status::not_supported));
}

}  // namespace
}  // namespace bankshot::cuda

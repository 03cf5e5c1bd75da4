// A library with a kernel, built in several ways; see opens_library.cu and CMakeLists.txt. Some cannot run without a
// GPU.
#include "check.hpp"

#ifndef LAUNCH_GIVES
#define LAUNCH_GIVES cudaErrorNoKernelImageForDevice
#endif

__global__ void in_library(int* value) { *value = 1; }

extern "C" int use_library() {
  int* value = nullptr;
  OK(cudaMallocHost(&value, sizeof(int)));
  in_library<<<1, 1>>>(value);
  EXPECT_EQ(cudaGetLastError(), LAUNCH_GIVES);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(*value, LAUNCH_GIVES == cudaSuccess ? 1 : 0);
  return failures;
}

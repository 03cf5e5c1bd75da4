// A library with a kernel, built in ways that cannot run without a GPU; see opens_library.cu.
#include "check.hpp"

__global__ void in_library(int* value) { *value = 1; }

extern "C" int use_library() {
  int* value = nullptr;
  OK(cudaMalloc(&value, sizeof(int)));
  in_library<<<1, 1>>>(value);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
  return failures;
}

// Built with machine code only: every launch fails with "no kernel image".
#include "check.hpp"

__global__ void nothing() {}

int main() {
  void* p = nullptr;
  OK(cudaMalloc(&p, 4));
  nothing<<<1, 1>>>();
  EXPECT_EQ(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
  OK(cudaDeviceSynchronize());
  return finish("no_ptx");
}

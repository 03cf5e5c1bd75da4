// A kernel that fails: told at the next synchronisation, kept until the device is reset.
#include <cassert>
#include <cstring>

#include "check.hpp"

__global__ void write(int* p) { p[threadIdx.x] = 1; }
__global__ void misaligned(char* p) { *reinterpret_cast<int*>(p + 1) = 1; }
__global__ void failing_assert(int x) { assert(x == 1); }
__global__ void trap() { asm volatile("trap;"); }

/// The context is corrupt with `error`, then usable after a reset.
static void expect_sticky(cudaError_t error) {
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // the launch itself succeeded
  EXPECT_EQ(cudaDeviceSynchronize(), error);
  EXPECT_EQ(cudaGetLastError(), error);
  EXPECT_EQ(cudaGetLastError(), error);
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, 4), error);
  int x;
  EXPECT_EQ(cudaMemcpy(&x, &x, sizeof x, cudaMemcpyHostToHost), error);
  OK(cudaDeviceReset());
  OK(cudaGetLastError());
  int* fresh = nullptr;
  OK(cudaMalloc(&fresh, 4));
  write<<<1, 1>>>(fresh);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(fresh));
}

int main() {
  int* p = nullptr;
  OK(cudaMalloc(&p, 16));
  write<<<1, 5>>>(p);  // one beyond
  expect_sticky(cudaErrorIllegalAddress);

  OK(cudaMalloc(&p, 16));
  OK(cudaFree(p));
  write<<<1, 1>>>(p);  // after free
  expect_sticky(cudaErrorIllegalAddress);

  OK(cudaMalloc(&p, 16));
  misaligned<<<1, 1>>>(reinterpret_cast<char*>(p));
  expect_sticky(cudaErrorMisalignedAddress);

  failing_assert<<<1, 1>>>(2);
  expect_sticky(cudaErrorAssert);

  trap<<<1, 1>>>();
  expect_sticky(cudaErrorLaunchFailure);
  return finish("sticky_fault");
}

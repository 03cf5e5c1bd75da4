// Error codes, texts, and the state they leave.
#include <cstring>

#include "check.hpp"

__global__ void nothing() {}
__global__ void __launch_bounds__(64) small_blocks(int* p) { *p = 1; }
__global__ void shared(int* p) {
  extern __shared__ int data[];
  data[threadIdx.x] = 1;
  *p = data[0];
}

int main() {
  // A launch that cannot be: told by cudaGetLastError once.
  nothing<<<1, 1025>>>();
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  nothing<<<0, 1>>>();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  nothing<<<dim3(1, 65536), 1>>>();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  nothing<<<1, dim3(1, 1, 65)>>>();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  shared<<<1, 32, 48 * 1024 + 1>>>(nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  small_blocks<<<1, 128>>>(nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchKernel(reinterpret_cast<const void*>(&failures), dim3(1), dim3(1), nullptr, 0, 0),
            cudaErrorInvalidDeviceFunction);
  (void)cudaGetLastError();

  // Memory.
  int* a = nullptr;
  int host[8] = {};
  OK(cudaMalloc(&a, 4 * sizeof(int)));
  EXPECT_EQ(cudaMemcpy(a, host, 5 * sizeof(int), cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, a, sizeof(int), cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(a, host, sizeof(int), static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
  OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(a, host, sizeof(int), cudaMemcpyDefault));
  EXPECT_EQ(cudaFree(a + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(host), cudaErrorInvalidValue);
  OK(cudaFree(a));
  EXPECT_EQ(cudaFree(a), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, a, sizeof(int), cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  int* wild = a + (1 << 20);
  EXPECT_EQ(cudaMemcpy(host, wild, sizeof(int), cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(wild, host, sizeof(int), cudaMemcpyDefault), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2D(host, 4, wild, 4, 4, 1, cudaMemcpyDefault), cudaErrorInvalidValue);
  OK(cudaFree(nullptr));
  void* none = &host;
  OK(cudaMalloc(&none, 0));
  EXPECT(none == nullptr);
  EXPECT_EQ(cudaMalloc(&none, size_t{1} << 60), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(nullptr, 4), cudaErrorInvalidValue);

  EXPECT_EQ(cudaSetDevice(7), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  cudaIpcEventHandle_t handle;
  EXPECT_EQ(cudaIpcGetEventHandle(&handle, nullptr), cudaErrorNotSupported);  // has no implementation

  EXPECT_EQ(std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"), 0);
  EXPECT_EQ(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"), 0);
  EXPECT_EQ(std::strcmp(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code"), 0);
  return finish("errors");
}

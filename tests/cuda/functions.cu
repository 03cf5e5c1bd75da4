// Attributes of kernels, large dynamic shared memory, occupancy, and the forms of a launch.
#include <cooperative_groups.h>

#include "check.hpp"

struct Wide {
  char tag;
  double values[3];
  short last;
};

__global__ void take(Wide wide, int* out, char c) {
  *out = static_cast<int>(wide.values[2]) + wide.last + wide.tag + c;
}

__global__ void big(int* out, int n) {
  extern __shared__ int data[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *out = data[n - 1];
}

__global__ void __launch_bounds__(128) fixed_shared(int* out) {
  __shared__ int data[256];
  data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  *out = data[127 - threadIdx.x];
}

__constant__ float factors[3];
__global__ void scaled(float* out) { *out = factors[2]; }

template <class T>
__global__ void typed(T* out, T value) {
  *out = value;
}

int main() {
  int* out = nullptr;
  OK(cudaMallocManaged(&out, sizeof(int)));

  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, fixed_shared));
  EXPECT_EQ(attributes.sharedSizeBytes, 1024);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 128);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 48 * 1024 - 1024);
  EXPECT(attributes.numRegs > 0 && attributes.numRegs <= 255);
  EXPECT_EQ(attributes.ptxVersion, 75);  // as compiled, whatever the GPU

  OK(cudaFuncGetAttributes(&attributes, scaled));
  EXPECT_EQ(attributes.constSizeBytes, 12);

  int optin = 0;
  OK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  const int bytes = 64 * 1024;
  big<<<1, 32, bytes>>>(out, bytes / 4);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1), cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  (void)cudaGetLastError();
  big<<<1, 32, bytes>>>(out, bytes / 4);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(*out, bytes / 4 - 1);
  OK(cudaFuncSetCacheConfig(big, cudaFuncCachePreferShared));

  int blocks = 0, grid = 0, block = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fixed_shared, 128, 0));
  EXPECT(blocks > 0);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fixed_shared, 256, 0));
  EXPECT_EQ(blocks, 0);
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, take));
  EXPECT(grid > 0 && block >= 32 && block <= 1024);
  size_t dynamic = 0;
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, reinterpret_cast<const void*>(take), 2, 128));
  EXPECT(dynamic >= 8 * 1024 && dynamic <= 48 * 1024);

  const Wide wide{1, {0, 0, 20}, 300};
  take<<<1, 1>>>(wide, out, 'a');
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(*out, 20 + 300 + 1 + 'a');
  Wide copy = wide;
  char c = 'b';
  void* arguments[] = {&copy, &out, &c};
  OK(cudaLaunchKernel(reinterpret_cast<const void*>(take), dim3(1), dim3(1), arguments, 0, 0));
  EXPECT_EQ(*out, 20 + 300 + 1 + 'b');
  c = 'c';
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  cudaLaunchAttribute attribute[2] = {};
  attribute[0].id = cudaLaunchAttributePriority;
  attribute[1].id = cudaLaunchAttributeClusterDimension;
  attribute[1].val.clusterDim = {1, 1, 1};
  config.attrs = attribute;
  config.numAttrs = 2;
  OK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(take), arguments));
  EXPECT_EQ(*out, 20 + 300 + 1 + 'c');
  attribute[1].val.clusterDim = {2, 1, 1};
  EXPECT_EQ(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(take), arguments), cudaErrorInvalidClusterSize);
  OK(cudaLaunchKernelEx(&config, typed<int>, out, 5) == cudaErrorInvalidClusterSize ? cudaSuccess : cudaErrorUnknown);
  (void)cudaGetLastError();
  typed<int><<<1, 1>>>(out, 77);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(*out, 77);
  cudaFunction_t function = nullptr;
  OK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(take)));
  EXPECT(function != nullptr);
  EXPECT_EQ(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(take), dim3(1 << 20), dim3(128), arguments, 0, 0),
            cudaErrorCooperativeLaunchTooLarge);
  return finish("functions");
}

// Pinned and registered host memory, seen by kernels at the same address.
#include <vector>

#include "check.hpp"

__global__ void double_it(int* p) { p[threadIdx.x] *= 2; }

int main() {
  int* pinned = nullptr;
  OK(cudaHostAlloc(&pinned, 4 * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < 4; ++i) pinned[i] = i;
  int* device = nullptr;
  OK(cudaHostGetDevicePointer(&device, pinned, 0));
  double_it<<<1, 4>>>(device);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(pinned[3], 6);
  unsigned flags = 0;
  OK(cudaHostGetFlags(&flags, pinned));
  EXPECT(flags & cudaHostAllocMapped);
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, pinned));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);

  std::vector<int> mine(64, 21);
  OK(cudaPointerGetAttributes(&attributes, mine.data()));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT(attributes.devicePointer == nullptr);
  OK(cudaHostRegister(mine.data(), mine.size() * sizeof(int), cudaHostRegisterMapped));
  EXPECT_EQ(cudaHostRegister(mine.data(), mine.size() * sizeof(int), 0), cudaErrorHostMemoryAlreadyRegistered);
  OK(cudaHostGetDevicePointer(&device, mine.data(), 0));
  double_it<<<1, 64>>>(device);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(mine[63], 42);
  OK(cudaHostUnregister(mine.data()));
  EXPECT_EQ(cudaHostUnregister(mine.data()), cudaErrorHostMemoryNotRegistered);
  OK(cudaFreeHost(pinned));
  EXPECT_EQ(cudaFreeHost(mine.data()), cudaErrorInvalidValue);

  size_t before = 0, after = 0, total = 0;
  void* block = nullptr;
  OK(cudaMemGetInfo(&before, &total));
  OK(cudaMalloc(&block, 1 << 20));
  OK(cudaMemGetInfo(&after, &total));
  EXPECT(before - after >= 1 << 20 && before <= total);
  OK(cudaPointerGetAttributes(&attributes, block));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT(attributes.hostPointer == nullptr && attributes.devicePointer == block);
  return finish("host_memory");
}

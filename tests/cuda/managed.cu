// Managed memory, allocated and declared.
#include "check.hpp"

__managed__ int declared[4] = {1, 2, 3, 4};
__managed__ long total = 7;

__global__ void sum(const int* data, int n) {
  long s = 0;
  for (int i = 0; i < n; ++i) s += data[i];
  total += s;
  declared[threadIdx.x] *= 2;
}

int main() {
  EXPECT_EQ(declared[2], 3);
  EXPECT_EQ(total, 7);
  int* data = nullptr;
  OK(cudaMallocManaged(&data, 100 * sizeof(int)));
  for (int i = 0; i < 100; ++i) data[i] = i;
  cudaMemLocation here{};
  here.type = cudaMemLocationTypeDevice;
  OK(cudaMemPrefetchAsync(data, 100 * sizeof(int), here, 0, 0));
  OK(cudaMemAdvise(data, 100 * sizeof(int), cudaMemAdviseSetReadMostly, here));
  sum<<<1, 1>>>(data, 100);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(total, 7 + 4950);
  EXPECT_EQ(declared[0], 2);

  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, data + 5));
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  EXPECT(attributes.hostPointer == data + 5 && attributes.devicePointer == data + 5);
  EXPECT_EQ(cudaMallocManaged(&data, 0), cudaErrorInvalidValue);
  OK(cudaFree(attributes.devicePointer ? data : nullptr));
  int on_stack;
  EXPECT_EQ(cudaMemPrefetchAsync(&on_stack, sizeof on_stack, here, 0, 0), cudaErrorInvalidValue);
  return finish("managed");
}

// __device__ and __constant__ variables from the host.
#include "check.hpp"

__device__ int counter = 5;
__device__ float table[16];
__constant__ int coefficients[4] = {1, 2, 3, 4};
static __device__ int same_name = 1;  // other_unit.cu has one too

__global__ void use() {
  atomicAdd(&counter, coefficients[threadIdx.x]);
  table[threadIdx.x] = coefficients[threadIdx.x] * 10.0f;
  if (threadIdx.x == 0) same_name += 1;
}

int run_other_unit();

int main() {
  int value = 0;
  OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  EXPECT_EQ(value, 5);
  use<<<1, 4>>>();
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  EXPECT_EQ(value, 5 + 1 + 2 + 3 + 4);

  const int changed[2] = {30, 40};
  OK(cudaMemcpyToSymbol(coefficients, changed, sizeof changed, 2 * sizeof(int)));
  use<<<1, 4>>>();
  float results[4];
  OK(cudaMemcpyFromSymbol(results, table, sizeof results));
  EXPECT_EQ(results[1], 20);
  EXPECT_EQ(results[3], 400);

  void* address = nullptr;
  size_t size = 0;
  OK(cudaGetSymbolAddress(&address, table));
  OK(cudaGetSymbolSize(&size, table));
  EXPECT_EQ(size, 16 * sizeof(float));
  OK(cudaMemcpy(results, static_cast<float*>(address) + 3, sizeof(float), cudaMemcpyDeviceToHost));
  EXPECT_EQ(results[0], 400);
  OK(cudaMemcpyFromSymbolAsync(&value, same_name, sizeof value, 0, cudaMemcpyDeviceToHost, 0));
  EXPECT_EQ(value, 3);
  EXPECT_EQ(run_other_unit(), 101);

  EXPECT_EQ(cudaMemcpyToSymbol(coefficients, changed, sizeof changed, 3 * sizeof(int)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&value, changed, 4), cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyToSymbol(coefficients, changed, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  return finish("symbols");
}

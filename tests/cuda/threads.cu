// Several host threads: launches are serialised, last errors are each thread's own.
#include <thread>
#include <vector>

#include "check.hpp"

__global__ void add(int* sum, int value) { atomicAdd(sum, value); }

int main() {
  int* sum = nullptr;
  OK(cudaMallocManaged(&sum, sizeof(int)));
  *sum = 0;
  std::vector<std::thread> threads;
  std::vector<cudaError_t> errors(8);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) add<<<2, 32>>>(sum, t);
      if (t % 2) (void)cudaSetDevice(99);
      errors[t] = cudaGetLastError();
    });
  for (auto& thread : threads) thread.join();
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(*sum, 20 * 64 * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7));
  for (int t = 0; t < 8; ++t) EXPECT_EQ(errors[t], t % 2 ? cudaErrorInvalidDevice : cudaSuccess);
  return finish("threads");
}

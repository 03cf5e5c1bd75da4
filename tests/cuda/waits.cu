// For tests/cuda/terminal: a kernel that ends, then one that runs until a line is typed.
#include <thread>

#include "check.hpp"

__global__ void ends(int* value) { *value = 1; }

__global__ void waits(volatile int* typed) {
  if (threadIdx.x == 0) printf("CTA %d\n", blockIdx.x);
  while (*typed == 0) {
  }
}

int main() {
  int* typed = nullptr;
  OK(cudaMallocHost(&typed, sizeof(int)));
  ends<<<1, 1>>>(typed);
  *typed = 0;
  std::thread typist([=] {
    std::getchar();
    *static_cast<volatile int*>(typed) = 1;
  });
  std::printf("begins: ");
  std::fflush(stdout);
  waits<<<2, 32>>>(typed);
  OK(cudaDeviceSynchronize());
  typist.join();
  return finish("waits");
}

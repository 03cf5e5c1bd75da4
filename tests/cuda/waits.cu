// For tests/cuda/terminal: a kernel that ends, then one that runs until a line is typed. With a name of a file it
// writes to that instead, and nobody reads what is typed.
#include <thread>

#include "check.hpp"

__global__ void ends(int* value) { *value = 1; }

__global__ void waits(volatile int* typed) {
  if (threadIdx.x == 0) printf("CTA %d\n", blockIdx.x);
  while (*typed == 0) {
  }
}

int main(int argc, char** argv) {
  int* typed = nullptr;
  OK(cudaMallocHost(&typed, sizeof(int)));
  ends<<<1, 1>>>(typed);
  *typed = 0;
  std::FILE* const file = argc > 1 ? std::fopen(argv[1], "w") : nullptr;
  if (file != nullptr) std::fputs("kept", file);
  std::thread typist([=] {
    if (file != nullptr) return;
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

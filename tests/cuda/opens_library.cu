// Uses a library that cannot run, beside a kernel of its own that can.
#include <dlfcn.h>

#include "check.hpp"

__global__ void own(int* value) { *value = 7; }

int main(int, char** arguments) {
  int* value = nullptr;
  OK(cudaMallocHost(&value, sizeof(int)));
  own<<<1, 1>>>(value);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(*value, 7);
  void* library = dlopen(arguments[1], RTLD_NOW);
  const auto use = reinterpret_cast<int (*)()>(library ? dlsym(library, "use_library") : nullptr);
  EXPECT(use);
  if (use) EXPECT_EQ(use(), 0);
  return finish("opens_library");
}

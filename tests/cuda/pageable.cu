// Memory of the host that nobody registered, in kernels: an error, unless the GPU reads the host's page tables
// (argument "allowed": the program runs with --pageable-memory). Atomics and vectors too; what is not mapped stays an
// error.
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "check.hpp"

__global__ void sum(const int4* from, int* to) {
  const int4 four = from[threadIdx.x];
  atomicAdd(to, four.x + four.y + four.z + four.w);
}
__global__ void touch(int* at) { *at = 1; }
__global__ void follow(int* const* where) { **where += 1; }

int main(int argc, char** argv) {
  const bool allowed = argc > 1 && std::strcmp(argv[1], "allowed") == 0;
  int value = -1;
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, 0));
  EXPECT_EQ(value, allowed ? 1 : 0);

  std::vector<int> numbers(4 * 32);
  for (int i = 0; i < 128; ++i) numbers[static_cast<size_t>(i)] = i;
  int on_stack = 0;
  sum<<<1, 32>>>(reinterpret_cast<const int4*>(numbers.data()), &on_stack);
  if (!allowed) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return finish("pageable");
  }
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(on_stack, 127 * 128 / 2);

  int* where = &on_stack;  // a pointer in memory of the host to memory of the host
  follow<<<1, 1>>>(&where);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(on_stack, 127 * 128 / 2 + 1);

  // Mapped between two launches; a page that may be read only; and one that is gone.
  auto* page = static_cast<int*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  touch<<<1, 1>>>(page);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(page[0], 1);
  EXPECT_EQ(mprotect(page, 4096, PROT_READ), 0);
  touch<<<1, 1>>>(page);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  return finish("pageable");
}

// Threads that wait for each other, which works since Volta because every lane makes progress:
//   locked_count   all lanes of all warps and CTAs take one lock in turn, so that a lane spins on a lock that a lane of
//   its
//                  own warp holds
//   relay          CTA k waits until CTA k - 1 has passed the baton, starting with the last CTA
//   spinlock [CTAs: 8] [threads a CTA: 64]
#include "../check.hpp"

__global__ void locked_count(int* lock, volatile int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *count = *count + 1;
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void relay(volatile int* baton, int* order) {
  const int turn = gridDim.x - 1 - blockIdx.x;
  if (threadIdx.x == 0) {
    while (*baton != turn) {
    }
    order[turn] = blockIdx.x;
    __threadfence();
    *baton = turn + 1;
  }
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int grid = arguments.number(0, 8), block = arguments.number(1, 64);
  DeviceArray<int> lock(1), count(1), baton(1), order(grid);
  lock.fill_zero();
  count.fill_zero();
  baton.fill_zero();
  locked_count<<<grid, block>>>(lock.get(), count.get());
  relay<<<grid, block>>>(baton.get(), order.get());
  finish_kernel();
  std::vector<int> measured = order.to_host(), expected(grid);
  for (int i = 0; i < grid; ++i) expected[i] = grid - 1 - i;
  measured.push_back(count.to_host()[0]);
  expected.push_back(grid * block);
  return verdict("spinlock", measured, expected);
}

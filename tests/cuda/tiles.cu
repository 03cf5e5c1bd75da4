// Tiles of cooperative groups of more than a warp: they meet and sum up in shared memory that the program does not
// have.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdint>

#include "tests/cuda/check.hpp"

namespace cg = cooperative_groups;

constexpr int kThreads = 512, kStatic = 100, kDynamic = 300, kMark = 0x1234;

/// Sums of the threads of each tile, thrice. All shared memory of the program is filled before, and is the same
/// afterwards.
template <int kTile>
__global__ void sums(const int* in, int* out, int* changed) {
  __shared__ cg::block_tile_memory<kThreads> memory;
  __shared__ int own[kStatic];
  extern __shared__ int dynamic[];
  const int t = threadIdx.x;
  for (int k = t; k < kStatic; k += kThreads) own[k] = kMark + k;
  for (int k = t; k < kDynamic; k += kThreads) dynamic[k] = ~k;
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block(memory));
  int value = in[blockIdx.x * kThreads + t];
  for (int turn = 0; turn < 3; ++turn) value = cg::reduce(tile, value + turn, cg::plus<int>());
  tile.sync();
  const int last = tile.shfl(value, kTile - 1);
  __syncthreads();
  for (int k = t; k < kStatic; k += kThreads) {
    if (own[k] != kMark + k) atomicAdd(changed, 1);
  }
  for (int k = t; k < kDynamic; k += kThreads) {
    if (dynamic[k] != ~k) atomicAdd(changed, 1);
  }
  out[blockIdx.x * kThreads + t] = value == last ? value : -1;
}

template <int kTile>
void check(const int* in, int* out, int* changed) {
  constexpr int kBlocks = 3;
  *changed = 0;
  sums<kTile><<<kBlocks, kThreads, kDynamic * sizeof(int)>>>(in, out, changed);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(*changed, 0);
  for (int first = 0; first < kBlocks * kThreads; first += kTile) {
    uint32_t sum = 0;  // of turn 0; then the tile sums up the same number kTile times, plus the number of the turn
    for (int k = 0; k < kTile; ++k) sum += static_cast<uint32_t>(in[first + k]);
    for (uint32_t turn = 1; turn < 3; ++turn) sum = (sum + turn) * kTile;
    for (int k = 0; k < kTile; ++k) EXPECT_EQ(out[first + k], static_cast<int>(sum));
  }
}

int main() {
  int *in, *out, *changed;
  OK(cudaMallocManaged(&in, 3 * kThreads * sizeof(int)));
  OK(cudaMallocManaged(&out, 3 * kThreads * sizeof(int)));
  OK(cudaMallocManaged(&changed, sizeof(int)));
  for (int i = 0; i < 3 * kThreads; ++i) in[i] = i % 7 - 3;
  check<64>(in, out, changed);
  check<128>(in, out, changed);
  check<512>(in, out, changed);
  return finish("tiles");
}

// Ways to put accesses to shared memory in an order, each as it should be or with what orders left out: for bankshot
// check --race.
//   orders pipeline|barrier|flag|named|group [wrong]
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda/barrier>

#include <cstdio>
#include <cstring>

#include "tests/cuda/check.hpp"

namespace cg = cooperative_groups;

constexpr int kThreads = 64;

/// A copy of cp.async, and the wait for it.
__global__ void pipeline(const int* in, int* out, bool wrong) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
  __pipeline_commit();
  if (!wrong) __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[kThreads - 1 - t];
  __pipeline_wait_prior(0);
}

/// An mbarrier that one warp arrives at and the other waits for.
__global__ void barrier(const int* in, int* out, bool wrong) {
  __shared__ int tile[32];
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  const int t = threadIdx.x;
  if (t == 0) init(&full, 64);
  __syncthreads();
  if (t < 32) {
    if (wrong) (void)full.arrive();
    tile[t] = in[t];
    if (!wrong) (void)full.arrive();
  } else {
    full.wait(full.arrive());
    out[t - 32] = tile[63 - t];
  }
}

/// A flag, between fences.
__global__ void flag(const int* in, int* out, bool wrong) {
  __shared__ int value;
  __shared__ volatile int ready;
  const int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  if (t == 0) {
    value = in[0];
    if (!wrong) __threadfence_block();
    ready = 1;
  } else if (t == 32) {
    while (ready == 0) {
    }
    __threadfence_block();
    out[0] = value;
  }
}

/// Barriers with numbers: warp 0 produces, warp 1 consumes. @param wrong  warp 0 does not wait until the buffer is free
__global__ void named(const int* in, int* out, bool wrong) {
  __shared__ int buffer[32];
  const int t = threadIdx.x % 32;
  for (int k = 0; k < 2; ++k) {
    if (threadIdx.x < 32) {
      if (!wrong) asm volatile("bar.sync 1, 64;" ::: "memory");
      buffer[t] = in[32 * k + t];
      asm volatile("bar.arrive %0, 64;" ::"r"(2 + k) : "memory");
    } else {
      if (!wrong) asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync %0, 64;" ::"r"(2 + k) : "memory");
      out[32 * k + t] = buffer[31 - t];
    }
  }
}

/// A tile of a cooperative group.
__global__ void group(const int* in, int* out, bool wrong) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  const auto quarter = cg::tiled_partition<8>(cg::this_thread_block());
  tile[t] = in[t];
  if (!wrong) quarter.sync();
  out[t] = tile[t ^ 7];
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const bool wrong = argc > 2;
  int* memory = nullptr;
  OK(cudaMalloc(&memory, 2 * kThreads * sizeof(int)));
  int numbers[2 * kThreads];
  for (int k = 0; k < 2 * kThreads; ++k) numbers[k] = k + 1;  // equal ones would harm nobody
  OK(cudaMemcpy(memory, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  void (*kernel)(const int*, int*, bool) = !std::strcmp(argv[1], "pipeline")  ? pipeline
                                           : !std::strcmp(argv[1], "barrier") ? barrier
                                           : !std::strcmp(argv[1], "flag")    ? flag
                                           : !std::strcmp(argv[1], "named")   ? named
                                                                              : group;
  kernel<<<1, kThreads>>>(memory, memory + kThreads, wrong);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(memory));
  return 0;
}

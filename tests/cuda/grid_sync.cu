// A barrier of the whole grid in cooperative launches.
#include <cooperative_groups.h>

#include <vector>

#include "check.hpp"

namespace cg = cooperative_groups;

/// Each round every thread adds what a thread of another block wrote in the round before.
__global__ void rounds(int* from, int* to, int count) {
  const cg::grid_group grid = cg::this_grid();
  const auto me = static_cast<int>(grid.thread_rank()), all = static_cast<int>(grid.size());
  for (int round = 0; round < count; ++round) {
    to[me] = from[me] + from[(me + static_cast<int>(blockDim.x)) % all];
    grid.sync();
    int* swap = from;
    from = to;
    to = swap;
  }
}

__global__ void is_valid(int* valid) { *valid = cg::this_grid().is_valid(); }

int main() {
  constexpr int kBlocks = 12, kThreads = 40, kAll = kBlocks * kThreads, kRounds = 5;
  std::vector<int> expected(kAll), result(kAll);
  for (int i = 0; i < kAll; ++i) expected[i] = i * i % 101;
  int* buffers[2];
  for (int*& buffer : buffers) OK(cudaMalloc(&buffer, kAll * sizeof(int)));
  for (int launch = 0; launch < 2; ++launch) {  // the barrier is as new at every launch
    OK(cudaMemcpy(buffers[0], expected.data(), kAll * sizeof(int), cudaMemcpyHostToDevice));
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<int> before = expected;
      for (int i = 0; i < kAll; ++i) expected[i] = before[i] + before[(i + kThreads) % kAll];
    }
    int count = kRounds;
    void* arguments[] = {&buffers[0], &buffers[1], &count};
    OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(kBlocks), dim3(kThreads), arguments, 0,
                                   nullptr));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(result.data(), buffers[kRounds % 2], kAll * sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(result == expected);
  }

  // In a graph: the launch's attribute is captured, too.
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.gridDim = config.blockDim = dim3(1);
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  OK(cudaLaunchKernelEx(&config, is_valid, buffers[0]));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaMemcpy(result.data(), buffers[0], sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQ(result[0], 1);
  is_valid<<<1, 1>>>(buffers[0]);
  OK(cudaMemcpy(result.data(), buffers[0], sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_EQ(result[0], 0);
  return finish("grid_sync");
}

// Graphs that kernels launch: while the launching graph runs, after it, and itself again.
#include "check.hpp"

// What ran, in order.
__device__ int log_of_runs[32];
__device__ int runs;
__device__ int left;
__device__ cudaGraphExec_t first_tail, second_tail, of_first, child, outer;

__device__ void note(int what) { log_of_runs[runs++] = what; }

__global__ void leaf(int what) { note(what); }

/// Runs the graph again until nothing is left.
__global__ void again(int* status) {
  note(7);
  if (--left > 0) *status = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

__global__ void launches_tails(int* status) {
  note(1);
  status[0] = cudaGraphLaunch(first_tail, cudaStreamGraphTailLaunch);
  status[1] = cudaGraphLaunch(second_tail, cudaStreamGraphTailLaunch);
  status[2] = cudaGraphLaunch(child, cudaStreamGraphFireAndForget);
}

__global__ void launches_one_more(int* status) {
  note(3);
  *status = cudaGraphLaunch(of_first, cudaStreamGraphTailLaunch);
}

__global__ void launches(cudaGraphExec_t graph, cudaStream_t how, int* status) {
  *status = cudaGraphLaunch(graph, how);
}

__global__ void launches_sibling(int* status) {
  *status = cudaGraphLaunch(child, cudaStreamGraphFireAndForgetAsSibling);
}

__global__ void launches_itself(int* status) {
  *status = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphFireAndForget);
}

__global__ void twice(int* status) {
  note(9);
  if (--left == 0) return;
  for (int k = 0; k < 2; ++k) status[k] = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

__global__ void launches_outer(int* status) {
  status[0] = cudaGraphLaunch(outer, cudaStreamGraphTailLaunch);
  status[2] = cudaGraphLaunch(outer, cudaStreamGraphFireAndForget);
}

__global__ void names_graph(unsigned long long* graph) {
  *graph = reinterpret_cast<unsigned long long>(cudaGetCurrentGraphExec());
}

/// A graph of one kernel.
template <class... First>
cudaGraph_t graph_of(void (*kernel)(First...), First... arguments) {
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  void* pointers[] = {&arguments...};
  cudaKernelNodeParams what{};
  what.func = reinterpret_cast<void*>(kernel);
  what.gridDim = what.blockDim = {1, 1, 1};
  what.kernelParams = pointers;
  cudaGraphNode_t node;
  OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &what));
  return graph;
}

void add_leaf(cudaGraph_t graph, int what) {
  cudaGraphNode_t before, node;
  size_t count = 1;
  OK(cudaGraphGetRootNodes(graph, &before, &count));
  void* pointers[] = {&what};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(leaf);
  kernel.gridDim = kernel.blockDim = {1, 1, 1};
  kernel.kernelParams = pointers;
  OK(cudaGraphAddKernelNode(&node, graph, &before, 1, &kernel));
}

cudaGraphExec_t for_device(cudaGraph_t graph, bool upload = true) {
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
  if (upload) OK(cudaGraphUpload(exec, nullptr));
  return exec;
}

void expect_log(std::initializer_list<int> expected) {
  int got[32], count = 0;
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpyFromSymbol(got, log_of_runs, sizeof got));
  OK(cudaMemcpyFromSymbol(&count, runs, sizeof count));
  EXPECT_EQ(count, int(expected.size()));
  int at = 0;
  for (const int one : expected) EXPECT_EQ(got[at++], one);
  count = 0;
  OK(cudaMemcpyToSymbol(runs, &count, sizeof count));
}

int main() {
  int* status = nullptr;
  OK(cudaMallocManaged(&status, 4 * sizeof(int)));
  for (int k = 0; k < 4; ++k) status[k] = -1;

  // Itself again and again, each time with both of its nodes.
  cudaGraph_t loop = graph_of(again, status);
  add_leaf(loop, 8);
  const int times = 3;
  OK(cudaMemcpyToSymbol(left, &times, sizeof times));
  OK(cudaGraphLaunch(for_device(loop, false), nullptr));  // a launch uploads as well
  expect_log({7, 8, 7, 8, 7, 8});
  EXPECT_EQ(status[0], cudaSuccess);

  // Tails come when the graph has ended, in order, each with its own tails behind it; a child runs meanwhile.
  int* const of_launches = status + 1;
  const cudaGraphExec_t execs[] = {for_device(graph_of(launches_one_more, status)), for_device(graph_of(leaf, 4)),
                                   for_device(graph_of(leaf, 5)), for_device(graph_of(leaf, 6))};
  OK(cudaMemcpyToSymbol(first_tail, &execs[0], sizeof(cudaGraphExec_t)));
  OK(cudaMemcpyToSymbol(second_tail, &execs[1], sizeof(cudaGraphExec_t)));
  OK(cudaMemcpyToSymbol(of_first, &execs[2], sizeof(cudaGraphExec_t)));
  OK(cudaMemcpyToSymbol(child, &execs[3], sizeof(cudaGraphExec_t)));
  cudaGraph_t parent = graph_of(launches_tails, of_launches);
  add_leaf(parent, 2);
  cudaGraphExec_t of_host;
  OK(cudaGraphInstantiate(&of_host, parent, 0));
  status[0] = -1;
  OK(cudaGraphLaunch(of_host, nullptr));
  expect_log({1, 6, 2, 3, 5, 4});
  for (int k = 0; k < 4; ++k) EXPECT_EQ(status[k], cudaSuccess);
  OK(cudaGraphInstantiate(&of_host, graph_of(launches_sibling, status), 0));
  OK(cudaGraphLaunch(of_host, nullptr));
  expect_log({6});

  // What cannot be launched: outside a graph, without upload, without the flag, itself while it runs.
  launches<<<1, 1>>>(execs[3], cudaStreamGraphFireAndForget, status);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(status[0], cudaErrorNotSupported);
  cudaGraphExec_t ordinary;
  OK(cudaGraphInstantiate(&ordinary, graph_of(leaf, 9), 0));
  for (const cudaGraphExec_t wrong : {for_device(graph_of(leaf, 9), false), ordinary, cudaGraphExec_t(nullptr)}) {
    OK(cudaGraphInstantiate(&of_host, graph_of(launches, wrong, cudaStreamGraphFireAndForget, status), 0));
    OK(cudaGraphLaunch(of_host, nullptr));
    OK(cudaDeviceSynchronize());
    EXPECT_EQ(status[0], cudaErrorInvalidValue);
  }
  OK(cudaGraphLaunch(for_device(graph_of(launches_itself, status)), nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(status[0], cudaErrorInvalidValue);
  // Twice at a time, and the graph around it, even to the tail.
  cudaGraph_t doubly = graph_of(twice, status);
  OK(cudaMemcpyToSymbol(left, &times, sizeof times));
  OK(cudaGraphLaunch(for_device(doubly), nullptr));
  OK(cudaDeviceSynchronize());
  expect_log({9, 9, 9});
  EXPECT_EQ(status[1], cudaErrorInvalidValue);
  const cudaGraphExec_t inner = for_device(graph_of(launches_outer, status));
  OK(cudaMemcpyToSymbol(child, &inner, sizeof inner));
  const cudaGraphExec_t around = for_device(graph_of(launches_sibling, status + 1));
  OK(cudaMemcpyToSymbol(outer, &around, sizeof around));
  OK(cudaGraphLaunch(around, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(status[1], cudaSuccess);
  EXPECT_EQ(status[0], cudaErrorInvalidValue);
  EXPECT_EQ(status[2], cudaErrorInvalidValue);
  expect_log({});

  // A kernel outside a graph has none; a host's function cannot be in a graph for kernels.
  unsigned long long* graph = nullptr;
  OK(cudaMallocManaged(&graph, sizeof *graph));
  *graph = 1;
  names_graph<<<1, 1>>>(graph);
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(*graph, 0u);
  *graph = 1;
  OK(cudaGraphInstantiate(&of_host, graph_of(names_graph, graph), 0));
  OK(cudaGraphLaunch(of_host, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(*graph, 0u);
  const cudaGraphExec_t named = for_device(graph_of(names_graph, graph));
  OK(cudaGraphLaunch(named, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(*graph, reinterpret_cast<unsigned long long>(named));
  cudaGraph_t with_host = graph_of(leaf, 9);
  cudaGraphNode_t node;
  cudaHostNodeParams call{};
  call.fn = [](void*) {};
  OK(cudaGraphAddHostNode(&node, with_host, nullptr, 0, &call));
  cudaGraphExec_t none;
  EXPECT_EQ(cudaGraphInstantiate(&none, with_host, cudaGraphInstantiateFlagDeviceLaunch), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphInstantiate(&none, doubly,
                                 cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagAutoFreeOnLaunch),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  return finish("device_graphs");
}

// Nodes that run or repeat what is in them by what a kernel says.
#include "check.hpp"

__global__ void add(int* value, int term) { *value += term; }
__global__ void count_down(int* left, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void choose(cudaGraphConditionalHandle handle, const int* which) { cudaGraphSetConditional(handle, *which); }

static int* memory = nullptr;  // [0] result, [1] left, [2] which

static cudaGraphNode_t conditional(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                                   cudaGraphConditionalNodeType type, unsigned size, cudaGraph_t* bodies) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  cudaGraphNode_t node = nullptr;
  OK(cudaGraphAddNode(&node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &params));
  for (unsigned k = 0; k < size; ++k) bodies[k] = params.conditional.phGraph_out[k];
  return node;
}

static cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t after, void* function, void* first, void* second) {
  void* arguments[] = {first, second};
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = function;
  params.kernel.gridDim = params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  OK(cudaGraphAddNode(&node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &params));
  return node;
}

static int run(cudaGraphExec_t exec, int left, int which) {
  int values[3] = {0, left, which};
  OK(cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost));
  return values[0];
}

int main() {
  OK(cudaMalloc(&memory, 3 * sizeof(int)));
  int *left = memory + 1, *which = memory + 2;
  int one = 1, ten = 10, hundred = 100;
  cudaGraph_t graph, bodies[3];
  OK(cudaGraphCreate(&graph, 0));

  // while (…) result += 1
  cudaGraphConditionalHandle handle;
  OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1, bodies);
  const auto added = kernel(bodies[0], nullptr, reinterpret_cast<void*>(add), &memory, &one);
  kernel(bodies[0], added, reinterpret_cast<void*>(count_down), &left, &handle);
  // A condition is for its graph and those inside.
  cudaGraph_t other;
  OK(cudaGraphCreate(&other, 0));
  cudaGraphNodeParams strange{};
  strange.type = cudaGraphNodeTypeConditional;
  strange.conditional.handle = handle;
  strange.conditional.type = cudaGraphCondTypeIf;
  strange.conditional.size = 1;
  cudaGraphNode_t refused = nullptr;
  EXPECT_EQ(cudaGraphAddNode(&refused, other, nullptr, nullptr, 0, &strange), cudaErrorInvalidValue);
  OK(cudaGraphDestroy(other));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(handle)), cudaErrorInvalidValue);  // not the program's memory
  cudaGetLastError();
  EXPECT_EQ(run(exec, 7, 0), 7);
  EXPECT_EQ(run(exec, 3, 0), 3);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  // if (which) += 1 else += 10
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  auto set = kernel(graph, nullptr, reinterpret_cast<void*>(choose), &handle, &which);
  conditional(graph, set, handle, cudaGraphCondTypeIf, 2, bodies);
  kernel(bodies[0], nullptr, reinterpret_cast<void*>(add), &memory, &one);
  kernel(bodies[1], nullptr, reinterpret_cast<void*>(add), &memory, &ten);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_EQ(run(exec, 0, 1), 1);
  EXPECT_EQ(run(exec, 0, 0), 10);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  // switch (which)
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  set = kernel(graph, nullptr, reinterpret_cast<void*>(choose), &handle, &which);
  conditional(graph, set, handle, cudaGraphCondTypeSwitch, 3, bodies);
  kernel(bodies[0], nullptr, reinterpret_cast<void*>(add), &memory, &one);
  kernel(bodies[1], nullptr, reinterpret_cast<void*>(add), &memory, &ten);
  kernel(bodies[2], nullptr, reinterpret_cast<void*>(add), &memory, &hundred);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphDestroy(graph));  // the instance keeps the condition
  EXPECT_EQ(run(exec, 0, 0), 1);
  EXPECT_EQ(run(exec, 0, 2), 100);
  EXPECT_EQ(run(exec, 0, 3), 0);
  OK(cudaGraphExecDestroy(exec));
  return finish("conditional_graphs");
}

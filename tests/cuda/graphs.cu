// Graphs made node by node: what they do, in which order, what can be asked and changed.
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "check.hpp"

__device__ int symbol[4];

__global__ void times_and_plus(int* value, int factor, int term) { *value = *value * factor + term; }
__global__ void scale(int* values, int factor) { values[threadIdx.x] *= factor; }

struct Fixture {
  int* device = nullptr;
  cudaStream_t stream{};
  Fixture() {
    OK(cudaMalloc(&device, 64 * sizeof(int)));
    OK(cudaStreamCreate(&stream));
  }
  ~Fixture() {
    OK(cudaFree(device));
    OK(cudaStreamDestroy(stream));
  }
  int read(int k = 0) {
    int value = 0;
    OK(cudaMemcpy(&value, device + k, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
};

static cudaKernelNodeParams step(int** value, int* factor, int* term, void** arguments) {
  arguments[0] = value;
  arguments[1] = factor;
  arguments[2] = term;
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(times_and_plus);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  return params;
}

/// A diamond: fill, then two kernels that do not commute and are ordered by an edge added later, then a copy out.
static void nodes_and_edges() {
  Fixture f;
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill{};
  fill.dst = f.device;
  fill.elementSize = 4;
  fill.value = 5;
  fill.width = 1;
  fill.height = 1;
  cudaGraphNode_t filled, first, second, out, host;
  OK(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill));
  int three = 3, four = 4, ten = 10, one = 1;
  void* arguments[3];
  auto params = step(&f.device, &ten, &one, arguments);
  OK(cudaGraphAddKernelNode(&second, graph, &filled, 1, &params));  // added first, runs behind the other
  params = step(&f.device, &three, &four, arguments);
  OK(cudaGraphAddKernelNode(&first, graph, &filled, 1, &params));
  three = four = 0;  // arguments were copied
  OK(cudaGraphAddDependencies(graph, &first, &second, nullptr, 1));
  EXPECT_EQ(cudaGraphAddDependencies(graph, &first, &second, nullptr, 1), cudaErrorInvalidValue);
  int result = 0, seen = 0;
  OK(cudaGraphAddMemcpyNode1D(&out, graph, &second, 1, &result, f.device, sizeof result, cudaMemcpyDeviceToHost));
  struct Seen {
    int *result, *seen;
  } both{&result, &seen};
  cudaHostNodeParams call{};
  call.fn = [](void* data) { *static_cast<Seen*>(data)->seen = *static_cast<Seen*>(data)->result + 1; };
  call.userData = &both;
  OK(cudaGraphAddHostNode(&host, graph, &out, 1, &call));

  size_t count = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 5);
  cudaGraphNode_t roots[3];
  count = 3;
  OK(cudaGraphGetRootNodes(graph, roots, &count));
  EXPECT_EQ(count, 1);
  EXPECT(roots[0] == filled && roots[1] == nullptr);
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  EXPECT_EQ(count, 5);
  OK(cudaGraphNodeGetDependencies(second, nullptr, nullptr, &count));
  EXPECT_EQ(count, 2);
  OK(cudaGraphNodeGetDependentNodes(filled, nullptr, nullptr, &count));
  EXPECT_EQ(count, 2);
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(host, &type));
  EXPECT_EQ(type, cudaGraphNodeTypeHost);

  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_EQ(result, 0);  // nothing has run
  OK(cudaGraphUpload(exec, f.stream));
  OK(cudaGraphLaunch(exec, f.stream));
  OK(cudaStreamSynchronize(f.stream));
  EXPECT_EQ(result, (5 * 3 + 4) * 10 + 1);
  EXPECT_EQ(seen, 192);

  // Parameters of the instance change; the graph's do not.
  int seven = 7, zero = 0;
  params = step(&f.device, &seven, &zero, arguments);
  OK(cudaGraphExecKernelNodeSetParams(exec, first, &params));
  fill.value = 2;
  OK(cudaGraphExecMemsetNodeSetParams(exec, filled, &fill));
  OK(cudaGraphLaunch(exec, f.stream));
  EXPECT_EQ(result, 2 * 7 * 10 + 1);
  cudaKernelNodeParams got{};
  OK(cudaGraphKernelNodeGetParams(first, &got));
  EXPECT_EQ(*static_cast<int*>(got.kernelParams[1]), 3);
  EXPECT_EQ(got.gridDim.x, 1);
  cudaMemcpy3DParms copied{};
  OK(cudaGraphMemcpyNodeGetParams(out, &copied));
  EXPECT(copied.dstPtr.ptr == &result && copied.kind == cudaMemcpyDeviceToHost && copied.extent.width == sizeof result);
  EXPECT_EQ(cudaGraphHostNodeGetParams(out, &call), cudaErrorInvalidValue);

  // A node that is switched off.
  unsigned on = 9;
  OK(cudaGraphNodeSetEnabled(exec, first, 0));
  OK(cudaGraphNodeGetEnabled(exec, first, &on));
  EXPECT_EQ(on, 0);
  OK(cudaGraphLaunch(exec, f.stream));
  EXPECT_EQ(result, 21);
  EXPECT_EQ(cudaGraphNodeSetEnabled(exec, host, 0), cudaErrorInvalidValue);

  // A graph with other parameters is taken over; one of another shape is not.
  params = step(&f.device, &one, &one, arguments);
  OK(cudaGraphKernelNodeSetParams(first, &params));
  cudaGraphExecUpdateResultInfo info{};
  OK(cudaGraphExecUpdate(exec, graph, &info));
  EXPECT_EQ(info.result, cudaGraphExecUpdateSuccess);
  OK(cudaGraphNodeSetEnabled(exec, first, 1));
  OK(cudaGraphLaunch(exec, f.stream));
  EXPECT_EQ(result, 61);
  cudaGraphNode_t more;
  OK(cudaGraphAddEmptyNode(&more, graph, &host, 1));
  EXPECT_EQ(cudaGraphExecUpdate(exec, graph, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
  OK(cudaGraphDestroyNode(more));

  // Clones have nodes of their own.
  cudaGraph_t clone;
  cudaGraphNode_t twin;
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphNodeFindInClone(&twin, filled, clone));
  EXPECT(twin != filled);
  cudaMemsetParams same{};
  OK(cudaGraphMemsetNodeGetParams(twin, &same));
  EXPECT_EQ(same.value, 5);
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphLaunch(exec, f.stream));  // instances outlive their graphs
  EXPECT_EQ(result, 61);
  EXPECT_EQ(cudaGraphMemsetNodeGetParams(filled, &same), cudaErrorInvalidValue);
  OK(cudaGraphDestroy(clone));
  OK(cudaGraphExecDestroy(exec));
  EXPECT_EQ(cudaGraphLaunch(exec, f.stream), cudaErrorInvalidValue);
  cudaGetLastError();
}

static void rejects_cycles_and_strangers() {
  cudaGraph_t graph, other;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphCreate(&other, 0));
  cudaGraphNode_t a, b, c;
  OK(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
  OK(cudaGraphAddEmptyNode(&b, graph, &a, 1));
  OK(cudaGraphAddEmptyNode(&c, other, nullptr, 0));
  EXPECT_EQ(cudaGraphAddDependencies(graph, &c, &b, nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddEmptyNode(&c, graph, &c, 1), cudaErrorInvalidValue);
  cudaGraphNode_t twice_from[2], twice_to[2], d;
  OK(cudaGraphAddEmptyNode(&d, graph, nullptr, 0));
  twice_from[0] = twice_from[1] = b;
  twice_to[0] = twice_to[1] = d;
  EXPECT_EQ(cudaGraphAddDependencies(graph, twice_from, twice_to, nullptr, 2), cudaErrorInvalidValue);
  size_t edges = 0;
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT_EQ(edges, 1);  // none of a list that is refused
  OK(cudaGraphAddDependencies(graph, &b, &a, nullptr, 1));
  cudaGraphExec_t exec;
  cudaGraphInstantiateParams params{};
  EXPECT_EQ(cudaGraphInstantiateWithParams(&exec, graph, &params), cudaErrorInvalidValue);
  EXPECT_EQ(params.result_out, cudaGraphInstantiateInvalidStructure);
  OK(cudaGraphRemoveDependencies(graph, &b, &a, nullptr, 1));
  OK(cudaGraphInstantiateWithParams(&exec, graph, &params));
  EXPECT_EQ(params.result_out, cudaGraphInstantiateSuccess);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphDestroy(other));
  cudaGetLastError();
}

static void symbols_children_and_events() {
  Fixture f;
  cudaGraph_t child, graph;
  OK(cudaGraphCreate(&child, 0));
  OK(cudaGraphCreate(&graph, 0));
  const int values[4] = {1, 2, 3, 4};
  cudaGraphNode_t in, kernel, nested, out, recorded;
  OK(cudaGraphAddMemcpyNodeToSymbol(&in, child, nullptr, 0, symbol, values, sizeof values, 0, cudaMemcpyHostToDevice));
  void* address = nullptr;
  OK(cudaGetSymbolAddress(&address, symbol));
  int factor = 11;
  void* arguments[] = {&address, &factor};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(scale);
  params.gridDim = dim3(1);
  params.blockDim = dim3(4);
  params.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&kernel, child, &in, 1, &params));
  OK(cudaGraphAddChildGraphNode(&nested, graph, nullptr, 0, child));
  OK(cudaGraphDestroy(child));  // it was copied
  int results[4] = {};
  OK(cudaGraphAddMemcpyNodeFromSymbol(&out, graph, &nested, 1, results, symbol, sizeof results, 0,
                                      cudaMemcpyDeviceToHost));
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  OK(cudaGraphAddEventRecordNode(&recorded, graph, &out, 1, event));
  cudaEvent_t which;
  OK(cudaGraphEventRecordNodeGetEvent(recorded, &which));
  EXPECT(which == event);
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, f.stream));
  for (int k = 0; k < 4; ++k) EXPECT_EQ(results[k], 11 * (k + 1));
  float milliseconds = -1;
  OK(cudaEventElapsedTime(&milliseconds, event, event));
  EXPECT(milliseconds == 0);

  // The node inside is changed through the graph's own copy of the child.
  cudaGraph_t inside;
  OK(cudaGraphChildGraphNodeGetGraph(nested, &inside));
  size_t count = 2;
  cudaGraphNode_t nodes[2];
  OK(cudaGraphGetNodes(inside, nodes, &count));
  EXPECT_EQ(count, 2);
  factor = 5;
  OK(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &params));
  OK(cudaGraphLaunch(exec, f.stream));
  EXPECT_EQ(results[3], 20);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaEventDestroy(event));
}

static void memory_nodes() {
  Fixture f;
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams allocate{};
  allocate.poolProps.allocType = cudaMemAllocationTypePinned;
  allocate.poolProps.location = {cudaMemLocationTypeDevice, 0};
  allocate.bytesize = 4096;
  cudaGraphNode_t allocated, filled, out, freed;
  OK(cudaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &allocate));
  EXPECT(allocate.dptr != nullptr);
  // Not memory before the node has run.
  EXPECT_EQ(cudaMemset(allocate.dptr, 0, 4), cudaErrorInvalidValue);
  cudaMemsetParams fill{};
  fill.dst = allocate.dptr;
  fill.elementSize = 1;
  fill.value = 0x21;
  fill.width = 4096;
  fill.height = 1;
  OK(cudaGraphAddMemsetNode(&filled, graph, &allocated, 1, &fill));
  unsigned result = 0;
  OK(cudaGraphAddMemcpyNode1D(&out, graph, &filled, 1, &result, allocate.dptr, 4, cudaMemcpyDeviceToHost));
  cudaGraphExec_t leaks, frees;
  OK(cudaGraphInstantiate(&leaks, graph, 0));
  OK(cudaGraphLaunch(leaks, f.stream));
  EXPECT_EQ(result, 0x21212121);
  unsigned long long used = 0;
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  EXPECT_EQ(used, 4096);
  EXPECT_EQ(cudaGraphLaunch(leaks, f.stream), cudaErrorInvalidValue);  // not freed yet
  OK(cudaFreeAsync(allocate.dptr, f.stream));
  OK(cudaGraphLaunch(leaks, f.stream));
  OK(cudaFree(allocate.dptr));
  OK(cudaGraphExecDestroy(leaks));

  OK(cudaGraphInstantiate(&leaks, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  OK(cudaGraphLaunch(leaks, f.stream));
  OK(cudaGraphLaunch(leaks, f.stream));
  OK(cudaFree(allocate.dptr));
  OK(cudaGraphAddMemFreeNode(&freed, graph, &out, 1, allocate.dptr));
  void* which = nullptr;
  cudaGraphNode_t wrong = nullptr;
  EXPECT_EQ(cudaGraphAddMemFreeNode(&wrong, graph, &out, 1, allocate.dptr), cudaErrorInvalidValue);  // twice
  EXPECT_EQ(cudaGraphAddMemFreeNode(&wrong, graph, &out, 1, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddMemFreeNode(&wrong, graph, &out, 1, f.device), cudaErrorInvalidValue);  // of cudaMalloc
  // What allocates keeps its nodes and edges.
  EXPECT_EQ(cudaGraphDestroyNode(freed), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphRemoveDependencies(graph, &out, &freed, nullptr, 1), cudaErrorInvalidValue);
  size_t nodes = 0, edges = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT(nodes == 4 && edges == 3);  // allocate, fill, copy, free
  OK(cudaGraphMemFreeNodeGetParams(freed, &which));
  EXPECT(which == allocate.dptr);
  OK(cudaGraphInstantiate(&frees, graph, 0));
  result = 0;
  OK(cudaGraphLaunch(frees, f.stream));
  OK(cudaGraphLaunch(frees, f.stream));
  EXPECT_EQ(result, 0x21212121);
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  EXPECT_EQ(used, 4096);  // mapped until it is trimmed
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used));
  EXPECT_EQ(used, 4096);
  OK(cudaDeviceGraphMemTrim(0));
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  EXPECT_EQ(used, 0);
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &used));
  EXPECT_EQ(used, 0);
  EXPECT_EQ(cudaMemset(allocate.dptr, 0, 4), cudaErrorInvalidValue);
  OK(cudaGraphExecDestroy(leaks));
  OK(cudaGraphExecDestroy(frees));
  OK(cudaGraphDestroy(graph));
  cudaGetLastError();
}

static int destroyed = 0;

static void user_objects_and_dot() {
  cudaUserObject_t object;
  OK(cudaUserObjectCreate(
      &object, &destroyed, [](void* count) { ++*static_cast<int*>(count); }, 1, cudaUserObjectNoDestructorSync));
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t a, b;
  OK(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
  OK(cudaGraphAddEmptyNode(&b, graph, &a, 1));
  OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  const std::string path = "/tmp/bankshot-graph-" + std::to_string(reinterpret_cast<uintptr_t>(graph)) + ".dot";
  OK(cudaGraphDebugDotPrint(graph, path.c_str(), 0));
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT(text.find("digraph") == 0 && text.find("EMPTY") != text.npos && text.find("->") != text.npos);
  std::remove(path.c_str());
  OK(cudaGraphDestroy(graph));
  EXPECT_EQ(destroyed, 0);  // the instance refers to it
  OK(cudaGraphExecDestroy(exec));
  EXPECT_EQ(destroyed, 1);
}

/// References of the program and of graphs are two things: nobody gives up or moves what another holds.
static void references_of_user_objects() {
  destroyed = 0;
  cudaUserObject_t object;
  OK(cudaUserObjectCreate(
      &object, &destroyed, [](void* count) { ++*static_cast<int*>(count); }, 1, cudaUserObjectNoDestructorSync));
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphRetainUserObject(graph, object, 2, 0));  // 1 of the program, 2 of the graph
  EXPECT_EQ(cudaUserObjectRelease(object, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphRetainUserObject(graph, object, 2, cudaGraphUserObjectMove), cudaErrorInvalidValue);
  OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));  // none and 3
  EXPECT_EQ(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphReleaseUserObject(graph, object, 4), cudaErrorInvalidValue);
  OK(cudaGraphReleaseUserObject(graph, object, 2));
  EXPECT_EQ(destroyed, 0);
  OK(cudaGraphDestroy(graph));
  EXPECT_EQ(destroyed, 1);
  cudaGetLastError();
}

struct Update {
  cudaGraphExec_t exec;
  cudaGraph_t graph;
  cudaError_t status;
};

/// What the graph runs on stays while it runs.
static void no_reset_by_a_node() {
  cudaError_t reset = cudaSuccess;
  cudaHostNodeParams call{};
  call.fn = [](void* data) { *static_cast<cudaError_t*>(data) = cudaDeviceReset(); };
  call.userData = &reset;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddHostNode(&node, graph, nullptr, 0, &call));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT_EQ(reset, cudaErrorNotPermitted);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotPermitted);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}

/// A node that changes the instance that is running: what runs stays what it was.
static void updated_by_itself() {
  Fixture f;
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  Update update{};
  cudaHostNodeParams call{};
  call.fn = [](void* data) {
    auto& u = *static_cast<Update*>(data);
    cudaGraphExecUpdateResultInfo info{};
    u.status = cudaGraphExecUpdate(u.exec, u.graph, &info);
  };
  call.userData = &update;
  cudaMemsetParams fill{};
  fill.dst = f.device;
  fill.elementSize = 4;
  fill.value = 1;
  fill.width = fill.height = 1;
  cudaGraphNode_t host, filled;
  OK(cudaGraphAddHostNode(&host, graph, nullptr, 0, &call));
  OK(cudaGraphAddMemsetNode(&filled, graph, &host, 1, &fill));
  OK(cudaGraphInstantiate(&update.exec, graph, 0));
  fill.value = 2;
  OK(cudaGraphMemsetNodeSetParams(filled, &fill));
  update.graph = graph;
  OK(cudaGraphLaunch(update.exec, f.stream));
  OK(update.status);
  EXPECT_EQ(f.read(), 1);
  OK(cudaGraphLaunch(update.exec, f.stream));
  EXPECT_EQ(f.read(), 2);
  // … or destroys it.
  call.fn = [](void* data) {
    auto& u = *static_cast<Update*>(data);
    u.status = cudaGraphExecDestroy(u.exec);
  };
  OK(cudaGraphExecHostNodeSetParams(update.exec, host, &call));
  OK(cudaMemset(f.device, 0, sizeof(int)));
  OK(cudaGraphLaunch(update.exec, f.stream));
  OK(update.status);
  EXPECT_EQ(f.read(), 2);
  EXPECT_EQ(cudaGraphLaunch(update.exec, f.stream), cudaErrorInvalidValue);
  OK(cudaGraphDestroy(graph));
  cudaGetLastError();
}

int main() {
  nodes_and_edges();
  rejects_cycles_and_strangers();
  symbols_children_and_events();
  memory_nodes();
  user_objects_and_dot();
  references_of_user_objects();
  updated_by_itself();
  no_reset_by_a_node();
  return finish("graphs");
}

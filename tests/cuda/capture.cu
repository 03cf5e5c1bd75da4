// Graphs made by capturing streams, and what is not allowed meanwhile.
#include <string>
#include <thread>

#include "check.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // copies of runs of bytes of arrays

__device__ int symbol;

__global__ void times_and_plus(int* value, int factor, int term) { *value = *value * factor + term; }

static int* value = nullptr;
static cudaStream_t main_stream, side;
static cudaEvent_t forked, joined;

static int read() {
  int result = 0;
  OK(cudaMemcpy(&result, value, sizeof result, cudaMemcpyDeviceToHost));
  return result;
}

static void launches(cudaGraph_t graph, int times) {
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int k = 0; k < times; ++k) OK(cudaGraphLaunch(exec, main_stream));
  OK(cudaStreamSynchronize(main_stream));
  OK(cudaGraphExecDestroy(exec));
}

/// Two streams: the second joins through an event and comes back through another.
static void fork_and_join() {
  int start = 2, out = 0, host = 0;
  cudaGraph_t graph;
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpyAsync(value, &start, sizeof start, cudaMemcpyHostToDevice, main_stream));
  OK(cudaEventRecord(forked, main_stream));
  OK(cudaStreamWaitEvent(side, forked, 0));
  cudaStreamCaptureStatus status;
  unsigned long long ids[2];
  OK(cudaStreamGetCaptureInfo(main_stream, &status, &ids[0]));
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  OK(cudaStreamGetCaptureInfo(side, &status, &ids[1]));
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(ids[0], ids[1]);
  times_and_plus<<<1, 1, 0, side>>>(value, 3, 1);
  OK(cudaGetLastError());
  OK(cudaMemcpyToSymbolAsync(symbol, &start, sizeof start, 0, cudaMemcpyHostToDevice, side));
  OK(cudaEventRecord(joined, side));
  OK(cudaStreamWaitEvent(main_stream, joined, 0));
  times_and_plus<<<1, 1, 0, main_stream>>>(value, 10, 5);
  OK(cudaMemcpyAsync(&out, value, sizeof out, cudaMemcpyDeviceToHost, main_stream));
  struct Data {
    int *out, *host;
  } data{&out, &host};
  OK(cudaLaunchHostFunc(
      main_stream, [](void* d) { *static_cast<Data*>(d)->host += *static_cast<Data*>(d)->out; }, &data));
  OK(cudaStreamEndCapture(main_stream, &graph));
  EXPECT_EQ(out, 0);
  size_t nodes = 0, edges = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT_EQ(nodes, 6);  // copy, kernel, copy to a symbol, kernel, copy, call
  EXPECT_EQ(edges,
            6);  // the second kernel waits for the first copy, which ordered main_stream, and for the side's last
  OK(cudaStreamIsCapturing(side, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  launches(graph, 2);
  EXPECT_EQ(out, (2 * 3 + 1) * 10 + 5);
  EXPECT_EQ(host, 150);
  EXPECT_EQ(cudaEventQuery(forked), cudaErrorCapturedEvent);
  OK(cudaEventRecord(forked, main_stream));
  OK(cudaEventQuery(forked));
  OK(cudaGraphDestroy(graph));
  cudaGetLastError();
}

/// What is issued while capturing does not run; memory that is allocated then belongs to the graph.
static void allocations() {
  cudaGraph_t graph;
  void* memory = nullptr;
  unsigned out = 0;
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeRelaxed));
  OK(cudaMallocAsync(&memory, 1024, main_stream));
  OK(cudaMemsetAsync(memory, 0x11, 1024, main_stream));
  OK(cudaMemcpyAsync(&out, memory, 4, cudaMemcpyDeviceToHost, main_stream));
  OK(cudaFreeAsync(memory, main_stream));
  int* allowed = nullptr;
  OK(cudaMalloc(&allowed, 16));  // in relaxed mode
  OK(cudaFree(allowed));
  OK(cudaStreamEndCapture(main_stream, &graph));
  EXPECT_EQ(out, 0);
  launches(graph, 3);
  EXPECT_EQ(out, 0x11111111);
  // Zero bytes are an allocation, too. Memory of no graph is not freed by one.
  cudaGraph_t of_nothing;
  OK(cudaMalloc(&allowed, 16));
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeRelaxed));
  OK(cudaMallocAsync(&memory, 0, main_stream));
  EXPECT(memory != nullptr);
  OK(cudaFreeAsync(memory, main_stream));
  OK(cudaStreamEndCapture(main_stream, &of_nothing));
  launches(of_nothing, 2);
  OK(cudaGraphDestroy(of_nothing));
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(cudaFreeAsync(allowed, main_stream), cudaErrorInvalidValue);
  cudaStreamEndCapture(main_stream, &of_nothing);
  OK(cudaFree(allowed));
  // Its addresses are this graph's only: it is not to be inside of another one.
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(cudaGraphLaunch(exec, main_stream), cudaErrorNotSupported);
  cudaGraph_t none = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(main_stream, &none), cudaErrorStreamCaptureInvalidated);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  cudaGetLastError();
}

static void graph_in_a_capture_and_into_a_graph() {
  cudaGraph_t inner, outer;
  OK(cudaMemset(value, 0, sizeof(int)));
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  times_and_plus<<<1, 1, 0, main_stream>>>(value, 2, 1);
  OK(cudaStreamEndCapture(main_stream, &inner));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, inner, 0));
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  OK(cudaGraphLaunch(exec, main_stream));
  OK(cudaGraphLaunch(exec, main_stream));
  OK(cudaStreamEndCapture(main_stream, &outer));
  cudaGraphNode_t nodes[2];
  size_t count = 2;
  OK(cudaGraphGetNodes(outer, nodes, &count));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(nodes[1], &type));
  EXPECT_EQ(type, cudaGraphNodeTypeGraph);
  launches(outer, 1);
  EXPECT_EQ(read(), 3);
  // A graph that is inside of the one being captured into must stay, as must that one.
  cudaGraph_t child;
  OK(cudaGraphChildGraphNodeGetGraph(nodes[0], &child));
  OK(cudaStreamBeginCaptureToGraph(main_stream, child, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(cudaGraphDestroy(outer), cudaErrorInvalidValue);
  OK(cudaStreamEndCapture(main_stream, nullptr));
  OK(cudaStreamBeginCaptureToGraph(main_stream, outer, &nodes[1], nullptr, 1, cudaStreamCaptureModeGlobal));
  times_and_plus<<<1, 1, 0, main_stream>>>(value, 10, 0);
  cudaGraph_t same;
  OK(cudaStreamEndCapture(main_stream, &same));
  EXPECT(same == outer);
  launches(outer, 1);
  EXPECT_EQ(read(), 150);  // ((3 * 2 + 1) * 2 + 1) * 10
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(inner));
  OK(cudaGraphDestroy(outer));
}

/// Copies with arrays become nodes: a rectangle one, a run of bytes over rows as many as it has rectangles.
static void copies_with_arrays() {
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &bytes, 4, 3));
  char in[] = "abcdefghijkl", run[] = "UVWXYZ", out[13] = {}, ran[8] = {};
  cudaGraph_t graph;
  size_t nodes = 0;
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpy2DToArrayAsync(array, 0, 0, in, 4, 4, 3, cudaMemcpyHostToDevice, main_stream));
  cudaChannelFormatDesc seen{};
  OK(cudaGetChannelDesc(&seen, array));  // asking spoils nothing
  OK(cudaMemcpyToArrayAsync(array, 3, 0, run, 6, cudaMemcpyHostToDevice, main_stream));
  OK(cudaMemcpyFromArrayAsync(ran, array, 0, 1, 5, cudaMemcpyDeviceToHost, main_stream));
  OK(cudaMemcpy2DFromArrayAsync(out, 4, array, 0, 0, 4, 3, cudaMemcpyDeviceToHost, main_stream));
  OK(cudaStreamEndCapture(main_stream, &graph));
  EXPECT_EQ(out[0], 0);
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 1 + 3 + 2 + 1);  // the run: a byte of a row, a row, a byte
  launches(graph, 1);
  EXPECT(std::string(out) == "abcUVWXYZjkl");
  EXPECT(std::string(ran) == "VWXYZ");
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(cudaMemcpyToArrayAsync(array, 3, 0, run, 10, cudaMemcpyHostToDevice, main_stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamEndCapture(main_stream, &graph), cudaErrorStreamCaptureInvalidated);
  OK(cudaFreeArray(array));
  cudaGetLastError();
}

static void dependencies_by_hand() {
  cudaGraph_t graph, seen;
  OK(cudaMemset(value, 0, sizeof(int)));
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  times_and_plus<<<1, 1, 0, main_stream>>>(value, 1, 1);
  cudaStreamCaptureStatus status;
  unsigned long long id;
  const cudaGraphNode_t* last = nullptr;
  size_t count = 0;
  OK(cudaStreamGetCaptureInfo(main_stream, &status, &id, &seen, &last, nullptr, &count));
  EXPECT_EQ(count, 1);
  cudaGraphNode_t empty;
  OK(cudaGraphAddEmptyNode(&empty, seen, last, count));
  OK(cudaStreamUpdateCaptureDependencies(main_stream, &empty, nullptr, 1, cudaStreamSetCaptureDependencies));
  times_and_plus<<<1, 1, 0, main_stream>>>(value, 4, 0);
  OK(cudaStreamEndCapture(main_stream, &graph));
  EXPECT(graph == seen);
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 3);
  launches(graph, 1);
  EXPECT_EQ(read(), 4);
  OK(cudaGraphDestroy(graph));
}

/// After `wrong` the capture is invalid, and ending it says so.
template <class Wrong>
static void rejects(cudaError_t wanted, Wrong wrong, int line) {
  cudaGraph_t graph = nullptr;
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  times_and_plus<<<1, 1, 0, main_stream>>>(value, 1, 1);
  const cudaError_t got = wrong();
  if (got != wanted && failed())
    std::printf("capture.cu:%d: %s, expected %s\n", line, cudaGetErrorName(got), cudaGetErrorName(wanted));
  cudaGetLastError();
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(main_stream, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
  EXPECT_EQ(cudaMemsetAsync(value, 0, 4, main_stream), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamEndCapture(main_stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT(graph == nullptr);
  cudaGetLastError();
  OK(cudaStreamSynchronize(main_stream));  // usable again
}

static void rejects_illegal_calls() {
  void* memory;
  rejects(cudaErrorStreamCaptureUnsupported, [&] { return cudaMalloc(&memory, 16); }, __LINE__);
  rejects(cudaErrorStreamCaptureUnsupported, [&] { return cudaStreamSynchronize(main_stream); }, __LINE__);
  rejects(cudaErrorStreamCaptureUnsupported, [&] { return cudaStreamQuery(main_stream); }, __LINE__);
  rejects(cudaErrorStreamCaptureUnsupported, [&] { return cudaDeviceSynchronize(); }, __LINE__);
  rejects(
      cudaErrorStreamCaptureImplicit, [&] { return cudaMemcpy(&memory, value, 4, cudaMemcpyDeviceToHost); }, __LINE__);
  rejects(
      cudaErrorStreamCaptureImplicit,
      [&] {
        times_and_plus<<<1, 1>>>(value, 1, 1);
        return cudaGetLastError();
      },
      __LINE__);
  rejects(
      cudaErrorStreamCaptureIsolation,
      [&] {
        OK(cudaEventRecord(joined, side));
        return cudaStreamWaitEvent(main_stream, joined, 0);
      },
      __LINE__);
  rejects(
      cudaErrorStreamCaptureUnsupported,
      [&] {
        cudaError_t status = cudaSuccess;
        std::thread([&] { status = cudaMalloc(&memory, 16); }).join();  // mode global: other threads, too
        return status;
      },
      __LINE__);
}

static void rejects_other_mistakes() {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(main_stream, &graph), cudaErrorIllegalState);
  // A side that does not come back.
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeThreadLocal));
  OK(cudaEventRecord(forked, main_stream));
  OK(cudaStreamWaitEvent(side, forked, 0));
  times_and_plus<<<1, 1, 0, side>>>(value, 1, 1);
  EXPECT_EQ(cudaStreamEndCapture(side, &graph), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(cudaStreamEndCapture(main_stream, &graph), cudaErrorStreamCaptureUnjoined);
  // Two captures meet.
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  OK(cudaStreamBeginCapture(side, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(joined, side));
  EXPECT_EQ(cudaStreamWaitEvent(main_stream, joined, 0), cudaErrorStreamCaptureMerge);
  EXPECT_EQ(cudaStreamEndCapture(main_stream, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamEndCapture(side, &graph), cudaErrorStreamCaptureInvalidated);
  // Another thread ends it.
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  std::thread([&] { EXPECT_EQ(cudaStreamEndCapture(main_stream, &graph), cudaErrorStreamCaptureWrongThread); }).join();
  OK(cudaStreamEndCapture(main_stream, &graph));
  OK(cudaGraphDestroy(graph));
  // Another thread may allocate if the capture is this thread's only, and so may this one if it says so.
  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeThreadLocal));
  void* memory = nullptr;
  std::thread([&] { OK(cudaMalloc(&memory, 16)); }).join();
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  OK(cudaFree(memory));
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  OK(cudaStreamEndCapture(main_stream, &graph));
  OK(cudaGraphDestroy(graph));
  cudaGetLastError();
}

/// A stream that has joined again may be destroyed; one that has not leaves the capture without an end.
static void streams_that_go_away() {
  cudaGraph_t graph = nullptr;
  for (const bool joins : {true, false}) {
    cudaStream_t other;
    OK(cudaStreamCreate(&other));
    OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(forked, main_stream));
    OK(cudaStreamWaitEvent(other, forked, 0));
    OK(cudaMemsetAsync(value, 0, sizeof(int), other));
    OK(cudaEventRecord(joined, other));
    if (joins) OK(cudaStreamWaitEvent(main_stream, joined, 0));
    OK(cudaStreamDestroy(other));
    EXPECT_EQ(cudaStreamEndCapture(main_stream, &graph), joins ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    if (joins) OK(cudaGraphDestroy(graph));
  }
  // Who gave the graph need not be told which it is.
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaStreamBeginCaptureToGraph(main_stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(value, 0, sizeof(int), main_stream));
  // What the next node will depend on stays, and so does its graph.
  cudaGraphNode_t first = nullptr;
  size_t nodes = 1;
  OK(cudaGraphGetNodes(graph, &first, &nodes));
  EXPECT_EQ(cudaGraphDestroyNode(first), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
  OK(cudaMemsetAsync(value, 1, sizeof(int), main_stream));
  OK(cudaStreamEndCapture(main_stream, nullptr));
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 2);
  OK(cudaGraphDestroyNode(first));
  OK(cudaGraphDestroy(graph));
  cudaGetLastError();
}

int main() {
  OK(cudaMalloc(&value, sizeof(int)));
  OK(cudaStreamCreate(&main_stream));
  OK(cudaStreamCreate(&side));
  OK(cudaEventCreate(&forked));
  OK(cudaEventCreate(&joined));
  fork_and_join();
  allocations();
  graph_in_a_capture_and_into_a_graph();
  copies_with_arrays();
  dependencies_by_hand();
  streams_that_go_away();
  rejects_illegal_calls();
  rejects_other_mistakes();
  return finish("capture");
}

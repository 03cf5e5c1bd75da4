// Copies, prefetches and values in memory, many at once.
#include <cuda.h>

#include <cstring>
#include <string>

#include "check.hpp"

static cudaStream_t stream;

static cudaMemcpyAttributes in_order() {
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  return attributes;
}

static void copies() {
  char *a, *b, out[2][8] = {};
  OK(cudaMalloc(&a, 8));
  OK(cudaMalloc(&b, 8));
  const char first[] = "1234567", second[] = "abcdefg";
  void* to[] = {a, b};
  const void* from[] = {first, second};
  size_t sizes[] = {8, 8}, firsts[] = {0, 1};
  cudaMemcpyAttributes attributes[] = {in_order(), in_order()};
  attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
  OK(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, firsts, 2, stream));
  // Back in a graph.
  void* back[] = {out[0], out[1]};
  const void* there[] = {a, b};
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  size_t nodes = 0;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemcpyBatchAsync(back, there, sizes, 2, attributes, firsts, 1, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 2);
  EXPECT_EQ(out[0][0], 0);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  EXPECT(std::string(out[0]) == first && std::string(out[1]) == second);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  EXPECT_EQ(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, firsts, 2, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, firsts, 0, stream), cudaErrorInvalidValue);
  firsts[1] = 2;
  EXPECT_EQ(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, firsts, 2, stream), cudaErrorInvalidValue);
  firsts[1] = 1;
  attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  EXPECT_EQ(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, firsts, 2, stream), cudaErrorInvalidValue);
  attributes[1] = in_order();
  sizes[1] = 9;
  EXPECT_EQ(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, firsts, 2, stream), cudaErrorInvalidValue);
  OK(cudaFree(a));
  OK(cudaFree(b));
  cudaGetLastError();
}

/// A block of an array of floats there and back, in elements.
static void copies_in_three_dimensions() {
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  OK(cudaMalloc3DArray(&array, &floats, make_cudaExtent(8, 4, 2)));
  float in[2][3][5], out[2][2][3] = {};  // rows of 5, of which 3 are copied; layers of 3 rows, of which 2 are
  for (int k = 0; k < 30; ++k) (&in[0][0][0])[k] = static_cast<float>(k);
  cudaMemcpy3DBatchOp copy{};
  copy.src.type = cudaMemcpyOperandTypePointer;
  copy.src.op.ptr.ptr = in;
  copy.src.op.ptr.rowLength = 5;
  copy.src.op.ptr.layerHeight = 3;
  copy.dst.type = cudaMemcpyOperandTypeArray;
  copy.dst.op.array.array = array;
  copy.dst.op.array.offset = {4, 1, 0};
  copy.extent = make_cudaExtent(3, 2, 2);
  copy.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  OK(cudaMemcpy3DBatchAsync(1, &copy, 0, stream));
  cudaMemcpy3DBatchOp back{};
  back.src = copy.dst;
  back.dst.type = cudaMemcpyOperandTypePointer;
  back.dst.op.ptr.ptr = out;
  back.extent = copy.extent;
  back.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  OK(cudaMemcpy3DBatchAsync(1, &back, 0, stream));
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x) EXPECT_EQ(out[z][y][x], in[z][y][x]);
  copy.src.op.ptr.rowLength = 2;
  EXPECT_EQ(cudaMemcpy3DBatchAsync(1, &copy, 0, stream), cudaErrorInvalidValue);
  copy.src.op.ptr.rowLength = 5;
  copy.dst.op.array.offset = {6, 1, 0};
  EXPECT_EQ(cudaMemcpy3DBatchAsync(1, &copy, 0, stream), cudaErrorInvalidValue);
  copy.dst.op.array.offset = {0, 0, 0};
  copy.extent.depth = 0;
  EXPECT_EQ(cudaMemcpy3DBatchAsync(1, &copy, 0, stream), cudaErrorInvalidValue);
  OK(cudaFreeArray(array));
  cudaGetLastError();
}

static int asked(const void* memory, size_t bytes, cudaMemRangeAttribute which) {
  int value = 77;
  OK(cudaMemRangeGetAttribute(&value, sizeof value, which, memory, bytes));
  return value;
}

static void what_is_said_of_managed_memory() {
  char* memory;
  OK(cudaMallocManaged(&memory, 8192));
  cudaMemLocation device{}, host{};
  device.type = cudaMemLocationTypeDevice;
  host.type = cudaMemLocationTypeHost;
  EXPECT_EQ(asked(memory, 8192, cudaMemRangeAttributeReadMostly), 0);
  EXPECT_EQ(asked(memory, 8192, cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
  OK(cudaMemAdvise(memory, 8192, cudaMemAdviseSetReadMostly, device));
  OK(cudaMemAdvise(memory, 8192, cudaMemAdviseSetPreferredLocation, device));
  OK(cudaMemAdvise(memory + 4096, 4096, cudaMemAdviseUnsetReadMostly, device));
  EXPECT_EQ(asked(memory, 4096, cudaMemRangeAttributeReadMostly), 1);
  EXPECT_EQ(asked(memory, 4097, cudaMemRangeAttributeReadMostly), 0);
  EXPECT_EQ(asked(memory, 8192, cudaMemRangeAttributePreferredLocation), 0);
  OK(cudaMemAdvise(memory, 4096, cudaMemAdviseSetPreferredLocation, host));
  EXPECT_EQ(asked(memory, 4096, cudaMemRangeAttributePreferredLocation), cudaCpuDeviceId);
  EXPECT_EQ(asked(memory, 4096, cudaMemRangeAttributePreferredLocationType), cudaMemLocationTypeHost);
  EXPECT_EQ(asked(memory, 8192, cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
  OK(cudaMemAdvise(memory, 8192, cudaMemAdviseSetAccessedBy, device));
  int by[3] = {};
  OK(cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, memory, 8192));
  EXPECT(by[0] == 0 && by[1] == cudaInvalidDeviceId && by[2] == cudaInvalidDeviceId);

  void* ranges[] = {memory, memory + 4096};
  size_t sizes[] = {4096, 4096}, firsts[] = {0, 1};
  cudaMemLocation places[] = {device, host};
  EXPECT_EQ(asked(memory, 8192, cudaMemRangeAttributeLastPrefetchLocation), cudaInvalidDeviceId);
  OK(cudaMemPrefetchBatchAsync(ranges, sizes, 2, places, firsts, 2, 0, stream));
  EXPECT_EQ(asked(memory, 4096, cudaMemRangeAttributeLastPrefetchLocation), 0);
  EXPECT_EQ(asked(memory + 4096, 4096, cudaMemRangeAttributeLastPrefetchLocation), cudaCpuDeviceId);
  OK(cudaMemPrefetchAsync(memory, 8192, device, 0, stream));
  OK(cudaMemDiscardBatchAsync(ranges, sizes, 2, 0, stream));
  int location = 7, type = 7;
  void* data[] = {&location, &type};
  size_t bytes[] = {sizeof location, sizeof type};
  cudaMemRangeAttribute which[] = {cudaMemRangeAttributeLastPrefetchLocation,
                                   cudaMemRangeAttributeLastPrefetchLocationType};
  OK(cudaMemRangeGetAttributes(data, bytes, which, 2, memory, 8192));
  EXPECT(location == 0 && type == cudaMemLocationTypeDevice);

  device.id = 1;
  EXPECT_EQ(cudaMemAdvise(memory, 8192, cudaMemAdviseSetPreferredLocation, device), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemRangeGetAttribute(&type, 3, cudaMemRangeAttributeReadMostly, memory, 8192), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemRangeGetAttribute(&type, 4, cudaMemRangeAttributeReadMostly, &type, 4), cudaErrorInvalidValue);
  OK(cudaFree(memory));
  OK(cudaMallocManaged(&memory, 8192));
  EXPECT_EQ(asked(memory, 4096, cudaMemRangeAttributeReadMostly), 0);
  OK(cudaFree(memory));
  cudaGetLastError();
}

static void pools_by_place() {
  cudaMemLocation device{}, host{};
  device.type = cudaMemLocationTypeDevice;
  host.type = cudaMemLocationTypeHost;
  cudaMemPool_t pool, same, made;
  OK(cudaMemGetDefaultMemPool(&pool, &device, cudaMemAllocationTypePinned));
  OK(cudaDeviceGetDefaultMemPool(&same, 0));
  EXPECT(pool == same);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = device;
  OK(cudaMemPoolCreate(&made, &properties));
  OK(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, made));
  OK(cudaMemGetMemPool(&same, &device, cudaMemAllocationTypePinned));
  EXPECT(same == made);
  OK(cudaDeviceGetMemPool(&same, 0));
  EXPECT(same == made);
  OK(cudaMemPoolDestroy(made));
  EXPECT_EQ(cudaMemGetDefaultMemPool(&pool, &host, cudaMemAllocationTypePinned), cudaErrorNotSupported);
  EXPECT_EQ(cudaMemGetDefaultMemPool(&pool, nullptr, cudaMemAllocationTypePinned), cudaErrorInvalidValue);
  device.id = 3;
  EXPECT_EQ(cudaMemGetMemPool(&pool, &device, cudaMemAllocationTypePinned), cudaErrorInvalidDevice);
  cudaGetLastError();
}

static void values_in_memory() {
  CUdeviceptr at;
  DRIVER_OK(cuMemAlloc(&at, 16));
  DRIVER_OK(cuMemsetD32(at, 0, 4));
  DRIVER_OK(cuStreamWriteValue32(stream, at, 5, 0));
  DRIVER_OK(cuStreamWriteValue64(stream, at + 8, ~cuuint64_t{0} << 32, 0));
  DRIVER_OK(cuStreamWaitValue32(stream, at, 5, CU_STREAM_WAIT_VALUE_EQ));
  DRIVER_OK(cuStreamWaitValue32(stream, at, 4, CU_STREAM_WAIT_VALUE_GEQ));
  DRIVER_OK(cuStreamWaitValue32(stream, at, 0x80000005u, CU_STREAM_WAIT_VALUE_NOR));
  DRIVER_OK(cuStreamWaitValue32(stream, at, 4, CU_STREAM_WAIT_VALUE_AND));
  DRIVER_OK(cuStreamWaitValue32(stream, at + 4, 0xfffffff0u, CU_STREAM_WAIT_VALUE_GEQ));  // round the circle
  DRIVER_OK(cuStreamWaitValue64(stream, at + 8, 1ull << 40, CU_STREAM_WAIT_VALUE_AND));
  // What is not there cannot be waited for.
  EXPECT_EQ(cuStreamWaitValue32(stream, at, 6, CU_STREAM_WAIT_VALUE_GEQ), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuStreamWaitValue32(stream, at, 2, CU_STREAM_WAIT_VALUE_AND), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuStreamWaitValue64(stream, at + 8, 1, CU_STREAM_WAIT_VALUE_AND), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuStreamWriteValue32(stream, at + 2, 5, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue64(stream, at + 16, 5, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32(stream, at, 5, 9), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32(stream, at, 5, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32(stream, 64, 5, 0), CUDA_ERROR_INVALID_VALUE);

  CUstreamBatchMemOpParams both[2]{};
  both[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  both[0].writeValue.address = at;
  both[0].writeValue.value = 11;
  both[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  both[1].waitValue.address = at;
  both[1].waitValue.value = 11;
  both[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  DRIVER_OK(cuStreamBatchMemOp(stream, 2, both, 0));
  unsigned seen = 0;
  DRIVER_OK(cuMemcpyDtoH(&seen, at, 4));
  EXPECT_EQ(seen, 11);
  both[1].waitValue.value = 12;
  EXPECT_EQ(cuStreamBatchMemOp(stream, 2, both, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuStreamBatchMemOp(stream, 0, both, 0), CUDA_ERROR_INVALID_VALUE);
  both[1].waitValue.value = 11;

  // Captured, and as a node of its own.
  CUgraph graph;
  CUgraphExec exec;
  DRIVER_OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  DRIVER_OK(cuStreamWriteValue32(stream, at + 4, 21, 0));
  DRIVER_OK(cuStreamEndCapture(stream, &graph));
  CUDA_BATCH_MEM_OP_NODE_PARAMS params{};
  params.count = 2;
  params.paramArray = both;
  CUgraphNode node, captured;
  CUgraphNodeType type;
  size_t count = 1;
  DRIVER_OK(cuGraphGetNodes(graph, &captured, &count));
  DRIVER_OK(cuGraphNodeGetType(captured, &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  DRIVER_OK(cuGraphAddBatchMemOpNode(&node, graph, &captured, 1, &params));
  CUDA_BATCH_MEM_OP_NODE_PARAMS got{};
  DRIVER_OK(cuGraphBatchMemOpNodeGetParams(node, &got));
  EXPECT(got.count == 2 && got.paramArray[0].writeValue.value == 11);
  DRIVER_OK(cuMemsetD32(at, 0, 4));
  DRIVER_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  DRIVER_OK(cuGraphLaunch(exec, stream));
  unsigned words[2] = {};
  DRIVER_OK(cuMemcpyDtoH(words, at, 8));
  EXPECT(words[0] == 11 && words[1] == 21);
  DRIVER_OK(cuGraphExecDestroy(exec));
  DRIVER_OK(cuGraphDestroy(graph));
  DRIVER_OK(cuMemFree(at));
}

int main() {
  OK(cudaStreamCreate(&stream));
  copies();
  copies_in_three_dimensions();
  what_is_said_of_managed_memory();
  pools_by_place();
  values_in_memory();
  OK(cudaStreamDestroy(stream));
  return finish("batches");
}

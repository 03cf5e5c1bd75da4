// Graphs through the driver interface, as a runtime library does that is linked statically.
#include <cuda.h>

#include <fstream>
#include <iterator>
#include <string>

#include "check.hpp"

__global__ void times_and_plus(int* value, int factor, int term) { *value = *value * factor + term; }

/// A node outlives its kernel: it is shown by the name that it had, and does not run.
static void node_of_an_unloaded_module() {
  CUmodule module;
  CUfunction function;
  DRIVER_OK(cuModuleLoadData(&module, ".version 7.0\n.target sm_75\n.address_size 64\n.entry gone_later() { ret; }\n"));
  DRIVER_OK(cuModuleGetFunction(&function, module, "gone_later"));
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = function;
  params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  CUgraph graph;
  CUgraphNode node;
  CUgraphExec exec;
  DRIVER_OK(cuGraphCreate(&graph, 0));
  DRIVER_OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  DRIVER_OK(cuGraphInstantiate(&exec, graph, 0));
  DRIVER_OK(cuGraphLaunch(exec, nullptr));
  DRIVER_OK(cuModuleUnload(module));
  const std::string path = "/tmp/bankshot-driver-graph-" + std::to_string(reinterpret_cast<uintptr_t>(graph)) + ".dot";
  DRIVER_OK(cuGraphDebugDotPrint(graph, path.c_str(), 0));
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT(text.find("gone_later") != text.npos);
  std::remove(path.c_str());
  EXPECT_EQ(cuGraphLaunch(exec, nullptr), CUDA_ERROR_INVALID_HANDLE);
  DRIVER_OK(cuGraphExecDestroy(exec));
  DRIVER_OK(cuGraphDestroy(graph));
}

static void copies_with_an_array(CUstream stream) {
  CUDA_ARRAY_DESCRIPTOR desc{};
  desc.Width = 8;
  desc.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  desc.NumChannels = 1;
  CUarray array;
  DRIVER_OK(cuArrayCreate(&array, &desc));
  char in[] = "12345", out[6] = {};
  CUgraph graph;
  CUgraphExec exec;
  DRIVER_OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  DRIVER_OK(cuMemcpyHtoAAsync(array, 2, in, 5, stream));
  CUDA_ARRAY_DESCRIPTOR seen{};
  DRIVER_OK(cuArrayGetDescriptor(&seen, array));  // asking spoils nothing
  EXPECT_EQ(seen.Width, 8);
  DRIVER_OK(cuMemcpyAtoHAsync(out, array, 3, 4, stream));
  DRIVER_OK(cuStreamEndCapture(stream, &graph));
  DRIVER_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  DRIVER_OK(cuGraphLaunch(exec, stream));
  EXPECT(std::string(out) == "2345");
  DRIVER_OK(cuGraphExecDestroy(exec));
  DRIVER_OK(cuGraphDestroy(graph));
  DRIVER_OK(cuArrayDestroy(array));
}

int main() {
  DRIVER_OK(cuInit(0));
  cudaFunction_t found;
  OK(cudaGetFuncBySymbol(&found, reinterpret_cast<const void*>(times_and_plus)));
  const auto function = static_cast<CUfunction>(found);
  CUdeviceptr value = 0;
  DRIVER_OK(cuMemAlloc(&value, sizeof(int)));
  CUgraph graph;
  DRIVER_OK(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = value;
  fill.value = 3;
  fill.elementSize = 4;
  fill.width = fill.height = 1;
  CUcontext context = nullptr;
  DRIVER_OK(cuCtxGetCurrent(&context));
  CUgraphNode filled, kernel, out;
  DRIVER_OK(cuGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill, context));
  int factor = 5, term = 2, result = 0;
  void* arguments[] = {&value, &factor, &term};
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = function;
  params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  DRIVER_OK(cuGraphAddKernelNode(&kernel, graph, &filled, 1, &params));
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = value;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = &result;
  copy.WidthInBytes = sizeof result;
  copy.Height = copy.Depth = 1;
  DRIVER_OK(cuGraphAddMemcpyNode(&out, graph, &kernel, 1, &copy, context));
  CUgraphExec exec;
  DRIVER_OK(cuGraphInstantiate(&exec, graph, 0));
  DRIVER_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(result, 17);
  CUDA_KERNEL_NODE_PARAMS got{};
  DRIVER_OK(cuGraphKernelNodeGetParams(kernel, &got));
  EXPECT(got.func == function && *static_cast<int*>(got.kernelParams[2]) == 2 && got.blockDimX == 1);
  term = 0;
  DRIVER_OK(cuGraphExecKernelNodeSetParams(exec, kernel, &params));
  DRIVER_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(result, 15);

  // The buffer of all arguments in place of pointers to them.
  struct {
    CUdeviceptr value;
    int factor, term;
  } packed{value, 2, 100};
  size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  params.kernelParams = nullptr;
  params.extra = extra;
  DRIVER_OK(cuGraphExecKernelNodeSetParams(exec, kernel, &params));
  DRIVER_OK(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(result, 106);
  DRIVER_OK(cuGraphExecDestroy(exec));
  DRIVER_OK(cuGraphDestroy(graph));

  // Capture.
  CUstream stream;
  DRIVER_OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  CUcontext of_stream = nullptr;
  CUgreenCtx green;
  DRIVER_OK(cuStreamGetCtx_v2(stream, &of_stream, &green));
  EXPECT(of_stream == context && green == nullptr);
  DRIVER_OK(cuCtxResetPersistingL2Cache());
  DRIVER_OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  DRIVER_OK(cuMemsetD32Async(value, 9, 1, stream));
  factor = 10;
  term = 1;
  DRIVER_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  DRIVER_OK(cuMemcpyDtoHAsync(&result, value, sizeof result, stream));
  CUstreamCaptureStatus status;
  cuuint64_t id = 0;
  CUgraph seen = nullptr;
  const CUgraphNode* last = nullptr;
  size_t count = 0;
  DRIVER_OK(cuStreamGetCaptureInfo(stream, &status, &id, &seen, &last, nullptr, &count));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && seen && count == 1 && id != 0);
  CUgraphNodeType type;
  DRIVER_OK(cuGraphNodeGetType(last[0], &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_MEMCPY);
  EXPECT_EQ(cuMemAlloc(&value, 16), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(result, 106);
  DRIVER_OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  DRIVER_OK(cuMemsetD32Async(value, 9, 1, stream));
  DRIVER_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  DRIVER_OK(cuMemcpyDtoHAsync(&result, value, sizeof result, stream));
  DRIVER_OK(cuStreamEndCapture(stream, &graph));
  DRIVER_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  DRIVER_OK(cuGraphLaunch(exec, stream));
  EXPECT_EQ(result, 91);
  DRIVER_OK(cuGraphExecDestroy(exec));
  DRIVER_OK(cuGraphDestroy(graph));
  node_of_an_unloaded_module();
  copies_with_an_array(stream);
  return finish("driver_graphs");
}

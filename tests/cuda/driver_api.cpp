// The driver interface with a module from PTX text; no runtime library is linked.
#include <cuda.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "check.hpp"

static const char kPtx[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 3;
.visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .f32 %f<3>;
  .reg .b64 %d<4>;
  ld.param.u64 %d0, [data];
  ld.param.f32 %f0, [factor];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p, %r4, %r0;
  @%p bra done;
  cvta.to.global.u64 %d1, %d0;
  mul.wide.u32 %d2, %r4, 4;
  add.s64 %d3, %d1, %d2;
  ld.global.f32 %f1, [%d3];
  mul.f32 %f2, %f1, %f0;
  st.global.f32 [%d3], %f2;
done:
  ret;
}
)";

static CUmodule module_;
static CUfunction scale;

static void launches() {
  const int n = 100;
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i) host[i] = i;
  CUdeviceptr data;
  DRIVER_OK(cuMemAlloc(&data, n * sizeof(float)));
  DRIVER_OK(cuMemcpyHtoD(data, host.data(), n * sizeof(float)));
  float factor = 2;
  int count = n;
  void* arguments[] = {&data, &factor, &count};
  DRIVER_OK(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  DRIVER_OK(cuCtxSynchronize());
  // The same through the packed buffer.
  struct {
    CUdeviceptr data;
    float factor;
    int n;
  } packed{data, 5, n};
  size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  DRIVER_OK(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  CUlaunchConfig config = {};
  config.gridDimX = 4;
  config.blockDimX = 32;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  DRIVER_OK(cuLaunchKernelEx(&config, scale, arguments, nullptr));
  DRIVER_OK(cuMemcpyDtoH(host.data(), data, n * sizeof(float)));
  for (int i = 0; i < n; ++i) EXPECT_EQ(host[i], i * 20);
  EXPECT_EQ(cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH(host.data(), data, n * sizeof(float) + 1), CUDA_ERROR_INVALID_VALUE);

  CUdeviceptr base;
  DRIVER_OK(cuMemGetAddressRange(&base, &size, data + 40));
  EXPECT(base == data && size == n * sizeof(float));
  unsigned type = 0;
  DRIVER_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, data));
  EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
  DRIVER_OK(cuMemFree(data));
  EXPECT_EQ(cuMemFree(data), CUDA_ERROR_INVALID_VALUE);
}

static void fills_and_copies() {
  CUdeviceptr a, b;
  size_t pitch;
  DRIVER_OK(cuMemAllocPitch(&a, &pitch, 40, 4, 4));
  DRIVER_OK(cuMemAlloc(&b, 160));
  DRIVER_OK(cuMemsetD2D32(a, pitch, 0x01020304, 10, 4));
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = a;
  copy.srcPitch = pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = b;
  copy.dstPitch = 40;
  copy.WidthInBytes = 40;
  copy.Height = 4;
  DRIVER_OK(cuMemcpy2D(&copy));
  DRIVER_OK(cuMemsetD8(b, 7, 4));
  DRIVER_OK(cuMemsetD16(b + 4, 0xbeef, 2));
  unsigned host[40];
  DRIVER_OK(cuMemcpyDtoH(host, b, 160));
  EXPECT_EQ(host[0], 0x07070707);
  EXPECT_EQ(host[1], 0xbeefbeef);
  EXPECT_EQ(host[39], 0x01020304);
  DRIVER_OK(cuMemcpyDtoD(b, b + 80, 80));
  DRIVER_OK(cuMemcpy((CUdeviceptr)host, b, 4));
  EXPECT_EQ(host[0], 0x01020304);
  const CUdeviceptr wild = b + (1 << 24);
  EXPECT_EQ(cuMemcpy((CUdeviceptr)host, wild, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpy(wild, (CUdeviceptr)host, 4), CUDA_ERROR_INVALID_VALUE);
  size_t free = 0, total = 0;
  DRIVER_OK(cuMemGetInfo(&free, &total));
  EXPECT(free > 0 && free <= total);
}

static void bad_modules() {
  CUmodule bad;
  char log[512] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  EXPECT_EQ(cuModuleLoadDataEx(&bad, ".version 7.0\n.target sm_75\n.address_size 64\n.entry k( {", 2, options, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT(std::strstr(log, "4:") != nullptr);
  EXPECT_EQ(cuModuleLoadData(&bad,
                             "\x7f"
                             "ELF machine code"),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cuModuleLoad(&bad, "/no/such/file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  CUfunction none;
  EXPECT_EQ(cuModuleGetFunction(&none, module_, "no_such_kernel"), CUDA_ERROR_NOT_FOUND);
}

static void links_one_text() {
  CUlinkState link;
  void* image = nullptr;
  size_t size = 0;
  char log[64] = "old";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  DRIVER_OK(cuLinkCreate(2, options, values, &link));
  EXPECT(log[0] == '\0');
  EXPECT_EQ(cuLinkComplete(link, &image, &size), CUDA_ERROR_INVALID_VALUE);  // nothing was added
  DRIVER_OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kPtx), std::strlen(kPtx) + 1, "scale", 0, nullptr,
                          nullptr));
  DRIVER_OK(cuLinkComplete(link, &image, &size));
  CUmodule linked;
  CUfunction function;
  DRIVER_OK(cuModuleLoadData(&linked, image));
  DRIVER_OK(cuLinkDestroy(link));
  DRIVER_OK(cuModuleGetFunction(&function, linked, "scale"));
  DRIVER_OK(cuModuleUnload(linked));
  EXPECT_EQ(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
}

/// A kernel in one text calls a function and reads a variable of another.
static void links_several_texts() {
  const std::string head = ".version 7.0\n.target sm_75\n.address_size 64\n";
  const std::string calls =
      head +
      ".extern .func (.param .b32 r) thrice(.param .b32 x);\n.extern .global .align 4 .u32 base;\n"
      ".visible .entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %d<2>; ld.param.u64 %d0, [out]; ld.global.u32 "
      "%r0, [base];"
      "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call (b), thrice, (a); ld.param.b32 %r1, [b]; }"
      "st.global.u32 [%d0], %r1; ret; }\n";
  const std::string defines = head +
                              ".visible .global .align 4 .u32 base = 14;\n"
                              ".visible .func (.param .b32 r) thrice(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 "
                              "%r0, [x]; mul.lo.u32 %r1, %r0, 3;"
                              "st.param.b32 [r], %r1; ret; }\n";
  char log[256] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  const auto add = [](CUlinkState link, const std::string& text, const char* name) {
    DRIVER_OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(text.c_str()), text.size() + 1, name, 0, nullptr,
                            nullptr));
  };
  CUlinkState link;
  void* image = nullptr;
  size_t size = 0;
  DRIVER_OK(cuLinkCreate(2, options, values, &link));
  add(link, calls, "calls");
  DRIVER_OK(cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, "/some/where/libcudadevrt.a", 0, nullptr, nullptr));
  EXPECT_EQ(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/no/such/file.ptx", 0, nullptr, nullptr), CUDA_ERROR_FILE_NOT_FOUND);
  add(link, defines, "defines");
  DRIVER_OK(cuLinkComplete(link, &image, &size));
  EXPECT(size > 0 && log[0] == '\0');
  CUmodule module;
  CUfunction function;
  CUdeviceptr out;
  DRIVER_OK(cuModuleLoadData(&module, image));
  DRIVER_OK(cuLinkDestroy(link));
  DRIVER_OK(cuModuleGetFunction(&function, module, "k"));
  DRIVER_OK(cuMemAlloc(&out, 4));
  void* arguments[] = {&out};
  DRIVER_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  unsigned result = 0;
  DRIVER_OK(cuMemcpyDtoH(&result, out, 4));
  EXPECT_EQ(result, 42);
  void* missing[] = {nullptr};
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, missing, nullptr), CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuModuleUnload(module));
  DRIVER_OK(cuMemFree(out));

  // What cannot be linked is said when it is given.
  values[1] = reinterpret_cast<void*>(sizeof log);
  DRIVER_OK(cuLinkCreate(2, options, values, &link));
  char no_ptx[] = "this is no PTX";
  char machine_code[] = "\177ELF and so on";
  EXPECT_EQ(cuLinkAddData(link, CU_JIT_INPUT_PTX, no_ptx, sizeof no_ptx, "nothing", 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_PTX);
  EXPECT(std::strstr(log, "nothing:1") != nullptr);
  EXPECT_EQ(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, machine_code, sizeof machine_code, "code", 0, nullptr, nullptr),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cuLinkComplete(link, &image, &size), CUDA_ERROR_INVALID_VALUE);  // there is nothing
  DRIVER_OK(cuLinkDestroy(link));

  // Two definitions of one function. The length of the first log stands where its room was told.
  values[1] = reinterpret_cast<void*>(sizeof log);
  DRIVER_OK(cuLinkCreate(2, options, values, &link));
  add(link, defines, "one");
  add(link, defines, "other");
  EXPECT_EQ(cuLinkComplete(link, &image, &size), CUDA_ERROR_INVALID_PTX);
  EXPECT(std::strstr(log, "base") != nullptr || std::strstr(log, "thrice") != nullptr);
  DRIVER_OK(cuLinkDestroy(link));
}

/// A stream or an event tells its context: another one, or none, may be current.
static void handles_name_their_context() {
  CUcontext context, got;
  CUstream stream;
  CUevent event;
  CUdeviceptr memory = 0, others = 0;
  CUmodule module;
  CUfunction scale;
  DRIVER_OK(cuCtxGetCurrent(&context));
  DRIVER_OK(cuModuleLoadData(&module, kPtx));
  DRIVER_OK(cuModuleGetFunction(&scale, module, "scale"));
  DRIVER_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVER_OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
  DRIVER_OK(cuCtxPopCurrent(&got));
  DRIVER_OK(cuMemAllocAsync(&memory, 16, stream));
  CUdeviceptr nothing = 1;
  DRIVER_OK(cuMemAllocAsync(&nothing, 0, stream));
  EXPECT_EQ(nothing, 0);
  DRIVER_OK(cuMemsetD8Async(memory, 7, 16, stream));
  DRIVER_OK(cuEventRecord(event, stream));
  DRIVER_OK(cuStreamWaitEvent(stream, event, 0));
  DRIVER_OK(cuEventQuery(event));
  DRIVER_OK(cuEventSynchronize(event));
  DRIVER_OK(cuStreamGetCtx(stream, &got));
  EXPECT(got == context);
  CUstreamCaptureStatus capturing;
  DRIVER_OK(cuStreamIsCapturing(stream, &capturing));
  void* none[] = {nullptr};  // in place of its parameters
  EXPECT_EQ(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, stream, none, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, nullptr, none, nullptr), CUDA_ERROR_INVALID_CONTEXT);
  DRIVER_OK(cuStreamQuery(stream));
  // Addresses are the process's.
  unsigned type = 0;
  CUpointer_attribute memory_type = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  void* place = &type;
  DRIVER_OK(cuPointerGetAttribute(&type, memory_type, memory));
  EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(cuPointerGetAttribute(&type, memory_type, reinterpret_cast<CUdeviceptr>(&context)),
            CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuPointerGetAttributes(1, &memory_type, &place, reinterpret_cast<CUdeviceptr>(&context)));
  EXPECT_EQ(type, 0);
  DRIVER_OK(cuMemFreeAsync(memory, stream));
  DRIVER_OK(cuStreamSynchronize(stream));
  DRIVER_OK(cuEventDestroy(event));
  DRIVER_OK(cuStreamDestroy(stream));
  EXPECT_EQ(cuMemAllocAsync(&others, 16, nullptr), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuStreamGetCtx(nullptr, &got), CUDA_ERROR_INVALID_CONTEXT);
  DRIVER_OK(cuCtxPushCurrent(context));
  DRIVER_OK(cuModuleUnload(module));
}

static void streams_and_events() {
  CUstream stream;
  CUevent start, stop;
  DRIVER_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVER_OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  DRIVER_OK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
  DRIVER_OK(cuEventRecord(start, stream));
  DRIVER_OK(cuStreamWaitEvent(stream, start, 0));
  DRIVER_OK(cuEventRecord(stop, stream));
  DRIVER_OK(cuEventSynchronize(stop));
  DRIVER_OK(cuStreamSynchronize(stream));
  float milliseconds = -1;
  DRIVER_OK(cuEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds >= 0);
  DRIVER_OK(cuStreamDestroy(stream));
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
}

int main(int argc, char** argv) {
  int count = 0, version = 0, value = 0;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  DRIVER_OK(cuInit(0));
  DRIVER_OK(cuDriverGetVersion(&version));
  DRIVER_OK(cuDeviceGetCount(&count));
  EXPECT(version >= 12000 && count == 1);
  CUdevice device;
  DRIVER_OK(cuDeviceGet(&device, 0));
  char name[100];
  DRIVER_OK(cuDeviceGetName(name, sizeof name, device));
  EXPECT(std::strlen(name) > 0);
  DRIVER_OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
  EXPECT_EQ(value, 32);
  size_t bytes = 0;
  DRIVER_OK(cuDeviceTotalMem(&bytes, device));
  EXPECT(bytes > 0);

  CUdeviceptr none;
  EXPECT_EQ(cuMemAlloc(&none, 4), CUDA_ERROR_INVALID_CONTEXT);
  CUcontext context, got = nullptr;
#if CUDA_VERSION >= 13000
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, device));
  DRIVER_OK(cuCtxDestroy(context));
  CUctxCreateParams parameters = {};
  DRIVER_OK(cuCtxCreate(&context, &parameters, 0, device));
#else
  DRIVER_OK(cuCtxCreate(&context, 0, device));
#endif
  DRIVER_OK(cuCtxGetCurrent(&got));
  EXPECT(got == context);

  DRIVER_OK(cuModuleLoadData(&module_, kPtx));
  DRIVER_OK(cuModuleGetFunction(&scale, module_, "scale"));
  DRIVER_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
  EXPECT_EQ(value, 1024);
  CUdeviceptr counter;
  DRIVER_OK(cuModuleGetGlobal(&counter, &bytes, module_, "counter"));
  EXPECT_EQ(bytes, 4);
  DRIVER_OK(cuMemcpyDtoH(&value, counter, 4));
  EXPECT_EQ(value, 3);
  launches();
  fills_and_copies();
  bad_modules();
  links_one_text();
  links_several_texts();
  streams_and_events();
  handles_name_their_context();

  CUlibrary library;
  CUkernel kernel;
  CUfunction function;
  DRIVER_OK(cuLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  DRIVER_OK(cuLibraryGetKernel(&kernel, library, "scale"));
  DRIVER_OK(cuKernelGetFunction(&function, kernel));
  DRIVER_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 128, 0));
  EXPECT(value > 0);
  int grid = 0, block = 0;
  DRIVER_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 0));
  EXPECT(grid > 0 && block > 0);
  DRIVER_OK(cuLibraryUnload(library));
  DRIVER_OK(cuModuleUnload(module_));
  EXPECT_EQ(cuModuleUnload(module_), CUDA_ERROR_INVALID_HANDLE);
  if (argc > 1) {  // a file of PTX or a fat binary with the kernel of vector_add.cu
    DRIVER_OK(cuModuleLoad(&module_, argv[1]));
    DRIVER_OK(cuModuleGetFunction(&function, module_, "_Z10vector_addPKfS0_Pfi"));
  }

  const char* text = nullptr;
  DRIVER_OK(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
  EXPECT_EQ(std::strcmp(text, "CUDA_ERROR_INVALID_VALUE"), 0);
  DRIVER_OK(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
  EXPECT_EQ(std::strcmp(text, "invalid argument"), 0);
  void* entry = nullptr;
  CUdriverProcAddressQueryResult result;
  DRIVER_OK(cuGetProcAddress("cuMemAlloc", &entry, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &result));
  EXPECT(entry == reinterpret_cast<void*>(&cuMemAlloc));
  EXPECT_EQ(cuGetProcAddress("cuNothing", &entry, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &result), CUDA_ERROR_NOT_FOUND);
  CUipcEventHandle handle;
  EXPECT_EQ(cuIpcGetEventHandle(&handle, nullptr), CUDA_ERROR_NOT_SUPPORTED);  // has no implementation

  DRIVER_OK(cuCtxPopCurrent(&got));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  DRIVER_OK(cuDevicePrimaryCtxRetain(&got, device));
  DRIVER_OK(cuCtxPushCurrent(got));
  DRIVER_OK(cuCtxSynchronize());
  DRIVER_OK(cuDevicePrimaryCtxRelease(device));
  DRIVER_OK(cuCtxDestroy(context));
  return finish("driver_api");
}

// Kernels that the program compiles itself. NVRTC gives PTX where it is asked for machine code: both run.
#include <cuda.h>
#include <nvrtc.h>

#include <string>

#include "check.hpp"

static std::string compile(const char* architecture, bool machine_code) {
  nvrtcProgram program;
  EXPECT_EQ(
      nvrtcCreateProgram(&program, "extern \"C\" __global__ void put(int* to, int what) { to[threadIdx.x] = what; }",
                         "put.cu", 0, nullptr, nullptr),
      NVRTC_SUCCESS);
  const char* options[] = {architecture};
  EXPECT_EQ(nvrtcCompileProgram(program, 1, options), NVRTC_SUCCESS);
  size_t size = 0;
  EXPECT_EQ(machine_code ? nvrtcGetCUBINSize(program, &size) : nvrtcGetPTXSize(program, &size), NVRTC_SUCCESS);
  std::string image(size, '\0');
  EXPECT_EQ(machine_code ? nvrtcGetCUBIN(program, image.data()) : nvrtcGetPTX(program, image.data()), NVRTC_SUCCESS);
  EXPECT_EQ(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  return image;
}

static void runs(const std::string& image, int what) {
  CUmodule module;
  CUfunction put;
  DRIVER_OK(cuModuleLoadData(&module, image.data()));
  DRIVER_OK(cuModuleGetFunction(&put, module, "put"));
  int* memory = nullptr;
  int seen = 0;
  OK(cudaMalloc(&memory, 4 * sizeof(int)));
  void* arguments[] = {&memory, &what};
  DRIVER_OK(cuLaunchKernel(put, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  OK(cudaMemcpy(&seen, memory + 3, sizeof seen, cudaMemcpyDeviceToHost));
  EXPECT_EQ(seen, what);
  OK(cudaFree(memory));
  DRIVER_OK(cuModuleUnload(module));
}

int main() {
  OK(cudaFree(nullptr));
  runs(compile("--gpu-architecture=compute_75", false), 31);
  const std::string machine_code = compile("--gpu-architecture=sm_75", true);
  runs(machine_code, 32);
  CUlinkState link;
  void* linked = nullptr;
  size_t size = 0;
  DRIVER_OK(cuLinkCreate(0, nullptr, nullptr, &link));
  DRIVER_OK(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, const_cast<char*>(machine_code.data()), machine_code.size(), "put",
                          0, nullptr, nullptr));
  DRIVER_OK(cuLinkComplete(link, &linked, &size));
  runs(std::string(static_cast<const char*>(linked), size), 33);
  DRIVER_OK(cuLinkDestroy(link));
  return finish("nvrtc");
}

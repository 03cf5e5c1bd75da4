// Kernels that the program compiles itself: PTX from NVRTC runs; for machine code the message says how to get PTX.
#include <cuda.h>
#include <nvrtc.h>

#include <string>

#include "check.hpp"

static std::string compile(const char* architecture, bool machine_code) {
  nvrtcProgram program;
  EXPECT_EQ(nvrtcCreateProgram(&program, "extern \"C\" __global__ void put(int* to, int what) { to[threadIdx.x] = what; }",
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

int main() {
  OK(cudaFree(nullptr));
  CUmodule module;
  CUfunction put;
  const std::string ptx = compile("--gpu-architecture=compute_75", false);
  DRIVER_OK(cuModuleLoadData(&module, ptx.c_str()));
  DRIVER_OK(cuModuleGetFunction(&put, module, "put"));
  int* memory = nullptr;
  int what = 31, seen = 0;
  OK(cudaMalloc(&memory, 4 * sizeof(int)));
  void* arguments[] = {&memory, &what};
  DRIVER_OK(cuLaunchKernel(put, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  OK(cudaMemcpy(&seen, memory + 3, sizeof seen, cudaMemcpyDeviceToHost));
  EXPECT_EQ(seen, 31);
  const std::string cubin = compile("--gpu-architecture=sm_75", true);
  EXPECT_EQ(cuModuleLoadData(&module, cubin.data()), CUDA_ERROR_NO_BINARY_FOR_GPU);
  return finish("nvrtc");
}

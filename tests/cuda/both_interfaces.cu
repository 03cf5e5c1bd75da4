// The runtime and the driver interface in one program share the primary context.
#include <cuda.h>

#include "check.hpp"

__global__ void plus_one(int* p) { *p += 1; }

int main() {
  int* p = nullptr;
  CUcontext context = nullptr;
  OK(cudaSetDevice(0));
  DRIVER_OK(cuCtxGetCurrent(&context));
  EXPECT(context != nullptr);  // the runtime's call made it current, and cuInit is not needed
  OK(cudaMalloc(&p, sizeof(int)));
  DRIVER_OK(cuMemsetD32(reinterpret_cast<CUdeviceptr>(p), 41, 1));
  cudaFunction_t function;
  OK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(plus_one)));
  void* arguments[] = {&p};
  DRIVER_OK(cuLaunchKernel(reinterpret_cast<CUfunction>(function), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  int value = 0;
  OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT_EQ(value, 42);
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  DRIVER_OK(cuMemcpyDtoHAsync(&value, reinterpret_cast<CUdeviceptr>(p), 4, stream));
  DRIVER_OK(cuStreamSynchronize(stream));
  // A context of the driver interface that goes takes nothing of the runtime's with it.
  CUcontext other = nullptr;
#if CUDA_VERSION >= 13000
  DRIVER_OK(cuCtxCreate(&other, nullptr, 0, 0));
#else
  DRIVER_OK(cuCtxCreate(&other, 0, 0));
#endif
  OK(cudaSetDevice(0));
  CUcontext now = nullptr;
  DRIVER_OK(cuCtxGetCurrent(&now));
  EXPECT(now == context);  // the primary one, in place of that
  DRIVER_OK(cuCtxDestroy(other));
  OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT_EQ(value, 42);
  DRIVER_OK(cuMemFree(reinterpret_cast<CUdeviceptr>(p)));
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
  return finish("both_interfaces");
}

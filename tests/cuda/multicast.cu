// Memory behind a multicast object: kernels reach it by multimem there, and plainly where it is mapped itself.
#include <cuda.h>

#include <vector>

#include "check.hpp"

__global__ void store_and_add(unsigned* multicast, unsigned* sums) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("multimem.st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(multicast + t), "r"(3 * t) : "memory");
  asm volatile("multimem.red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(multicast + t), "r"(5) : "memory");
  asm volatile("multimem.ld_reduce.relaxed.gpu.global.add.u32 %0, [%1];"
               : "=r"(sums[t])
               : "l"(multicast + t)
               : "memory");
}

__global__ void add_floats(float* multicast) {
  asm volatile("multimem.red.relaxed.sys.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(multicast + 4 * threadIdx.x),
               "f"(1.0F), "f"(2.0F), "f"(0.5F), "f"(-1.0F)
               : "memory");
}

__global__ void plain(const unsigned* multicast, unsigned* out) { *out = *multicast; }

int main(int count_of_arguments, char**) {
  OK(cudaFree(nullptr));
  int supported = 0;
  DRIVER_OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0));
  EXPECT_EQ(supported, 1);

  CUmulticastObjectProp team{};
  team.numDevices = 1;
  size_t piece = 0;
  DRIVER_OK(cuMulticastGetGranularity(&piece, &team, CU_MULTICAST_GRANULARITY_MINIMUM));
  EXPECT_EQ(piece, 2 << 20);
  team.size = 2 * piece;
  CUmemGenericAllocationHandle object = 0, memory = 0;
  DRIVER_OK(cuMulticastCreate(&object, &team));
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  DRIVER_OK(cuMemCreate(&memory, 2 * piece, &properties, 0));
  EXPECT_EQ(cuMulticastBindMem(object, 0, memory, 0, piece, 0), CUDA_ERROR_ILLEGAL_STATE);  // no device yet
  DRIVER_OK(cuMulticastAddDevice(object, 0));
  EXPECT_EQ(cuMulticastAddDevice(object, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastAddDevice(object, 1), CUDA_ERROR_INVALID_DEVICE);

  // The memory's pieces in the other order.
  DRIVER_OK(cuMulticastBindMem(object, 0, memory, piece, piece, 0));
  EXPECT_EQ(cuMulticastBindMem(object, 0, memory, 0, piece, 0), CUDA_ERROR_INVALID_VALUE);          // bound already
  EXPECT_EQ(cuMulticastBindMem(object, piece, memory, 0, 2 * piece, 0), CUDA_ERROR_INVALID_VALUE);  // too long
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CUdeviceptr own = 0, multicast = 0;
  DRIVER_OK(cuMemAddressReserve(&own, 2 * piece, 0, 0, 0));
  DRIVER_OK(cuMemMap(own, 2 * piece, 0, memory, 0));
  DRIVER_OK(cuMemSetAccess(own, 2 * piece, &access, 1));
  DRIVER_OK(cuMemAddressReserve(&multicast, 2 * piece, 0, 0, 0));
  DRIVER_OK(cuMemMap(multicast, 2 * piece, 0, object, 0));
  DRIVER_OK(cuMemSetAccess(multicast, 2 * piece, &access, 1));
  DRIVER_OK(cuMulticastBindAddr(object, piece, own, piece, 0));  // after it was mapped

  const unsigned threads = 256, words = piece / 4;
  unsigned* sums = nullptr;
  OK(cudaMalloc(&sums, 2 * threads * sizeof(unsigned)));
  store_and_add<<<2, 128>>>(reinterpret_cast<unsigned*>(multicast), sums);
  store_and_add<<<2, 128>>>(reinterpret_cast<unsigned*>(multicast + piece), sums + threads);
  add_floats<<<1, 32>>>(reinterpret_cast<float*>(multicast + piece + 4096));
  add_floats<<<1, 32>>>(reinterpret_cast<float*>(multicast + piece + 4096));
  std::vector<unsigned> got(2 * words), of_kernel(2 * threads);
  OK(cudaMemcpy(got.data(), reinterpret_cast<void*>(own), 2 * piece, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(of_kernel.data(), sums, 2 * threads * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (unsigned t = 0; t < threads; ++t) {
    EXPECT_EQ(got[t], 3 * t + 5);
    EXPECT_EQ(got[words + t], 3 * t + 5);
    EXPECT_EQ(of_kernel[t], 3 * t + 5);
    EXPECT_EQ(of_kernel[threads + t], 3 * t + 5);
  }
  const float expected[] = {2, 4, 1, -2};
  const auto* const floats = reinterpret_cast<const float*>(&got[1024]);
  for (int k = 0; k < 128; ++k) EXPECT_EQ(floats[k], expected[k % 4]);

  if (count_of_arguments > 1) {  // undefined: told, and no value is made up
    plain<<<1, 1>>>(reinterpret_cast<unsigned*>(multicast), sums);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return finish("multicast");
  }
  EXPECT_EQ(cuMulticastUnbind(object, 0, 0, piece / 2), CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuMulticastUnbind(object, 0, 0, piece));
  DRIVER_OK(cuMemUnmap(multicast, 2 * piece));
  DRIVER_OK(cuMemAddressFree(multicast, 2 * piece));
  DRIVER_OK(cuMemUnmap(own, 2 * piece));
  DRIVER_OK(cuMemAddressFree(own, 2 * piece));
  DRIVER_OK(cuMemRelease(object));
  DRIVER_OK(cuMemRelease(memory));
  OK(cudaFree(sums));
  return finish("multicast");
}

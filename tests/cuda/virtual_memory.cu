// Memory that the program puts at addresses itself, as vectorAddMMAP does: several pieces, one array.
#include <cuda.h>

#include <vector>

#include "check.hpp"

__global__ void add_index(int* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[i] += i;
}

__global__ void fetch(cudaTextureObject_t texture, int* out, int from) {
  out[threadIdx.x] = tex1Dfetch<int>(texture, from + int(threadIdx.x));
}

int main() {
  OK(cudaFree(nullptr));
  int supported = 0;
  DRIVER_OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  EXPECT_EQ(supported, 1);
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  size_t piece = 0;
  DRIVER_OK(cuMemGetAllocationGranularity(&piece, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  EXPECT_EQ(piece, 2 << 20);

  size_t free_before = 0, free_then = 0, total = 0;
  OK(cudaMemGetInfo(&free_before, &total));
  CUdeviceptr range = 0;
  CUmemGenericAllocationHandle pieces[2];
  DRIVER_OK(cuMemAddressReserve(&range, 2 * piece, 0, 0, 0));
  for (int k = 0; k < 2; ++k) {
    DRIVER_OK(cuMemCreate(&pieces[k], piece, &properties, 0));
    DRIVER_OK(cuMemMap(range + k * piece, piece, 0, pieces[k], 0));
  }
  OK(cudaMemGetInfo(&free_then, &total));
  EXPECT_EQ(free_before - free_then, 2 * piece);
  EXPECT_EQ(cuMemsetD8(range, 0, 16), CUDA_ERROR_INVALID_VALUE);  // nobody has access yet
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER_OK(cuMemSetAccess(range, 2 * piece, &access, 1));
  unsigned long long flags = 0;
  DRIVER_OK(cuMemGetAccess(&flags, &access.location, range + piece + 5));
  EXPECT_EQ(flags, 3);

  // One array over both pieces.
  const int count = static_cast<int>(2 * piece / sizeof(int));
  auto* values = reinterpret_cast<int*>(range);
  std::vector<int> host(count, 7);
  OK(cudaMemcpy(values, host.data(), 2 * piece, cudaMemcpyHostToDevice));
  add_index<<<count / 256, 256>>>(values, count);
  OK(cudaMemcpy(host.data(), values, 2 * piece, cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; ++i) EXPECT_EQ(host[i], 7 + i);
  EXPECT_EQ(cudaMemcpy(host.data(), values + 1, 2 * piece, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(values), cudaErrorInvalidValue);

  // A texture over both, too.
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = values;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = 2 * piece;
  cudaTextureDesc how{};
  cudaTextureObject_t texture = 0;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  int *fetched = nullptr, texels[2] = {};
  OK(cudaMalloc(&fetched, sizeof texels));
  fetch<<<1, 2>>>(texture, fetched, count / 2 - 1);
  OK(cudaMemcpy(texels, fetched, sizeof texels, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 2; ++k) EXPECT_EQ(texels[k], 7 + count / 2 - 1 + k);
  OK(cudaDestroyTextureObject(texture));
  OK(cudaFree(fetched));

  // The second piece also at another place: the same memory.
  CUdeviceptr other = 0;
  DRIVER_OK(cuMemAddressReserve(&other, piece, piece, 0, 0));
  DRIVER_OK(cuMemMap(other, piece, 0, pieces[1], 0));
  DRIVER_OK(cuMemSetAccess(other, piece, &access, 1));
  DRIVER_OK(cuMemsetD32(other, 42, 1));
  int seen = 0;
  OK(cudaMemcpy(&seen, values + count / 2, sizeof seen, cudaMemcpyDeviceToHost));
  EXPECT_EQ(seen, 42);

  // Mistakes.
  EXPECT_EQ(cuMemMap(range, piece, 0, pieces[0], 0), CUDA_ERROR_INVALID_VALUE);  // there is something
  EXPECT_EQ(cuMemAddressFree(range, 2 * piece), CUDA_ERROR_INVALID_VALUE);       // still mapped
  EXPECT_EQ(cuMemUnmap(range, piece / 2), CUDA_ERROR_INVALID_VALUE);             // a part of a mapping
  EXPECT_EQ(cuMemCreate(&pieces[0], piece + 1, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemGenericAllocationHandle none;
  EXPECT_EQ(cuMemCreate(&none, piece, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);

  // What is unmapped keeps its contents while it has a handle, and is given back afterwards.
  DRIVER_OK(cuMemUnmap(range, 2 * piece));
  EXPECT_EQ(cuMemsetD8(range, 0, 16), CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuMemMap(range, piece, 0, pieces[1], 0));
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
  DRIVER_OK(cuMemSetAccess(range, piece, &access, 1));
  OK(cudaMemcpy(&seen, values + 1, sizeof seen, cudaMemcpyDeviceToHost));
  EXPECT_EQ(seen, 7 + count / 2 + 1);
  CUmemGenericAllocationHandle again;
  DRIVER_OK(cuMemRetainAllocationHandle(&again, values));
  EXPECT_EQ(again, pieces[1]);
  DRIVER_OK(cuMemRelease(again));
  DRIVER_OK(cuMemUnmap(range, piece));
  DRIVER_OK(cuMemUnmap(other, piece));
  for (const auto handle : pieces) DRIVER_OK(cuMemRelease(handle));
  EXPECT_EQ(cuMemRelease(pieces[0]), CUDA_ERROR_INVALID_VALUE);
  DRIVER_OK(cuMemAddressFree(range, 2 * piece));
  DRIVER_OK(cuMemAddressFree(other, piece));
  OK(cudaMemGetInfo(&free_then, &total));
  EXPECT_EQ(free_before, free_then);
  return finish("virtual_memory");
}

// Memory pools count what is allocated from them; libraries and launches with events.
#include "check.hpp"

__global__ void one(int* value) { *value = 1; }

static unsigned long long count(cudaMemPool_t pool, cudaMemPoolAttr which) {
  unsigned long long value = 0;
  OK(cudaMemPoolGetAttribute(pool, which, &value));
  return value;
}

static void counts() {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool;
  OK(cudaMemPoolCreate(&pool, &properties));
  unsigned long long threshold = 3000;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  void *first = nullptr, *second = nullptr;
  OK(cudaMallocFromPoolAsync(&first, 4096, pool, nullptr));
  OK(cudaMallocFromPoolAsync(&second, 1024, pool, nullptr));
  EXPECT_EQ(count(pool, cudaMemPoolAttrUsedMemCurrent), 5120);
  EXPECT_EQ(count(pool, cudaMemPoolAttrReservedMemCurrent), 5120);
  OK(cudaFreeAsync(first, nullptr));
  EXPECT_EQ(count(pool, cudaMemPoolAttrUsedMemCurrent), 1024);
  EXPECT_EQ(count(pool, cudaMemPoolAttrReservedMemCurrent), 3000);  // what the threshold lets it keep
  EXPECT_EQ(count(pool, cudaMemPoolAttrUsedMemHigh), 5120);
  OK(cudaMemPoolTrimTo(pool, 2000));
  EXPECT_EQ(count(pool, cudaMemPoolAttrReservedMemCurrent), 2000);
  OK(cudaMemPoolTrimTo(pool, 0));
  EXPECT_EQ(count(pool, cudaMemPoolAttrReservedMemCurrent), 1024);  // what is used stays
  unsigned long long zero = 0;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  EXPECT_EQ(count(pool, cudaMemPoolAttrUsedMemHigh), 1024);
  cudaMemAccessDesc access{{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
  OK(cudaMemPoolSetAccess(pool, &access, 1));
  access.location.id = 1;
  EXPECT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidDevice);
  cudaMemAccessFlags flags;
  access.location.id = 0;
  OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
  EXPECT_EQ(flags, cudaMemAccessFlagsProtReadWrite);
  OK(cudaFree(second));
  EXPECT_EQ(count(pool, cudaMemPoolAttrUsedMemCurrent), 0);
  OK(cudaMemPoolDestroy(pool));
  EXPECT_EQ(cudaMallocFromPoolAsync(&first, 16, pool, nullptr), cudaErrorInvalidValue);
  cudaGetLastError();
}

/// An event that the launch itself records.
static void launch_events() {
  int* value = nullptr;
  OK(cudaMalloc(&value, sizeof(int)));
  cudaEvent_t event;
  OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[3]{};
  attributes[0].id = cudaLaunchAttributeLaunchCompletionEvent;
  attributes[0].val.launchCompletionEvent.event = event;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  attributes[2].id = cudaLaunchAttributeClusterDimension;
  attributes[2].val.clusterDim = {1, 1, 1};
  config.gridDim = config.blockDim = dim3(1);
  config.attrs = attributes;
  config.numAttrs = 3;
  OK(cudaLaunchKernelEx(&config, one, value));
  OK(cudaEventQuery(event));
  int seen = 0;
  OK(cudaMemcpy(&seen, value, sizeof seen, cudaMemcpyDeviceToHost));
  EXPECT_EQ(seen, 1);
  OK(cudaEventDestroy(event));
  EXPECT_EQ(cudaLaunchKernelEx(&config, one, value), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

static void libraries() {
  const char* text =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .global .align 4 .u32 counter;\n.visible .entry "
      "nothing() { ret; }\n";
  cudaLibrary_t library;
  cudaKernel_t kernel;
  OK(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cudaLibraryGetKernel(&kernel, library, "nothing"));
  OK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), nullptr, 0, nullptr));
  void* address = nullptr;
  size_t size = 0;
  OK(cudaLibraryGetGlobal(&address, &size, library, "counter"));
  EXPECT_EQ(size, 4);
  EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "something"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaGetLastError(), cudaErrorSymbolNotFound);
  unsigned kernels = 0;
  OK(cudaLibraryGetKernelCount(&kernels, library));
  EXPECT_EQ(kernels, 1);
  OK(cudaLibraryUnload(library));
}

int main() {
  counts();
  launch_events();
  libraries();
  return finish("pools");
}

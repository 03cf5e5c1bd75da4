// Device queries agree with each other.
#include <cstring>

#include "check.hpp"

static int attribute(cudaDeviceAttr which) {
  int value = -1;
  OK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

int main() {
  int count = 0, device = -1, version = 0;
  OK(cudaGetDeviceCount(&count));
  EXPECT_EQ(count, 1);
  OK(cudaSetDevice(0));
  OK(cudaGetDevice(&device));
  EXPECT_EQ(device, 0);
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  EXPECT_EQ(p.multiProcessorCount, attribute(cudaDevAttrMultiProcessorCount));
  EXPECT_EQ(p.major, attribute(cudaDevAttrComputeCapabilityMajor));
  EXPECT_EQ(p.warpSize, attribute(cudaDevAttrWarpSize));
  EXPECT_EQ(p.maxThreadsPerBlock, 1024);
  EXPECT_EQ(p.sharedMemPerBlock, attribute(cudaDevAttrMaxSharedMemoryPerBlock));
  EXPECT_EQ(p.sharedMemPerBlockOptin, attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  EXPECT_EQ(p.maxGridSize[0], 2147483647);
  EXPECT_EQ(p.managedMemory, 1);
  EXPECT(std::strlen(p.name) > 0 && p.totalGlobalMem > 0);
  EXPECT_EQ(cudaGetDeviceProperties(&p, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetAttribute(&count, static_cast<cudaDeviceAttr>(4711), 0), cudaErrorInvalidValue);

  OK(cudaDriverGetVersion(&version));
  EXPECT(version >= 13000);
  OK(cudaRuntimeGetVersion(&version));
  EXPECT_EQ(version / 1000, CUDART_VERSION / 1000);
  char bus[32];
  OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  OK(cudaDeviceGetByPCIBusId(&device, bus));
  EXPECT_EQ(device, 0);
  int least = -1, greatest = 1;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(least == 0 && greatest < 0);
  size_t limit = 0;
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  OK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  EXPECT_EQ(limit, 4096);
  int can = 1;
  OK(cudaDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(can, 0);
  OK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  cudaDeviceProp wanted = {};
  OK(cudaChooseDevice(&device, &wanted));
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float4>();
  EXPECT(channel.x == 32 && channel.w == 32 && channel.f == cudaChannelFormatKindFloat);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &entry, 12000, cudaEnableDefault, &found));
  EXPECT(entry != nullptr && found == cudaDriverEntryPointSuccess);
  OK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &entry, 12000, cudaEnableDefault, &found));
  EXPECT(entry == nullptr && found == cudaDriverEntryPointSymbolNotFound);
  return finish("device");
}

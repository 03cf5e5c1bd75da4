// cudaDeviceProp in the three layouts that programs are compiled against.
#include <algorithm>
#include <cstring>

#include "bankshot/cuda/abi/device_prop.hpp"
#include "bankshot/cuda/device/device.hpp"

namespace bankshot::cuda {
namespace {

int value_of(const DeviceInfo& device, int number) { return attribute(device, number).value_or(0); }

/// The fields that some versions have only.
template <class Properties>
void fill_versioned(const DeviceInfo& device, Properties& p) {
  if constexpr (requires { p.clockRate; }) {
    p.clockRate = value_of(device, 13);
    p.deviceOverlap = 1;
    p.maxTexture1DLinear = value_of(device, 69);
    p.memoryClockRate = value_of(device, 36);
    p.singleToDoublePrecisionPerfRatio = value_of(device, 87);
  }
  if constexpr (requires { p.hostRegisterSupported; }) {
    p.hostRegisterSupported = 1;
    p.unifiedFunctionPointers = 1;
    p.memoryPoolsSupported = 1;
  }
  if constexpr (requires { p.clusterLaunch; }) p.clusterLaunch = value_of(device, 120);
  if constexpr (requires { p.deviceNumaId; }) p.deviceNumaId = -1;
}

template <class Properties>
void fill_in(const DeviceInfo& device, Properties& p) {
  p = {};
  std::strncpy(p.name, device.name.c_str(), sizeof p.name - 1);
  const auto uuid = uuid_of(device);
  std::copy(uuid.begin(), uuid.end(), p.uuid);
  p.totalGlobalMem = device.memory;
  p.sharedMemPerBlock = device.shared_by_default;
  p.totalConstMem = device.constant_memory;
  p.memPitch = 0x7fffffff;
  p.textureAlignment = value_of(device, 14);
  p.texturePitchAlignment = value_of(device, 51);
  p.surfaceAlignment = value_of(device, 30);
  p.sharedMemPerMultiprocessor = device.sm.shared;
  p.sharedMemPerBlockOptin = device.sm.shared_per_block;
  p.reservedSharedMemPerBlock = device.sm.shared_reserved;

  struct Slot {
    int* place;
    int number;
  };
  const Slot slots[] = {
      {&p.regsPerBlock, 12},
      {&p.warpSize, 10},
      {&p.maxThreadsPerBlock, 1},
      {&p.maxThreadsDim[0], 2},
      {&p.maxThreadsDim[1], 3},
      {&p.maxThreadsDim[2], 4},
      {&p.maxGridSize[0], 5},
      {&p.maxGridSize[1], 6},
      {&p.maxGridSize[2], 7},
      {&p.major, 75},
      {&p.minor, 76},
      {&p.multiProcessorCount, 16},
      {&p.integrated, 18},
      {&p.canMapHostMemory, 19},
      {&p.maxTexture1D, 21},
      {&p.maxTexture1DMipmap, 77},
      {&p.maxTexture2D[0], 22},
      {&p.maxTexture2D[1], 23},
      {&p.maxTexture2DMipmap[0], 73},
      {&p.maxTexture2DMipmap[1], 74},
      {&p.maxTexture2DLinear[0], 70},
      {&p.maxTexture2DLinear[1], 71},
      {&p.maxTexture2DLinear[2], 72},
      {&p.maxTexture2DGather[0], 45},
      {&p.maxTexture2DGather[1], 46},
      {&p.maxTexture3D[0], 24},
      {&p.maxTexture3D[1], 25},
      {&p.maxTexture3D[2], 26},
      {&p.maxTexture3DAlt[0], 47},
      {&p.maxTexture3DAlt[1], 48},
      {&p.maxTexture3DAlt[2], 49},
      {&p.maxTextureCubemap, 52},
      {&p.maxTexture1DLayered[0], 42},
      {&p.maxTexture1DLayered[1], 43},
      {&p.maxTexture2DLayered[0], 27},
      {&p.maxTexture2DLayered[1], 28},
      {&p.maxTexture2DLayered[2], 29},
      {&p.maxTextureCubemapLayered[0], 53},
      {&p.maxTextureCubemapLayered[1], 54},
      {&p.maxSurface1D, 55},
      {&p.maxSurface2D[0], 56},
      {&p.maxSurface2D[1], 57},
      {&p.maxSurface3D[0], 58},
      {&p.maxSurface3D[1], 59},
      {&p.maxSurface3D[2], 60},
      {&p.maxSurface1DLayered[0], 61},
      {&p.maxSurface1DLayered[1], 62},
      {&p.maxSurface2DLayered[0], 63},
      {&p.maxSurface2DLayered[1], 64},
      {&p.maxSurface2DLayered[2], 65},
      {&p.maxSurfaceCubemap, 66},
      {&p.maxSurfaceCubemapLayered[0], 67},
      {&p.maxSurfaceCubemapLayered[1], 68},
      {&p.concurrentKernels, 31},
      {&p.ECCEnabled, 32},
      {&p.pciBusID, 33},
      {&p.pciDeviceID, 34},
      {&p.pciDomainID, 50},
      {&p.asyncEngineCount, 40},
      {&p.unifiedAddressing, 41},
      {&p.memoryBusWidth, 37},
      {&p.l2CacheSize, 38},
      {&p.persistingL2CacheMaxSize, 108},
      {&p.accessPolicyMaxWindowSize, 109},
      {&p.maxThreadsPerMultiProcessor, 39},
      {&p.streamPrioritiesSupported, 78},
      {&p.globalL1CacheSupported, 79},
      {&p.localL1CacheSupported, 80},
      {&p.regsPerMultiprocessor, 82},
      {&p.managedMemory, 83},
      {&p.hostNativeAtomicSupported, 86},
      {&p.pageableMemoryAccess, 88},
      {&p.concurrentManagedAccess, 89},
      {&p.computePreemptionSupported, 90},
      {&p.canUseHostPointerForRegisteredMem, 91},
      {&p.cooperativeLaunch, 95},
      {&p.maxBlocksPerMultiProcessor, 106},
  };
  for (const Slot& slot : slots) *slot.place = value_of(device, slot.number);
  fill_versioned(device, p);
}

}  // namespace

std::array<unsigned char, 16> uuid_of(const DeviceInfo& device) {
  // FNV-1a, twice with different starts: stable from run to run, which is all that is asked of it.
  std::array<unsigned char, 16> uuid{};
  for (int half = 0; half < 2; ++half) {
    uint64_t hash = 0xcbf29ce484222325u + static_cast<uint64_t>(half);
    for (const unsigned char c : device.name) hash = (hash ^ c) * 0x100000001b3u;
    std::memcpy(uuid.data() + 8 * half, &hash, sizeof hash);
  }
  return uuid;
}

void fill_properties(const DeviceInfo& device, int version, void* properties) {
  if (version == 11) fill_in(device, *static_cast<abi::DeviceProp11*>(properties));
  if (version == 12) fill_in(device, *static_cast<abi::DeviceProp12*>(properties));
  if (version == 13) fill_in(device, *static_cast<abi::DeviceProp13*>(properties));
}

}  // namespace bankshot::cuda

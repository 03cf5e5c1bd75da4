// The GPU as the CUDA interfaces report it: attributes by number, and the property structures.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "bankshot/cuda/device/occupancy.hpp"
#include "bankshot/gpu/gpu.hpp"

namespace bankshot::cuda {

/// What is reported to programs. Sizes in bytes, clocks in kHz.
struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  uint32_t sms = 0;
  uint64_t memory = 0;
  uint32_t constant_memory = 0;
  uint32_t clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0, l2_bytes = 0;
  SmLimits sm;
  uint32_t shared_by_default = 0;  ///< shared memory of a CTA without opting in
  scratchpad::Rules banks;
  scratchpad::TxConfig transactions;
  bool pageable_memory = false;  ///< kernels may access all memory of the process
};

DeviceInfo device_info(const gpu::Gpu& gpu);

/// Largest extents of a CTA and of a grid, the same on all GPUs since compute capability 3.
/// Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr std::array<uint32_t, 3> kMaxBlock{1024, 1024, 64};
constexpr std::array<uint32_t, 3> kMaxGrid{0x7fffffff, 65535, 65535};
constexpr int kPciBus = 1, kPciDevice = 0, kPciDomain = 0;
constexpr const char* kPciBusId = "0000:01:00.0";

/// Versions that are reported, for CUDA 13 and 12: 1000 * major + 10 * minor.
constexpr int kDriverVersion = 13000, kRuntimeVersion13 = 13000, kRuntimeVersion12 = 12090;

/// 16 bytes that are the same for the same GPU name.
std::array<unsigned char, 16> uuid_of(const DeviceInfo& device);

/// The value of cudaDeviceAttr and CUdevice_attribute, which share their numbers; nullopt for an unknown number.
std::optional<int> attribute(const DeviceInfo& device, int number);

/// Fills cudaDeviceProp of the given CUDA version: 11, 12 or 13.
void fill_properties(const DeviceInfo& device, int version, void* properties);

}  // namespace bankshot::cuda

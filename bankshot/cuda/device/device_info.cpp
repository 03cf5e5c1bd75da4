#include "bankshot/cuda/device/device.hpp"

namespace bankshot::cuda {

DeviceInfo device_info(const gpu::Gpu& gpu) {
  DeviceInfo device;
  device.name = gpu.name;
  device.major = static_cast<int>(gpu.compute_major);
  device.minor = static_cast<int>(gpu.compute_minor);
  device.sms = gpu.machine.sms;
  device.memory = gpu.global_bytes;
  device.constant_memory = static_cast<uint32_t>(gpu.constant_bytes);
  device.clock_khz = gpu.core_khz;
  device.memory_clock_khz = gpu.memory_khz;
  device.memory_bus_bits = gpu.memory_bus_bits;
  device.l2_bytes = static_cast<uint32_t>(gpu.l2_bytes);
  device.shared_by_default = gpu.shared_per_block;
  device.banks = gpu.machine.scratchpad;
  device.transactions = gpu.machine.transactions;

  SmLimits& sm = device.sm;
  sm.warp_size = gpu.machine.warp_size;
  sm.max_threads_per_block = gpu.max_threads_per_block;
  sm.max_warps = gpu.max_warps_per_sm;
  sm.max_blocks = gpu.max_blocks_per_sm;
  sm.registers = gpu.registers_per_sm;
  sm.registers_per_block = gpu.registers_per_block;
  sm.shared = gpu.shared_per_sm;
  // Granularities: NVIDIA's occupancy calculator. For 1.x those of 3.x: 7 CTAs of DCT fit on a core of cf11, as in its
  // paper.
  const unsigned major = gpu.compute_major;
  sm.shared_unit = major >= 8 || major == 2 ? 128 : 256;
  // CUDA C Programming Guide 5.0, table 12: technical specifications per compute capability.
  sm.registers_per_thread = major == 1 ? 128 : major == 2 || (major == 3 && gpu.compute_minor < 2) ? 63 : 255;
  sm.register_unit = major == 2 ? 64 : 256;
  sm.register_parts = major >= 3 ? 4 : major == 2 ? 2 : 1;
  sm.shared_reserved = gpu.shared_reserved_per_block;
  sm.shared_per_block = gpu.shared_per_block_optin;
  return device;
}

}  // namespace bankshot::cuda

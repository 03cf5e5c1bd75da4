#include "bankshot/cuda/launch/kernel_limits.hpp"

#include <algorithm>

#include "bankshot/scratchpad/transactions/tx_resources.hpp"

namespace bankshot::cuda {

uint32_t registers_told(const DeviceInfo& device, const Function& function) {
  if (function.registers != 0) return function.registers;
  const simt::KernelInfo& kernel = *function.info;
  const uint32_t most = std::min(kernel.registers, device.sm.registers_per_thread);
  if (!kernel.has_launch_bounds) return most;
  const uint32_t warps = (kernel.max_threads + device.sm.warp_size - 1) / device.sm.warp_size;
  const bool can_be = uint64_t{warps} * kernel.least_ctas <= device.sm.max_warps;  // or ptxas ignores .minnctapersm
  return std::min(most, registers_that_fit(device.sm, kernel.max_threads, can_be ? kernel.least_ctas : 1));
}

uint32_t registers_for(const DeviceInfo& device, const Function& function, uint32_t threads, uint32_t ctas) {
  if (function.registers != 0) return function.registers;
  return std::min(registers_told(device, function), registers_that_fit(device.sm, threads, ctas));
}

uint32_t ctas_together(const DeviceInfo& device, const simt::Dim3& grid, bool cooperative) {
  if (!cooperative) return 1;
  return static_cast<uint32_t>(std::min<uint64_t>((grid.count() + device.sms - 1) / device.sms, device.sm.max_blocks));
}

uint64_t dynamic_shared_limit(const DeviceInfo& device, const Function& function) {
  const uint64_t most = std::min<uint64_t>(device.shared_by_default, device.sm.shared_per_block);
  const uint64_t by_default = most - std::min<uint64_t>(most, function.info->static_shared);
  return std::max<uint64_t>(by_default, function.dynamic_shared_limit);
}

Status set_dynamic_shared_limit(const DeviceInfo& device, Function& function, int bytes) {
  if (bytes < 0 || uint64_t(bytes) + function.info->static_shared > device.sm.shared_per_block)
    return Status::invalid_value;
  function.dynamic_shared_limit = static_cast<uint32_t>(bytes);
  return Status::success;
}

Residents occupancy_limits(const DeviceInfo& device, const Function& function, uint32_t threads,
                           uint64_t dynamic_shared, uint32_t together) {
  const simt::KernelInfo& kernel = *function.info;
  if (threads > kernel.max_threads) return {0, "warps"};
  if (dynamic_shared > device.sm.shared_per_block) return {0, "shared memory"};
  const uint32_t registers = registers_for(device, function, threads, together);
  const uint64_t shared = kernel.static_shared + dynamic_shared;
  if (!kernel.has_transactions || threads == 0) return residents(device.sm, {threads, registers, shared});
  const scratchpad::TxNeeds needs = scratchpad::needs(device.banks, device.transactions, {threads, shared, registers});
  return residents(device.sm,
                   {threads, static_cast<uint32_t>((needs.all_registers() + threads - 1) / threads), needs.bytes()});
}

uint32_t occupancy(const DeviceInfo& device, const Function& function, uint32_t threads, uint64_t dynamic_shared) {
  return occupancy_limits(device, function, threads, dynamic_shared).blocks;
}

uint32_t most_threads(const DeviceInfo& device, const Function& function) {
  uint32_t threads = std::min(function.info->max_threads, device.sm.max_threads_per_block);
  if (!function.info->has_transactions && function.registers == 0) return threads;
  const uint32_t step = device.sm.warp_size;
  while (threads != 0 && occupancy(device, function, threads, 0) == 0) threads = (threads - 1) / step * step;
  return threads;
}

}  // namespace bankshot::cuda

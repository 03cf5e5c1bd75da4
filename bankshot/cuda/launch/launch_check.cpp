#include "bankshot/cuda/launch/launch_check.hpp"

#include <fmt/format.h>

#include "bankshot/cuda/launch/clusters.hpp"
#include "bankshot/cuda/launch/extents.hpp"
#include "bankshot/cuda/launch/kernel_limits.hpp"
#include "bankshot/scratchpad/transactions/tx_resources.hpp"

namespace bankshot::cuda {
namespace {

std::optional<Refusal> check_extents(const char* what, const simt::Dim3& size, const std::array<uint32_t, 3>& most) {
  const uint32_t given[] = {size.x, size.y, size.z};
  for (size_t i = 0; i < 3; ++i) {
    if (given[i] == 0)
      return Refusal{Status::invalid_configuration,
                     fmt::format("the {} is {}: no extent may be 0", what, extents(size))};
    if (given[i] > most[i])
      return Refusal{Status::invalid_configuration,
                     fmt::format("{}.{} is {}, but the GPU allows {}", what, "xyz"[i], given[i], most[i])};
  }
  return std::nullopt;
}

std::string fewer_threads(const DeviceInfo& device, const Function& function) {
  const uint32_t most = most_threads(device, function);
  return most == 0 ? "no block of it fits" : fmt::format("blocks of up to {} threads fit", most);
}

std::optional<Refusal> check_block(const DeviceInfo& device, const Function& function, const simt::Dim3& block) {
  const simt::KernelInfo& kernel = *function.info;
  const uint64_t threads = block.count();
  if (threads > device.sm.max_threads_per_block)
    return Refusal{Status::invalid_configuration, fmt::format("{} threads per block, but the GPU allows {}", threads,
                                                              device.sm.max_threads_per_block)};
  if (auto refusal = check_extents("block", block, kMaxBlock)) return refusal;
  // The status is that of NVIDIA's driver by Numba's tests (numba/cuda/tests/cudapy/test_dispatcher.py,
  // TestLaunchBounds).
  if (threads > kernel.max_threads)
    return Refusal{Status::invalid_value, fmt::format("{} threads per block, but the kernel's launch bounds allow {}",
                                                      threads, kernel.max_threads)};
  const auto& required = kernel.required_block;
  const simt::Dim3 wanted{required[0], required[1], required[2]};
  if (required[0] && block != wanted)
    return Refusal{Status::invalid_value,
                   fmt::format("the block is {}, but the kernel requires {}", extents(block), extents(wanted))};
  if (function.registers != 0 && registers_that_fit(device.sm, static_cast<uint32_t>(threads), 1) < function.registers)
    return Refusal{Status::launch_out_of_resources,
                   fmt::format("{} threads per block with {} registers each (according to the machine code), but the "
                               "GPU has {} per block: {}; compile with __launch_bounds__({}) or -maxrregcount",
                               threads, function.registers, device.sm.registers_per_block,
                               fewer_threads(device, function), threads)};
  return std::nullopt;
}

std::string too_much_shared(const DeviceInfo& device, const Function& function, uint64_t bytes) {
  const uint64_t most = device.sm.shared_per_block - std::min(device.sm.shared_per_block, function.info->static_shared);
  if (bytes > most) return beyond_shared(device, function, static_cast<int64_t>(bytes));
  return fmt::format(
      "{} bytes of dynamic shared memory, but only {} are allowed until cudaFuncSetAttribute raises "
      "cudaFuncAttributeMaxDynamicSharedMemorySize (to at most {})",
      bytes, dynamic_shared_limit(device, function), most);
}

/// Source: GPU-LocalTM, section 4.3.
std::optional<Refusal> check_transactions(const DeviceInfo& device, const Function& function,
                                          const LaunchRequest& request) {
  const simt::KernelInfo& kernel = *function.info;
  if (!kernel.has_transactions) return std::nullopt;
  const auto threads = static_cast<uint32_t>(request.block.count());
  const uint64_t shared = kernel.static_shared + request.dynamic_shared;
  const uint32_t registers = registers_told(device, function);
  const scratchpad::TxNeeds needs = scratchpad::needs(device.banks, device.transactions, {threads, shared, registers});
  if (needs.bytes() > device.sm.shared_per_block)
    return Refusal{Status::launch_out_of_resources,
                   fmt::format("with transactions, {} bytes of shared memory need {} more for backups and {} for "
                               "owners, {} in total; the GPU has {} per block, of which {} can be used",
                               needs.data, needs.backups, needs.owners, needs.bytes(), device.sm.shared_per_block,
                               scratchpad::most_shared(device.banks, device.sm.shared_per_block, threads))};
  if (occupancy(device, function, threads, request.dynamic_shared) == 0)
    return Refusal{
        Status::launch_out_of_resources,
        fmt::format(
            "with transactions, {} threads with {} registers need {}, as many for backups and {} for filters ({} per "
            "bank and thread), {} in total; the GPU has {} per block, allocated to warps in units of {}; {}",
            threads, registers, needs.registers, needs.filters, device.transactions.filters(), needs.all_registers(),
            device.sm.registers_per_block, device.sm.register_unit, fewer_threads(device, function))};
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> refusal_of(const DeviceInfo& device, const Function& function, const LaunchRequest& request) {
  if (auto refusal = check_extents("grid", request.grid, kMaxGrid)) return refusal;
  if (auto refusal = check_block(device, function, request.block)) return refusal;
  if (request.dynamic_shared > dynamic_shared_limit(device, function))
    return Refusal{Status::invalid_value, too_much_shared(device, function, request.dynamic_shared)};
  if (auto refusal = check_transactions(device, function, request)) return refusal;
  if (auto refusal = refusal_of_cluster(device, function, request)) return refusal;
  if (request.cooperative) {
    const Residents fit = occupancy_limits(device, function, static_cast<uint32_t>(request.block.count()),
                                           request.dynamic_shared, ctas_together(device, request.grid, true));
    const uint64_t resident = uint64_t{fit.blocks} * device.sms;
    if (request.grid.count() > resident)
      return Refusal{Status::cooperative_launch_too_large,
                     fmt::format("{} blocks in a cooperative launch, but only {} fit on the GPU at once",
                                 request.grid.count(), resident)};
  }
  for (size_t i = 0; request.arguments && i < function.info->params.size(); ++i)
    if (!request.arguments[i] && function.info->params[i].size > 0)
      return Refusal{Status::invalid_value, fmt::format("its argument {} is a null pointer", i + 1)};
  if (!request.arguments && request.packed.empty() && function.info->param_bytes > 0)
    return Refusal{Status::invalid_value, "the kernel has parameters, but the launch gives none"};
  return std::nullopt;
}

std::string beyond_shared(const DeviceInfo& device, const Function& function, int64_t bytes) {
  const std::string most =
      fmt::format("{} bytes of dynamic shared memory, but the GPU has {} per block", bytes, device.sm.shared_per_block);
  if (function.info->static_shared == 0) return most;
  return most + fmt::format(", of which {} are the kernel's static ones", function.info->static_shared);
}

}  // namespace bankshot::cuda

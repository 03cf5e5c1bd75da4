#include "bankshot/cuda/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "bankshot/cuda/say.hpp"
#include "bankshot/cuda/timing.hpp"

namespace bankshot::cuda {
namespace {

bool is_blocking() {
  const char* value = std::getenv("CUDA_LAUNCH_BLOCKING");
  return value && std::strcmp(value, "1") == 0;
}

Status check_shape(const DeviceInfo& device, const simt::KernelInfo& kernel, const LaunchRequest& request) {
  const auto& [grid, block] = std::tie(request.grid, request.block);
  if (grid.count() == 0 || block.count() == 0) return Status::invalid_configuration;
  if (grid.x > kMaxGrid[0] || grid.y > kMaxGrid[1] || grid.z > kMaxGrid[2]) return Status::invalid_configuration;
  if (block.x > kMaxBlock[0] || block.y > kMaxBlock[1] || block.z > kMaxBlock[2]) return Status::invalid_configuration;
  if (block.count() > device.sm.max_threads_per_block) return Status::invalid_configuration;
  if (block.count() > kernel.max_threads) return Status::launch_out_of_resources;
  const auto& required = kernel.required_block;
  if (required[0] && block != simt::Dim3{required[0], required[1], required[2]}) return Status::invalid_value;
  return Status::success;
}

Status check(const DeviceInfo& device, const Function& function, const LaunchRequest& request) {
  if (const Status status = check_shape(device, *function.info, request); status != Status::success) return status;
  if (request.dynamic_shared > dynamic_shared_limit(device, function)) return Status::invalid_value;
  if (request.cooperative) {
    const uint64_t resident =
        uint64_t{occupancy(device, function, static_cast<uint32_t>(request.block.count()), request.dynamic_shared)} *
        device.sms;
    if (request.grid.count() > resident) return Status::cooperative_launch_too_large;
  }
  return Status::success;
}

/// The parameter buffer, each argument at the offset the kernel declares for it.
std::vector<std::byte> pack(const simt::KernelInfo& kernel, const LaunchRequest& request) {
  std::vector<std::byte> buffer(kernel.param_bytes);
  if (request.arguments)
    for (size_t i = 0; i < kernel.params.size(); ++i)
      std::memcpy(buffer.data() + kernel.params[i].offset, request.arguments[i], kernel.params[i].size);
  else
    std::memcpy(buffer.data(), request.packed.data(), std::min(buffer.size(), request.packed.size()));
  return buffer;
}

}  // namespace

Status launch(Session& session, Function& function, const LaunchRequest& request) {
  if (!function.info) return Status::invalid_device_function;
  if (const Status status = check(session.device(), function, request); status != Status::success) return status;
  if (!request.arguments && request.packed.empty() && function.info->param_bytes > 0) return Status::invalid_value;

  session.report().refresh();  // a kernel that never ends must not take the others' counters with it
  const auto params = pack(*function.info, request);
  simt::LaunchConfig config;
  config.grid = request.grid;
  config.block = request.block;
  config.dynamic_shared = static_cast<uint32_t>(request.dynamic_shared);
  config.params = params;
  if (session.progress()) session.progress()->begin(function.name, request.grid.count());
  const auto start = std::chrono::steady_clock::now();
  auto stats = session.engine().launch(*function.module->program, function.name, config);
  if (stats) {
    time_launch(function.name, stats->warp_instructions, std::chrono::steady_clock::now() - start);
    session.report().add(session.gpu(), function.name, request.grid, request.block, *stats);
    return Status::success;
  }
  say(stats.error().message);
  const Status status = status_of(stats.error().kind);
  session.corrupt(status);
  return is_blocking() ? status : Status::success;
}

uint32_t registers_told(const DeviceInfo& device, const simt::KernelInfo& kernel) {
  const uint32_t fits = device.sm.registers / std::max(kernel.max_threads, 1u) / 8 * 8;
  return std::min({kernel.registers, fits, 255u});
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

uint32_t occupancy(const DeviceInfo& device, const Function& function, uint32_t threads, uint64_t dynamic_shared) {
  const simt::KernelInfo& kernel = *function.info;
  if (threads > kernel.max_threads) return 0;
  return blocks_per_sm(device.sm, {.threads = threads,
                                   .registers = registers_told(device, kernel),
                                   .shared = kernel.static_shared + dynamic_shared});
}

}  // namespace bankshot::cuda

// What transactions leave a kernel of an SM, and launches that want more: GPU-LocalTM, section 4.3, on its GPU.
#include <gtest/gtest.h>

#include <string>

#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/launch/function_attributes.hpp"
#include "bankshot/cuda/launch/kernel_limits.hpp"
#include "bankshot/cuda/launch/launch_check.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "tests/paths.hpp"

namespace bankshot::cuda {
namespace {

/// The paper's GPU, with transactions of this organisation.
DeviceInfo southern_islands(const scratchpad::TxConfig& transactions = {}) {
  const auto gpu = gpu::load_gpu(paths::source() + "/gpus/southern-islands-lds.toml");
  EXPECT_TRUE(gpu) << gpu.error().message;
  DeviceInfo device = gpu ? device_info(*gpu) : DeviceInfo{};
  device.transactions = transactions;
  return device;
}

/// A kernel that has transactions.
simt::KernelInfo kernel(uint32_t registers, uint32_t static_shared = 0) {
  simt::KernelInfo info;
  info.registers = registers;
  info.static_shared = static_shared;
  info.has_transactions = true;
  return info;
}

struct Launch {
  uint32_t threads = 256;
  uint64_t dynamic_shared = 0;
};
/// Why it is refused; empty if it is not.
std::string refused(const DeviceInfo& device, const simt::KernelInfo& info, const Launch& launch = {}) {
  Function function;
  function.info = &info;
  LaunchRequest request;
  request.block.x = launch.threads;
  request.dynamic_shared = launch.dynamic_shared;
  const auto refusal = refusal_of(device, function, request);
  if (!refusal) return {};
  EXPECT_EQ(refusal->status, Status::launch_out_of_resources) << refusal->reason;
  EXPECT_EQ(static_cast<int>(refusal->status), 701);  // cudaErrorLaunchOutOfResources
  return refusal->reason;
}

Residents fit(const DeviceInfo& device, const simt::KernelInfo& info, uint32_t threads, uint64_t dynamic_shared = 0) {
  Function function;
  function.info = &info;
  return occupancy_limits(device, function, threads, dynamic_shared);
}

TEST(CudaTransactions, a_cta_of_256_threads_has_29127_bytes_and_not_one_more) {
  const DeviceInfo device = southern_islands();
  EXPECT_EQ(refused(device, kernel(16, 29'127)), "");
  EXPECT_EQ(refused(device, kernel(16), {.dynamic_shared = 29'127}), "");
  EXPECT_EQ(refused(device, kernel(16, 20'000), {.dynamic_shared = 9'127}), "");
  const std::string reason =
      "with transactions, 29128 bytes of shared memory need 29128 more for backups and 7282 for owners, 65538 in "
      "total; "
      "the GPU has 65536 per block, of which 29127 can be used";
  EXPECT_EQ(refused(device, kernel(16, 29'128)), reason);
  EXPECT_EQ(refused(device, kernel(16, 20'000), {.dynamic_shared = 9'128}), reason);
}

TEST(CudaTransactions, a_kernel_without_them_has_all_shared_memory) {
  simt::KernelInfo info = kernel(16, 65'536);
  info.has_transactions = false;
  EXPECT_EQ(refused(southern_islands(), info), "");
}

// 65,536 - 256 * 32 filters = 57,344; half of it, by 256 threads: 112.
TEST(CudaTransactions, a_cta_of_256_threads_has_112_registers_a_thread_and_not_one_more) {
  const DeviceInfo device = southern_islands();
  EXPECT_EQ(refused(device, kernel(112)), "");
  EXPECT_EQ(refused(device, kernel(113)),
            "with transactions, 256 threads with 113 registers need 28928, as many for backups and 8192 for filters (1 "
            "per bank and thread), 66048 in total; the GPU has 65536 per block, allocated to warps in units of 256; no "
            "block of it fits");
}

TEST(CudaTransactions, other_organisations_have_other_filters) {
  scratchpad::TxConfig config;
  config.separate = true;  // 65,536 - 16,384 = 49,152: 96 registers
  EXPECT_EQ(refused(southern_islands(config), kernel(96)), "");
  EXPECT_NE(
      refused(southern_islands(config), kernel(97)).find("16384 for filters (2 per bank and thread), 66048 in total"),
      std::string::npos);
  config.separate = false;
  config.exact = true;  // none: 128 registers
  EXPECT_EQ(refused(southern_islands(config), kernel(128)), "");
  EXPECT_NE(
      refused(southern_islands(config), kernel(129)).find("0 for filters (0 per bank and thread), 66048 in total"),
      std::string::npos);
}

TEST(CudaTransactions, fewer_threads_may_have_more_registers) {
  // A warp of 64 in each quarter of 16,384: 64 * (2 * r + 32) <= 16,384: r = 112 for 3 warps as for 4.
  EXPECT_EQ(refused(southern_islands(), kernel(112), {.threads = 192}), "");
  EXPECT_NE(refused(southern_islands(), kernel(113), {.threads = 192}), "");
}

// 2 * 17 + 32 = 66 a thread, 4,224 a warp, in units of 256 4,352: 3 of them in a quarter of 16,384, 12 warps, though 15
// warps of 4,224 are fewer than 65,536.
TEST(CudaTransactions, what_programs_are_told_and_what_is_launched_agree) {
  DeviceInfo device = southern_islands();
  device.sm.max_threads_per_block = 1024;
  EXPECT_NE(refused(device, kernel(17), {.threads = 960}).find("blocks of up to 768 threads fit"), std::string::npos);
  EXPECT_EQ(refused(device, kernel(17), {.threads = 768}), "");
  for (const uint32_t registers : {1u, 16u, 17u, 40u, 100u, 112u, 113u, 255u}) {
    const simt::KernelInfo info = kernel(registers, 600);
    Function function;
    function.info = &info;
    const uint32_t most = most_threads(device, function);
    EXPECT_EQ(function_attribute(device, function, static_cast<int>(FunctionAttribute::max_threads)),
              static_cast<int>(most));
    for (uint32_t threads = 64; threads <= 1024; threads += 64) {
      EXPECT_EQ(refused(device, info, {.threads = threads}).empty(), threads <= most) << registers << ' ' << threads;
      EXPECT_EQ(fit(device, info, threads).blocks == 0, threads > most) << registers << ' ' << threads;
    }
  }
}

TEST(CudaTransactions, occupancy_counts_shadows_and_filters) {
  // 256 threads of 20 registers: 40 and 32 filters, 72 a thread. 72 * 64 = 4,608 a warp: 3 in a quarter of 16,384, 12
  // in all.
  const Residents residents = fit(southern_islands(), kernel(20), 256);
  EXPECT_EQ(residents.blocks, 3u);
  EXPECT_EQ(std::string(residents.limited_by), "registers");
  simt::KernelInfo without = kernel(20);
  without.has_transactions = false;  // 1,280 a warp: 12 in a quarter; 40 warps are the limit
  EXPECT_EQ(fit(southern_islands(), without, 256).blocks, 10u);
  scratchpad::TxConfig config;
  config.exact = true;  // 40 a thread, 2,560 a warp: 6 in a quarter, 24 in all
  EXPECT_EQ(fit(southern_islands(config), kernel(20), 256).blocks, 6u);
  config.exact = false;
  config.separate = true;  // 104 a thread, 6,656 a warp: 2 in a quarter, 8 in all
  EXPECT_EQ(fit(southern_islands(config), kernel(20), 256).blocks, 2u);
}

TEST(CudaTransactions, occupancy_counts_backups_and_owners) {
  // 6,000 bytes take 6,000 and 1,500 more: 13,500, in units of 256 13,568; 65,536 / 13,568 = 4.
  const Residents residents = fit(southern_islands(), kernel(16), 64, 6'000);
  EXPECT_EQ(residents.blocks, 4u);
  EXPECT_EQ(std::string(residents.limited_by), "shared memory");
  EXPECT_EQ(fit(southern_islands(), kernel(16), 64, 29'127).blocks, 1u);
  EXPECT_EQ(fit(southern_islands(), kernel(16), 64, 29'128).blocks, 0u);
}

TEST(CudaTransactions, what_may_be_launched_fits_on_an_sm) {
  for (const uint32_t registers : {16u, 40u, 100u, 110u, 111u, 112u}) {
    EXPECT_EQ(refused(southern_islands(), kernel(registers)), "");
    EXPECT_GE(fit(southern_islands(), kernel(registers), 256).blocks, 1u) << registers;
  }
}

}  // namespace
}  // namespace bankshot::cuda

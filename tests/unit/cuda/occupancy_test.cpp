// Occupancy worked by hand from the limits of the CUDA C++ Programming Guide.
#include <gtest/gtest.h>

#include <string>

#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/device/occupancy.hpp"
#include "bankshot/cuda/launch/kernel_limits.hpp"
#include "bankshot/cuda/launch/launch_check.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "tests/paths.hpp"

namespace bankshot::cuda {
namespace {

/// Compute capability 9.0: 64 warps, 32 CTAs, 64 Ki registers, 228 KiB of shared memory of which 1 KiB a CTA is taken.
SmLimits sm_90() {
  SmLimits sm;
  sm.shared = 233472;
  sm.shared_per_block = 232448;
  sm.shared_reserved = 1024;
  return sm;
}

/// Compute capability 7.5: 32 warps, 16 CTAs, 64 KiB of shared memory in units of 256 bytes.
SmLimits sm_75() {
  SmLimits sm;
  sm.max_warps = 32;
  sm.max_blocks = 16;
  sm.shared = 65536;
  sm.shared_per_block = 65536;
  sm.shared_unit = 256;
  return sm;
}

TEST(CudaOccupancy, few_resources_leave_warps_and_blocks_as_limits) {
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 256, .registers = 16}), 8u);  // 64 warps / 8
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 32, .registers = 16}), 32u);  // 32 CTAs, not 64 warps
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 1024, .registers = 16}), 2u);
  EXPECT_EQ(blocks_per_sm(sm_75(), {.threads = 1024, .registers = 16}), 1u);
}

TEST(CudaOccupancy, the_most_registers_that_fit_hold_the_ctas_and_one_more_does_not) {
  EXPECT_EQ(registers_that_fit(sm_90(), 1024), 64u);    // 65,536 / 1,024
  EXPECT_EQ(registers_that_fit(sm_90(), 768), 80u);     // 6 warps a quarter: 16,384 / 6 = 2,730, down to 2,560
  EXPECT_EQ(registers_that_fit(sm_90(), 224), 255u);    // 256 would fit
  EXPECT_EQ(registers_that_fit(sm_90(), 256, 4), 64u);  // .maxntid 256, .minnctapersm 4
  EXPECT_EQ(registers_that_fit(sm_90(), 64, 17), 56u);  // 34 warps, 9 in the fullest quarter: 1,820, down to 1,792
  for (const uint32_t threads : {32u, 96u, 128u, 224u, 256u, 416u, 512u, 736u, 1024u}) {
    for (const uint32_t blocks : {1u, 2u}) {
      const uint32_t most = registers_that_fit(sm_90(), threads, blocks);
      const auto holds = [&](uint32_t registers) {
        return blocks_per_sm(sm_90(), {.threads = threads, .registers = registers});
      };
      EXPECT_GE(holds(most), blocks) << threads;
      if (most < 255) {
        EXPECT_LT(holds(most + 1), blocks) << threads;
      }
    }
  }
}

TEST(CudaOccupancy, the_limit_is_named) {
  const auto by = [](const SmLimits& sm, const BlockNeeds& block) {
    return std::string(residents(sm, block).limited_by);
  };
  EXPECT_EQ(by(sm_90(), {.threads = 256, .registers = 16}), "warps");      // 8 CTAs; registers hold 16
  EXPECT_EQ(by(sm_90(), {.threads = 256, .registers = 32}), "warps");      // 8 CTAs both ways: the SM is full
  EXPECT_EQ(by(sm_90(), {.threads = 256, .registers = 64}), "registers");  // 4 CTAs
  EXPECT_EQ(by(sm_90(), {.threads = 32, .registers = 16}), "CTA slots");   // 32 of 64 warps
  EXPECT_EQ(by(sm_90(), {.threads = 128, .registers = 16, .shared = 48 * 1024}), "shared memory");
  EXPECT_EQ(by(sm_90(), {.threads = 1025}), "warps");
  EXPECT_EQ(by(sm_90(), {.threads = 32, .shared = 227 * 1024 + 1}), "shared memory");
}

TEST(CudaOccupancy, partial_warps_count_whole) {
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 33, .registers = 16}), 32u);  // 2 warps each
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 97, .registers = 16}), 16u);  // 4 warps each
}

TEST(CudaOccupancy, registers_limit_in_units_of_a_warp_and_a_scheduler) {
  // 64 * 32 = 2048 a warp; a quarter of 65536 holds 8 warps, all four 32: 4 CTAs of 8 warps.
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 256, .registers = 64}), 4u);
  // 65 * 32 = 2080, rounded up to 2304: 7 warps a quarter, 28 in all, 3 CTAs.
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 256, .registers = 65}), 3u);
  // 255 * 32 = 8160, rounded up to 8192: 2 warps a quarter, 8 in all, 1 CTA of 8 warps, none of 16.
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 256, .registers = 255}), 1u);
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 512, .registers = 255}), 0u);
}

TEST(CudaOccupancy, shared_memory_limits_with_the_reserved_kibibyte) {
  // 48 KiB + 1 KiB = 49 KiB: 228 / 49 = 4.
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 128, .registers = 16, .shared = 48 * 1024}), 4u);
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 128, .registers = 16, .shared = 227 * 1024}), 1u);
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 128, .registers = 16, .shared = 227 * 1024 + 1}), 0u);
  // No reserve: 64 / 16 = 4; one byte more takes another 256.
  EXPECT_EQ(blocks_per_sm(sm_75(), {.threads = 64, .registers = 16, .shared = 16 * 1024}), 4u);
  EXPECT_EQ(blocks_per_sm(sm_75(), {.threads = 64, .registers = 16, .shared = 16 * 1024 + 1}), 3u);
}

TEST(CudaOccupancy, too_large_a_block_does_not_fit) {
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 1025, .registers = 16}), 0u);
  EXPECT_EQ(blocks_per_sm(sm_90(), {.threads = 0, .registers = 16}), 0u);
}

TEST(CudaOccupancy, available_shared_memory_keeps_the_blocks_resident) {
  const BlockNeeds block{.threads = 128, .registers = 16};
  for (const uint32_t blocks : {1u, 2u, 3u, 5u, 16u}) {
    const uint64_t bytes = available_dynamic_shared(sm_90(), block, blocks);
    BlockNeeds full = block;
    full.shared = bytes;
    EXPECT_GE(blocks_per_sm(sm_90(), full), blocks);
    full.shared += 128;
    EXPECT_LT(blocks_per_sm(sm_90(), full), blocks) << "more would have fit";
  }
  EXPECT_EQ(available_dynamic_shared(sm_90(), block, 17), 0u) << "16 CTAs of 4 warps are the most";
}

/// Of a description that we ship.
DeviceInfo device(const std::string& name) {
  const auto gpu = gpu::load_gpu(paths::source() + "/gpus/" + name + ".toml");
  EXPECT_TRUE(gpu) << gpu.error().message;
  return gpu ? device_info(*gpu) : DeviceInfo{};
}
SmLimits shipped(const std::string& name) { return device(name).sm; }

TEST(CudaOccupancy, fermi_gives_registers_in_64s_to_warps_of_two_schedulers) {
  const SmLimits sm = shipped("gtx480");
  EXPECT_EQ(blocks_per_sm(sm, {.threads = 256, .registers = 20}),
            6u);  // 640 a warp: 25 a half, 50; 48 warps are the limit
  EXPECT_EQ(blocks_per_sm(sm, {.threads = 256, .registers = 21}), 5u);  // 672, rounded up to 704: 23 a half, 46 warps
  EXPECT_EQ(blocks_per_sm(sm, {.threads = 64, .registers = 16}), 8u);   // 8 CTAs
  EXPECT_EQ(blocks_per_sm(sm, {.threads = 64, .registers = 16, .shared = 6145}), 7u);  // 6,272 bytes: 49,152 / 6,272
}

TEST(CudaOccupancy, as_many_ctas_as_the_elastic_pipeline_paper_counts) {
  const SmLimits sm = shipped("cf11");                                                  // Table 4, "CTAs per core"
  EXPECT_EQ(blocks_per_sm(sm, {.threads = 256, .registers = 10, .shared = 1024}), 4u);  // Reduction: 1,024 threads
  EXPECT_EQ(blocks_per_sm(sm, {.threads = 64, .registers = 16, .shared = 2112}), 7u);   // DCT: 16 rows of 33 words
}

/// A kernel without launch bounds.
simt::KernelInfo needs(uint32_t registers) {
  simt::KernelInfo kernel;
  kernel.registers = registers;
  return kernel;
}

uint32_t told(const char* gpu, const simt::KernelInfo& kernel) {
  Function function;
  function.info = &kernel;
  return registers_told(device(gpu), function);
}

TEST(CudaOccupancy, a_kernel_without_launch_bounds_has_the_registers_it_needs_as_far_as_instructions_can_name_them) {
  EXPECT_EQ(told("h100", needs(100)), 100u);
  EXPECT_EQ(told("k20", needs(200)), 200u);    // compute capability 3.5
  EXPECT_EQ(told("gtx480", needs(50)), 50u);   // 1,024 threads could not have them
  EXPECT_EQ(told("gtx480", needs(100)), 63u);  // 2.0
  EXPECT_EQ(told("cf11", needs(200)), 128u);   // 1.3
}

TEST(CudaOccupancy, launch_bounds_keep_registers_to_what_fits) {
  simt::KernelInfo kernel = needs(100);
  kernel.has_launch_bounds = true;
  EXPECT_EQ(told("h100", kernel), 64u);  // 1,024 threads
  kernel.max_threads = 512;
  EXPECT_EQ(told("h100", kernel), 100u);
  kernel.least_ctas = 2;
  EXPECT_EQ(told("h100", kernel), 64u);
  kernel.least_ctas = 5;  // 80 warps: no SM holds them, so they were no bound
  EXPECT_EQ(told("h100", kernel), 100u);
}

TEST(CudaOccupancy, a_launch_has_no_more_registers_than_its_threads_can_have) {
  const DeviceInfo h100 = device("h100");
  const simt::KernelInfo kernel = needs(100);
  Function function;
  function.info = &kernel;
  // 100 * 32 = 3,200, in units 3,328: 4 warps a quarter, 16 in all.
  EXPECT_EQ(registers_for(h100, function, 256), 100u);
  EXPECT_EQ(occupancy(h100, function, 256, 0), 2u);
  EXPECT_EQ(occupancy(h100, function, 512, 0), 1u);
  EXPECT_EQ(registers_for(h100, function, 1024), 64u);  // it is launched so: the compiler must have been told
  EXPECT_EQ(occupancy(h100, function, 1024, 0), 1u);
  EXPECT_EQ(std::string(occupancy_limits(h100, function, 1024, 0).limited_by), "registers");
}

TEST(CudaOccupancy, a_cooperative_launch_counts_on_its_share_of_the_grid) {
  const DeviceInfo h100 = device("h100");
  const simt::KernelInfo kernel = needs(100);
  Function function;
  function.info = &kernel;
  EXPECT_EQ(ctas_together(h100, {264, 1, 1}, false), 1u);
  EXPECT_EQ(ctas_together(h100, {264, 1, 1}, true), 2u);  // 132 SMs
  EXPECT_EQ(ctas_together(h100, {265, 1, 1}, true), 3u);
  EXPECT_EQ(occupancy_limits(h100, function, 512, 0, 2).blocks, 2u);   // with 64 registers each
  EXPECT_EQ(occupancy_limits(h100, function, 1024, 0, 3).blocks, 2u);  // 96 warps do not fit
}

TEST(CudaOccupancy, registers_of_machine_code_are_what_they_are) {
  const DeviceInfo h100 = device("h100");
  const simt::KernelInfo kernel = needs(32);
  Function function;
  function.info = &kernel;
  function.registers = 72;
  EXPECT_EQ(registers_told(h100, function), 72u);
  EXPECT_EQ(registers_for(h100, function, 1024), 72u);
  // 72 * 32 = 2,304, in units of 256 just that: 7 warps of 16,384 registers a quarter, 28 in all, 896 threads.
  EXPECT_EQ(most_threads(h100, function), 896u);
  EXPECT_EQ(occupancy(h100, function, 448, 0), 2u);
  EXPECT_EQ(occupancy(h100, function, 480, 0), 1u);
  EXPECT_FALSE(refusal_of(h100, function, {.grid = {1, 1, 1}, .block = {896, 1, 1}}));
  const auto refusal = refusal_of(h100, function, {.grid = {1, 1, 1}, .block = {897, 1, 1}});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, Status::launch_out_of_resources);
  EXPECT_EQ(refusal->reason,
            "897 threads per block with 72 registers each (according to the machine code), but the GPU has 65536 per "
            "block: blocks of up to "
            "896 threads fit; compile with __launch_bounds__(897) or -maxrregcount");
}

}  // namespace
}  // namespace bankshot::cuda

// Each benchmark on a simulated GPU finds what follows from its description.
#include <gtest/gtest.h>

#include "bankshot/accuracy/benchmark.hpp"
#include "bankshot/accuracy/evaluate.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "tests/sanitized.hpp"

namespace bankshot::accuracy {
namespace {

/// What the V100 of gpus/ is found to do, in the row's unit. Its rows run at 1,380 MHz.
double found(const std::string& quantity, const std::string& condition, const std::string& unit) {
  const Row row{"V100", "sm_70", quantity, condition, 1, unit, "test", 1};
  const auto evaluation = evaluate({row}, {.families = {}, .gpus = {}, .threads = 1, .progress = {}});
  EXPECT_TRUE(evaluation) << evaluation.error().message;
  if (!evaluation || evaluation->answers.size() != 1) {
    ADD_FAILURE() << quantity << ": "
                  << (evaluation && !evaluation->unanswered.empty() ? evaluation->unanswered[0].reason : "no answer");
    return 0;
  }
  return evaluation->answers[0].simulated;
}

double cycles(const std::string& quantity, const std::string& condition) {
  return found(quantity, condition, "cycles");
}

const timing::Config& v100() {
  static const timing::Config config = *gpu::find_gpu("v100")->timing;
  return config;
}

TEST(AccuracyFamilies, chases_find_the_latencies_of_the_caches) {
  // A load that hits L1 can be used after l1.latency; what surrounds 32 of them takes a few cycles.
  EXPECT_NEAR(cycles("pointer-chase latency, one warp, random order", "buffer 8 kB"), v100().l1.latency, 2);
  const double l2 = cycles("pointer-chase latency, ld.cg", "buffer 8 kB");
  EXPECT_GT(l2, 2 * v100().interconnect.latency + v100().l2.latency - 1);
  EXPECT_NEAR(cycles("pointer-chase latency, ld.ca", "buffer 2048 kB"), l2, 1);
}

TEST(AccuracyFamilies, a_chase_through_more_than_l2_goes_to_dram) {
  const double l2 = cycles("pointer-chase latency, ld.ca", "buffer 2048 kB");
  // The copy that writes the chain leaves it in L2; it must be gone before the chase.
  EXPECT_GT(cycles("pointer-chase latency, ld.ca", "buffer 65536 kB"), l2 + v100().dram.latency);
}

TEST(AccuracyFamilies, a_chase_in_nanoseconds_is_one_in_cycles) {
  EXPECT_NEAR(1.38 * found("pointer-chase latency, ld.ca", "buffer 8 kB", "ns"),
              cycles("pointer-chase latency, ld.ca", "buffer 8 kB"), 1e-6);
}

TEST(AccuracyFamilies, shared_loads_take_a_cycle_for_each_further_way) {
  const double alone = cycles("mem.smem.lat latency_cycles", "conflict1");
  EXPECT_NEAR(alone, v100().scratchpad.latency, 0.5);
  EXPECT_NEAR(cycles("mem.smem.lat latency_cycles", "broadcast"), alone, 0.1);
  EXPECT_NEAR(cycles("mem.smem.lat latency_cycles", "conflict8") - alone, 7, 0.1);
  EXPECT_NEAR(cycles("mem.smem.lat latency_cycles", "conflict32") - alone, 31, 0.1);
}

TEST(AccuracyFamilies, many_shared_loads_take_the_wavefronts_of_their_pattern) {
  const char* quantity = "shared load time relative to b32 broadcast (derived from the row above)";
  EXPECT_NEAR(found(quantity, "float(b32) boardcast index tx/32", "ratio"), 1, 1e-9);
  EXPECT_NEAR(found(quantity, "float(b32) conflict_16_way index (tx%16) * 32 + tx/16", "ratio") /
                  found(quantity, "float(b32) conflict_8_way index (tx%8) * 32 + tx/8", "ratio"),
              2, 0.1);
}

TEST(AccuracyFamilies, strided_loads_that_hit_take_the_wavefronts_of_their_banks) {
  const char* quantity = "global load, L1 hit: cycles per warp load";
  EXPECT_NEAR(cycles(quantity, "float stride 1, 1024 threads"), 1, 0.5);
  EXPECT_NEAR(cycles(quantity, "float stride 32, 1024 threads"), 32, 1);
}

TEST(AccuracyFamilies, bandwidths_of_an_sm_are_at_most_a_wavefront_a_cycle) {
  for (const char* quantity : {"mem.l1.bw bandwidth", "mem.smem.bw bandwidth"}) {
    SCOPED_TRACE(quantity);
    const double bandwidth = found(quantity, "w32_f128", "B/clk/SM");
    EXPECT_LE(bandwidth, 128);
    EXPECT_GT(bandwidth, 100);
  }
}

TEST(AccuracyFamilies, chains_find_the_latencies_of_units) {
  const auto latency = [](timing::UnitClass unit) { return v100().units[static_cast<size_t>(unit)].latency; };
  // The loop around 64 of them takes 9 cycles.
  EXPECT_NEAR(cycles("instruction latency, dependent chain", "PTX add.u32 = SASS IADD"),
              latency(timing::UnitClass::alu), 0.2);
  EXPECT_NEAR(cycles("instruction latency, dependent chain", "PTX fma.rn.f64 = SASS DFMA"),
              latency(timing::UnitClass::fp64), 0.2);
  // A pair, less its second half.
  EXPECT_NEAR(cycles("alu.iadd3.lat IADD3 latency_cycles", "-"), latency(timing::UnitClass::alu), 0.2);
}

TEST(AccuracyFamilies, rates_find_the_lanes_of_units) {
  const timing::UnitConfig& fp32 = v100().units[static_cast<size_t>(timing::UnitClass::fp32)];
  EXPECT_NEAR(found("FFMA throughput", "8 warps/SM", "warp inst/cycle/sub-core"), fp32.lanes / 32.0, 0.02);
}

TEST(AccuracyFamilies, barriers_take_longer_with_more_warps) {
  const double one = cycles("sync.bar.lat latency_cycles", "w1"), all = cycles("sync.bar.lat latency_cycles", "w32");
  EXPECT_NEAR(one, v100().issue.barrier_cycles, 2);
  EXPECT_GT(all, one + 10);
  EXPECT_NEAR(cycles("__syncthreads cost", "1024 threads"), all, 1e-9);
}

TEST(AccuracyFamilies, native_atomics_take_a_cycle_for_each_further_lane) {
  const double alone = cycles("atomics.shared.add.lat latency_cycles", "-");
  EXPECT_NEAR(alone, v100().scratchpad.latency, 1);
  EXPECT_NEAR(cycles("atomics.shared.add.lat latency_cycles", "contention8") - alone, 7, 0.1);
  EXPECT_GT(cycles("atomics.global.add.lat latency_cycles", "-"), 200);
  EXPECT_NEAR(found("ATOMS rate", "8-way bank conflict", "atoms/cycle/SM"), 4, 0.2);
}

TEST(AccuracyFamilies, matrix_loads_take_a_cycle_for_each_matrix) {
  const double one = cycles("ldmatrix latency", "x1 b16");
  EXPECT_NEAR(one, v100().scratchpad.latency, 1);
  EXPECT_NEAR(cycles("ldmatrix latency", "x4 b16") - one, 3, 0.1);
}

TEST(AccuracyFamilies, products_find_the_latency_of_the_tensor_unit) {
  EXPECT_NEAR(cycles("wmma m16n16k16 latency", "config_tensor"),
              v100().units[static_cast<size_t>(timing::UnitClass::tensor)].latency, 2);
}

TEST(AccuracyFamilies, loads_of_a_sub_core_issue_as_its_queue_lets_them) {
  EXPECT_NEAR(cycles("steady-state issue interval of memory instructions per sub-core", "1 active sub-cores"),
              v100().load_store.sub_core_cycles, 0.1);
}

TEST(AccuracyFamilies, all_sms_reading_l1_stay_below_a_wavefront_a_cycle) {
  BANKSHOT_LEAVE_OUT_IF_SANITIZED();
  const double bandwidth = found("cache bandwidth, all SMs read the same buffer", "32 kB", "GB/s");
  EXPECT_LT(bandwidth, 80 * 128 * 1.38);
  EXPECT_GT(bandwidth, 0.7 * 80 * 128 * 1.38);
}

TEST(AccuracyFamilies, streams_stay_below_the_data_rate_of_dram) {
  const double bandwidth = found("DRAM stream bandwidth scale", "block 1024, 81920 threads", "GB/s");
  EXPECT_LT(bandwidth, 900);  // data sheet
  EXPECT_GT(bandwidth, 450);
}

TEST(AccuracyFamilies, names_are_distinct) {
  for (const Family& one : families()) {
    for (const Family& other : families()) {
      if (&one != &other) {
        EXPECT_NE(one.name, other.name);
      }
    }
  }
}

}  // namespace
}  // namespace bankshot::accuracy

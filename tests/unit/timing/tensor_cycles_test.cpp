// Matrix instructions on an SM: how long they keep their unit, and what their accesses fetch.
#include "chip_harness.hpp"

namespace bankshot::timing {
namespace {

class TensorCycles : public ChipTest {
 protected:
  TensorCycles() { config.units[static_cast<unsigned>(UnitClass::tensor)] = {1, 512, 33}; }
};

// 16 · 8 · 16 multiply-adds, 512 a cycle. What depends on it waits for the latency.
TEST_F(TensorCycles, a_product_keeps_the_unit_for_its_multiply_adds) {
  const std::string one =
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, "
      "{%f0,%f1,%f2,%f3};";
  const std::string other =
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4,%f5,%f6,%f7}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, "
      "{%f8,%f9,%f10,%f11};";
  EXPECT_EQ(cycles(one + other + "ret;"), 4u + 2);
  EXPECT_EQ(slots(Cause::unit_busy), 3u);
  EXPECT_EQ(cycles(one + one + "ret;"), 33u + 2);
}

TEST_F(TensorCycles, other_factors_take_more_or_less_time) {
  const auto busy = [&](const std::string& first, const std::string& second) {
    chip.reset();
    return cycles(first + second + "ret;") - 2;
  };
  const std::string bytes = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 ";
  EXPECT_EQ(busy(bytes + "{%r0,%r1,%r2,%r3}, {%r10,%r11,%r12,%r13}, {%r14,%r15}, {%r16,%r17,%r18,%r19};",
                 bytes + "{%r4,%r5,%r6,%r7}, {%r10,%r11,%r12,%r13}, {%r14,%r15}, {%r16,%r17,%r18,%r19};"),
            4u)
      << "16 · 8 · 32 / 2";
  const std::string tf32 = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 ";
  EXPECT_EQ(busy(tf32 + "{%f0,%f1,%f2,%f3}, {%r10,%r11,%r12,%r13}, {%r14,%r15}, {%f8,%f9,%f10,%f11};",
                 tf32 + "{%f4,%f5,%f6,%f7}, {%r10,%r11,%r12,%r13}, {%r14,%r15}, {%f8,%f9,%f10,%f11};"),
            4u)
      << "16 · 8 · 8 · 2";
  const std::string f64 = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 ";
  EXPECT_EQ(busy(f64 + "{%rd0,%rd1}, {%rd4}, {%rd5}, {%rd6,%rd7};", f64 + "{%rd2,%rd3}, {%rd4}, {%rd5}, {%rd6,%rd7};"),
            8u)
      << "8 · 8 · 4 · 16";
}

// Only the elements that are kept count: k = 32 takes the time of the dense k = 16.
TEST_F(TensorCycles, a_sparse_product_takes_the_time_of_half_of_its_k) {
  const auto busy = [&](const std::string& form, unsigned registers_of_b) {
    chip.reset();
    const auto one = [&](unsigned first) {
      const auto f = [&](unsigned k) { return "%f" + std::to_string(first + k); };
      return form + " {" + f(0) + "," + f(1) + "," + f(2) + "," + f(3) + "}, {%r0,%r1,%r2,%r3}, " +
             (registers_of_b == 4 ? "{%r4,%r5,%r6,%r7}" : "{%r4,%r5}") + ", {%f8,%f9,%f10,%f11}" +
             (registers_of_b == 4 ? ", %r8, 0" : "") +
             (form.find("block_scale") != form.npos ? ", %r9, {0, 0}, %r10, {0, 0};" : ";");
    };
    return cycles(one(0) + one(4) + "ret;") - 2;
  };
  EXPECT_EQ(busy("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4), 4u) << "16 · 8 · 16";
  EXPECT_EQ(busy("mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32", 4), 4u) << "16 · 8 · 32 / 2";
  EXPECT_EQ(busy("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32", 2), 4u)
      << "an e2m1 that has a byte takes the time of a byte";
  const std::string packed = ".row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0";
  EXPECT_EQ(busy("mma.sync.aligned.m16n8k64" + packed, 2), 4u) << "16 · 8 · 64 / 4";
  EXPECT_EQ(busy("mma.sp::ordered_metadata.sync.aligned.m16n8k128" + packed, 4), 4u);
}

/// Products of a warpgroup on four schedulers.
class WarpgroupCycles : public ChipTest {
 protected:
  WarpgroupCycles() {
    config.issue.schedulers = 4;
    config.units[static_cast<unsigned>(UnitClass::tensor)] = {4, 256, 33};
    config.warpgroup = {.lanes = 512, .least_cycles = 13, .latency = 40};
  }
  /// One with n columns, of which all cores are the first 128 bytes of shared memory.
  static std::string product(unsigned n, bool a_in_registers = false) {
    std::string registers;
    for (unsigned k = 0; k < n / 2; ++k) registers += (k == 0 ? "%f" : ", %f") + std::to_string(k);
    return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k16.f32.f16.f16 {" + registers + "}, " +
           (a_in_registers ? "{%r1, %r2, %r3, %r4}" : "%rd1") + ", %rd1, 1, 1, 1, 0" + (a_in_registers ? ";" : ", 0;");
  }
  /// Cycles that a further product takes. @param threads  128 for each warpgroup
  Cycle interval(const std::string& one, unsigned threads = 128) {
    const auto of = [&](const std::string& products) {
      renew();
      return cycles(".shared .align 128 .b8 s[128];" + products +
                        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; ret;",
                    {threads, 1, 1});
    };
    return of(one + one + one) - of(one + one);
  }
};

TEST_F(WarpgroupCycles, a_product_takes_its_multiply_adds_or_its_wavefronts) {
  EXPECT_EQ(interval(product(8)), 18u) << "16 wavefronts of A and 2 of B";
  EXPECT_EQ(interval(product(64)), 32u) << "16 · 64 · 16 / 512, and as many wavefronts";
  EXPECT_EQ(interval(product(72)), 36u);
  EXPECT_EQ(interval(product(8, true)), 13u) << "the least";
  EXPECT_EQ(interval(product(64, true)), 32u);
}

TEST_F(WarpgroupCycles, two_warpgroups_share_the_units) { EXPECT_EQ(interval(product(64), 256), 64u); }

TEST_F(WarpgroupCycles, waiting_for_the_group_takes_the_latency) {
  const std::string one = ".shared .align 128 .b8 s[128];" + product(64) + "wgmma.commit_group.sync.aligned;";
  const Cycle without = cycles(one + "ret;", {128, 1, 1});
  EXPECT_EQ(last.timing.counters.shared_wavefronts, 32u);
  renew();
  const Cycle waits = cycles(one + "wgmma.wait_group.sync.aligned 0; ret;", {128, 1, 1});
  EXPECT_GE(waits, 32u + 40);
  EXPECT_LT(without, 40u);
  renew();
  EXPECT_LT(cycles(one + "wgmma.wait_group.sync.aligned 1; ret;", {128, 1, 1}), 40u) << "one may be pending";
}

TEST_F(TensorCycles, a_gpu_without_tensor_cores_does_it_in_fp32) {
  config.units[static_cast<unsigned>(UnitClass::tensor)] = {0, 0, 0};
  const std::string product = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 ";
  EXPECT_EQ(cycles(product + "{%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f8,%f9,%f10,%f11};" + product +
                   "{%f4,%f5,%f6,%f7}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f8,%f9,%f10,%f11}; ret;"),
            64u + 2);  // 2048 / 32 lanes
}

// Lines 128 bytes apart: the 8 of a matrix on four banks.
TEST_F(TensorCycles, ldmatrix_takes_the_banks_for_its_wavefronts) {
  ASSERT_NE(cycles(".shared .align 16 .b8 s[4096]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 7; mov.u32 %r3, s; add.u32 "
                   "%r2, %r2, %r3;"
                   "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4,%r5,%r6,%r7}, [%r2]; ret;"),
            0u);
  EXPECT_EQ(last.timing.counters.shared_accesses, 1u);
  EXPECT_EQ(last.timing.counters.shared_wavefronts, 32u);
  EXPECT_EQ(last.timing.counters.shared_ideal, 4u);
}

// 16 rows of 32 bytes, 64 bytes apart: each a sector of its own. The store of 16 rows of 64 bytes, one after the
// other: 32.
TEST_F(TensorCycles, wmma_fetches_each_sector_of_the_matrix_once) {
  ASSERT_NE(cycles("ld.param.u64 %rd1, [out]; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                   "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd1], 32;"
                   "mov.f32 %f0, 0f00000000; wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1+2048], "
                   "{%f0,%f0,%f0,%f0,%f0,%f0,%f0,%f0}, 16; ret;"),
            0u);
  EXPECT_EQ(last.timing.counters.l2_reads, 16u);
  EXPECT_EQ(last.timing.counters.l2_writes, 32u);
}

}  // namespace
}  // namespace bankshot::timing

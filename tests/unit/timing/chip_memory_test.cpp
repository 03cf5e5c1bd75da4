// Accesses to global memory as an SM sees them, with the machine of chip_harness.hpp: cycles worked out by hand.
#include "chip_harness.hpp"

namespace bankshot::timing {
namespace {

/// ld.param at 0, its pointer after 5 cycles; the access that follows issues at 5.
const std::string kPointer = "ld.param.u64 %rd1, [out]; ";
/// The same, and %rd2 = out + 4 * lane * stride: mov 0, mul 4, ld.param 5 … at 10 the sum, at 14 the access.
std::string strided(unsigned words) {
  return "mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, " + std::to_string(4 * words) +
         "; ld.param.u64 %rd1, [out]; add.u64 %rd2, %rd1, %rd3; ";
}

using ChipMemory = ChipTest;

// A load of one line that misses everywhere, then the same again: the second issues when the first's data is there and
// takes the 12 cycles of a hit.
TEST_F(ChipMemory, a_hit_takes_the_latency_of_the_first_level_cache) {
  const Cycle once = cycles(kPointer + "ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; ret;");
  EXPECT_EQ(last.timing.counters.l1_load_misses, 1u);
  chip.reset();
  const Cycle twice =
      cycles(kPointer +
             "ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, 1; ret;");
  EXPECT_EQ(last.timing.counters.l1_load_hits, 1u);
  EXPECT_EQ(last.timing.counters.l1_load_misses, 1u);
  // … add at n, load at n + 1, add at n + 13.
  EXPECT_EQ(twice, once + 13);
}

// What the second-level cache has, a second launch gets sooner than from DRAM: 1 flit and 8 cycles there, 20 in the
// cache, 2 flits (8 bytes of header, 32 of data) and 8 cycles back. Load at 5: flit gone at 6, there at 14, in at 15,
// out of the cache at 35, through its port at 37, back at 45, in at 47.
TEST_F(ChipMemory, a_line_in_the_second_level_comes_after_both_ways_and_its_latency) {
  const std::string body = kPointer + "ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; ret;";
  const auto program = kernel(body);
  config.l1.bytes = 0;
  EXPECT_GT(cycles(body), 49u);
  EXPECT_EQ(last.timing.counters.l2_read_misses, 1u);
  // A launch of its own in the same chip: the buffer is another allocation, so touch the line twice in one launch
  // instead.
  chip.reset();
  cycles(kPointer +
         "ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; ld.global.u32 %r3, [%rd1]; add.u32 %r4, %r3, 1; ret;");
  const Cycle both = last.timing.counters.cycles;
  EXPECT_EQ(last.timing.counters.l2_read_hits, 1u);
  chip.reset();
  cycles(body);
  // The second load issues a cycle behind the first add, its add 42 cycles later.
  EXPECT_EQ(both, last.timing.counters.cycles + 1 + 42);
}

// What is copied between launches is in the second-level cache when the next begins: of a copy of bytes 40 to 103
// sectors 1 to 3 of the line, and not sector 0.
TEST_F(ChipMemory, what_was_copied_is_in_the_second_level) {
  const std::string text = kernel(kPointer +
                                  "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+32]; ld.global.u32 %r3, "
                                  "[%rd1+96]; add.u32 %r4, %r3, 1; ret;");
  auto program = engine().load(text, "test.ptx");
  ASSERT_TRUE(program);
  const uint64_t buffer = *engine().memory().allocate(256, simt::MemoryKind::device);
  simt::LaunchConfig launch;
  launch.grid = {1, 1, 1};
  launch.block = {32, 1, 1};
  launch.params = std::as_bytes(std::span(&buffer, 1));
  chip = std::make_unique<Chip>(config, options);
  chip->copied(engine().memory(), buffer + 40, 64);
  const auto result = chip->launch(engine(), **program, "k", launch, {8, "CTA slots"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->timing.counters.l2_reads, 3u);
  EXPECT_EQ(result->timing.counters.l2_read_hits, 2u);
  EXPECT_EQ(result->timing.counters.dram_reads, 1u);
}

TEST_F(ChipMemory, a_coalesced_load_is_one_line_a_strided_one_a_line_for_each_lane) {
  cycles(strided(1) + "ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r2, 1; ret;");
  EXPECT_EQ(last.timing.counters.l1_loads, 1u);
  EXPECT_EQ(last.timing.counters.global_sectors, 4u);
  chip.reset();
  cycles(strided(2) + "ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r2, 1; ret;");
  EXPECT_EQ(last.timing.counters.l1_loads, 2u);
  EXPECT_EQ(last.timing.counters.global_sectors, 8u);
  chip.reset();
  cycles(strided(32) + "ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r2, 1; ret;");
  EXPECT_EQ(last.timing.counters.l1_loads, 32u);
  EXPECT_EQ(last.timing.counters.global_sectors, 32u);
}

// A linear filter at the corners of four texels, for 32 lanes on a row: texels 0 to 32 of two rows, each of five
// sectors in two lines.
TEST_F(ChipMemory, a_texture_fetch_loads_the_lines_of_its_texels_once) {
  texture::Texture picture;
  picture.shape = texture::Shape::plane;
  picture.format = {texture::Channel::f32, 1};
  picture.sampler.filter = texture::Filter::linear;
  picture.memory = *engine().memory().allocate(64 * 4 * 2, simt::MemoryKind::device);
  picture.bytes = 64 * 4 * 2;
  picture.levels = {{picture.memory, 64, 2, 1, 256, 512}};
  const uint64_t handle = engine().textures().add(picture);
  cycles("mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1; add.f32 %f1, %f1, 0f3F800000; mov.u64 %rd3, " +
         std::to_string(handle) +
         "; tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd3, {%f1, 0f3F800000}]; add.f32 %f6, %f2, %f2; ret;");
  EXPECT_EQ(last.timing.counters.l1_loads, 4u);
  EXPECT_EQ(last.timing.counters.global_sectors, 10u);
}

// 32 lines that hit are looked up one a cycle: the last hit is 31 cycles later than a single one.
TEST_F(ChipMemory, lines_are_looked_up_one_a_cycle) {
  const auto twice = [](const std::string& load) { return load + load.substr(0); };
  const std::string wide = "ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r2, 1; ";
  const Cycle strided_once = cycles(strided(32) + wide + "ret;");
  chip.reset();
  const Cycle strided_twice = cycles(strided(32) + twice(wide) + "ret;");
  EXPECT_EQ(last.timing.counters.l1_load_hits, 32u);
  EXPECT_EQ(strided_twice, strided_once + 1 + 12 + 31);
}

// Four tags a cycle: 32 lines take 8 cycles.
TEST_F(ChipMemory, several_lines_of_an_access_are_looked_up_a_cycle) {
  config.l1.tags = 4;
  const std::string wide = "ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r2, 1; ";
  const Cycle once = cycles(strided(32) + wide + "ret;");
  chip.reset();
  EXPECT_EQ(cycles(strided(32) + wide + wide + "ret;"), once + 1 + 12 + 7);
}

TEST_F(ChipMemory, loads_that_pass_the_cache_by_neither_find_nor_fill_it) {
  const auto loads = [&](const std::string& how) {
    chip.reset();
    cycles(kPointer + "ld.global" + how + ".u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; ld.global" + how +
           ".u32 %r3, [%rd1]; add.u32 %r4, %r3, 1; ret;");
    return last.timing.counters.l1_load_misses;
  };
  EXPECT_EQ(loads(".ca"), 1u);
  EXPECT_EQ(loads(".cg"), 2u);
}

// Two warps ask for one line at once: of loads that the cache keeps the second joins the first.
TEST_F(ChipMemory, loads_that_pass_the_cache_by_join_nobody) {
  const std::string before = kPointer + "ld.global", behind = ".u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; ret;";
  cycles(before + ".ca" + behind, {64, 1, 1});
  EXPECT_EQ(last.timing.counters.l1_load_merged, 1u);
  chip.reset();
  cycles(before + ".cg" + behind, {64, 1, 1});
  EXPECT_EQ(last.timing.counters.l1_load_merged, 0u);
  EXPECT_EQ(last.timing.counters.l2_reads, 2u);
}

// Each of 64 lanes stores to a line of its own, on two SMs, over and over: 40 bytes a store in flits of 40 bytes.
TEST_F(ChipMemory, a_group_of_sms_shares_a_port_for_stores) {
  config.sms = 2;
  config.dram.channels = 8;
  config.interconnect.flit_bytes = 40;
  config.load_store.stores = 4096;
  std::string body = strided(32);
  for (int k = 0; k < 40; ++k) body += "st.global.u32 [%rd2], %r1; ";
  const auto takes = [&](unsigned group, unsigned percent) {
    config.interconnect.group_sms = group;
    config.interconnect.group_percent = percent;
    chip.reset();
    return cycles(body + "ret;", {32, 1, 1}, {2, 1, 1});
  };
  const Cycle alone = takes(0, 100);
  EXPECT_EQ(takes(1, 100), alone) << "groups of one";
  EXPECT_EQ(takes(2, 200), alone);
  // 40 stores of 32 flits from either: half the pace from the second quantum on.
  EXPECT_NEAR(static_cast<double>(takes(2, 100)), static_cast<double>(alone) + 40 * 32, 40);
}

// CUDA C++ Programming Guide, compute capability 7.x: 128 KB, of which shared memory has 0, 8, 16, 32, 64 or 96.
TEST(L1Size, is_what_the_least_carve_out_leaves_that_holds_all_ctas) {
  Config config;
  config.l1.bytes = 128 * 1024;
  EXPECT_EQ(l1_bytes(config, 8, 9000), 128u * 1024) << "shared memory has its own";
  config.l1.carveouts_kb = {0, 8, 16, 32, 64, 96};
  EXPECT_EQ(l1_bytes(config, 32, 0), 128u * 1024);
  EXPECT_EQ(l1_bytes(config, 1, 8192), 120u * 1024);
  EXPECT_EQ(l1_bytes(config, 1, 8193), 112u * 1024);
  EXPECT_EQ(l1_bytes(config, 8, 8192), 64u * 1024);
  EXPECT_EQ(l1_bytes(config, 2, 49152), 32u * 1024);
  config.l1.reserved = 1024;
  EXPECT_EQ(l1_bytes(config, 8, 7168), 64u * 1024);
  EXPECT_EQ(l1_bytes(config, 8, 8192), 32u * 1024);
  config.l1.bytes = 0;
  EXPECT_EQ(l1_bytes(config, 1, 0), 0u);
}

TEST_F(ChipMemory, a_store_is_acknowledged_before_the_launch_ends) {
  cycles(strided(1) + "st.global.u32 [%rd2], %r1; ret;");
  EXPECT_EQ(last.timing.counters.l1_stores, 1u);
  EXPECT_EQ(last.timing.counters.l2_writes, 4u);
  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], lane);
  // Header and 128 bytes are 5 flits: 14 to 19, there at 27, in at 32, 20 cycles, one flit back.
  EXPECT_EQ(last.timing.counters.flits_to_memory, 5u);
  EXPECT_EQ(last.timing.counters.flits_to_sms, 1u);
}

TEST_F(ChipMemory, a_fence_waits_for_the_stores_of_its_warp) {
  const Cycle without = cycles(strided(1) + "st.global.u32 [%rd2], %r1; mov.u32 %r5, 1; ret;");
  chip.reset();
  cycles(strided(1) + "st.global.u32 [%rd2], %r1; membar.gl; mov.u32 %r5, 1; ret;");
  EXPECT_GT(slots(Cause::ordering), 40u);
  // Without a fence the launch ends with the cycle of the acknowledgement; now the fence issues in it, and two more.
  EXPECT_EQ(last.timing.counters.cycles, without + 2);
}

// Lanes on one word: each gets a different old value, in one order, and the sum is right.
TEST_F(ChipMemory, an_atomic_takes_effect_once_and_returns_old_values) {
  cycles(strided(1) + "atom.global.add.u32 %r2, [%rd1+512], 1; st.global.u32 [%rd2], %r2; ret;");
  EXPECT_EQ(out[128], 32u);
  std::vector<bool> seen(32);
  for (uint32_t lane = 0; lane < 32; ++lane) seen[out[lane] % 32] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 32);
  EXPECT_EQ(last.timing.counters.l1_atomics, 1u);
}

// The value that is added must not be the one that the next instruction writes into its register.
TEST_F(ChipMemory, registers_of_an_atomic_are_left_alone_until_it_took_effect) {
  cycles("mov.u32 %r1, 7; " + kPointer +
         "red.global.add.u32 [%rd1], %r1; mov.u32 %r1, 1000; st.global.u32 [%rd1+4], %r1; ret;");
  EXPECT_EQ(out[0], 7u * 32);
  EXPECT_EQ(out[1], 1000u);
}

TEST_F(ChipMemory, a_thread_sees_its_own_accesses_in_order) {
  cycles(kPointer +
         "mov.u32 %r1, 5; st.volatile.global.u32 [%rd1], %r1; ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1+4], %r2;"
         "red.global.add.u32 [%rd1+8], 3; ld.global.u32 %r3, [%rd1+8]; st.global.u32 [%rd1+12], %r3; ret;");
  EXPECT_EQ(out[1], 5u);
  EXPECT_EQ(out[3], 96u);
}

TEST_F(ChipMemory, spills_go_to_lines_of_their_own) {
  cycles(
      ".local .align 4 .b8 spill[16]; mov.u32 %r1, %tid.x; st.local.u32 [spill], %r1; ld.local.u32 %r2, [spill]; "
      "add.u32 %r3, %r2, 1; ret;");
  EXPECT_EQ(last.timing.counters.l1_stores, 1u);
  EXPECT_EQ(last.timing.counters.l1_load_hits, 1u);  // local stores keep what they wrote
  chip.reset();
  cycles(".local .align 8 .b8 spill[16]; mov.u64 %rd1, 1; st.local.u64 [spill], %rd1; ret;");
  EXPECT_EQ(last.timing.counters.l1_stores, 2u);  // a row for each word
}

TEST_F(ChipMemory, few_miss_registers_hold_up_the_queue) {
  const std::string body = strided(32) + "ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r2, 1; ret;";
  const Cycle many = cycles(body);
  chip.reset();
  config.l1.mshrs = 1;
  // One line at a time: each takes the whole way.
  EXPECT_GT(cycles(body), many + 31 * 36);
}

}  // namespace
}  // namespace bankshot::timing

// Bulk copies from shared to global memory on the chip: what they send, who waits for them, and for how long.
#include "bankshot/simt/async/tensor_map.hpp"
#include "chip_harness.hpp"

namespace bankshot::timing {
namespace {

// A packet of a line has 8 + 128 bytes, 5 flits, and leaves the SM so many cycles behind the one before it. From there
// until its answer is there it takes 8 cycles to the partition, 5 through its port, 20 in the cache, 1 through the port
// back, 8 to the SM and 1 through the port there.
constexpr uint32_t kLine = 5, kAnswer = 8 + 5 + 20 + 1 + 8 + 1;

class ChipBulkStore : public ChipTest {
 protected:
  /// Cycles from the instruction before `body` until the one behind it has issued. It finds %rd1 = out, %r3 = 8 KiB of
  /// shared memory, %p1 but in thread 0; `begin` is the first of these cycles.
  uint32_t cycles(const std::string& body) {
    const auto result = simulate(kernel(kBegin + body + kEnd, kShared), {1}, {32}, 4096);
    EXPECT_TRUE(result) << result.error().message;
    if (!result) return 0;
    counters = result->timing.counters;
    expect_conservation(counters);
    begin = out[kAt + 1];
    return out[kAt];
  }
  static std::string store(unsigned bytes) {
    return "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], " + std::to_string(bytes) + ";\n";
  }
  static std::string reduce(unsigned bytes) {
    return "@!%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r3], " + std::to_string(bytes) +
           ";\n";
  }
  static inline const std::string kCommit = "cp.async.bulk.commit_group;\n",
                                  kShared = ".shared .align 128 .b8 s[8192];\n";
  static inline const std::string kBegin =
      "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; mov.u32 %r3, s; setp.ne.u32 %p1, %r1, 0;\n"
      "@!%p1 add.u32 %r9, %r3, 1; cvt.u32.u64 %r10, %rd1; mov.u32 %r20, %clock;\n";
  static inline const std::string kEnd =
      " mov.u32 %r21, %clock; sub.u32 %r22, %r21, %r20; @!%p1 st.global.u32 [%rd1+16000], %r22;"
      "@!%p1 st.global.u32 [%rd1+16004], %r20; ret;";
  static constexpr size_t kAt = 4000;
  static constexpr uint64_t kOwn = 2;  ///< stores of kEnd, to one sector, which is fetched
  Counters counters;
  uint32_t begin = 0;
};

TEST_F(ChipBulkStore, shared_memory_has_been_read_when_the_last_line_has_left) {
  // The copy issues in cycle 1, the wait when the line has left, the clock is read a cycle later.
  EXPECT_EQ(cycles(store(128) + kCommit + "cp.async.bulk.wait_group.read 0;"), 1 + kLine + 1);
  EXPECT_EQ(cycles(store(4096) + kCommit + "cp.async.bulk.wait_group.read 0;"), 1 + 32 * kLine + 1);
  EXPECT_EQ(counters.l1_stores, 32 + kOwn);
  EXPECT_EQ(counters.l2_writes, 128 + kOwn);
  EXPECT_EQ(counters.dram_reads, 1u) << "its sectors are written whole";
  EXPECT_EQ(counters.shared_wavefronts, 32u) << "rows of 128 bytes";
}

TEST_F(ChipBulkStore, it_is_written_when_the_last_line_is_acknowledged) {
  EXPECT_EQ(cycles(store(128) + kCommit + "cp.async.bulk.wait_group 0;"), 1 + kLine + kAnswer + 1);
  EXPECT_EQ(cycles(store(4096) + kCommit + "cp.async.bulk.wait_group 0;"), 1 + 32 * kLine + kAnswer + 1);
}

TEST_F(ChipBulkStore, groups_are_waited_for_but_the_last) {
  const std::string two = store(2048) + kCommit + store(2048) + kCommit;
  EXPECT_EQ(cycles(two + "cp.async.bulk.wait_group.read 2;"), 6u) << "five instructions, a cycle each";
  EXPECT_EQ(cycles(two + "cp.async.bulk.wait_group.read 1;"), 1 + 16 * kLine + 1);
  EXPECT_EQ(cycles(two + "cp.async.bulk.wait_group.read 0;"), 1 + 32 * kLine + 1);
  EXPECT_EQ(cycles(two + "cp.async.bulk.wait_group 1;"), 1 + 16 * kLine + kAnswer + 1);
  EXPECT_EQ(cycles(store(4096) + "cp.async.bulk.wait_group 0;"), 3u) << "the group is open";
}

TEST_F(ChipBulkStore, a_lane_waits_for_its_own_groups) {
  EXPECT_EQ(cycles(store(4096) + "@!%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;"), 4u);
  EXPECT_EQ(cycles(store(4096) + "@!%p1 cp.async.bulk.commit_group; @!%p1 cp.async.bulk.wait_group 0;"),
            1 + 32 * kLine + kAnswer + 1);
}

TEST_F(ChipBulkStore, waits_for_room_among_the_stores_under_way) {
  config.load_store.stores = 4;
  // Four lines leave, and each further one when one of these is acknowledged: so line 4 m + j leaves (kLine + kAnswer)
  // m + kLine j cycles behind the copy.
  EXPECT_EQ(cycles(store(4096) + kCommit + "cp.async.bulk.wait_group.read 0;"),
            1 + 7 * (kLine + kAnswer) + 4 * kLine + 1);
}

TEST_F(ChipBulkStore, half_a_sector_is_fetched_first) {
  cycles(store(32) + kCommit + "cp.async.bulk.wait_group 0;");
  EXPECT_EQ(counters.dram_reads, 1u) << "of kEnd";
  cycles(store(48) + kCommit + "cp.async.bulk.wait_group 0;");
  EXPECT_EQ(counters.dram_reads, 1u + 1);
  EXPECT_EQ(counters.l2_writes, 2 + kOwn);
}

TEST_F(ChipBulkStore, a_reduction_takes_effect_at_the_end_of_the_quantum) {
  // It issues in the cycle behind `begin`. Quanta have 8 cycles.
  const auto expected = [&](uint32_t lines) { return (begin + 1) / 8 * 8 + 8 + lines * kLine + 1 - begin; };
  const uint32_t read = cycles(reduce(4096) + kCommit + "cp.async.bulk.wait_group.read 0;");
  EXPECT_EQ(read, expected(32));
  EXPECT_EQ(counters.l1_atomics, 32u);
  EXPECT_EQ(counters.shared_wavefronts, 32u);
  EXPECT_EQ(cycles(reduce(128) + kCommit + "cp.async.bulk.wait_group.read 0;"), expected(1));
  // Its line has to come from DRAM, and its answer has its data.
  EXPECT_GT(cycles(reduce(128) + kCommit + "cp.async.bulk.wait_group 0;"), expected(1) + kAnswer);
}

TEST_F(ChipBulkStore, a_reduction_without_lanes_holds_nobody_up) {
  // The comparison issues in cycle 1, the rest from cycle 5 on.
  EXPECT_EQ(cycles("setp.eq.u32 %p2, %r1, 77; @%p2 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], "
                   "[%r3], 128;" +
                   kCommit + "cp.async.bulk.wait_group 0;"),
            5 + 3u);
}

TEST_F(ChipBulkStore, what_is_waited_for_is_there) {
  // Shared memory is written again once it was read, and the sum is read when it was written.
  const auto result = simulate(
      kernel(
          "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; mov.u32 %r3, s; mad.lo.u32 %r2, %r1, 4, %r3; setp.ne.u32 "
          "%p1, %r1, 0;"
          "mad.wide.u32 %rd2, %r1, 4, %rd1; st.shared.u32 [%r2], %r1; bar.sync 0;\n" +
              reduce(128) + kCommit +
              "cp.async.bulk.wait_group.read 0; bar.sync 0; st.shared.u32 [%r2], 1000; bar.sync 0;\n" + reduce(128) +
              kCommit +
              "cp.async.bulk.wait_group 0; bar.sync 0; ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd2+128], %r4; ret;",
          kShared),
      {1}, {32}, 64);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t k = 0; k < 32; ++k) {
    EXPECT_EQ(out[k], 1000 + k);
    EXPECT_EQ(out[32 + k], 1000 + k);
  }
}

TEST_F(ChipBulkStore, sums_and_cycles_do_not_depend_on_the_host_threads) {
  // 24 CTAs add numbers of very different sizes to the same 128 bytes: the sum tells their order.
  config.sms = 4;
  const std::string text = kernel(
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; ld.param.u64 %rd1, [out]; mov.u32 %r3, s; mad.lo.u32 %r4, %r1, 4, "
      "%r3;"
      "setp.ne.u32 %p1, %r1, 0; mad.lo.u32 %r5, %r2, 11, %r1; rem.u32 %r5, %r5, 29; cvt.rn.f32.u32 %f1, %r5; "
      "ex2.approx.ftz.f32 %f1, %f1;"
      "mul.f32 %f1, %f1, 0f3F9D70A4; st.shared.f32 [%r4], %f1; bar.sync 0;\n"
      "@!%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r3], 128;\n" +
          kCommit + "cp.async.bulk.wait_group 0; ret;",
      kShared);
  const auto alone = simulate(text, {24}, {32}, 32, 2);
  ASSERT_TRUE(alone) << alone.error().message;
  expect_conservation(alone->timing.counters);
  const std::vector<uint32_t> sums = out;
  EXPECT_NE(sums[0], 0u);
  options.threads = 4;
  for (int repeat = 0; repeat < 3; ++repeat) {
    chip.reset();
    const auto together = simulate(text, {24}, {32}, 32, 2);
    ASSERT_TRUE(together);
    EXPECT_EQ(out, sums);
    expect_same(*alone, *together);
  }
}

class ChipTensorStore : public ChipBulkStore {
 protected:
  /// Simulates `body` with a descriptor at out and its tensor, of words, 256 bytes behind it.
  Counters counted(const std::string& body, const std::vector<uint64_t>& sizes, const std::vector<uint64_t>& strides,
                   const std::vector<uint32_t>& box) {
    const std::string text = kernel(kBegin + body + " ret;", kShared);
    auto program = engine().load(text, "test.ptx");
    if (!program) {
      ADD_FAILURE() << format_diagnostics(program.error(), "test.ptx", text);
      return {};
    }
    const std::vector<uint32_t> steps(box.size(), 1);
    const uint64_t buffer = *engine().memory().allocate(8192, simt::MemoryKind::device);
    simt::TensorMap map;
    EXPECT_EQ(simt::encode_tiled({.element = simt::TensorMap::u32,
                                  .dimensions = static_cast<unsigned>(box.size()),
                                  .address = buffer + 256,
                                  .sizes = sizes.data(),
                                  .strides = strides.data(),
                                  .steps = steps.data()},
                                 box.data(), map),
              "");
    std::memcpy(reinterpret_cast<void*>(buffer), static_cast<const void*>(&map), sizeof map);
    simt::LaunchConfig launch;
    launch.block = {32};
    launch.params = std::as_bytes(std::span(&buffer, 1));
    Chip once(config, options);
    const auto result = once.launch(engine(), **program, "k", launch, {1, "CTA slots"});
    engine().memory().free(buffer);
    EXPECT_TRUE(result) << result.error().message;
    if (!result) return {};
    expect_conservation(result->timing.counters);
    return result->timing.counters;
  }
  static inline const std::string kDone = kCommit + "cp.async.bulk.wait_group 0;";
};

TEST_F(ChipTensorStore, rows_of_a_box_are_lines) {
  const std::string store = "@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, 0}], [%r3];\n";
  const Counters rows = counted(store + kDone, {64, 8}, {256}, {32, 8});
  EXPECT_EQ(rows.l1_stores, 8u);
  EXPECT_EQ(rows.l2_writes, 32u);
  EXPECT_EQ(rows.shared_wavefronts, 8u);
  const Counters packed = counted(store + kDone, {4, 8}, {16}, {4, 8});
  EXPECT_EQ(packed.l1_stores, 1u);
  EXPECT_EQ(packed.l2_writes, 4u);
  EXPECT_EQ(packed.dram_reads, 0u) << "two rows fill a sector";
}

TEST_F(ChipTensorStore, a_box_outside_of_its_tensor_sends_nothing) {
  const Counters none =
      counted("@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {64, 0}], [%r3];\n" + kDone,
              {64, 8}, {256}, {32, 8});
  EXPECT_EQ(none.packets_to_memory, 0u);
}

TEST_F(ChipTensorStore, reductions_are_atomics) {
  const Counters sums = counted(
      "@!%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {0, 0}], [%r3];\n" + kDone,
      {64, 8}, {256}, {32, 8});
  EXPECT_EQ(sums.l1_atomics, 8u);
  EXPECT_EQ(sums.l1_stores, 0u);
}

}  // namespace
}  // namespace bankshot::timing

// Asynchronous copies and mbarriers in kernels.
#include <algorithm>

#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineAsync : public EngineTest {
 protected:
  Fault fault_of(const std::string& body, uint32_t threads = 32) {
    const auto result = run(kernel(kShared + kThread + body + "ret;"), {1}, {threads}, 256);
    EXPECT_FALSE(result) << body;
    return result ? Fault{} : result.error();
  }
  static inline const std::string kShared = ".shared .align 128 .b8 s[4096]; .shared .align 8 .b64 bar;\n";
  /// out[256 + i] = i for the first 256 words.
  static inline const std::string kFill =
      "add.u32 %r10, %r1, 1000; st.global.u32 [%rd2], %r10; mov.u32 %r20, s; mov.u32 %r21, bar; bar.sync 0;\n";
};

/// One lane waits for a phase of the barrier at %r21, by parity.
std::string wait(const std::string& label, int parity) {
  return label + ": mbarrier.try_wait.parity.shared.b64 %p1, [%r21], " + std::to_string(parity) + "; @!%p1 bra " +
         label + ";\n";
}

TEST_F(EngineAsync, lanes_copy_4_8_and_16_bytes) {
  for (const unsigned bytes : {4u, 8u, 16u}) {
    const unsigned words = bytes / 4, threads = 256 / words;
    const std::string size = std::to_string(bytes);
    const auto result = run(
        kernel(
            kShared + kThread +
            "mov.u32 %r20, s; mov.u32 %r11, %ntid.x;"
            // each thread writes `words` words of out
            "mov.u32 %r12, %r1; F: mul.wide.u32 %rd5, %r12, 4; add.u64 %rd5, %rd5, %rd1; add.u32 %r13, %r12, 7;"
            "st.global.u32 [%rd5], %r13; add.u32 %r12, %r12, %r11; setp.lt.u32 %p1, %r12, 256; @%p1 bra F; bar.sync 0;"
            "mul.lo.u32 %r5, %r1, " +
            size +
            "; add.u32 %r6, %r20, %r5; cvt.u64.u32 %rd6, %r5; add.u64 %rd6, %rd6, %rd1;"
            "cp.async.ca.shared.global [%r6], [%rd6], " +
            size +
            "; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;"
            // backwards into out
            "mov.u32 %r12, %r1; B: sub.u32 %r13, 255, %r12; shl.b32 %r14, %r13, 2; add.u32 %r14, %r14, %r20; "
            "ld.shared.u32 %r15, [%r14];"
            "mul.wide.u32 %rd5, %r12, 4; add.u64 %rd5, %rd5, %rd1; st.global.u32 [%rd5], %r15;"
            "add.u32 %r12, %r12, %r11; setp.lt.u32 %p1, %r12, 256; @%p1 bra B; ret;"),
        {1}, {threads}, 256);
    ASSERT_TRUE(result) << result.error().message;
    for (uint32_t i = 0; i < 256; ++i) ASSERT_EQ(out[i], 255 - i + 7) << bytes;
    const auto& site = result->sites.at(0);
    EXPECT_EQ(site.width, bytes);
    EXPECT_EQ(site.counter.accesses, threads / 32);
    EXPECT_EQ(site.counter.wavefronts, 8u) << "256 words in rows of 32";
  }
}

TEST_F(EngineAsync, what_is_not_read_is_zero) {
  const auto result = run(
      kernel(kShared + kThread + kFill +
             "shl.b32 %r5, %r1, 4; add.u32 %r6, %r20, %r5; st.shared.v4.u32 [%r6], {9, 9, 9, 9};"
             "rem.u32 %r7, %r1, 17; cp.async.cg.shared.global [%r6], [%rd1], 16, %r7; cp.async.wait_all;"
             "ld.shared.v4.u32 {%r11, %r12, %r13, %r14}, [%r6]; add.u64 %rd2, %rd1, 1024; mul.wide.u32 %rd3, %r1, 16;"
             "add.u64 %rd2, %rd2, %rd3; st.global.v4.u32 [%rd2], {%r11, %r12, %r13, %r14}; ret;"),
      {1}, {32}, 256 + 128);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t read = lane % 17;
    for (uint32_t byte = 0; byte < 16; ++byte) {
      const uint32_t word = out[256 + lane * 4 + byte / 4], source = 1000 + byte / 4;
      EXPECT_EQ(word >> byte % 4 * 8 & 0xff, byte < read ? source >> byte % 4 * 8 & 0xff : 0) << lane << ' ' << byte;
    }
  }
}

TEST_F(EngineAsync, lanes_may_ignore_the_source) {
  const auto result = run(kernel(kShared + kThread + kFill +
                                 "shl.b32 %r5, %r1, 2; add.u32 %r6, %r20, %r5; and.b32 %r7, %r1, 1; setp.eq.u32 %p2, "
                                 "%r7, 1; setp.ne.u32 %p3, %r1, 6;"
                                 "selp.u64 %rd4, 0, %rd2, %p2; st.shared.u32 [%r6], 5; @%p3 "
                                 "cp.async.ca.shared::cta.global [%r6], [%rd4], 4, %p2; cp.async.wait_all;"
                                 "ld.shared.u32 %r8, [%r6]; st.global.u32 [%rd2], %r8; ret;"),
                          {1}, {32}, 32);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out[lane], lane == 6 ? 5 : lane % 2 == 1 ? 0 : 1000 + lane) << lane;
}

TEST_F(EngineAsync, conflicts_of_copies_are_counted) {
  const auto result = run(kernel(kShared + kThread + kFill +
                                 "shl.b32 %r5, %r1, 7; add.u32 %r6, %r20, %r5;"
                                 "cp.async.ca.shared.global [%r6], [%rd2], 4; cp.async.wait_all; ret;"),
                          {1}, {32}, 32);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->sites.at(0).counter.wavefronts, 32u);
  EXPECT_EQ(result->sites.at(0).counter.ideal, 1u);
}

TEST_F(EngineAsync, warps_wait_for_each_other_at_a_barrier) {
  // Three phases: warp 0 waits by parity, the others arrive and wait by the state that they got.
  const auto result = run(
      kernel(
          kShared + kThread +
          "mov.u32 %r20, s; mov.u32 %r21, bar; setp.eq.u32 %p2, %r1, 0;"
          "@%p2 mbarrier.init.shared::cta.b64 [%r21], 96; bar.sync 0; mov.u32 %r10, 0; setp.lt.u32 %p3, %r1, 32;"
          "L: @%p3 bra WAITS;\n"
          "red.shared.add.u32 [%r20], 1; mbarrier.arrive.release.cta.shared::cta.b64 %rd5, [%r21];"
          "T: mbarrier.test_wait.shared::cta.b64 %p1, [%r21], %rd5; @!%p1 bra T; bra NEXT;\n"
          "WAITS: and.b32 %r11, %r10, 1; P: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r21], %r11, "
          "1000; @!%p1 bra P;"
          "NEXT: ld.shared.u32 %r12, [%r20]; bar.sync 0; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @%p1 bra L;"
          "@!%p3 mbarrier.pending_count.b64 %r13, %rd5; selp.u32 %r12, %r12, %r13, %p3; st.global.u32 [%rd2], %r12; "
          "ret;"),
      {1}, {128}, 128);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 3u * 96);
  // What was pending before each arrival: 96 for the first, 1 for the last.
  std::vector<uint32_t> pending(out.begin() + 32, out.end());
  std::sort(pending.begin(), pending.end());
  for (uint32_t i = 0; i < 96; ++i) EXPECT_EQ(pending[i], i + 1);
}

TEST_F(EngineAsync, copies_may_add_the_arrivals_that_they_are) {
  // One arrival is expected, that of lane 0: those of the copies were added before.
  const auto result = run(
      kernel(kShared + kThread + kFill +
             "setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.init.shared.b64 [%r21], 1; bar.sync 0;"
             "shl.b32 %r5, %r1, 2; add.u32 %r6, %r20, %r5; cp.async.ca.shared.global [%r6], [%rd2], 4;"
             "cp.async.mbarrier.arrive.shared.b64 [%r21];"
             "mbarrier.test_wait.parity.shared.b64 %p3, [%r21], 0; selp.u32 %r8, 10000, 0, %p3; bar.sync 0;"
             "@%p2 mbarrier.arrive.shared.b64 _, [%r21];" +
             wait("W", 0) +
             "xor.b32 %r6, %r6, 4; ld.shared.u32 %r7, [%r6]; add.u32 %r7, %r7, %r8; st.global.u32 [%rd2], %r7; ret;"),
      {1}, {32}, 32);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 1000 + (i ^ 1));
}

TEST_F(EngineAsync, bytes_may_be_announced_and_completed_by_hand) {
  // %r5: a bit for each look whether phase 0 is over.
  const std::string look =
      "mbarrier.test_wait.parity.shared.b64 %p1, [%r21], 0; selp.u32 %r6, 1, 0, %p1; shl.b32 %r5, %r5, 1; or.b32 %r5, "
      "%r5, %r6;";
  ASSERT_TRUE(run(kernel(kShared +
                         "mov.u32 %r21, bar; mov.u32 %r5, 0; mbarrier.init.shared.b64 [%r21], 1;"
                         "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r21], 24; mbarrier.arrive.shared.b64 _, [%r21];" +
                         look + "mbarrier.complete_tx.shared.b64 [%r21], 16;" + look +
                         "mbarrier.complete_tx.relaxed.cluster.shared::cta.b64 "
                         "[%r21], 8;" +
                         look + "st.global.u32 [%rd1], %r5; ret;"),
                  {1}, {1}, 1));
  EXPECT_EQ(out[0], 0b001u);
}

TEST_F(EngineAsync, arrivals_that_do_not_complete_count) {
  // Three are expected, one of them gives up for good: two suffice for phase 1.
  const std::string look =
      "mbarrier.test_wait.shared.b64 %p1, [%r21], %rd5; selp.u32 %r6, 1, 0, %p1; shl.b32 %r5, %r5, 1; or.b32 %r5, %r5, "
      "%r6;";
  ASSERT_TRUE(
      run(kernel(kShared +
                 "mov.u32 %r21, bar; mov.u32 %r5, 0; mbarrier.init.shared.b64 [%r21], 3;"
                 "mbarrier.arrive_drop.noComplete.release.cta.shared.b64 %rd5, [%r21], 1;" +
                 look + "mbarrier.arrive.noComplete.shared.b64 %rd5, [%r21], 1; mbarrier.pending_count.b64 %r7, %rd5;" +
                 look + "mbarrier.arrive.shared.b64 %rd5, [%r21];" + look +
                 "mbarrier.arrive.shared.b64 %rd5, [%r21], 2; mbarrier.pending_count.b64 %r8, %rd5;" + look +
                 "st.global.v4.u32 [%rd1], {%r5, %r7, %r8, 0}; ret;"),
          {1}, {1}, 4));
  EXPECT_EQ(out[0], 0b0011u);
  EXPECT_EQ(out[1], 2u) << "pending before the second arrival";
  EXPECT_EQ(out[2], 2u) << "what phase 1 expects";
}

TEST_F(EngineAsync, copies_in_bulk_may_name_the_memory_of_the_cta) {
  ASSERT_TRUE(run(
      kernel(kShared +
                 "mov.u32 %r20, s; mov.u32 %r21, bar; mbarrier.init.shared.b64 [%r21], 1; mov.u64 %rd5, given;"
                 "mbarrier.arrive.expect_tx.shared.b64 _, [%r21], 16;"
                 "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r20], [%rd5], 16, [%r21];" +
                 wait("W", 0) +
                 "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r20]; st.global.v4.u32 [%rd1], {%r8, %r7, %r6, %r5}; ret;",
             ".global .align 16 .u32 given[4] = {3, 5, 7, 9};"),
      {1}, {1}, 4));
  EXPECT_EQ(out, (std::vector<uint32_t>{9, 7, 5, 3}));
}

TEST_F(EngineAsync, everyone_sees_each_phase_of_a_barrier) {
  // Warp 0 issues the second copy as soon as it sees the first, which the others must have seen, too.
  const auto result = run(
      kernel(kShared + kThread +
                 "mov.u32 %r20, s; mov.u32 %r21, bar; mov.u64 %rd5, given; setp.ne.u32 %p1, %r1, 0;\n"
                 "@!%p1 mbarrier.init.shared.b64 [%r21], 1; bar.sync 0; mov.u32 %r5, 0;\nN: @%p1 bra W;\n"
                 "mbarrier.arrive.expect_tx.shared.b64 _, [%r21], 16;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd5], 16, [%r21];\n"
                 "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r21], %r5; @!%p2 bra W; add.u32 %r5, %r5, 1;\n"
                 "setp.lt.u32 %p3, %r5, 2; @%p3 bra N; bar.sync 0; ld.shared.u32 %r6, [%r20]; st.global.u32 [%rd2], "
                 "%r6; ret;",
             ".global .align 16 .u32 given[4] = {3, 5, 7, 9};"),
      {1}, {128}, 128);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out, std::vector<uint32_t>(128, 3));
}

TEST_F(EngineAsync, copies_of_lanes_arrive_at_a_barrier) {
  const auto result =
      run(kernel(kShared + kThread + kFill +
                 "setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.init.shared.b64 [%r21], 32; bar.sync 0;"
                 "shl.b32 %r5, %r1, 2; add.u32 %r6, %r20, %r5; cp.async.ca.shared.global [%r6], [%rd2], 4;"
                 "cp.async.mbarrier.arrive.noinc.shared.b64 [%r21];" +
                 wait("W", 0) + "xor.b32 %r6, %r6, 4; ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd2], %r7; ret;"),
          {1}, {32}, 32);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 1000 + (i ^ 1));
}

TEST_F(EngineAsync, bulk_copies_go_there_and_back) {
  // Thread 0 announces and copies 512 bytes; all wait, and add 1; thread 0 copies back to the second half.
  const auto result =
      run(kernel(kShared + kThread + kFill +
                 "setp.ne.u32 %p2, %r1, 0; @%p2 bra ALL; mbarrier.init.shared::cta.b64 [%r21], 1;"
                 "fence.proxy.async.shared::cta;"
                 "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r21], 512;"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd1], 512, [%r21];\n"
                 "ALL: bar.sync 0;" +
                 wait("W", 0) +
                 "shl.b32 %r5, %r1, 2; add.u32 %r6, %r20, %r5; ld.shared.u32 %r7, [%r6]; add.u32 %r7, %r7, 1; "
                 "st.shared.u32 [%r6], %r7;"
                 "fence.proxy.async.shared::cta; bar.sync 0; @%p2 bra END; mov.u32 %r9, 512; "
                 "cp.async.bulk.global.shared::cta.bulk_group [%rd1+512], [%r20], %r9;"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; END: ret;"),
          {1}, {128}, 256);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 128; ++i) {
    EXPECT_EQ(out[i], 1000 + i);
    EXPECT_EQ(out[128 + i], 1001 + i);
  }
  // Rows of 32 words in, and out again.
  uint64_t rows = 0;
  for (const auto& site : result->sites) {
    if (site.op.starts_with("cp.async.bulk")) rows += site.counter.wavefronts;
  }
  EXPECT_EQ(rows, 8u);
}

TEST_F(EngineAsync, bulk_copies_within_the_cluster_tell_the_barrier) {
  const auto result =
      run(kernel(kShared + kThread + kFill +
                 "setp.ne.u32 %p2, %r1, 0; shl.b32 %r5, %r1, 2; add.u32 %r6, %r20, %r5; st.shared.u32 [%r6], %r10;"
                 "@%p2 bra ALL; mbarrier.init.shared::cta.b64 [%r21], 1; "
                 "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r21], 128; bar.warp.sync 1;"
                 "ALL: bar.sync 0; @%p2 bra WAITS; add.u32 %r8, %r20, 1024; "
                 "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r8], [%r20], 128, [%r21];"
                 "mbarrier.arrive.shared.b64 _, [%r21]; WAITS: " +
                 wait("W", 0) + "ld.shared.u32 %r7, [%r6+1024]; st.global.u32 [%rd2], %r7; ret;"),
          {1}, {32}, 32);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 1000 + i);
}

TEST_F(EngineAsync, who_drops_out_is_not_waited_for) {
  const auto result =
      run(kernel(kShared + kThread + kFill +
                 "setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.init.shared.b64 [%r21], 32; bar.sync 0;"
                 "setp.gt.u32 %p3, %r1, 7; @%p3 mbarrier.arrive_drop.shared.b64 %rd4, [%r21]; @%p3 exit;"
                 "mbarrier.arrive.shared.b64 %rd4, [%r21];" +
                 wait("A", 0) + "mbarrier.arrive.shared.b64 %rd4, [%r21];" + wait("B", 1) +
                 "mbarrier.pending_count.b64 %r7, %rd4; st.global.u32 [%rd2], %r7; ret;"),
          {1}, {32}, 32);
  ASSERT_TRUE(result) << result.error().message;
  std::sort(out.begin(), out.begin() + 8);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(out[i], i + 1);
}

TEST_F(EngineAsync, mistakes_are_told) {
  const auto expect = [&](const std::string& body, Fault::Kind kind, const std::string& part) {
    const Fault fault = fault_of(kFill + body);
    EXPECT_EQ(fault.kind, kind) << body;
    EXPECT_NE(fault.message.find(part), std::string::npos) << fault.message;
  };
  using Kind = Fault::Kind;
  expect("mbarrier.arrive.shared.b64 _, [%r21];", Kind::bad_barrier, "there is no mbarrier here");
  expect("mbarrier.init.shared.b64 [%r21], 4; mbarrier.arrive.shared.b64 _, [%r21], 5;", Kind::bad_barrier,
         "more threads arrive");
  expect("mbarrier.init.shared.b64 [%r21], 0;", Kind::bad_barrier, "not 0");
  expect("mbarrier.init.shared.b64 [%r21], 1; mbarrier.inval.shared.b64 [%r21];", Kind::bad_barrier,
         "there is no mbarrier");  // the second lane
  expect("mbarrier.init.b64 [%rd1], 1;", Kind::illegal_address, "must be in the CTA's shared memory");
  expect("add.u32 %r21, %r21, 4; mbarrier.init.shared.b64 [%r21], 1;", Kind::misaligned, "");
  expect("cp.async.ca.shared.global [%r20], [%rd1], 4, 5;", Kind::bad_copy,
         "5 bytes to read exceed the size of the copy, 4");
  expect("cp.async.ca.shared.global [%r20], [%rd1+2], 4;", Kind::misaligned, "");
  expect("cp.async.ca.shared.global [%r20], [%rd1+2], 4, 1;", Kind::misaligned, "");
  expect("cp.async.ca.shared.global [%r20+4], [%rd1], 8;", Kind::misaligned, "");
  expect("cp.async.ca.shared.global [%r20+5000], [%rd1], 8;", Kind::out_of_shared, "");
  expect("mov.u64 %rd5, 64; cp.async.ca.shared.global [%r20], [%rd5], 8;", Kind::illegal_address, "");
  const std::string bulk =
      "mbarrier.init.shared.b64 [%r21], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
  expect(bulk + "[%r20], [%rd1], 24, [%r21];", Kind::bad_copy, "a multiple of 16, not 24");
  expect(bulk + "[%r20+8], [%rd1], 16, [%r21];", Kind::misaligned, "");
  expect(bulk + "[%r20], [%rd1], 1040, [%r21];", Kind::illegal_address, "");
  expect(bulk + "[%r20+4080], [%rd1], 32, [%r21];", Kind::out_of_shared, "");
  // As far as the window of the next CTA of a cluster.
  expect("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r20], 16777232;", Kind::out_of_shared,
         "a copy of 16777232 bytes");
  expect("ld.shared.u32 %r3, [%r20+-4];", Kind::out_of_shared, "at shared offset -4");
  expect(
      "mbarrier.init.shared.b64 [%r21], 1; .reg .b16 %rs1; mov.u16 %rs1, 3; "
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r20], [%rd1], 16, "
      "[%r21], %rs1;",
      Kind::out_of_shared, "shared memory of rank 1 in a cluster of 1");
}

// Two mappings side by side are one array.
TEST_F(EngineAsync, a_bulk_copy_goes_on_in_the_next_mapping) {
  Memory& memory = engine().memory();
  const uint64_t range = *memory.reserve(3 * 4096, 4096);
  ASSERT_TRUE(memory.map(range, 4096) && memory.map(range + 4096, 4096));
  for (uint32_t k = 0; k < 2048; ++k) reinterpret_cast<uint32_t*>(range)[k] = k;
  const auto copy = [&](uint64_t from) {
    return kernel(kShared + kThread +
                  "mov.u32 %r20, s; mov.u32 %r21, bar; setp.ne.u32 %p2, %r1, 0; @%p2 bra END;"
                  "mbarrier.init.shared.b64 [%r21], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r21], 1024;"
                  "mov.u64 %rd5, " +
                  std::to_string(from) +
                  ";"
                  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd5], 1024, [%r21];\n" +
                  wait("W", 0) + "ld.shared.u32 %r5, [%r20+1020]; st.global.u32 [%rd1], %r5; END: ret;");
  };
  const auto result = run(copy(range + 4096 - 512), {1}, {32}, 4);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[0], 1024u - 128 + 255);
  const auto beyond = run(copy(range + 2 * 4096 - 512), {1}, {32}, 4);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().kind, Fault::Kind::illegal_address);
}

TEST_F(EngineAsync, forms_that_there_are_not_are_refused) {
  EXPECT_NE(
      refusal(kernel(kShared + "cp.async.cg.shared.global [s], [%rd1], 8; ret;")).find("cp.async.cg copies 16 bytes"),
      std::string::npos);
  EXPECT_NE(
      refusal(kernel(kShared + "cp.async.ca.shared.global [s], [%rd1], 12; ret;")).find("copies 4, 8 or 16 bytes"),
      std::string::npos);
  EXPECT_NE(refusal(kernel(kShared + "cp.async.ca.shared.global [s], [%rd1], %r1; ret;")), "");
  EXPECT_NE(refusal(kernel(".global .b64 g; mbarrier.init.b64 [g], 1; ret;")), "");
}

}  // namespace
}  // namespace bankshot::simt

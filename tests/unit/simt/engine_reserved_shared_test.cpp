// The system's shared memory: where it is, and that nothing else is there.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

using EngineReservedShared = EngineTest;

const std::string kRead =
    "mov.u32 %r10, %reserved_smem_offset_begin; mov.u32 %r11, %reserved_smem_offset_end; mov.u32 %r12, "
    "%reserved_smem_offset_cap;"
    "mov.u32 %r13, %reserved_smem_offset_0; mov.u32 %r14, %reserved_smem_offset_1; mov.u32 %r15, %total_smem_size;"
    "mov.u32 %r16, %aggr_smem_size;\n";
const std::string kTellAndReturn =
    "@%p1 bra E; st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13}; st.global.v4.u32 [%rd1+16], {%r14, %r15, %r16, "
    "%r17};\nE: ret;";

TEST_F(EngineReservedShared, lies_behind_all_other_shared_memory) {
  // 20 static bytes and, from 32 on, 200 dynamic ones end at 232: the next row of banks is at 256.
  const auto result = run(
      kernel(kThread + ".shared .align 4 .b8 s[20]; mov.u32 %r5, s; st.shared.u32 [%r5], 9; setp.ne.u32 %p1, %r1, 0;" +
             kRead + "ld.shared.u32 %r17, [%r5];" + kTellAndReturn),
      {1}, {32}, 8, 200);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out, (std::vector<uint32_t>{256, 1280, 1024, 256, 768, 232, 1280, 9}));
}

// nvcc 13 loads three last floats so (CUTLASS, cute/ampere/cooperative_copy.cu).
TEST_F(EngineReservedShared, an_aligned_load_may_begin_in_shared_memory_and_end_behind_it) {
  const std::string begin = kThread + ".shared .align 16 .b8 s[28]; mov.u32 %r5, s; st.shared.u32 [%r5+24], 9;\n",
                    store = "st.global.v4.u32 [%rd1], {%r10, %r11, %r12, %r13}; ret;";
  const auto result = run(kernel(begin + "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5+16];" + store), {1}, {32}, 4);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out, (std::vector<uint32_t>{0, 0, 9, 0}));
  for (const std::string& wrong :
       {"ld.shared.u32 %r10, [%r5+28];", "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5+32];",
        "st.shared.v4.u32 [%r5+16], {%r10, %r11, %r12, %r13};"}) {
    const auto fault = run(kernel(begin + wrong + store), {1}, {32}, 4);
    ASSERT_FALSE(fault) << wrong;
    EXPECT_EQ(fault.error().kind, Fault::Kind::out_of_shared) << wrong;
  }
}

TEST_F(EngineReservedShared, is_memory_of_the_cta_and_counts) {
  // By shared and by generic addresses: each lane reads what its neighbour wrote, 32 lanes 8 bytes apart.
  const auto result = run(
      kernel(kThread +
             "mov.u32 %r5, %reserved_smem_offset_1; mad.lo.u32 %r6, %r1, 8, %r5; st.shared.u32 [%r6], %r4; bar.sync 0;"
             "xor.b32 %r7, %r1, 1; cvt.u64.u32 %rd3, %r5; cvta.shared.u64 %rd4, %rd3; mad.wide.u32 %rd4, %r7, 8, %rd4;"
             "ld.u32 %r8, [%rd4]; st.global.u32 [%rd2], %r8; ret;"),
      {3}, {32}, 96);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 96; ++i) EXPECT_EQ(out[i], i ^ 1) << i;
  ASSERT_EQ(result->sites.size(), 2u);
  for (const auto& site : result->sites) {
    EXPECT_EQ(site.counter.accesses, 3u);
    EXPECT_EQ(site.counter.wavefronts, 6u) << "words 0, 2, 4 … lie twice on each even bank";
  }
}

TEST_F(EngineReservedShared, functions_that_a_kernel_calls_may_name_it) {
  const std::string f =
      ".func (.param .b32 r) f() { .reg .b32 %r<3>; mov.u32 %r1, %reserved_smem_offset_0; st.shared.u32 [%r1], 7;"
      "ld.shared.u32 %r2, [%r1]; st.param.b32 [r], %r2; ret; }\n";
  const auto result =
      run(kernel(kThread + "{ .param .b32 b; call (b), f; ld.param.b32 %r5, [b]; } st.global.u32 [%rd2], %r5; ret;", f),
          {1}, {32}, 32, 1000);
  ASSERT_TRUE(result) << result.error().message;
  for (const uint32_t word : out) EXPECT_EQ(word, 7u);
}

TEST_F(EngineReservedShared, rejects_accesses_of_kernels_that_do_not_name_it) {
  const std::string other = ".visible .entry other() { .reg .b32 %r<3>; mov.u32 %r1, %reserved_smem_offset_0; ret; }\n";
  const auto result =
      run(kernel(kThread + ".shared .align 4 .b8 s[128]; mov.u32 %r5, s; ld.shared.u32 %r6, [%r5+128]; ret;", other),
          {1}, {32}, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::out_of_shared);
}

TEST_F(EngineReservedShared, rejects_places_that_it_has_not) {
  const std::string text = refusal(kernel("mov.u32 %r5, %reserved_smem_offset_7; ret;"));
  EXPECT_NE(text.find("%reserved_smem_offset_7"), std::string::npos) << text;
  EXPECT_EQ(text.find("bits, but the instruction moves"), std::string::npos) << text << ": one error is enough";
}

}  // namespace
}  // namespace bankshot::simt

// wgmma: what four warps compute together, what it costs, and what is refused.
#include <bit>
#include <cmath>

#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineWarpgroup : public EngineTest {
 protected:
  /// A kernel of sm_90a in whose shared memory `s` the half at byte b is (b / 2) mod 8 - 3, with %rd4 a descriptor of A
  /// at byte 0 and %rd5 one of B at byte 2048: K-major without swizzle, cores of a row 128 bytes apart, those of eight
  /// rows 256 bytes.
  static std::string kernel_of(const std::string& body) {
    return ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
           ".reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .pred %p<8>; .reg .f32 %f<16>; .reg .b16 %h<4>;\n"
           ".shared .align 1024 .b8 s[4096];\nld.param.u64 %rd1, [out];\n" +
           kThread +
           "shl.b32 %r5, %r1, 1;\n"
           "L: shr.u32 %r6, %r5, 1; and.b32 %r6, %r6, 7; sub.s32 %r6, %r6, 3; cvt.rn.f16.s32 %h1, %r6;\n"
           "mov.u32 %r7, s; add.u32 %r7, %r7, %r5; st.shared.b16 [%r7], %h1; add.u32 %r5, %r5, 256;\n"
           "setp.lt.u32 %p1, %r5, 4096; @%p1 bra L; fence.proxy.async.shared::cta; bar.sync 0;\n"
           "mov.u32 %r8, s; bfe.u32 %r8, %r8, 4, 14; cvt.u64.u32 %rd3, %r8; or.b64 %rd4, %rd3, 0x0000001000080000; \n"
           "add.u64 %rd5, %rd4, 128;\n"
           "mov.f32 %f1, 0f3F800000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n" +
           body + "\n}\n";
  }
  static inline const std::string kProduct =
      "wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd4, %rd5, 1, 1, 1, 0, 0;\n"
      "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
  static inline const std::string kStore = "st.global.f32 [%rd2], %f4;\n";

  static float half_at(unsigned byte) { return static_cast<float>(byte / 2 % 8) - 3; }
  static float a(unsigned row, unsigned k) { return half_at(row / 8 * 256 + k / 8 * 128 + row % 8 * 16 + k % 8 * 2); }
  static float b(unsigned k, unsigned column) { return half_at(2048 + k / 8 * 128 + column * 16 + k % 8 * 2); }
};

TEST_F(EngineWarpgroup, four_warps_multiply_matrices_in_shared_memory) {
  const auto stats = run(kernel_of(kProduct + kStore), {1, 1, 1}, {128, 1, 1}, 128);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) {
    // The fourth accumulator of a lane: row 8 + lane / 4 of its warp's sixteen, column 2 (lane % 4) + 1.
    const unsigned row = t / 32 * 16 + 8 + t % 32 / 4, column = t % 4 * 2 + 1;
    float sum = 1;
    for (unsigned k = 0; k < 16; ++k) sum += a(row, k) * b(k, column);
    ASSERT_EQ(std::bit_cast<float>(out[t]), sum) << "thread " << t;
  }
  ASSERT_EQ(stats->sites.size(), 2u);
  // 64 rows and 8 columns of 32 bytes: 18 rows of 128 bytes, as counted on an H100.
  for (const SiteReport& site : stats->sites) {
    if (!site.op.starts_with("wgmma")) continue;
    EXPECT_EQ(site.counter.wavefronts, 18u);
    EXPECT_EQ(site.counter.ideal, 18u);
  }
}

TEST_F(EngineWarpgroup, reports_layouts_of_operands_and_who_wrote_them) {
  const auto stats = run(kernel_of(kProduct + kStore), {3, 1, 1}, {128, 1, 1}, 3 * 128);
  ASSERT_TRUE(stats) << stats.error().message;
  ASSERT_EQ(stats->sites.size(), 2u);
  const SiteReport &store = stats->sites[0], &product = stats->sites[1];
  ASSERT_EQ(product.operands.size(), 2u);
  EXPECT_EQ(product.operands[0].layout, (OperandLayout{'A', 64, 32, {false, {}, 128, 256, 0}}));
  EXPECT_EQ(product.operands[1].layout, (OperandLayout{'B', 8, 32, {false, {}, 128, 256, 0}}));
  for (const OperandReport& operand : product.operands) {
    EXPECT_EQ(operand.reads, 3u) << "one a CTA";
    ASSERT_EQ(operand.written.size(), 1u);
    EXPECT_EQ(operand.written[0].op, "st.shared.b16");
    EXPECT_EQ(operand.written[0].source.ptx_line, store.source.ptx_line);
    EXPECT_FALSE(operand.written[0].is_tensor);
    EXPECT_EQ(operand.written[0].bytes, 3u * operand.layout.rows * 32);
  }
  EXPECT_TRUE(store.operands.empty());
  // 2,304 bytes are tiles, of which a warp stores 64 at a time: four rows of 16 bytes.
  ASSERT_EQ(store.swizzles.size(), 1u);
  EXPECT_EQ(store.swizzles[0].accesses, 3u * 36);
  EXPECT_EQ(store.swizzles[0].conflicts, 0u);
  EXPECT_EQ(store.swizzles[0].by_span[1], 0u);
  EXPECT_FALSE(store.swizzles[0].by_span[2]) << "two columns of cores are 32 bytes";
  EXPECT_EQ(store.counter.trace.capacity(), 0u) << "nobody asked for one";
}

TEST_F(EngineWarpgroup, without_scale_d_the_accumulators_are_overwritten) {
  std::string text = kernel_of(kProduct + kStore);
  text.replace(text.find("%rd5, 1, 1, 1"), 13, "%rd5, 0, -1, 1");
  const auto stats = run(text, {1, 1, 1}, {128, 1, 1}, 128);
  ASSERT_TRUE(stats) << stats.error().message;
  float sum = 0;
  for (unsigned k = 0; k < 16; ++k) sum -= a(8, k) * b(k, 1);
  EXPECT_EQ(std::bit_cast<float>(out[0]), sum);
}

TEST_F(EngineWarpgroup, a_block_needs_whole_warpgroups) {
  const auto stats = run(kernel_of(kProduct + kStore), {1, 1, 1}, {96, 1, 1}, 128);
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().kind, Fault::Kind::partial_warp);
  EXPECT_NE(stats.error().message.find("the block has 96 threads, not a multiple of 128"), std::string::npos)
      << stats.error().message;
}

TEST_F(EngineWarpgroup, a_warp_that_does_not_come_is_named) {
  const auto stats =
      run(kernel_of("setp.ge.u32 %p2, %r1, 96; @%p2 exit;\n" + kProduct + kStore), {1, 1, 1}, {128, 1, 1}, 128);
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().kind, Fault::Kind::partial_warp);
  EXPECT_NE(stats.error().message.find("warp 3, of the same warpgroup, has ended"), std::string::npos)
      << stats.error().message;
}

TEST_F(EngineWarpgroup, a_warp_that_ends_while_the_others_wait_is_named) {
  const auto stats =
      run(kernel_of("setp.ge.u32 %p2, %r1, 32; @%p2 bra P; nanosleep.u32 1; nanosleep.u32 1; exit; P:\n" + kProduct +
                    kStore),
          {1, 1, 1}, {128, 1, 1}, 128);
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().kind, Fault::Kind::partial_warp);
  EXPECT_NE(stats.error().message.find("warp 0, of the same warpgroup, has ended"), std::string::npos)
      << stats.error().message;
}

TEST_F(EngineWarpgroup, warps_at_different_products_are_told) {
  const auto stats = run(
      kernel_of("setp.ge.u32 %p2, %r1, 96; @%p2 bra M;\n" + kProduct + "bra.uni E;\nM:\n" + kProduct + "E:\n" + kStore),
      {1, 1, 1}, {128, 1, 1}, 128);
  ASSERT_FALSE(stats);
  EXPECT_NE(stats.error().message.find("is at another instruction, PTX line"), std::string::npos)
      << stats.error().message;
}

TEST_F(EngineWarpgroup, threads_that_give_another_descriptor_are_named) {
  const auto stats = run(kernel_of("setp.eq.u32 %p2, %r1, 77; @%p2 add.u64 %rd5, %rd5, 1;\n" + kProduct + kStore),
                         {1, 1, 1}, {128, 1, 1}, 128);
  ASSERT_FALSE(stats);
  EXPECT_NE(stats.error().message.find("the same descriptor of B"), std::string::npos) << stats.error().message;
  EXPECT_EQ(stats.error().thread.x, 77u);
}

TEST_F(EngineWarpgroup, an_operand_ends_where_shared_memory_does) {
  const auto stats = run(kernel_of("add.u64 %rd5, %rd5, 127;\n" + kProduct + kStore), {1, 1, 1}, {128, 1, 1}, 128);
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().kind, Fault::Kind::out_of_shared);
  EXPECT_NE(stats.error().message.find("operand B has 16 bytes at shared offset"), std::string::npos);
  EXPECT_NE(stats.error().message.find("start 4080, leading offset 128, stride offset 256, no swizzle"),
            std::string::npos)
      << stats.error().message;
}

TEST_F(EngineWarpgroup, all_lanes_of_a_warp_wait_together) {
  const auto stats =
      run(kernel_of("setp.eq.u32 %p2, %r1, 5; @%p2 bra M;\nwgmma.commit_group.sync.aligned;\nM:\n" + kProduct + kStore),
          {1, 1, 1}, {128, 1, 1}, 128);
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().kind, Fault::Kind::partial_warp);
}

TEST_F(EngineWarpgroup, mistakes_in_the_text_are_refused_at_their_place) {
  const auto with = [](const std::string& product) { return kernel_of(product); };
  EXPECT_NE(refusal(with("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd4, %rd5, 1, 1, 1, 0, 0;"))
                .find("expected 4 registers in braces for this matrix, found 2"),
            std::string::npos);
  EXPECT_NE(refusal(with("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd4, %rd5, 1, 2, 1, "
                         "0, 0;"))
                .find("a scale is 1 or -1, found 2"),
            std::string::npos);
  EXPECT_NE(refusal(with("wgmma.wait_group.sync.aligned 8;")).find("must be 0 to 7, found 8"), std::string::npos);
}

/// A form whose elements all are 1: each sum is the number of products.
struct Ones {
  std::string types, shape;
  uint32_t word;        ///< elements that are 1
  uint32_t sum;         ///< as the accumulator has it
  std::string behind;   ///< the operands after scale-d
  bool halves = false;  ///< accumulators
};

TEST_F(EngineWarpgroup, all_forms_add_their_products) {
  const std::string scales = ", 1, 1", majors = ", 1, 1, 0, 1";
  const auto f32 = [](float x) { return std::bit_cast<uint32_t>(x); };
  const Ones forms[] = {
      {"f32.f16.f16", "m64n8k16", 0x3c003c00, f32(16), majors},
      {"f16.f16.f16", "m64n8k16", 0x3c003c00, 0x4c004c00, majors, true},
      {"f32.bf16.bf16", "m64n8k16", 0x3f803f80, f32(16), majors},
      {"f32.tf32.tf32", "m64n8k8", 0x3f800000, f32(8), scales},
      {"f32.e4m3.e4m3", "m64n8k32", 0x38383838, f32(32), scales},
      {"f16.e5m2.e5m2", "m64n8k32", 0x3c3c3c3c, 0x50005000, scales, true},
      {"s32.s8.u8", "m64n8k32", 0x01010101, 32, ""},
      {"s32.b1.b1.and.popc", "m64n8k256", 0xffffffff, 256, ""},
      {"f32.f16.f16", "m64n8k32", 0x3c003c00, f32(16), majors},
      {"f32.bf16.bf16", "m64n8k32", 0x3f803f80, f32(16), majors},
      {"f32.tf32.tf32", "m64n8k16", 0x3f800000, f32(8), scales},
      {"f32.e4m3.e4m3", "m64n8k64", 0x38383838, f32(32), scales},
      {"s32.u8.u8", "m64n8k64", 0x01010101, 32, ""},
  };
  size_t index = 0;
  for (const Ones& form : forms) {
    const bool sparse = index++ >= 8, floats = form.types.starts_with("f32");
    const std::string type = floats ? "f32" : "b32", word = std::to_string(form.word);
    const std::string registers = form.halves ? "{%d1, %d2}" : "{%d1, %d2, %d3, %d4}";
    // 0x4444...: the first and second element of each four; of tf32 the first of each two.
    const std::string metadata = "0x44444444";
    for (const bool in_registers : {false, true}) {
      std::string behind = form.behind;
      if (in_registers && behind.size() == majors.size()) behind = scales + ", 1";
      const std::string a = in_registers ? "{%a1, %a1, %a1, %a1}" : "%rd4";
      const std::string text =
          ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
          ".reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<4>; .reg .b32 %a1; .reg ." +
          type + " %d<5>;\n.shared .align 1024 .b8 s[4096];\nld.param.u64 %rd1, [out];\n" + kThread + "mov.b32 %a1, " +
          word +
          "; shl.b32 %r5, %r1, 2; mov.u32 %r7, s; add.u32 %r7, %r7, %r5;\n"
          "L: st.shared.b32 [%r7], %a1; add.u32 %r5, %r5, 512; add.u32 %r7, %r7, 512; setp.lt.u32 %p1, %r5, 4096;\n"
          "@%p1 bra L; fence.proxy.async.shared::cta; bar.sync 0; mov.u32 %r8, s; bfe.u32 %r8, %r8, 4, 14;\n"
          "cvt.u64.u32 %rd3, %r8; or.b64 %rd4, %rd3, 0x0000001000080000; mov.b32 %r9, " +
          metadata + ";\nwgmma.fence.sync.aligned; wgmma.mma_async" + (sparse ? ".sp" : "") + ".sync.aligned." +
          form.shape + "." + form.types + " " + registers + ", " + a + ", %rd4" + (sparse ? ", %r9, 0" : "") + ", 0" +
          behind + ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; st.global." + type +
          " [%rd2], %d2;\n}\n";
      const auto stats = run(text, {1, 1, 1}, {128, 1, 1}, 128);
      ASSERT_TRUE(stats) << stats.error().message << form.types;
      for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(out[t], form.sum) << form.types << " " << form.shape << " " << t;
    }
  }
}

}  // namespace
}  // namespace bankshot::simt

// tcgen05: products into tensor memory, what moves data there, and what is refused.
#include <bit>

#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineTensorMemory : public EngineTest {
 protected:
  /// A kernel of sm_100a. Word w of shared memory `s`, 8 KiB, is the halves of 2 w and 2 w + 1, half h being h mod 8 -
  /// 3; warp 0 has allocated 64 columns at %r9. %rd4 is a descriptor of byte 0 and %rd5 one of byte 4096: K-major
  /// without swizzle, cores of a row 128 bytes apart, those of eight rows 256 bytes. `bar` is an mbarrier of one
  /// thread, %p2 is true in thread 0.
  static std::string kernel_of(const std::string& body) {
    return ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
           ".reg .b32 %r<64>; .reg .b64 %rd<32>; .reg .pred %p<8>; .reg .f32 %f<16>; .reg .b16 %h<4>;\n"
           ".shared .align 1024 .b8 s[8192]; .shared .align 8 .b64 bar; .shared .b32 place;\nld.param.u64 %rd1, "
           "[out];\n" +
           kThread +
           "setp.ne.u32 %p2, %r1, 0; setp.ge.u32 %p3, %r1, 32; shl.b32 %r5, %r1, 1; mov.u32 %r10, bar; mov.u32 %r11, "
           "place;\n"
           "L: shr.u32 %r6, %r5, 1; and.b32 %r6, %r6, 7; sub.s32 %r6, %r6, 3; cvt.rn.f16.s32 %h1, %r6;\n"
           "mov.u32 %r7, s; add.u32 %r7, %r7, %r5; st.shared.b16 [%r7], %h1; add.u32 %r5, %r5, 256;\n"
           "setp.lt.u32 %p1, %r5, 8192; @%p1 bra L; fence.proxy.async.shared::cta;\n"
           "@!%p2 mbarrier.init.shared.b64 [%r10], 1;\n"
           "@%p3 bra A; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], 64;\n"
           "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nA: bar.sync 0; ld.shared.b32 %r9, [place];\n"
           "mov.u32 %r8, s; bfe.u32 %r8, %r8, 4, 14; cvt.u64.u32 %rd3, %r8; or.b64 %rd4, %rd3, 0x0000401000080000;\n"
           "add.u64 %rd5, %rd4, 256; setp.eq.u32 %p4, %r1, %r1; setp.ne.u32 %p5, %r1, %r1;\n" +
           body + "\nbar.sync 0; @%p3 bra B; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, 64;\nB: ret;\n}\n";
  }
  /// f16, M 128, N 16, sums of f32.
  static inline const std::string kDescriptor = "mov.b32 %r12, 0x08040010;\n";
  static std::string product(const std::string& accumulates, const std::string& kind = "f16") {
    return "@!%p2 tcgen05.mma.cta_group::1.kind::" + kind + " [%r9], %rd4, %rd5, %r12, " + accumulates + ";\n";
  }
  static inline const std::string kWait =
      "@!%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r10];\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p6, [%r10], 0; @!%p6 bra W; tcgen05.fence::after_thread_sync;\n";
  /// The third sum of a row, which is a thread.
  static inline const std::string kRead =
      "and.b32 %r13, %r1, 0xffffffe0; shl.b32 %r13, %r13, 16; add.u32 %r13, %r13, %r9;\n"
      "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r20, %r21, %r22, %r23}, [%r13]; tcgen05.wait::ld.sync.aligned;\n"
      "st.global.b32 [%rd2], %r22;\n";

  static float half_at(unsigned byte) { return static_cast<float>(byte / 2 % 8) - 3; }
  static float element(unsigned start, unsigned row, unsigned k) {
    return half_at(start + row / 8 * 256 + k / 8 * 128 + row % 8 * 16 + k % 8 * 2);
  }
  static float sum(unsigned row, unsigned column) {
    float all = 0;
    for (unsigned k = 0; k < 16; ++k) all += element(0, row, k) * element(4096, column, k);
    return all;
  }
  Result<LaunchStats, Fault> run_it(const std::string& body) {
    return run(kernel_of(body), {1, 1, 1}, {128, 1, 1}, 128);
  }
  std::string message_of(const std::string& body) {
    const auto stats = run_it(body);
    return stats ? "it ran" : stats.error().message;
  }
};

TEST_F(EngineTensorMemory, a_product_of_128_rows_is_in_the_lanes) {
  const auto stats = run_it(kDescriptor + product("%p5") + kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t, 2)) << t;
  for (const SiteReport& site : stats->sites) {
    if (!site.op.starts_with("tcgen05.mma")) continue;
    EXPECT_EQ(site.counter.wavefronts, 128u / 4 + 16u / 4);  // cores of 8 rows of 16 bytes, without conflicts
  }
}

TEST_F(EngineTensorMemory, products_are_added_to_what_is_there) {
  const auto stats = run_it(kDescriptor + product("%p5") + product("%p4") + kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), 2 * sum(t, 2)) << t;
}

TEST_F(EngineTensorMemory, the_accumulator_is_shifted_first) {
  const auto stats = run_it(kDescriptor + product("%p5") + product("%p4, 3") + kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t, 2) * 1.125f) << t;
}

TEST_F(EngineTensorMemory, disabled_lanes_keep_what_they_had) {
  const auto stats = run_it(kDescriptor + product("%p5") + "mov.b32 %r30, 0; mov.b32 %r31, 2;\n" +
                            product("{%r30, %r31, %r30, %r30}, %p4") + kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t, 2) * (t == 33 ? 1 : 2)) << t;
}

TEST_F(EngineTensorMemory, a_product_of_64_rows_is_in_the_first_half_of_each_quarter) {
  const auto stats = run_it("mov.b32 %r12, 0x04040010;\n" + product("%p5") + kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) {
    if (t % 32 >= 16) continue;
    ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t / 32 * 16 + t % 16, 2)) << t;
  }
}

TEST_F(EngineTensorMemory, weight_stationary_products_lie_in_parts) {
  // M 64, N 64: columns 32 to 63 are in lanes 64 to 127. B has 64 rows: 2 KiB.
  const auto stats = run_it(
      "mov.b32 %r12, 0x04100010;\n@!%p2 tcgen05.mma.ws.cta_group::1.kind::f16.collector::b0::discard [%r9], "
      "%rd4, %rd5, %r12, %p5;\n" +
      kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t % 64, 2 + t / 64 * 32)) << t;
}

TEST_F(EngineTensorMemory, a_can_be_in_tensor_memory) {
  // Row t of A: thread t stores eight words of it behind the sums; they are those that its descriptor would name.
  const auto stats = run_it(
      kDescriptor +
      "shr.u32 %r14, %r1, 3; shl.b32 %r14, %r14, 8; and.b32 %r15, %r1, 7; shl.b32 %r15, %r15, 4; add.u32 %r14, %r14, "
      "%r15;\nmov.u32 %r15, s; add.u32 %r14, %r14, %r15; ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r14];\n"
      "ld.shared.v4.b32 {%r24, %r25, %r26, %r27}, [%r14+128]; add.u32 %r16, %r9, 32; and.b32 %r13, %r1, 0xffffffe0;\n"
      "shl.b32 %r13, %r13, 16; add.u32 %r13, %r13, %r16;\ntcgen05.st.sync.aligned.32x32b.x8.b32 [%r13], {%r20, %r21, "
      "%r22, %r23, %r24, %r25, %r26, %r27};\ntcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; "
      "bar.sync 0; tcgen05.fence::after_thread_sync;\n"
      "@!%p2 tcgen05.mma.cta_group::1.kind::f16 [%r9], [%r16], %rd5, %r12, %p5;\n" +
      kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t, 2)) << t;
}

TEST_F(EngineTensorMemory, integers_are_exact_and_halves_are_in_the_lower_16_bits) {
  // The bytes of the halves as u8.
  auto stats = run_it("mov.b32 %r12, 0x08040020;\n" + product("%p5", "i8") + kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  const auto byte = [](unsigned start, unsigned row, unsigned k) {
    const unsigned at = start + row / 8 * 256 + k / 16 * 128 + row % 8 * 16 + k % 16;
    static constexpr uint16_t kHalves[] = {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200, 0x4400};
    return static_cast<int>(kHalves[at / 2 % 8] >> (at % 2 * 8) & 0xff);
  };
  for (unsigned t = 0; t < 128; ++t) {
    int all = 0;
    for (unsigned k = 0; k < 32; ++k) all += byte(0, t, k) * byte(4096, 2, k);
    ASSERT_EQ(static_cast<int>(out[t]), all) << t;
  }
  std::string packed = kRead;
  packed.replace(packed.find("32x32b.x4.b32"), 13, "32x32b.x4.pack::16b.b32");
  stats = run_it("mov.b32 %r12, 0x08040000;\n" + product("%p5") + kWait + packed);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) {
    const auto exact = [&](unsigned column) { return static_cast<_Float16>(sum(t, column)); };
    ASSERT_EQ(out[t] & 0xffff, std::bit_cast<uint16_t>(exact(4))) << t;
    ASSERT_EQ(out[t] >> 16, std::bit_cast<uint16_t>(exact(5))) << t;
  }
}

TEST_F(EngineTensorMemory, tf32_and_bytes_are_multiplied_as_such) {
  for (const char* kind : {"tf32", "f8f6f4"}) {
    const std::string descriptor = kind == std::string("tf32") ? "0x08040910" : "0x08040010";
    const auto stats = run_it("mov.b32 %r12, " + descriptor + ";\n" + product("%p5", kind) + kWait + kRead);
    ASSERT_TRUE(stats) << stats.error().message;
    EXPECT_NE(std::bit_cast<float>(out[0]), 0) << kind;
  }
}

TEST_F(EngineTensorMemory, copies_from_shared_memory_reach_all_quarters) {
  const auto stats = run_it("@!%p2 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r9], %rd4;\n" + kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) {
    // The third word of a row of 16 bytes; cores are 256 bytes apart.
    const unsigned at = t % 32 / 8 * 256 + t % 8 * 16 + 8;
    const auto bits = [&](unsigned byte) { return std::bit_cast<uint16_t>(static_cast<_Float16>(half_at(byte))); };
    ASSERT_EQ(out[t], bits(at) | static_cast<uint32_t>(bits(at + 2)) << 16) << t;
  }
}

TEST_F(EngineTensorMemory, two_halves_of_a_shape_are_stored_and_loaded_apart) {
  // Thread t of a warp stores t in column 0 or, from thread 16 on, in column 5 of lane t mod 16.
  const auto stats = run_it(
      "and.b32 %r13, %r1, 0xffffffe0; shl.b32 %r13, %r13, 16; add.u32 %r13, %r13, %r9;\n"
      "tcgen05.st.sync.aligned.16x32bx2.x1.b32 [%r13], 5, {%r1}; tcgen05.wait::st.sync.aligned;\n"
      "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%r20, %r21}, [%r13], 4; tcgen05.wait::ld.sync.aligned;\n"
      "setp.lt.u32 %p6, %r1, 16; and.b32 %r14, %r1, 16; setp.eq.u32 %p6, %r14, 0; selp.b32 %r22, %r20, %r21, %p6;\n"
      "st.global.b32 [%rd2], %r22;\n");
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(out[t], t) << "columns 0 and 1, and 4 and 5";
}

TEST_F(EngineTensorMemory, copies_of_all_shapes_go_to_their_lanes) {
  const auto word = [](unsigned at) {
    const auto bits = [&](unsigned byte) { return std::bit_cast<uint16_t>(static_cast<_Float16>(half_at(byte))); };
    return bits(at) | static_cast<uint32_t>(bits(at + 2)) << 16;
  };
  // The third word of a row; cores of eight rows are 256 bytes apart.
  const auto of_row = [&](unsigned row) { return word(row / 8 * 256 + row % 8 * 16 + 8); };
  struct Case {
    const char* shape;
    unsigned rows, (*row)(unsigned lane);
  };
  for (const Case& c : {Case{"128x256b", 128, [](unsigned lane) { return lane; }},
                        Case{"128x128b", 128, [](unsigned lane) { return lane; }},
                        Case{"64x128b.warpx2::02_13", 64, [](unsigned lane) { return lane % 64; }},
                        Case{"64x128b.warpx2::01_23", 64, [](unsigned lane) { return lane % 32 + lane / 64 * 32; }}}) {
    const auto stats =
        run_it("@!%p2 tcgen05.cp.cta_group::1." + std::string(c.shape) + " [%r9], %rd4;\n" + kWait + kRead);
    ASSERT_TRUE(stats) << stats.error().message;
    for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(out[t], of_row(c.row(t))) << c.shape << " " << t;
  }
  const auto stats = run_it("@!%p2 tcgen05.cp.cta_group::1.4x256b [%r9], %rd4;\n" + kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; t += 32) ASSERT_EQ(out[t], of_row(t / 32)) << t;
}

TEST_F(EngineTensorMemory, other_warps_see_every_phase_of_a_barrier) {
  // Warp 0 does not wait for the others, who must not miss that a phase ends.
  const auto stats = run_it(kDescriptor + "mov.b32 %r14, 0;\nN:\n" + product("%p5") +
                            "@!%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r10];\n"
                            "and.b32 %r15, %r14, 1;\nX: mbarrier.try_wait.parity.shared.b64 %p6, [%r10], %r15; @!%p6 "
                            "bra X;\nadd.u32 %r14, %r14, 1; setp.lt.u32 %p6, %r14, 6; @%p6 bra N;\n" +
                            kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t, 2)) << t;
}

TEST_F(EngineTensorMemory, a_lane_may_commit_often_before_its_warp_goes_on) {
  const auto stats = run_it(kDescriptor +
                            "mov.b32 %r14, 0;\n"
                            "@%p2 bra E; mbarrier.inval.shared.b64 [%r10]; mbarrier.init.shared.b64 [%r10], 6;\nN:\n" +
                            "tcgen05.mma.cta_group::1.kind::f16 [%r9], %rd4, %rd5, %r12, %p5;\n"
                            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r10];\n"
                            "add.u32 %r14, %r14, 1; setp.lt.u32 %p6, %r14, 6; @%p6 bra N;\nE:\n" +
                            kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 32; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t, 2)) << t;
}

TEST_F(EngineTensorMemory, each_part_of_the_columns_has_its_own_a_in_tensor_memory) {
  // M 64, N 64, .ws: rows of ones for columns 0 to 31, of twos for the others, behind the 32 columns of the sums.
  const auto stats = run_it(
      "mov.b32 %r12, 0x04100010; setp.lt.u32 %p6, %r1, 64; selp.b32 %r20, 0x3c003c00, 0x40004000, %p6; and.b32 %r13, "
      "%r1, 0xffffffe0;\nshl.b32 %r13, %r13, 16; add.u32 %r13, %r13, %r9; tcgen05.st.sync.aligned.32x32b.x8.b32 "
      "[%r13+32], {%r20, %r20, %r20, %r20, %r20, %r20, %r20, %r20};\ntcgen05.wait::st.sync.aligned; "
      "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n"
      "@!%p2 tcgen05.mma.ws.cta_group::1.kind::f16 [%r9], [%r9+32], %rd5, %r12, %p5;\n" +
      kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) {
    float all = 0;
    for (unsigned k = 0; k < 16; ++k) all += element(4096, 2 + t / 64 * 32, k);
    ASSERT_EQ(std::bit_cast<float>(out[t]), all * (t < 64 ? 1 : 2)) << t;
  }
}

TEST_F(EngineTensorMemory, descriptors_of_wgmma_are_refused) {
  EXPECT_NE(message_of("mov.b64 %rd4, 0x0000001000080000;\n" + kDescriptor + product("%p5"))
                .find("bits 46 to 48 must be 1, but are 0: a descriptor of wgmma does not fit"),
            std::string::npos);
  EXPECT_NE(message_of("or.b64 %rd4, %rd4, 0x6000000000000000;\n@!%p2 tcgen05.cp.cta_group::1.128x128b [%r9], %rd4;\n")
                .find("the descriptor of the copy does not fit: it asks for layout 3"),
            std::string::npos);
  EXPECT_NE(message_of(kDescriptor + "add.u32 %r9, %r9, 0x10000;\n" + product("%p5")).find("D must be at lane 0 of"),
            std::string::npos);
}

TEST_F(EngineTensorMemory, a_shift_moves_lanes_down_by_one) {
  const auto stats =
      run_it(kDescriptor + product("%p5") + "@!%p2 tcgen05.shift.cta_group::1.down [%r9];\n" + kWait + kRead);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t < 31 ? t + 1 : t, 2)) << t;
}

TEST_F(EngineTensorMemory, a_pair_of_ctas_shares_a_product) {
  // M 256: the rows of each CTA are its own, the columns of B come from both.
  std::string text = kernel_of(
      "mov.b32 %r12, 0x10040010; mov.u32 %r17, %cluster_ctarank; barrier.cluster.arrive;\n"
      "barrier.cluster.wait; setp.ne.or.u32 %p7, %r17, 0, %p2; mov.b16 %h2, 3;\n"
      "@!%p7 tcgen05.mma.cta_group::2.kind::f16 [%r9], %rd4, %rd5, %r12, %p5;\n"
      "@!%p7 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::"
      "cluster.b64 [%r10], %h2;\n" +
      kWait.substr(kWait.find("W:")) + kRead + "barrier.cluster.arrive; barrier.cluster.wait;\n");
  for (size_t at = 0; (at = text.find("cta_group::1", at)) != std::string::npos;) text[at + 11] = '2';
  cluster = {2, 1, 1};
  const auto stats = run(text, {2, 1, 1}, {128, 1, 1}, 256);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 256; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t % 128, 2)) << t;
}

TEST_F(EngineTensorMemory, what_hardware_does_not_take_is_named) {
  EXPECT_NE(
      message_of("mov.b32 %r12, 0x08040c10;\n" + product("%p5")).find("type code 3 of B does not exist for .kind::f16"),
      std::string::npos);
  EXPECT_NE(message_of("mov.b32 %r12, 0x03040010;\n" + product("%p5")).find("M is 48"), std::string::npos);
  EXPECT_NE(message_of("mov.b32 %r12, 0x08200010;\n" + product("%p5"))
                .find("D is at lane 0, column 0 of tensor memory and has 128 lanes and 128 columns, but not all"),
            std::string::npos);
  EXPECT_NE(message_of("add.u32 %r13, %r9, 62; tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r20, %r21, %r22, %r23}, "
                       "[%r13];\n")
                .find("not all of these columns are allocated"),
            std::string::npos);
  EXPECT_NE(message_of("add.u32 %r13, %r9, 0x200000; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, [%r13];\n")
                .find(" of tensor memory only, but the address is lane 32, column 0"),
            std::string::npos);
  EXPECT_NE(message_of("@%p3 bra D; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, 32;\nD:\n")
                .find("no 32 columns were allocated at lane 0, column 0"),
            std::string::npos);
  EXPECT_NE(message_of("@%p3 bra D; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], 32;\nD:\n")
                .find("given up the right"),
            std::string::npos);
  EXPECT_NE(message_of(kDescriptor + "@!%p2 tcgen05.mma.cta_group::2.kind::f16 [%r9], %rd4, %rd5, %r12, %p5;\n")
                .find("launch clusters of an even number"),
            std::string::npos);
  EXPECT_NE(message_of("or.b64 %rd4, %rd4, 0xa000000000000000;\n" + kDescriptor + product("%p5"))
                .find("the descriptor of A does not fit: it asks for layout 5 (bits 61 to 63)"),
            std::string::npos);
  EXPECT_NE(
      message_of("or.b64 %rd4, %rd4, 0x2000000000000000;\n" + kDescriptor + product("%p5"))
          .find("the descriptor of A does not fit: layout 1, the 128-byte swizzle in units of 32 bytes, is for tf32"),
      std::string::npos);
}

TEST_F(EngineTensorMemory, the_lower_half_of_a_generic_address_is_a_shared_one) {
  // ThunderKittens gives tcgen05.alloc.shared::cta a pointer of 64 bits.
  std::string text = kernel_of(kDescriptor + product("%p5") + kWait + kRead);
  const std::string place = "@%p3 bra A; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], 64;";
  text.replace(text.find(place), place.size(),
               "cvt.u64.u32 %rd7, %r11; cvta.shared.u64 %rd7, %rd7; @%p3 bra A; "
               "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%rd7], 64;");
  const auto stats = run(text, {1, 1, 1}, {128, 1, 1}, 128);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t, 2)) << t;
}

TEST_F(EngineTensorMemory, what_public_kernels_rely_on_is_accepted) {
  // Lanes from 128 on, and a commit without a space whose address is that of shared memory.
  std::string read = kRead;
  read.replace(read.find("add.u32 %r13, %r13, %r9;"), 24, "add.u32 %r13, %r13, %r9; add.u32 %r13, %r13, 0x800000;");
  std::string wait = kWait;
  wait.replace(wait.find("one.shared::cluster.b64 [%r10]"), 30, "one.b64 [%rd8]");
  const auto stats = run_it("cvt.u64.u32 %rd8, %r10;\n" + kDescriptor + product("%p5") + wait + read);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) ASSERT_EQ(std::bit_cast<float>(out[t]), sum(t, 2)) << t;
}

TEST_F(EngineTensorMemory, columns_that_nobody_frees_are_not_waited_for) {
  std::string text = kernel_of("");
  text.replace(text.find("[%r11], 64;"), 11,
               "[%r11], 512; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], 64;");
  const auto stats = run(text, {1, 1, 1}, {128, 1, 1}, 128);
  ASSERT_FALSE(stats);
  EXPECT_NE(stats.error().message.find("512 of 512 are allocated, and no warp frees them"), std::string::npos)
      << stats.error().message;
}

TEST_F(EngineTensorMemory, mistakes_in_the_text_are_refused_at_their_place) {
  const auto refused = [&](const std::string& body) { return refusal(kernel_of(body)); };
  EXPECT_NE(refused("tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r20}, [%r9];").find("has no .x64"), std::string::npos);
  EXPECT_NE(refused("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r20}, [%r9];").find("expected 2 registers"),
            std::string::npos);
  EXPECT_NE(refused("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, [%rd4];").find("a register of 32 bits"),
            std::string::npos);
  EXPECT_NE(refused("tcgen05.mma.cta_group::1.kind::f16 [%r9], %rd4, %rd5, %r12, %p5, 16;").find("0 to 15, found 16"),
            std::string::npos);
  EXPECT_NE(refused("tcgen05.mma.cta_group::1.kind::f16 [%r9], %rd4, %rd5, %r12, {%r20, %r21}, %p5;")
                .find("expected 4 registers"),
            std::string::npos);
}

}  // namespace
}  // namespace bankshot::simt

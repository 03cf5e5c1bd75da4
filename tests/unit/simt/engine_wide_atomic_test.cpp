// Atomics of 128 bits and of vectors; memory that a thread takes of its stack; instructions that there are not.
#include <bit>

#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

using EngineWideAtomic = EngineTest;

TEST_F(EngineWideAtomic, vectors_of_floats_are_added_element_by_element) {
  // 64 threads add (1, 2, 4, 8) to the same 16 bytes; each gets what was there before.
  const auto result =
      run(kernel(kThread +
                 "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f40800000; mov.f32 %f4, 0f41000000;"
                 "atom.global.add.v4.f32 {%f5, %f6, %f7, _}, [%rd1], {%f1, %f2, %f3, %f4}; "
                 "red.relaxed.gpu.global.add.v2.f32 [%rd1+16], {%f2, %f4};"
                 "mul.f32 %f8, %f5, 0f40800000; setp.eq.f32 %p1, %f8, %f7; selp.u32 %r5, 1, 0, %p1; st.global.u32 "
                 "[%rd2+64], %r5; ret;"),
          {2}, {32}, 128);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->parallel);
  const float expected[] = {64, 128, 256, 512, 128, 512};
  for (size_t k = 0; k < 6; ++k) EXPECT_EQ(std::bit_cast<float>(out[k]), expected[k]) << k;
  for (size_t k = 0; k < 64; ++k) EXPECT_EQ(out[16 + k], 1u) << "all elements are of one moment";
}

TEST_F(EngineWideAtomic, vectors_of_halves_have_sums_and_extrema) {
  // f16: 1 = 0x3c00, 2 = 0x4000, 3 = 0x4200, -1 = 0xbc00.
  const auto result = run(
      kernel(
          ".reg .b16 %h<8>; mov.b16 %h1, 0x3c00; mov.b16 %h2, 0xbc00; mov.u32 %r5, 0x40003c00; mov.u32 %r6, 0xbc004200;"
          "red.global.add.noftz.v4.f16 [%rd1], {%h1, %h1, %h2, %h1}; red.global.min.noftz.v2.f16x2 [%rd1+8], {%r5, "
          "%r6};"
          "red.global.max.noftz.v2.bf16 [%rd1+16], {%h1, %h2}; ret;"),
      {1}, {2}, 16);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[0], 0x40004000u);
  EXPECT_EQ(out[1], 0x4000c000u);
  EXPECT_EQ(out[2], 0u) << "the lesser of 0, and 1 and 2";
  EXPECT_EQ(out[3], 0xbc000000u);
  EXPECT_EQ(out[4], 0x00003c00u);
}

TEST_F(EngineWideAtomic, sixteen_bytes_are_exchanged_and_compared) {
  // Lane 0 compares with what is there, lane 1 with what is not there any more; then both exchange in shared memory.
  const auto result = run(
      kernel(
          ".reg .b128 %q<6>; .shared .align 16 .b8 s[16];" + kThread +
          "cvt.u64.u32 %rd3, %r1; add.u64 %rd4, %rd3, 5; mov.b128 %q1, {%rd3, %rd3}; mov.b128 %q2, {%rd4, 7};"
          "atom.global.cas.b128 %q3, [%rd1], %q1, %q2; mov.b128 {%rd5, %rd6}, %q3; atom.shared.exch.b128 %q4, [s], %q2;"
          "mov.b128 {%rd7, %rd8}, %q4; mul.wide.u32 %rd9, %r1, 32; add.u64 %rd9, %rd9, %rd1; st.global.v2.u64 "
          "[%rd9+64], {%rd5, %rd6};"
          "st.global.v2.u64 [%rd9+80], {%rd7, %rd8}; ret;"),
      {1}, {2}, 64);
  ASSERT_TRUE(result) << result.error().message;
  const auto at = [&](size_t word) { return out[word] | uint64_t{out[word + 1]} << 32; };
  EXPECT_EQ(at(0), 5u);
  EXPECT_EQ(at(2), 7u);
  EXPECT_EQ(at(16), 0u);  // lane 0 saw zeros, and wrote
  EXPECT_EQ(at(18), 0u);
  EXPECT_EQ(at(24), 5u);  // lane 1 saw that
  EXPECT_EQ(at(26), 7u);
  EXPECT_EQ(at(20), 0u);
  EXPECT_EQ(at(28), 5u);  // and in shared memory what lane 0 left
  EXPECT_EQ(at(30), 7u);
  EXPECT_EQ(result->sites.at(0).counter.accesses, 1u);
}

TEST_F(EngineWideAtomic, sixteen_bytes_go_through_one_register_in_every_space) {
  // (t, 1, 2, 3) from global over shared, generic shared and local memory back to global memory; of odd lanes only,
  // guarded.
  const auto result =
      run(kernel(".reg .b128 %q<8>; .shared .align 16 .b8 s[512]; .local .align 16 .b8 l[16];" + kThread +
                 "mul.wide.u32 %rd9, %r1, 16; add.u64 %rd9, %rd9, %rd1; mov.u32 %r5, 1; mov.u32 %r6, 2; mov.u32 %r7, 3;"
                 "st.global.v4.u32 [%rd9], {%r1, %r5, %r6, %r7}; ld.global.b128 %q1, [%rd9];"
                 "mov.u32 %r8, s; mad.lo.u32 %r8, %r1, 16, %r8; st.shared.b128 [%r8], %q1; cvt.u64.u32 %rd3, %r8;"
                 "cvta.shared.u64 %rd3, %rd3; ld.b128 %q2, [%rd3]; st.local.b128 [l], %q2; ld.local.b128 %q3, [l];"
                 "and.b32 %r9, %r1, 1; setp.eq.u32 %p1, %r9, 1; @%p1 st.global.b128 [%rd9+512], %q3; ret;"),
          {1}, {32}, 256);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->parallel);
  for (uint32_t t = 0; t < 32; ++t) {
    for (uint32_t k = 0; k < 4; ++k) EXPECT_EQ(out[128 + 4 * t + k], t % 2 == 0 ? 0 : k == 0 ? t : k) << t << ' ' << k;
  }
  ASSERT_EQ(result->sites.size(), 2u);
  for (const SiteReport& site : result->sites) {
    EXPECT_EQ(site.width, 16u);
    EXPECT_EQ(site.counter.wavefronts, 4u) << "eight lanes at a time: docs/wavefronts.md";
    EXPECT_EQ(site.counter.ideal, 4u);
  }
}

TEST_F(EngineWideAtomic, a_strong_load_of_sixteen_bytes_keeps_ctas_in_one_order) {
  const auto result = run(kernel(".reg .b128 %q<2>; ld.relaxed.gpu.global.b128 %q1, [%rd1]; "
                                 "st.release.gpu.global.b128 [%rd1], %q1; ret;"),
                          {2}, {32}, 4);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->parallel);
}

TEST_F(EngineWideAtomic, sixteen_bytes_in_one_register_are_aligned) {
  const auto result = run(kernel(".reg .b128 %q<2>; ld.global.b128 %q1, [%rd1+8]; ret;"), {1}, {1}, 16);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::misaligned);
}

TEST_F(EngineWideAtomic, rejects_vectors_of_more_than_sixteen_bytes) {
  const auto refused = [&](const std::string& text) {
    return !refusal(kernel(".reg .b16 %h<9>; .reg .f32 %g<9>;" + text + " ret;")).empty();
  };
  EXPECT_TRUE(refused("red.global.add.v8.f32 [%rd1], {%g1, %g2, %g3, %g4, %g5, %g6, %g7, %g8};"));
  EXPECT_FALSE(refused("red.global.add.noftz.v8.f16 [%rd1], {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8};"));
  EXPECT_TRUE(refused("red.global.add.v8.f16 [%rd1], {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8};")) << ".noftz";
  EXPECT_TRUE(refused("red.global.min.v2.f32 [%rd1], {%g1, %g2};"));
  EXPECT_TRUE(refused(".reg .b128 %q<3>; ld.global.v2.b128 {%q1, %q2}, [%rd1];"));
}

TEST_F(EngineWideAtomic, what_is_misaligned_is_told) {
  const auto result = run(kernel("red.global.add.v4.f32 [%rd1+8], {%f1, %f1, %f1, %f1}; ret;"), {1}, {1}, 16);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::misaligned);
}

using EngineAlloca = EngineTest;

TEST_F(EngineAlloca, threads_take_different_amounts) {
  // Thread t takes 4 (t + 1) bytes twice, fills both with its number and sums them; between, what it saved is restored.
  const auto result = run(kernel(kThread + "add.u32 %r5, %r1, 1; shl.b32 %r6, %r5, 2; cvt.u64.u32 %rd3, %r6; "
                                           "stacksave.u64 %rd9; alloca.u64 %rd4, %rd3, 16; "
                                           "alloca.u64 %rd5, %rd3; mov.u32 %r7, 0;\n"
                                           "F: mul.wide.u32 %rd6, %r7, 4; add.u64 %rd7, %rd4, %rd6; st.local.u32 "
                                           "[%rd7], %r1; cvta.local.u64 %rd8, %rd5; add.u64 %rd8, %rd8, "
                                           "%rd6; st.u32 [%rd8], 100; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, %r5; "
                                           "@%p1 bra F; mov.u32 %r8, 0; mov.u32 %r7, 0;\n"
                                           "G: mul.wide.u32 %rd6, %r7, 4; add.u64 %rd7, %rd4, %rd6; ld.local.u32 %r9, "
                                           "[%rd7]; add.u32 %r8, %r8, %r9; add.u64 %rd7, %rd5, "
                                           "%rd6; ld.local.u32 %r9, [%rd7]; add.u32 %r8, %r8, %r9; add.u32 %r7, %r7, "
                                           "1; setp.lt.u32 %p1, %r7, %r5; @%p1 bra G;"
                                           "stackrestore.u64 %rd9; alloca.u64 %rd10, %rd3, 16; setp.eq.u64 %p2, %rd10, "
                                           "%rd4; selp.u32 %r10, 1000000, 0, %p2;"
                                           "add.u32 %r8, %r8, %r10; st.global.u32 [%rd2], %r8; ret;"),
                          {2}, {40}, 80);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 80; ++i) EXPECT_EQ(out[i], 1000000 + (i % 40 + 1) * (i % 40 + 100)) << i;
}

TEST_F(EngineAlloca, every_cta_and_every_launch_begins_with_an_empty_stack) {
  // 40,000 of the 64 KiB, never given back: there is no room for it twice.
  const std::string takes = kernel(kThread +
                                   "alloca.u64 %rd3, 40000; st.local.u32 [%rd3], %r4; ld.local.u32 %r5, [%rd3]; "
                                   "st.global.u32 [%rd2], %r5; ret;");
  // A kernel that only asks where the stack ends.
  const std::string asks = kernel(".local .align 16 .b8 own[48]; stacksave.u64 %rd3; st.global.u64 [%rd1], %rd3; ret;");
  ASSERT_TRUE(run(asks, {1}, {1}, 2));
  const std::vector<uint32_t> end = out;
  const auto result = run(takes, {3}, {40}, 120);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 120; ++i) EXPECT_EQ(out[i], i);
  ASSERT_TRUE(run(asks, {1}, {1}, 2));
  EXPECT_EQ(out, end);
}

TEST_F(EngineAlloca, a_return_gives_back_what_the_function_took) {
  // 2,000 calls of a function that takes 1,000 bytes of the 64 KiB, and of odd lanes 500 more before they return early.
  // What the kernel itself has taken stays, and is where it was.
  const std::string f =
      ".func (.param .b32 r) f(.param .b32 n) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .local .align 4 "
      ".b8 own[4];"
      "ld.param.b32 %r1, [n]; st.local.u32 [own], %r1; alloca.u64 %rd1, 1000, 8; st.local.u32 [%rd1+996], %r1;"
      "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra E; alloca.u64 %rd2, 500; ld.local.u32 %r3, [%rd2]; "
      "st.local.u32 [%rd2], 7;"
      "add.u32 %r1, %r1, %r3; st.param.b32 [r], %r1; ret;\n"
      "E: ld.local.u32 %r4, [own]; ld.local.u32 %r5, [%rd1+996]; add.u32 %r6, %r4, %r5; st.param.b32 [r], %r6; ret; "
      "}\n";
  const auto result = run(
      kernel(
          kThread +
              "alloca.u64 %rd3, 16; st.local.u32 [%rd3], %r1; mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
              "L: { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f, (a); ld.param.b32 %r7, [b]; }\n"
              "add.u32 %r6, %r6, %r7; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 2000; @%p1 bra L;"
              "alloca.u64 %rd4, 16; sub.u64 %rd5, %rd3, %rd4; cvt.u32.u64 %r8, %rd5; ld.local.u32 %r9, [%rd3];"
              "mad.lo.u32 %r6, %r9, 100000, %r6; add.u32 %r6, %r6, %r8; st.global.u32 [%rd2], %r6; ret;",
          f),
      {1}, {32}, 32);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t * 100000 + 2000 * (t % 2 == 0 ? 2 * t : t) + 16) << t;
}

TEST_F(EngineAlloca, functions_that_call_themselves_keep_what_they_took) {
  // f(n) takes 16 (n + 1) bytes, writes n at their end, calls f(n - 1) twice if n > 0, and returns the sum of what is
  // there still.
  const std::string f =
      ".func (.param .b32 r) f(.param .b32 n);\n"
      ".func (.param .b32 r) f(.param .b32 n) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;"
      "ld.param.b32 %r1, [n]; add.u32 %r2, %r1, 1; mul.wide.u32 %rd1, %r2, 16; alloca.u64 %rd2, %rd1; add.u64 %rd3, "
      "%rd2, %rd1;"
      "st.local.u32 [%rd3+-4], %r1; setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, 0; @%p1 bra E; sub.u32 %r4, %r1, 1;"
      "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call (b), f, (a); ld.param.b32 %r5, [b]; }"
      "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call (b), f, (a); ld.param.b32 %r6, [b]; } add.u32 %r3, "
      "%r5, %r6;\n"
      "E: ld.local.u32 %r7, [%rd3+-4]; add.u32 %r3, %r3, %r7; st.param.b32 [r], %r3; ret; }\n";
  const auto result =
      run(kernel(kThread + "and.b32 %r5, %r1, 7; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r5; call (b), f, "
                           "(a); ld.param.b32 %r6, [b]; } st.global.u32 [%rd2], %r6; ret;",
                 f),
          {1}, {32}, 32);
  ASSERT_TRUE(result) << result.error().message;
  // f(n) = n + 2 f(n - 1): 0, 1, 4, 11, 26, 57, 120, 247.
  const uint32_t expected[] = {0, 1, 4, 11, 26, 57, 120, 247};
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], expected[t % 8]) << t;
}

TEST_F(EngineAlloca, alignments_are_powers_of_two_up_to_2_to_the_23) {
  const auto with = [&](const std::string& alignment) {
    return kernel(
        kThread + ".local .align 4 .b8 own[4]; st.local.u32 [own], %r1; alloca.u64 %rd3, 8; alloca.u64 %rd4, 24, " +
        alignment +
        "; st.local.u64 [%rd4], %rd3; cvta.local.u64 %rd5, %rd4; or.b64 %rd5, %rd5, %rd4; cvt.u32.u64 %r5, %rd5;"
        "st.global.u32 [%rd2], %r5; ret;");
  };
  const auto result = run(with("16384"), {1}, {32}, 32);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t] % 16384, 0u) << t << ": the generic address, too";
  EXPECT_NE(out[0], 0u);
  const auto no_room = run(with("8388608"), {1}, {32}, 32);
  ASSERT_FALSE(no_room) << "the stack has 64 KiB, and a frame stands at its start";
  EXPECT_EQ(no_room.error().kind, Fault::Kind::out_of_local);
  EXPECT_NE(no_room.error().message.find("alloca of 24 bytes aligned to 8388608"), std::string::npos)
      << no_room.error().message;
  EXPECT_NE(refusal(with("16777216")).find("power of two up to 2^23"), std::string::npos);
  EXPECT_NE(refusal(with("24")).find("power of two up to 2^23"), std::string::npos);
}

TEST_F(EngineAlloca, rejects_transactions_beside_it) {
  const std::string text =
      refusal(kernel(".pragma \"bankshot.tx_begin\"; .pragma \"bankshot.tx_commit\"; alloca.u64 %rd3, 16; ret;"));
  EXPECT_NE(text.find("alloca in a module with transactions is not supported"), std::string::npos) << text;
}

TEST_F(EngineAlloca, rejects_more_than_the_stack_has) {
  const auto result =
      run(kernel("mov.u64 %rd3, 100000; alloca.u64 %rd4, %rd3, 16; st.global.u64 [%rd1], %rd4; ret;"), {1}, {32}, 64);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::out_of_local);
  EXPECT_NE(result.error().message.find("alloca of 100000 bytes"), std::string::npos) << result.error().message;
}

TEST_F(EngineTest, rejects_what_ptx_has_and_we_have_not_by_what_it_is) {
  const auto says = [&](const std::string& text, const std::string& what, const std::string& remedy) {
    const std::string told = refusal(kernel(".reg .b16 %h<9>; " + text + " ret;"));
    EXPECT_NE(told.find(what), std::string::npos) << told;
    EXPECT_NE(told.find(remedy), std::string::npos) << told;
  };
  says("add.rs.f16x2 %r1, %r2, %r3, %r4;", "stochastic rounding", "sm_90 or older");
  says("tensormap.replace.tile.interleave_layout.global.b1024.b32 [%rd1], 1;",
       ".interleave_layout of a tensor map is 0 to 0 here, not 1", "Interleaved layouts");
  says("tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], 16;", "is 0 to 15 here, not 16", "");
  says("mma.nonsense.sync %r1, %r2, %r3, %r4;", "unknown modifier '.nonsense' of 'mma'", "docs/ptx.md");
}

}  // namespace
}  // namespace bankshot::simt

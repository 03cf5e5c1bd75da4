// Clusters of CTAs: who is where, shared memory of others, the barrier, asynchronous stores. Expected values are worked
// by hand.
#include <algorithm>

#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineCluster : public EngineTest {
 protected:
  EngineCluster() { cluster = {4}; }
  Fault fault_of(const std::string& body, Dim3 grid = {4}, Dim3 block = {32}) {
    const auto result = run(kernel(kShared + kThread + kRank + body + "ret;"), grid, block, 1024);
    EXPECT_FALSE(result) << body;
    return result ? Fault{} : result.error();
  }
  static inline const std::string kShared = ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar;\n";
  /// %r5 = rank, %r6 = the next one's, %r20 = s, %r21 = bar
  static inline const std::string kRank =
      "mov.u32 %r5, %cluster_ctarank; add.u32 %r6, %r5, 1; and.b32 %r6, %r6, 3; mov.u32 %r20, s; mov.u32 %r21, bar;\n";
  static inline const std::string kSync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
};

TEST_F(EngineCluster, registers_tell_where_a_cta_is) {
  cluster = {2, 3, 1};
  const std::string body =
      "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z; mad.lo.u32 %r4, %r3, 6, %r2; mad.lo.u32 "
      "%r4, %r4, 4, "
      "%r1; mul.wide.u32 %rd2, %r4, 64; add.u64 %rd2, %rd2, %rd1;"
      "mov.u32 %r5, %cluster_ctaid.x; mov.u32 %r6, %cluster_ctaid.y; mov.u32 %r7, %cluster_ctaid.z; mov.u32 %r8, "
      "%cluster_ctarank;"
      "mov.u32 %r9, %cluster_nctaid.x; mov.u32 %r10, %cluster_nctaid.y; mov.u32 %r11, %cluster_nctaid.z; mov.u32 %r12, "
      "%cluster_nctarank;"
      "mov.u32 %r13, %clusterid.x; mov.u32 %r14, %clusterid.y; mov.u32 %r15, %clusterid.z; mov.u32 %r16, %nclusterid.x;"
      "mov.u32 %r17, %nclusterid.y; mov.u32 %r18, %nclusterid.z; mov.pred %p1, %is_explicit_cluster; selp.u32 %r19, 1, "
      "0, %p1;"
      "st.global.v4.u32 [%rd2], {%r5, %r6, %r7, %r8}; st.global.v4.u32 [%rd2+16], {%r9, %r10, %r11, %r12};"
      "st.global.v4.u32 [%rd2+32], {%r13, %r14, %r15, %r16}; st.global.v4.u32 [%rd2+48], {%r17, %r18, %r19, 0}; ret;";
  const auto result = run(kernel(body), {4, 6, 2}, {1}, 48 * 16);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->parallel);
  for (uint32_t z = 0; z < 2; ++z) {
    for (uint32_t y = 0; y < 6; ++y) {
      for (uint32_t x = 0; x < 4; ++x) {
        const uint32_t* const at = out.data() + ((z * 6 + y) * 4 + x) * 16;
        const std::vector<uint32_t> expected = {x % 2, y % 3, 0, x % 2 + 2 * (y % 3), 2, 3, 1, 6, x / 2, y / 3, z, 2, 2,
                                                2,     1,     0};
        EXPECT_EQ(std::vector<uint32_t>(at, at + 16), expected) << x << ' ' << y << ' ' << z;
      }
    }
  }
}

TEST_F(EngineCluster, a_cta_without_cluster_is_one) {
  cluster = {};
  const auto result =
      run(kernel(kThread + kSync +
                 "mov.u32 %r5, %cluster_nctarank; mov.pred %p1, %is_explicit_cluster; selp.u32 %r6, 10, 20, %p1;"
                 "add.u32 %r5, %r5, %r6; st.global.u32 [%rd2], %r5; ret;"),
          {2}, {64}, 128);
  ASSERT_TRUE(result) << result.error().message;
  for (const uint32_t word : out) EXPECT_EQ(word, 21u);
}

TEST_F(EngineCluster, threads_that_have_ended_do_not_hold_up_its_barrier) {
  // The first warp waits when the others end: their end completes the phase, twice.
  const auto result = run(kernel(kThread + "setp.ge.u32 %p1, %r1, 64; @%p1 ret;" + kSync +
                                 "setp.ge.u32 %p1, %r1, 32; @%p1 ret;" + kSync + "st.global.u32 [%rd2], 1; ret;"),
                          {8}, {96}, 8 * 96);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i % 96 < 32 ? 1u : 0u) << i;
}

TEST_F(EngineCluster, loads_stores_and_atomics_reach_others) {
  // Each thread stores into the next CTA, adds into that of rank 0, and reads what the one before stored into its own.
  const auto result = run(kernel(kShared + kThread + kRank +
                                 "shl.b32 %r7, %r1, 2; add.u32 %r8, %r20, %r7; mapa.shared::cluster.u32 %r9, %r8, %r6; "
                                 "mul.lo.u32 %r10, %r5, 100;"
                                 "add.u32 %r10, %r10, %r1;" +
                                 kSync +
                                 "st.shared::cluster.u32 [%r9], %r10; mapa.shared::cluster.u32 %r11, %r20, 0;"
                                 "atom.relaxed.cluster.shared::cluster.add.u32 %r12, [%r11+512], 1; "
                                 "red.relaxed.cluster.shared::cluster.max.u32 [%r11+516], %r10;" +
                                 kSync +
                                 "ld.shared.u32 %r13, [%r8]; ld.shared::cluster.u32 %r14, [%r11+512]; "
                                 "ld.shared::cluster.u32 %r15, [%r11+516];" +
                                 kSync +
                                 "mul.wide.u32 %rd3, %r4, 16; add.u64 %rd3, %rd3, %rd1; st.global.v4.u32 [%rd3], "
                                 "{%r13, %r14, %r15, %r12}; ret;"),
                          {8}, {64}, 8 * 64 * 4);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->parallel) << result->why_serial;
  std::vector<bool> seen(256);
  for (uint32_t cta = 0; cta < 8; ++cta) {
    for (uint32_t thread = 0; thread < 64; ++thread) {
      const uint32_t* const got = out.data() + (cta * 64 + thread) * 4;
      EXPECT_EQ(got[0], (cta + 3) % 4 * 100 + thread);
      EXPECT_EQ(got[1], 256u);
      EXPECT_EQ(got[2], 363u);
      if (cta < 4) {
        ASSERT_LT(got[3], 256u);
        seen[got[3]] = true;
      }
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 256);
}

TEST_F(EngineCluster, generic_addresses_reach_others) {
  const auto result = run(
      kernel(kShared + kThread + kRank +
             "cvt.u64.u32 %rd4, %r20; cvta.shared.u64 %rd4, %rd4; mapa.u64 %rd5, %rd4, %r6; mapa.u64 %rd6, %rd4, %r5;"
             "setp.eq.u32 %p1, %r1, 0; @%p1 st.u32 [%rd5], %r5;" +
             kSync +
             "ld.u32 %r7, [%rd4]; ld.u32 %r8, [%rd6]; getctarank.u64 %r9, %rd5; getctarank.u64 %r10, %rd4;"
             "isspacep.shared::cta %p2, %rd5; isspacep.shared::cluster %p3, %rd5; isspacep.shared::cta %p4, %rd6; "
             "isspacep.shared %p5, %rd4;"
             "isspacep.global %p6, %rd5; selp.u32 %r11, 1, 0, %p2; selp.u32 %r12, 2, 0, %p3; or.b32 %r11, %r11, %r12;"
             "selp.u32 %r12, 4, 0, %p4; or.b32 %r11, %r11, %r12; selp.u32 %r12, 8, 0, %p5; or.b32 %r11, %r11, %r12;"
             "selp.u32 %r12, 16, 0, %p6; or.b32 %r11, %r11, %r12; shl.b32 %r10, %r10, 4; or.b32 %r9, %r9, %r10;"
             "mul.wide.u32 %rd3, %r4, 16; add.u64 %rd3, %rd3, %rd1; st.global.v4.u32 [%rd3], {%r7, %r8, %r9, %r11};" +
             kSync + "ret;"),
      {4}, {32}, 4 * 32 * 4);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t rank = 0; rank < 4; ++rank) {
    const uint32_t* const got = out.data() + (rank * 32 + 5) * 4;
    EXPECT_EQ(got[0], (rank + 3) % 4);
    EXPECT_EQ(got[1], (rank + 3) % 4);
    EXPECT_EQ(got[2], (rank + 1) % 4 | rank << 4);
    EXPECT_EQ(got[3], 2u + 4 + 8);
  }
}

TEST_F(EngineCluster, own_addresses_have_the_rank) {
  // A CTA clears bit 24 of its own address to name the even CTA of its pair, and what is loaded by its own addresses,
  // static, dynamic and generic, is its own.
  std::string text = kernel(
      kShared + ".extern .shared .align 16 .b8 d[];\n" + kThread + kRank +
      "and.b32 %r7, %r20, 0xfeffffff; shl.b32 %r8, %r5, 2; add.u32 %r7, %r7, %r8; add.u32 %r9, %r5, 10;\n"
      "setp.eq.u32 %p1, %r1, 0; @%p1 st.shared::cluster.u32 [%r7+512], %r9; mov.u32 %r22, d; @%p1 st.shared.u32 "
      "[%r22], "
      "%r5; cvt.u64.u32 %rd4, %r22; cvta.shared.u64 %rd4, %rd4;\n" +
      kSync +
      "xor.b32 %r23, %r20, 0x3000000; getctarank.shared::cluster.u32 %r24, %r23; getctarank.shared::cluster.u32 %r10, "
      "%r20; ld.u32 %r11, [%rd4]; shl.b32 %r24, %r24, 16; or.b32 %r11, %r11, %r24; shl.b32 %r10, %r10, 8; or.b32 %r11, "
      "%r11, %r10;\n"
      "ld.shared.u32 %r12, [s+512]; ld.shared.u32 %r13, [s+516]; ld.shared.v2.u32 {%r14, %r15}, [%r20+520];\n"
      "atom.shared.add.u32 %r16, [%r22+4], 1; and.b32 %r17, %r20, 0xffffff; ld.shared.u32 %r18, [%r17+512];\n"
      "sub.u32 %r18, %r18, %r12; or.b32 %r11, %r11, %r18;\n"
      "mul.wide.u32 %rd3, %r4, 32; add.u64 %rd3, %rd3, %rd1; st.global.v4.u32 [%rd3], {%r11, %r12, %r13, %r14}; "
      "st.global.v2.u32 [%rd3+16], {%r15, %r16};" +
      kSync + "ret;");
  text.replace(text.find("sm_80"), 5, "sm_90");
  const auto result = run(text, {4}, {32}, 4 * 32 * 8, 64);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t rank = 0; rank < 4; ++rank) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t* const got = out.data() + (rank * 32 + lane) * 8;
      const bool even = rank % 2 == 0;  // its words 128 + rank and the next one
      EXPECT_EQ(got[0], rank | rank << 8 | (rank ^ 3) << 16);
      const uint32_t expected[] = {rank == 0 ? 10u : 0, rank == 0 ? 11u : 0, rank == 2 ? 12u : 0, rank == 2 ? 13u : 0};
      for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(got[1 + k], even ? expected[k] : 0) << rank << ", " << k;
      EXPECT_EQ(got[5], lane);
    }
  }
}

TEST_F(EngineCluster, accesses_to_several_ctas_are_counted_by_cta) {
  // Lanes of a warp go to one word of each of the four CTAs: all in bank 0, but four memories. In one CTA it is a
  // conflict.
  const auto body = [](const std::string& where) {
    return kernel(kShared + kThread + kRank + "and.b32 %r7, %r1, 3; shl.b32 %r8, %r7, 7; add.u32 %r8, %r8, %r20;" +
                  where + kSync + "ld.shared::cluster.u32 %r10, [%r9]; st.global.u32 [%rd2], %r10;" + kSync + "ret;");
  };
  auto result = run(body("mapa.shared::cluster.u32 %r9, %r8, %r7;"), {4}, {32}, 128);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->sites.at(0).counter.accesses, 16u);
  EXPECT_EQ(result->sites.at(0).counter.wavefronts, 16u);
  result = run(body("mapa.shared::cluster.u32 %r9, %r8, 2;"), {4}, {32}, 128);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->sites.at(0).counter.accesses, 4u);
  EXPECT_EQ(result->sites.at(0).counter.wavefronts, 16u);
}

TEST_F(EngineCluster, a_barrier_takes_all_that_live) {
  // Of each CTA warp 1 ends at once, and one lane of warp 0; CTA 3 ends before all others arrive for the second time.
  const auto result =
      run(kernel(kShared + kThread + kRank +
                 "setp.ge.u32 %p1, %r1, 32; @%p1 exit; setp.eq.u32 %p2, %r1, 7; @%p2 exit; mapa.shared::cluster.u32 "
                 "%r9, %r20, 0;"
                 "red.shared::cluster.add.u32 [%r9], 1; barrier.cluster.arrive.release; barrier.cluster.wait.acquire;"
                 "ld.shared::cluster.u32 %r10, [%r9]; st.global.u32 [%rd2], %r10; setp.eq.u32 %p3, %r5, 3; @%p3 exit;"
                 "barrier.cluster.arrive.relaxed; barrier.cluster.wait; ret;"),
          {4}, {64}, 256);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(out[i], i % 64 >= 32 || i % 64 == 7 ? 0u : 124u) << i;
}

TEST_F(EngineCluster, barriers_on_others_are_told_of_stores) {
  // Each CTA waits for 32 stores of 8 bytes by the one before, and for 32 additions.
  const std::string wait =
      "W$: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r21], $; @!%p1 bra W$;\n";
  const auto phase = [&](const std::string& which) {
    std::string text = wait;
    for (size_t at; (at = text.find('$')) != std::string::npos;) text.replace(at, 1, which);
    return text;
  };
  const auto result = run(
      kernel(kShared + kThread + kRank +
             "setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.init.shared::cta.b64 [%r21], 1; "
             "fence.mbarrier_init.release.cluster;" +
             kSync +
             "mapa.shared::cluster.u32 %r7, %r20, %r6; mapa.shared::cluster.u32 %r8, %r21, %r6; shl.b32 %r9, %r1, 3; "
             "add.u32 %r9, %r9, %r7;"
             "@%p2 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r21], 256; mul.lo.u32 %r10, %r5, 1000; "
             "add.u32 %r10, %r10, %r1;"
             "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r9], {%r10, 77}, [%r8];" +
             phase("0") +
             "shl.b32 %r11, %r1, 3; add.u32 %r11, %r11, %r20; ld.shared.v2.u32 {%r12, %r13}, [%r11];"
             "@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r21], 128;" +
             kSync +
             "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r7+512], %r1, [%r8];" +
             phase("1") +
             "ld.shared.u32 %r14, [%r20+512]; mul.wide.u32 %rd3, %r4, 16; add.u64 %rd3, %rd3, %rd1;"
             "st.global.v4.u32 [%rd3], {%r12, %r13, %r14, 0};" +
             kSync + "ret;"),
      {4}, {32}, 4 * 32 * 4);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t cta = 0; cta < 4; ++cta) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t* const got = out.data() + (cta * 32 + lane) * 4;
      EXPECT_EQ(got[0], (cta + 3) % 4 * 1000 + lane);
      EXPECT_EQ(got[1], 77u);
      EXPECT_EQ(got[2], 31u * 32 / 2);
    }
  }
}

TEST_F(EngineCluster, arrivals_and_bulk_copies_reach_others) {
  // The next CTA's barrier expects an arrival by this one and 256 bytes, which come out of this one's shared memory;
  // then rank 0 copies 128 bytes of global memory to ranks 1 and 3.
  const std::string wait = ": mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r21], ";
  const auto result = run(
      kernel(
          kShared + kThread + kRank +
              "setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.init.shared::cta.b64 [%r21], 2; mad.lo.u32 %r7, %r1, 8, %r20;"
              "mad.lo.u32 %r8, %r5, 64, %r1; st.shared.v2.u32 [%r7], {%r8, 5}; cvt.u64.u32 %rd5, %r1; st.global.u32 "
              "[%rd2], %r8;" +
              kSync +
              "mapa.shared::cluster.u32 %r9, %r20, %r6; mapa.shared::cluster.u32 %r10, %r21, %r6;"
              "@!%p2 bra WAIT; mbarrier.arrive.expect_tx.shared.b64 _, [%r21], 256; "
              "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];"
              "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r9+512], [%r20], 256, [%r10];\n"
              "WAIT" +
              wait + "0; @!%p1 bra WAIT; mad.lo.u32 %r11, %r1, 8, %r20; ld.shared.u32 %r12, [%r11+512];" + kSync +
              "@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r21], 128; @%p2 mbarrier.arrive.shared.b64 _, [%r21];" +
              kSync +
              "setp.ne.u32 %p3, %r5, 0; @%p3 bra SECOND; @!%p2 bra SECOND; "
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r20], [%rd1], "
              "128, [%r21], 10;\n"
              "SECOND: and.b32 %r14, %r5, 1; setp.eq.u32 %p4, %r14, 0; mov.u32 %r15, 0; @%p4 bra DONE;\n"
              "THEN" +
              wait +
              "1; @!%p1 bra THEN; mad.lo.u32 %r16, %r1, 4, %r20; ld.shared.u32 %r15, [%r16];\n"
              "DONE: mul.wide.u32 %rd3, %r4, 8; add.u64 %rd3, %rd3, %rd1; st.global.v2.u32 [%rd3+1024], {%r12, %r15};" +
              kSync + "ret;",
          ""),
      {4}, {32}, 256 + 256);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t cta = 0; cta < 4; ++cta) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t* const got = out.data() + 256 + (cta * 32 + lane) * 2;
      EXPECT_EQ(got[0], (cta + 3) % 4 * 64 + lane);
      EXPECT_EQ(got[1], cta % 2 == 1 ? lane : 0u);
    }
  }
}

TEST_F(EngineCluster, results_do_not_depend_on_threads_or_instruction_set) {
  const std::string text = kernel(kShared + kThread + kRank +
                                  "mapa.shared::cluster.u32 %r9, %r20, %r6; mov.u32 %r10, 0;\n"
                                  "LOOP: atom.shared::cluster.add.u32 %r11, [%r9], %r1; mad.lo.u32 %r12, %r11, 31, "
                                  "%r10; and.b32 %r13, %r12, 127; shl.b32 %r13, %r13, 2;"
                                  "add.u32 %r13, %r13, %r9; atom.shared::cluster.exch.b32 %r14, [%r13+4], %r12; "
                                  "add.u32 %r10, %r10, 1; xor.b32 %r12, %r12, %r14;"
                                  "setp.lt.u32 %p1, %r10, 5; @%p1 bra LOOP;" +
                                  kSync + "st.global.u32 [%rd2], %r12; ret;");
  std::vector<uint32_t> first;
  for (const char* isa : {"portable", "avx2", "avx512"}) {
    for (const unsigned threads : {1u, 3u}) {
      EngineOptions options;
      options.threads = threads;
      options.isa = isa;
      Engine engine(options);
      auto program = engine.load(text, "test.ptx");
      ASSERT_TRUE(program);
      const uint64_t buffer = *engine.memory().allocate(4 * 64 * 16, MemoryKind::device);
      LaunchConfig config;
      config.grid = {16};
      config.block = {64};
      config.cluster = {4};
      config.params = std::as_bytes(std::span(&buffer, 1));
      const auto result = engine.launch(**program, "k", config);
      ASSERT_TRUE(result) << result.error().message;
      std::vector<uint32_t> words(64 * 16);
      std::memcpy(words.data(), reinterpret_cast<const void*>(buffer), words.size() * 4);
      if (first.empty()) first = words;
      EXPECT_EQ(words, first) << isa << ' ' << threads;
    }
  }
}

TEST_F(EngineCluster, rejects_what_is_not_there) {
  EXPECT_NE(fault_of("mapa.shared::cluster.u32 %r9, %r20, 4;").message.find("rank 4 in a cluster of 4 CTAs"),
            std::string::npos);
  EXPECT_NE(fault_of("mov.u32 %r9, 335544320; ld.shared::cluster.u32 %r10, [%r9];")
                .message.find("shared memory of rank 4 in a cluster of 4"),
            std::string::npos);
  EXPECT_NE(fault_of("mapa.shared::cluster.u32 %r9, %r20, %r6; st.shared::cluster.u32 [%r9+4096], 1;" + kSync)
                .message.find("of shared memory"),
            std::string::npos);
  EXPECT_NE(fault_of("mapa.u64 %rd5, %rd1, 1;").message.find("not an address of shared memory"), std::string::npos);
}

TEST_F(EngineCluster, rejects_what_is_a_multiple_of_16_mib_too_far_where_no_address_has_a_rank) {
  cluster = {};
  for (const char* access :
       {"ld.shared.u32 %r10, [%r20+16777216];", "st.shared.u32 [%r20+16777216], %r1;",
        "st.shared.v2.u32 [%r20+33554432], {%r1, %r1};", "atom.shared.add.u32 %r10, [%r20+16777216], 1;",
        "red.shared.add.u32 [%r20+268435456], 1;", "cp.async.ca.shared.global [%r20+16777216], [%rd1], 4;",
        "mbarrier.init.shared.b64 [%r21+16777216], 1;",
        "mov.u64 %rd5, s; cvta.shared.u64 %rd5, %rd5; ld.u32 %r10, [%rd5+16777216];",
        "mov.u64 %rd5, s; cvta.shared.u64 %rd5, %rd5; atom.add.u32 %r10, [%rd5+16777216], 1;"}) {
    const Fault fault = fault_of(access);
    EXPECT_EQ(fault.kind, Fault::Kind::out_of_shared) << access << fault.message;
    EXPECT_NE(fault.message.find("but the CTA has 1032 bytes of shared memory"), std::string::npos)
        << access << fault.message;
  }
}

TEST_F(EngineCluster, a_cta_without_cluster_may_name_itself_by_rank) {
  cluster = {};
  const auto result = run(kernel(kShared + kThread + kRank +
                                 "mapa.shared::cluster.u32 %r9, %r20, 0; mad.lo.u32 %r9, %r1, 4, %r9;"
                                 "st.shared::cluster.u32 [%r9], %r1; xor.b32 %r10, %r1, 1; mad.lo.u32 %r10, "
                                 "%r10, 4, %r20; ld.shared.u32 %r11, [%r10]; st.global.u32 [%rd2], %r11; ret;"),
                          {2}, {32}, 64);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], (t % 32) ^ 1) << t;
}

TEST_F(EngineCluster, rejects_access_to_a_cta_that_has_ended) {
  const Fault fault = fault_of(
      "setp.ne.u32 %p1, %r5, 0; @%p1 exit; mov.u32 %r7, 100;\nW: sub.u32 %r7, %r7, 1; nanosleep.u32 10;"
      "setp.ne.u32 %p2, %r7, 0; @%p2 bra W; mapa.shared::cluster.u32 %r9, %r20, 1; ld.shared::cluster.u32 %r10, "
      "[%r9];");
  EXPECT_NE(fault.message.find("the CTA of rank 1, whose shared memory this is, has ended"), std::string::npos)
      << fault.message;
}

TEST_F(EngineCluster, rejects_barriers_out_of_step) {
  EXPECT_NE(fault_of("barrier.cluster.wait;").message.find("without having arrived"), std::string::npos);
  EXPECT_NE(fault_of("barrier.cluster.arrive; barrier.cluster.arrive;").message.find("before it has waited"),
            std::string::npos);
  // Rank 2 waits at a barrier of its own that nobody else comes to.
  const Fault stuck = fault_of("setp.eq.u32 %p1, %r5, 2; @%p1 bar.sync 1, 64;" + kSync);
  EXPECT_NE(stuck.message.find("all live warps of the CTA are blocked"), std::string::npos) << stuck.message;
}

TEST_F(EngineCluster, kernels_say_what_clusters_they_want) {
  const auto program = engine().load(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry a() .explicitcluster .reqnctapercluster 2, 1, 3 "
      "{ ret; }\n"
      ".visible .entry b() .maxclusterrank 4 { ret; }\n",
      "test.ptx");
  ASSERT_TRUE(program);
  const auto& all = kernels(**program);
  EXPECT_EQ(all[0].required_cluster, (std::array<uint32_t, 3>{2, 1, 3}));
  EXPECT_TRUE(all[0].explicit_cluster);
  EXPECT_EQ(all[1].most_cluster, 4u);
  EXPECT_FALSE(all[1].explicit_cluster);
}

}  // namespace
}  // namespace bankshot::simt

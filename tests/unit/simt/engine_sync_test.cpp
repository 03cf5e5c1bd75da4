// Barriers, warp-wide synchronisation, shared memory, faults, determinism.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineSync : public EngineTest {};

TEST_F(EngineSync, a_barrier_makes_shared_memory_visible) {
  ASSERT_TRUE(
      run(kernel(kThread +
                 ".shared .b32 s[128]; shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.u32 %r5, %r6, %r5;"
                 "st.shared.u32 [%r5], %r1; bar.sync 0; mov.u32 %r7, 127; sub.u32 %r7, %r7, %r1; shl.b32 %r7, %r7, 2;"
                 "add.u32 %r7, %r6, %r7; ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd2], %r8; ret;"),
          {2}, {128}, 256));
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(out[i], 127 - i % 128);
}

TEST_F(EngineSync, dynamic_shared_memory_starts_behind_static) {
  const std::string text = kernel(kThread +
                                      ".shared .b32 s[5]; mov.u32 %r5, dyn; st.global.u32 [%rd2], %r5;"
                                      "st.shared.u32 [%r5+60], %r1; ld.shared.u32 %r6, [dyn+60]; ret;",
                                  ".extern .shared .align 16 .b8 dyn[];");
  ASSERT_TRUE(run(text, {1}, {1}, 1, 64));
  EXPECT_EQ(out[0], 32u);  // 20 bytes, rounded up to 16
  EXPECT_FALSE(run(text, {1}, {1}, 1, 60));
}

TEST_F(EngineSync, barriers_reduce_predicates) {
  for (const std::string name : {"bar", "barrier.cta"}) {
    ASSERT_TRUE(
        run(kernel(kThread + "setp.lt.u32 %p1, %r1, 40; " + name + ".red.popc.u32 %r5, 0, %p1; " + name +
                   ".red.and.pred %p2, 0, %p1;" + name +
                   ".red.or.pred %p3, 0, %p1; selp.u32 %r6, 1000, 0, %p2; "
                   "selp.u32 %r7, 2000, 0, %p3; add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7; st.global.u32 [%rd2], "
                   "%r5; ret;"),
            {1}, {96}, 96));
    for (uint32_t i = 0; i < 96; ++i) EXPECT_EQ(out[i], 2040u) << name;
  }
}

TEST_F(EngineSync, named_barriers_with_counts_hand_over) {
  // Warp 0 produces and only arrives, warp 1 waits.
  ASSERT_TRUE(
      run(kernel(kThread +
                 ".shared .b32 s[1]; setp.lt.u32 %p1, %r1, 32; @%p1 bra P; bar.sync 3, 64; ld.shared.u32 %r5, [s];"
                 "st.global.u32 [%rd2], %r5; ret; P: mov.u32 %r6, 77; st.shared.u32 [s], %r6; bar.arrive 3, 64; ret;"),
          {1}, {64}, 64));
  EXPECT_EQ(out[0], 0u);
  for (uint32_t i = 32; i < 64; ++i) EXPECT_EQ(out[i], 77u);
}

TEST_F(EngineSync, exited_threads_do_not_hold_up_a_barrier) {
  ASSERT_TRUE(run(kernel(kThread + "setp.ge.u32 %p1, %r1, 40; @%p1 ret; bar.sync 0; st.global.u32 [%rd2], 1; ret;"),
                  {1}, {96}, 96));
  for (uint32_t i = 0; i < 96; ++i) EXPECT_EQ(out[i], i < 40 ? 1u : 0u);
}

TEST_F(EngineSync, who_has_arrived_is_forgotten_with_the_cta) {
  // CTA 0 leaves half of what barrier 5 waits for behind; CTA 1 stands where it stood.
  options.threads = 1;
  const auto result =
      run(kernel(kThread + "setp.eq.u32 %p1, %r2, 0; @%p1 bra A; bar.sync 5, 64; ret; A: bar.arrive 5, 64; ret;"), {2},
          {32}, 64);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::divergent_barrier);
}

TEST_F(EngineSync, halves_of_a_warp_may_come_to_different_barriers) {
  // Volta counts threads: both halves arrive at barrier 0, at different places.
  ASSERT_TRUE(run(kernel(kThread + "setp.lt.u32 %p1, %r1, 16; @%p1 bra A; barrier.sync 0; bra B; A: barrier.sync 0; B:"
                                   "st.global.u32 [%rd2], 1; ret;"),
                  {1}, {32}, 32));
  EXPECT_EQ(out[0] + out[31], 2u);
}

TEST_F(EngineSync, warp_instructions_wait_for_diverged_lanes) {
  // The lower half comes to the shuffle by a detour.
  ASSERT_TRUE(
      run(kernel(kThread + "mov.u32 %r5, %r1; setp.lt.u32 %p1, %r1, 16; @%p1 bra A; bra S; A: add.u32 %r5, %r5, 100; S:"
                           "shfl.sync.bfly.b32 %r6, %r5, 16, 31, 0xffffffff; st.global.u32 [%rd2], %r6; ret;"),
          {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 16 ? i + 16 : i - 16 + 100);
}

TEST_F(EngineSync, syncwarp_joins_lanes_that_stand_apart) {
  ASSERT_TRUE(
      run(kernel(kThread +
                 ".shared .b32 s[32]; shl.b32 %r5, %r1, 2; mov.u32 %r8, s; add.u32 %r5, %r5, %r8;"
                 "setp.lt.u32 %p1, %r1, 16; @%p1 bra A; st.shared.u32 [%r5], %r1; bar.warp.sync 0xffffffff; bra B;"
                 "A: bar.warp.sync 0xffffffff; ld.shared.u32 %r6, [%r5+64]; st.global.u32 [%rd2], %r6; B: ret;"),
          {1}, {32}, 32));
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(out[i], i + 16);
}

TEST_F(EngineSync, a_barrier_nobody_else_reaches_is_reported_with_places) {
  const auto result = run(
      kernel(kThread + "setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 1; ret; A: bar.sync 2; ret;"), {1}, {64}, 64);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::divergent_barrier);
  EXPECT_NE(result.error().message.find("warp 0 lanes 0-31 at bar.sync"), std::string::npos) << result.error().message;
  EXPECT_NE(result.error().message.find("warp 1 lanes 0-31 at bar.sync"), std::string::npos);
}

TEST_F(EngineSync, a_shuffle_that_waits_for_a_lane_at_a_barrier_is_a_deadlock) {
  const auto result =
      run(kernel(kThread + "setp.eq.u32 %p1, %r1, 0; @%p1 bra A; shfl.sync.idx.b32 %r6, %r1, 0, 31, 0xffffffff; ret;"
                           "A: bar.sync 0; ret;"),
          {1}, {32}, 32);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("lanes 1-31 at shfl.sync.idx.b32"), std::string::npos)
      << result.error().message;
}

TEST_F(EngineSync, faults_name_kernel_place_thread_and_address) {
  const auto result =
      run(kernel(kThread + "setp.ne.u32 %p1, %r1, 37; @%p1 ret; st.global.u32 [%rd1+400], %r1; ret;"), {2}, {64}, 100);
  ASSERT_FALSE(result);
  const Fault& fault = result.error();
  EXPECT_EQ(fault.kind, Fault::Kind::illegal_address);
  EXPECT_EQ(fault.cta.x, 0u);
  EXPECT_EQ(fault.thread.x, 37u);
  EXPECT_EQ(fault.kernel, "k");
  EXPECT_NE(fault.message.find("just past the end of an allocation of 400 bytes"), std::string::npos) << fault.message;
  EXPECT_NE(fault.message.find("st.global.u32"), std::string::npos);
}

TEST_F(EngineSync, misaligned_and_wild_shared_accesses_are_faults) {
  auto result = run(kernel("ld.global.u32 %r1, [%rd1+2]; ret;"), {1}, {1}, 4);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::misaligned);
  result = run(kernel(".shared .b32 s[4]; mov.u32 %r1, s; ld.shared.u32 %r2, [%r1+16]; ret;"), {1}, {1}, 4);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::out_of_shared);
}

TEST_F(EngineSync, use_after_free_is_named) {
  const uint64_t gone = *engine().memory().allocate(64, MemoryKind::device);
  engine().memory().free(gone);
  const auto result =
      run(kernel("mov.u64 %rd5, " + std::to_string(gone) + "; ld.global.u32 %r1, [%rd5+8]; ret;"), {1}, {1}, 4);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("that was freed"), std::string::npos) << result.error().message;
}

TEST_F(EngineSync, generic_addresses_reach_every_space) {
  ASSERT_TRUE(run(
      kernel(kThread +
             ".shared .b32 s[32]; .local .b32 l[4]; mov.u32 %r5, s; cvt.u64.u32 %rd5, %r5; cvta.shared.u64 %rd6, %rd5;"
             "mul.wide.u32 %rd7, %r1, 4; add.u64 %rd6, %rd6, %rd7; st.u32 [%rd6], %r1; mov.u64 %rd8, l; cvta.local.u64 "
             "%rd9, %rd8;"
             "st.u32 [%rd9+8], 5; ld.local.u32 %r6, [l+8]; add.u32 %r7, %r6, 0; ld.shared.u32 %r8, [s+28]; add.u32 "
             "%r7, %r7, %r8;"
             "st.u32 [%rd2], %r7; ret;"),
      {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 12u);
}

TEST_F(EngineSync, conflicts_are_counted_at_their_instruction) {
  const auto result = run(
      kernel(kThread +
             ".shared .b32 s[1024]; mul.lo.u32 %r5, %r1, 128; mov.u32 %r6, s; add.u32 %r5, %r5, %r6;"
             "ld.shared.u32 %r7, [%r5]; shl.b32 %r8, %r1, 2; add.u32 %r8, %r8, %r6; st.shared.u32 [%r8], %r7; ret;"),
      {2}, {32}, 64);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->sites.size(), 2u);
  EXPECT_EQ(result->sites[0].op, "ld.shared.u32");
  EXPECT_EQ(result->sites[0].counter.accesses, 2u);
  EXPECT_EQ(result->sites[0].counter.wavefronts, 64u);
  EXPECT_EQ(result->sites[0].counter.degree_max, 32u);
  EXPECT_EQ(result->sites[1].counter.wavefronts, 2u);
}

TEST_F(EngineSync, a_line_of_the_toolkit_or_of_our_headers_is_reported_where_it_was_called) {
  for (const std::string header :
       {"/usr/local/cuda/include/device_functions.hpp", "/opt/include/bankshot/tm.cuh", "include/bankshot/tm.cuh",
        "/home/me/include/mine.cuh", "/home/me/bankshot/mine.cuh"}) {
    const bool mine = header.ends_with("mine.cuh");
    const std::string text =
        kernel(
            ".shared .b32 s[32]; .loc 1 10 3\n mov.u32 %r1, s; .loc 1 12 5\n mov.u32 %r2, s;"
            ".loc 2 99 7, function_name f, inlined_at 1 12 5\n atom.shared.add.u32 %r3, [%r1], 1; ret;") +
        ".file 1 \"/home/me/app.cu\"\n.file 2 \"" + header + "\"\n.section .debug_str { f: .b8 0 }\n";
    const auto result = run(text, {1}, {32}, 32);
    ASSERT_TRUE(result);
    ASSERT_EQ(result->sites.size(), 1u);
    EXPECT_EQ(result->sites[0].source.file, mine ? header : "/home/me/app.cu");
    EXPECT_EQ(result->sites[0].source.line, mine ? 99u : 12u);
  }
}

TEST_F(EngineSync, what_has_line_0_belongs_to_the_line_before_or_to_the_functions_first) {
  const std::string store = "st.shared.u32 [s], 1;\n";
  const std::string text = kernel(".shared .b32 s[32];\n.loc 1 0 3\n" + store + "{ .loc 2 7 3\n" + store +
                                  "}.loc 1 0 5\n" + store + ".loc 1 9 5\n" + store + ".loc 1 0 5\n" + store + "ret;") +
                           ".file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n";
  const auto result = run(text, {1}, {32}, 32);
  ASSERT_TRUE(result);
  std::vector<std::string> places;
  for (const auto& site : result->sites) places.push_back(site.source.file + ":" + std::to_string(site.source.line));
  EXPECT_EQ(places, (std::vector<std::string>{"b.cuh:7", "b.cuh:7", "b.cuh:7", "a.cu:9", "a.cu:9"}));
}

TEST_F(EngineSync, results_and_counters_do_not_depend_on_host_threads) {
  const std::string text =
      kernel(kThread +
             ".shared .b32 s[256]; mul.lo.u32 %r5, %r1, %r2; and.b32 %r5, %r5, 255; shl.b32 %r5, %r5, 2;"
             "mov.u32 %r6, s; add.u32 %r5, %r5, %r6; atom.shared.add.u32 %r7, [%r5], %r1; bar.sync 0;"
             "ld.shared.u32 %r8, [%r5]; red.global.add.u32 [%rd1+0], %r8; mov.u32 %r9, %clock; add.u32 %r8, %r8, %r9;"
             "st.global.u32 [%rd2+4], %r8; ret;");
  std::vector<uint32_t> first;
  uint64_t instructions = 0, wavefronts = 0;
  for (unsigned threads : {1u, 2u, 3u}) {
    EngineOptions own;
    own.threads = threads;
    Engine other(own);
    auto program = other.load(text, "test.ptx");
    ASSERT_TRUE(program);
    const size_t words = 100 * 96 + 1;
    const uint64_t buffer = *other.memory().allocate(words * 4, MemoryKind::device);
    LaunchConfig config;
    config.grid = {100};
    config.block = {96};
    config.params = std::as_bytes(std::span(&buffer, 1));
    const auto stats = other.launch(**program, "k", config);
    ASSERT_TRUE(stats) << stats.error().message;
    EXPECT_TRUE(stats->parallel);
    const auto* data = reinterpret_cast<const uint32_t*>(buffer);
    const std::vector<uint32_t> now(data, data + words);
    uint64_t sum = 0;
    for (const SiteReport& site : stats->sites) sum += site.counter.wavefronts;
    if (first.empty()) {
      first = now;
      instructions = stats->warp_instructions;
      wavefronts = sum;
    }
    EXPECT_EQ(first, now) << threads;
    EXPECT_EQ(instructions, stats->warp_instructions);
    EXPECT_EQ(wavefronts, sum);
  }
}

TEST_F(EngineSync, a_shuffle_goes_on_when_the_lanes_it_waits_for_have_returned) {
  ASSERT_TRUE(run(kernel(kThread + "setp.lt.u32 %p1, %r1, 5; @%p1 ret; shfl.sync.idx.b32 %r6, %r1, 9, 31, 0xffffffff;"
                                   "bar.warp.sync 0xffffffff; st.global.u32 [%rd2], %r6; ret;"),
                  {1}, {32}, 32));
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 5 ? 0u : 9u);
}

TEST_F(EngineSync, addresses_that_wrap_are_faults) {
  auto result = run(kernel("mov.u64 %rd5, -4; ld.global.u32 %r1, [%rd5]; ret;"), {1}, {32}, 4);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::illegal_address);
  result =
      run(kernel("st.global.u32 [%rd1], 1; mov.u64 %rd5, -4; atom.global.add.u32 %r1, [%rd5], 1; ret;"), {1}, {1}, 4);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::illegal_address);
  result = run(kernel(".local .b32 l[4]; st.local.u32 [l+-4], 7; ret;"), {1}, {1}, 4);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::out_of_local);
}

TEST_F(EngineSync, rejects_calls_that_do_not_fit_their_callee) {
  EXPECT_NE(refusal(kernel("{ .param .b32 x; st.param.b32 [x], %r1; call.uni f, (x); } ret;", ".func f() { ret; }\n"))
                .find("does not fit the parameters of 'f'"),
            std::string::npos);
}

TEST_F(EngineSync, rejects_what_cannot_run_when_the_module_loads) {
  const std::string message = refusal(kernel("multimax.red.relaxed.gpu.global.add.f32 [%rd1], %f1; ret;"));
  EXPECT_NE(message.find("'multimax' is not supported (in kernel k)"), std::string::npos) << message;
  EXPECT_NE(message.find("test.ptx:8:1"), std::string::npos) << message;
  for (const std::string text : {"add.u32 _, %r1, 4;", "mov.u32 _, %r1;", "add.f16 _, %h1, %h1;",
                                 "cvt.u32.u64 _, %rd1;", "vote.sync.ballot.b32 _, %p1, -1;"}) {
    EXPECT_NE(refusal(kernel(".reg .b16 %h<3>; " + text + " ret;")).find("needs a register to write, not '_'"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(refusal(kernel("add.u32 %r1, %rd1, 4; ret;")).find("32 bits are needed"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::simt

// Clocks without a timing model: instructions, and what looks take in loops that only wait.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

using EngineClock = EngineTest;

/// Waits for %r5 million clocks, and stores the clocks (%rd5) that it took. `inside` stands in the loop.
std::string waiting(uint32_t millions, const std::string& inside = {}) {
  return "mov.u32 %r5, " + std::to_string(millions) +
         "; mul.wide.u32 %rd3, %r5, 1000000; mov.u64 %rd4, %clock64;\n"
         "L: " +
         inside + " mov.u64 %rd5, %clock64; sub.u64 %rd5, %rd5, %rd4; setp.lt.u64 %p1, %rd5, %rd3; @%p1 bra L;\n";
}
const std::string kStore = "st.global.u64 [%rd2], %rd5; ret;";
/// %rd2 = &out[2 t] for the t-th thread of all
const std::string kTwoWords = "sub.u64 %rd2, %rd2, %rd1; shl.b64 %rd2, %rd2, 1; add.u64 %rd2, %rd2, %rd1;";

TEST_F(EngineClock, a_loop_that_only_waits_ends_in_time_and_soon) {
  const auto result = run(kernel(kThread + kTwoWords + waiting(1000) + kStore), {3}, {64}, 3 * 64 * 2);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->parallel);
  EXPECT_LT(result->warp_instructions, 15'000'000u) << "of 3 000 000 000 clocks";
  for (size_t t = 0; t < 3 * 64; ++t) {
    const uint64_t clocks = out[2 * t] | uint64_t{out[2 * t + 1]} << 32;
    EXPECT_GE(clocks, 1'000'000'000u) << t;
    EXPECT_LT(clocks, 1'000'000'000u + 10'000) << t << ": both warps may look in vain before";
  }
}

TEST_F(EngineClock, other_clocks_count_instructions) {
  // One warp. A look in a loop that stores, two looks in one, and none in a loop: a clock is an instruction.
  const std::string begin = kThread + "mov.u32 %r6, 0; mov.u32 %r7, 0;\n";
  const std::string count = "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 100; @%p1 bra L;\n";
  const auto last_less_first = [&](const std::string& body) {
    const auto result = run(kernel(begin + body + "st.global.u32 [%rd2], %r9; ret;"), {1}, {32}, 32);
    EXPECT_TRUE(result) << body;
    return out[0];
  };
  EXPECT_EQ(last_less_first("mov.u32 %r8, %clock; mov.u32 %r9, %clock; sub.u32 %r9, %r9, %r8;"), 1u);
  EXPECT_EQ(last_less_first("mov.u32 %r8, %clock;\nL: st.global.u32 [%rd2], %r6; mov.u32 %r9, %clock;" + count +
                            "sub.u32 %r9, %r9, %r8;"),
            2u + 99 * 5);
  EXPECT_EQ(last_less_first("mov.u32 %r7, %clock;\nL: mov.u32 %r8, %clock; mov.u32 %r9, %clock;" + count +
                            "sub.u32 %r9, %r9, %r7;"),
            2u + 99 * 5);
  EXPECT_EQ(last_less_first("mov.u32 %r8, %clock;\nL: " + count + "mov.u32 %r9, %clock; sub.u32 %r9, %r9, %r8;"),
            1u + 100 * 3);
}

TEST_F(EngineClock, ctas_that_see_each_other_have_one_time) {
  // An atomic with a result makes them do so: then each clock is an instruction of all.
  const auto result = run(
      kernel(
          kThread + kTwoWords + "atom.global.add.u32 %r9, [%rd1+1000], 1; add.u32 %r10, %r9, 1;\n" +
          "mov.u64 %rd4, %clock64;\nL: mov.u64 %rd5, %clock64; sub.u64 %rd5, %rd5, %rd4; setp.lt.u64 %p1, %rd5, 5000;"
          "@%p1 bra L;\n" +
          kStore),
      {1}, {32}, 256);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->parallel);
  EXPECT_GT(result->warp_instructions, 5000u);
  EXPECT_LT(out[0], 5004u);
}

TEST_F(EngineClock, waits_do_not_depend_on_threads_or_instruction_set) {
  std::vector<uint32_t> first;
  for (const char* isa : {"portable", "avx2", "avx512"}) {
    for (const unsigned threads : {1u, 3u}) {
      EngineOptions options;
      options.isa = isa;
      options.threads = threads;
      Engine engine(options);
      auto program =
          engine.load(kernel(kThread + kTwoWords + waiting(1, "add.u32 %r7, %r7, %r1;") + kStore), "test.ptx");
      ASSERT_TRUE(program);
      const uint64_t buffer = *engine.memory().allocate(8 * 8 * 96, MemoryKind::device);
      LaunchConfig config;
      config.grid = {8};
      config.block = {96};
      config.params = std::as_bytes(std::span(&buffer, 1));
      const auto result = engine.launch(**program, "k", config);
      ASSERT_TRUE(result) << result.error().message;
      std::vector<uint32_t> words(2 * 8 * 96);
      std::memcpy(words.data(), reinterpret_cast<const void*>(buffer), words.size() * 4);
      if (first.empty()) first = words;
      EXPECT_EQ(words, first) << isa << ' ' << threads;
    }
  }
}

}  // namespace
}  // namespace bankshot::simt

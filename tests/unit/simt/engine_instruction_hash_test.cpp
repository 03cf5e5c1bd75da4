// Hashes of single instructions: each is counted under its own, and a word that it is not for is a fault.
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "tests/unit/simt/engine_harness.hpp"

namespace bankshot::simt {
namespace {

class InstructionHashTest : public EngineTest {
 protected:
  /// Lane l stores to word 32 l of `a` and of `b`, 1,024 words each: 32 wavefronts each without a hash.
  /// PTX lines 9 and 10 are the stores.
  static std::string text(const std::string& more = {}) {
    return kernel(
        ".shared .align 128 .b8 a[4096];\n.shared .align 128 .b8 b[4096];\n"
        "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 7;\n"
        "st.shared.u32 [%r2], %r1;\n"
        "st.shared.u32 [%r2+4096], %r1;\n" +
        more + "ret;");
  }
  uint32_t line_of(const std::string& of, const std::string& what) {
    return static_cast<uint32_t>(1 +
                                 std::count(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.find(what)), '\n'));
  }
  InstructionHash hash(const std::string& spec, scratchpad::WordRange words, uint32_t line) {
    InstructionHash one{options.machine.scratchpad, {words}, {line}};
    EXPECT_FALSE(scratchpad::set_bank_hash(one.rules, spec));
    return one;
  }
  Result<LaunchStats, Fault> launch(const std::string& of, std::vector<InstructionHash> hashes) {
    auto program = engine().load(of, "test.ptx");
    EXPECT_TRUE(program);
    set_hashes(**program, "k", options.machine.scratchpad, std::move(hashes));
    const uint64_t buffer = *engine().memory().allocate(4, MemoryKind::device);
    LaunchConfig config;
    config.block = {32, 1, 1};
    config.params = std::as_bytes(std::span(&buffer, 1));
    return engine().launch(**program, "k", config);
  }
};

TEST_F(InstructionHashTest, each_counts_under_its_own) {
  const std::string of = text();
  const auto stats = launch(of, {hash("xor", {0, 1024}, line_of(of, "st.shared.u32 [%r2],"))});
  ASSERT_TRUE(stats) << stats.error().message;
  ASSERT_EQ(stats->sites.size(), 2u);
  EXPECT_EQ(stats->sites[0].counter.wavefronts, 1u);
  EXPECT_EQ(stats->sites[1].counter.wavefronts, 32u);
}

TEST_F(InstructionHashTest, a_word_of_others_is_a_fault) {
  const std::string of = text();
  const auto stats = launch(of, {hash("xor", {0, 1023}, line_of(of, "st.shared.u32 [%r2],")),
                                 hash("xor", {1024, 2000}, line_of(of, "st.shared.u32 [%r2+4096],"))});
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().kind, Fault::Kind::foreign_words);
  EXPECT_TRUE(stats.error().message.starts_with("word 2016 of shared memory is outside the words of this instruction"))
      << stats.error().message;
}

TEST_F(InstructionHashTest, an_instruction_without_one_must_keep_off_their_words) {
  const std::string of = text("ld.shared.u32 %r3, [%r2+64];\n");
  const auto stats = launch(of, {hash("xor", {0, 1024}, line_of(of, "st.shared.u32 [%r2],"))});
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().kind, Fault::Kind::foreign_words);
}

// bits 3 to 7 choose the bank: words 0 to 255 are one block, in which words 0 to 127 are moved among the others.
TEST_F(InstructionHashTest, an_instruction_without_one_must_keep_off_the_whole_block) {
  const std::string of = kernel(
      ".shared .align 128 .b8 a[4096];\nmov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;\n"
      "st.shared.u32 [%r2], %r1;\n"
      "st.shared.u32 [%r2+512], %r1;\nret;");
  const auto stats = launch(of, {hash("perm:3", {0, 128}, line_of(of, "st.shared.u32 [%r2],"))});
  ASSERT_FALSE(stats);
  EXPECT_EQ(stats.error().kind, Fault::Kind::foreign_words);
  EXPECT_TRUE(launch(of, {hash("xor", {0, 128}, line_of(of, "st.shared.u32 [%r2],"))}));
}

}  // namespace
}  // namespace bankshot::simt

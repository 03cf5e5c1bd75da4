// Which instructions share words of shared memory: by where addresses come from, and by what the analysis tells.
#include "bankshot/regions/split.hpp"

#include <gtest/gtest.h>

#include "bankshot/ptx/lookup.hpp"
#include "tests/unit/ptx/ptx_helpers.hpp"

namespace bankshot::regions {
namespace {

constexpr uint32_t kEnd = 1u << scratchpad::kMaxAddressBits;

/// Arrays `a` at byte 0 and `b` at 4,096, each of 4,096 bytes, and dynamic shared memory behind them.
std::string text_of(const std::string& body, const std::string& before = {}) {
  return ptx::kHeader + ".extern .shared .align 16 .b8 dynamic[];\n" + before +
         ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .pred %p<8>;\n"
         ".shared .align 128 .b8 a[4096];\n.shared .align 128 .b8 b[4096];\n"
         "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;\n" +
         body + "\nret;\n}\n";
}

Result<std::vector<Part>> split_of(const std::string& text, uint32_t threads = 0) {
  const ptx::Module module = ptx::parsed(text);
  const Layout layout{{{"a", 0}, {"b", 4096}}, 8192};
  std::optional<analysis::Kernel> walked;
  if (threads != 0) {
    analysis::Launch launch;
    launch.block = {threads, 1, 1};
    launch.grid = analysis::Extent{};
    Result<analysis::Kernel> found = analysis::analyse(module, "k", launch, {});
    EXPECT_TRUE(found);
    if (found) walked = std::move(*found);
  }
  return split(module, *ptx::find_kernel(module, "k"), layout, 32, walked ? &*walked : nullptr);
}

const std::string kTwo =
    "mov.u32 %r3, a; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;\n"
    "mov.u32 %r5, b; add.u32 %r6, %r5, %r2; st.shared.u32 [%r6], %r1;\n"
    "ld.shared.u32 %r7, [%r4];\n";

TEST(RegionsSplit, instructions_on_two_arrays_are_in_two_parts) {
  const auto parts = split_of(text_of(kTwo));
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ((*parts)[0].arrays, std::vector<std::string>{"a"});
  EXPECT_EQ((*parts)[0].words, (scratchpad::WordRanges{{0, 1024}}));
  ASSERT_EQ((*parts)[0].instructions.size(), 2u);
  EXPECT_EQ((*parts)[0].instructions[0].op, "st.shared.u32");
  EXPECT_EQ((*parts)[0].instructions[1].op, "ld.shared.u32");
  EXPECT_FALSE((*parts)[0].instructions[0].by_walk);
  EXPECT_EQ((*parts)[1].words, (scratchpad::WordRanges{{1024, 2048}}));
  EXPECT_EQ((*parts)[1].instructions.size(), 1u);
}

TEST(RegionsSplit, an_address_that_may_be_of_either_array_joins_them) {
  const auto parts =
      split_of(text_of(kTwo + "setp.eq.u32 %p1, %r1, 0; selp.b32 %r8, %r4, %r6, %p1; ld.shared.u32 %r9, [%r8];"));
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 1u);
  EXPECT_EQ((*parts)[0].words, (scratchpad::WordRanges{{0, 2048}}));
  EXPECT_EQ((*parts)[0].instructions.size(), 4u);
}

TEST(RegionsSplit, an_address_of_no_array_may_be_anywhere) {
  const auto parts = split_of(text_of(kTwo + "ld.shared.u32 %r9, [%r2];"));
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 1u);
  EXPECT_EQ((*parts)[0].words, (scratchpad::WordRanges{{0, kEnd}}));
}

// The address of `a` is stored: what reads it back, and uses it as a generic address, may access `a`, but not `b`.
TEST(RegionsSplit, an_address_that_escapes_comes_back_by_any_generic_access) {
  const auto parts = split_of(
      text_of(kTwo +
              "cvt.u64.u32 %rd1, %r4; cvta.shared.u64 %rd2, %rd1; ld.param.u64 %rd3, [p]; st.global.u64 [%rd3], %rd2;\n"
              "ld.global.u64 %rd4, [%rd3]; ld.u32 %r9, [%rd4];"));
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ((*parts)[0].instructions.size(), 3u);
  EXPECT_EQ((*parts)[0].instructions.back().op, "ld.u32");
  EXPECT_EQ((*parts)[1].instructions.size(), 1u);
}

TEST(RegionsSplit, what_is_not_of_lanes_keeps_its_banks) {
  const auto parts = split_of(text_of(kTwo + "mbarrier.init.shared.b64 [b], 1;"));
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 2u);
  EXPECT_EQ((*parts)[0].why_kept, "");
  EXPECT_EQ((*parts)[1].why_kept, "mbarrier.init.shared.b64 cannot have a hash");
}

// Dynamic shared memory is one array, and the threads of a block of 64 know their halves of it: 64 words each.
TEST(RegionsSplit, the_analysis_splits_an_array) {
  const std::string halves =
      text_of("mov.u32 %r3, dynamic; add.u32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1; st.shared.u32 [%r4+1024], %r1;");
  const auto together = split_of(halves);
  ASSERT_TRUE(together);
  ASSERT_EQ(together->size(), 1u);
  EXPECT_EQ((*together)[0].words, (scratchpad::WordRanges{{2048, kEnd}}));
  const auto apart = split_of(halves, 64);
  ASSERT_TRUE(apart);
  // On one line of the text they are one instruction to us.
  ASSERT_EQ(apart->size(), 1u);
  EXPECT_EQ((*apart)[0].words, (scratchpad::WordRanges{{2048, 2112}, {2304, 2368}}));
  const auto lines = split_of(text_of("mov.u32 %r3, dynamic; add.u32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;\n"
                                      "st.shared.u32 [%r4+1024], %r1;"),
                              64);
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 2u);
  EXPECT_EQ((*lines)[0].words, (scratchpad::WordRanges{{2048, 2112}}));
  EXPECT_EQ((*lines)[1].words, (scratchpad::WordRanges{{2304, 2368}}));
  EXPECT_TRUE((*lines)[0].instructions[0].by_walk);
}

// What depends on data is known by its array only.
TEST(RegionsSplit, an_index_from_memory_may_be_anywhere_in_its_array) {
  const auto parts = split_of(text_of("mov.u32 %r3, a;\nadd.u32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;\n"
                                      "ld.param.u64 %rd1, [p];\nld.global.u32 %r5, [%rd1];\nshl.b32 %r6, %r5, 2;\n"
                                      "add.u32 %r7, %r3, %r6;\nld.shared.u32 %r8, [%r7];"),
                              32);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 1u);
  EXPECT_EQ((*parts)[0].words, (scratchpad::WordRanges{{0, 1024}}));
  EXPECT_TRUE((*parts)[0].instructions[0].by_walk);
  EXPECT_FALSE((*parts)[0].instructions[1].by_walk);
}

// p = a at first, then what is read from memory, which may be the address of b that was stored there: the analysis sees
// a.
TEST(RegionsSplit, words_that_the_analysis_tells_are_not_all_where_addresses_escape) {
  const auto parts =
      split_of(text_of("mov.u32 %r3, a;\nmov.u32 %r5, b;\ncvt.u64.u32 %rd1, %r5;\ncvta.shared.u64 %rd2, %rd1;\n"
                       "ld.param.u64 %rd3, [p];\nst.global.u64 [%rd3], %rd2;\ncvt.u64.u32 %rd4, %r3;\n"
                       "cvta.shared.u64 %rd5, %rd4;\nmov.u32 %r9, 0;\nL:\nld.u32 %r7, [%rd5];\n"
                       "ld.global.u64 %rd5, [%rd3];\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, 2;\n@%p1 bra L;"),
               32);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 1u);
  EXPECT_EQ((*parts)[0].words, (scratchpad::WordRanges{{0, 2048}}));
}

// b + (a - b) is a again: a difference of two arrays is not followed, so what it is added to may be anywhere.
TEST(RegionsSplit, a_difference_of_two_arrays_may_be_anything) {
  const auto parts = split_of(text_of(
      kTwo + "sub.u32 %r8, %r3, %r5; add.u32 %r9, %r8, 0; selp.b32 %r10, %r9, %r6, %p1; ld.shared.u32 %r11, [%r10];"));
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 1u);
  EXPECT_EQ((*parts)[0].words, (scratchpad::WordRanges{{0, kEnd}}));
}

TEST(RegionsSplit, more_arrays_than_are_followed_are_refused) {
  std::string many;
  for (int k = 0; k < 33; ++k) many += ".shared .align 4 .b8 m" + std::to_string(k) + "[4];\n";
  for (int k = 0; k < 33; ++k) many += "st.shared.u32 [m" + std::to_string(k) + "], %r1;\n";
  const auto parts = split_of(text_of(many));
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().message, "it has more than 32 shared variables");
}

TEST(RegionsSplit, functions_on_other_memory_change_nothing) {
  const auto parts = split_of(text_of(kTwo + "{ .param .u32 q; st.param.u32 [q], %r1; call f, (q); }",
                                      ".func f(.param .u32 q) {\n.reg .b32 %r1; ld.param.u32 %r1, [q]; ret;\n}\n"));
  ASSERT_TRUE(parts) << parts.error().message;
  EXPECT_EQ(parts->size(), 2u);
}

TEST(RegionsSplit, functions_that_access_shared_memory_are_not_followed) {
  const auto parts =
      split_of(text_of(kTwo + "call f;", ".func f() {\n.reg .b32 %r1; ld.shared.u32 %r1, [dynamic]; ret;\n}\n"));
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().message, "it calls functions, and f accesses memory that may be shared");
}

}  // namespace
}  // namespace bankshot::regions

// Layouts that a person can write in the source.
#include <gtest/gtest.h>

#include "bankshot/fix/layouts.hpp"

namespace bankshot::fix {
namespace {

/// One access of 32 lanes: lane k accesses the word first + k * stride.
scratchpad::Pattern strided(uint32_t first, uint32_t stride, unsigned width = 4) {
  scratchpad::Pattern pattern;
  pattern.width = width;
  pattern.mask = 0xffffffff;
  for (uint32_t lane = 0; lane < 32; ++lane) pattern.words[lane] = first + lane * stride;
  return pattern;
}

LayoutSubject subject(const Declaration& declaration, std::vector<scratchpad::Pattern> patterns) {
  LayoutSubject array{"tile", declaration, declaration.element_bytes, true, false, {}};
  for (const uint64_t size : declaration.sizes) array.bytes *= size;
  array.patterns.patterns = std::move(patterns);
  return array;
}

std::vector<Layout> layouts_of(const LayoutSubject& array) { return find_layouts(array, std::chrono::seconds(10)); }

TEST(Layouts, declared_rows_of_any_length_grow) {
  // A column of 32 rows of 96 words lies in one bank: 31 conflicts. Rows of 97 words: none.
  const Declaration declaration{7, "float", 4, {"32", "3 * W"}, {32, 96}};
  const auto found = layouts_of(subject(declaration, {strided(5, 96)}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "rows of 96 + 1 elements");
  EXPECT_EQ(
      found[0].cpp,
      "// In line 7; indices stay as they are, if all accesses are by index:\n__shared__ float tile[32][3 * W + 1];\n");
  EXPECT_EQ(found[0].conflicts, 0u);
  EXPECT_EQ(found[0].extra_bytes, 32 * 4);
}

TEST(Layouts, members_of_structs_are_moved_apart_by_longer_elements) {
  // One member of 32 bytes each: words 0, 8, 16, 24 of the banks, 8 lanes each, 7 conflicts. 36 bytes: stride 9, none.
  const Declaration declaration{7, "Particle", 32, {"64"}, {64}};
  const auto found = layouts_of(subject(declaration, {strided(3, 8)}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].conflicts, 0u);
  EXPECT_EQ(found[0].extra_bytes, 64 * 4);
  EXPECT_NE(found[0].what.find("32 + 4 bytes"), std::string::npos) << found[0].what;
}

TEST(Layouts, elements_whose_size_is_no_power_of_two_stay_whole_in_longer_rows) {
  // Every 32nd element of 3 words: 96 words, one bank. With one element more in 32, 99 words: odd, none.
  const Declaration declaration{7, "float3", 12, {"1024"}, {1024}};
  const auto found = layouts_of(subject(declaration, {strided(0, 96)}));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].conflicts, 0u);
  EXPECT_NE(found[0].cpp.find("padded_tile(unsigned i) { return i + i / "), std::string::npos) << found[0].cpp;
}

TEST(Layouts, padding_by_hand_can_be_dropped_for_a_hash) {
  // Rows of 33, diagonals of which lie in one bank (stride 32): a hash of rows of 32 has none for it, a row and a
  // column.
  const Declaration declaration{7, "int", 4, {"64", "33"}, {64, 33}};
  const auto found = layouts_of(subject(declaration, {strided(31, 32), strided(0, 33), strided(0, 1)}));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].conflicts, 0u);
  EXPECT_EQ(found[0].extra_bytes, -64 * 4);
  EXPECT_NE(found[0].what.find("rows of 32 without the padding, then hash"), std::string::npos) << found[0].what;
  // The padding holds data: it cannot be dropped.
  for (const Layout& layout : layouts_of(subject(declaration, {strided(32, 32)})))
    EXPECT_EQ(layout.what.find("without"), std::string::npos) << layout.what;
}

TEST(Layouts, tiles_of_matrix_instructions_keep_chunks_of_16_bytes) {
  // Rows of 64 bytes, read by 8 lanes a phase: two rows share a row of banks, so 4 lanes meet in each chunk.
  LayoutSubject array{"tile", std::nullopt, 4096, false, false, {}};
  array.patterns.patterns = {strided(0, 16, 16)};
  const auto found = layouts_of(array);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].conflicts, 0u);
  EXPECT_NE(found[0].what.find("CuTe Swizzle<2,2,3> of words"), std::string::npos) << found[0].what;
  EXPECT_NE(found[1].what.find(" + 4 words"), std::string::npos) << found[1].what;
  array.is_matrix = true;
  EXPECT_EQ(layouts_of(array).size(), 1u);  // the start and the stride of a tile are all that wmma takes
}

TEST(Layouts, nothing_is_said_of_what_has_no_conflicts) {
  const Declaration declaration{7, "float", 4, {"32", "33"}, {32, 33}};
  EXPECT_TRUE(layouts_of(subject(declaration, {strided(0, 33)})).empty());
}

}  // namespace
}  // namespace bankshot::fix

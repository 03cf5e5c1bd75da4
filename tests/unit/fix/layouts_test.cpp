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
  LayoutSubject array{
      .name = "tile", .declaration = declaration, .bytes = declaration.element_bytes, .is_rewritten = true};
  for (const uint64_t size : declaration.sizes) array.bytes *= size;
  array.patterns.patterns = std::move(patterns);
  return array;
}

std::vector<Layout> layouts_of(const LayoutSubject& array) {
  return find_layouts(array, std::chrono::seconds(10)).list;
}

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
  LayoutSubject array = subject({7, "Particle", 32, {"64"}, {64}}, {strided(3, 8)});
  const auto found = layouts_of(array);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].conflicts, 0u);
  EXPECT_EQ(found[0].extra_bytes, 64 * 4);
  EXPECT_NE(found[0].what.find("32 + 4 bytes"), std::string::npos) << found[0].what;
  array.tried_row = 32;  // the same was tried on the PTX
  EXPECT_TRUE(layouts_of(array).empty());
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

/// A dynamic array.
LayoutSubject tile(std::vector<scratchpad::Pattern> patterns) {
  LayoutSubject array{.name = "tile", .declaration = std::nullopt, .bytes = 4096};
  array.patterns.patterns = std::move(patterns);
  return array;
}

TEST(Layouts, tiles_of_matrix_instructions_keep_chunks_of_16_bytes) {
  // Rows of 64 bytes, read by 8 lanes a phase: two rows share a row of banks, so 4 lanes meet in each chunk: 3
  // conflicts in each of 4 phases.
  LayoutSubject array = tile({strided(0, 16, 16)});
  array.declaration = Declaration{7, "half", 2, {"", "32"}, {}};
  const Layouts all = find_layouts(array, std::chrono::seconds(10));
  EXPECT_EQ(all.ideal_wavefronts, 4u);
  EXPECT_EQ(all.conflicts, 12u);
  const std::vector<Layout>& found = all.list;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].conflicts, 0u);
  // Bytes 4 and 5 (the chunk of a row of 64 bytes) with bytes 7 and 8: rows 0 and 1, 2 and 3, ... are alike.
  EXPECT_EQ(found[0].what, "chunks of 16 bytes by CuTe Swizzle<2,4,3> of bytes, Swizzle<2,3,3> of half");
  EXPECT_EQ(found[0].cpp,
            "// Bytes from the start, which is aligned to rows of the banks:\n__host__ __device__ constexpr unsigned "
            "swizzled_tile(unsigned byte) { return byte ^ (byte & 0x180) >> 3; }\n");
  EXPECT_NE(found[1].what.find(" + 4 words"), std::string::npos) << found[1].what;
}

TEST(Layouts, rows_of_a_tile_stay_equally_far_apart_for_wmma) {
  // 16 rows of 16 bytes, 64 bytes apart, in 2 phases: 3 conflicts each. Rows of 32 words + 4 would do with the least
  // memory, but pad only every other row of the tile. Rows of 16 + 4 words are 5 chunks, an odd number.
  scratchpad::Pattern rows = strided(0, 16, 16);
  rows.mask = 0xffff;
  LayoutSubject array = tile({rows});
  array.bytes = 1024;
  array.tiles = array.patterns.patterns;
  const auto found = layouts_of(array);
  ASSERT_EQ(found.size(), 1u);  // and no swizzle: the start and the stride of a tile are all that wmma takes
  EXPECT_EQ(found[0].what, "rows of 16 + 4 words, with the stride of wmma longer by as much");
  EXPECT_EQ(found[0].conflicts, 0u);
  EXPECT_EQ(found[0].extra_bytes, 16 * 16);
  // A tile without gaps: how long its rows are is not known.
  array.patterns.patterns = {strided(0, 4, 16), rows};
  array.tiles = {array.patterns.patterns[0]};
  EXPECT_TRUE(layouts_of(array).empty());
}

TEST(Layouts, tensor_maps_swizzle_rows_of_their_span) {
  // 32 rows of 128 bytes. A column lies in one bank: 31 conflicts. A matrix, 8 rows of 16 bytes: 7, four times.
  // A mode of 2, 4, 8 chunks spreads the rows over as many: a column takes 16, 8, 4 wavefronts, a matrix 4, 2, 1.
  LayoutSubject array = tile({strided(3, 32), strided(8, 32, 16)});
  array.is_tensor = true;
  const Layouts all = find_layouts(array, std::chrono::seconds(10));
  EXPECT_EQ(all.ideal_wavefronts, 1u + 4);
  EXPECT_EQ(all.conflicts, 31u + 4 * 7);
  ASSERT_EQ(all.list.size(), 3u);
  EXPECT_EQ(all.list[0].conflicts, 3u);
  EXPECT_EQ(all.list[1].conflicts, 7u + 4 * 1);
  EXPECT_EQ(all.list[2].conflicts, 15u + 4 * 3);
  EXPECT_EQ(all.list[0].what,
            "CU_TENSOR_MAP_SWIZZLE_128B (CuTe Swizzle<3,4,3> of bytes) in its tensor map, if a row of the box has 128 "
            "bytes, which the PTX does not say");
  EXPECT_EQ(
      all.list[0].cpp,
      "// If the map has no swizzle yet. tile is aligned to 1024 bytes; bytes from its start:\n__host__ __device__ "
      "constexpr unsigned swizzled_tile(unsigned byte) { return byte ^ (byte & 0x380) >> 3; }\n");
  EXPECT_NE(all.list[1].what.find("SWIZZLE_64B (CuTe Swizzle<2,4,3> of bytes)"), std::string::npos);
  EXPECT_NE(all.list[2].what.find("SWIZZLE_32B (CuTe Swizzle<1,4,3> of bytes)"), std::string::npos);
  for (const Layout& layout : all.list) EXPECT_EQ(layout.extra_bytes, 0);
}

TEST(Layouts, rows_longer_than_the_span_of_a_mode_rule_it_out_and_shorter_ones_fill_it) {
  // 32 rows of 64 bytes: the mode of 32 bytes is not for them, that of 128 bytes makes them twice as long. A column of
  // rows of 64 bytes takes 16 wavefronts; with 64B 4 chunks of rows 2k and 2k + 1, which lie beside each other: 4;
  // with 128B 8 chunks: 4.
  LayoutSubject array = subject(Declaration{7, "float", 4, {"32", "16"}, {32, 16}}, {strided(1, 16)});
  array.is_rewritten = false;
  array.is_tensor = true;
  const auto found = layouts_of(array);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(
      found[0].what.find("_64B (CuTe Swizzle<2,4,3> of bytes, Swizzle<2,2,3> of float) in its tensor map, if a row "
                         "of the box is a row of tile"),
      std::string::npos)
      << found[0].what;
  EXPECT_EQ(found[0].conflicts, 3u);
  EXPECT_EQ(found[0].extra_bytes, 0);
  EXPECT_NE(found[1].what.find("_128B"), std::string::npos) << found[1].what;
  EXPECT_EQ(found[1].conflicts, 3u);
  EXPECT_EQ(found[1].extra_bytes, 32 * 64);
  EXPECT_NE(found[1].cpp.find("bytes from its start, with rows of 128:"), std::string::npos) << found[1].cpp;
}

TEST(Layouts, nothing_is_said_of_what_has_no_conflicts) {
  const Declaration declaration{7, "float", 4, {"32", "33"}, {32, 33}};
  EXPECT_TRUE(layouts_of(subject(declaration, {strided(0, 33)})).empty());
}

}  // namespace
}  // namespace bankshot::fix

// Where products read tiles, and what accesses of threads to them cost by swizzle.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "bankshot/simt/tiles/swizzle_conflicts.hpp"

namespace bankshot::simt {
namespace {

constexpr uint32_t kShared = 32768;

/// Reads of two columns from each of `starts` on, and of everything behind. @param site  0
TileReads reads_of(const TileLayout& tile, const std::vector<uint32_t>& starts, uint32_t bytes) {
  TileReads reads(kShared, 1);
  for (const uint32_t start : starts) reads.begin(0, {'A', 64, 32, tile}, start, 2);
  for (uint32_t at = starts[0]; at < starts[0] + bytes; at += 16) reads.read(std::array{at}, TileWriters{});
  return reads;
}

/// Row and column.
std::array<unsigned, 2> at(const TileReads& reads, uint32_t offset) {
  const std::optional<TilePlace> place = reads.place(offset);
  return place ? std::array{place->row, place->column} : std::array{99u, 99u};
}

TEST(TileReads, places_in_atoms_of_a_swizzle) {
  const TileReads wide = reads_of({false, {128, 16}, 16, 1024, 0}, {1024}, 2048);
  EXPECT_EQ(at(wide, 1024 + 3 * 128 + (5 ^ 3) * 16), (std::array{3u, 5u}));
  EXPECT_EQ(wide.place(1024)->known_width, 8u);
  EXPECT_FALSE(wide.place(0)) << "nothing was read there";
  const TileReads narrow = reads_of({false, {64, 16}, 16, 512, 0}, {1024}, 2048);
  EXPECT_EQ(at(narrow, 1024 + 320), (std::array{5u, 2u})) << "row 5 is in the third 128 bytes: 2 ^ 2 = 0";
  EXPECT_EQ(narrow.place(1024)->known_width, 4u);
}

TEST(TileReads, places_in_cores) {
  // Columns of cores follow each other in a row of cores, or rows of cores in a column.
  const TileReads rows = reads_of({false, {}, 128, 256, 0}, {1024}, 4096);
  EXPECT_EQ(at(rows, 1024 + 256 + 128 + 3 * 16), (std::array{3u, 1u}));
  EXPECT_EQ(rows.place(1024)->known_width, 2u);
  const TileReads columns = reads_of({false, {}, 2048, 128, 0}, {1024, 5120, 9216, 13312}, 8 * 2048);
  EXPECT_EQ(at(columns, 1024 + 5 * 2048 + 3 * 128 + 6 * 16), (std::array{6u, 5u}));
  EXPECT_EQ(columns.place(1024)->known_width, 8u) << "four steps of k, two columns each";
  // Two tiles of one step each, which do not follow each other.
  const TileReads two = reads_of({false, {}, 1024, 128, 0}, {0, 9232}, 12000);
  EXPECT_EQ(two.place(1024)->known_width, 2u);
  EXPECT_EQ(at(two, 9232 + 1024 + 128 + 16), (std::array{1u, 1u}));
  // MN-major: the stride leads along the rows.
  const TileReads mn = reads_of({true, {}, 256, 128, 0}, {0}, 4096);
  EXPECT_EQ(at(mn, 256 + 128 + 3 * 16), (std::array{3u, 1u}));
  // Cores 144 bytes apart: the last 16 are no row.
  EXPECT_FALSE(reads_of({false, {}, 144, 1152, 0}, {0}, 4096).place(128));
}

TEST(TileReads, what_has_two_layouts_has_no_place) {
  TileReads reads = reads_of({false, {128, 16}, 16, 1024, 0}, {0}, 2048);
  TileReads other = reads_of({false, {64, 16}, 16, 512, 0}, {1024}, 2048);
  reads.merge(other);
  EXPECT_EQ(at(reads, 0), (std::array{0u, 0u}));
  EXPECT_FALSE(reads.place(1024));
  EXPECT_EQ(reads.place(2048)->swizzle.span, 64);
  ASSERT_EQ(reads.at(0).size(), 2u);
  EXPECT_EQ(reads.at(0)[0].reads + reads.at(0)[1].reads, 2u);
}

TEST(TileReads, knows_who_wrote) {
  TileReads reads(kShared, 2);
  TileWriters writers;
  writers.start(kShared);
  writers.wrote({1, false, {}}, 0, 16);
  writers.wrote({1, true, {128, 16}}, 16, 16);
  writers.wrote({1, false, {}}, kShared - 4, 16);  // the end of it is behind the end
  reads.begin(0, {'B', 8, 32, {}}, 0, 2);
  reads.read(std::array<uint32_t, 3>{0, 16, 32}, writers);
  reads.begin(0, {'B', 8, 32, {}}, 0, 2);
  reads.read(std::array<uint32_t, 1>{16}, writers);
  ASSERT_EQ(reads.at(0).size(), 1u);
  const OperandReads& b = reads.at(0)[0];
  EXPECT_EQ(b.reads, 2u);
  ASSERT_EQ(b.written.size(), 3u);
  EXPECT_EQ(b.written[0].bytes, 16u);
  EXPECT_EQ(b.written[1].by.swizzle.span, 128);
  EXPECT_EQ(b.written[1].bytes, 32u);
  EXPECT_EQ(b.written[2].by.site, TileWriter::kNobody);
}

scratchpad::AccessTrace trace_of(const std::vector<uint32_t>& addresses) {
  scratchpad::AccessTrace trace(8);
  std::array<uint32_t, 64> lanes{};
  std::copy(addresses.begin(), addresses.end(), lanes.begin());
  trace.record(lanes.data(), ~uint64_t{0} >> (64 - addresses.size()));
  return trace;
}

/// 32 lanes store 16 bytes each: four rows of 128 bytes.
TEST(SwizzleConflicts, of_rows_that_are_stored_into_cores) {
  const TileReads tiles = reads_of({false, {}, 2048, 128, 0}, {0, 4096, 8192, 12288}, 8 * 2048);
  std::vector<uint32_t> rows(32);
  for (uint32_t lane = 0; lane < 32; ++lane) rows[lane] = lane % 8 * 2048 + lane / 8 * 16;
  const auto all = conflicts_by_swizzle(tiles, trace_of(rows), {}, scratchpad::AccessKind::store, 16);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].now, Swizzle{});
  EXPECT_EQ(all[0].accesses, 1u);
  // Eight lanes are served together, and have the 16 bytes of one row of banks; of 32 bytes they would have 2 of them.
  EXPECT_EQ(all[0].conflicts, 4u * 7);
  EXPECT_EQ(all[0].by_span[0], 4u * 7);
  EXPECT_EQ(all[0].by_span[1], 4u * 3);
  EXPECT_EQ(all[0].by_span[2], 4u * 1);
  EXPECT_EQ(all[0].by_span[3], 0u);
  EXPECT_EQ(all[0].best_span(), 128u);
}

/// A column of 16 bytes: eight rows are one core, or eight different places of an atom of any swizzle.
TEST(SwizzleConflicts, of_columns) {
  const TileReads tiles = reads_of({false, {128, 16}, 16, 1024, 0}, {0}, 4096);
  std::vector<uint32_t> column(32);
  for (uint32_t row = 0; row < 32; ++row) column[row] = row * 128 + (3 ^ row % 8) * 16;
  const auto all = conflicts_by_swizzle(tiles, trace_of(column), {}, scratchpad::AccessKind::load, 16);
  ASSERT_EQ(all.size(), 1u);
  for (const std::optional<uint64_t>& conflicts : all[0].by_span) EXPECT_EQ(conflicts, 0u);
  EXPECT_EQ(all[0].conflicts, 0u);
  EXPECT_FALSE(all[0].best_span());
}

TEST(SwizzleConflicts, wider_swizzles_than_the_tile_are_not_known) {
  const TileReads tiles = reads_of({false, {64, 16}, 16, 512, 0}, {0}, 4096);
  std::vector<uint32_t> words(32);
  std::iota(words.begin(), words.end(), 0);
  for (uint32_t& word : words) word *= 4;
  const auto all = conflicts_by_swizzle(tiles, trace_of(words), {}, scratchpad::AccessKind::load, 4);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].by_span[2], 0u);
  EXPECT_FALSE(all[0].by_span[3]);
  // Two rows of 64 bytes, four chunks each: without a swizzle, the chunks of a row are in the banks of one.
  EXPECT_EQ(all[0].by_span[0], 3u);
}

TEST(SwizzleConflicts, what_leaves_the_tiles_is_not_counted) {
  const TileReads tiles = reads_of({false, {64, 16}, 16, 512, 0}, {0}, 512);
  EXPECT_TRUE(conflicts_by_swizzle(tiles, trace_of({496, 512}), {}, scratchpad::AccessKind::load, 16).empty());
  scratchpad::Rules wide;
  wide.bank_bytes = 8;
  EXPECT_TRUE(conflicts_by_swizzle(tiles, trace_of({0}), wide, scratchpad::AccessKind::load, 16).empty());
}

}  // namespace
}  // namespace bankshot::simt

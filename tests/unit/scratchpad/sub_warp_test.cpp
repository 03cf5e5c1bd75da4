// Conflict degrees of the parts of a warp that a narrow datapath executes in one cycle, after equation 4 of Elastic
// Pipeline.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bankshot/scratchpad/access/access.hpp"
#include "warp_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

using Degrees = std::vector<unsigned>;

/// Lane l is at byte l * stride.
Warp byte_strided(uint32_t stride) {
  Warp warp{};
  for (uint32_t lane = 0; lane < kMaxLanes; ++lane) warp[lane] = lane * stride;
  return warp;
}

/// Of a warp of 32 lanes on a datapath of 8.
Degrees degrees(const Warp& warp, uint64_t mask = kFull, unsigned width = 4, AccessKind kind = AccessKind::load,
                const Rules& rules = eight_banks(), unsigned lanes = 8) {
  Degrees result(32 / lanes, 99);
  sub_warp_degrees(rules, kind, width, warp.data(), mask, lanes, result);
  return result;
}

TEST(SubWarpDegrees, are_the_words_of_the_fullest_bank) {
  EXPECT_EQ(degrees(byte_strided(4)), Degrees({1, 1, 1, 1}));      // 8 words side by side
  EXPECT_EQ(degrees(byte_strided(8)), Degrees({2, 2, 2, 2}));      // every other bank, twice
  EXPECT_EQ(degrees(byte_strided(4 * 8)), Degrees({8, 8, 8, 8}));  // all on one bank
  EXPECT_EQ(degrees(byte_strided(4 * 9)), Degrees({1, 1, 1, 1}));  // a padded column
  EXPECT_EQ(degrees(byte_strided(0)), Degrees({1, 1, 1, 1}));      // one word: a broadcast
}

// Words 0, 8 and 16 for lanes 0 to 2, one word for all others of the first part; a column in the third.
TEST(SubWarpDegrees, are_each_parts_own) {
  Warp warp{};
  warp[1] = 32, warp[2] = 64;
  for (uint32_t lane = 16; lane < 24; ++lane) warp[lane] = (lane - 16) * 32;
  EXPECT_EQ(degrees(warp), Degrees({3, 1, 8, 1}));
}

TEST(SubWarpDegrees, count_active_lanes_only) {
  EXPECT_EQ(degrees(byte_strided(32), 0x0000000f), Degrees({4, 0, 0, 0}));
  EXPECT_EQ(degrees(byte_strided(32), 0x80010003), Degrees({2, 0, 1, 1}));
  EXPECT_EQ(degrees(byte_strided(32), 0), Degrees({0, 0, 0, 0}));
}

// 64 bits a lane: 8 banks deliver 4 lanes at once, so 8 lanes come in two phases; a lane's two words lie on
// neighbouring banks.
TEST(SubWarpDegrees, of_wide_accesses_are_the_sum_of_their_phases) {
  EXPECT_EQ(degrees(byte_strided(8), kFull, 8), Degrees({2, 2, 2, 2}));
  EXPECT_EQ(degrees(byte_strided(16), kFull, 8),
            Degrees({4, 4, 4, 4}));  // words 0 1 4 5 8 9 12 13: each bank of four twice
  EXPECT_EQ(degrees(byte_strided(8), 0x0000000f, 8), Degrees({1, 0, 0, 0}));
  EXPECT_EQ(degrees(byte_strided(16), kFull, 16), Degrees({4, 4, 4, 4}));  // 128 bits: two lanes a phase
}

// Atomics of lanes on one word take turns.
TEST(SubWarpDegrees, of_atomics_are_lanes) {
  EXPECT_EQ(degrees(byte_strided(0), kFull, 4, AccessKind::atomic), Degrees({8, 8, 8, 8}));
  EXPECT_EQ(degrees(byte_strided(0), 0x00000700, 4, AccessKind::atomic), Degrees({0, 3, 0, 0}));
  EXPECT_EQ(degrees(byte_strided(0), kFull, 4, AccessKind::store), Degrees({1, 1, 1, 1}));
}

// Two words a bank and cycle, each part by itself: 3 words take 2 cycles.
TEST(SubWarpDegrees, are_cycles_where_banks_have_ports) {
  Rules rules = eight_banks();
  rules.ports = 2;
  EXPECT_EQ(degrees(byte_strided(32), kFull, 4, AccessKind::load, rules), Degrees({4, 4, 4, 4}));
  EXPECT_EQ(degrees(byte_strided(32), 0x01010707, 4, AccessKind::load, rules), Degrees({2, 2, 1, 1}));
}

TEST(SubWarpDegrees, follow_the_bank_hash) {
  Rules rules = eight_banks();
  rules.hash = fixed_xor_hash({10, 3});  // bank = bits 0-2 ^ bits 3-5
  EXPECT_EQ(degrees(byte_strided(32), kFull, 4, AccessKind::load, rules), Degrees({1, 1, 1, 1}));
  EXPECT_EQ(degrees(byte_strided(36), 0xff, 4, AccessKind::load, rules), Degrees({8, 0, 0, 0}));  // word 9 l: l ^ l = 0
}

// Banks for the whole warp behind a datapath of 8 lanes: the one phase is the first part's.
TEST(SubWarpDegrees, of_phases_wider_than_a_part_count_where_they_begin) {
  EXPECT_EQ(degrees(byte_strided(8), kFull, 4, AccessKind::load, Rules{}), Degrees({2, 0, 0, 0}));
  EXPECT_EQ(degrees(byte_strided(8), kFull, 8, AccessKind::load, Rules{}), Degrees({1, 0, 1, 0}));  // two half-warps
  EXPECT_EQ(degrees(byte_strided(8), 0xff000000, 4, AccessKind::load, Rules{}), Degrees({1, 0, 0, 0}));
}

TEST(SubWarpDegrees, of_a_datapath_as_wide_as_the_warp_is_one) {
  EXPECT_EQ(degrees(byte_strided(32), kFull, 4, AccessKind::load, eight_banks(), 32), Degrees({32}));
  EXPECT_EQ(degrees(byte_strided(4), kFull, 4, AccessKind::load, Rules{}, 32), Degrees({1}));
}

}  // namespace
}  // namespace bankshot::scratchpad

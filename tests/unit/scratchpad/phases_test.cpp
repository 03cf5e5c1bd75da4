// Phases of lanes that are not neighbours: their text, and what accesses cost by the tables of AMD's hardware.
#include "bankshot/scratchpad/access/phases.hpp"

#include <gtest/gtest.h>

#include <array>

#include "bankshot/scratchpad/access/passes.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "warp_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

constexpr const char* kCdna3 = "0-3 20-23, 4-7 16-19, 8-11 28-31, 12-15 24-27";
constexpr const char* kCdna4 = "0-3 12-15 20-27, 4-11 16-19 28-31";
constexpr uint64_t kWave = ~uint64_t{0};

/// Rows of eight chunks of 16 bytes, a chunk a lane; rows are `pitch` bytes apart.
Warp rows_of_chunks(uint32_t pitch) {
  Warp warp;
  for (uint32_t lane = 0; lane < kMaxLanes; ++lane) warp[lane] = lane / 8 * pitch + lane % 8 * 16;
  return warp;
}

Rules cdna3() {
  Rules rules;
  rules.tables[4] = *parse_phases(kCdna3);  // load_b128
  return rules;
}

TEST(LaneMask, is_a_set_of_lanes) {
  LaneMask mask = LaneMask::first(4).shifted(20) | LaneMask::first(2);
  EXPECT_EQ(mask.count(), 6u);
  EXPECT_EQ(mask.lowest(), 0u);
  EXPECT_EQ(mask.highest(), 23u);
  EXPECT_TRUE(mask.has(21));
  EXPECT_FALSE(mask.has(2));
  std::vector<unsigned> lanes;
  for (const unsigned lane : mask) lanes.push_back(lane);
  EXPECT_EQ(lanes, (std::vector<unsigned>{0, 1, 20, 21, 22, 23}));
  EXPECT_EQ(LaneMask::first(64).bits(), kWave);
  EXPECT_TRUE(LaneMask::first(0).empty());
}

TEST(Phases, neighbours_come_in_groups_of_one_size) {
  std::vector<LaneMask> phases, active;
  Phases::neighbours(16).for_each(LaneMask(0xffff'0000'0001), [&](LaneMask phase, LaneMask own) {
    phases.push_back(phase);
    active.push_back(own);
  });
  EXPECT_EQ(phases, (std::vector{LaneMask(0xffff), LaneMask(0xffff'0000'0000)})) << "none for lanes 16 to 31";
  EXPECT_EQ(active, (std::vector{LaneMask(1), LaneMask(0xffff'0000'0000)}));
}

TEST(Phases, a_table_for_half_a_wave_holds_for_the_other_half) {
  const PhaseTable table = *parse_phases(kCdna3);
  ASSERT_EQ(table.size(), 8u);
  EXPECT_EQ(table[0], LaneMask(0x00f0000f));
  EXPECT_EQ(table[4], LaneMask(uint64_t{0x00f0000f} << 32));
}

TEST(Phases, text_and_table_are_the_same_thing) {
  for (const char* text : {kCdna3, kCdna4, "0-15, 16-31, 32-63", "0-7", "0 2, 1 3", "0-63"}) {
    EXPECT_EQ(phases_text(*parse_phases(text)), text);
  }
  EXPECT_EQ(phases_text(*parse_phases(" 0-7,8-15 , 16-23,24-31")), "0-7");
  EXPECT_EQ(lanes_text(LaneMask(0x8000'0000'0000'0005)), "0 2 63");
}

TEST(Phases, rejects_what_is_no_partition_of_the_lanes) {
  const auto why = [](const char* text) {
    const auto table = parse_phases(text);
    return table ? std::string("accepted") : table.error().message;
  };
  EXPECT_EQ(why("0-3 x"), "'x' is not a lane or range of lanes; lanes are 0 to 63");
  EXPECT_EQ(why("3-0"), "'3-0' is not a lane or range of lanes; lanes are 0 to 63");
  EXPECT_EQ(why("0-"), "'0-' is not a lane or range of lanes; lanes are 0 to 63");
  EXPECT_EQ(why("0-64"), "'0-64' is not a lane or range of lanes; lanes are 0 to 63");
  EXPECT_EQ(why("0-3, 3-7"), "lane 3 is in two phases");
  EXPECT_EQ(why("0-3, 5-7"), "lane 4 is in no phase");
  EXPECT_EQ(why("0-8"), "lane 9 is in no phase");
  EXPECT_EQ(why("0-3, , 4-7"), "a phase has no lanes");
  EXPECT_EQ(why(""), "there are no phases");
}

TEST(AmdPhases, cdna3_reads_128_bits_in_eight_phases_of_eight_lanes) {
  const Warp linear = rows_of_chunks(128);
  EXPECT_EQ(cost(cdna3(), AccessKind::load, 16, linear.data(), kWave), (Cost{8, 8, 0}));
  // MI300X, stride of 128 bytes: 56 conflicts for each ds_read_b128 (docs/wavefronts.md).
  Warp column;
  for (uint32_t lane = 0; lane < kMaxLanes; ++lane) column[lane] = 128 * lane;
  const Cost all = cost(cdna3(), AccessKind::load, 16, column.data(), kWave);
  EXPECT_EQ(all.wavefronts - all.ideal, 56u);
}

TEST(AmdPhases, padding_that_frees_neighbours_does_not_free_cdna3s_loads) {
  const Warp padded = rows_of_chunks(144);
  EXPECT_EQ(cost(Rules{}, AccessKind::load, 16, padded.data(), kWave), (Cost{8, 8, 0}));
  EXPECT_EQ(cost(cdna3(), AccessKind::store, 16, padded.data(), kWave), (Cost{8, 8, 0})) << "stores are of neighbours";
  EXPECT_EQ(cost(cdna3(), AccessKind::atomic, 16, padded.data(), kWave), (Cost{8, 8, 0})) << "so are atomics";
  EXPECT_EQ(cost(cdna3(), AccessKind::load, 16, padded.data(), kWave), (Cost{16, 8, 0}));
}

TEST(AmdPhases, two_lanes_conflict_only_in_one_phase) {
  Warp warp{};
  for (const unsigned other : {1u, 3u, 20u, 23u}) {
    warp[other] = 128;
    EXPECT_EQ(cost(cdna3(), AccessKind::load, 16, warp.data(), uint64_t{1} | uint64_t{1} << other), (Cost{2, 1, 0}));
  }
  for (const unsigned other : {4u, 7u, 19u, 24u, 32u, 52u}) {
    warp[other] = 128;
    EXPECT_EQ(cost(cdna3(), AccessKind::load, 16, warp.data(), uint64_t{1} | uint64_t{1} << other), (Cost{2, 2, 0}));
  }
}

TEST(AmdPhases, cdna4_reads_128_bits_in_four_phases_of_sixteen_lanes_from_64_banks) {
  Rules rules;
  rules.banks = rules.lanes_b32 = 64;
  rules.lanes_b64 = 32;
  rules.lanes_b128 = 16;
  rules.tables[4] = *parse_phases(kCdna4);
  EXPECT_EQ(cost(rules, AccessKind::load, 16, rows_of_chunks(128).data(), kWave), (Cost{4, 4, 0}));
  Warp column;
  for (uint32_t lane = 0; lane < kMaxLanes; ++lane) column[lane] = 256 * lane;
  EXPECT_EQ(cost(rules, AccessKind::load, 16, column.data(), kWave), (Cost{64, 4, 0}));
}

TEST(AmdPhases, passes_name_the_lanes_of_their_phase) {
  const auto all = passes(cdna3(), AccessKind::load, 16, rows_of_chunks(128).data(), 0xffffffff);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(lanes_text(all[0].phase), "0-3 20-23");
  EXPECT_EQ(all[0].bank[16], 20);
}

TEST(AmdPhases, sub_warps_are_charged_for_phases_that_begin_in_them) {
  std::array<unsigned, 4> degrees{};
  sub_warp_degrees(cdna3(), AccessKind::load, 16, rows_of_chunks(128).data(), 0xffffffff, 8, degrees);
  EXPECT_EQ(degrees, (std::array<unsigned, 4>{2, 2, 0, 0}));
}

TEST(AmdPhases, the_canonical_form_keeps_words_in_their_phases) {
  Pattern pattern{1, AccessKind::load, 16, 0xffffffff};
  for (unsigned lane = 0; lane < 32; ++lane) pattern.words[lane] = (rows_of_chunks(144)[lane] / 4) ^ 64;
  const Pattern form = canonical(cdna3(), pattern);
  const BankHash none = modulo_hash({14, 5});
  EXPECT_EQ(cost(cdna3(), form, none), cost(cdna3(), pattern, none));
  EXPECT_EQ(form.words[0], 0u);
}

TEST(Phases, a_canonical_pattern_is_for_gpus_with_the_same_phases) {
  Pattern pattern;
  pattern.width = 16;
  pattern.mask = 0xffff'ffff;
  for (unsigned lane = 0; lane < 32; ++lane) pattern.words[lane] = 36 * (lane % 8) + 4 * (lane / 8);
  const Rules neighbours;
  const BankHash none = modulo_hash({14, 5});
  EXPECT_TRUE(keeps_its_cost(neighbours, neighbours, pattern));
  EXPECT_FALSE(keeps_its_cost(neighbours, cdna3(), pattern));
  EXPECT_FALSE(keeps_its_cost(cdna3(), neighbours, pattern));
  Rules merging;
  merging.merge_pairs = true;  // canonical() then leaves the lanes as they are
  EXPECT_FALSE(keeps_its_cost(neighbours, merging, pattern));
  EXPECT_TRUE(keeps_its_cost(merging, cdna3(), pattern));
  EXPECT_EQ(cost(cdna3(), canonical(merging, pattern), none), cost(cdna3(), pattern, none));
  pattern.kind = AccessKind::store;  // the table is one of loads
  EXPECT_TRUE(keeps_its_cost(neighbours, cdna3(), pattern));
}

TEST(Phases, a_lane_is_in_a_phase_once) {
  const Result<PhaseTable> twice = parse_phases("0-3 3, 4-7");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "lane 3 is in its phase twice");
}

}  // namespace
}  // namespace bankshot::scratchpad

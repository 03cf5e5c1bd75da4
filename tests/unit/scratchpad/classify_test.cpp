// Classes of access patterns after the XOR-hash paper, section 3.
#include <gtest/gtest.h>

#include <array>

#include "bankshot/scratchpad/access/access.hpp"
#include "warp_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

Shape shape_of(Address address, unsigned width = 4, uint64_t mask = kFull) {
  std::array<uint32_t, kMaxLanes> addresses{};
  for (uint32_t lane = 0; lane < kMaxLanes; ++lane) addresses[lane] = address(lane);
  return classify(Rules{}, width, addresses.data(), mask);
}
PatternClass pattern_class_of(Address address, unsigned width = 4, uint64_t mask = kFull) {
  return shape_of(address, width, mask).pattern;
}

TEST(Classify, unit_stride_is_linear_in_every_width) {
  for (const unsigned width : {1u, 2u, 4u, 8u, 16u}) {
    EXPECT_EQ(pattern_class_of([=](uint32_t lane) { return 64 + width * lane; }, width), PatternClass::linear);
  }
}

TEST(Classify, a_single_lane_is_linear) {
  EXPECT_EQ(pattern_class_of([](uint32_t) { return 12u; }, 4, 0x100), PatternClass::linear);
}

TEST(Classify, constant_distance_is_a_stride) {
  const Shape column = shape_of([](uint32_t lane) { return 128 * lane; });
  EXPECT_EQ(column.pattern, PatternClass::stride);
  EXPECT_EQ(column.stride_bytes, 128);
  EXPECT_EQ(shape_of([](uint32_t lane) { return 4 * (31 - lane % 32); }).stride_bytes, -4);
  EXPECT_EQ(shape_of([](uint32_t lane) { return 2 * lane; }, 1).stride_bytes, 2);
}

TEST(Classify, distance_is_between_active_lanes) {
  EXPECT_EQ(shape_of([](uint32_t lane) { return 4 * lane; }, 4, 0x55555555).stride_bytes, 8);
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 2 * lane; }, 4, 0x55555555), PatternClass::linear);
}

TEST(Classify, one_word_is_a_broadcast) {
  EXPECT_EQ(pattern_class_of([](uint32_t) { return 40u; }), PatternClass::broadcast);
  EXPECT_EQ(pattern_class_of([](uint32_t) { return 48u; }, 16), PatternClass::broadcast);
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return lane * 7 % 4; }, 1), PatternClass::broadcast);
}

TEST(Classify, rows_of_a_tile_are_a_block) {
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 4 * (lane / 8 * 32 + lane % 8); }), PatternClass::block);
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 4 * (lane / 16 * 17 + lane % 16); }), PatternClass::block);
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 4 * (lane % 16 * 16 + lane / 16); }),
            PatternClass::block);  // columns
}

TEST(Classify, rows_cut_off_by_the_ends_of_the_warp_are_a_block) {
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 4 * (lane / 10 * 12 + lane % 10); }), PatternClass::block);
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 4 * ((lane + 7) / 10 * 12 + (lane + 7) % 10); }),
            PatternClass::block);
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 4 * ((lane + 9) / 10 * 12 + (lane + 9) % 10); }),
            PatternClass::block);
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 4 * ((lane + 2) / 33 * 40 + (lane + 2) % 33); }),
            PatternClass::block);
}

TEST(Classify, rows_that_read_one_word_each_are_a_block) {
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 4 * 16 * (lane / 16); }), PatternClass::block);
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 4 * 16 * (lane / 8); }), PatternClass::block);
}

TEST(Classify, rows_that_repeat_are_a_block) {
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 4 * (lane % 16); }), PatternClass::block);
}

TEST(Classify, rows_of_unequal_length_are_random) {
  const auto address = [](uint32_t lane) { return 4 * (lane < 8 ? lane : lane < 20 ? 100 + lane : 192 + lane); };
  EXPECT_EQ(pattern_class_of(address), PatternClass::random);
}

TEST(Classify, unequal_distances_between_rows_are_random) {
  constexpr std::array<uint32_t, 4> kRows = {0, 32, 96, 100};
  EXPECT_EQ(pattern_class_of([&](uint32_t lane) { return 4 * (kRows[lane / 8 % 4] + lane % 8); }),
            PatternClass::random);
}

TEST(Classify, three_first_steps_that_all_differ_are_no_rows) {
  // Rows of 16 bytes, 128 apart, the first one cut off: steps of 4, 116 and 4 bytes. With lane 3 moved: 4, 116, 8.
  const auto rows = [](uint32_t lane) { return (lane + 2) / 4 * 128 + (lane + 2) % 4 * 4; };
  EXPECT_EQ(pattern_class_of(rows), PatternClass::block);
  EXPECT_EQ(pattern_class_of([&](uint32_t lane) { return rows(lane) + (lane == 3 ? 4 : 0); }), PatternClass::random);
  EXPECT_EQ(pattern_class_of(rows, 4, 0x7), PatternClass::random) << "two steps are too few to show rows";
}

TEST(Classify, gathers_are_random) {
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return 4 * (lane * lane % 61); }), PatternClass::random);
  EXPECT_EQ(pattern_class_of([](uint32_t lane) { return lane == 1   ? 400u
                                                        : lane == 2 ? 48u
                                                                    : 0u; }, 4, 0x7),
            PatternClass::random);
}

}  // namespace
}  // namespace bankshot::scratchpad

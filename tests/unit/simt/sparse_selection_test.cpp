// Which elements the metadata of a sparse matrix select, by hand from the PTX ISA's figures of each form.
#include "bankshot/simt/matrices/sparse_selection.hpp"

#include <gtest/gtest.h>

namespace bankshot::simt {
namespace {

/// The metadata of the warp's lanes, all 0 but these.
struct Metadata {
  uint32_t of_lane[32] = {};
  Metadata(unsigned lane, uint32_t bits) { of_lane[lane] = bits; }
};

int selected(const SparseSelection& selection, const Metadata& metadata, unsigned row, unsigned c) {
  return selection.selected(metadata.of_lane, row, c);
}

TEST(SparseSelection, two_bits_choose_one_of_four_elements) {
  // f16, k = 16: row 3 is lane 12 and following, by selector; its bits are in the lower half, those of row 11 in the
  // upper.
  const Metadata metadata(12, 0b11'01'10'00);
  const int expected[] = {0, 2, 5, 7};
  for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(selected({16, 8, 0}, metadata, 3, c), expected[c]);
  EXPECT_EQ(selected({16, 8, 2}, {14, 0b10}, 3, 0), 2);
  EXPECT_EQ(selected({16, 8, 3}, {15, 0b11u << 16}, 11, 0), 3);
  EXPECT_EQ(selected({16, 8, 0}, {12, 0b11u << 14}, 3, 7), 12 + 3) << "the last of the row";
}

TEST(SparseSelection, long_rows_take_two_lanes) {
  // f16, k = 32: elements 8 and following are in the next lane.
  EXPECT_EQ(selected({16, 16, 0}, {13, 0b11u << 16}, 11, 8), 16 + 3);
  EXPECT_EQ(selected({16, 16, 1}, {14, 0b10}, 3, 0), 2);
  EXPECT_EQ(selected({16, 16, 1}, {15, 0b01u << 14}, 3, 15), 28 + 1);
}

TEST(SparseSelection, four_bits_choose_one_of_two_of_tf32) {
  const Metadata metadata(14, 0b1110'0100);
  for (const SparseSelection& form : {SparseSelection{32, 8, 1}, SparseSelection{32, 4, 2}}) {
    EXPECT_EQ(selected(form, metadata, 3, 0), 0);
    EXPECT_EQ(selected(form, metadata, 3, 1), 3);
    EXPECT_EQ(selected(form, metadata, 3, 2), -1) << "a nibble without bit 2 selects nothing";
  }
  EXPECT_EQ(selected({32, 8, 0}, {13, 0b1110u << 28}, 11, 7), 15) << "elements 4 and following: the next lane";
}

TEST(SparseSelection, elements_of_8_bits_have_a_lane_for_each_row) {
  // k = 32: selector 1 means the third and fourth of four lanes; the fourth is row 11.
  EXPECT_EQ(selected({8, 16, 1}, {15, 0b10u << 30}, 11, 15), 28 + 2);
  EXPECT_EQ(selected({8, 16, 0}, {12, 0b01}, 3, 0), 1);
  // k = 64: elements 16 and following are two lanes further.
  EXPECT_EQ(selected({8, 32, 0}, {14, 0b11}, 3, 16), 32 + 3);
}

TEST(SparseSelection, elements_of_4_bits_are_chosen_in_pairs) {
  // k = 64: elements 2 and 3 are the second pair that is kept, here the fourth of the first four pairs.
  const Metadata metadata(12, 0b11'01);
  EXPECT_EQ(selected({4, 32, 0}, metadata, 3, 0), 2);
  EXPECT_EQ(selected({4, 32, 0}, metadata, 3, 1), 3);
  EXPECT_EQ(selected({4, 32, 0}, metadata, 3, 2), 6);
  EXPECT_EQ(selected({4, 32, 0}, metadata, 3, 3), 7);
  EXPECT_EQ(selected({4, 32, 1}, {15, 0b11u << 30}, 11, 31), 56 + 7);
  EXPECT_EQ(selected({4, 64, 0}, {15, 0b10}, 11, 33), 64 + 5) << "k = 128: two lanes further";
}

TEST(SparseSelection, the_selector_has_as_many_values_as_lanes_may_hold_the_metadata) {
  EXPECT_EQ((SparseSelection{16, 8}.selectors()), 4u);
  EXPECT_EQ((SparseSelection{16, 16}.selectors()), 2u);
  EXPECT_EQ((SparseSelection{32, 4}.selectors()), 4u);
  EXPECT_EQ((SparseSelection{32, 8}.selectors()), 2u);
  EXPECT_EQ((SparseSelection{8, 16}.selectors()), 2u);
  EXPECT_EQ((SparseSelection{8, 32}.selectors()), 1u);
  EXPECT_EQ((SparseSelection{4, 32}.selectors()), 2u);
  EXPECT_EQ((SparseSelection{4, 64}.selectors()), 1u);
}

}  // namespace
}  // namespace bankshot::simt

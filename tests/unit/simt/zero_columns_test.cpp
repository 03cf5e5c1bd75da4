// The examples of PTX ISA 9.1, 9.7.16.4.3.
#include "bankshot/simt/matrices/zero_columns.hpp"

#include <gtest/gtest.h>

namespace bankshot::simt {
namespace {

TensorProduct stationary(unsigned m, unsigned n, unsigned most_shift = 32) {
  TensorProduct product;
  product.m = m;
  product.n = n;
  product.stationary = true;
  product.most_shift = most_shift;
  return product;
}

uint64_t mask_descriptor(uint64_t start_counts, uint64_t first_spans, bool masks, uint64_t skip, uint64_t use,
                         uint64_t shift) {
  return start_counts | first_spans << 32 | uint64_t{masks} << 39 | skip << 40 | use << 48 | shift << 56;
}

/// The last `count` bits of a part of the mask.
std::string last_bits(const ZeroColumns& mask, unsigned first, size_t count) {
  std::string bits;
  for (unsigned k = 0; k < count; ++k) bits.insert(0, mask.zero(first + k) ? "1" : "0");
  return bits;
}

TEST(ZeroColumnsTest, masks_are_those_of_the_manual) {
  ZeroColumns mask;
  ASSERT_EQ(ZeroColumns::read(mask_descriptor(0, 0, false, 4, 3, 0), stationary(128, 64), mask), "");
  EXPECT_EQ(last_bits(mask, 0, 64), std::string(64, '0'));
  EXPECT_FALSE(mask.any());
  ASSERT_EQ(ZeroColumns::read(mask_descriptor(0, 0, true, 2, 3, 0), stationary(128, 64), mask), "");
  EXPECT_EQ(last_bits(mask, 0, 14), "11100001110000");
  ASSERT_EQ(ZeroColumns::read(mask_descriptor(0, 1, true, 2, 3, 0), stationary(64, 128), mask), "");
  EXPECT_EQ(last_bits(mask, 0, 17), "11100001110000111");
  EXPECT_EQ(last_bits(mask, 64, 18), "000011100001110000");
  ASSERT_EQ(ZeroColumns::read(mask_descriptor(0x01020100, 3, true, 2, 3, 2), stationary(32, 128), mask), "");
  EXPECT_EQ(last_bits(mask, 0, 14), "00001110000111");
  EXPECT_EQ(last_bits(mask, 32, 13), "0000111000011");
  EXPECT_EQ(last_bits(mask, 64, 12), "111000011100");
  EXPECT_EQ(last_bits(mask, 96, 13), "1110000111000");
  EXPECT_EQ(mask.shift(), 2u);
}

TEST(ZeroColumnsTest, shifts_have_a_limit) {
  ZeroColumns mask;
  const uint64_t by_20 = mask_descriptor(0, 0, false, 0, 0, 20);
  EXPECT_EQ(ZeroColumns::read(by_20, stationary(64, 128), mask), "");
  EXPECT_EQ(mask.columns_behind(), 32u);
  EXPECT_EQ(ZeroColumns::read(by_20, stationary(32, 128), mask),
            "the column shift (bits 56 to 61) is 20, but at most 16 is possible with M 32 and a maximum shift of 32 "
            "(instruction descriptor, bits 30 and 31)");
  EXPECT_NE(ZeroColumns::read(by_20, stationary(64, 128, 16), mask), "");
}

TEST(TensorProductTable, next_four_scale_factors_are_behind_128_rows_and_128_columns) {
  // CUTLASS 4, tmem_sf_frg: 32 lines a column, and lines are a multiple of 128.
  TensorProductForm form;
  form.kind = TensorProductForm::Kind::mxf4nvf4;
  form.scales = 4;
  TensorProduct product;
  for (const auto& [n, step] : {std::pair(32u, 4u), std::pair(128u, 4u), std::pair(136u, 8u), std::pair(256u, 8u)}) {
    ASSERT_EQ(TensorProduct::read(0x88800480 | n / 8 << 17, form, product), "");
    EXPECT_EQ(product.scale_step(false), step) << n;
    EXPECT_EQ(product.columns_of_scales(false), step + (n + 31) / 32) << n;
    EXPECT_EQ(product.scale_step(true), 4u);
  }
}

}  // namespace
}  // namespace bankshot::simt

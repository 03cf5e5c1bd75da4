// Tensor memory: allocation, where loads and stores find its cells, and the descriptors of products.
#include "bankshot/simt/tensor_memory/tensor_memory.hpp"

#include <gtest/gtest.h>

#include <set>

#include "bankshot/simt/matrices/tensor_product.hpp"
#include "bankshot/simt/tensor_access/copy_in.hpp"

namespace bankshot::simt {
namespace {

TEST(TensorMemory, columns_are_allocated_in_aligned_powers_of_two) {
  EXPECT_FALSE(TensorMemory::can_be_allocated(16));
  EXPECT_FALSE(TensorMemory::can_be_allocated(96));
  EXPECT_FALSE(TensorMemory::can_be_allocated(1024));
  TensorMemory memory;
  EXPECT_EQ(memory.allocate(32), 0u);
  EXPECT_EQ(memory.allocate(256), 256u);
  EXPECT_EQ(memory.allocate(64), 64u);
  EXPECT_EQ(memory.in_use(), 352u);
  EXPECT_FALSE(memory.allocate(256));
  EXPECT_TRUE(memory.allocated(64, 64));
  EXPECT_FALSE(memory.allocated(0, 64));
  EXPECT_FALSE(memory.allocated(500, 64));
  EXPECT_FALSE(memory.free(256, 128)) << "a part of an allocation";
  EXPECT_FALSE(memory.free(96, 32));
  EXPECT_TRUE(memory.free(256, 256));
  EXPECT_EQ(memory.allocate(128), 128u);
}

TEST(TensorMoveShape, registers_are_where_the_manual_draws_them) {
  const auto cell = [](const char* shape, const char* num, unsigned reg, unsigned thread, bool packed = false) {
    TensorMoveShape s;
    EXPECT_TRUE(TensorMoveShape::named(shape, num, packed, s));
    const TensorAddress at = s.cell(reg, thread, 100);
    return std::pair(at.lane, at.column);
  };
  EXPECT_EQ(cell("32x32b", "x4", 3, 17), std::pair(17u, 3u));
  // Threads 0 and 2 are side by side in lane 0, 1 and 3 in lane 8.
  EXPECT_EQ(cell("16x64b", "x1", 0, 2), std::pair(0u, 1u));
  EXPECT_EQ(cell("16x64b", "x1", 0, 3), std::pair(8u, 1u));
  EXPECT_EQ(cell("16x64b", "x2", 1, 4), std::pair(1u, 2u));
  EXPECT_EQ(cell("16x128b", "x1", 0, 7), std::pair(1u, 3u));
  EXPECT_EQ(cell("16x128b", "x2", 3, 7), std::pair(9u, 7u));
  EXPECT_EQ(cell("16x256b", "x1", 1, 5), std::pair(1u, 3u));
  EXPECT_EQ(cell("16x256b", "x2", 6, 5), std::pair(9u, 10u));
  EXPECT_EQ(cell("16x32bx2", "x2", 1, 3), std::pair(3u, 1u));
  EXPECT_EQ(cell("16x32bx2", "x2", 1, 19), std::pair(3u, 101u));
  EXPECT_EQ(cell("32x32b", "x2", 1, 0, true), std::pair(0u, 2u));
  TensorMoveShape none;
  EXPECT_FALSE(TensorMoveShape::named("16x256b", "x64", false, none));
}

TEST(TensorMoveShape, every_register_has_a_cell_of_its_own) {
  for (const char* shape : {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"}) {
    for (const char* num : {"x1", "x2", "x8", "x32"}) {
      TensorMoveShape s;
      ASSERT_TRUE(TensorMoveShape::named(shape, num, false, s));
      EXPECT_EQ(TensorMoveShape::from_bits(s.bits()).registers, s.registers);
      std::set<uint32_t> cells;
      const bool in_two = s.kind == TensorMoveShape::Kind::b32x16x2;
      for (unsigned reg = 0; reg < s.registers; ++reg) {
        for (unsigned thread = 0; thread < 32; ++thread) {
          const TensorAddress at = s.cell(reg, thread, s.columns());
          EXPECT_LT(at.lane, s.lanes());
          EXPECT_LT(at.column, s.columns() * (in_two ? 2 : 1));
          cells.insert(at.packed());
        }
      }
      EXPECT_EQ(cells.size(), 32 * s.registers) << shape << num;
    }
  }
}

constexpr uint32_t kSumsF32 = 1 << 4;
constexpr uint32_t shape(uint32_t m, uint32_t n) { return m / 16 << 24 | n / 8 << 17; }

std::string wrong(uint32_t descriptor, const TensorProductForm& form = {}) {
  TensorProduct product;
  return TensorProduct::read(descriptor, form, product);
}

TEST(TensorProduct, descriptor_is_read_by_field) {
  TensorProduct p;
  // The manual's example of bf16 by bf16 into f32, A MN-major, B negated.
  ASSERT_EQ(TensorProduct::read(shape(128, 96) | kSumsF32 | 1 << 7 | 1 << 10 | 1 << 14 | 1 << 15, {}, p), "");
  EXPECT_EQ(p.m, 128u);
  EXPECT_EQ(p.n, 96u);
  EXPECT_EQ(p.k(), 16u);
  EXPECT_EQ(p.a, Element::bf16);
  EXPECT_TRUE(p.negate_b && p.mn_major_a && !p.negate_a && !p.mn_major_b);
  EXPECT_NE(wrong(shape(96, 64) | kSumsF32).find("M is 96, but .kind::f16 takes 64 and 128"), std::string::npos);
  EXPECT_NE(wrong(shape(128, 0) | kSumsF32).find("N is 0"), std::string::npos);
  EXPECT_NE(wrong(shape(128, 64) | 2 << 4).find("it must be f16 (0) or f32 (1)"), std::string::npos);
  EXPECT_NE(wrong(shape(128, 64) | kSumsF32 | 3 << 7).find("type code 3 of A"), std::string::npos);
  EXPECT_NE(wrong(shape(128, 64) | kSumsF32 | 4).find("sparse"), std::string::npos);
  TensorProductForm form;
  form.kind = TensorProductForm::Kind::i8;
  EXPECT_EQ(wrong(shape(64, 24) | 2 << 4, form), "");
  EXPECT_NE(wrong(shape(64, 40) | 2 << 4, form).find("multiples of 16"), std::string::npos);
}

TEST(TensorProduct, sums_are_in_cells_of_their_own) {
  struct Case {
    unsigned m;
    bool pair, stationary;
    unsigned columns;
  };
  for (const Case& c : {Case{128, false, false, 64}, Case{64, false, false, 64}, Case{64, false, true, 32},
                        Case{32, false, true, 16}, Case{256, true, false, 64}, Case{128, true, false, 32}}) {
    TensorProductForm form;
    form.pair = c.pair;
    form.stationary = c.stationary;
    TensorProduct p;
    ASSERT_EQ(TensorProduct::read(shape(c.m, 64) | kSumsF32, form, p), "");
    EXPECT_EQ(p.columns(), c.columns);
    std::set<uint32_t> cells;
    for (unsigned row = 0; row < p.rows(); ++row) {
      for (unsigned column = 0; column < p.n; ++column) {
        const TensorAddress at = p.sum(row, column);
        EXPECT_LT(at.lane, p.lanes());
        EXPECT_LT(at.column, p.columns());
        cells.insert(at.packed());
      }
    }
    EXPECT_EQ(cells.size(), p.rows() * p.n);
  }
}

TEST(TensorCopyForm, rows_go_to_the_quarters_of_the_lanes) {
  const TensorCopyForm all = TensorCopyForm::unpacked(TensorCopyForm::named("32x128b", false).packed());
  EXPECT_EQ(all.copies, 4);
  EXPECT_EQ(all.lane(5, 3), 101u);
  EXPECT_EQ(TensorCopyForm::named("64x128b", false).lane(40, 1), 104u);
  EXPECT_EQ(TensorCopyForm::named("64x128b", true).lane(40, 1), 104u);
  EXPECT_EQ(TensorCopyForm::named("64x128b", true).lane(8, 1), 40u);
  EXPECT_EQ(TensorCopyForm::named("4x256b", false).lane(3, 0), 96u);
  EXPECT_EQ(TensorCopyForm::named("128x256b", false).lane(127, 0), 127u);
}

}  // namespace
}  // namespace bankshot::simt

// Where the operands of wgmma lie, by hand from the PTX ISA's canonical layouts.
#include "bankshot/simt/matrices/warpgroup_form.hpp"

#include <gtest/gtest.h>

#include <set>

namespace bankshot::simt {
namespace {

/// @param atom_code  bits 62 and 63: 0 none, 1 128 bytes, 2 64, 3 32
uint64_t bits_of(uint64_t start, uint64_t leading, uint64_t stride, uint64_t atom_code, uint64_t base_offset = 0) {
  return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | base_offset << 49 | atom_code << 62;
}

TEST(MatrixDescriptor, has_its_fields_in_units_of_16_bytes) {
  const MatrixDescriptor d = MatrixDescriptor::unpacked(bits_of(0x1230, 0x80, 0x400, 1, 5));
  EXPECT_EQ(d.start, 0x1230u);
  EXPECT_EQ(d.leading, 0x80u);
  EXPECT_EQ(d.stride, 0x400u);
  EXPECT_EQ(d.base_offset, 5u);
  EXPECT_EQ(d.atom, 128u);
  EXPECT_EQ(MatrixDescriptor::unpacked(bits_of(0, 0, 0, 0)).atom, 16u);
  EXPECT_EQ(MatrixDescriptor::unpacked(bits_of(0, 0, 0, 2)).atom, 64u);
  EXPECT_EQ(MatrixDescriptor::unpacked(bits_of(0, 0, 0, 3)).atom, 32u);
}

TEST(MatrixDescriptor, without_a_swizzle_a_core_is_128_bytes_in_a_row) {
  const MatrixDescriptor d = MatrixDescriptor::unpacked(bits_of(0x400, 0x100, 0x80, 0));
  const OperandCore core = d.core(false, 3, 1);  // 0x400 + 3 * 0x80 + 0x100
  for (uint32_t r = 0; r < 8; ++r) EXPECT_EQ(core[r], 0x680u + 16 * r);
  const OperandCore across = d.core(true, 3, 1);  // MN-major: the offsets change their parts
  for (uint32_t r = 0; r < 8; ++r) EXPECT_EQ(across[r], 0x400u + 3 * 0x100 + 0x80 + 16 * r);
}

TEST(MatrixDescriptor, a_swizzle_of_128_bytes_permutes_the_units_of_a_row_by_its_number) {
  const MatrixDescriptor d = MatrixDescriptor::unpacked(bits_of(0x400, 16, 0x400, 1));
  const OperandCore core = d.core(false, 1, 3);  // row 8 + r begins at 0x800 + 128 r; unit 3 is unit 3 ^ r there
  const uint32_t units[] = {3, 2, 1, 0, 7, 6, 5, 4};
  for (uint32_t r = 0; r < 8; ++r) EXPECT_EQ(core[r], 0x800 + 128 * r + 16 * units[r]);
}

TEST(MatrixDescriptor, the_base_offset_is_subtracted_from_the_number_of_the_row) {
  const MatrixDescriptor d = MatrixDescriptor::unpacked(bits_of(0x480, 16, 0x400, 1, 1));  // starts at row 1 of an atom
  EXPECT_EQ(d.core(false, 0, 2)[0], 0x480u + 32);
  EXPECT_EQ(d.core(false, 0, 2)[1], 0x500u + 48);
}

TEST(MatrixDescriptor, a_core_has_no_two_rows_in_one_bank) {
  for (const uint64_t atom : {0, 1, 2, 3}) {
    for (const bool mn_major : {false, true}) {
      for (uint64_t start = 0; start < 2048; start += 16) {
        const MatrixDescriptor d = MatrixDescriptor::unpacked(bits_of(start, 0x200, 0x430, atom, start / 16 % 8));
        const OperandCore core = d.core(mn_major, 2, 1);
        std::set<uint32_t> banks;
        for (const uint32_t at : core) banks.insert(at % 128 / 16);
        ASSERT_EQ(banks.size(), 8u) << "atom " << atom << " start " << start;
      }
    }
  }
}

TEST(WarpgroupForm, is_the_same_after_packing) {
  WarpgroupForm form;
  form.n = 256;
  form.k = 64;
  form.d = Element::s32;
  form.a = Element::u8;
  form.b = Element::s8;
  form.negate_b = form.mn_major_a = form.saturate = form.sparse = true;
  form.selector = 1;
  const WarpgroupForm again = WarpgroupForm::unpacked(form.packed());
  EXPECT_EQ(again.packed(), form.packed());
  EXPECT_EQ(again.n, 256u);
  EXPECT_EQ(again.k, 64u);
  EXPECT_EQ(again.d, Element::s32);
  EXPECT_EQ(again.a, Element::u8);
  EXPECT_EQ(again.b, Element::s8);
  EXPECT_FALSE(again.negate_a);
  EXPECT_TRUE(again.negate_b && again.mn_major_a && again.saturate && again.sparse);
  EXPECT_EQ(again.selector, 1u);
}

TEST(WarpgroupForm, accumulators_and_operands_have_the_registers_of_the_ptx_isa) {
  WarpgroupForm form;
  form.n = 24;
  form.k = 16;
  EXPECT_EQ(form.fragment(Fragment::Role::c).registers(), 12u);  // n / 2 of f32
  form.d = Element::f16;
  EXPECT_EQ(form.fragment(Fragment::Role::c).registers(), 6u);  // n / 4
  EXPECT_EQ(form.fragment(Fragment::Role::a).registers(), 4u);
}

TEST(WarpgroupForm, a_sparse_matrix_keeps_half_of_its_elements) {
  WarpgroupForm form;
  form.k = 32;
  form.sparse = true;
  form.selector = 1;
  EXPECT_EQ(form.selection().kept, 16u);
  EXPECT_EQ(form.selection().bits, 16u);
  EXPECT_EQ(form.selection().selector, 1u);
}

}  // namespace
}  // namespace bankshot::simt

// Products of a warp with a sparse A: mma.sp. Source: PTX ISA 9.0, "Matrix multiply-accumulate operation using mma.sp
// instruction with sparse matrix A". Which elements the metadata select: sparse_selection.hpp; sums are those of mma.
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/tensor_products.hpp"
#include "bankshot/simt/isa/lanes/warp_product.hpp"
#include "bankshot/simt/lower/lower_matrix.hpp"
#include "bankshot/simt/matrices/matrix.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// Each row of A meets other rows of B, so that the sums of a row are computed side by side.
const Instr* multiply_sparse_floats(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  set_fp(w, i);
  const Product p(w, i);
  constexpr unsigned kLines = kSideBySide;  // eight columns, and eight of zeros
  alignas(64) f32 a[Product::kM * Product::kMostKept],
      b[Product::kMostDepth * kLines] = {}, own[Product::kMostKept * kLines], sums[Product::kM * kLines] = {};
  gather<u32>(p.a_rows, p.a, {p.kept, 1}, a);
  gather<u32>(p.b_rows, p.b, {1, kLines}, b);
  gather_sums(p.c_rows, p.c, {kLines, 1}, sums);
  for (unsigned row = 0; row < Product::kM; ++row) {
    select_rows(p.selection(i), w.row<const u32>(i->op[4]), row, kLines, b, kLines, own);
    const Dense dense{kLines, 1, p.kept, p.b.element, p.a.element, p.c.element, own, a + row * p.kept};
    if (p.d.element == Element::f16) {
      multiply<true>(dense, sums + row * kLines);
    } else {
      multiply<false>(dense, sums + row * kLines);
    }
  }
  scatter_sums(p.d_rows, p.d, {kLines, 1}, sums);
  return i + 1;
}

const Instr* multiply_sparse_integers(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  const Product p(w, i);
  alignas(64) s32 a[Product::kM * Product::kMostKept], b[Product::kMostDepth * Product::kN],
      own[Product::kMostKept * Product::kN];
  alignas(64) s32 sums[Product::kM * Product::kN] = {}, c[Product::kM * Product::kN];
  gather<u32>(p.a_rows, p.a, {p.kept, 1}, a);
  gather<u32>(p.b_rows, p.b, {1, Product::kN}, b);
  for_sums<const s32>(p.c_rows, p.c, {Product::kN, 1}, [&](unsigned at, s32 x) { c[at] = x; });
  for (unsigned row = 0; row < Product::kM; ++row) {
    select_rows(p.selection(i), w.row<const u32>(i->op[4]), row, Product::kN, b, Product::kN, own);
    for (unsigned q = 0; q < p.kept; ++q) {
      const s32 factor = a[row * p.kept + q];
      for (unsigned j = 0; j < Product::kN; ++j) sums[row * Product::kN + j] += factor * own[q * Product::kN + j];
    }
  }
  const bool saturates = i->small & MmaSmall::kSaturate;
  for_sums<s32>(p.d_rows, p.d, {Product::kN, 1},
                [&](unsigned at, s32& x) { x = finished(s64{c[at]} + sums[at], saturates); });
  return i + 1;
}

}  // namespace

void sparse_matrix_rows(Rows& rows) {
  const auto add = [&](std::string_view syntax, std::string_view sets, Handler handler) {
    rows.push_back({syntax, sets, Unit::tensor, always(handler), &lower_mma, {}, &product_work});
  };
#define BANKSHOT_SP "spvariant = sp sp::ordered_metadata; "
  const auto floats = &multiply_sparse_floats, integers = &multiply_sparse_integers;
  // Operands: d, a, b, c, the metadata, and the selector of the lanes that hold it.
  add("mma.spvariant.sync.aligned.shape.row.col.f32.f16.f16.f32 d, a, b, c, e:b32, f:imm",
      BANKSHOT_SP "shape = m16n8k16 m16n8k32", floats);
  add("mma.spvariant.sync.aligned.shape.row.col.f16.f16.f16.f16 d, a, b, c, e:b32, f:imm",
      BANKSHOT_SP "shape = m16n8k16 m16n8k32", floats);
  add("mma.spvariant.sync.aligned.shape.row.col.f32.bf16.bf16.f32 d, a, b, c, e:b32, f:imm",
      BANKSHOT_SP "shape = m16n8k16 m16n8k32", floats);
  add("mma.spvariant.sync.aligned.shape.row.col.f32.tf32.tf32.f32 d, a, b, c, e:b32, f:imm",
      BANKSHOT_SP "shape = m16n8k8 m16n8k16", floats);
  add("mma.spvariant.sync.aligned.m16n8k64.row.col.f32.atype.btype.f32 d, a, b, c, e:b32, f:imm",
      BANKSHOT_SP "atype = e4m3 e5m2; btype = e4m3 e5m2", floats);
  add("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16.atype.btype.f16 d, a, b, c, e:b32, f:imm",
      "atype = e4m3 e5m2; btype = e4m3 e5m2", floats);
  add("mma.spvariant.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c, e:b32, f:imm",
      BANKSHOT_SP "shape = m16n8k32 m16n8k64; atype = s8 u8; btype = s8 u8", integers);
  add("mma.spvariant.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c, e:b32, f:imm",
      BANKSHOT_SP "shape = m16n8k64 m16n8k128; atype = s4 u4; btype = s4 u4", integers);
#undef BANKSHOT_SP
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// Products of a warp whose elements have 4, 6 or 8 bits: mma and mma.sp with .kind, with scale factors or without.
// Source: PTX ISA 9.0, "Multiply-and-Accumulate Instruction: mma" and "Block Scaling for mma.sync".
// Their sums: scaled_products.hpp.
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/scaled_products.hpp"
#include "bankshot/simt/isa/lanes/tensor_products.hpp"
#include "bankshot/simt/isa/lanes/warp_product.hpp"
#include "bankshot/simt/lower/lower_matrix.hpp"
#include "bankshot/simt/matrices/matrix.hpp"
#include "bankshot/simt/matrices/scale_factors.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

static_assert(Addends::kSums == Product::kN);
/// Of all rows and columns: 1 where the instruction has no scale factors.
struct Scales {
  Scale a[Product::kM][ScaledDots::kMostScales], b[Product::kN][ScaledDots::kMostScales];

  Scales() = default;
  Scales(const ScaleFactors& bytes, const MmaVariant& variant) {
    for (unsigned k = 0; k < variant.scales; ++k) {
      for (unsigned row = 0; row < Product::kM; ++row) a[row][k] = {bytes.a[row][k], variant.scale};
      for (unsigned column = 0; column < Product::kN; ++column) b[column][k] = {bytes.b[column][k], variant.scale};
    }
  }
};

const Instr* multiply_scaled(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  const MmaVariant variant = MmaVariant::unpacked(i->imm);
  Scales scales;
  if (variant.scale != ScaleFormat::none) {
    ScaleFactors bytes;
    if (!fetch_scales(w, i, variant, bytes)) return nullptr;
    scales = {bytes, variant};
  }
  set_fp(w, i);
  const Product p(w, i);
  alignas(64) f32 a[Product::kM * Product::kMostKept], b[Product::kMostDepth * Product::kN],
      own[Product::kMostKept * Product::kN], sums[Product::kM * Product::kN];
  gather<u32>(p.a_rows, p.a, {p.kept, 1}, a);
  gather<u32>(p.b_rows, p.b, {1, Product::kN}, b);
  gather_sums(p.c_rows, p.c, {Product::kN, 1}, sums);
  for (unsigned row = 0; row < Product::kM; ++row) {
    if (p.sparse) select_rows(p.selection(i), w.row<const u32>(i->op[4]), row, Product::kN, b, Product::kN, own);
    const ScaledDots dots{a + row * p.kept, p.sparse ? own : b, Product::kN,   p.kept,  p.a.element,
                          p.b.element,      variant.scales,     scales.a[row], scales.b};
    f32* const c = sums + row * Product::kN;
    p.d.element == Element::f16 ? add_scaled<true>(dots, c) : add_scaled<false>(dots, c);
  }
  scatter_sums(p.d_rows, p.d, {Product::kN, 1}, sums);
  return i + 1;
}

}  // namespace

void scaled_matrix_rows(Rows& rows) {
  const auto add = [&](std::string_view syntax, std::string_view sets) {
    rows.push_back({syntax, sets, Unit::tensor, always(&multiply_scaled), &lower_mma, {}, &product_work});
  };
  constexpr std::string_view kTypes = "atype = e4m3 e5m2 e3m2 e2m3 e2m1; btype = e4m3 e5m2 e3m2 e2m3 e2m1";
  add("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.atype.btype.f32 d, a, b, c", kTypes);
  add("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.atype.btype.f16 d, a, b, c", kTypes);
  add("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.atype.btype.f32 d, a, b, c, e:b32, "
      "f:imm",
      kTypes);
  add("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16.atype.btype.f16 d, a, b, c, e:b32, "
      "f:imm",
      kTypes);
  // Operands behind these: registers with scale factors of A, and {byte, thread} where they are; the same of B.
#define BANKSHOT_SCALES ", sa:b32, ia, sb:b32, ib"
#define BANKSHOT_SPARSE "mma.sp::ordered_metadata.sync.aligned."
  add("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.atype.btype.f32.ue8m0 d, a, b, "
      "c" BANKSHOT_SCALES,
      kTypes);
  add(BANKSHOT_SPARSE
      "m16n8k64.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32.atype.btype.f32.ue8m0 d, a, b, c, e:b32, "
      "f:imm" BANKSHOT_SCALES,
      kTypes);
  add("mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale{.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0 d, a, b, "
      "c" BANKSHOT_SCALES,
      "");
  add(BANKSHOT_SPARSE
      "m16n8k128.row.col.kind::mxf4.block_scale{.scale_vec::2X}.f32.e2m1.e2m1.f32.ue8m0 d, a, b, c, e:b32, "
      "f:imm" BANKSHOT_SCALES,
      "");
  for (const std::string_view form :
       {"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 d, a, b, "
        "c" BANKSHOT_SCALES,
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 d, a, b, "
        "c" BANKSHOT_SCALES,
        BANKSHOT_SPARSE
        "m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 d, a, b, c, e:b32, "
        "f:imm" BANKSHOT_SCALES,
        BANKSHOT_SPARSE
        "m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 d, a, b, c, e:b32, "
        "f:imm" BANKSHOT_SCALES}) {
    add(form, "");
  }
#undef BANKSHOT_SPARSE
#undef BANKSHOT_SCALES
}

}  // namespace bankshot::simt::BANKSHOT_ISA

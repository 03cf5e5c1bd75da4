// Products of a warp whose elements have 4, 6 or 8 bits: mma and mma.sp with .kind, with scale factors or without.
// Source: PTX ISA 9.0, "Multiply-and-Accumulate Instruction: mma" and "Block Scaling for mma.sync".
//
// Their sums were not measured. They are assumed to be those of the model of Xie et al., "MMA-Sim: Bit-Accurate
// Reference Model of Tensor Cores and Matrix Cores", arXiv 2511.10909 (2025), for an RTX Blackwell. They are those of
// mma, where the exponent of a product includes those of its scale factors. Of packed e2m1, however, sixteen products
// at a time are added up exactly; their sum is one addend with the exponent of its scale factors, and 35 places count.
#include "bankshot/simt/isa/lanes/addends.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/tensor_products.hpp"
#include "bankshot/simt/isa/lanes/warp_product.hpp"
#include "bankshot/simt/lower/lower_matrix.hpp"
#include "bankshot/simt/matrices/matrix.hpp"
#include "bankshot/simt/matrices/scale_factors.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

static_assert(Addends::kSums == Product::kN);
constexpr unsigned kGroup = 16;  ///< products of packed e2m1 that are one addend
constexpr s32 kPlaces = 25, kPlacesOfGroups = 35;

s32 least_exponent_of(Element element) {
  switch (element) {
    case Element::e3m2: return -2;
    case Element::e2m3:
    case Element::padded_e2m1: return 0;
    default: return least_exponent(element);
  }
}

struct Scale {
  f64 value = 1;
  s32 exponent = 0;

  Scale() = default;
  Scale(u8 byte, ScaleFormat format) {
    if (format == ScaleFormat::ue8m0) {
      exponent = byte - 127;
      value = byte == 0xff ? __builtin_nan("") : power_of_two(exponent);
    } else {
      const u32 magnitude = byte & 0x7fu;
      const f32 number = small_float<4, 3>(magnitude);
      exponent = exponent_of(number, least_exponent(Element::e4m3));
      value = magnitude == 0x7f ? __builtin_nan("") : static_cast<f64>(number);
    }
  }
};

/// Of all rows and columns: 1 where the instruction has no scale factors.
struct Scales {
  Scale a[Product::kM][4], b[Product::kN][4];

  Scales() = default;
  Scales(const ScaleFactors& bytes, const MmaVariant& variant) {
    for (unsigned k = 0; k < variant.scales; ++k) {
      for (unsigned row = 0; row < Product::kM; ++row) a[row][k] = {bytes.a[row][k], variant.scale};
      for (unsigned column = 0; column < Product::kN; ++column) b[column][k] = {bytes.b[column][k], variant.scale};
    }
  }
};

void put_addend(Addends& all, unsigned column, f64 value, s32 exponent) {
  all.value[all.count][column] = value;
  all.exponent[all.count][column] = value == 0 ? kNoExponent : exponent;
}

/// @param a  a row of A @param b  the rows of B that it meets: [kept][Product::kN]
void add_products(const Product& p, const f32* a, const f32* b, const Scales& scales, unsigned row, Addends& all) {
  const s32 least_a = least_exponent_of(p.a.element), least_b = least_exponent_of(p.b.element);
  f64 scale[Product::kN];
  s32 exponent[Product::kN];
  for (unsigned j = 0; j < Product::kN; ++j) {
    scale[j] = scales.a[row][0].value * scales.b[j][0].value;
    exponent[j] = scales.a[row][0].exponent + scales.b[j][0].exponent;
  }
  for (unsigned q = 0; q < p.kept; ++q, ++all.count) {
    const f64 x = a[q];
    const s32 e = exponent_of(a[q], least_a);
    for (unsigned j = 0; j < Product::kN; ++j) {
      const f32 y = b[q * Product::kN + j];
      put_addend(all, j, x * static_cast<f64>(y) * scale[j], e + exponent_of(y, least_b) + exponent[j]);
    }
  }
}

/// The same of packed e2m1. @param count  scale factors of the row
void add_groups(const Product& p, const f32* a, const f32* b, const Scales& scales, unsigned count, unsigned row,
                Addends& all) {
  const unsigned groups = p.kept / kGroup;
  for (unsigned group = 0; group < groups; ++group, ++all.count) {
    f32 dots[Product::kN] = {};  // multiples of 1/4, exact
    for (unsigned q = group * kGroup; q < (group + 1) * kGroup; ++q) {
      for (unsigned j = 0; j < Product::kN; ++j) dots[j] += a[q] * b[q * Product::kN + j];
    }
    const unsigned k = group * count / groups;
    const Scale& of_a = scales.a[row][k];
    for (unsigned j = 0; j < Product::kN; ++j) {
      const Scale& of_b = scales.b[j][k];
      put_addend(all, j, static_cast<f64>(dots[j]) * of_a.value * of_b.value, of_a.exponent + of_b.exponent);
    }
  }
}

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
  const bool grouped = p.a.element == Element::e2m1;
  for (unsigned row = 0; row < Product::kM; ++row) {
    if (p.sparse) select_rows(p.selection(i), w.row<const u32>(i->op[4]), row, Product::kN, b, own);
    const f32 *const of_a = a + row * p.kept, *const of_b = p.sparse ? own : b;
    Addends all;
    if (grouped) {
      add_groups(p, of_a, of_b, scales, variant.scales, row, all);
    } else {
      add_products(p, of_a, of_b, scales, row, all);
    }
    f32* const c = sums + row * Product::kN;
    const s32 places = grouped ? kPlacesOfGroups : kPlaces;
    p.d.element == Element::f16 ? add_up<true>(all, places, c) : add_up<false>(all, places, c);
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

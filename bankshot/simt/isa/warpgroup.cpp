// Products of a warpgroup: wgmma. Source: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
// Instructions"; their sums are those of an H100 (docs/hopper.md). How an instruction is laid out: lower_warpgroup.hpp.
//
// The four warps meet at each product, and the last one computes it at once, before the program may use it. fence,
// commit_group and wait_group therefore do nothing.
#include <algorithm>
#include <cstring>

#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/register_products.hpp"
#include "bankshot/simt/isa/lanes/shared_operands.hpp"
#include "bankshot/simt/isa/lanes/tensor_products.hpp"
#include "bankshot/simt/isa/lanes/warp_product.hpp"
#include "bankshot/simt/lower/lower_control.hpp"
#include "bankshot/simt/lower/lower_matrix.hpp"
#include "bankshot/simt/lower/lower_warpgroup.hpp"
#include "bankshot/simt/matrices/matrix.hpp"
#include "bankshot/simt/matrices/warpgroup_operands.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

using Role = Fragment::Role;

constexpr unsigned kRowsOfA = WarpgroupForm::kM, kMostColumns = WarpgroupForm::kMostN, kDepth = WarpgroupForm::kDepth;
constexpr unsigned kMostDepth = 32;  ///< elements of a row of A, of more than one bit

Precision precision_of(const WarpgroupForm& form) { return bits(form.a) == 8 ? Precision{13, 13} : Precision{}; }

Rows32 d_rows(const Warp& w, const Instr* i) { return {w, w.worker->program->lists[i->op[0]].data()}; }
Rows32 a_rows(const Warp& w, const Instr* i, const WarpgroupForm& form) {
  return {w, d_rows(w, i).list + form.fragment(Role::c).registers()};
}

/// The accumulators of one warp, before a product. Integers are added afterwards: as f32 they would be rounded.
void begin_sums(const Warp& w, const Instr* i, const WarpgroupForm& form, bool accumulates, Layout layout, f32* sums) {
  if (accumulates && form.d != Element::s32) return gather_sums(d_rows(w, i), form.fragment(Role::c), layout, sums);
}

/// And after it. Inlined, since what it does depends on the layout. @param sums  exact, of integers
[[gnu::always_inline]] inline void end_sums(const Warp& w, const Instr* i, const WarpgroupForm& form, bool accumulates,
                                            Layout layout, const f32* sums) {
  if (form.d != Element::s32) return scatter_sums(d_rows(w, i), form.fragment(Role::c), layout, sums);
  for_sums<s32>(d_rows(w, i), form.fragment(Role::c), layout, [&](unsigned at, s32& d) {
    d = finished(s64{accumulates ? d : 0} + static_cast<s32>(sums[at]), form.saturate);
  });
}

/// @tparam Most  elements of dense.x or .y
template <unsigned Most>
void multiply_for(const WarpgroupForm& form, const Dense& dense, const Exact& exact, f32* sums) {
  switch (form.d) {
    case Element::s32: return multiply_integers(dense, sums);
    case Element::f16: return multiply<true, Most>(dense, exact, sums);
    default: return multiply<false, Most>(dense, exact, sums);
  }
}

/// Sums of f16, two of which are in a register.
void multiply_halves(const Warpgroup& group, const Instr* i, const WarpgroupForm& form, bool accumulates,
                     const Dense& dense) {
  alignas(64) f32 sums[kRowsOfA * kMostColumns];
  const Layout of_sums{1, kRowsOfA};
  if (!accumulates) std::fill_n(sums, kRowsOfA * form.n, 0.0f);
  for (unsigned w = 0; w < group.size(); ++w)
    begin_sums(*group[w], i, form, accumulates, of_sums, sums + w * WarpgroupForm::kRows);
  multiply<true, kMostColumns * kMostDepth>(dense, sums);
  for (unsigned w = 0; w < group.size(); ++w)
    end_sums(*group[w], i, form, accumulates, of_sums, sums + w * WarpgroupForm::kRows);
}

/// The others. @tparam K  of the product
template <unsigned K>
void multiply_words(const Warpgroup& group, const Instr* i, const WarpgroupForm& form, bool accumulates,
                    const Dense& dense) {
  RegisterProduct<K, kMostColumns> product(dense);
  if (form.d == Element::s32) {
    for (unsigned w = 0; w < group.size(); ++w)
      product.add_integers(d_rows(*group[w], i), w, accumulates, form.saturate);
    return;
  }
  const Exact exact = Exact::of(dense);
  for (unsigned w = 0; w < group.size(); ++w) product.add_floats(exact, d_rows(*group[w], i), w, accumulates);
}

/// @return whether the product was made; false after a fault
bool dense_product(const Warpgroup& group, const Instr* i) {
  const WarpgroupForm form = WarpgroupForm::unpacked(i->imm);
  WarpgroupOperands operands;
  if (!fetch_operands(group, i, form, operands)) return false;
  set_fp(*group[0], i);
  alignas(64) f32 x[kRowsOfA * kMostDepth], y[kMostColumns * kMostDepth];
  const auto [n, k] = std::pair(form.n, form.k);
  gather_cores(operands.b.data(), form.b, form.mn_major_b, n, kDepth, {k, 1}, y);
  if (i->op[1] != OperandRef::kNone) {
    gather_cores(operands.a.data(), form.a, form.mn_major_a, kRowsOfA, kDepth, {1, kRowsOfA}, x);
  } else {
    for (unsigned w = 0; w < group.size(); ++w)
      gather_side_by_side(a_rows(*group[w], i, form), form.fragment(Role::a), kRowsOfA, x + w * WarpgroupForm::kRows);
  }
  if (form.negate_a) negate(x, kRowsOfA * k);
  if (form.negate_b) negate(y, n * k);
  const Dense dense{kRowsOfA, n, k, form.a, form.b, form.d, x, y, precision_of(form)};
  if (form.d == Element::f16) {
    multiply_halves(group, i, form, operands.accumulates, dense);
  } else if (k == 8) {
    multiply_words<8>(group, i, form, operands.accumulates, dense);
  } else if (k == 16) {
    multiply_words<16>(group, i, form, operands.accumulates, dense);
  } else {
    multiply_words<32>(group, i, form, operands.accumulates, dense);
  }
  return true;
}

/// A is sparse: each of its rows meets other rows of B, so that sums of a row are computed side by side.
bool sparse_product(const Warpgroup& group, const Instr* i) {
  const WarpgroupForm form = WarpgroupForm::unpacked(i->imm);
  WarpgroupOperands operands;
  if (!fetch_operands(group, i, form, operands)) return false;
  set_fp(*group[0], i);
  const unsigned kept = form.kept(), n = form.n, lines = (n + kSideBySide - 1) / kSideBySide * kSideBySide;
  alignas(64) f32 a[kRowsOfA * kMostDepth], b[2 * kMostDepth * kMostColumns] = {}, own[kMostDepth * kMostColumns];
  alignas(64) f32 sums[WarpgroupForm::kRows * kMostColumns];
  gather_cores(operands.b.data(), form.b, form.mn_major_b, n, form.depth_of_b(), {1, lines}, b);
  const BitRange bits_of_b = bit_range(b, form.k * lines);
  if (i->op[1] != OperandRef::kNone)
    gather_cores(operands.a.data(), form.a, form.mn_major_a, kRowsOfA, kDepth, {kept, 1}, a);
  for (unsigned w = 0; w < group.size(); ++w) {
    f32* const rows = a + w * WarpgroupForm::kRows * kept;
    if (i->op[1] == OperandRef::kNone) gather<u32>(a_rows(*group[w], i, form), form.fragment(Role::a), {kept, 1}, rows);
    if (form.negate_a != form.negate_b) negate(rows, WarpgroupForm::kRows * kept);
    std::fill_n(sums, WarpgroupForm::kRows * lines, 0.0f);
    begin_sums(*group[w], i, form, operands.accumulates, {lines, 1}, sums);
    const BitRange bits_of_a = bit_range(rows, WarpgroupForm::kRows * kept);
    const u32* const metadata = group[w]->row<const u32>(i->op[4]);
    for (unsigned row = 0; row < WarpgroupForm::kRows; ++row) {
      select_rows(form.selection(), metadata, row, lines, b, lines, own);
      const Dense dense{lines, 1, kept, form.b, form.a, form.d, own, rows + row * kept, precision_of(form)};
      multiply_for<kMostDepth * kMostColumns>(form, dense, Exact(dense, bits_of_b, bits_of_a), sums + row * lines);
    }
    end_sums(*group[w], i, form, operands.accumulates, {lines, 1}, sums);
  }
  return true;
}

/// One bit an element: the sum counts the products that are 1.
bool single_bits(const Warpgroup& group, const Instr* i) {
  const WarpgroupForm form = WarpgroupForm::unpacked(i->imm);
  WarpgroupOperands operands;
  if (!fetch_operands(group, i, form, operands)) return false;
  constexpr unsigned kWords = WarpgroupForm::kDepth / 4, kCoreWords = 4;
  u32 a[kRowsOfA * kWords], b[kMostColumns * kWords];
  const auto gather_words = [](const std::byte* bytes, unsigned rows, u32* out) {
    for (unsigned core = 0; core < rows / kCoreLines * 2; ++core, bytes += SharedOperand::kCoreBytes) {
      for (unsigned line = 0; line < kCoreLines; ++line)
        std::memcpy(out + (core / 2 * kCoreLines + line) * kWords + core % 2 * kCoreWords,
                    bytes + line * kCoreWords * 4, kCoreWords * 4);
    }
  };
  gather_words(operands.b.data(), form.n, b);
  if (i->op[1] != OperandRef::kNone) gather_words(operands.a.data(), kRowsOfA, a);
  for (unsigned w = 0; w < group.size(); ++w) {
    u32* const own = a + w * WarpgroupForm::kRows * kWords;
    if (i->op[1] == OperandRef::kNone) gather_bits(a_rows(*group[w], i, form), form.fragment(Role::a), own);
    alignas(64) f32 sums[WarpgroupForm::kRows * kMostColumns];
    for (unsigned at = 0; at < WarpgroupForm::kRows * form.n; ++at) {
      s32 sum = 0;
      for (unsigned q = 0; q < kWords; ++q)
        sum += __builtin_popcount(own[at / form.n * kWords + q] & b[at % form.n * kWords + q]);
      sums[at] = static_cast<f32>(sum);
    }
    end_sums(*group[w], i, form, operands.accumulates, {form.n, 1}, sums);
  }
  return true;
}

template <WarpgroupBody Body>
const Instr* run_product(Warp& w, const Instr* i) {
  return whole_warp(w, i) ? meet_in_warpgroup(w, i, Body) : nullptr;
}

}  // namespace

// All n of floating-point products; integers have fewer.
#define BANKSHOT_N_EVERYWHERE(k)                                                                                  \
  "shape = m64n8k" k " m64n16k" k " m64n24k" k " m64n32k" k " m64n48k" k " m64n64k" k " m64n80k" k " m64n96k" k   \
  " m64n112k" k " m64n128k" k " m64n144k" k " m64n160k" k " m64n176k" k " m64n192k" k " m64n208k" k " m64n224k" k \
  " m64n240k" k " m64n256k" k
#define BANKSHOT_N_ALL(k)                                                                                     \
  BANKSHOT_N_EVERYWHERE(k)                                                                                    \
  " m64n40k" k " m64n56k" k " m64n72k" k " m64n88k" k " m64n104k" k " m64n120k" k " m64n136k" k " m64n152k" k \
  " m64n168k" k " m64n184k" k " m64n200k" k " m64n216k" k " m64n232k" k " m64n248k" k

void warpgroup_rows(Rows& rows) {
  const auto product = [&](std::string_view syntax, std::string_view sets, Handler handler) {
    rows.push_back({syntax, sets, Unit::warpgroup, always(handler), &lower_warpgroup_product, {}, &warpgroup_work});
  };
  // Operands: d, a or its descriptor, b's descriptor, (sparse: metadata and selector,) scale-d, then as immediates the
  // signs of a and b, and which of them are MN-major.
  const auto dense = &run_product<&dense_product>, sparse = &run_product<&sparse_product>;
  product("wgmma.mma_async.sync.aligned.shape.dtype.f16.f16 d, a, b:b64, p, sa:imm, sb:imm, ta:imm, tb:imm",
          BANKSHOT_N_ALL("16") "; dtype = f16 f32", dense);
  product("wgmma.mma_async.sync.aligned.shape.f32.bf16.bf16 d, a, b:b64, p, sa:imm, sb:imm, ta:imm, tb:imm",
          BANKSHOT_N_ALL("16"), dense);
  product("wgmma.mma_async.sync.aligned.shape.f32.tf32.tf32 d, a, b:b64, p, sa:imm, sb:imm", BANKSHOT_N_ALL("8"),
          dense);
  product("wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b:b64, p, sa:imm, sb:imm",
          BANKSHOT_N_ALL("32") "; dtype = f16 f32; atype = e4m3 e5m2; btype = e4m3 e5m2", dense);
  product("wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.atype.btype d, a, b:b64, p",
          BANKSHOT_N_EVERYWHERE("32") "; atype = s8 u8; btype = s8 u8", dense);
  product("wgmma.mma_async.sync.aligned.shape.s32.b1.b1.and.popc d, a, b:b64, p", BANKSHOT_N_EVERYWHERE("256"),
          &run_product<&single_bits>);
  product(
      "wgmma.mma_async.sp.sync.aligned.shape.dtype.f16.f16 d, a, b:b64, m:b32, s:imm, p, sa:imm, sb:imm, ta:imm, "
      "tb:imm",
      BANKSHOT_N_ALL("32") "; dtype = f16 f32", sparse);
  product(
      "wgmma.mma_async.sp.sync.aligned.shape.f32.bf16.bf16 d, a, b:b64, m:b32, s:imm, p, sa:imm, sb:imm, ta:imm, "
      "tb:imm",
      BANKSHOT_N_ALL("32"), sparse);
  product("wgmma.mma_async.sp.sync.aligned.shape.f32.tf32.tf32 d, a, b:b64, m:b32, s:imm, p, sa:imm, sb:imm",
          BANKSHOT_N_ALL("16"), sparse);
  product("wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype d, a, b:b64, m:b32, s:imm, p, sa:imm, sb:imm",
          BANKSHOT_N_ALL("64") "; dtype = f16 f32; atype = e4m3 e5m2; btype = e4m3 e5m2", sparse);
  product("wgmma.mma_async.sp.sync.aligned.shape{.satfinite}.s32.atype.btype d, a, b:b64, m:b32, s:imm, p",
          BANKSHOT_N_EVERYWHERE("64") "; atype = s8 u8; btype = s8 u8", sparse);
  const auto other = [&](std::string_view syntax, Lower lower) {
    rows.push_back({syntax, "", Unit::fence, always(&run_whole_warp), lower});
  };
  other("wgmma.fence.sync.aligned", &lower_nothing);
  other("wgmma.commit_group.sync.aligned", &lower_nothing);
  other("wgmma.wait_group.sync.aligned n:imm", &lower_warpgroup_wait);
}

#undef BANKSHOT_N_EVERYWHERE
#undef BANKSHOT_N_ALL

}  // namespace bankshot::simt::BANKSHOT_ISA

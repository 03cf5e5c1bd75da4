// Products of a warpgroup: wgmma. Source: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate
// Instructions"; their sums are those of an H100 (docs/hopper.md). How an instruction is laid out: lower_warpgroup.hpp.
//
// The four warps meet at each product, and the last one computes it at once, before the program may use it. fence,
// commit_group and wait_group therefore do nothing.
#include <algorithm>
#include <cstring>

#include "bankshot/simt/isa/lanes/families.hpp"
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

/// The cores of an operand from shared memory into a dense matrix. @param depth  bytes of a row
template <class T>
void gather_cores(const std::byte* bytes, Element element, bool mn_major, unsigned rows, unsigned depth, Layout layout,
                  T* out) {
  if (mn_major) layout = {layout.across_step, layout.line_step};
  const auto [gs, js] = WarpgroupOperands::cores(mn_major, rows, depth);
  const unsigned width = 128 / bits(element);
  alignas(64) T core[128];
  for (unsigned g = 0; g < gs; ++g) {
    for (unsigned j = 0; j < js; ++j, bytes += WarpgroupOperands::kCoreBytes) {
      numbers_of(reinterpret_cast<const u32*>(bytes), element, core);
      T* const to = out + g * kCoreLines * layout.line_step + j * width * layout.across_step;
      switch (width) {
        case 4: place_core<4>(core, layout, to); break;
        case 8: place_core<8>(core, layout, to); break;
        default: place_core<16>(core, layout, to); break;
      }
    }
  }
}

void negate(f32* x, unsigned count) {
  BANKSHOT_LANE_LOOP
  for (unsigned k = 0; k < count; ++k) x[k] = -x[k];
}

bool floats(const Warpgroup& group, const Instr* i) {
  const WarpgroupForm form = WarpgroupForm::unpacked(i->imm);
  WarpgroupOperands operands;
  if (!fetch_operands(group, i, form, operands)) return false;
  set_fp(*group[0], i);
  alignas(64) f32 x[kRowsOfA * kMostDepth], y[kMostColumns * kMostDepth], c[kRowsOfA * kMostColumns];
  const auto [n, k] = std::pair(form.n, form.k);
  gather_cores(operands.b.data(), form.b, form.mn_major_b, n, kDepth, {k, 1}, y);
  if (i->op[1] != OperandRef::kNone)
    gather_cores(operands.a.data(), form.a, form.mn_major_a, kRowsOfA, kDepth, {1, kRowsOfA}, x);
  for (unsigned w = 0; w < group.size(); ++w) {
    const unsigned first = w * WarpgroupForm::kRows;
    if (i->op[1] == OperandRef::kNone)
      gather_side_by_side(a_rows(*group[w], i, form), form.fragment(Role::a), kRowsOfA, x + first);
    if (operands.accumulates) gather_sums(d_rows(*group[w], i), form.fragment(Role::c), {1, kRowsOfA}, c + first);
  }
  if (!operands.accumulates) std::fill_n(c, kRowsOfA * n, 0.0f);
  if (form.negate_a) negate(x, kRowsOfA * k);
  if (form.negate_b) negate(y, n * k);
  const Dense dense{kRowsOfA, n, k, form.a, form.b, form.d, x, y, precision_of(form)};
  constexpr unsigned kMost = kMostColumns * kMostDepth;
  if (form.d == Element::f16) {
    multiply<true, kMost>(dense, c);
  } else {
    multiply<false, kMost>(dense, c);
  }
  for (unsigned w = 0; w < group.size(); ++w)
    scatter_sums(d_rows(*group[w], i), form.fragment(Role::c), {1, kRowsOfA}, c + w * WarpgroupForm::kRows);
  return true;
}

/// A is sparse: each of its rows meets other rows of B, so that sums of a row are computed side by side.
bool sparse_floats(const Warpgroup& group, const Instr* i) {
  const WarpgroupForm form = WarpgroupForm::unpacked(i->imm);
  WarpgroupOperands operands;
  if (!fetch_operands(group, i, form, operands)) return false;
  set_fp(*group[0], i);
  const unsigned kept = form.kept(), n = form.n, lines = (n + kSideBySide - 1) / kSideBySide * kSideBySide;
  alignas(64) f32 a[kRowsOfA * kMostDepth], b[2 * kMostDepth * kMostColumns] = {}, own[kMostDepth * kMostColumns];
  alignas(64) f32 sums[WarpgroupForm::kRows * kMostColumns];
  gather_cores(operands.b.data(), form.b, form.mn_major_b, n, form.depth_of_b(), {1, lines}, b);
  if (i->op[1] != OperandRef::kNone)
    gather_cores(operands.a.data(), form.a, form.mn_major_a, kRowsOfA, kDepth, {kept, 1}, a);
  for (unsigned w = 0; w < group.size(); ++w) {
    f32* const rows = a + w * WarpgroupForm::kRows * kept;
    if (i->op[1] == OperandRef::kNone) gather<u32>(a_rows(*group[w], i, form), form.fragment(Role::a), {kept, 1}, rows);
    if (form.negate_a != form.negate_b) negate(rows, WarpgroupForm::kRows * kept);
    std::fill_n(sums, WarpgroupForm::kRows * lines, 0.0f);
    if (operands.accumulates) gather_sums(d_rows(*group[w], i), form.fragment(Role::c), {lines, 1}, sums);
    const u32* const metadata = group[w]->row<const u32>(i->op[4]);
    for (unsigned row = 0; row < WarpgroupForm::kRows; ++row) {
      select_rows(form.selection(), metadata, row, lines, b, own);
      const Dense dense{lines, 1, kept, form.b, form.a, form.d, own, rows + row * kept, precision_of(form)};
      constexpr unsigned kMost = kMostDepth * kMostColumns;
      if (form.d == Element::f16) {
        multiply<true, kMost>(dense, sums + row * lines);
      } else {
        multiply<false, kMost>(dense, sums + row * lines);
      }
    }
    scatter_sums(d_rows(*group[w], i), form.fragment(Role::c), {lines, 1}, sums);
  }
  return true;
}

/// Sums of one warp into its registers. @param sums  [row][n], of s32
void add_sums(const Warp& w, const Instr* i, const WarpgroupForm& form, bool accumulates, const s32* sums) {
  for_sums<s32>(d_rows(w, i), form.fragment(Role::c), {form.n, 1},
                [&](unsigned at, s32& d) { d = finished(s64{accumulates ? d : 0} + sums[at], form.saturate); });
}

bool integers(const Warpgroup& group, const Instr* i) {
  const WarpgroupForm form = WarpgroupForm::unpacked(i->imm);
  WarpgroupOperands operands;
  if (!fetch_operands(group, i, form, operands)) return false;
  const auto [n, k] = std::pair(form.n, form.kept());
  alignas(64) s32 a[kRowsOfA * kMostDepth], b[2 * kMostDepth * kMostColumns], chosen[kMostDepth * kMostColumns];
  gather_cores(operands.b.data(), form.b, false, n, form.depth_of_b(), {1, n}, b);
  if (i->op[1] != OperandRef::kNone) gather_cores(operands.a.data(), form.a, false, kRowsOfA, kDepth, {k, 1}, a);
  for (unsigned w = 0; w < group.size(); ++w) {
    s32* const own = a + w * WarpgroupForm::kRows * k;
    if (i->op[1] == OperandRef::kNone) gather<u32>(a_rows(*group[w], i, form), form.fragment(Role::a), {k, 1}, own);
    alignas(64) s32 sums[WarpgroupForm::kRows * kMostColumns] = {};
    for (unsigned row = 0; row < WarpgroupForm::kRows; ++row) {
      if (form.sparse) select_rows(form.selection(), group[w]->row<const u32>(i->op[4]), row, n, b, chosen);
      const s32* const factors = form.sparse ? chosen : b;
      for (unsigned q = 0; q < k; ++q) {
        const s32 factor = own[row * k + q];
        BANKSHOT_LANE_LOOP
        for (unsigned j = 0; j < n; ++j) sums[row * n + j] += factor * factors[q * n + j];
      }
    }
    add_sums(*group[w], i, form, operands.accumulates, sums);
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
    for (unsigned core = 0; core < rows / kCoreLines * 2; ++core, bytes += WarpgroupOperands::kCoreBytes) {
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
    alignas(64) s32 sums[WarpgroupForm::kRows * kMostColumns];
    for (unsigned at = 0; at < WarpgroupForm::kRows * form.n; ++at) {
      s32 sum = 0;
      for (unsigned q = 0; q < kWords; ++q)
        sum += __builtin_popcount(own[at / form.n * kWords + q] & b[at % form.n * kWords + q]);
      sums[at] = sum;
    }
    add_sums(*group[w], i, form, operands.accumulates, sums);
  }
  return true;
}

template <WarpgroupBody Body>
const Instr* run_product(Warp& w, const Instr* i) {
  return whole_warp(w, i) ? meet_in_warpgroup(w, i, Body) : nullptr;
}

/// fence, commit_group, wait_group
const Instr* run_together(Warp& w, const Instr* i) { return whole_warp(w, i) ? i + 1 : nullptr; }

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
  const auto dense = &run_product<&floats>, sparse = &run_product<&sparse_floats>;
  product("wgmma.mma_async.sync.aligned.shape.dtype.f16.f16 d, a, b:b64, p, sa:imm, sb:imm, ta:imm, tb:imm",
          BANKSHOT_N_ALL("16") "; dtype = f16 f32", dense);
  product("wgmma.mma_async.sync.aligned.shape.f32.bf16.bf16 d, a, b:b64, p, sa:imm, sb:imm, ta:imm, tb:imm",
          BANKSHOT_N_ALL("16"), dense);
  product("wgmma.mma_async.sync.aligned.shape.f32.tf32.tf32 d, a, b:b64, p, sa:imm, sb:imm", BANKSHOT_N_ALL("8"),
          dense);
  product("wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b:b64, p, sa:imm, sb:imm",
          BANKSHOT_N_ALL("32") "; dtype = f16 f32; atype = e4m3 e5m2; btype = e4m3 e5m2", dense);
  product("wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.atype.btype d, a, b:b64, p",
          BANKSHOT_N_EVERYWHERE("32") "; atype = s8 u8; btype = s8 u8", &run_product<&integers>);
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
          BANKSHOT_N_EVERYWHERE("64") "; atype = s8 u8; btype = s8 u8", &run_product<&integers>);
  const auto other = [&](std::string_view syntax, Lower lower) {
    rows.push_back({syntax, "", Unit::fence, always(&run_together), lower});
  };
  other("wgmma.fence.sync.aligned", &lower_nothing);
  other("wgmma.commit_group.sync.aligned", &lower_nothing);
  other("wgmma.wait_group.sync.aligned n:imm", &lower_warpgroup_wait);
}

#undef BANKSHOT_N_EVERYWHERE
#undef BANKSHOT_N_ALL

}  // namespace bankshot::simt::BANKSHOT_ISA

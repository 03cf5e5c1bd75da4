// Matrix products of a warp: mma and wmma.mma. Source: PTX ISA 9.0, warp-level matrix instructions. How an instruction
// is laid out: lower_matrix.hpp; sums of floating-point products: tensor_sums.hpp.
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/fused.hpp"
#include "bankshot/simt/isa/lanes/tensor_products.hpp"
#include "bankshot/simt/isa/lanes/warp_product.hpp"
#include "bankshot/simt/lower/lower_matrix.hpp"
#include "bankshot/simt/matrices/matrix.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

// ---- floating point

const Instr* multiply_floats(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  set_fp(w, i);
  const Product p(w, i);
  const auto [m, n, k] = p.shape;
  // Side by side are rows of A, or of the transposed product, which has the rest mirrored, the columns of B.
  const bool rows = m >= kSideBySide;
  const unsigned lines = rows ? m : n;
  alignas(64) f32 x[kMostElements], y[kMostElements], c[kMostSums];
  gather_side_by_side(rows ? p.a_rows : p.b_rows, rows ? p.a : p.b, lines, x);
  gather<u32>(rows ? p.b_rows : p.a_rows, rows ? p.b : p.a, {k, 1}, y);
  const Layout of_sums = rows ? Layout{1, lines} : Layout{lines, 1};
  gather_sums(p.c_rows, p.c, of_sums, c);
  const Dense dense{
      lines, rows ? n : m, k, rows ? p.a.element : p.b.element, rows ? p.b.element : p.a.element, p.c.element, x, y};
  if (p.d.element == Element::f16) {
    multiply<true>(dense, c);
  } else {
    multiply<false>(dense, c);
  }
  scatter_sums(p.d_rows, p.d, of_sums, c);
  return i + 1;
}

/// Where lanes of a pair of quads hold the four products of m8n8k4. Source: PTX ISA 9.0, "Matrix Fragments for
/// mma.m8n8k4 with .f16 floating point type".
struct QuadPair {
  unsigned first;  ///< lane of the lower quad; the upper one is 16 lanes further
  unsigned lane(unsigned of_quad, unsigned upper) const { return first + of_quad + 16 * upper; }
  /// Element `k` of a lane's registers of halves.
  static f16& half(const Rows32& rows, unsigned lane, unsigned k) { return rows.row<f16>(k / 2)[2 * lane + k % 2]; }

  /// Calls each(lane, element) for the accumulator of row and column.
  template <class F>
  void sum(bool halves, unsigned row, unsigned column, F each) const {
    if (halves) return each(lane(row % 4, row / 4), column);
    each(lane((row & 1) | (column & 2), row / 4), (row & 2) | (column & 5));
  }
};

const Instr* multiply_quad_pairs(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  set_fp(w, i);
  const Product p(w, i);
  const bool a_columns = i->small & MmaSmall::kAColumns, b_rows = i->small & MmaSmall::kBRows;
  const bool c_halves = p.c.element == Element::f16, d_halves = p.d.element == Element::f16;
  alignas(64) f32 sums[4][kSideBySide * 8] = {};
  for (unsigned quad = 0; quad < 4; ++quad) {
    const QuadPair pair{4 * quad};
    alignas(64) f32 a[kSideBySide * 4] = {}, b[8 * 4];  // eight rows, and eight of zeros
    f32* const c = sums[quad];
    for (unsigned line = 0; line < 8; ++line) {  // a row of A, a column of B
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned by_line = pair.lane(line % 4, line / 4), by_k = pair.lane(k, line / 4);
        a[k * kSideBySide + line] =
            widen(a_columns ? QuadPair::half(p.a_rows, by_k, line % 4) : QuadPair::half(p.a_rows, by_line, k));
        b[line * 4 + k] =
            widen(b_rows ? QuadPair::half(p.b_rows, by_k, line % 4) : QuadPair::half(p.b_rows, by_line, k));
      }
      for (unsigned column = 0; column < 8; ++column) {
        pair.sum(c_halves, line, column, [&](unsigned lane, unsigned k) {
          c[column * kSideBySide + line] =
              c_halves ? widen(QuadPair::half(p.c_rows, lane, k)) : p.c_rows.row<const f32>(k)[lane];
        });
      }
    }
    const Dense dense{kSideBySide, 8, 4, p.a.element, p.b.element, p.c.element, a, b};
    if (d_halves) {
      multiply<true>(dense, c);
    } else {
      multiply<false>(dense, c);
    }
  }
  for (unsigned at = 0; at < 4 * 64; ++at) {  // after all was read
    const QuadPair pair{4 * (at / 64)};
    const unsigned line = at / 8 % 8, column = at % 8;
    const f32 sum = sums[at / 64][column * kSideBySide + line];
    pair.sum(d_halves, line, column, [&](unsigned lane, unsigned k) {
      if (d_halves) {
        put(QuadPair::half(p.d_rows, lane, k), sum);
      } else {
        put(p.d_rows.row<f32>(k)[lane], sum);
      }
    });
  }
  return i + 1;
}

/// IEEE: a chain of fma from the accumulator on, in the order of k.
template <int Mode>
const Instr* multiply_doubles(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  set_fp(w, i);
  const Product p(w, i);
  const auto [m, n, k] = p.shape;
  f64 a[16 * 16], b[16 * 8], c[kMostSums];
  gather<f64>(p.a_rows, p.a, {k, 1}, a);
  gather<f64>(p.b_rows, p.b, {1, n}, b);
  for_sums<const f64>(p.c_rows, p.c, {n, 1}, [&](unsigned at, f64 x) { c[at] = x; });
  for (unsigned row = 0; row < m; ++row) {
    for (unsigned q = 0; q < k; ++q) {
      for (unsigned column = 0; column < n; ++column) {
        f64& sum = c[row * n + column];
        sum = fused<Mode>(a[row * k + q], b[q * n + column], sum);
      }
    }
  }
  for_sums<f64>(p.d_rows, p.d, {n, 1}, [&](unsigned at, f64& x) { x = c[at]; });
  return i + 1;
}

// ---- integers

const Instr* multiply_integers(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  const Product p(w, i);
  const auto [m, n, k] = p.shape;
  alignas(64) s32 a[kMostElements], b[kMostElements], sums[kMostSums] = {}, c[kMostSums];
  gather<u32>(p.a_rows, p.a, {k, 1}, a);
  gather<u32>(p.b_rows, p.b, {1, n}, b);
  for_sums<const s32>(p.c_rows, p.c, {n, 1}, [&](unsigned at, s32 x) { c[at] = x; });
  for (unsigned row = 0; row < m; ++row) {
    for (unsigned q = 0; q < k; ++q) {
      for (unsigned column = 0; column < n; column += 8) {
        const s32 factor = a[row * k + q];
        for (unsigned j = column; j < column + 8; ++j) sums[row * n + j] += factor * b[q * n + j];
      }
    }
  }
  const bool saturates = i->small & MmaSmall::kSaturate;
  for_sums<s32>(p.d_rows, p.d, {n, 1}, [&](unsigned at, s32& x) { x = finished(s64{c[at]} + sums[at], saturates); });
  return i + 1;
}

/// One bit an element: the sum counts those of the products that are 1, where a product is xor or and.
const Instr* multiply_bits(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  const Product p(w, i);
  const auto [m, n, k] = p.shape;
  u32 a[16 * 8], b[8 * 8], sums[16 * 8];
  const unsigned words = k / 32;
  gather_bits(p.a_rows, p.a, a);
  gather_bits(p.b_rows, p.b, b);
  for_sums<const u32>(p.c_rows, p.c, {n, 1}, [&](unsigned at, u32 x) { sums[at] = x; });
  const bool is_and = i->small & MmaSmall::kAnd;
  for (unsigned at = 0; at < m * n; ++at) {
    for (unsigned q = 0; q < words; ++q) {
      const u32 x = a[at / n * words + q], y = b[at % n * words + q];
      sums[at] += static_cast<u32>(__builtin_popcount(is_and ? x & y : x ^ y));
    }
  }
  for_sums<u32>(p.d_rows, p.d, {n, 1}, [&](unsigned at, u32& x) { x = sums[at]; });
  return i + 1;
}

// ---- the rows

Handler select_doubles(const Match& m) {
  if (m.has("rz")) return &multiply_doubles<FpMode::kZero>;
  if (m.has("rm")) return &multiply_doubles<FpMode::kDown>;
  if (m.has("rp")) return &multiply_doubles<FpMode::kUp>;
  return &multiply_doubles<FpMode::kNearest>;
}

void mma_rows(Rows& rows) {
  const auto add = [&](std::string_view syntax, std::string_view sets, std::function<Handler(const Match&)> select) {
    rows.push_back({syntax, sets, Unit::tensor, std::move(select), &lower_mma, {}, &product_work});
  };
  const auto floats = always(&multiply_floats), integers = always(&multiply_integers);
  add("mma.sync.aligned.m8n8k4.alayout.blayout.f32.f16.f16.ctype d, a, b, c",
      "alayout = row col; blayout = row col; ctype = f16 f32", always(&multiply_quad_pairs));
  add("mma.sync.aligned.m8n8k4.alayout.blayout.f16.f16.f16.f16 d, a, b, c", "alayout = row col; blayout = row col",
      always(&multiply_quad_pairs));
  add("mma.sync.aligned.shape.row.col.f32.f16.f16.f32 d, a, b, c", "shape = m16n8k8 m16n8k16", floats);
  add("mma.sync.aligned.shape.row.col.f16.f16.f16.f16 d, a, b, c", "shape = m16n8k8 m16n8k16", floats);
  add("mma.sync.aligned.shape.row.col.f32.bf16.bf16.f32 d, a, b, c", "shape = m16n8k8 m16n8k16", floats);
  add("mma.sync.aligned.shape.row.col.f32.tf32.tf32.f32 d, a, b, c", "shape = m16n8k4 m16n8k8", floats);
  constexpr std::string_view kBytes = "shape = m16n8k16 m16n8k32; atype = e4m3 e5m2; btype = e4m3 e5m2";
  add("mma.sync.aligned.shape.row.col.f32.atype.btype.f32 d, a, b, c", kBytes, floats);
  add("mma.sync.aligned.shape.row.col.f16.atype.btype.f16 d, a, b, c", kBytes, floats);
  add("mma.sync.aligned.shape.row.col.f64.f64.f64.f64 d, a, b, c", "shape = m8n8k4 m16n8k4 m16n8k8 m16n8k16",
      select_doubles);
  add("mma.sync.aligned.shape.row.col.f64.f64.f64.f64.rnd d, a, b, c", "shape = m8n8k4 m16n8k4 m16n8k8 m16n8k16",
      select_doubles);
  add("mma.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c",
      "shape = m8n8k16 m16n8k16 m16n8k32; atype = s8 u8; btype = s8 u8", integers);
  add("mma.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c",
      "shape = m8n8k32 m16n8k32 m16n8k64; atype = s4 u4; btype = s4 u4", integers);
  add("mma.sync.aligned.shape.row.col.s32.b1.b1.s32.op.popc d, a, b, c",
      "shape = m8n8k128 m16n8k128 m16n8k256; op = xor and", always(&multiply_bits));
}

void wmma_mma_rows(Rows& rows) {
  const auto add = [&](std::string_view syntax, std::string_view sets, std::function<Handler(const Match&)> select) {
    rows.push_back({syntax, sets, Unit::tensor, std::move(select), &lower_wmma_mma, {}, &product_work});
  };
  constexpr std::string_view kShapes = "alayout = row col; blayout = row col; shape = m16n16k16 m32n8k16 m8n32k16";
  add("wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype d, a, b, c",
      "alayout = row col; blayout = row col; shape = m16n16k16 m32n8k16 m8n32k16; dtype = f16 f32; ctype = f16 f32",
      always(&multiply_floats));
  add("wmma.mma.sync.aligned.alayout.blayout.shape.f32.bf16.bf16.f32 d, a, b, c", kShapes, always(&multiply_floats));
  add("wmma.mma.sync.aligned.alayout.blayout.m16n16k8.f32.tf32.tf32.f32 d, a, b, c",
      "alayout = row col; blayout = row col", always(&multiply_floats));
  // Compilers write the rounding behind the types, the manual before them.
  add("wmma.mma.sync.aligned.alayout.blayout.m8n8k4{.rnd}.f64.f64.f64.f64 d, a, b, c",
      "alayout = row col; blayout = row col", select_doubles);
  add("wmma.mma.sync.aligned.alayout.blayout.m8n8k4.f64.f64.f64.f64.rnd d, a, b, c",
      "alayout = row col; blayout = row col", select_doubles);
  add("wmma.mma.sync.aligned.alayout.blayout.shape.s32.s8.s8.s32{.satfinite} d, a, b, c", kShapes,
      always(&multiply_integers));
  add("wmma.mma.sync.aligned.alayout.blayout.shape.s32.u8.u8.s32{.satfinite} d, a, b, c", kShapes,
      always(&multiply_integers));
  add("wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32{.satfinite} d, a, b, c", "", always(&multiply_integers));
  add("wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32{.satfinite} d, a, b, c", "", always(&multiply_integers));
  add("wmma.mma.op.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 d, a, b, c", "op = xor and",
      always(&multiply_bits));
}

void wmma_memory_rows(Rows& rows) {
  const auto load = [&](std::string_view syntax, std::string_view sets) {
    rows.push_back({syntax, sets, Unit::memory, always(&run_wmma_load), &lower_wmma_load});
  };
  // Operands: r, [p], and a stride that may be missing.
#define BANKSHOT_SS "ss = global shared shared::cta; layout = row col; "
  load("wmma.load.ab.sync.aligned.layout.shape{.ss}.type r, p:addr, stride",
       BANKSHOT_SS "ab = a b; shape = m16n16k16 m32n8k16 m8n32k16; type = f16 bf16 s8 u8");
  load("wmma.load.ab.sync.aligned.layout.m16n16k8{.ss}.tf32 r, p:addr, stride", BANKSHOT_SS "ab = a b");
  load("wmma.load.ab.sync.aligned.layout.m8n8k4{.ss}.f64 r, p:addr, stride", BANKSHOT_SS "ab = a b");
  load("wmma.load.a.sync.aligned.row.shape{.ss}.type r, p:addr, stride", BANKSHOT_SS "shape = m8n8k32; type = s4 u4");
  load("wmma.load.b.sync.aligned.col.shape{.ss}.type r, p:addr, stride", BANKSHOT_SS "shape = m8n8k32; type = s4 u4");
  load("wmma.load.a.sync.aligned.row.m8n8k128{.ss}.b1 r, p:addr, stride", BANKSHOT_SS);
  load("wmma.load.b.sync.aligned.col.m8n8k128{.ss}.b1 r, p:addr, stride", BANKSHOT_SS);
  const auto sums = [&](std::string_view syntax, std::string_view stored, std::string_view sets) {
    load(syntax, sets);
    rows.push_back({stored, sets, Unit::memory, always(&run_wmma_store), &lower_wmma_store});
  };
  sums("wmma.load.c.sync.aligned.layout.shape{.ss}.type r, p:addr, stride",
       "wmma.store.d.sync.aligned.layout.shape{.ss}.type p:addr, r, stride",
       BANKSHOT_SS "shape = m16n16k16 m32n8k16 m8n32k16; type = f16 f32 s32");
  sums("wmma.load.c.sync.aligned.layout.m16n16k8{.ss}.f32 r, p:addr, stride",
       "wmma.store.d.sync.aligned.layout.m16n16k8{.ss}.f32 p:addr, r, stride", BANKSHOT_SS);
  sums("wmma.load.c.sync.aligned.layout.m8n8k4{.ss}.f64 r, p:addr, stride",
       "wmma.store.d.sync.aligned.layout.m8n8k4{.ss}.f64 p:addr, r, stride", BANKSHOT_SS);
  sums("wmma.load.c.sync.aligned.layout.shape{.ss}.s32 r, p:addr, stride",
       "wmma.store.d.sync.aligned.layout.shape{.ss}.s32 p:addr, r, stride", BANKSHOT_SS "shape = m8n8k32 m8n8k128");
#undef BANKSHOT_SS
}

void matrix_memory_rows(Rows& rows) {
  constexpr std::string_view kSets = "num = x1 x2 x4; ss = shared shared::cta";
  // Libraries write the shape behind the number, as assemblers accept.
  for (const std::string_view form : {"ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 r, p:addr",
                                      "ldmatrix.sync.aligned.num{.trans}.m8n8{.ss}.b16 r, p:addr"}) {
    rows.push_back({form, kSets, Unit::memory, always(&run_ldmatrix), &lower_ldmatrix});
  }
  for (const std::string_view form : {"stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 p:addr, r",
                                      "stmatrix.sync.aligned.num{.trans}.m8n8{.ss}.b16 p:addr, r"}) {
    rows.push_back({form, kSets, Unit::memory, always(&run_stmatrix), &lower_stmatrix});
  }
  rows.push_back(
      {"movmatrix.sync.aligned.m8n8.trans.b16 d, a", "", Unit::warp, always(&run_movmatrix), &lower_movmatrix});
}

}  // namespace

void tensor_rows(Rows& rows) {
  mma_rows(rows);
  wmma_mma_rows(rows);
  wmma_memory_rows(rows);
  matrix_memory_rows(rows);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

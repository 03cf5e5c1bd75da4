// Matrix products of a warp: mma and wmma.mma. Source: PTX ISA 9.0, warp-level matrix instructions. How an instruction
// is laid out: lower_matrix.hpp; sums of floating-point products: tensor_sums.hpp.
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/fused.hpp"
#include "bankshot/simt/isa/lanes/tensor_sums.hpp"
#include "bankshot/simt/isa/lanes/tensor_tiles.hpp"
#include "bankshot/simt/lower/lower_matrix.hpp"
#include "bankshot/simt/matrices/matrix.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

using Role = Fragment::Role;

/// The four matrices of an instruction and where their registers are.
struct Product {
  MatrixShape shape;
  Fragment a, b, c, d;
  Rows32 d_rows, a_rows, b_rows, c_rows;

  Product(const Warp& w, const Instr* i)
      : shape(MatrixShape::unpacked(i->op[1])),
        a{Role::a, element(i, 0), shape},
        b{Role::b, element(i, 1), shape},
        c{Role::c, element(i, 2), shape},
        d{Role::c, element(i, 3), shape},
        d_rows{w, w.worker->program->lists[i->op[0]].data()},
        a_rows{w, d_rows.list + (i->op[3] & 0xff)},
        b_rows{w, a_rows.list + (i->op[3] >> 8 & 0xff)},
        c_rows{w, b_rows.list + (i->op[3] >> 16 & 0xff)} {}

  static Element element(const Instr* i, unsigned k) { return static_cast<Element>(i->op[2] >> (8 * k) & 0xff); }
};

// ---- floating point

void put(f32& to, f64 x) { to = canonical(static_cast<f32>(x)); }
void put(f16& to, f64 x) {
  if (x != x) {
    to = f16{kHalfNan};
  } else {
    narrow_nearest(static_cast<f32>(x), to);
  }
}

void gather_sums(const Rows32& rows, const Fragment& f, f64* out) {
  if (f.element == Element::f16) {
    for_sums<const f16>(rows, f, [out](unsigned at, f16 x) { out[at] = widen(x); });
  } else {
    for_sums<const f32>(rows, f, [out](unsigned at, f32 x) { out[at] = x; });
  }
}

void scatter_sums(const Rows32& rows, const Fragment& f, const f64* sums) {
  if (f.element == Element::f16) {
    for_sums<f16>(rows, f, [sums](unsigned at, f16& x) { put(x, sums[at]); });
  } else {
    for_sums<f32>(rows, f, [sums](unsigned at, f32& x) { put(x, sums[at]); });
  }
}

bool all_finite(const f64* x, unsigned count) {
  u64 special = 0;
  constexpr u64 kInfinity = u64{0x7ff} << 52;
  for (unsigned k = 0; k < count; ++k) special |= (as_bits(x[k]) & kInfinity) == kInfinity ? 1u : 0u;
  return special == 0;
}

void exponents_of(const f64* x, unsigned count, Element element, s32* out) {
  const s32 least = least_exponent(element);
  for (unsigned k = 0; k < count; ++k) out[k] = exponent_of(x[k], least);
}

/// d = a b + c, dense. @tparam Half  d is f16
template <bool Half>
void multiply(const Product& p, const f64* a, const f64* b, f64* c) {
  const auto [m, n, k] = p.shape;
  s32 ea[kMostElements], eb[kMostElements];
  exponents_of(a, m * k, p.a.element, ea);
  exponents_of(b, k * n, p.b.element, eb);
  const bool plain = all_finite(a, m * k) && all_finite(b, k * n) && all_finite(c, m * n);
  for (unsigned row = 0; row < m; ++row) {
    for (unsigned column = 0; column < n; column += 8) {
      const Dots dots{a + row * k, ea + row * k, b + column, eb + column, k, n, least_exponent(p.c.element)};
      f64* const sums = c + row * n + column;
      if (plain && dot_eight<Half>(dots, sums)) continue;
      for (unsigned j = 0; j < 8; ++j) sums[j] = dot_carefully<Half>(dots, j, sums[j]);
    }
  }
}

const Instr* multiply_floats(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  set_fp(w, i);
  const Product p(w, i);
  alignas(64) f64 a[kMostElements], b[kMostElements], c[kMostSums];
  gather<u32>(p.a_rows, p.a, a);
  gather<u32>(p.b_rows, p.b, b);
  gather_sums(p.c_rows, p.c, c);
  if (p.d.element == Element::f16) {
    multiply<true>(p, a, b, c);
  } else {
    multiply<false>(p, a, b, c);
  }
  scatter_sums(p.d_rows, p.d, c);
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
  f64 sums[4][64];
  for (unsigned quad = 0; quad < 4; ++quad) {
    const QuadPair pair{4 * quad};
    f64 a[32], b[32];
    f64* const c = sums[quad];
    for (unsigned line = 0; line < 8; ++line) {  // a row of A, a column of B
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned by_line = pair.lane(line % 4, line / 4), by_k = pair.lane(k, line / 4);
        a[line * 4 + k] =
            widen(a_columns ? QuadPair::half(p.a_rows, by_k, line % 4) : QuadPair::half(p.a_rows, by_line, k));
        b[k * 8 + line] =
            widen(b_rows ? QuadPair::half(p.b_rows, by_k, line % 4) : QuadPair::half(p.b_rows, by_line, k));
      }
      for (unsigned column = 0; column < 8; ++column) {
        pair.sum(c_halves, line, column, [&](unsigned lane, unsigned k) {
          c[line * 8 + column] =
              c_halves ? widen(QuadPair::half(p.c_rows, lane, k)) : f64{p.c_rows.row<const f32>(k)[lane]};
        });
      }
    }
    if (d_halves) {
      multiply<true>(p, a, b, c);
    } else {
      multiply<false>(p, a, b, c);
    }
  }
  for (unsigned at = 0; at < 4 * 64; ++at) {  // after all was read
    const QuadPair pair{4 * (at / 64)};
    pair.sum(d_halves, at / 8 % 8, at % 8, [&](unsigned lane, unsigned k) {
      if (d_halves) {
        put(QuadPair::half(p.d_rows, lane, k), sums[at / 64][at % 64]);
      } else {
        put(p.d_rows.row<f32>(k)[lane], sums[at / 64][at % 64]);
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
  gather<f64>(p.a_rows, p.a, a);
  gather<f64>(p.b_rows, p.b, b);
  for_sums<const f64>(p.c_rows, p.c, [&](unsigned at, f64 x) { c[at] = x; });
  for (unsigned row = 0; row < m; ++row) {
    for (unsigned q = 0; q < k; ++q) {
      for (unsigned column = 0; column < n; ++column) {
        f64& sum = c[row * n + column];
        sum = fused<Mode>(a[row * k + q], b[q * n + column], sum);
      }
    }
  }
  for_sums<f64>(p.d_rows, p.d, [&](unsigned at, f64& x) { x = c[at]; });
  return i + 1;
}

// ---- integers

/// The sum as 32 bits: it wraps, or stops at the ends with .satfinite.
s32 finished(s64 sum, bool saturates) {
  constexpr s64 kLeast = -(s64{1} << 31), kMost = (s64{1} << 31) - 1;
  if (saturates) sum = sum < kLeast ? kLeast : sum > kMost ? kMost : sum;
  return static_cast<s32>(static_cast<u32>(static_cast<u64>(sum)));
}

const Instr* multiply_integers(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  const Product p(w, i);
  const auto [m, n, k] = p.shape;
  alignas(64) s32 a[kMostElements], b[kMostElements], sums[kMostSums] = {}, c[kMostSums];
  gather<u32>(p.a_rows, p.a, a);
  gather<u32>(p.b_rows, p.b, b);
  for_sums<const s32>(p.c_rows, p.c, [&](unsigned at, s32 x) { c[at] = x; });
  for (unsigned row = 0; row < m; ++row) {
    for (unsigned q = 0; q < k; ++q) {
      for (unsigned column = 0; column < n; column += 8) {
        const s32 factor = a[row * k + q];
        for (unsigned j = column; j < column + 8; ++j) sums[row * n + j] += factor * b[q * n + j];
      }
    }
  }
  const bool saturates = i->small & MmaSmall::kSaturate;
  for_sums<s32>(p.d_rows, p.d, [&](unsigned at, s32& x) { x = finished(s64{c[at]} + sums[at], saturates); });
  return i + 1;
}

/// One bit an element: the sum counts those of the products that are 1, where a product is xor or and.
const Instr* multiply_bits(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  const Product p(w, i);
  const auto [m, n, k] = p.shape;
  u32 a[16 * 8], b[8 * 8], sums[16 * 8];
  const unsigned words = k / 32;
  const auto gather_words = [&](const Rows32& rows, const Fragment& f, u32* out) {
    for (unsigned c = 0; c < f.cores(); ++c) {
      const Fragment::Place first = f.core(c);
      for (unsigned l = 0; l < kTensorLanes; ++l) {
        out[(first.line + l / kCoreGroups) * words + first.across / 32 + l % kCoreGroups] = rows.row<const u32>(c)[l];
      }
    }
  };
  gather_words(p.a_rows, p.a, a);
  gather_words(p.b_rows, p.b, b);
  for_sums<const u32>(p.c_rows, p.c, [&](unsigned at, u32 x) { sums[at] = x; });
  const bool is_and = i->small & MmaSmall::kAnd;
  for (unsigned at = 0; at < m * n; ++at) {
    for (unsigned q = 0; q < words; ++q) {
      const u32 x = a[at / n * words + q], y = b[at % n * words + q];
      sums[at] += static_cast<u32>(__builtin_popcount(is_and ? x & y : x ^ y));
    }
  }
  for_sums<u32>(p.d_rows, p.d, [&](unsigned at, u32& x) { x = sums[at]; });
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

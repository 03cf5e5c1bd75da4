// Products of dense matrices of floating-point numbers, and how sums come from the registers of a warp and go back.
#pragma once

#include "bankshot/simt/isa/lanes/exact_products.hpp"
#include "bankshot/simt/isa/lanes/tensor_sums.hpp"
#include "bankshot/simt/isa/lanes/tensor_tiles.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

inline void put(f32& to, f32 x) { to = canonical(x); }
inline void put(f16& to, f32 x) {
  if (x != x) {
    to = f16{kHalfNan};
  } else {
    narrow_nearest(x, to);
  }
}

/// Cores of eight lines of eight halves: those of f16 accumulators as well.
constexpr unsigned kHalvesOfCore = 64;

inline void gather_sums(const Rows32& rows, const Fragment& f, Layout layout, f32* out) {
  const auto halves = [&](unsigned core, f32* wide) { widen_row<kHalvesOfCore>(rows.row<const f16>(core), wide); };
  const auto columns = [&](unsigned core, unsigned k) { return rows.row<const f32>(2 * core + k); };  // even, and odd
  const Layout of_columns{layout.line_step, 2 * layout.across_step};
  if (layout.line_step == 1) {
    for_sixteen_lines(f, [&](unsigned core, Fragment::Place first, unsigned behind) {
      f32* const to = out + first.line + first.across * layout.across_step;
      if (f.element == Element::f16) {
        alignas(64) f32 a[kHalvesOfCore], b[kHalvesOfCore];
        halves(core, a);
        halves(behind, b);
        return mirror_eights(a, b, to, layout.across_step);
      }
      for (unsigned k = 0; k < 2; ++k)
        mirror_fours(columns(core, k), columns(behind, k), to + k * layout.across_step, of_columns.across_step);
    });
    return;
  }
  for (unsigned core = 0; core < f.cores(); ++core) {
    const Fragment::Place first = f.core(core);
    f32* const to = out + first.line * layout.line_step + first.across * layout.across_step;
    if (f.element == Element::f16) {
      alignas(64) f32 wide[kHalvesOfCore];
      halves(core, wide);
      place_core<8>(wide, layout, to);
    } else {
      for (unsigned k = 0; k < 2; ++k) place_core<4>(columns(core, k), of_columns, to + k * layout.across_step);
    }
  }
}

inline void scatter_sums(const Rows32& rows, const Fragment& f, Layout layout, const f32* sums) {
  for (unsigned core = 0; core < f.cores(); ++core) {
    const Fragment::Place first = f.core(core);
    const f32* const from = sums + first.line * layout.line_step + first.across * layout.across_step;
    if (f.element == Element::f16) {
      alignas(64) f32 wide[kHalvesOfCore];
      take_core<8>(from, layout, wide);
      f16* const to = rows.row<f16>(core);
      for (unsigned k = 0; k < kHalvesOfCore; ++k) put(to[k], wide[k]);
    } else {
      const Layout of_register{layout.line_step, 2 * layout.across_step};
      for (unsigned k = 0; k < 2; ++k) {
        alignas(64) f32 wide[kTensorLanes];
        take_core<4>(from + k * layout.across_step, of_register, wide);
        f32* const to = rows.row<f32>(2 * core + k);
        BANKSHOT_LANE_LOOP
        for (unsigned l = 0; l < kTensorLanes; ++l) to[l] = as_float(canonical_bits(as_bits(wide[l])));
      }
    }
  }
}

/// Sums that may have to be cut off. @tparam Half  they become f16 @tparam K  dense.k @tparam Most  elements of x, or
/// of y, at most
template <bool Half, unsigned K, unsigned Most>
class CutOff {
 public:
  explicit CutOff(const Dense& dense) : dense_(dense) {}

  /// @param c  [columns][lines]
  void multiply(unsigned first_line, unsigned lines, unsigned first_column, unsigned columns, f32* c) {
    const Dense& d = dense_;
    if (!has_exponents_) {
      exponents_of(d.x, K * d.lines, d.x_element, ex_);
      exponents_of(d.y, d.columns * K, d.y_element, ey_);
      has_exponents_ = true;
    }
    for (unsigned line = first_line; line < first_line + lines; line += kSideBySide) {
      for (unsigned column = first_column; column < first_column + columns; ++column) {
        const f32 *const x = d.x + line, *const y = d.y + column * K;
        const s32 *const ex = ex_ + line, *const ey = ey_ + column * K;
        f32* const sums = c + column * d.lines + line;
        const s32 least = least_exponent(d.c_element);
        const auto products = [&](unsigned q)
                                  __attribute__((always_inline)) { return floats_at(x + q * d.lines) * y[q]; };
        const auto exponents = [&](unsigned q) __attribute__((always_inline)) {
          Ints of_x;
          load_vector(of_x, ex + q * d.lines);
          return of_x + ey[q];
        };
        if (dot_sixteen<Half, K>(products, exponents, least, d.precision, sums)) continue;
        for (unsigned j = 0; j < kSideBySide; ++j) {
          sums[j] = dot_carefully<Half>(
              K, [&](unsigned q) { return static_cast<f64>(x[q * d.lines + j]) * static_cast<f64>(y[q]); },
              [&](unsigned q) { return ex[q * d.lines + j] + ey[q]; }, least, d.precision, sums[j]);
        }
      }
    }
  }

 private:
  const Dense& dense_;
  bool has_exponents_ = false;
  alignas(64) s32 ex_[Most], ey_[Most];
};

/// Exact sums as f16.
inline void round_to_half(f32* c, unsigned count) {
  BANKSHOT_LANE_LOOP
  for (unsigned k = 0; k < count; ++k) {
    f16 half;
    narrow_nearest(c[k], half);
    const f32 rounded = widen(half);
    c[k] = rounded == 0 ? 0 : rounded;  // no -0
  }
}

/// @param c  [columns][lines]
template <bool Half, unsigned K, unsigned Most>
void multiply(const Dense& dense, const Exact& exact, f32* c) {
  CutOff<Half, K, Most> others(dense);
  if (!exact.admitted()) return others.multiply(0, dense.lines, 0, dense.columns, c);
  fuse(dense, &exact, c, [&](unsigned line, unsigned lines, unsigned column, unsigned columns) {
    others.multiply(line, lines, column, columns, c);
  });
  if constexpr (Half) round_to_half(c, dense.lines * dense.columns);  // of the others they are f16 already
}

template <bool Half, unsigned Most = kMostElements>
void multiply(const Dense& dense, const Exact& exact, f32* c) {
  switch (dense.k) {
    case 4: return multiply<Half, 4, Most>(dense, exact, c);
    case 8: return multiply<Half, 8, Most>(dense, exact, c);
    case 16: return multiply<Half, 16, Most>(dense, exact, c);
    default: return multiply<Half, 32, Most>(dense, exact, c);
  }
}

template <bool Half, unsigned Most = kMostElements>
void multiply(const Dense& dense, f32* c) {
  multiply<Half, Most>(dense, Exact::of(dense), c);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

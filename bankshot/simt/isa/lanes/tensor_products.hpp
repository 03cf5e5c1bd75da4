// Products of dense matrices of floating-point numbers, and how sums come from the registers of a warp and go back.
#pragma once

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

inline void exponents_of(const f32* x, unsigned count, Element element, s32* out) {
  const s32 least = least_exponent(element);
  BANKSHOT_LANE_LOOP
  for (unsigned k = 0; k < count; ++k) out[k] = exponent_of(x[k], least);
}

/// Sums of products of `lines` times `columns` pairs, lines side by side: a multiple of sixteen of them.
struct Dense {
  unsigned lines, columns, k;
  Element x_element, y_element, c_element;
  const f32* x;  ///< [k][lines]
  const f32* y;  ///< [columns][k]
  Precision precision = {};
};

/// @tparam Half  the sums become f16 @tparam K  dense.k @tparam Most  elements of x, or of y, at most
/// @param c  [columns][lines]
template <bool Half, unsigned K, unsigned Most>
void multiply(const Dense& dense, f32* c) {
  const auto& [lines, columns, k, x_element, y_element, c_element, x, y, precision] = dense;
  alignas(64) s32 ex[Most], ey[Most];
  exponents_of(x, k * lines, x_element, ex);
  exponents_of(y, columns * k, y_element, ey);
  for (unsigned line = 0; line < lines; line += kSideBySide) {
    for (unsigned column = 0; column < columns; ++column) {
      const Dots dots{x + line, ex + line, lines, y + column * k, ey + column * k, k, least_exponent(c_element),
                      precision};
      f32* const sums = c + column * lines + line;
      if (dot_sixteen<Half, K>(dots, sums)) continue;
      for (unsigned j = 0; j < kSideBySide; ++j) sums[j] = dot_carefully<Half>(dots, j, sums[j]);
    }
  }
}

template <bool Half, unsigned Most = kMostElements>
void multiply(const Dense& dense, f32* c) {
  switch (dense.k) {
    case 4: return multiply<Half, 4, Most>(dense, c);
    case 8: return multiply<Half, 8, Most>(dense, c);
    case 16: return multiply<Half, 16, Most>(dense, c);
    default: return multiply<Half, 32, Most>(dense, c);
  }
}

}  // namespace bankshot::simt::BANKSHOT_ISA

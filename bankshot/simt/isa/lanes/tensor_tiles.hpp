// Between the registers of a warp and dense matrices, for mma and wmma.mma. Fragments: fragment.hpp.
#pragma once

#include "bankshot/simt/isa/lanes/half.hpp"
#include "bankshot/simt/isa/lanes/side_by_side.hpp"
#include "bankshot/simt/matrices/fragment.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

constexpr unsigned kTensorLanes = 32;
constexpr unsigned kMostElements = 1024;  ///< of A or B: 16 × 64
constexpr unsigned kMostSums = 256;       ///< of an accumulator

/// Registers of one matrix.
struct Rows32 {
  const Warp& w;
  const u32* list;
  template <class T>
  T* row(unsigned index) const {
    return w.row<T>(list[index]);
  }
};

/// Where the elements of a dense matrix lie: element `across` of `line` at line * line_step + across * across_step.
struct Layout {
  unsigned line_step, across_step;
};

/// A number of a format with fewer bits than f16, from its magnitude and sign bit: with its fields where f16 has them
/// it is smaller by the difference of the biases.
template <int Exponent, int Mantissa>
inline f32 small_float(u32 bits) {
  using F = Format<Exponent, Mantissa>;
  const u32 magnitude = bits & (F::kSign - 1), sign = bits & F::kSign;
  const u32 half = magnitude << (10 - Mantissa) | sign << (15 - Exponent - Mantissa);
  return widen(f16{static_cast<u16>(half)}) * static_cast<f32>(1 << (15 - F::kBias));
}

/// The elements of a core of A or B, as numbers.
inline void numbers_of(const u32* reg, Element element, f32* out) {
  const auto* const halves = reinterpret_cast<const u16*>(reg);
  const auto* const bytes = reinterpret_cast<const u8*>(reg);
  switch (element) {
    case Element::f16: widen_row<64>(reinterpret_cast<const f16*>(reg), out); return;
    case Element::bf16:
      for (int k = 0; k < 64; ++k) out[k] = widen(bf16{halves[k]});
      return;
    case Element::tf32:  // its 13 low bits are not looked at
      for (unsigned k = 0; k < kTensorLanes; ++k) out[k] = as_float(reg[k] & 0xffffe000u);
      return;
    case Element::e5m2:  // the upper half of an f16
      for (int k = 0; k < 128; ++k) out[k] = widen(f16{static_cast<u16>(bytes[k] << 8)});
      return;
    case Element::e4m3:  // as f16 it would be 2^8 smaller; no infinities
      for (int k = 0; k < 128; ++k) {
        const u32 magnitude = bytes[k] & 0x7fu;
        const f32 number = widen(f16{static_cast<u16>(magnitude << 7 | (bytes[k] & 0x80u) << 8)}) * 256.0f;
        out[k] = magnitude == 0x7f ? __builtin_nanf("") : number;
      }
      return;
    case Element::s8:
      for (int k = 0; k < 128; ++k) out[k] = static_cast<s8>(bytes[k]);
      return;
    case Element::u8:
      for (int k = 0; k < 128; ++k) out[k] = bytes[k];
      return;
    case Element::e3m2:
      for (int k = 0; k < 128; ++k) out[k] = small_float<3, 2>(bytes[k]);
      return;
    case Element::e2m3:
      for (int k = 0; k < 128; ++k) out[k] = small_float<2, 3>(bytes[k]);
      return;
    case Element::padded_e2m1:
      for (int k = 0; k < 128; ++k) out[k] = small_float<2, 1>(bytes[k] >> 2);
      return;
    case Element::e2m1:
      for (int k = 0; k < 256; ++k) out[k] = small_float<2, 1>(bytes[k / 2] >> (k % 2 * 4));
      return;
    default: return;
  }
}

inline void numbers_of(const u32* reg, Element element, s32* out) {
  const auto* const bytes = reinterpret_cast<const u8*>(reg);
  switch (element) {
    case Element::s8:
      for (int k = 0; k < 128; ++k) out[k] = static_cast<s8>(bytes[k]);
      return;
    case Element::u8:
      for (int k = 0; k < 128; ++k) out[k] = bytes[k];
      return;
    case Element::s4:
      for (int k = 0; k < 256; ++k)
        out[k] = static_cast<s32>(static_cast<u32>(bytes[k / 2]) >> (k % 2 * 4) << 28) >> 28;
      return;
    case Element::u4:
      for (int k = 0; k < 256; ++k) out[k] = bytes[k / 2] >> (k % 2 * 4) & 15;
      return;
    default: return;
  }
}

inline void numbers_of(const f64* reg, Element, f64* out) { std::memcpy(out, reg, kTensorLanes * sizeof(f64)); }

/// A core of lines of Width elements into a dense matrix.
template <unsigned Width, class T>
inline void place_core(const T* core, Layout layout, T* out) {
  const auto [line_step, across_step] = layout;
  if (across_step == 1 && line_step == Width) {
    std::memcpy(out, core, kCoreLines * Width * sizeof(T));
    return;
  }
  for (unsigned line = 0; line < kCoreLines; ++line) {
    if (across_step == 1) {
      std::memcpy(out + line * line_step, core + line * Width, Width * sizeof(T));
    } else {
      for (unsigned k = 0; k < Width; ++k) out[line * line_step + k * across_step] = core[line * Width + k];
    }
  }
}

/// The inverse, of f32.
template <unsigned Width>
inline void take_core(const f32* from, Layout layout, f32* core) {
  const auto [line_step, across_step] = layout;
  if (line_step == 1)
    return Width == 4 ? mirror_back_fours(from, across_step, core) : mirror_back_eights(from, across_step, core);
  for (unsigned line = 0; line < kCoreLines; ++line) {
    for (unsigned k = 0; k < Width; ++k) core[line * Width + k] = from[line * line_step + k * across_step];
  }
}

/// Calls each(core, its first element, and the core of the eight lines behind) for every second core: of sixteen lines.
template <class F>
inline void for_sixteen_lines(const Fragment& f, F each) {
  const unsigned behind = f.role == Fragment::Role::b ? f.across() / f.core_width() : 1;
  for (unsigned c = 0; c < f.cores(); ++c) {
    const Fragment::Place first = f.core(c);
    if (first.line % kSideBySide == 0) each(c, first, c + behind);
  }
}

/// All of A or B. @tparam Register  what a register holds
template <class Register, class T>
inline void gather(const Rows32& rows, const Fragment& f, Layout layout, T* out) {
  alignas(64) T core[256];
  for (unsigned c = 0; c < f.cores(); ++c) {
    const Fragment::Place first = f.core(c);
    T* const to = out + first.line * layout.line_step + first.across * layout.across_step;
    numbers_of(rows.row<const Register>(c), f.element, core);
    switch (f.core_width()) {
      case 4: place_core<4>(core, layout, to); break;
      case 8: place_core<8>(core, layout, to); break;
      case 16: place_core<16>(core, layout, to); break;
      default: place_core<32>(core, layout, to); break;
    }
  }
}

/// The same of floating-point numbers in rows of lines: of a multiple of sixteen, `lines` in all.
inline void gather_side_by_side(const Rows32& rows, const Fragment& f, unsigned lines, f32* out) {
  if (f.core_width() > 8) return gather<u32>(rows, f, {1, lines}, out);
  for_sixteen_lines(f, [&](unsigned core, Fragment::Place first, unsigned behind) {
    alignas(64) f32 a[64], b[64];
    numbers_of(rows.row<const u32>(core), f.element, a);
    numbers_of(rows.row<const u32>(behind), f.element, b);
    f32* const to = out + first.line + first.across * lines;
    f.core_width() == 4 ? mirror_fours(a, b, to, lines) : mirror_eights(a, b, to, lines);
  });
}

/// A or B of single bits: words, line by line.
inline void gather_bits(const Rows32& rows, const Fragment& f, u32* out) {
  const unsigned words = f.across() / 32;
  for (unsigned c = 0; c < f.cores(); ++c) {
    const Fragment::Place first = f.core(c);
    for (unsigned l = 0; l < kTensorLanes; ++l)
      out[(first.line + l / kCoreGroups) * words + first.across / 32 + l % kCoreGroups] = rows.row<const u32>(c)[l];
  }
}

/// The sum as 32 bits: it wraps, or stops at the ends with .satfinite.
inline s32 finished(s64 sum, bool saturates) {
  constexpr s64 kLeast = -(s64{1} << 31), kMost = (s64{1} << 31) - 1;
  if (saturates) sum = sum < kLeast ? kLeast : sum > kMost ? kMost : sum;
  return static_cast<s32>(static_cast<u32>(static_cast<u64>(sum)));
}

/// Calls each(index, element) for all of an accumulator. @tparam T  f16, or as wide as a register
template <class T, class F>
inline void for_sums(const Rows32& rows, const Fragment& f, Layout layout, F each) {
  constexpr bool kHalves = sizeof(T) == 2;
  const auto [line_step, across_step] = layout;
  for (unsigned c = 0; c < f.cores(); ++c) {
    const Fragment::Place first = f.core(c);
    for (unsigned k = 0; k < 2; ++k) {
      T* const row = rows.row<T>(kHalves ? c : 2 * c + k);
      const unsigned at = first.line * line_step + (first.across + k) * across_step;
      for (unsigned l = 0; l < kTensorLanes; ++l)
        each(at + l / kCoreGroups * line_step + l % kCoreGroups * 2 * across_step, row[kHalves ? 2 * l + k : l]);
    }
  }
}

}  // namespace bankshot::simt::BANKSHOT_ISA

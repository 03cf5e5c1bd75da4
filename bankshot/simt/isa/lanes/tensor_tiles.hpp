// Between the registers of a warp and dense matrices, for mma and wmma.mma. Fragments: fragment.hpp.
#pragma once

#include "bankshot/simt/isa/lanes/half.hpp"
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

/// Calls place(at, line, across) for each element of a core: `at` counts them line by line.
template <class F>
inline void for_core(const Fragment& f, unsigned core, F place) {
  const Fragment::Place first = f.core(core);
  const unsigned width = f.core_width();
  for (unsigned line = 0; line < kCoreLines; ++line) {
    for (unsigned k = 0; k < width; ++k) place(line * width + k, first.line + line, first.across + k);
  }
}

/// The elements of a core of A or B, as numbers.
inline void numbers_of(const u32* reg, Element element, f64* out) {
  const auto* const halves = reinterpret_cast<const u16*>(reg);
  const auto* const bytes = reinterpret_cast<const u8*>(reg);
  switch (element) {
    case Element::f16: {
      f32 wide[64];
      widen_row<64>(reinterpret_cast<const f16*>(reg), wide);
      for (int k = 0; k < 64; ++k) out[k] = wide[k];
      return;
    }
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
        const f64 number = widen(f16{static_cast<u16>(magnitude << 7 | (bytes[k] & 0x80u) << 8)}) * 256.0;
        out[k] = magnitude == 0x7f ? __builtin_nan("") : number;
      }
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

/// All of A (m rows of k) or B (k rows of n), row by row. @tparam Register  what a register holds
template <class Register, class T>
inline void gather(const Rows32& rows, const Fragment& f, T* out) {
  T core[256];
  const unsigned columns = f.role == Fragment::Role::b ? f.shape.n : f.across();
  for (unsigned c = 0; c < f.cores(); ++c) {
    numbers_of(rows.row<const Register>(c), f.element, core);
    if (f.role == Fragment::Role::b) {
      for_core(f, c, [&](unsigned at, unsigned line, unsigned across) { out[across * columns + line] = core[at]; });
    } else {
      for_core(f, c, [&](unsigned at, unsigned line, unsigned across) { out[line * columns + across] = core[at]; });
    }
  }
}

/// Calls each(index in the m × n matrix, element) for all of an accumulator. @tparam T  f16, or as wide as a register
template <class T, class F>
inline void for_sums(const Rows32& rows, const Fragment& f, F each) {
  constexpr bool kHalves = sizeof(T) == 2;
  const unsigned n = f.shape.n;
  for (unsigned c = 0; c < f.cores(); ++c) {
    const Fragment::Place first = f.core(c);
    for (unsigned k = 0; k < 2; ++k) {
      T* const row = rows.row<T>(kHalves ? c : 2 * c + k);
      const unsigned at = first.line * n + first.across + k;
      for (unsigned l = 0; l < kTensorLanes; ++l)
        each(at + l / kCoreGroups * n + l % kCoreGroups * 2, row[kHalves ? 2 * l + k : l]);
    }
  }
}

}  // namespace bankshot::simt::BANKSHOT_ISA

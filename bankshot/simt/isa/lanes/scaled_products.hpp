// Sums of products with scale factors, and of elements of 4 and 6 bits, for mma and tcgen05.mma.
//
// They are assumed to be those of the model of Xie et al., "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and
// Matrix Cores", arXiv 2511.10909 (2025), for Blackwell. They are those of tensor_sums.hpp, where the exponent of a
// product includes those of its scale factors. Of packed e2m1, however, sixteen products at a time are added up
// exactly; their sum is one addend with the exponent of its scale factors, and 35 places count.
#pragma once

#include "bankshot/simt/isa/lanes/addends.hpp"
#include "bankshot/simt/isa/lanes/tensor_tiles.hpp"
#include "bankshot/simt/matrices/mma_variant.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

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

/// The factors of eight sums side by side.
struct ScaledDots {
  static constexpr unsigned kMostScales = 6;
  const f32* a;  ///< a row
  const f32* b;  ///< b[q * step + j] meets a[q] for sum j
  unsigned step;
  unsigned count;  ///< of products
  Element a_element, b_element;
  unsigned scales;                   ///< of a sum's factors; with 0 and 1 all products have the first ones
  const Scale* of_a;                 ///< [kMostScales]
  const Scale (*of_b)[kMostScales];  ///< [8]
  bool grouped() const { return a_element == Element::e2m1; }
};

inline void put_addend(Addends& all, unsigned column, f64 value, s32 exponent) {
  all.value[all.count][column] = value;
  all.exponent[all.count][column] = value == 0 ? kNoExponent : exponent;
}

inline void add_products(const ScaledDots& d, Addends& all) {
  constexpr unsigned kSums = Addends::kSums;
  const s32 least_a = least_exponent(d.a_element), least_b = least_exponent(d.b_element);
  f64 scale[kSums];
  s32 exponent[kSums];
  for (unsigned j = 0; j < kSums; ++j) {
    scale[j] = d.of_a[0].value * d.of_b[j][0].value;
    exponent[j] = d.of_a[0].exponent + d.of_b[j][0].exponent;
  }
  for (unsigned q = 0; q < d.count; ++q, ++all.count) {
    const f64 x = d.a[q];
    const s32 e = exponent_of(d.a[q], least_a);
    for (unsigned j = 0; j < kSums; ++j) {
      const f32 y = d.b[q * d.step + j];
      put_addend(all, j, x * static_cast<f64>(y) * scale[j], e + exponent_of(y, least_b) + exponent[j]);
    }
  }
}

/// The same of packed e2m1.
inline void add_groups(const ScaledDots& d, Addends& all) {
  constexpr unsigned kGroup = 16, kSums = Addends::kSums;
  const unsigned groups = d.count / kGroup;
  for (unsigned group = 0; group < groups; ++group, ++all.count) {
    f32 dots[kSums] = {};  // multiples of 1/4, exact
    for (unsigned q = group * kGroup; q < (group + 1) * kGroup; ++q) {
      for (unsigned j = 0; j < kSums; ++j) dots[j] += d.a[q] * d.b[q * d.step + j];
    }
    const unsigned k = group * d.scales / groups;
    const Scale& of_a = d.of_a[k];
    for (unsigned j = 0; j < kSums; ++j) {
      const Scale& of_b = d.of_b[j][k];
      put_addend(all, j, static_cast<f64>(dots[j]) * of_a.value * of_b.value, of_a.exponent + of_b.exponent);
    }
  }
}

/// @param c  eight accumulators, before and after
template <bool Half>
inline void add_scaled(const ScaledDots& d, f32* c) {
  constexpr s32 kPlaces = 25, kPlacesOfGroups = 35;
  Addends all;
  if (d.grouped()) {
    add_groups(d, all);
  } else {
    add_products(d, all);
  }
  add_up<Half>(all, d.grouped() ? kPlacesOfGroups : kPlaces, c);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

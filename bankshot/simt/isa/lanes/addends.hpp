// Sums of addends whose exponents are given, eight sums side by side. For products of elements of 4 and 6 bits and with
// scale factors; what the sums are otherwise, tensor_sums.hpp says.
#pragma once

#include "bankshot/simt/isa/lanes/tensor_sums.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// Addends of eight accumulators.
struct Addends {
  static constexpr unsigned kSums = 8, kMost = 32;
  unsigned count = 0;
  alignas(64) f64 value[kMost][kSums];
  alignas(64) s32 exponent[kMost][kSums];  ///< the largest of a sum decides what is cut off; kNoExponent of zeros
};

/// @param places  below the largest exponent, that addends keep @param c  the accumulators, before and after
template <bool Half>
inline void add_up(const Addends& all, s32 places, f32* c) {
  constexpr unsigned kSums = Addends::kSums;
  alignas(64) s32 e[kSums];
  alignas(64) f64 plain[kSums], scale[kSums], sum[kSums];
  for (unsigned j = 0; j < kSums; ++j) {
    e[j] = exponent_of(c[j], least_exponent(Half ? Element::f16 : Element::f32));
    plain[j] = c[j];
  }
  for (unsigned q = 0; q < all.count; ++q) {
    BANKSHOT_LANE_LOOP
    for (unsigned j = 0; j < kSums; ++j) {
      plain[j] += all.value[q][j];
      e[j] = all.exponent[q][j] > e[j] ? all.exponent[q][j] : e[j];
    }
  }
  for (unsigned j = 0; j < kSums; ++j) {
    scale[j] = e[j] < kAllZero || e[j] >= kInfinite ? 0 : power_of_two(places - e[j]);
    sum[j] = __builtin_trunc(static_cast<f64>(c[j]) * scale[j]);
  }
  for (unsigned q = 0; q < all.count; ++q) {
    BANKSHOT_LANE_LOOP
    for (unsigned j = 0; j < kSums; ++j) sum[j] += __builtin_trunc(all.value[q][j] * scale[j]);
  }
  constexpr u64 kInfinity = u64{0x7ff} << 52;
  for (unsigned j = 0; j < kSums; ++j) {
    const bool finite = (as_bits(plain[j]) & kInfinity) != kInfinity;
    c[j] = !finite         ? static_cast<f32>(plain[j])
           : scale[j] == 0 ? 0
                           : rounded_sum<Half>(sum[j] * power_of_two(e[j] - places));
  }
}

}  // namespace bankshot::simt::BANKSHOT_ISA

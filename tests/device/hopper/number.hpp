// Floating-point formats of matrix instructions, and values put together from sign, exponent and mantissa.
#pragma once
#include <cstdint>

namespace hopper {

struct Format {
  const char* name;
  int exponent_bits, mantissa_bits, bytes;
  bool finite_only;     ///< e4m3: no infinities; the largest code is NaN
  int unused_bits = 0;  ///< tf32: low bits of its 32 that are no part of the number
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int lowest() const { return 1 - bias(); }
  int highest() const { return (1 << exponent_bits) - (finite_only ? 1 : 2) - bias(); }
  uint32_t sign_bit() const { return 1u << (exponent_bits + mantissa_bits + unused_bits); }
  uint32_t infinity() const {
    return finite_only ? 0x7f : ((1u << exponent_bits) - 1) << (mantissa_bits + unused_bits);
  }
};

inline constexpr Format kF16{"f16", 5, 10, 2, false}, kBf16{"bf16", 8, 7, 2, false}, kTf32{"tf32", 8, 10, 4, false, 13},
    kE4m3{"e4m3", 4, 3, 1, true}, kE5m2{"e5m2", 5, 2, 1, false}, kF32{"f32", 8, 23, 4, false};

/// The code of (-1)^negative * 1.fraction * 2^exponent, `fraction` being the top bits of a mantissa of 32 bits; below
/// the lowest exponent a subnormal or zero, above the highest the largest finite number. Not rounded.
inline uint32_t encode(const Format& f, bool negative, int exponent, uint32_t fraction) {
  uint64_t mantissa = (uint64_t{1} << 32 | fraction) >> (32 - f.mantissa_bits);
  if (exponent > f.highest()) exponent = f.highest(), mantissa = (uint64_t{2} << f.mantissa_bits) - 1;
  uint32_t code;
  if (exponent < f.lowest()) {
    const int shift = f.lowest() - exponent;
    code = shift > f.mantissa_bits ? 0 : static_cast<uint32_t>(mantissa >> shift);
  } else {
    code = static_cast<uint32_t>(exponent + f.bias()) << f.mantissa_bits |
           (static_cast<uint32_t>(mantissa) & ((1u << f.mantissa_bits) - 1));
    if (f.finite_only && code == 0x7f) code = 0x7e;
  }
  return code << f.unused_bits | (negative ? f.sign_bit() : 0);
}

}  // namespace hopper

#include "tests/differential/formats.hpp"

#include <cmath>
#include <limits>

namespace bankshot::differential {
namespace {

int bias(Format format) { return (1 << (format.exponent_bits - 1)) - 1; }
uint64_t infinity(Format format) { return ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits; }
uint64_t sign(Format format) { return uint64_t{1} << (format.exponent_bits + format.mantissa_bits); }

}  // namespace

Format format_of(ptx::Type type) { return type == ptx::Type::f16 ? kF16 : type == ptx::Type::bf16 ? kBf16 : kF32; }

bool is_nan(uint64_t bits, Format format) { return (bits & (sign(format) - 1)) > infinity(format); }

double decoded(uint64_t bits, Format format) {
  const uint64_t magnitude = bits & (sign(format) - 1),
                 mantissa = magnitude & ((uint64_t{1} << format.mantissa_bits) - 1);
  const auto exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  double x = 0;
  if (is_nan(bits, format)) {
    x = std::numeric_limits<double>::quiet_NaN();
  } else if (magnitude == infinity(format)) {
    x = std::numeric_limits<double>::infinity();
  } else {
    const uint64_t whole = exponent == 0 ? mantissa : mantissa | uint64_t{1} << format.mantissa_bits;
    x = std::ldexp(static_cast<double>(whole), (exponent == 0 ? 1 : exponent) - bias(format) - format.mantissa_bits);
  }
  return bits & sign(format) ? -x : x;
}

uint64_t encoded(long double x, Format format, int mode) {
  const bool negative = std::signbit(x);
  const uint64_t sign_bit = negative ? sign(format) : 0;
  const long double magnitude = negative ? -x : x;
  if (magnitude == 0) return sign_bit;
  if (std::isinf(magnitude)) return sign_bit | infinity(format);
  const int least = 1 - bias(format);  // exponent of the smallest normal number
  int exponent = std::ilogb(magnitude);
  if (exponent < least) exponent = least;
  // In units of the last place, which is exact: the number of such units is rounded.
  const long double units = std::scalbn(magnitude, format.mantissa_bits - exponent);
  const long double whole = std::floor(units), rest = units - whole;
  auto count = static_cast<uint64_t>(whole);
  const bool up = mode == FE_UPWARD      ? rest > 0 && !negative
                  : mode == FE_DOWNWARD  ? rest > 0 && negative
                  : mode == FE_TONEAREST ? rest > 0.5L || (rest == 0.5L && (count & 1) != 0)
                  : mode == kTiesAway    ? rest >= 0.5L
                                         : false;
  if (up) ++count;
  const uint64_t one = uint64_t{1} << format.mantissa_bits;
  if (count == 2 * one) {
    count = one;
    ++exponent;
  }
  if (exponent > bias(format)) {
    const bool to_infinity = mode == FE_TONEAREST || mode == kTiesAway || mode == (negative ? FE_DOWNWARD : FE_UPWARD);
    return sign_bit | (to_infinity ? infinity(format) : infinity(format) - 1);
  }
  if (count < one) return sign_bit | count;  // subnormal
  return sign_bit | static_cast<uint64_t>(exponent + bias(format)) << format.mantissa_bits | (count - one);
}

uint64_t flushed(uint64_t bits, Format format) { return (bits & infinity(format)) == 0 ? bits & sign(format) : bits; }

uint64_t flushed_result(uint64_t bits, long double exact, int mode) {
  constexpr Format kEndless{11, 23};
  const bool tiny = std::fabs(decoded(encoded(exact, kEndless, mode), kEndless)) < 0x1p-126;
  return tiny ? bits & 0x80000000 : bits;
}

float f32_of(uint64_t bits) {
  const auto word = static_cast<uint32_t>(bits);
  float x;
  std::memcpy(&x, &word, 4);
  return x;
}
double f64_of(uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, 8);
  return x;
}
uint64_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}
uint64_t bits_of(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, 8);
  return bits;
}

}  // namespace bankshot::differential

// Floats of 6 and 4 bits and scale factors of 8, by all their numbers. Source: PTX ISA, cvt; OCP Microscaling
// Formats 1.0.
#include <algorithm>
#include <bit>
#include <cmath>

#include "conformance.hpp"
#include "reference_float.hpp"

namespace bankshot::simt::conformance {
namespace {

struct Small {
  int exponent_bits = 0, mantissa_bits = 0;
  unsigned place = 8;  ///< bits from one number of a pair to the other

  unsigned numbers() const { return 1u << (exponent_bits + mantissa_bits); }  // that are not negative
  double value(unsigned k) const {
    const int field = static_cast<int>(k >> mantissa_bits), bias = (1 << (exponent_bits - 1)) - 1;
    const int fraction = static_cast<int>(k) & ((1 << mantissa_bits) - 1);
    return std::ldexp(field == 0 ? fraction : fraction + (1 << mantissa_bits),
                      std::max(field, 1) - bias - mantissa_bits);
  }
  /// Of two equally near numbers the even one. Midpoints are exact in double.
  uint64_t nearest(double x) const {
    if (std::isnan(x)) return numbers() - 1;
    unsigned k = 0;
    while (k + 1 < numbers()) {
      const double middle = (value(k) + value(k + 1)) / 2;
      if (std::fabs(x) < middle || (std::fabs(x) == middle && k % 2 == 0)) break;
      ++k;
    }
    return k | (std::signbit(x) ? numbers() : 0);
  }
};

double single(uint64_t bits) { return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))); }

Rule to_small(const Spelling& s, const Small& small) {
  const bool relu = s.has("relu");
  Rule rule;
  rule.results = [=](Sources v) {
    const auto convert = [&](uint64_t bits) {
      const double x = single(bits);
      return relu && !std::isnan(x) && std::signbit(x) ? 0 : small.nearest(x);
    };
    return one(convert(v[0]) << small.place | convert(v[1]));
  };
  return rule;
}

Rule from_small(const Spelling& s, const Small& small) {
  const bool relu = s.has("relu");
  Rule rule;
  rule.results = [=](Sources v) {
    const auto convert = [&](uint64_t bits) -> uint64_t {
      const auto k = static_cast<unsigned>(bits) & (small.numbers() - 1);
      const bool negative = (bits & small.numbers()) != 0;
      if (relu && negative) return 0;
      const uint64_t magnitude = rounded(
          kF16, MPFR_RNDN, false, [&](mpfr_ptr d, mpfr_rnd_t mode) { return mpfr_set_d(d, small.value(k), mode); });
      return magnitude | (negative ? kF16.sign() : 0);
    };
    return one(convert(v[0] >> small.place) << 16 | convert(v[0]));
  };
  return rule;
}

/// The exponent of the power of two below x, or with .rp above, plus 127.
uint64_t scale(double x, bool up, bool finite) {
  if (std::isnan(x)) return 0xff;
  if (std::isinf(x)) return finite ? 0xfe : 0xff;
  if (x == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);  // from 1/2 up to below 1
  const int power = std::max(up && fraction != 0.5 ? exponent : exponent - 1, -127);
  if (power > 127) return finite ? 0xfe : 0xff;
  return static_cast<uint64_t>(power + 127);
}

Rule to_scales(const Spelling& s) {
  const bool up = s.has("rp"), finite = s.has("satfinite"), packed = s.has("bf16x2");
  Rule rule;
  rule.results = [=](Sources v) {
    const uint64_t a = packed ? v[0] & 0xffff0000 : v[0], b = packed ? v[0] << 16 : v[1];
    return one(scale(single(a), up, finite) << 8 | scale(single(b), up, finite));
  };
  return rule;
}

Rule from_scales() {
  Rule rule;
  rule.results = [](Sources v) {
    const auto convert = [](uint64_t k) -> uint64_t {
      if (k == 0xff) return kBf16.nan();
      return std::bit_cast<uint32_t>(static_cast<float>(std::ldexp(1.0, static_cast<int>(k) - 127))) >> 16;
    };
    return one(convert(v[0] >> 8 & 0xff) << 16 | convert(v[0] & 0xff));
  };
  rule.exhaustive = true;
  return rule;
}

}  // namespace

std::optional<Rule> small_float_rule(const Spelling& s) {
  if (s.opcode != "cvt") return {};
  if (s.has("ue8m0x2")) return s.modifiers.back() == "ue8m0x2" ? from_scales() : to_scales(s);
  const bool widens = s.has("f16x2");
  for (const auto& [name, small] :
       {std::pair{"e2m3x2", Small{2, 3, 8}}, {"e3m2x2", Small{3, 2, 8}}, {"e2m1x2", Small{2, 1, 4}}}) {
    if (!s.has(name)) continue;
    Rule rule = widens ? from_small(s, small) : to_small(s, small);
    rule.exhaustive = widens;
    return rule;
  }
  return {};
}

}  // namespace bankshot::simt::conformance

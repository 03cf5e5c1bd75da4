// Conversions. Source: PTX ISA, cvt and cvt.pack.
#include <algorithm>
#include <bit>
#include <cmath>

#include "exact_integers.hpp"
#include "float_modifiers.hpp"

namespace bankshot::simt::conformance {
namespace {

using T = ptx::Type;

bool is_integer(T type) { return (type >= T::u8 && type <= T::u64) || (type >= T::s8 && type <= T::s64); }

Wide lowest_of(T type) { return is_signed(type) ? -(static_cast<Wide>(1) << (ptx::bits(type) - 1)) : 0; }
Wide highest_of(T type) { return (static_cast<Wide>(1) << (ptx::bits(type) - (is_signed(type) ? 1 : 0))) - 1; }

/// An integer as the register of its type holds it: sign-extended if signed.
uint64_t stored(Wide x, T type) { return static_cast<uint64_t>(number(static_cast<uint64_t>(x), type)); }

Rule integer_to_integer(const Spelling& s) {
  const T to = s.type(0), from = s.type(1);
  const bool saturates = s.has("sat");
  Rule rule;
  rule.results = [=](Sources v) {
    const Wide x = number(v[0], from);
    return one(stored(saturates ? std::clamp(x, lowest_of(to), highest_of(to)) : x, to));
  };
  return rule;
}

Rule integer_to_float(const Spelling& s) {
  const T from = s.type(1);
  const Format f = format_of(s.type(0));
  const mpfr_rnd_t mode = rounding_of(s);
  Rule rule;
  rule.results = [=](Sources v) {
    const Wide x = number(v[0], from);
    const auto magnitude = static_cast<uint64_t>(x < 0 ? -x : x);
    Real value(64);
    mpfr_set_ui(value, magnitude, MPFR_RNDN);
    if (x < 0) mpfr_neg(value, value, MPFR_RNDN);
    return one(limited(s, f, rounded(f, mode, false, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_set(d, value, m); })));
  };
  return rule;
}

/// Rounded to an integer, then limited to the type's range. NaN gives 0, but from f64 or to 64 bits the highest bit
/// alone.
Rule float_to_integer(const Spelling& s) {
  const T to = s.type(0), from = s.type(1);
  const Format f = format_of(from);
  const mpfr_rnd_t mode = rounding_of(s);
  const bool flush = s.has("ftz") && from == T::f32;
  Rule rule;
  rule.results = [=](Sources v) {
    const uint64_t a = flush ? f.flushed(v[0]) : v[0];
    if (f.is_nan(a))
      return one(stored(from == T::f64 || ptx::bits(to) == 64 ? static_cast<Wide>(1) << (ptx::bits(to) - 1) : 0, to));
    const Real x(f, a);
    Real whole(70);  // any integer within a type's range
    if (mpfr_cmp_d(x, 0x1p64) >= 0) return one(stored(highest_of(to), to));
    if (mpfr_cmp_d(x, -0x1p64) <= 0) return one(stored(lowest_of(to), to));
    mpfr_rint(whole, x, mode);
    const bool negative = mpfr_sgn(static_cast<mpfr_srcptr>(whole)) < 0;
    mpfr_abs(whole, whole, MPFR_RNDN);
    if (mpfr_cmp_d(whole, 0x1p64) >= 0) return one(stored(negative ? lowest_of(to) : highest_of(to), to));
    const auto magnitude = static_cast<Wide>(mpfr_get_ui(whole, MPFR_RNDN));
    return one(stored(std::clamp(negative ? -magnitude : magnitude, lowest_of(to), highest_of(to)), to));
  };
  return rule;
}

/// What comes of a NaN, where PTX has no canonical one or an H200 does not make it: f64 keeps sign and payload on the
/// way to it and from it, and is made quiet; what is only moved stays.
std::optional<uint64_t> kept_nan(const Spelling& s, uint64_t nan) {
  const T to = s.type(0), from = s.type(1);
  const Format f = format_of(from), g = format_of(to);
  const bool flush = s.has("ftz"), to_integer = !s.which({"rni", "rzi", "rmi", "rpi"}).empty();
  if (s.has("sat")) return {};
  const bool moved = from == to || (from == T::bf16 && to == T::f32);
  if (moved && !flush && !to_integer && g.bits() >= 32)
    return (nan & (f.sign() - 1)) << (g.bits() - f.bits()) | ((nan & f.sign()) != 0 ? g.sign() : 0);
  if (from != T::f64 && to != T::f64) return {};
  if (flush && from == T::f32) nan = f.nan();
  const uint64_t payload = nan & ((uint64_t{1} << f.mantissa_bits) - 1);
  const int wider = g.mantissa_bits - f.mantissa_bits;
  return ((nan & f.sign()) != 0 ? g.sign() : 0) | g.infinity() | uint64_t{1} << (g.mantissa_bits - 1) |
         (wider >= 0 ? payload << wider : payload >> -wider);
}

/// .ftz is about f32: sources and results. An H200 does not flush what becomes f16.
Rule float_to_float(const Spelling& s) {
  const T to = s.type(0), from = s.type(1);
  const Format f = format_of(from), g = format_of(to);
  const mpfr_rnd_t mode = rounding_of(s);
  const bool flush = s.has("ftz"), flush_source = flush && from == T::f32 && to != T::f16,
             flush_result = flush && to == T::f32;
  const bool to_integer = !s.which({"rni", "rzi", "rmi", "rpi"}).empty();
  Rule rule;
  rule.results = [=](Sources v) {
    if (f.is_nan(v[0])) {
      if (const auto nan = kept_nan(s, v[0])) return one(*nan);
    }
    const uint64_t a = flush_source ? f.flushed(v[0]) : v[0];
    Real x(f, a);
    if (to_integer) {
      const bool negative = mpfr_signbit(static_cast<mpfr_srcptr>(x)) != 0;
      mpfr_rint(x, x, mode);
      if (mpfr_zero_p(static_cast<mpfr_srcptr>(x))) mpfr_setsign(x, x, negative, MPFR_RNDN);
    }
    return one(
        limited(s, g, rounded(g, mode, flush_result, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_set(d, x, m); })));
  };
  return rule;
}

/// The 8-bit floats, by all their numbers: e4m3 has no infinities, and NaN only with all ones; e5m2 is the upper half
/// of an f16. Source: Micikevicius et al., "FP8 Formats for Deep Learning", 2022, table 1.
struct ByteFloat {
  bool e4m3;
  Format format() const { return e4m3 ? Format{4, 3} : Format{5, 2}; }
  bool is_nan(uint64_t x) const { return e4m3 ? (x & 0x7f) == 0x7f : (x & 0x7f) > 0x7c; }
  uint64_t largest() const { return e4m3 ? 0x7e : 0x7b; }

  /// x exactly, also of the numbers of e4m3 where other formats have infinities.
  void value(uint64_t x, mpfr_ptr d) const {
    const Format f = format();
    const int field = static_cast<int>(x >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
    const uint64_t fraction = x & ((1u << f.mantissa_bits) - 1);
    mpfr_set_ui_2exp(d, field == 0 ? fraction : fraction + (1u << f.mantissa_bits),
                     std::max(field, 1) - f.bias() - f.mantissa_bits, MPFR_RNDN);
    mpfr_setsign(d, d, x >> 7 & 1, MPFR_RNDN);
  }
  /// The nearest number, of two equally near the even one; beyond the largest, the largest.
  uint64_t nearest(const Real& x) const {
    if (mpfr_nan_p(static_cast<mpfr_srcptr>(x))) return 0x7f;
    const uint64_t sign = mpfr_signbit(static_cast<mpfr_srcptr>(x)) ? 0x80 : 0;
    Real magnitude(60), below(60), above(60);
    mpfr_abs(magnitude, x, MPFR_RNDN);
    for (uint64_t k = 0; k < largest(); ++k) {
      value(k + 1, above);
      if (mpfr_cmp(above, magnitude) < 0) continue;
      value(k, below);
      Real down(2000), up(2000);
      mpfr_sub(down, magnitude, below, MPFR_RNDN);
      mpfr_sub(up, above, magnitude, MPFR_RNDN);
      const int side = mpfr_cmp(down, up);
      return sign | (side < 0 || (side == 0 && k % 2 == 0) ? k : k + 1);
    }
    return sign | largest();
  }
};

/// Of two numbers a and b, a goes to the upper half. With one packed operand both come from it.
Rule pair_to_bytes(const Spelling& s) {
  const ByteFloat bytes{s.type(0) == T::e4m3x2};
  const bool packed_source = s.type(1) == T::f16x2, relu = s.has("relu");
  const Format f = packed_source ? kF16 : kF32;
  Rule rule;
  rule.results = [=](Sources v) {
    const auto convert = [&](uint64_t x) -> uint64_t {
      return relu && !f.is_nan(x) && (x & f.sign()) != 0 ? 0 : bytes.nearest(Real(f, x));
    };
    if (packed_source) return one(convert(v[0] >> 16 & 0xffff) << 8 | convert(v[0] & 0xffff));
    return one(convert(v[0]) << 8 | convert(v[1]));
  };
  rule.most = 1500;
  return rule;
}

Rule bytes_to_pair(const Spelling& s) {
  const ByteFloat bytes{s.type(1) == T::e4m3x2};
  const bool relu = s.has("relu");
  Rule rule;
  rule.results = [=](Sources v) {
    const auto convert = [&](uint64_t x) -> uint64_t {
      if (bytes.is_nan(x)) return kF16.nan();
      if (relu && x >= 0x80) return 0;
      if (!bytes.e4m3 && (x & 0x7f) == 0x7c) return x << 8;
      Real value(8);
      bytes.value(x, value);
      return rounded(kF16, MPFR_RNDN, false, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_set(d, value, m); });
    };
    return one(convert(v[0] >> 8 & 0xff) << 16 | convert(v[0] & 0xff));
  };
  return rule;
}

Rule pair_to_halves(const Spelling& s) {
  const Format g = format_of(s.type(0));
  const mpfr_rnd_t mode = rounding_of(s);
  Rule rule;
  rule.results = [=](Sources v) {
    const auto convert = [&](uint64_t x) { return limited(s, g, converted(kF32, x, g, mode, false)); };
    return one(convert(v[0]) << 16 | convert(v[1]));
  };
  return rule;
}

/// |x| in steps of the last place of g, rounded down, or up if the rest and the random bits make a whole.
uint64_t drawn(const Spelling& s, const Format& g, uint64_t x, uint64_t random, int random_bits) {
  if (kF32.is_nan(x)) return g.nan();
  const uint64_t sign = (x & kF32.sign()) != 0 ? g.sign() : 0;
  if (sign != 0 && s.has("relu")) return 0;
  const uint64_t beyond = sign | (s.has("satfinite") ? g.largest() : g.infinity());
  const double magnitude = std::fabs(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(x))));
  if (std::isinf(magnitude)) return beyond;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const double place = std::ldexp(1.0, std::max(exponent - 1, 1 - g.bias()) - g.mantissa_bits);
  const double whole = std::floor(magnitude / place), rest = magnitude / place - whole;
  const bool up = rest + std::ldexp(static_cast<double>(random), -random_bits) >= 1;
  const double result = (up ? whole + 1 : whole) * place;
  const uint64_t bits =
      rounded(g, MPFR_RNDN, false, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_set_d(d, result, m); });
  return bits >= g.infinity() ? beyond : sign | bits;
}

/// a has the upper half of the random bits, b the lower one; of f16 13 bits count.
Rule pair_drawn(const Spelling& s) {
  const Format g = format_of(s.type(0));
  const int random_bits = g.bits() == 16 && g.mantissa_bits == 10 ? 13 : 16;
  Rule rule;
  rule.results = [=](Sources v) {
    const auto half = [&](unsigned shift) { return low_bits(v[2] >> shift, static_cast<unsigned>(random_bits)); };
    return one(drawn(s, g, v[0], half(16), random_bits) << 16 | drawn(s, g, v[1], half(0), random_bits));
  };
  return rule;
}

/// tf32 is an f32 whose last 13 bits are zero. .rna rounds ties away from zero. NaN as an H200 has them: .rna cuts the
/// last bits off, which may leave an infinity; .rna.satfinite takes one unit from that.
Rule to_tf32(const Spelling& s) {
  const bool away = s.has("rna");
  const mpfr_rnd_t mode = rounding_of(s);
  Rule rule;
  rule.results = [=](Sources v) {
    if (kF32.is_nan(v[0])) return one(away ? ((v[0] >> 13) - (s.has("satfinite") ? 1 : 0)) << 13 : 0x7fffe000);
    uint64_t d = converted(kF32, v[0], kTf32, mode, false);
    if (away) {
      const bool negative = (v[0] & kF32.sign()) != 0;
      const uint64_t inner = converted(kF32, v[0], kTf32, MPFR_RNDZ, false),
                     outer = converted(kF32, v[0], kTf32, negative ? MPFR_RNDD : MPFR_RNDU, false);
      const uint64_t below = v[0] - (inner << 13),
                     above = (outer << 13) - v[0];  // of magnitudes, as both have one sign
      d = below < above ? inner : outer;
    }
    return one(limited(s, kTf32, d) << 13);
  };
  return rule;
}

/// Clamped integers side by side, a above b, above them the low bits of c.
Rule pack_rule(const Spelling& s) {
  const std::string& name = s.modifiers[2];
  const unsigned width = static_cast<unsigned>(std::stoi(name.substr(1)));
  const bool with_sign = name[0] == 's';
  Rule rule;
  rule.results = [=](Sources v) {
    const auto limit = [&](uint64_t x) {
      const Wide low = with_sign ? -(1 << (width - 1)) : 0, high = (1 << (with_sign ? width - 1 : width)) - 1;
      return low_bits(static_cast<uint64_t>(std::clamp(number(x, T::s32), low, high)), width);
    };
    const uint64_t c = width < 16 ? v[2] << 2 * width : 0;
    return one(low_bits(c | limit(v[0]) << width | limit(v[1]), 32));
  };
  return rule;
}

}  // namespace

std::optional<Rule> convert_rule(const Spelling& s) {
  if (s.opcode != "cvt") return {};
  if (s.has("pack")) return pack_rule(s);
  const T to = s.type(0), from = s.type(1);
  if (to == T::e4m3x2 || to == T::e5m2x2) return pair_to_bytes(s);
  if (from == T::e4m3x2 || from == T::e5m2x2) return bytes_to_pair(s);
  if (s.has("rs")) return pair_drawn(s);
  if (to == T::f16x2 || to == T::bf16x2) return pair_to_halves(s);
  if (to == T::tf32) return to_tf32(s);
  if (is_integer(to)) return is_integer(from) ? integer_to_integer(s) : float_to_integer(s);
  return is_integer(from) ? integer_to_float(s) : float_to_float(s);
}

}  // namespace bankshot::simt::conformance

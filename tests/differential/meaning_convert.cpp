// cvt. Source: PTX ISA 9.0, sections 9.7.9.21 and 9.7.9.22. A source has the low bits of its register, a result is
// extended. NaN to an integer is 0, but with an f64 source or 64 bits of result the integer with only the highest bit
// set.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/differential/formats.hpp"
#include "tests/differential/meaning.hpp"

namespace bankshot::differential {
namespace {

struct Conversion {
  Type to = Type::none, from = Type::none;
  std::string whole;  ///< rni, rzi, rmi, rpi
  int mode = FE_TONEAREST;
  bool flush = false, saturate = false, relu = false, finite = false;
};

bool has_no_number(uint64_t bits, Type type) {
  return type == Type::f64 ? f64_of(bits) != f64_of(bits) : is_nan(low(bits, ptx::bits(type)), format_of(type));
}

long double source_number(const Conversion& c, uint64_t bits) {
  if (!ptx::is_float(c.from)) return static_cast<long double>(number(bits, c.from));
  if (c.from == Type::f64) return f64_of(bits);
  const uint64_t pattern = low(bits, ptx::bits(c.from));
  return decoded(c.from == Type::f32 && c.to != Type::f16 && c.flush ? flushed(pattern, kF32) : pattern,
                 format_of(c.from));
}

long double whole_number(const Conversion& c, long double x) {
  if (c.whole == "rzi") return std::trunc(x);
  if (c.whole == "rmi") return std::floor(x);
  if (c.whole == "rpi") return std::ceil(x);
  return c.whole == "rni" ? std::nearbyint(x) : x;
}

uint64_t to_integer(const Conversion& c, uint64_t bits) {
  if (!ptx::is_float(c.from)) {
    const Wide x = number(bits, c.from);
    return wrapped(c.saturate ? limited(x, c.to) : x, c.to);
  }
  if (has_no_number(bits, c.from)) {
    const bool highest = c.from == Type::f64 || ptx::bits(c.to) == 64;
    return highest ? wrapped(Wide{1} << (ptx::bits(c.to) - 1), c.to) : 0;
  }
  const long double x = whole_number(c, source_number(c, bits));
  if (x <= static_cast<long double>(least(c.to))) return wrapped(least(c.to), c.to);
  if (x >= static_cast<long double>(greatest(c.to))) return wrapped(greatest(c.to), c.to);
  return wrapped(static_cast<Wide>(x), c.to);
}

/// A NaN that becomes a float. Nothing is done to what is only moved; f64 keep and give sign and payload, made quiet;
/// others are the canonical NaN.
uint64_t converted_nan(const Conversion& c, uint64_t bits) {
  const bool computed = c.flush || !c.whole.empty();
  if (c.saturate) return 0;
  if (c.from == Type::f64 && c.to == Type::f64) return computed ? bits | uint64_t{1} << 51 : bits;
  if (c.from == Type::f64) {
    const unsigned width = ptx::bits(c.to), mantissa = static_cast<unsigned>(format_of(c.to).mantissa_bits);
    const uint64_t upper = low(bits | uint64_t{1} << 51, 63) >> (52 - mantissa);
    return (bits >> 63) << (width - 1) | low(upper, width - 1);
  }
  if (c.to == Type::f64) {
    if (c.flush) bits = kNan32;
    const unsigned width = ptx::bits(c.from), mantissa = static_cast<unsigned>(format_of(c.from).mantissa_bits);
    return (bits >> (width - 1) & 1) << 63 | uint64_t{0x7ff8} << 48 | low(bits, mantissa) << (52 - mantissa);
  }
  if (c.to != Type::f32) return kNan16;
  if (computed || c.from == Type::f16) return kNan32;
  return c.from == Type::f32 ? bits : low(bits, 16) << 16;
}

uint64_t to_float(const Conversion& c, uint64_t bits) {
  if (ptx::is_float(c.from) && has_no_number(bits, c.from)) return converted_nan(c, bits);
  long double x = whole_number(c, source_number(c, bits));
  if (c.saturate) x = x > 0 ? std::min(x, 1.0L) : 0;
  if (c.relu) x = x > 0 ? x : 0;
  if (c.to == Type::f64) {
    volatile long double exact = x;
    return bits_of(rounded<double>(c.mode, [&] { return static_cast<double>(exact); }));
  }
  const Format format = format_of(c.to);
  uint64_t d = encoded(x, format, c.mode);
  if (c.to == Type::f32 && c.flush) d = flushed_result(d, x, c.mode);
  // .satfinite: the largest number in place of infinity.
  if (c.finite && decoded(d, format) == std::numeric_limits<double>::infinity()) --d;
  if (c.finite && decoded(d, format) == -std::numeric_limits<double>::infinity()) --d;
  return d;
}

/// f16x2 and bf16x2 of two f32: the first goes to the upper half.
Meaning pair(Conversion c) {
  c.to = element_of(c.to);
  return [=](Values& v) { v.d = to_float(c, v.s[0]) << 16 | to_float(c, v.s[1]); };
}

uint64_t to_tf32(const Conversion& c, uint64_t bits) {
  if (is_nan(low(bits, 32), kF32)) {
    if (c.mode != kTiesAway) return 0x7fffe000;
    return low(bits & ~uint64_t{0x1fff}, 32) - (c.finite ? 0x2000 : 0);
  }
  const double x = decoded(low(bits, 32), kF32);
  if (c.relu && !(x > 0)) return 0;
  const uint64_t d = encoded(x, kTf32, c.mode);
  const bool infinite = (d & 0x3ffff) == 0x3fc00;
  return (c.finite && infinite ? d - 1 : d) << 13;
}

/// A number as e4m3 or e5m2. Both stop at the largest: .satfinite is the rule. e4m3 has numbers where others have
/// infinity.
uint64_t to_byte(const Conversion& c, double x, bool e4m3) {
  if (x != x) return 0x7f;
  if (c.relu && !(x > 0)) return 0;
  const uint64_t sign = std::signbit(x) ? 0x80 : 0;
  const double magnitude = std::fabs(x), most = e4m3 ? 448 : 57344;
  if (magnitude >= most) return sign | (e4m3 ? 0x7e : 0x7b);
  if (e4m3 && magnitude >= 240) {  // exponent 15: eighths of 256
    const uint64_t eighths = encoded(magnitude / 2, kE4m3, FE_TONEAREST);
    return sign | std::min<uint64_t>(eighths + 8, 0x7e);
  }
  return sign | encoded(magnitude, e4m3 ? kE4m3 : kE5m2, FE_TONEAREST);
}
double of_byte(uint64_t byte, bool e4m3) {
  if (!e4m3) return decoded(byte & 0xff, kE5m2);
  if ((byte & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  if ((byte & 0x7f) < 0x78) return decoded(byte & 0xff, kE4m3);
  return (byte & 0x80 ? -1.0 : 1.0) * 32.0 * static_cast<double>(8 + (byte & 7));
}

Meaning bytes_of_pair(const Conversion& c) {
  const bool e4m3 = c.to == Type::e4m3x2;
  if (c.from == Type::f32) {
    return [=](Values& v) {
      v.d = to_byte(c, decoded(low(v.s[0], 32), kF32), e4m3) << 8 | to_byte(c, decoded(low(v.s[1], 32), kF32), e4m3);
    };
  }
  return [=](Values& v) {
    v.d =
        to_byte(c, decoded(low(v.s[0] >> 16, 16), kF16), e4m3) << 8 | to_byte(c, decoded(low(v.s[0], 16), kF16), e4m3);
  };
}

Meaning halves_of_bytes(const Conversion& c) {
  const bool e4m3 = c.from == Type::e4m3x2;
  const auto one = [=](uint64_t byte) -> uint64_t {
    const double x = of_byte(byte, e4m3);
    if (x != x) return kNan16;
    return c.relu && !(x > 0) ? 0 : encoded(x, kF16, FE_TONEAREST);
  };
  return [=](Values& v) { v.d = one(v.s[0] >> 8) << 16 | one(v.s[0]); };
}

/// cvt.pack: a and b limited to the type, b lowest, below what the low bits of c bring.
Meaning packed(Name& name) {
  const bool saturates = name.take("sat");
  std::string part;
  unsigned width = 0;
  for (const std::string choice : {"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"}) {
    if (width != 0 || !name.take(choice)) continue;
    part = choice;
    width = static_cast<unsigned>(std::stoul(choice.substr(1)));
  }
  const bool with_c = name.take("b32");
  if (!saturates || width == 0 || !name.take("s32") || with_c != (width < 16) || name.sources != (with_c ? 3u : 2u)) {
    return nullptr;
  }
  return [=](Values& v) {
    const Wide lowest = part[0] == 's' ? -(Wide{1} << (width - 1)) : 0;
    const Wide highest = lowest + (Wide{1} << width) - 1;
    const auto one = [&](uint64_t x) {
      return low(static_cast<uint64_t>(std::clamp(number(x, Type::s32), lowest, highest)), width);
    };
    const uint64_t pair = one(v.s[0]) << width | one(v.s[1]);
    v.d = low(with_c ? v.s[2] << 2 * width | pair : pair, 32);
  };
}

}  // namespace

Meaning convert_meaning(Name& name) {
  if (name.opcode != "cvt") return nullptr;
  if (name.take("pack")) return packed(name);
  Conversion c;
  c.flush = name.take("ftz");
  c.saturate = name.take("sat");
  c.relu = name.take("relu");
  c.finite = name.take("satfinite");
  c.whole = name.take_one({"rni", "rzi", "rmi", "rpi"});
  c.mode = name.take("rna") ? kTiesAway : name.take_rounding();
  c.to = name.take_type();
  c.from = name.take_type();
  if (c.from == Type::none) return nullptr;
  if (c.to == Type::f16x2 && c.from == Type::f32 && name.sources == 2) return pair(c);
  if (c.to == Type::bf16x2 && c.from == Type::f32 && name.sources == 2) return pair(c);
  if (c.to == Type::tf32) return [=](Values& v) { v.d = to_tf32(c, v.s[0]); };
  if (c.to == Type::e4m3x2 || c.to == Type::e5m2x2) return bytes_of_pair(c);
  if (c.from == Type::e4m3x2 || c.from == Type::e5m2x2) return halves_of_bytes(c);
  if (name.sources != 1 || is_packed(c.to) || is_packed(c.from)) return nullptr;
  if (ptx::is_float(c.to)) return [=](Values& v) { v.d = to_float(c, v.s[0]); };
  return [=](Values& v) { v.d = to_integer(c, v.s[0]); };
}

}  // namespace bankshot::differential

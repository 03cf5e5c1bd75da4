// f32 and f64 by the host's own arithmetic, f16 and bf16 by doubles that are rounded once.
// Source: PTX ISA 9.0, sections 9.7.3 to 9.7.5. NaN of f32 is 0x7fffffff, of f16 and bf16 0x7fff. f64 keeps the payload
// of a NaN: of the last source but a third, as GPUs do (the manual leaves it open); of a quotient's first. It is
// 0xfff8000000000000 where no source is NaN.
#include <algorithm>
#include <cmath>

#include "tests/differential/formats.hpp"
#include "tests/differential/meaning.hpp"

namespace bankshot::differential {
namespace {

struct Options {
  std::string op;
  int mode = FE_TONEAREST;
  bool flush = false, saturate = false, relu = false;
};

template <class F>
F compute(const Options& o, F a_, F b_, F c_) {
  volatile F a = a_, b = b_, c = c_;
  return rounded<F>(o.mode, [&]() -> F {
    if (o.op == "add") return a + b;
    if (o.op == "sub") return a - b;
    if (o.op == "mul") return a * b;
    if (o.op == "div") return a / b;
    if (o.op == "rcp") return F{1} / a;
    if (o.op == "sqrt") return std::sqrt(a);
    return std::fma(a, b, c);
  });
}

uint64_t single(const Options& o, uint64_t a, uint64_t b, uint64_t c) {
  const auto in = [&](uint64_t bits) { return f32_of(o.flush ? flushed(bits, kF32) : bits); };
  const float x = compute<float>(o, in(a), in(b), in(c));
  if (x != x) return o.saturate ? 0 : kNan32;
  uint64_t d = bits_of(x);
  if (o.flush && std::fabs(x) <= 0x1p-126f) {
    Options odd = o;
    odd.mode = FE_TOWARDZERO;
    d = flushed_result(d, rounded_to_odd([&] { return compute<double>(odd, in(a), in(b), in(c)); }), o.mode);
  }
  if (!o.saturate) return d;
  return f32_of(d) > 0 ? bits_of(std::min(f32_of(d), 1.0f)) : 0;
}

uint64_t twofold(const Options& o, uint64_t a, uint64_t b, uint64_t c, size_t sources) {
  const double x = compute<double>(o, f64_of(a), f64_of(b), f64_of(c));
  if (x == x) return bits_of(x);
  constexpr uint64_t kQuiet = uint64_t{1} << 51;
  const auto is_nan = [](uint64_t bits) { return f64_of(bits) != f64_of(bits); };
  if (o.op == "div" && is_nan(a)) return a | kQuiet;
  if (sources >= 2 && is_nan(b)) return b | kQuiet;
  if (sources == 3 && is_nan(c)) return c | kQuiet;
  return is_nan(a) ? a | kQuiet : kNan64;
}

uint64_t half(const Options& o, Format format, uint64_t a, uint64_t b, uint64_t c) {
  const auto in = [&](uint64_t bits) { return decoded(o.flush ? flushed(bits, format) : bits, format); };
  const double x = rounded_to_odd([&]() -> double {
    volatile double va = in(a), vb = in(b), vc = in(c);
    if (o.op == "add") return va + vb;
    if (o.op == "sub") return va - vb;
    if (o.op == "mul") return va * vb;
    return std::fma(va, vb, vc);
  });
  if (x != x) return o.saturate ? 0 : kNan16;
  // Towards zero, an exact sum of 0 is +0 unless both are -0, as to nearest.
  uint64_t d = encoded(x, format, o.mode);
  if (o.flush) d = flushed(d, format);
  const double value = decoded(d, format);
  if (o.saturate) d = value > 0 ? encoded(std::min(value, 1.0), format, FE_TONEAREST) : 0;
  if (o.relu && !(value > 0)) d = 0;
  return d;
}

/// f on each of the numbers of a packed value.
template <class F>
uint64_t on_elements(Type type, F f) {
  if (!is_packed(type)) return f(0);
  const unsigned width = ptx::bits(type) / 2;
  return low(f(0), width) | low(f(width), width) << width;
}

Meaning arithmetic(Name& name, bool of_halves) {
  Options o;
  o.op = name.opcode;
  o.mode = name.take_rounding();
  o.flush = name.take("ftz");
  o.saturate = name.take("sat");
  o.relu = of_halves && name.take("relu");
  const Type type = name.take_type(), element = element_of(type);
  const size_t sources = name.sources;
  if (of_halves != (element == Type::f16 || element == Type::bf16)) return nullptr;
  if (!of_halves && element != Type::f32 && type != Type::f64) return nullptr;
  return [=](Values& v) {
    v.d = on_elements(type, [&](unsigned at) {
      const uint64_t a = v.s[0] >> at, b = v.s[1] >> at, c = v.s[2] >> at;
      if (of_halves) return half(o, format_of(element), a, b, c);
      return type == Type::f64 ? twofold(o, a, b, c, sources) : single(o, a, b, c);
    });
  };
}

/// What min, max, abs and neg know of a type: they look at bits only.
struct Bits {
  uint64_t sign, infinity, nan;
};
Bits bits_of_type(Type element) {
  switch (element) {
    case Type::f16: return {0x8000, 0x7c00, kNan16};
    case Type::bf16: return {0x8000, 0x7f80, kNan16};
    case Type::f32: return {0x80000000, 0x7f800000, kNan32};
    default: return {uint64_t{1} << 63, uint64_t{0x7ff} << 52, kNan64};
  }
}

Meaning signs(Name& name, bool of_halves) {
  const bool negates = name.opcode == "neg", flush = name.take("ftz");
  const Type type = name.take_type(), element = element_of(type);
  const bool is_half = element == Type::f16 || element == Type::bf16;
  if (!ptx::is_float(element) || is_half != of_halves) return nullptr;
  const Bits bits = bits_of_type(element);
  return [=](Values& v) {
    v.d = on_elements(type, [&](unsigned at) {
      uint64_t a = low(v.s[0] >> at, ptx::bits(element));
      if (flush) a = flushed(a, format_of(element));
      const uint64_t d = negates ? a ^ bits.sign : a & ~bits.sign;
      if ((a & ~bits.sign) <= bits.infinity) return d;
      return element == Type::f64 ? a | uint64_t{1} << 51 : bits.nan;  // with its sign
    });
  };
}

Meaning float_extrema(Name& name, bool of_halves) {
  const bool greater = name.opcode == "max", flush = name.take("ftz"), contagious = name.take("NaN");
  const bool xors = name.take("xorsign"), magnitudes = name.take("abs");
  const Type type = name.take_type(), element = element_of(type);
  const bool is_half = element == Type::f16 || element == Type::bf16;
  if (!ptx::is_float(element) || is_half != of_halves || (xors && !magnitudes)) return nullptr;
  const Bits bits = bits_of_type(element);
  const auto nan = [=](uint64_t x) { return (x & ~bits.sign) > bits.infinity; };
  /// Sign and magnitude as a number: -0 is below +0.
  const auto order = [=](uint64_t x) {
    const Wide magnitude = static_cast<Wide>(x & ~bits.sign);
    return x & bits.sign ? -magnitude - 1 : magnitude;
  };
  const auto of_two = [=](uint64_t a, uint64_t b) {
    const uint64_t sign = xors ? (a ^ b) & bits.sign : 0;
    if (magnitudes) {
      a &= ~bits.sign;
      b &= ~bits.sign;
    }
    if (nan(a) && nan(b) && element == Type::f64) return b | uint64_t{1} << 51;
    if ((nan(a) && nan(b)) || (contagious && (nan(a) || nan(b)))) return bits.nan;
    if (nan(a)) return b | sign;
    if (nan(b)) return a | sign;
    return ((order(a) < order(b)) != greater ? a : b) | sign;
  };
  const size_t sources = name.sources;
  return [=](Values& v) {
    v.d = on_elements(type, [&](unsigned at) {
      const auto in = [&](size_t k) {
        const uint64_t x = low(v.s[k] >> at, ptx::bits(element));
        return flush ? flushed(x, format_of(element)) : x;
      };
      const uint64_t d = of_two(in(0), in(1));
      return sources == 3 ? of_two(d, in(2)) : d;
    });
  };
}

Meaning classes(Name& name) {
  const std::string what = name.take_one({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const Type type = name.take_type();
  return [=](Values& v) {
    const double x = type == Type::f64 ? f64_of(v.s[0]) : static_cast<double>(f32_of(v.s[0]));
    const double smallest = type == Type::f64 ? 0x1p-1022 : 0x1p-126;
    const bool small = x != 0 && std::fabs(x) < smallest;
    v.d = what == "finite"       ? std::isfinite(x)
          : what == "infinite"   ? std::isinf(x)
          : what == "number"     ? x == x
          : what == "notanumber" ? x != x
          : what == "subnormal"  ? small
                                 : std::isfinite(x) && !small;  // 0 counts as normal
  };
}

Meaning copied_sign(Name& name) {
  const Type type = name.take_type();
  const uint64_t sign = bits_of_type(type).sign;
  return [=](Values& v) { v.d = (v.s[0] & sign) | (v.s[1] & (sign - 1)); };
}

bool is_arithmetic(const std::string& op) { return op == "add" || op == "sub" || op == "mul" || op == "fma"; }

}  // namespace

Meaning float_meaning(Name& name) {
  const std::string& op = name.opcode;
  if (is_arithmetic(op) || op == "div" || op == "rcp" || op == "sqrt" || op == "mad") return arithmetic(name, false);
  if (op == "abs" || op == "neg") return signs(name, false);
  if (op == "min" || op == "max") return float_extrema(name, false);
  if (op == "testp") return classes(name);
  if (op == "copysign") return copied_sign(name);
  return nullptr;
}

Meaning half_meaning(Name& name) {
  const std::string& op = name.opcode;
  if (is_arithmetic(op)) return arithmetic(name, true);
  if (op == "abs" || op == "neg") return signs(name, true);
  if (op == "min" || op == "max") return float_extrema(name, true);
  return nullptr;
}

}  // namespace bankshot::differential

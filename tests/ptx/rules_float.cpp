// Arithmetic of all float types: the exact result, rounded once by MPFR. Source: PTX ISA, "Floating Point Instructions"
// and "Half Precision Floating Point Instructions".
#include <algorithm>
#include <random>

#include "float_modifiers.hpp"

namespace bankshot::simt::conformance {
namespace {

using T = ptx::Type;

uint64_t quiet(const Format& f, uint64_t nan) { return nan | uint64_t{1} << (f.mantissa_bits - 1); }

/// Instructions on f64 keep payloads of NaNs, but PTX does not say whose: an H200 looks at b, then c, then a; div at a
/// first.
std::vector<size_t> order_of_nan(const std::string& op) {
  return op == "div" ? std::vector<size_t>{0, 1} : std::vector<size_t>{1, 2, 0};
}

using Compute = std::function<int(mpfr_ptr d, const Real* operands, mpfr_rnd_t mode)>;

Compute operation_of(const std::string& op) {
  if (op == "add") return [](mpfr_ptr d, const Real* x, mpfr_rnd_t m) { return mpfr_add(d, x[0], x[1], m); };
  if (op == "sub") return [](mpfr_ptr d, const Real* x, mpfr_rnd_t m) { return mpfr_sub(d, x[0], x[1], m); };
  if (op == "mul") return [](mpfr_ptr d, const Real* x, mpfr_rnd_t m) { return mpfr_mul(d, x[0], x[1], m); };
  if (op == "div") return [](mpfr_ptr d, const Real* x, mpfr_rnd_t m) { return mpfr_div(d, x[0], x[1], m); };
  if (op == "rcp") return [](mpfr_ptr d, const Real* x, mpfr_rnd_t m) { return mpfr_ui_div(d, 1, x[0], m); };
  if (op == "sqrt") return [](mpfr_ptr d, const Real* x, mpfr_rnd_t m) { return mpfr_sqrt(d, x[0], m); };
  if (op == "fma" || op == "mad")
    return [](mpfr_ptr d, const Real* x, mpfr_rnd_t m) { return mpfr_fma(d, x[0], x[1], x[2], m); };
  return nullptr;
}

/// a, b and a c that nearly cancels their product. @param g  the format of c
std::vector<uint64_t> cancelling(const Format& f, const Format& g, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto operand = [&] {
    const uint64_t field = static_cast<uint64_t>(f.bias()) + random() % 9 - 4;
    return low_bits(random(), static_cast<unsigned>(f.mantissa_bits)) | field << f.mantissa_bits |
           (random() & 1 ? f.sign() : 0);
  };
  const uint64_t a = operand(), b = operand();
  const Real x(f, a), y(f, b);
  const uint64_t c = rounded(g, random() & 1 ? MPFR_RNDN : MPFR_RNDZ, false,
                             [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_mul(d, x, y, m); });
  return {a, b, (c ^ g.sign()) + random() % 3 - 1};
}

/// The operands may be of other formats than the result, but not where .ftz is possible.
Rule arithmetic_rule(const Spelling& s, const Format& f, const Compute& compute) {
  const bool flush = s.has("ftz");
  const mpfr_rnd_t mode = rounding_of(s);
  const size_t count = s.sources.size();
  const std::vector<size_t> order = order_of_nan(s.opcode);
  std::array<Format, 3> of{f, f, f};
  for (size_t k = 0; k < count; ++k) of[k] = format_of(s.sources[k].type);
  Rule rule;
  rule.results = [=](Sources v) {
    const auto operand = [&](size_t k) { return k >= count ? 0 : flush ? f.flushed(v[k]) : v[k]; };
    // What lies outside of a tensor: the fill of tensor maps.
    if (s.has("oob") && std::find(v.begin(), v.begin() + 3, f.nan()) != v.begin() + 3) return one(0);
    const Real operands[3] = {{of[0], operand(0)}, {of[1], operand(1)}, {of[2], operand(2)}};
    const uint64_t d = rounded(f, mode, flush, [&](mpfr_ptr to, mpfr_rnd_t m) { return compute(to, operands, m); });
    for (const size_t k : f.bits() == 64 ? order : std::vector<size_t>{}) {
      if (k < count && f.is_nan(v[k])) return one(quiet(f, v[k]));
    }
    return one(limited(s, f, d));
  };
  // A result just below the normal numbers may round to the least of them, or count as one to flush: PTX does not say.
  if (flush) {
    rule.also = [=](Sources v, uint64_t got) {
      const auto operand = [&](size_t k) { return k >= count ? 0 : f.flushed(v[k]); };
      const Real operands[3] = {{f, operand(0)}, {f, operand(1)}, {f, operand(2)}};
      const uint64_t d = rounded(f, mode, false, [&](mpfr_ptr to, mpfr_rnd_t m) { return compute(to, operands, m); });
      return got == limited(s, f, f.flushed(d));
    };
  }
  if (count == 3) rule.related = [of](uint64_t seed) { return cancelling(of[0], of[2], seed); };
  return rule;
}

/// min and max: -0 is below +0. A NaN loses against a number, but with .NaN it wins. .xorsign.abs compares magnitudes
/// and sets the product of the signs, unless the result is NaN; .abs of three operands compares magnitudes. Of f64 the
/// second of two NaNs is the result, made quiet, which PTX leaves open: an H200 has it so.
Rule extremum_rule(const Spelling& s, const Format& f) {
  const bool flush = s.has("ftz"), wins = s.has("NaN"), magnitudes = s.has("abs"), signs = s.has("xorsign"),
             most = s.opcode == "max";
  const size_t count = s.sources.size();
  const auto of_two = [=](uint64_t a, uint64_t b) {
    if (f.is_nan(a) || f.is_nan(b)) return wins || (f.is_nan(a) && f.is_nan(b)) ? f.nan() : f.is_nan(a) ? b : a;
    const Real x(f, a), y(f, b);
    const int order = mpfr_equal_p(x, y) ? mpfr_signbit(y) - mpfr_signbit(x) : mpfr_cmp(x, y);
    return (order > 0) == most ? a : b;
  };
  Rule rule;
  rule.results = [=](Sources v) {
    uint64_t d = 0, sign = 0;
    for (size_t k = 0; k < count; ++k) {
      uint64_t x = flush ? f.flushed(v[k]) : v[k];
      sign ^= x & f.sign();
      if (magnitudes) x &= ~f.sign();
      d = k == 0 ? x : of_two(d, x);
    }
    if (f.is_nan(d)) return one(f.bits() == 64 ? quiet(f, v[1]) : f.nan());
    return one(signs ? d | sign : d);
  };
  return rule;
}

/// neg and abs: the sign bit. Which NaN comes of a NaN PTX says of f32 only. On an H200 it is the canonical one of
/// 16-bit types as well, and of f64 the same with its sign, made quiet.
Rule sign_rule(const Spelling& s, const Format& f) {
  const bool flush = s.has("ftz"), negates = s.opcode == "neg";
  Rule rule;
  rule.results = [=](Sources v) {
    const uint64_t a = flush ? f.flushed(v[0]) : v[0];
    if (f.is_nan(a)) return one(f.bits() == 64 ? quiet(f, a) : f.nan());
    return one(negates ? a ^ f.sign() : a & ~f.sign());
  };
  rule.exhaustive = f.bits() == 16;
  return rule;
}

Rule copysign_rule(const Format& f) {
  Rule rule;
  rule.results = [=](Sources v) { return one((v[0] & f.sign()) | (v[1] & ~f.sign())); };
  return rule;
}

}  // namespace

std::optional<Rule> float_rule(const Spelling& s) {
  if (!is_float_type(s.type()) || s.has("approx") || s.has("full")) return {};
  const Format f = format_of(s.type());
  std::optional<Rule> rule;
  if (const Compute compute = operation_of(s.opcode)) rule = arithmetic_rule(s, f, compute);
  if (s.opcode == "min" || s.opcode == "max") rule = extremum_rule(s, f);
  if (s.opcode == "neg" || s.opcode == "abs") rule = sign_rule(s, f);
  if (s.opcode == "copysign") rule = copysign_rule(f);
  if (!rule) return {};
  return packed(*rule, static_cast<unsigned>(f.bits()), numbers_in(s.type()));
}

}  // namespace bankshot::simt::conformance

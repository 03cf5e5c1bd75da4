// Approximations: within the errors that the PTX ISA promises, and its tables of results for zeros, infinities and NaN
// exactly. An H200 keeps to these rules as well (tests/device). Source: PTX ISA, "Floating Point Instructions" and
// "Half Precision Floating Point Instructions": div.approx, div.full, rcp.approx, sqrt.approx, rsqrt.approx, sin, cos,
// lg2, ex2, tanh.
#include <cmath>

#include "conformance.hpp"
#include "reference_float.hpp"

namespace bankshot::simt::conformance {
namespace {

using T = ptx::Type;

constexpr int kPrecision = 200;  ///< bits, of which no f32 or f64 sees the end

/// Writes d, with kPrecision bits.
using Function = std::function<void(mpfr_ptr d, const Real& a, const Real& b)>;

/// sin or cos as an H200 has it: a times the f32 next to 1/2π is rounded towards zero to 24 bits, and what then lies
/// below 2^-25 turns is cut off. The manual promises an error of 2^-20.5 to 2π, of 2^-14.7 to 100π and nothing beyond.
void sine_after_reduction(mpfr_ptr d, const Real& a, bool cosine) {
  if (!mpfr_number_p(static_cast<mpfr_srcptr>(a))) return mpfr_set_nan(d);
  Real turns(24), quarters(kPrecision), whole(kPrecision);
  mpfr_mul_d(turns, a, static_cast<double>(0x1.45f306p-3F), MPFR_RNDZ);
  mpfr_mul_2si(quarters, turns, 25, MPFR_RNDN);
  mpfr_trunc(quarters, quarters);
  mpfr_mul_2si(quarters, quarters, -23, MPFR_RNDN);
  const bool negative = mpfr_signbit(static_cast<mpfr_srcptr>(a)) != 0;
  mpfr_abs(quarters, quarters, MPFR_RNDN);
  mpfr_round(whole, quarters);
  mpfr_sub(quarters, quarters, whole, MPFR_RNDN);  // at most 1/2, exactly
  mpfr_fmod_ui(whole, whole, 4, MPFR_RNDN);
  const auto quadrant = mpfr_get_ui(whole, MPFR_RNDN) + (cosine ? 1 : 0);
  mpfr_const_pi(d, MPFR_RNDN);
  mpfr_mul(d, d, quarters, MPFR_RNDN);
  mpfr_div_2ui(d, d, 1, MPFR_RNDN);
  if (quadrant % 2 == 1) {
    mpfr_cos(d, d, MPFR_RNDN);
  } else {
    mpfr_sin(d, d, MPFR_RNDN);
  }
  if ((quadrant & 2) != 0) mpfr_neg(d, d, MPFR_RNDN);
  if (negative && !cosine) mpfr_neg(d, d, MPFR_RNDN);
}

Function function_of(const std::string& op) {
  const auto n = MPFR_RNDN;
  if (op == "div") return [=](mpfr_ptr d, const Real& a, const Real& b) { mpfr_div(d, a, b, n); };
  if (op == "rcp") return [=](mpfr_ptr d, const Real& a, const Real&) { mpfr_ui_div(d, 1, a, n); };
  if (op == "sqrt") return [=](mpfr_ptr d, const Real& a, const Real&) { mpfr_sqrt(d, a, n); };
  if (op == "rsqrt") {  // mpfr_rec_sqrt has another sign for -0
    return [=](mpfr_ptr d, const Real& a, const Real&) {
      mpfr_sqrt(d, a, n);
      mpfr_ui_div(d, 1, d, n);
    };
  }
  if (op == "sin" || op == "cos")
    return [=](mpfr_ptr d, const Real& a, const Real&) { sine_after_reduction(d, a, op == "cos"); };
  if (op == "lg2") return [=](mpfr_ptr d, const Real& a, const Real&) { mpfr_log2(d, a, n); };
  if (op == "ex2") return [=](mpfr_ptr d, const Real& a, const Real&) { mpfr_exp2(d, a, n); };
  if (op == "tanh") return [=](mpfr_ptr d, const Real& a, const Real&) { mpfr_tanh(d, a, n); };
  return nullptr;
}

/// What may be missing: the sum of both. Anything, where the manual promises nothing.
struct Bound {
  double relative = 0, absolute = 0;
};

Bound bound_of(const std::string& op, const Format& f, double a) {
  // tanh of 16-bit types; 2^-8 of bf16 is promised, which an H200 exceeds for 0x3f3f.
  if (f.bits() == 16) return {0, f.mantissa_bits == 10 ? std::exp2(-10.987) : std::exp2(-7.99)};
  if (f.bits() == 64) return {std::exp2(-52), 0};  // no bound is documented for rsqrt.approx.f64
  if (op == "sin" || op == "cos") return {0, std::exp2(-20.5)};
  if (op == "tanh") return {std::exp2(-11), 0};
  if (op == "lg2") return a >= 0.5 && a <= 2 ? Bound{0, std::exp2(-22)} : Bound{std::exp2(-22), 0};
  if (op == "rsqrt") return {std::exp2(-22.9), 0};
  return {op == "rcp" || op == "sqrt" ? std::exp2(-23) : std::exp2(-22), 0};  // two units in the last place of div
}

/// ex2 and tanh of 16-bit types on an H200: the exact result cut off. Small arguments of tanh stay as they are, and its
/// large ones give 1; ex2 takes arguments below 2^-23 for 0.
uint64_t cut_off(const Format& f, const std::string& op, bool flush, uint64_t a) {
  const Real x(f, a);
  const double magnitude = std::fabs(x.approximately());
  const uint64_t one = static_cast<uint64_t>(f.bias()) << f.mantissa_bits;
  if (op == "tanh" && magnitude < 129 * 0x1p-15) return a;
  if (op == "tanh" && magnitude >= 8) return one | (a & f.sign());
  if (op == "ex2" && magnitude < 0x1p-23) return one;
  if (op == "ex2" && x.approximately() >= f.bias() + 1) return f.infinity();
  Real exact(kPrecision);
  function_of(op)(exact, x, x);
  return rounded(f, MPFR_RNDZ, flush, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_set(d, exact, m); });
}

uint64_t nearest(const Format& f, const Function& function, bool flush, uint64_t a, uint64_t b) {
  const Real x(f, a), y(f, b);
  Real exact(kPrecision);
  function(exact, x, y);
  return rounded(f, MPFR_RNDN, flush, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_set(d, exact, m); });
}

/// @return whether `got` is as near to f(a, b) as the bound says; numbers only
bool is_near(const Format& f, const std::string& op, const Function& function, bool flush, uint64_t a, uint64_t b,
             uint64_t got) {
  if (f.is_nan(got) || f.is_nan(a) || f.is_nan(b)) return false;
  const Real x(f, a), y(f, b), z(f, got);
  Real exact(kPrecision);
  function(exact, x, y);
  if (!mpfr_number_p(static_cast<mpfr_srcptr>(exact)) || !mpfr_number_p(static_cast<mpfr_srcptr>(z))) return false;
  const double least_subnormal = std::ldexp(1.0, 1 - f.bias() - f.mantissa_bits),
               least_normal = std::ldexp(1.0, 1 - f.bias());
  const Bound bound = bound_of(op, f, x.approximately());
  const double e = exact.approximately(), error = std::fabs(z.approximately() - e);
  // A relative error means nothing below the normal numbers; with .ftz these become zero.
  const double spacing = flush && std::fabs(e) < least_normal * (1 + bound.relative) ? least_normal : least_subnormal;
  return error <= bound.absolute + std::fabs(e) * bound.relative || (std::fabs(e) < least_normal && error <= spacing);
}

/// b beyond 2^126 makes a quotient zero, or of an infinite a NaN: div.approx multiplies by 1/b.
bool is_lost(const Format& f, uint64_t b) {
  const uint64_t magnitude = b & ~f.sign();
  return magnitude > 0x7e800000u && magnitude < f.infinity();
}

Rule approximate_rule(const Spelling& s, const Format& f) {
  const Function function = function_of(s.opcode);
  const bool flush = s.has("ftz"), multiplies = s.opcode == "div" && s.has("approx"), two = s.opcode == "div";
  const std::string op = s.opcode;
  const auto operand = [=](Sources v, size_t k) { return flush ? f.flushed(v[k]) : v[k]; };
  Rule rule;
  rule.results = [=](Sources v) {
    const uint64_t a = operand(v, 0), b = two ? operand(v, 1) : 0;
    if (f.bits() == 64 && f.is_nan(a)) return one(a | uint64_t{1} << 51);
    if (f.bits() == 16) return one(cut_off(f, op, flush, a));
    if (multiplies && is_lost(f, b)) return one((a & ~f.sign()) >= f.infinity() ? f.nan() : (a ^ b) & f.sign());
    return one(nearest(f, function, flush, a, b));
  };
  rule.also = [=](Sources v, uint64_t got) {
    const uint64_t a = operand(v, 0), b = two ? operand(v, 1) : 0;
    if (multiplies && is_lost(f, b)) return false;
    if (f.bits() == 16 && op == "ex2") return false;
    return is_near(f, op, function, flush, a, b, got);
  };
  rule.exhaustive = f.bits() == 16;
  return rule;
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: the upper 32 bits of the operand count, those of the result are good to
/// their last bit, and the lower are zero. An H200 has one NaN, of which the manual says nothing.
Rule coarse_rule(const Spelling& s) {
  const Function function = function_of(s.opcode);
  const auto operand = [](Sources v) { return kF64.flushed(v[0] & 0xffffffff00000000u); };
  Rule rule;
  rule.results = [=](Sources v) {
    const uint64_t d = nearest(kF64, function, true, operand(v), 0);
    return one(kF64.is_nan(d) ? 0x7fffffff00000000u : d & 0xffffffff00000000u);
  };
  rule.also = [=](Sources v, uint64_t got) {
    if ((got & 0xffffffffu) != 0) return false;
    const Real x(kF64, operand(v)), z(kF64, got);
    Real exact(kPrecision);
    function(exact, x, x);
    if (!mpfr_number_p(static_cast<mpfr_srcptr>(exact)) || !mpfr_number_p(static_cast<mpfr_srcptr>(z))) return false;
    return std::fabs(z.approximately() - exact.approximately()) <= std::exp2(-20) * std::fabs(exact.approximately());
  };
  return rule;
}

}  // namespace

std::optional<Rule> approx_rule(const Spelling& s) {
  if (!s.has("approx") && !s.has("full")) return {};
  if (!function_of(s.opcode) || !is_float_type(s.type())) return {};
  if (s.type() == T::f64 && s.has("ftz")) return coarse_rule(s);
  const Format f = format_of(s.type());
  return packed(approximate_rule(s, f), static_cast<unsigned>(f.bits()), numbers_in(s.type()));
}

}  // namespace bankshot::simt::conformance

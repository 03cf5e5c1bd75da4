#include "reference_float.hpp"

#include <cassert>

namespace bankshot::simt::conformance {

using T = ptx::Type;

bool is_float_type(T type) {
  switch (type) {
    case T::f16:
    case T::f16x2:
    case T::bf16:
    case T::bf16x2:
    case T::f32:
    case T::f32x2:
    case T::f64: return true;
    default: return false;
  }
}

Format format_of(T type) {
  switch (type) {
    case T::f16:
    case T::f16x2: return kF16;
    case T::bf16:
    case T::bf16x2: return kBf16;
    case T::f64: return kF64;
    default: return kF32;
  }
}

unsigned numbers_in(T type) { return type == T::f16x2 || type == T::bf16x2 || type == T::f32x2 ? 2 : 1; }

Real::Real(const Format& format, uint64_t bits) {
  mpfr_init2(value_, format.mantissa_bits + 1);
  const bool negative = (bits & format.sign()) != 0;
  const uint64_t magnitude = bits & (format.sign() - 1);
  if (magnitude > format.infinity()) {
    mpfr_set_nan(value_);
  } else if (magnitude == format.infinity()) {
    mpfr_set_inf(value_, negative ? -1 : 1);
  } else {
    const uint64_t field = magnitude >> format.mantissa_bits,
                   fraction = magnitude & ((uint64_t{1} << format.mantissa_bits) - 1);
    const uint64_t significand = field == 0 ? fraction : fraction | uint64_t{1} << format.mantissa_bits;
    const int exponent = (field == 0 ? 1 : static_cast<int>(field)) - format.bias() - format.mantissa_bits;
    mpfr_set_ui_2exp(value_, significand, exponent, MPFR_RNDN);
    mpfr_setsign(value_, value_, negative ? 1 : 0, MPFR_RNDN);
  }
}

uint64_t fitted(const Format& format, mpfr_ptr value, int ternary, mpfr_rnd_t mode, bool flush) {
  if (mpfr_nan_p(value)) return format.nan();
  const uint64_t sign = mpfr_signbit(value) ? format.sign() : 0;
  // MPFR's significands are in [1/2, 1), so that its exponents are one more than those of IEEE 754.
  const mpfr_exp_t least_normal = 2 - format.bias(), low = mpfr_get_emin(), high = mpfr_get_emax();
  if (flush && !mpfr_zero_p(value) && mpfr_number_p(value) && mpfr_get_exp(value) < least_normal) return sign;
  mpfr_set_emin(least_normal - format.mantissa_bits);
  mpfr_set_emax(format.bias() + 1);
  ternary = mpfr_check_range(value, ternary, mode);
  mpfr_subnormalize(value, ternary, mode);
  mpfr_set_emin(low);
  mpfr_set_emax(high);
  if (mpfr_zero_p(value)) return sign;
  if (mpfr_inf_p(value)) return sign | format.infinity();
  // value = 0.1xxx · 2^exponent; its significand as an integer has the implicit bit at mantissa_bits.
  const mpfr_exp_t exponent = std::max(mpfr_get_exp(value), least_normal);
  Real integer(format.mantissa_bits + 2);
  mpfr_mul_2si(integer, value, format.mantissa_bits + 1 - exponent, MPFR_RNDN);
  mpfr_abs(integer, integer, MPFR_RNDN);
  assert(mpfr_integer_p(integer));
  const uint64_t significand = mpfr_get_ui(integer, MPFR_RNDN);
  const auto field = static_cast<uint64_t>(exponent - least_normal);  // one less than the field of a normal number
  return sign | ((field << format.mantissa_bits) + significand);
}

uint64_t converted(const Format& from, uint64_t x, const Format& to, mpfr_rnd_t mode, bool flush) {
  const Real value(from, x);
  return rounded(to, mode, flush, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_set(d, value, m); });
}

}  // namespace bankshot::simt::conformance

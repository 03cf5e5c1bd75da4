// Floating-point formats by MPFR: exact values, and results rounded once to any of the formats of PTX.
#pragma once

#include <mpfr.h>

#include <cstdint>

#include "bankshot/ptx/module.hpp"

namespace bankshot::simt::conformance {

/// A binary format with an implicit bit, subnormal numbers, infinities and NaNs; the highest bit is the sign.
struct Format {
  int exponent_bits = 0, mantissa_bits = 0;

  int bits() const { return 1 + exponent_bits + mantissa_bits; }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  uint64_t sign() const { return uint64_t{1} << (bits() - 1); }
  uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits; }
  uint64_t largest() const { return infinity() - 1; }
  /// What an instruction of PTX gives for NaN: all ones of f16, bf16 and f32. Of f64 it keeps what it was given, and
  /// makes 0xfff8000000000000, as CUDART_NAN.
  uint64_t nan() const { return bits() == 64 ? 0xfff8000000000000u : sign() - 1; }

  bool is_nan(uint64_t x) const { return (x & (sign() - 1)) > infinity(); }
  bool is_subnormal(uint64_t x) const { return (x & infinity()) == 0 && (x & (sign() - 1)) != 0; }
  /// .ftz
  uint64_t flushed(uint64_t x) const { return is_subnormal(x) ? x & sign() : x; }
};

constexpr Format kF16{5, 10}, kBf16{8, 7}, kF32{8, 23}, kF64{11, 52}, kTf32{8, 10};

/// The format of the numbers of a type, packed or not; not of integers.
bool is_float_type(ptx::Type type);
Format format_of(ptx::Type type);
/// How many of them are side by side in a register of the type.
unsigned numbers_in(ptx::Type type);

/// MPFR's numbers have far more exponents than any format; precision is in bits.
class Real {
 public:
  explicit Real(int precision = 64) { mpfr_init2(value_, precision); }
  /// The number of these bits, exactly; NaN for any NaN.
  Real(const Format& format, uint64_t bits);
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }

  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }
  double approximately() const { return mpfr_get_d(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

/// An operation of MPFR: writes d, rounded to its precision. @return the ternary value, mpfr_add's and so on
template <class F>
concept Operation = requires(F f, mpfr_ptr d, mpfr_rnd_t mode) {
  { f(d, mode) } -> std::same_as<int>;
};

/// The bits of `value`, an operation's result with the precision of the format and no limit to its exponents.
/// @param ternary  whether the exact result is above or below `value`
/// @param flush    results that are below the normal numbers, as rounded with unlimited exponents, become zeros
uint64_t fitted(const Format& format, mpfr_ptr value, int ternary, mpfr_rnd_t mode, bool flush);

/// The result of one operation, rounded once.
template <Operation F>
uint64_t rounded(const Format& format, mpfr_rnd_t mode, bool flush, F operation) {
  Real d(format.mantissa_bits + 1);
  const int ternary = operation(static_cast<mpfr_ptr>(d), mode);
  return fitted(format, d, ternary, mode, flush);
}

/// x of one format in another.
uint64_t converted(const Format& from, uint64_t x, const Format& to, mpfr_rnd_t mode, bool flush);

}  // namespace bankshot::simt::conformance

// What modifiers say about a result that is a floating-point number.
#pragma once

#include <algorithm>

#include "conformance.hpp"
#include "reference_float.hpp"

namespace bankshot::simt::conformance {

inline mpfr_rnd_t rounding_of(const Spelling& s) {
  if (!s.which({"rz", "rzi"}).empty()) return MPFR_RNDZ;
  if (!s.which({"rm", "rmi"}).empty()) return MPFR_RNDD;
  return s.which({"rp", "rpi"}).empty() ? MPFR_RNDN : MPFR_RNDU;
}

/// .sat, .relu and .satfinite of a result.
inline uint64_t limited(const Spelling& s, const Format& f, uint64_t d) {
  const bool nan = f.is_nan(d), negative = (d & f.sign()) != 0;
  if (s.has("sat")) return nan || negative ? 0 : std::min(d, static_cast<uint64_t>(f.bias()) << f.mantissa_bits);
  if (s.has("relu") && !nan && negative) d = 0;
  if (s.has("satfinite") && (d & ~f.sign()) == f.infinity()) d -= 1;
  return d;
}

}  // namespace bankshot::simt::conformance

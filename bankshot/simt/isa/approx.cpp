// Approximate division, roots and elementary functions. Source: PTX ISA, "Floating Point Instructions": div.approx,
// div.full, rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh; the accuracy of each is in its section there.
#include "bankshot/simt/isa/lanes/approx.hpp"

#include "bankshot/simt/isa/lanes/parts.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// a · (1/b) on the GPU: correct to 2 ulp, but for |b| > 2^126, whose reciprocal it loses.
constexpr auto approximate_quotient = [](f32 a, f32 b) {
  const u32 magnitude = as_bits(b) & 0x7fffffffu;
  const bool lost = magnitude > 0x7e800000u && magnitude < 0x7f800000u;
  const f32 zero = as_float((as_bits(a) ^ as_bits(b)) & 0x80000000u);
  const f32 kept = (as_bits(a) & 0x7fffffffu) >= 0x7f800000u ? as_float(0x7fffffffu) : zero;
  const f32 quotient = a / b;
  return lost ? kept : quotient;
};

/// Correctly rounded, so within 1 ulp.
constexpr auto reciprocal = [](f32 a) { return 1.0f / a; };
constexpr auto root = [](f32 a) { return __builtin_sqrtf(a); };
/// Two roundings of 2^-24 each: within the 2^-22.9 promised.
constexpr auto reciprocal_root = [](f32 a) { return 1.0f / __builtin_sqrtf(a); };

/// The f64 forms with .ftz see and give only the upper 32 bits. Their NaN are all the same.
constexpr u64 kUpper = 0xffffffff00000000u;
inline f64 upper(f64 x) { return as_float(x != x ? 0x7fffffff00000000u : as_bits(x) & kUpper); }
constexpr auto coarse_reciprocal = [](f64 a) { return upper(1.0 / as_float(as_bits(a) & kUpper)); };
constexpr auto coarse_reciprocal_root = [](f64 a) {
  return upper(1.0 / __builtin_sqrt(as_float(as_bits(a) & kUpper)));
};
constexpr auto reciprocal_root_double = [](f64 a) { return 1.0 / __builtin_sqrt(a); };

constexpr auto logarithm = [](f32 a) {
  const f64 x = static_cast<f64>(a);
  const f64 log = log2_of(x);
  const f64 special = x == 0 ? -__builtin_inf() : x < 0 ? __builtin_nan("") : x;  // infinity and NaN stay
  return static_cast<f32>(x > 0 && x < __builtin_inf() ? log : special);
};
constexpr auto sine = [](f32 a) { return static_cast<f32>(sine_of(static_cast<f64>(a), 0)); };
constexpr auto cosine = [](f32 a) { return static_cast<f32>(sine_of(static_cast<f64>(a), 1)); };

template <class F>
Handler single(F) {
  return lanes_of<f32, f32>(F{});
}
template <class F>
Handler twice(F) {
  return lanes_of<f64, f64>(F{});
}

[[gnu::cold]] void elementary_rows(Rows& rows) {
  rows.push_back({"sin.approx{.ftz}.f32 d, a",
                  "",
                  Unit::sfu,
                  always(single(sine)),
                  nullptr,
                  {{"approx.f32", {"0f80000000"}, "0f80000000"},
                   {"approx.f32", {"0f3F800000"}, "0f3F576AA3"},
                   {"approx.f32", {"0f40490FDB"}, "0f34490FDB"},
                   {"approx.f32", {"0f5F000000"}, "0f00000000"},
                   {"approx.f32", {"0f7F800000"}, "0f7FFFFFFF"}}});
  rows.push_back({"cos.approx{.ftz}.f32 d, a",
                  "",
                  Unit::sfu,
                  always(single(cosine)),
                  nullptr,
                  {{"approx.f32", {"0f80000000"}, "0f3F800000"},
                   {"approx.f32", {"0f3F800000"}, "0f3F0A5142"},
                   {"approx.f32", {"0f40490FDB"}, "0fBF800000"}}});
  rows.push_back({"lg2.approx{.ftz}.f32 d, a",
                  "",
                  Unit::sfu,
                  always(single(logarithm)),
                  nullptr,
                  {{"approx.f32", {"0f41000000"}, "0f40400000"},
                   {"approx.f32", {"0f40400000"}, "0f3FCAE00D"},
                   {"approx.f32", {"0f80000000"}, "0fFF800000"},
                   {"approx.f32", {"0fBF800000"}, "0f7FFFFFFF"},
                   {"approx.f32", {"0f00000001"}, "0fC3150000"},
                   {"approx.ftz.f32", {"0f00000001"}, "0fFF800000"}}});
  rows.push_back({"ex2.approx{.ftz}.f32 d, a",
                  "",
                  Unit::sfu,
                  always(single([](f32 a) { return power_of_two(a); })),
                  nullptr,
                  {{"approx.f32", {"0f40400000"}, "0f41000000"},
                   {"approx.f32", {"0f3F000000"}, "0f3FB504F3"},
                   {"approx.f32", {"0fC3150000"}, "0f00000001"},
                   {"approx.ftz.f32", {"0fC3150000"}, "0f00000000"},
                   {"approx.f32", {"0f43000000"}, "0f7F800000"},
                   {"approx.f32", {"0fFF800000"}, "0f00000000"}}});
  rows.push_back({"tanh.approx.f32 d, a",
                  "",
                  Unit::sfu,
                  always(single([](f32 a) { return hyperbolic_tangent(a); })),
                  nullptr,
                  {{"approx.f32", {"0f80000000"}, "0f80000000"},
                   {"approx.f32", {"0f3F800000"}, "0f3F42F7D6"},
                   {"approx.f32", {"0fFF800000"}, "0fBF800000"}}});
}

}  // namespace

[[gnu::cold]] void approx_rows(Rows& rows) {
  rows.push_back({"div.approx{.ftz}.f32 d, a, b",
                  "",
                  Unit::sfu,
                  always(lanes_of<f32, f32, f32>(approximate_quotient)),
                  nullptr,
                  {{"approx.f32", {"0f40C00000", "0f40000000"}, "0f40400000"},
                   {"approx.ftz.f32", {"0fBF800000", "0f7F000000"}, "0f80000000"}}});
  rows.push_back({"div.full{.ftz}.f32 d, a, b",
                  "",
                  Unit::sfu,
                  always(lanes_of<f32, f32, f32>([](f32 a, f32 b) { return a / b; })),
                  nullptr,
                  {{"full.f32", {"0f7F000000", "0f7F000000"}, "0f3F800000"}}});
  rows.push_back({"rcp.approx{.ftz}.f32 d, a",
                  "",
                  Unit::sfu,
                  always(single(reciprocal)),
                  nullptr,
                  {{"approx.f32", {"0f40000000"}, "0f3F000000"}, {"approx.ftz.f32", {"0f80000001"}, "0fFF800000"}}});
  rows.push_back({"rcp.approx.ftz.f64 d, a",
                  "",
                  Unit::sfu,
                  always(twice(coarse_reciprocal)),
                  nullptr,
                  {{"approx.ftz.f64", {"0d4008000000000000"}, "0d3FD5555500000000"}}});
  rows.push_back({"sqrt.approx{.ftz}.f32 d, a",
                  "",
                  Unit::sfu,
                  always(single(root)),
                  nullptr,
                  {{"approx.f32", {"0f40800000"}, "0f40000000"}, {"approx.f32", {"0fBF800000"}, "0f7FFFFFFF"}}});
  rows.push_back({"rsqrt.approx{.ftz}.f32 d, a",
                  "",
                  Unit::sfu,
                  always(single(reciprocal_root)),
                  nullptr,
                  {{"approx.f32", {"0f40800000"}, "0f3F000000"}, {"approx.f32", {"0f80000000"}, "0fFF800000"}}});
  rows.push_back({"rsqrt.approx.f64 d, a",
                  "",
                  Unit::fp64,
                  always(twice(reciprocal_root_double)),
                  nullptr,
                  {{"approx.f64", {"0d4010000000000000"}, "0d3FE0000000000000"}}});
  rows.push_back({"rsqrt.approx.ftz.f64 d, a",
                  "",
                  Unit::sfu,
                  always(twice(coarse_reciprocal_root)),
                  nullptr,
                  {{"approx.ftz.f64", {"0d4010000000000000"}, "0d3FE0000000000000"},
                   {"approx.ftz.f64", {"0dC010000000000000"}, "0d7FFFFFFF00000000"}}});
  elementary_rows(rows);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

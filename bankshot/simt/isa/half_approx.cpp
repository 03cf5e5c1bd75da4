// ex2.approx and tanh.approx of f16, bf16 and their packed forms: those of f32, of which the last bits are cut off, as
// GPUs do. Of ex2 that gives the bits of an H200 for all numbers, of tanh for all but 48 of f16 and 2 of bf16. The
// manual asks for less: a relative error of 2^-9.9 (f16) and 2^-7 (bf16) of ex2, an absolute one of 2^-10.987 and 2^-8
// of tanh.
#include "bankshot/simt/isa/lanes/approx.hpp"
#include "bankshot/simt/isa/lanes/half_rows.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// The number of the format next to x on the side of zero. Large x stay, and will be infinite.
inline f32 cut_off(bf16, f32 x) { return as_float(as_bits(x) & 0xffff0000u); }
inline f32 cut_off(f16, f32 x) {
  const bool normal = !(x < 0x1p-14f && x > -0x1p-14f);
  const f32 places = (normal ? 0.0f : x) * 0x1p24f;
  const f32 whole = static_cast<f32>(static_cast<s32>(places)) * 0x1p-24f;
  const f32 subnormal = as_float(as_bits(whole) | (as_bits(x) & 0x80000000u));
  const u32 rest = x < 65536.0f ? 0x1fffu : 0u;
  return normal ? as_float(as_bits(x) & ~rest) : subnormal;
}

/// Arguments count in multiples of 2^-23, so that the least negative ones do not give the number below 1.
constexpr auto exponential = [](auto format, f32 a) {
  return cut_off(format, power_of_two(a < 0x1p-23f && a > -0x1p-23f ? 0.0f : a));
};
constexpr auto tangent = [](auto format, f32 a) { return cut_off(format, hyperbolic_tangent(a)); };

}  // namespace

void half_approx_rows(Rows& rows) {
  rows.push_back({"ex2.approx.type d, a",
                  "type = f16 f16x2",
                  Unit::sfu,
                  on_halves<1>(exponential),
                  lower_half,
                  {{"approx.f16", {"0x4000"}, "0x4400"},
                   {"approx.f16", {"0xFC00"}, "0x0000"},
                   {"approx.f16", {"0x11C5"}, "0x3C00"},
                   {"approx.f16", {"0x4C00"}, "0x7C00"}}});
  rows.push_back({"ex2.approx.ftz.type d, a",
                  "type = bf16 bf16x2",
                  Unit::sfu,
                  on_halves<1>(exponential),
                  lower_half,
                  {{"approx.ftz.bf16", {"0x4000"}, "0x4080"},
                   {"approx.ftz.bf16", {"0xB3FF"}, "0x3F80"},
                   {"approx.ftz.bf16", {"0xB400"}, "0x3F7F"}}});
  rows.push_back({"tanh.approx.type d, a",
                  "type = f16 f16x2 bf16 bf16x2",
                  Unit::sfu,
                  on_halves<1>(tangent),
                  lower_half,
                  {{"approx.f16", {"0x7C00"}, "0x3C00"},
                   {"approx.f16", {"0x8000"}, "0x8000"},
                   {"approx.f16", {"0x1C07"}, "0x1C07"},
                   {"approx.f16", {"0x1C08"}, "0x1C07"},
                   {"approx.bf16", {"0x4100"}, "0x3F80"}}});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

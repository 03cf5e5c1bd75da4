// ex2.approx and tanh.approx of f16, bf16 and their packed forms: those of f32, rounded once more, so that the result
// is that of one rounding almost always. The manual asks for less: a relative error of 2^-9.9 (f16) and 2^-7 (bf16) of
// ex2, an absolute one of 2^-10.987 and 2^-8 of tanh.
#include "bankshot/simt/isa/lanes/approx.hpp"
#include "bankshot/simt/isa/lanes/half_rows.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

constexpr auto exponential = [](auto, f32 a) { return power_of_two(a); };
constexpr auto tangent = [](auto, f32 a) { return hyperbolic_tangent(a); };

}  // namespace

void half_approx_rows(Rows& rows) {
  rows.push_back({"ex2.approx.type d, a",
                  "type = f16 f16x2",
                  Unit::sfu,
                  on_halves<1>(exponential),
                  lower_half,
                  {{"approx.f16", {"0x4000"}, "0x4400"}, {"approx.f16", {"0xFC00"}, "0x0000"}}});
  rows.push_back({"ex2.approx.ftz.type d, a",
                  "type = bf16 bf16x2",
                  Unit::sfu,
                  on_halves<1>(exponential),
                  lower_half,
                  {{"approx.ftz.bf16", {"0x4000"}, "0x4080"}}});
  rows.push_back({"tanh.approx.type d, a",
                  "type = f16 f16x2 bf16 bf16x2",
                  Unit::sfu,
                  on_halves<1>(tangent),
                  lower_half,
                  {{"approx.f16", {"0x7C00"}, "0x3C00"}, {"approx.f16", {"0x8000"}, "0x8000"}}});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

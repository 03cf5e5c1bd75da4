// add, sub and fma whose first operands are f16 or bf16 and whose last one and result are f32. The operands are widened
// exactly; the result is rounded once. Source: PTX ISA 9.0, "Mixed Precision Floating Point Instructions".
#include "bankshot/simt/isa/lanes/fused.hpp"
#include "bankshot/simt/isa/lanes/half.hpp"
#include "bankshot/simt/isa/lanes/parts.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

struct MixedAdd {
  template <class H>
  f32 operator()(H a, f32 c) const {
    return widen(a) + c;
  }
};
struct MixedSub {
  template <class H>
  f32 operator()(H a, f32 c) const {
    return widen(a) - c;
  }
};
template <int Mode>
struct MixedFused {
  template <class H>
  f32 operator()(H a, H b, f32 c) const {
    return fused<Mode>(widen(a), widen(b), c);
  }
};

template <class F>
Handler select_mixed(const Match& m) {
  return m.type2 == ptx::Type::f16 ? &elementwise<F, f32, f16, f32> : &elementwise<F, f32, bf16, f32>;
}

Handler select_mixed_fused(const Match& m) {
  return by_rounding(m, [&](auto rounding) -> Handler {
    using F = MixedFused<decltype(rounding)::kMode>;
    return m.type2 == ptx::Type::f16 ? &elementwise<F, f32, f16, f16, f32> : &elementwise<F, f32, bf16, bf16, f32>;
  });
}

}  // namespace

[[gnu::cold]] void float_mixed_rows(Rows& rows) {
  constexpr std::string_view kTypes = "atype = f16 bf16";
  // 1 + 2^-24 lies between two neighbouring f32.
  rows.push_back({"add{.rnd}{.sat}.f32.atype d, a:type2, c",
                  kTypes,
                  Unit::fp32,
                  select_mixed<MixedAdd>,
                  nullptr,
                  {{"f32.f16", {"0x3C00", "0f33800000"}, "0f3F800000"},
                   {"rp.f32.f16", {"0x3C00", "0f33800000"}, "0f3F800001"},
                   {"f32.f16", {"0x0001", "0f80000000"}, "0f33800000"},
                   {"sat.f32.bf16", {"0x3F80", "0f40000000"}, "0f3F800000"}}});
  rows.push_back(
      {"sub{.rnd}{.sat}.f32.atype d, a:type2, c",
       kTypes,
       Unit::fp32,
       select_mixed<MixedSub>,
       nullptr,
       {{"f32.bf16", {"0x3FC0", "0f3F800000"}, "0f3F000000"}, {"f32.f16", {"0x7C00", "0f7F800000"}, "0f7FFFFFFF"}}});
  // (1 + 2^-10)^2 - 1 is 2^-9 + 2^-20: f16 could not hold the product.
  rows.push_back({"fma.rnd{.sat}.f32.atype d, a:type2, b:type2, c",
                  kTypes,
                  Unit::fp32,
                  select_mixed_fused,
                  nullptr,
                  {{"rn.f32.f16", {"0x3C01", "0x3C01", "0fBF800000"}, "0f3B001000"},
                   {"rz.sat.f32.bf16", {"0x4000", "0x4040", "0f00000000"}, "0f3F800000"}}});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

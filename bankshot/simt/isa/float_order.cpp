// Sign, order and class of floats, on their bits: these rules neither round nor depend on the host's mode.
// Source: PTX ISA, "Floating Point Instructions": abs, neg, min, max, copysign, testp.
#include "bankshot/simt/isa/lanes/extreme.hpp"
#include "bankshot/simt/isa/lanes/parts.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// NaN of f64 keep even their sign.
template <unsigned Options, bool Negate>
struct Sign {
  template <class U>
  U operator()(U a) const {
    a = operand<U, Options>(a);
    return is_nan(a) ? nan_of(a) : Negate ? a ^ Ieee<U>::kSign : a & Ieee<U>::kMagnitude;
  }
};

constexpr auto copy_sign = [](auto a, auto b) {  // of a, onto b
  using U = decltype(a);
  return (a & Ieee<U>::kSign) | (b & Ieee<U>::kMagnitude);
};

/// Calls make(integral_constant<Options>{}) for what the modifiers say.
template <unsigned Base, class Make>
Handler by_options(const Match& m, Make make) {
  const auto ftz = [&](auto options) -> Handler {
    return m.has("ftz") ? make(std::integral_constant < unsigned, options() | kFtz > {}) : make(options);
  };
  const auto nan = [&](auto options) -> Handler {
    return m.has("NaN") ? ftz(std::integral_constant < unsigned, options() | kPropagateNan > {}) : ftz(options);
  };
  if (m.has("xorsign")) return nan(std::integral_constant < unsigned, Base | kXorSign > {});
  if (m.has("abs")) return nan(std::integral_constant < unsigned, Base | kAbsolute > {});
  return nan(std::integral_constant<unsigned, Base>{});
}

/// Of two operands .xorsign and .abs go together only.
template <unsigned Base>
Handler extreme(const Match& m) {
  if (m.has("xorsign") != m.has("abs")) return nullptr;
  return by_options<Base>(m, [](auto options) -> Handler { return &elementwise<Extreme<options()>, u32, u32, u32>; });
}
template <unsigned Base>
Handler extreme_of_three(const Match& m) {
  return by_options<Base>(m,
                          [](auto options) -> Handler { return &elementwise<Extreme<options()>, u32, u32, u32, u32>; });
}

template <bool Negate>
Handler sign_handler(const Match& m) {
  if (m.type == ptx::Type::f64) return &elementwise<Sign<kPlain, Negate>, u64, u64>;
  return m.has("ftz") ? &elementwise<Sign<kFtz, Negate>, u32, u32> : &elementwise<Sign<kPlain, Negate>, u32, u32>;
}

/// p = f(a)
template <class F, class U>
BANKSHOT_LANES_ONLY const Instr* test(Warp& w, const Instr* i) {
  write_predicate(w, i->op[0], test_lanes<F, U>(w, i, 1));
  return i + 1;
}

template <class F>
Handler test_handler(const Match& m, F) {
  return m.type == ptx::Type::f64 ? &test<F, u64> : &test<F, u32>;
}

Handler class_handler(const Match& m) {
  const auto magnitude = [](auto a) { return a & Ieee<decltype(a)>::kMagnitude; };
  using Magnitude = decltype(magnitude);
  if (m.has("finite")) return test_handler(m, [](auto a) { return Magnitude{}(a) < Ieee<decltype(a)>::kInfinity; });
  if (m.has("infinite")) return test_handler(m, [](auto a) { return Magnitude{}(a) == Ieee<decltype(a)>::kInfinity; });
  if (m.has("number")) return test_handler(m, [](auto a) { return !is_nan(a); });
  if (m.has("notanumber")) return test_handler(m, [](auto a) { return is_nan(a); });
  if (m.has("subnormal")) {
    return test_handler(m,
                        [](auto a) { return Magnitude{}(a) != 0 && Magnitude{}(a) < Ieee<decltype(a)>::kLeastNormal; });
  }
  return test_handler(m, [](auto a) {  // normal, which zero counts as
    using I = Ieee<decltype(a)>;
    return Magnitude{}(a) == 0 || (Magnitude{}(a) >= I::kLeastNormal && Magnitude{}(a) < I::kInfinity);
  });
}

}  // namespace

[[gnu::cold]] void float_order_rows(Rows& rows) {
  rows.push_back({"abs{.ftz}.f32 d, a",
                  "",
                  Unit::alu,
                  sign_handler<false>,
                  nullptr,
                  {{"f32", {"0fBF800000"}, "0f3F800000"}, {"ftz.f32", {"0f80000001"}, "0f00000000"}}});
  rows.push_back(
      {"abs.f64 d, a",
       "",
       Unit::fp64,
       sign_handler<false>,
       nullptr,
       {{"f64", {"0dBFF0000000000000"}, "0d3FF0000000000000"}, {"f64", {"0dFFF0000000000001"}, "0dFFF8000000000001"}}});
  rows.push_back({"neg{.ftz}.f32 d, a",
                  "",
                  Unit::alu,
                  sign_handler<true>,
                  nullptr,
                  {{"f32", {"0f00000000"}, "0f80000000"}, {"ftz.f32", {"0f80000001"}, "0f00000000"}}});
  rows.push_back(
      {"neg.f64 d, a",
       "",
       Unit::fp64,
       sign_handler<true>,
       nullptr,
       {{"f64", {"0d0000000000000001"}, "0d8000000000000001"}, {"f64", {"0d7FF0000000000001"}, "0d7FF8000000000001"}}});

  rows.push_back({"min{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b",
                  "",
                  Unit::alu,
                  extreme<kPlain>,
                  nullptr,
                  {{"f32", {"0f00000000", "0f80000000"}, "0f80000000"},
                   {"f32", {"0f7FC00000", "0f3F800000"}, "0f3F800000"},
                   {"NaN.f32", {"0f7FC00000", "0f3F800000"}, "0f7FFFFFFF"},
                   {"xorsign.abs.f32", {"0fC0000000", "0f3F800000"}, "0fBF800000"}}});
  rows.push_back({"max{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b",
                  "",
                  Unit::alu,
                  extreme<kMax>,
                  nullptr,
                  {{"f32", {"0f00000000", "0f80000000"}, "0f00000000"},
                   {"f32", {"0f7FC00000", "0fFF800001"}, "0f7FFFFFFF"},
                   {"ftz.f32", {"0f00000001", "0f80000000"}, "0f00000000"}}});
  rows.push_back({"min{.ftz}{.NaN}{.abs}.f32 d, a, b, c",
                  "",
                  Unit::alu,
                  extreme_of_three<kPlain>,
                  nullptr,
                  {{"f32", {"0f40000000", "0f3F800000", "0f40400000"}, "0f3F800000"}}});
  rows.push_back({"max{.ftz}{.NaN}{.abs}.f32 d, a, b, c",
                  "",
                  Unit::alu,
                  extreme_of_three<kMax>,
                  nullptr,
                  {{"abs.f32", {"0fC0800000", "0f3F800000", "0f40400000"}, "0f40800000"}}});
  rows.push_back({"min.f64 d, a, b",
                  "",
                  Unit::fp64,
                  always(&elementwise<Extreme<kPlain>, u64, u64, u64>),
                  nullptr,
                  {{"f64", {"0d3FF0000000000000", "0dBFF0000000000000"}, "0dBFF0000000000000"}}});
  rows.push_back({"max.f64 d, a, b",
                  "",
                  Unit::fp64,
                  always(&elementwise<Extreme<kMax>, u64, u64, u64>),
                  nullptr,
                  {{"f64", {"0d7FF8000000000000", "0dBFF0000000000000"}, "0dBFF0000000000000"},
                   {"f64", {"0d7FF8000000000000", "0dFFF0000000000001"}, "0dFFF8000000000001"}}});

  rows.push_back({"copysign.type d, a, b",
                  "type = f32 f64",
                  Unit::alu,
                  [](const Match& m) -> Handler {
                    return m.type == ptx::Type::f64 ? lanes_of<u64, u64, u64>(copy_sign)
                                                    : lanes_of<u32, u32, u32>(copy_sign);
                  },
                  nullptr,
                  {{"f32", {"0fBF800000", "0f40000000"}, "0fC0000000"},
                   {"f64", {"0d3FF0000000000000", "0dC000000000000000"}, "0d4000000000000000"}}});
  rows.push_back({"testp.op.type p, a",
                  "op = finite infinite number notanumber normal subnormal; type = f32 f64",
                  Unit::alu,
                  class_handler,
                  nullptr,
                  {{"finite.f32", {"0f7F800000"}, "false"},
                   {"infinite.f64", {"0dFFF0000000000000"}, "true"},
                   {"notanumber.f32", {"0f7F800001"}, "true"},
                   {"number.f32", {"0f7F800000"}, "true"},
                   {"normal.f32", {"0f00800000"}, "true"},
                   {"subnormal.f32", {"0f007FFFFF"}, "true"},
                   {"normal.f64", {"0d0000000000000000"}, "true"}}});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

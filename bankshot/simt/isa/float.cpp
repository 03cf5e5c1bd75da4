// IEEE arithmetic on f32 and f64. Rounding and flushing are the host's own, put in force by set_fp from .rnd and .ftz.
// Source: PTX ISA, "Floating Point Instructions".
//
// NaN: f32 results are 0x7fffffff. f64 keeps the payload of an operand that is NaN, made quiet. PTX does not say whose;
// GPUs take that of b before that of a, of fma b, c, a; but of div a, b. That has to be spelled out, since compilers
// may swap operands.
#include "bankshot/simt/isa/lanes/float_bits.hpp"
#include "bankshot/simt/isa/lanes/fused.hpp"
#include "bankshot/simt/isa/lanes/parts.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// The result of an instruction that takes the payload of a before that of others.
inline f32 with_nan_of(f32, f32 result) { return result; }
inline f64 with_nan_of(f64 a, f64 result) { return a != a ? as_float(as_bits(a) | Ieee<u64>::kQuiet) : result; }

constexpr auto float_add = [](auto a, auto b) { return with_nan_of(b, a + b); };
constexpr auto float_sub = [](auto a, auto b) { return with_nan_of(b, a - b); };
constexpr auto float_mul = [](auto a, auto b) { return with_nan_of(b, a * b); };
constexpr auto float_div = [](auto a, auto b) { return with_nan_of(a, a / b); };
constexpr auto float_reciprocal = [](auto a) { return decltype(a){1} / a; };
inline f32 float_root(f32 a) { return __builtin_sqrtf(a); }
inline f64 float_root(f64 a) { return __builtin_sqrt(a); }

template <int Mode>
struct Fused {
  /// With any NaN.
  static f64 exact(f64 a, f64 b, f64 c) { return fused<Mode>(a, b, c); }
  f32 operator()(f32 a, f32 b, f32 c) const { return fused<Mode>(a, b, c); }
  f64 operator()(f64 a, f64 b, f64 c) const {
    const f64 made = with_nan_of(a, as_float(Ieee<u64>::kNan));
    const f64 nan = with_nan_of(b, with_nan_of(c, made)), d = exact(a, b, c);
    return d != d ? nan : d;
  }
};

/// fma of f64: whose payload a NaN has is looked into only where there is one.
template <class F>
BANKSHOT_LANES_ONLY const Instr* fused_doubles(Warp& w, const Instr* i) {
#if defined(BANKSHOT_LANE_CODE)
  return elementwise<F, f64, f64, f64, f64>(w, i);
#endif
  const f64* const a = w.row<const f64>(i->op[1]);
  const f64* const b = w.row<const f64>(i->op[2]);
  const f64* const c = w.row<const f64>(i->op[3]);
  f64* const d = w.row<f64>(i->op[0]);
  // Written over, operands could not be looked at again.
  if (d == a || d == b || d == c) return elementwise<F, f64, f64, f64, f64>(w, i);
  if (w.active != kAllLanes) return for_active_lanes<sizeof(f64)>(w, i, &fused_doubles<F>);
  if (w.worker->fp != i->fp) return in_changed_mode(w, i, &fused_doubles<F>);
  u64 nans = 0;
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    const f64 x = F::exact(a[l], b[l], c[l]);
    d[l] = x;
    nans |= x != x ? ~u64{0} : 0;
  }
  if (nans != 0) [[unlikely]]
    lane_loop<F>(d, a, b, c);
  return i + 1;
}

template <class T>
Handler fused_handler(const Match& m) {
  return by_rounding(m, [](auto rounding) -> Handler {
    using F = Fused<decltype(rounding)::kMode>;
    if constexpr (std::is_same_v<T, f64>) return &fused_doubles<F>;
    return &elementwise<F, T, T, T, T>;
  });
}

/// f32x2: each lane's 64 bits are two f32, so a row is twice as many of them.
template <class F, class... S>
inline void pair_loop(f32* d, const S*... s) {
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < 2 * kLanes; ++l) d[l] = canonical(F{}(s[l]...));
}
template <class F, int Arity>
BANKSHOT_LANES_ONLY const Instr* on_pairs(Warp& w, const Instr* i) {
  if (w.active != kAllLanes) return for_active_lanes<8>(w, i, &on_pairs<F, Arity>);
  if (w.worker->fp != i->fp) return in_changed_mode(w, i, &on_pairs<F, Arity>);
  const auto source = [&](int k) { return w.row<const f32>(i->op[k]); };
  if constexpr (Arity == 2) pair_loop<F>(w.row<f32>(i->op[0]), source(1), source(2));
  if constexpr (Arity == 3) pair_loop<F>(w.row<f32>(i->op[0]), source(1), source(2), source(3));
  return i + 1;
}

template <class F>
Handler pair_handler(F) {
  return &on_pairs<F, 2>;
}

[[gnu::cold]] void pair_rows(Rows& rows) {
  const std::vector<std::string_view> numbers = {"0x3F80000040000000", "0x4000000040400000"};  // {2, 1} and {3, 2}
  rows.push_back({"add{.rnd}{.ftz}.f32x2 d, a, b",
                  "",
                  Unit::fp32,
                  always(pair_handler(float_add)),
                  nullptr,
                  {{"rn.f32x2", numbers, "0x4040000040A00000"}}});
  rows.push_back({"sub{.rnd}{.ftz}.f32x2 d, a, b",
                  "",
                  Unit::fp32,
                  always(pair_handler(float_sub)),
                  nullptr,
                  {{"f32x2", numbers, "0xBF800000BF800000"}}});
  rows.push_back({"mul{.rnd}{.ftz}.f32x2 d, a, b",
                  "",
                  Unit::fp32,
                  always(pair_handler(float_mul)),
                  nullptr,
                  {{"rn.f32x2", numbers, "0x4000000040C00000"}}});
  rows.push_back({"fma.rnd{.ftz}.f32x2 d, a, b, c",
                  "",
                  Unit::fp32,
                  [](const Match& m) {
                    return by_rounding(m, [](auto r) -> Handler { return &on_pairs<Fused<decltype(r)::kMode>, 3>; });
                  },
                  nullptr,
                  {{"rn.f32x2", {numbers[0], numbers[1], "0x3F8000003F800000"}, "0x4040000040E00000"}}});
}

[[gnu::cold]] void fused_rows(Rows& rows) {
  // 1 + 2^-12 squared is 1 + 2^-11 + 2^-24, whose last bit only a fused operation keeps.
  const Example single{"rn.f32", {"0f3F800800", "0f3F800800", "0fBF801000"}, "0f33800000"};
  const Example twice{
      "rn.f64", {"0d4000000000000000", "0d4008000000000000", "0d3FF0000000000000"}, "0d401C000000000000"};
  const Example other_nan{
      "rz.f64", {"0d7FFFFFFFFFFFFFFF", "0dFFF0000000000001", "0dFE592722DF6B6E8B"}, "0dFFF8000000000001"};
  const Example last_nan{
      "rp.f64", {"0dFFF8000000000000", "0d91428229B511F312", "0d7FF0000000000001"}, "0d7FF8000000000001"};
  rows.push_back({"fma.rnd{.ftz}{.sat}.f32 d, a, b, c",
                  "",
                  Unit::fp32,
                  fused_handler<f32>,
                  nullptr,
                  {single,
                   {"rz.f32", {"0f3F800001", "0f3F800001", "0f00000000"}, "0f3F800002"},
                   {"rp.f32", {"0f3F800001", "0f3F800001", "0f00000000"}, "0f3F800003"},
                   {"rn.ftz.f32", {"0f00000001", "0f3F800000", "0f80000001"}, "0f00000000"},
                   {"rn.sat.f32", {"0f40000000", "0f40000000", "0f00000000"}, "0f3F800000"}}});
  rows.push_back({"fma.rnd.f64 d, a, b, c", "", Unit::fp64, fused_handler<f64>, nullptr, {twice, other_nan, last_nan}});
  rows.push_back({"mad.rnd{.ftz}{.sat}.f32 d, a, b, c", "", Unit::fp32, fused_handler<f32>, nullptr, {single}});
  rows.push_back({"mad.rnd.f64 d, a, b, c", "", Unit::fp64, fused_handler<f64>, nullptr, {twice}});
}

}  // namespace

[[gnu::cold]] void float_rows(Rows& rows) {
  rows.push_back({"add{.rnd}{.ftz}{.sat}.f32 d, a, b",
                  "",
                  Unit::fp32,
                  always(lanes_of<f32, f32, f32>(float_add)),
                  nullptr,
                  {{"f32", {"0f3F800000", "0f40000000"}, "0f40400000"},
                   {"rz.f32", {"0f3F800000", "0f33FFFFFF"}, "0f3F800000"},
                   {"rp.f32", {"0f3F800000", "0f00000001"}, "0f3F800001"},
                   {"ftz.f32", {"0f00800001", "0f80800000"}, "0f00000000"},
                   {"sat.f32", {"0f3F800000", "0f40000000"}, "0f3F800000"},
                   {"f32", {"0f7F800000", "0fFF800000"}, "0f7FFFFFFF"}}});
  rows.push_back({"add{.rnd}.f64 d, a, b",
                  "",
                  Unit::fp64,
                  always(lanes_of<f64, f64, f64>(float_add)),
                  nullptr,
                  {{"f64", {"0d3FF0000000000000", "0d4000000000000000"}, "0d4008000000000000"},
                   {"rm.f64", {"0d3FF0000000000000", "0dBFF0000000000000"}, "0d8000000000000000"},
                   {"f64", {"0d7FF0000000000001", "0d7FF8000000000002"}, "0d7FF8000000000002"},
                   {"f64", {"0d7FF0000000000001", "0d3FF0000000000000"}, "0d7FF8000000000001"}}});
  rows.push_back(
      {"sub{.rnd}{.ftz}{.sat}.f32 d, a, b",
       "",
       Unit::fp32,
       always(lanes_of<f32, f32, f32>(float_sub)),
       nullptr,
       {{"f32", {"0f3F800000", "0f40000000"}, "0fBF800000"}, {"sat.f32", {"0f3F800000", "0f40000000"}, "0f00000000"}}});
  rows.push_back({"sub{.rnd}.f64 d, a, b",
                  "",
                  Unit::fp64,
                  always(lanes_of<f64, f64, f64>(float_sub)),
                  nullptr,
                  {{"f64", {"0d3FF0000000000000", "0d4000000000000000"}, "0dBFF0000000000000"}}});
  rows.push_back({"mul{.rnd}{.ftz}{.sat}.f32 d, a, b",
                  "",
                  Unit::fp32,
                  always(lanes_of<f32, f32, f32>(float_mul)),
                  nullptr,
                  {{"f32", {"0f40400000", "0f40000000"}, "0f40C00000"},
                   {"f32", {"0f00800000", "0f3F000000"}, "0f00400000"},
                   {"ftz.f32", {"0f80800000", "0f3F000000"}, "0f80000000"},
                   {"rm.f32", {"0fFF000000", "0f40000000"}, "0fFF800000"},
                   {"rz.f32", {"0fFF000000", "0f40000000"}, "0fFF7FFFFF"}}});
  rows.push_back({"mul{.rnd}.f64 d, a, b",
                  "",
                  Unit::fp64,
                  always(lanes_of<f64, f64, f64>(float_mul)),
                  nullptr,
                  {{"f64", {"0d4008000000000000", "0d4000000000000000"}, "0d4018000000000000"}}});
  rows.push_back({"div.rnd{.ftz}.f32 d, a, b",
                  "",
                  Unit::fp32,
                  always(lanes_of<f32, f32, f32>(float_div)),
                  nullptr,
                  {{"rn.f32", {"0f3F800000", "0f40400000"}, "0f3EAAAAAB"},
                   {"rz.f32", {"0f3F800000", "0f40400000"}, "0f3EAAAAAA"},
                   {"rn.f32", {"0f3F800000", "0f80000000"}, "0fFF800000"},
                   {"rn.f32", {"0f00000000", "0f00000000"}, "0f7FFFFFFF"}}});
  rows.push_back({"div.rnd.f64 d, a, b",
                  "",
                  Unit::fp64,
                  always(lanes_of<f64, f64, f64>(float_div)),
                  nullptr,
                  {{"rn.f64", {"0d3FF0000000000000", "0d4008000000000000"}, "0d3FD5555555555555"},
                   {"rp.f64", {"0d3FF0000000000000", "0d4008000000000000"}, "0d3FD5555555555556"}}});
  rows.push_back({"rcp.rnd{.ftz}.f32 d, a",
                  "",
                  Unit::fp32,
                  always(lanes_of<f32, f32>(float_reciprocal)),
                  nullptr,
                  {{"rn.f32", {"0f40400000"}, "0f3EAAAAAB"}, {"rn.ftz.f32", {"0f00000001"}, "0f7F800000"}}});
  rows.push_back({"rcp.rnd.f64 d, a",
                  "",
                  Unit::fp64,
                  always(lanes_of<f64, f64>(float_reciprocal)),
                  nullptr,
                  {{"rn.f64", {"0d4000000000000000"}, "0d3FE0000000000000"}}});
  rows.push_back({"sqrt.rnd{.ftz}.f32 d, a",
                  "",
                  Unit::fp32,
                  always(lanes_of<f32, f32>([](f32 a) { return float_root(a); })),
                  nullptr,
                  {{"rn.f32", {"0f40000000"}, "0f3FB504F3"},
                   {"rp.f32", {"0f40000000"}, "0f3FB504F4"},
                   {"rn.f32", {"0fBF800000"}, "0f7FFFFFFF"},
                   {"rn.f32", {"0f80000000"}, "0f80000000"}}});
  rows.push_back({"sqrt.rnd.f64 d, a",
                  "",
                  Unit::fp64,
                  always(lanes_of<f64, f64>([](f64 a) { return float_root(a); })),
                  nullptr,
                  {{"rn.f64", {"0d4000000000000000"}, "0d3FF6A09E667F3BCD"}}});
  fused_rows(rows);
  pair_rows(rows);
  float_mixed_rows(rows);
  float_order_rows(rows);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

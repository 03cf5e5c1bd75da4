// add, sub, mul, fma, neg, abs, min and max of f16, bf16 and their packed forms. Source: PTX ISA, "Half precision
// floating-point instructions". Rounding is to nearest even: there is no other.
#include "bankshot/simt/isa/lanes/half_rows.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

constexpr u16 kOutside = 0x7fff;

constexpr auto sum = [](auto, f32 a, f32 b) { return a + b; };
constexpr auto difference = [](auto, f32 a, f32 b) { return a - b; };
constexpr auto product = [](auto, f32 a, f32 b) { return a * b; };
constexpr auto half_fused = [](auto type, f32 a, f32 b, f32 c) { return fma_odd(type, a, b, c); };

/// fma.oob: +0 if an operand has the bits that a tensor map's fill with NaN leaves outside of the tensor.
template <class R>
BANKSHOT_LANES_ONLY const Instr* fused_oob(Warp& w, const Instr* i) {
  set_fp(w, i);
  using H = typename R::Number;
  f32 x[3][R::kNumbers];
  for (int k = 0; k < 3; ++k) load_halves<R>(w, i->op[k + 1], false, x[k]);
  const H* const operands[] = {w.row<const H>(i->op[1]), w.row<const H>(i->op[2]), w.row<const H>(i->op[3])};
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < R::kNumbers; ++l) {
    const bool outside =
        operands[0][l].bits == kOutside || operands[1][l].bits == kOutside || operands[2][l].bits == kOutside;
    x[0][l] = outside ? 0.0f : fma_odd(H{}, x[0][l], x[1][l], x[2][l]);
  }
  finish_halves<R>(w, i, x[0]);
  return i + 1;
}

Handler select_fused_oob(const Match& m) {
  return by_half_type(m.type, [](auto row) -> Handler { return &fused_oob<decltype(row)>; });
}

/// NaN become the canonical one, as on GPUs.
template <class R, bool Absolute>
BANKSHOT_LANES_ONLY const Instr* sign(Warp& w, const Instr* i) {
  using H = typename R::Number;
  const H* const a = w.row<const H>(i->op[1]);
  const bool flush = i->small & HalfSmall::kFlush;
  H t[R::kNumbers];
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < R::kNumbers; ++l) {
    const H x = flush ? flushed(a[l]) : a[l];
    const bool nan = (x.bits & 0x7fff) > FormatOf<H>::kInfinity;
    t[l].bits = static_cast<u16>(nan ? kHalfNan : Absolute ? x.bits & 0x7fff : x.bits ^ 0x8000);
  }
  store_halves<R>(w, i, t);
  return i + 1;
}

/// One NaN gives the other operand, or with .NaN the canonical NaN; -0 is below 0. .xorsign.abs takes the extremum of
/// the magnitudes and the product of the signs.
template <class R, bool Most>
BANKSHOT_LANES_ONLY const Instr* extremum(Warp& w, const Instr* i) {
  using H = typename R::Number;
  constexpr u16 kInfinity = FormatOf<H>::kInfinity;
  const H* const rows[2] = {w.row<const H>(i->op[1]), w.row<const H>(i->op[2])};
  const bool flush = i->small & HalfSmall::kFlush;
  const u16 drop = i->small & HalfSmall::kXorSign ? 0x8000 : 0;  // bits of a and b to leave out
  const bool contagious = i->small & HalfSmall::kNan;
  H t[R::kNumbers];
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < R::kNumbers; ++l) {
    const u16 x = (flush ? flushed(rows[0][l]) : rows[0][l]).bits, y = (flush ? flushed(rows[1][l]) : rows[1][l]).bits;
    const u16 a = x & ~drop, b = y & ~drop, sign = (x ^ y) & drop;
    // As integers, patterns of numbers are ordered once those of negative numbers are turned round.
    const s16 order_a = static_cast<s16>(a ^ (static_cast<s16>(a) < 0 ? 0x7fff : 0));
    const s16 order_b = static_cast<s16>(b ^ (static_cast<s16>(b) < 0 ? 0x7fff : 0));
    const bool nan_a = (a & 0x7fff) > kInfinity, nan_b = (b & 0x7fff) > kInfinity;
    u16 result = (Most ? order_a > order_b : order_a < order_b) ? a : b;
    result = nan_a ? b : result;
    result = nan_b ? a : result;
    result = static_cast<u16>(result | sign);
    t[l].bits = (nan_a && nan_b) || (contagious && (nan_a || nan_b)) ? kHalfNan : result;
  }
  store_halves<R>(w, i, t);
  return i + 1;
}

template <bool Absolute>
Handler select_sign(const Match& m) {
  return by_half_type(m.type, [](auto row) -> Handler { return &sign<decltype(row), Absolute>; });
}
template <bool Most>
Handler select_extremum(const Match& m) {
  if (m.has("xorsign") != m.has("abs")) return nullptr;  // they go together
  return by_half_type(m.type, [](auto row) -> Handler { return &extremum<decltype(row), Most>; });
}

}  // namespace

void half_rows(Rows& rows) {
  constexpr std::string_view kF16 = "type = f16 f16x2", kBf16 = "type = bf16 bf16x2";
  const auto add = [&](std::string_view syntax, std::string_view types, Handler (*select)(const Match&),
                       std::vector<Example> examples) {
    rows.push_back({syntax, types, Unit::fp16, select, lower_half, std::move(examples)});
  };
  add("add{.rn}{.ftz}{.sat}.type d, a, b", kF16, on_halves<2>(sum), {{"f16", {"0x3C00", "0x4000"}, "0x4200"}});
  add("add{.rn}.type d, a, b", kBf16, on_halves<2>(sum), {{"bf16", {"0x3F80", "0x4000"}, "0x4040"}});
  add("sub{.rn}{.ftz}{.sat}.type d, a, b", kF16, on_halves<2>(difference),
      {{"f16", {"0x3C00", "0x4000"}, "0xBC00"}, {"sat.f16", {"0x3C00", "0x4000"}, "0x0000"}});
  add("sub{.rn}.type d, a, b", kBf16, on_halves<2>(difference), {{"bf16", {"0x3F80", "0x4000"}, "0xBF80"}});
  add("mul{.rn}{.ftz}{.sat}.type d, a, b", kF16, on_halves<2>(product),
      {{"f16x2", {"0x40003C00", "0x42003C01"}, "0x46003C01"}, {"f16", {"0x7BFF", "0x4000"}, "0x7C00"}});
  add("mul{.rn}.type d, a, b", kBf16, on_halves<2>(product), {{"bf16", {"0x4000", "0x4040"}, "0x40C0"}});
  add("fma.rn{.ftz}{.sat}.type d, a, b, c", kF16, on_halves<3>(half_fused),
      {{"rn.f16", {"0x4000", "0x4200", "0x3C00"}, "0x4700"}});
  add("fma.rn{.ftz}.relu.type d, a, b, c", kF16, on_halves<3>(half_fused),
      {{"rn.relu.f16", {"0xC000", "0x4200", "0x3C00"}, "0x0000"}});
  add("fma.rn{.relu}.type d, a, b, c", kBf16, on_halves<3>(half_fused),
      {{"rn.bf16", {"0x4000", "0x4040", "0x3F80"}, "0x40E0"}});
  const std::vector<Example> outside{{"rn.oob.f16", {"0x7FFF", "0x4200", "0x3C00"}, "0x0000"},
                                     {"rn.oob.f16", {"0x4000", "0x4200", "0x3C00"}, "0x4700"},
                                     {"rn.oob.f16", {"0x7E00", "0x4200", "0x3C00"}, "0x7FFF"}};
  add("fma.rn.oob{.sat}.type d, a, b, c", kF16, select_fused_oob, outside);
  add("fma.rn.oob.relu.type d, a, b, c", kF16, select_fused_oob,
      {{"rn.oob.relu.f16x2", {"0x4000C000", "0x42004200", "0x3C003C00"}, "0x47000000"}});
  add("fma.rn.oob{.relu}.type d, a, b, c", kBf16, select_fused_oob,
      {{"rn.oob.bf16x2", {"0x40007FFF", "0x40404040", "0x3F803F80"}, "0x40E00000"}});
  add("neg{.ftz}.type d, a", kF16, select_sign<false>, {{"f16", {"0x3C00"}, "0xBC00"}});
  add("neg.type d, a", kBf16, select_sign<false>, {{"bf16x2", {"0x3F800000"}, "0xBF808000"}});
  add("abs{.ftz}.type d, a", kF16, select_sign<true>,
      {{"f16", {"0xBC00"}, "0x3C00"}, {"ftz.f16", {"0x8001"}, "0x0000"}});
  add("abs.type d, a", kBf16, select_sign<true>, {{"bf16", {"0xBF80"}, "0x3F80"}});
  add("min{.ftz}{.NaN}{.xorsign.abs}.type d, a, b", kF16, select_extremum<false>,
      {{"f16", {"0x3C00", "0xC000"}, "0xC000"},
       {"f16", {"0x7E00", "0x3C00"}, "0x3C00"},
       {"NaN.f16", {"0x7E00", "0x3C00"}, "0x7FFF"}});
  add("min{.NaN}{.xorsign.abs}.type d, a, b", kBf16, select_extremum<false>,
      {{"bf16", {"0x3F80", "0xC000"}, "0xC000"}});
  add("max{.ftz}{.NaN}{.xorsign.abs}.type d, a, b", kF16, select_extremum<true>,
      {{"f16", {"0x8000", "0x0000"}, "0x0000"}, {"xorsign.abs.f16", {"0x3C00", "0xC000"}, "0xC000"}});
  add("max{.NaN}{.xorsign.abs}.type d, a, b", kBf16, select_extremum<true>, {{"bf16", {"0x3F80", "0xC000"}, "0x3F80"}});
  half_compare_rows(rows);
  half_approx_rows(rows);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

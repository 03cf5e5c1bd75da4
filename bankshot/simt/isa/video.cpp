// Scalar video instructions, upon bytes, halves or all of their registers. Source: PTX ISA, "Scalar Video
// Instructions".
//
// - A result that is not saturated goes into the secondary operation with its low 33 bits, as a signed number: what the
//   manual's pseudocode makes of an .s34. Sums of two u32 may so come out negative there; .min and .max see it.
// - Saturated shifts to the left saturate the exact result.
// - c of vmad is signed as the product is, so that -c of an unsigned product is the negative of an unsigned number.
#include "bankshot/simt/lower/lower_video.hpp"

#include "bankshot/simt/isa/lanes/parts.hpp"
#include "bankshot/simt/isa/lanes/scalar.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

struct ScalarAdd {
  s128 operator()(s64 a, s64 b) const { return a + b; }
};
struct ScalarSub {
  s128 operator()(s64 a, s64 b) const { return a - b; }
};
struct ScalarDistance {
  s128 operator()(s64 a, s64 b) const { return a < b ? b - a : a - b; }
};
struct ScalarMin {
  s128 operator()(s64 a, s64 b) const { return a < b ? a : b; }
};
struct ScalarMax {
  s128 operator()(s64 a, s64 b) const { return a < b ? b : a; }
};
/// b is unsigned: at most 32 counts with .clamp, its low five bits with .wrap.
template <bool Left, bool Clamp>
struct ScalarShift {
  s128 operator()(s64 a, s64 b) const {
    const int count = static_cast<int>(Clamp ? (b > 32 ? 32 : b) : b & 31);
    return Left ? static_cast<s128>(a) * (s64{1} << count) : static_cast<s128>(a >> count);
  }
};
enum class Relation { eq, ne, lt, le, gt, ge };
template <Relation Is>
struct ScalarSet {
  s128 operator()(s64 a, s64 b) const {
    switch (Is) {
      case Relation::eq: return a == b;
      case Relation::ne: return a != b;
      case Relation::lt: return a < b;
      case Relation::le: return a <= b;
      case Relation::gt: return a > b;
      default: return a >= b;
    }
  }
};

/// The part of x as a number.
inline s64 taken(u32 x, VideoPart part) {
  const u32 top = x << (32 - part.shift - part.width);
  return part.is_signed ? static_cast<s64>(static_cast<s32>(top) >> (32 - part.width))
                        : static_cast<s64>(top >> (32 - part.width));
}

/// x limited to what `width` bits hold.
inline s128 limited(s128 x, unsigned width, bool is_signed) {
  const s128 low = is_signed ? -(s128{1} << (width - 1)) : 0, high = low + (s128{1} << width) - 1;
  return x < low ? low : x > high ? high : x;
}

inline s64 low33(s128 x) { return static_cast<s64>(static_cast<u64>(x) << 31) >> 31; }

inline s64 second(s64 x, s64 c, u8 operation) {
  switch (operation) {
    case VideoSmall::kAdd: return x + c;
    case VideoSmall::kMin: return least(x, c);
    case VideoSmall::kMax: return greatest(x, c);
    default: return x;
  }
}

/// d = f(a, b), saturated, combined with c or put into a part of it.
template <class F>
const Instr* video(Warp& w, const Instr* i) {
  const VideoPart pa = VideoPart::of(i->imm, 0), pb = VideoPart::of(i->imm, 1), pd = VideoPart::of(i->imm, 2);
  const bool saturates = i->flags & InstrFlag::kSaturate;
  const u32* const a = w.row<const u32>(i->op[1]);
  const u32* const b = w.row<const u32>(i->op[2]);
  const u32* const c = i->op[3] == OperandRef::kNone ? a : w.row<const u32>(i->op[3]);  // not used then
  const u32 kept = ~(~u32{0} >> (32 - pd.width) << pd.shift);                           // bits of d that c gives
  u32 t[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    s128 x = F{}(taken(a[l], pa), taken(b[l], pb));
    if (saturates) x = limited(x, pd.width, pd.is_signed);
    const s64 result = second(low33(x), taken(c[l], {0, 32, pd.is_signed}), i->small & VideoSmall::kSecond);
    t[l] = (static_cast<u32>(result) << pd.shift & ~kept) | (c[l] & kept);
  }
  blend(w.row<u32>(i->op[0]), t, w.active);
  return i + 1;
}

/// d = ±(a·b) ± c + .po, scaled and saturated.
const Instr* multiply(Warp& w, const Instr* i) {
  const VideoPart pa = VideoPart::of(i->imm, 0), pb = VideoPart::of(i->imm, 1);
  const bool negates_product = i->small & VideoSmall::kNegateProduct, negates_c = i->small & VideoSmall::kNegateC;
  const bool signed_product = pa.is_signed || pb.is_signed || negates_product, is_signed = signed_product || negates_c;
  const int scale = i->small & VideoSmall::kShift7 ? 7 : i->small & VideoSmall::kShift15 ? 15 : 0;
  const u32* const a = w.row<const u32>(i->op[1]);
  const u32* const b = w.row<const u32>(i->op[2]);
  const u32* const c = w.row<const u32>(i->op[3]);
  u32 t[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const s128 product = static_cast<s128>(taken(a[l], pa)) * taken(b[l], pb);
    const s64 addend = taken(c[l], {0, 32, signed_product});
    s128 x = (negates_product ? -product : product) + (negates_c ? -addend : addend);
    if (i->small & VideoSmall::kPlusOne) x += 1;
    x >>= scale;
    if (i->flags & InstrFlag::kSaturate) x = limited(x, 32, is_signed);
    t[l] = static_cast<u32>(x);
  }
  blend(w.row<u32>(i->op[0]), t, w.active);
  return i + 1;
}

Handler set_by_relation(const Match& m) {
  if (m.has("eq")) return &video<ScalarSet<Relation::eq>>;
  if (m.has("ne")) return &video<ScalarSet<Relation::ne>>;
  if (m.has("lt")) return &video<ScalarSet<Relation::lt>>;
  if (m.has("le")) return &video<ScalarSet<Relation::le>>;
  if (m.has("gt")) return &video<ScalarSet<Relation::gt>>;
  return &video<ScalarSet<Relation::ge>>;
}

template <bool Left>
Handler shift_by_mode(const Match& m) {
  return m.has("clamp") ? &video<ScalarShift<Left, true>> : &video<ScalarShift<Left, false>>;
}

#define BANKSHOT_ALL_TYPES "dtype = u32 s32; atype = u32 s32; btype = u32 s32; op2 = add min max"

}  // namespace

[[gnu::cold]] void scalar_video_rows(Rows& rows) {
  const auto add = [&rows](std::string_view syntax, std::string_view with_c, std::string_view sets, auto select,
                           std::vector<Example> plain, std::vector<Example> combined) {
    rows.push_back({syntax, sets, Unit::alu, select, lower_video, std::move(plain)});
    rows.push_back({with_c, sets, Unit::alu, select, lower_video, std::move(combined)});
  };
  const auto arithmetic = [&add](std::string_view syntax, std::string_view with_c, Handler handler,
                                 std::vector<Example> plain, std::vector<Example> combined) {
    add(syntax, with_c, BANKSHOT_ALL_TYPES, always(handler), std::move(plain), std::move(combined));
  };
// The syntax of one instruction without and with a secondary operation. a, b and d may be parts of registers.
#define BANKSHOT_SCALAR(name) \
  name ".dtype.atype.btype{.sat} d:b32, a:b32, b:b32", name ".dtype.atype.btype{.sat}.op2 d:b32, a:b32, b:b32, c:b32"
  arithmetic(BANKSHOT_SCALAR("vadd"), &video<ScalarAdd>,
             {{"u32.u32.u32", {"0xffffffff", "3"}, "2"},
              {"u32.u32.u32.sat", {"0xffffffff", "3"}, "0xffffffff"},
              {"s32.u32.s32.sat", {"0xffffffff", "-1"}, "0x7fffffff"}},
             {{"s32.s32.s32.add", {"-5", "3", "100"}, "98"}, {"u32.u32.u32.sat.min", {"0xffffffff", "3", "7"}, "7"}});
  arithmetic(BANKSHOT_SCALAR("vsub"), &video<ScalarSub>,
             {{"u32.u32.u32.sat", {"3", "5"}, "0"}, {"s32.u32.u32", {"3", "5"}, "-2"}},
             {{"s32.s32.s32.max", {"3", "5", "-7"}, "-2"}});
  arithmetic(BANKSHOT_SCALAR("vabsdiff"), &video<ScalarDistance>,
             {{"u32.s32.s32", {"-3", "5"}, "8"}, {"s32.s32.s32.sat", {"-2147483648", "2147483647"}, "0x7fffffff"}},
             {{"u32.u32.u32.add", {"3", "5", "10"}, "12"}});
  arithmetic(BANKSHOT_SCALAR("vmin"), &video<ScalarMin>,
             {{"s32.s32.u32", {"-3", "5"}, "-3"}, {"u32.s32.u32.sat", {"-3", "5"}, "0"}},
             {{"s32.s32.s32.max", {"-3", "5", "-2"}, "-2"}});
  arithmetic(BANKSHOT_SCALAR("vmax"), &video<ScalarMax>, {{"u32.s32.u32", {"-3", "5"}, "5"}},
             {{"s32.s32.s32.min", {"-3", "5", "4"}, "4"}});
#undef BANKSHOT_SCALAR
  constexpr std::string_view kShift = "dtype = u32 s32; atype = u32 s32; mode = clamp wrap; op2 = add min max";
  add("vshl.dtype.atype.u32{.sat}.mode d:b32, a:b32, b:b32",
      "vshl.dtype.atype.u32{.sat}.mode.op2 d:b32, a:b32, b:b32, c:b32", kShift, shift_by_mode<true>,
      {{"u32.u32.u32.clamp", {"3", "40"}, "0"},
       {"u32.u32.u32.wrap", {"3", "40"}, "0x300"},
       {"u32.u32.u32.sat.clamp", {"3", "40"}, "0xffffffff"}},
      {{"s32.s32.u32.clamp.add", {"-3", "4", "50"}, "2"}});
  add("vshr.dtype.atype.u32{.sat}.mode d:b32, a:b32, b:b32",
      "vshr.dtype.atype.u32{.sat}.mode.op2 d:b32, a:b32, b:b32, c:b32", kShift, shift_by_mode<false>,
      {{"s32.s32.u32.clamp", {"-3", "40"}, "-1"}, {"u32.u32.u32.wrap", {"0x80000000", "36"}, "0x08000000"}},
      {{"u32.u32.u32.clamp.max", {"64", "3", "5"}, "8"}});
  add("vset.atype.btype.cmp d:b32, a:b32, b:b32", "vset.atype.btype.cmp.op2 d:b32, a:b32, b:b32, c:b32",
      "atype = u32 s32; btype = u32 s32; cmp = eq ne lt le gt ge; op2 = add min max", set_by_relation,
      {{"s32.u32.lt", {"-1", "1"}, "1"}, {"u32.u32.lt", {"-1", "1"}, "0"}},
      {{"u32.u32.ge.add", {"5", "5", "9"}, "10"}});
  rows.push_back({"vmad.dtype.atype.btype{.po}{.sat}{.scale} d:b32, a:b32, b:b32, c:b32",
                  BANKSHOT_ALL_TYPES "; scale = shr7 shr15",
                  Unit::multiply,
                  always(&multiply),
                  lower_video_multiply,
                  {{"u32.u32.u32", {"100000", "100000", "5"}, "0x540be405"},
                   {"u32.u32.u32.sat", {"100000", "100000", "5"}, "0xffffffff"},
                   {"s32.s32.s32.shr7", {"-300", "10", "-1"}, "-24"},
                   {"s32.s32.u32.po.sat", {"-3", "10", "5"}, "-24"},
                   {"s32.s32.s32.shr15", {"65536", "65536", "0"}, "131072"}}});
}

#undef BANKSHOT_ALL_TYPES

}  // namespace bankshot::simt::BANKSHOT_ISA

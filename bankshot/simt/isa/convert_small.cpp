// Conversions to and from pairs of floats of 6 and 4 bits and of scale factors. Source: PTX ISA, cvt; OCP Microscaling
// Formats (MX) 1.0, section 5.3.
//
// - e2m3, e3m2 and e2m1 have neither infinities nor NaN: what is too large becomes the largest, NaN the largest
// positive.
//   Numbers of 6 bits stand in the low bits of bytes, the upper two bits zero; those of 4 bits in the halves of one
//   byte.
// - ue8m0 is the exponent of a power of two, 2^-127 to 2^127, and 0xff is NaN. The sign of what is converted is
// dropped; .rp
//   is away from zero. What is too large is NaN, or with .satfinite the largest.
#include "bankshot/simt/isa/lanes/convert_lanes.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// A format of 1 + Exponent + Mantissa bits, Bits of them to a place in the pair.
template <int Exponent, int Mantissa, int Place>
struct Small {
  static constexpr u32 kMaximum = (1u << (Exponent + Mantissa)) - 1, kSign = kMaximum + 1;
  static constexpr int kPlace = Place;

  static u32 narrow(f32 x) {
    if (x != x) return kMaximum;
    const f32 magnitude = x < 0 ? -x : x;
    constexpr f32 kBeyond = 64.0f;  // more than any of the formats has
    const u64 rounded = magnitude > kBeyond ? kMaximum
                                            : round_magnitude<Format<Exponent, Mantissa>>(static_cast<f64>(magnitude),
                                                                                          FpMode::kNearest);
    return static_cast<u32>(rounded < kMaximum ? rounded : kMaximum) | (as_bits(x) >> 31 != 0 ? kSign : 0);
  }
  static f32 widen(u32 bits) {
    constexpr u32 kBias = (1u << (Exponent - 1)) - 1;
    const u32 field = (bits & kMaximum) >> Mantissa, mantissa = bits & ((1u << Mantissa) - 1);
    const u32 significand = field == 0 ? mantissa : mantissa + (1u << Mantissa);
    // significand · 2^(max(field, 1) − bias − Mantissa)
    const f32 scale = as_float((127 + (field == 0 ? 1 : field) - kBias - Mantissa) << 23);
    const f32 magnitude = static_cast<f32>(significand) * scale;
    return (bits & kSign) != 0 ? -magnitude : magnitude;
  }
};
using E2m3 = Small<2, 3, 8>;
using E3m2 = Small<3, 2, 8>;
using E2m1 = Small<2, 1, 4>;

/// The power of two at or next to an f32. @param up  the next larger one, if it is none
inline u32 scale_of(u32 bits, bool up, bool finite) {
  constexpr u32 kInfinity = 0x7f800000, kLeast = 0x00400000;  // 2^-127, a subnormal f32
  const u32 magnitude = bits & 0x7fffffff;
  if (magnitude > kInfinity) return 0xff;
  const bool inexact = (magnitude & 0x007fffff) != 0 && magnitude > kLeast;
  const u32 field = (magnitude >> 23) + (up && inexact ? 1 : 0);
  return finite && field == 0xff ? 0xfe : field;
}

BANKSHOT_LANES_ONLY const Instr* floats_to_scales(Warp& w, const Instr* i) {
  const u32* const a = w.row<const u32>(i->op[1]);
  const u32* const b = w.row<const u32>(i->op[2]);
  const bool up = i->small != 0, finite = i->aux & ConvertAux::kSatFinite;
  u16 t[kLanes];
  for (int l = 0; l < kLanes; ++l)
    t[l] = static_cast<u16>(scale_of(a[l], up, finite) << 8 | scale_of(b[l], up, finite));
  blend(w.row<u16>(i->op[0]), t, w.active);
  return i + 1;
}

BANKSHOT_LANES_ONLY const Instr* brains_to_scales(Warp& w, const Instr* i) {
  const u32* const a = w.row<const u32>(i->op[1]);
  const bool up = i->small != 0, finite = i->aux & ConvertAux::kSatFinite;
  u16 t[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    t[l] = static_cast<u16>(scale_of(a[l] & 0xffff0000, up, finite) << 8 | scale_of(a[l] << 16, up, finite));
  }
  blend(w.row<u16>(i->op[0]), t, w.active);
  return i + 1;
}

BANKSHOT_LANES_ONLY const Instr* scales_to_brains(Warp& w, const Instr* i) {
  const u16* const a = w.row<const u16>(i->op[1]);
  const auto brain = [](u32 scale) { return scale == 0xff ? u32{kHalfNan} : scale == 0 ? 0x40u : scale << 7; };
  u32 t[kLanes];
  for (int l = 0; l < kLanes; ++l) t[l] = brain(static_cast<u32>(a[l]) >> 8) << 16 | brain(a[l] & 0xffu);
  blend(w.row<u32>(i->op[0]), t, w.active);
  return i + 1;
}

}  // namespace

void convert_small_rows(Rows& rows) {
  const auto add = [&rows](std::string_view syntax, std::string_view sets, std::function<Handler(const Match&)> select,
                           std::vector<Example> examples) {
    rows.push_back({syntax, sets, Unit::alu, std::move(select), lower_convert_small, std::move(examples)});
  };
  add("cvt.rn{.relu}.satfinite{.relu}.ctype.f32 d:b16, a:f32, b:f32", "ctype = e2m3x2 e3m2x2",
      [](const Match& m) -> Handler { return m.has("e2m3x2") ? &pack_small<E2m3> : &pack_small<E3m2>; },
      {{"rn.satfinite.e2m3x2.f32", {"0f3F800000", "0fC1000000"}, "0x083F"},
       {"rn.satfinite.e3m2x2.f32", {"0f3F800000", "0f7FC00000"}, "0x0C1F"}});
  add("cvt.rn{.relu}.satfinite{.relu}.e2m1x2.f32 d:b16, a:f32, b:f32", "", always(&pack_small<E2m1>),
      {{"rn.satfinite.e2m1x2.f32", {"0f3F800000", "0fBF000000"}, "0x29"},
       {"rn.satfinite.relu.e2m1x2.f32", {"0f42000000", "0fBF000000"}, "0x70"}});
  add("cvt.rn{.relu}.f16x2.ctype d:b32, a:b16", "ctype = e2m3x2 e3m2x2",
      [](const Match& m) -> Handler { return m.has("e2m3x2") ? &unpack_small<E2m3> : &unpack_small<E3m2>; },
      {{"rn.f16x2.e2m3x2", {"0x083F"}, "0x3C00C780"}, {"rn.f16x2.e3m2x2", {"0x0C1F"}, "0x3C004F00"}});
  add("cvt.rn{.relu}.f16x2.e2m1x2 d:b32, a:b16", "", always(&unpack_small<E2m1>),
      {{"rn.f16x2.e2m1x2", {"0x29"}, "0x3C00B800"}, {"rn.relu.f16x2.e2m1x2", {"0x79"}, "0x46000000"}});
  add("cvt.srnd{.satfinite}.ue8m0x2.f32 d:b16, a:f32, b:f32", "srnd = rz rp", always(&floats_to_scales),
      {{"rz.ue8m0x2.f32", {"0f3FC00000", "0fFF800000"}, "0x7FFF"},
       {"rp.satfinite.ue8m0x2.f32", {"0f3FC00000", "0f7F7FFFFF"}, "0x80FE"}});
  add("cvt.srnd{.satfinite}.ue8m0x2.bf16x2 d:b16, a:b32", "srnd = rz rp", always(&brains_to_scales),
      {{"rp.ue8m0x2.bf16x2", {"0x3FC00000"}, "0x8000"}});
  add("cvt.rn.bf16x2.ue8m0x2 d:b32, a:b16", "", always(&scales_to_brains),
      {{"rn.bf16x2.ue8m0x2", {"0x7FFF"}, "0x3F807FFF"}, {"rn.bf16x2.ue8m0x2", {"0x0001"}, "0x00400080"}});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

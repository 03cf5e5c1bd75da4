// Conversions that pack: two floats into f16x2, bf16x2 or two 8-bit floats, cvt.pack; and tf32. Of a pair a, b, the
// first goes to the upper half of d. Source: PTX ISA, cvt and cvt.pack.
#include "bankshot/simt/isa/lanes/convert_lanes.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// d = {a, b} rounded to f16 or bf16.
template <class H>
BANKSHOT_LANES_ONLY const Instr* pack_halves(Warp& w, const Instr* i) {
  set_fp(w, i);
  f32 a[kLanes], b[kLanes];
  H high[kLanes], low[kLanes];
  u32 t[kLanes];
  std::memcpy(a, w.row<const f32>(i->op[1]), sizeof a);
  std::memcpy(b, w.row<const f32>(i->op[2]), sizeof b);
  rectify(i, a);
  rectify(i, b);
  narrow_by_mode(i, a, high);
  narrow_by_mode(i, b, low);
  for (int l = 0; l < kLanes; ++l) t[l] = static_cast<u32>(high[l].bits) << 16 | low[l].bits;
  blend(w.row<u32>(i->op[0]), t, w.active);
  return i + 1;
}

/// x as tf32: f32 with 10 stored bits of mantissa. .rna rounds ties away from zero, and cuts the last bits of a NaN
/// off; with .satfinite it takes one unit of infinity and of NaN. All other NaN are 0x7fffe000. So do GPUs.
template <bool Away>
const Instr* to_tf32(Warp& w, const Instr* i) {
  set_fp(w, i);  // or .relu might take subnormal numbers for zeros
  f32 a[kLanes];
  u32 t[kLanes];
  std::memcpy(a, w.row<const f32>(i->op[1]), sizeof a);
  rectify(i, a);
  const bool nearest = (i->fp & 3) == FpMode::kNearest;
  for (int l = 0; l < kLanes; ++l) {
    const u32 bits = as_bits(a[l]), magnitude = bits & 0x7fffffffu, sign = bits & 0x80000000u;
    const u32 add = Away ? 0x1000u : nearest ? 0xfffu + (magnitude >> 13 & 1) : 0u;
    u32 rounded = (magnitude < 0x7f800000u ? magnitude + add : magnitude) & 0xffffe000u;
    if ((i->aux & ConvertAux::kSatFinite) && rounded >= 0x7f800000u) rounded -= 0x2000u;
    t[l] = !Away && magnitude > 0x7f800000u ? 0x7fffe000u : rounded | sign;
  }
  blend(w.row<u32>(i->op[0]), t, w.active);
  return i + 1;
}

/// The 8-bit floats. Both saturate; e4m3 has no infinity and one NaN a sign. Source: Micikevicius et al., "FP8 Formats
/// for Deep Learning", 2022, table 1.
template <class Layout, u32 Maximum>
inline u32 narrow_byte(f32 x) {
  if (x != x) return 0x7f;
  const u32 sign = as_bits(x) >> 31 << 7;
  const f32 magnitude = x < 0 ? -x : x;
  const u64 rounded =
      magnitude > 65536.0f ? Maximum : round_magnitude<Layout>(static_cast<f64>(magnitude), FpMode::kNearest);
  return static_cast<u32>(rounded < Maximum ? rounded : Maximum) | sign;
}
struct E4m3 {
  static constexpr int kPlace = 8;
  static u32 narrow(f32 x) { return narrow_byte<Format<4, 3>, 0x7e>(x); }
  static f32 widen(u32 bits) { return (bits & 0x7f) == 0x7f ? as_float(0x7fffffffu) : finite(bits); }
  static f32 finite(u32 bits) {
    const u32 field = bits >> 3 & 15, mantissa = bits & 7;
    const f32 magnitude =
        field == 0 ? static_cast<f32>(mantissa) * 0x1p-9f : as_float((field + 120) << 23 | mantissa << 20);
    return bits & 0x80 ? -magnitude : magnitude;
  }
};
struct E5m2 {
  static constexpr int kPlace = 8;
  static u32 narrow(f32 x) { return narrow_byte<Format<5, 2>, 0x7b>(x); }
  static f32 widen(u32 bits) {
    return BANKSHOT_ISA::widen(f16{static_cast<u16>(bits << 8)});
  }  // the high byte of an f16
};

/// f16x2 to two bytes.
template <class E>
BANKSHOT_LANES_ONLY const Instr* halves_to_bytes(Warp& w, const Instr* i) {
  set_fp(w, i);
  f32 x[2 * kLanes];
  u16 t[kLanes];
  widen_row<2 * kLanes>(w.row<const f16>(i->op[1]), x);
  rectify(i, x);
  rectify(i, x + kLanes);
  for (int l = 0; l < kLanes; ++l) t[l] = static_cast<u16>(E::narrow(x[2 * l + 1]) << 8 | E::narrow(x[2 * l]));
  blend(w.row<u16>(i->op[0]), t, w.active);
  return i + 1;
}

/// d = a and b clamped to Bits bits, a above b, the rest of d filled with c's low bits.
template <int Width, bool Signed>
BANKSHOT_LANES_ONLY const Instr* pack_integers(Warp& w, const Instr* i) {
  constexpr s32 kLow = Signed ? -(1 << (Width - 1)) : 0, kHigh = (1 << (Signed ? Width - 1 : Width)) - 1;
  constexpr u32 kMask = (1u << Width) - 1;
  const s32* const a = w.row<const s32>(i->op[1]);
  const s32* const b = w.row<const s32>(i->op[2]);
  u32 t[kLanes];
  const auto limited = [](s32 x) { return static_cast<u32>(x < kLow ? kLow : x > kHigh ? kHigh : x) & kMask; };
  for (int l = 0; l < kLanes; ++l) t[l] = limited(a[l]) << Width | limited(b[l]);
  if constexpr (Width < 16) {
    const u32* const c = w.row<const u32>(i->op[3]);
    for (int l = 0; l < kLanes; ++l) t[l] |= c[l] << 2 * Width;
  }
  blend(w.row<u32>(i->op[0]), t, w.active);
  return i + 1;
}

Handler select_pack(const Match& m) {
  const std::string_view type = m.modifiers[2];  // pack, sat, type
  if (type == "u16") return &pack_integers<16, false>;
  if (type == "s16") return &pack_integers<16, true>;
  if (type == "u8") return &pack_integers<8, false>;
  if (type == "s8") return &pack_integers<8, true>;
  if (type == "u4") return &pack_integers<4, false>;
  if (type == "s4") return &pack_integers<4, true>;
  if (type == "u2") return &pack_integers<2, false>;
  if (type == "s2") return &pack_integers<2, true>;
  return nullptr;
}

Handler by_byte_type(ptx::Type type, Handler e4m3, Handler e5m2) { return type == ptx::Type::e4m3x2 ? e4m3 : e5m2; }

}  // namespace

void convert_packed_rows(Rows& rows) {
  rows.push_back(
      {"cvt.frnd2{.relu}{.satfinite}{.relu}.type.f32 d, a:f32, b:f32",
       "frnd2 = rn rz; type = f16x2 bf16x2",
       Unit::alu,
       [](const Match& m) -> Handler { return m.type == ptx::Type::f16x2 ? &pack_halves<f16> : &pack_halves<bf16>; },
       lower_convert_pair,
       {{"rn.f16x2.f32", {"0f3F800000", "0f40000000"}, "0x3C004000"}}});
  rows.push_back({"cvt.rna{.satfinite}.tf32.f32 d:b32, a:f32",
                  "",
                  Unit::alu,
                  always(&to_tf32<true>),
                  lower_convert,
                  {{"rna.tf32.f32", {"0f3F801000"}, "0x3F802000"},
                   {"rna.tf32.f32", {"0fFFC00005"}, "0xFFC00000"},
                   {"rna.satfinite.tf32.f32", {"0f7FCA9FEA"}, "0x7FCA6000"}}});
  rows.push_back({"cvt.frnd2{.relu}{.satfinite}{.relu}.tf32.f32 d:b32, a:f32",
                  "frnd2 = rn rz",
                  Unit::alu,
                  always(&to_tf32<false>),
                  lower_convert,
                  {{"rn.tf32.f32", {"0f3F801000"}, "0x3F800000"},
                   {"rn.relu.tf32.f32", {"0fBF801000"}, "0"},
                   {"rz.tf32.f32", {"0fFF800001"}, "0x7FFFE000"}}});
  rows.push_back({"cvt.rn{.relu}.satfinite{.relu}.type.f32 d:b16, a:f32, b:f32",
                  "type = e4m3x2 e5m2x2",
                  Unit::alu,
                  [](const Match& m) { return by_byte_type(m.type, &pack_small<E4m3>, &pack_small<E5m2>); },
                  lower_convert_pair,
                  {{"rn.satfinite.e4m3x2.f32", {"0f3F800000", "0f44000000"}, "0x387E"}}});
  rows.push_back({"cvt.rn{.relu}.satfinite{.relu}.type.f16x2 d:b16, a:b32",
                  "type = e4m3x2 e5m2x2",
                  Unit::alu,
                  [](const Match& m) { return by_byte_type(m.type, &halves_to_bytes<E4m3>, &halves_to_bytes<E5m2>); },
                  lower_convert,
                  {{"rn.satfinite.e5m2x2.f16x2", {"0x3C00C000"}, "0x3CC0"}}});
  rows.push_back({"cvt.rn{.relu}.f16x2.stype d:b32, a:b16",
                  "stype = e4m3x2 e5m2x2",
                  Unit::alu,
                  [](const Match& m) { return by_byte_type(m.type2, &unpack_small<E4m3>, &unpack_small<E5m2>); },
                  lower_convert,
                  {{"rn.f16x2.e4m3x2", {"0x38C0"}, "0x3C00C000"}}});
  rows.push_back({"cvt.pack.sat.ctype.s32 d:b32, a:s32, b:s32",
                  "ctype = u16 s16",
                  Unit::alu,
                  select_pack,
                  lower_convert_pack,
                  {{"pack.sat.u16.s32", {"70000", "-1"}, "0xFFFF0000"}}});
  rows.push_back({"cvt.pack.sat.ctype.s32.b32 d:b32, a:s32, b:s32, c:b32",
                  "ctype = u8 s8 u4 s4 u2 s2",
                  Unit::alu,
                  select_pack,
                  lower_convert_pack,
                  {{"pack.sat.u8.s32.b32", {"300", "-1", "0x1234"}, "0x1234FF00"}}});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

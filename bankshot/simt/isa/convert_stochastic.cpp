// cvt.rs: f32 rounded towards zero or away from it, as random bits say. They are added to the bits that are cut off;
// the carry goes into the last place that stays. Source: PTX ISA 9.0, cvt.
//
// - A number of f16 has 13 random bits, one of bf16 the half of the operand that stands where its result goes.
// - Of four numbers, the upper two have the upper half of the operand and the lower two the lower one. Of e2m1, the
//   upper two have the upper bytes of both halves, the lower two the lower bytes.
// - Two numbers that have the same random bits round alike. Random bits are added to the highest of those cut off.
//   Both are not in the manual's text.
#include "bankshot/simt/isa/lanes/convert_lanes.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// A format, its largest number, its NaN, and how many random bits round to it.
template <int Exponent, int Mantissa, u32 Largest, u32 Nan, int Random>
struct Drawn {
  using F = Format<Exponent, Mantissa>;
  static constexpr u32 kLargest = Largest;

  /// @param beyond  what is too large becomes
  static u32 rounded(u32 bits, u32 random, u32 beyond) {
    const u32 magnitude = bits & 0x7fffffffu, sign = bits >> 31 << (Exponent + Mantissa);
    if (magnitude > 0x7f800000u) return Nan;
    const int biased = static_cast<int>(magnitude >> 23);
    const u64 significand = (magnitude & 0x7fffffu) | (biased != 0 ? 0x800000u : 0u);
    const int exponent = (biased != 0 ? biased : 1) - 127;
    constexpr int kLeast = 1 - F::kBias;  // exponent of the smallest normal number
    int shift = 23 - Mantissa + (exponent < kLeast ? kLeast - exponent : 0);
    shift = shift < 40 ? shift : 40;  // beyond, nothing carries
    const u64 quotient = (significand + (u64{random} << (shift - Random))) >> shift;
    const u64 field = static_cast<u64>(exponent < kLeast ? 1 : exponent + F::kBias);
    const u64 pattern = (field << Mantissa) + quotient - (u64{1} << Mantissa);
    return sign | (pattern > Largest ? beyond : static_cast<u32>(pattern));
  }
};
using DrawnF16 = Drawn<5, 10, 0x7bff, kHalfNan, 13>;
using DrawnBf16 = Drawn<8, 7, 0x7f7f, kHalfNan, 16>;
using DrawnE4m3 = Drawn<4, 3, 0x7e, 0x7f, 16>;
using DrawnE5m2 = Drawn<5, 2, 0x7b, 0x7f, 16>;
using DrawnE2m3 = Drawn<2, 3, 0x1f, 0x1f, 16>;
using DrawnE3m2 = Drawn<3, 2, 0x1f, 0x1f, 16>;
using DrawnE2m1 = Drawn<2, 1, 0x7, 0x7, 16>;

/// .relu on the bits of an f32.
inline u32 rectified_bits(const Instr* i, u32 x) {
  const bool negative = x >> 31 != 0 && (x & 0x7fffffffu) <= 0x7f800000u;
  return (i->aux & ConvertAux::kRelu) != 0 && negative ? 0 : x;
}

template <class E, u32 RandomMask>
BANKSHOT_LANES_ONLY const Instr* draw_two(Warp& w, const Instr* i) {
  const u32* const a = w.row<const u32>(i->op[1]);
  const u32* const b = w.row<const u32>(i->op[2]);
  const u32* const random = w.row<const u32>(i->op[3]);
  const u32 beyond = E::kLargest + ((i->aux & ConvertAux::kSatFinite) != 0 ? 0 : 1);
  u32 t[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const u32 high = E::rounded(rectified_bits(i, a[l]), random[l] >> 16 & RandomMask, beyond);
    const u32 low = E::rounded(rectified_bits(i, b[l]), random[l] & RandomMask, beyond);
    t[l] = high << 16 | low;
  }
  blend(w.row<u32>(i->op[0]), t, w.active);
  return i + 1;
}

/// @tparam D  u32, or u16 of e2m1: a number takes a quarter
template <class E, class D>
BANKSHOT_LANES_ONLY const Instr* draw_four(Warp& w, const Instr* i) {
  constexpr bool kSmallest = sizeof(D) == 2;
  constexpr int kPlace = kSmallest ? 4 : 8;
  const u32* const random = w.row<const u32>(i->op[5]);
  u32 packed[kLanes] = {};
  for (u32 k = 0; k < 4; ++k) {
    const u32* const x = w.row<const u32>(i->op[1 + k]);
    const bool upper = k < 2;
    for (int l = 0; l < kLanes; ++l) {
      const u32 half = upper ? random[l] >> 16 : random[l] & 0xffffu;
      const u32 bytes = (upper ? random[l] >> 8 : random[l]) & 0x00ff00ffu;
      const u32 chosen = kSmallest ? (bytes >> 8 | bytes) & 0xffffu : half;
      packed[l] = packed[l] << kPlace | E::rounded(rectified_bits(i, x[l]), chosen, E::kLargest);
    }
  }
  D t[kLanes];
  for (int l = 0; l < kLanes; ++l) t[l] = static_cast<D>(packed[l]);
  blend(w.row<D>(i->op[0]), t, w.active);
  return i + 1;
}

Handler select_four(const Match& m) {
  if (m.has("e4m3x4")) return &draw_four<DrawnE4m3, u32>;
  if (m.has("e5m2x4")) return &draw_four<DrawnE5m2, u32>;
  return m.has("e2m3x4") ? &draw_four<DrawnE2m3, u32> : &draw_four<DrawnE3m2, u32>;
}

}  // namespace

void convert_stochastic_rows(Rows& rows) {
  const auto add = [&rows](std::string_view syntax, std::string_view sets, std::function<Handler(const Match&)> select,
                           std::vector<Example> examples) {
    rows.push_back({syntax, sets, Unit::alu, std::move(select), lower_convert_stochastic, std::move(examples)});
  };
  // 1 + 3·2^-12 is three quarters of the way from 1 to the next f16, 1 + 2^-10: 0x1800 of 0x2000 are cut off.
  add("cvt.rs{.relu}{.satfinite}{.relu}.type.f32 d:b32, a:f32, b:f32, c:b32", "type = f16x2 bf16x2",
      [](const Match& m) -> Handler {
        return m.type == ptx::Type::f16x2 ? &draw_two<DrawnF16, 0x1fff> : &draw_two<DrawnBf16, 0xffff>;
      },
      {{"rs.f16x2.f32", {"0f3F801800", "0f3F801800", "0x080007FF"}, "0x3C013C00"},
       {"rs.bf16x2.f32", {"0f3F808000", "0fBF808000", "0x80007FFF"}, "0x3F81BF80"},
       {"rs.f16x2.f32", {"0f477FFFFF", "0f477FE000", "0x00011FFF"}, "0x7C007BFF"},
       {"rs.satfinite.relu.f16x2.f32", {"0f7F800000", "0fBF800000", "0"}, "0x7BFF0000"}});
  add("cvt.rs{.relu}.satfinite{.relu}.ctype.f32 d, {a, b, e, f}, c", "ctype = e4m3x4 e5m2x4 e2m3x4 e3m2x4", select_four,
      {});
  add("cvt.rs{.relu}.satfinite{.relu}.e2m1x4.f32 d, {a, b, e, f}, c", "", always(&draw_four<DrawnE2m1, u16>), {});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

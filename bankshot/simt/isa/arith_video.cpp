// SIMD video instructions on the two halves or four bytes of a register. Source: PTX ISA, "SIMD Video Instructions".
// Forms with a lane mask or operand selectors (d.b10, a.b7531) are refused by the decoder: they name no register.
#include <functional>

#include "bankshot/simt/isa/lanes/parts.hpp"
#include "bankshot/simt/isa/lanes/scalar.hpp"
#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

struct VideoAdd {
  s32 operator()(s32 a, s32 b) const { return a + b; }
};
struct VideoSub {
  s32 operator()(s32 a, s32 b) const { return a - b; }
};
struct VideoAverage {  // rounds halves away from zero
  s32 operator()(s32 a, s32 b) const { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; }
};
struct VideoDistance {
  s32 operator()(s32 a, s32 b) const { return a < b ? b - a : a - b; }
};
struct VideoMin {
  s32 operator()(s32 a, s32 b) const { return least(a, b); }
};
struct VideoMax {
  s32 operator()(s32 a, s32 b) const { return greatest(a, b); }
};

template <class Compare>
struct VideoSet {
  s32 operator()(s32 a, s32 b) const { return Compare{}(a, b) ? 1 : 0; }
};

/// What becomes of a field's result: kept modulo its width, clamped to it, or added to c.
enum class Finish { wrap, saturate_signed, saturate_unsigned, accumulate };

/// One lane. A and B (s8, u8, s16, u16) are how the fields of a and b are extended.
template <class F, class A, class B, Finish How>
struct Video {
  u32 operator()(u32 a, u32 b, u32 c) const {
    constexpr int kWidth = kBits<A>;
    constexpr s32 kLow = How == Finish::saturate_signed ? -(1 << (kWidth - 1)) : 0;
    constexpr s32 kHigh = How == Finish::saturate_signed ? (1 << (kWidth - 1)) - 1 : (1 << kWidth) - 1;
    u32 d = How == Finish::accumulate ? c : 0;
    for (int shift = 0; shift < 32; shift += kWidth) {
      s32 t = F{}(static_cast<A>(a >> shift), static_cast<B>(b >> shift));
      if constexpr (How == Finish::accumulate) {
        d += static_cast<u32>(t);
      } else {
        if constexpr (How != Finish::wrap) t = clamped(t, kLow, kHigh);
        d |= (static_cast<u32>(t) & ((1u << kWidth) - 1)) << shift;
      }
    }
    return d;
  }
};

template <class F, class A, class B>
Handler finish_handler(const Match& m) {
  if (m.has("add")) return &elementwise<Video<F, A, B, Finish::accumulate>, u32, u32, u32, u32>;
  if (!m.has("sat")) return &elementwise<Video<F, A, B, Finish::wrap>, u32, u32, u32, u32>;
  if (m.type == ptx::Type::s32) return &elementwise<Video<F, A, B, Finish::saturate_signed>, u32, u32, u32, u32>;
  return &elementwise<Video<F, A, B, Finish::saturate_unsigned>, u32, u32, u32, u32>;
}

/// The types are .dtype, .atype and .btype, the first three modifiers.
template <class F, class Signed, class Unsigned>
Handler video_handler(const Match& m) {
  const bool a = m.modifiers[1] == "s32", b = m.modifiers[2] == "s32";
  if (a) return b ? finish_handler<F, Signed, Signed>(m) : finish_handler<F, Signed, Unsigned>(m);
  return b ? finish_handler<F, Unsigned, Signed>(m) : finish_handler<F, Unsigned, Unsigned>(m);
}

template <class F>
[[gnu::cold]] void video_rows(Rows& rows, std::string_view two, std::string_view two_add, std::string_view four,
                              std::string_view four_add, std::vector<Example> in_four, std::vector<Example> summed) {
  constexpr std::string_view kTypes = "dtype = u32 s32; atype = u32 s32; btype = u32 s32";
  rows.push_back({two, kTypes, Unit::alu, video_handler<F, s16, u16>, lower_packed, {}});
  rows.push_back({two_add, kTypes, Unit::alu, video_handler<F, s16, u16>, lower_packed, {}});
  rows.push_back({four, kTypes, Unit::alu, video_handler<F, s8, u8>, lower_packed, std::move(in_four)});
  rows.push_back({four_add, kTypes, Unit::alu, video_handler<F, s8, u8>, lower_packed, std::move(summed)});
}

/// The types are .atype and .btype, the first two modifiers. There is no .sat.
template <class Compare, class Signed, class Unsigned>
Handler set_handler(const Match& m) {
  const auto finish = [&](auto a, auto b) -> Handler {
    using F = VideoSet<Compare>;
    using A = typename decltype(a)::type;
    using B = typename decltype(b)::type;
    return m.has("add") ? &elementwise<Video<F, A, B, Finish::accumulate>, u32, u32, u32, u32>
                        : &elementwise<Video<F, A, B, Finish::wrap>, u32, u32, u32, u32>;
  };
  const bool b = m.modifiers[1] == "s32";
  if (m.modifiers[0] == "s32") return b ? finish(Tag<Signed>{}, Tag<Signed>{}) : finish(Tag<Signed>{}, Tag<Unsigned>{});
  return b ? finish(Tag<Unsigned>{}, Tag<Signed>{}) : finish(Tag<Unsigned>{}, Tag<Unsigned>{});
}

template <class Signed, class Unsigned>
Handler select_video_set(const Match& m) {
  if (m.has("eq")) return set_handler<std::equal_to<>, Signed, Unsigned>(m);
  if (m.has("ne")) return set_handler<std::not_equal_to<>, Signed, Unsigned>(m);
  if (m.has("lt")) return set_handler<std::less<>, Signed, Unsigned>(m);
  if (m.has("le")) return set_handler<std::less_equal<>, Signed, Unsigned>(m);
  if (m.has("gt")) return set_handler<std::greater<>, Signed, Unsigned>(m);
  return set_handler<std::greater_equal<>, Signed, Unsigned>(m);
}

}  // namespace

// The syntax of one instruction in its four forms.
#define BANKSHOT_VIDEO_FORMS(name)                                 \
  name "2.dtype.atype.btype{.sat} d:b32, a:b32, b:b32, c:b32",     \
      name "2.dtype.atype.btype.add d:b32, a:b32, b:b32, c:b32",   \
      name "4.dtype.atype.btype{.sat} d:b32, a:b32, b:b32, c:b32", \
      name "4.dtype.atype.btype.add d:b32, a:b32, b:b32, c:b32"

[[gnu::cold]] void arith_video_rows(Rows& rows) {
  video_rows<VideoAdd>(rows, BANKSHOT_VIDEO_FORMS("vadd"),
                       {{"u32.u32.u32", {"0x01ff0304", "0x01020304", "0"}, "0x02010608"},
                        {"u32.u32.u32.sat", {"0x01ff0304", "0x01020304", "0"}, "0x02ff0608"}},
                       {{"u32.u32.u32.add", {"0x01020304", "0x01010101", "100"}, "114"}});
  video_rows<VideoSub>(rows, BANKSHOT_VIDEO_FORMS("vsub"),
                       {{"s32.s32.s32.sat", {"0x80000005", "0x01000002", "0"}, "0x80000003"}},
                       {{"s32.u32.u32.add", {"0x00000001", "0x00000003", "10"}, "8"}});
  video_rows<VideoAverage>(rows, BANKSHOT_VIDEO_FORMS("vavrg"),
                           {{"u32.u32.u32", {"0x00020406", "0x01030508", "0"}, "0x01030507"}}, {});
  video_rows<VideoDistance>(rows, BANKSHOT_VIDEO_FORMS("vabsdiff"),
                            {{"u32.u32.u32", {"0x01ff0304", "0x02000105", "0"}, "0x01ff0201"}},
                            {{"u32.u32.u32.add", {"0x01ff0304", "0x02000105", "7"}, "266"},
                             {"u32.s32.s32.add", {"0x01ff0304", "0x02000105", "7"}, "12"}});
  video_rows<VideoMin>(rows, BANKSHOT_VIDEO_FORMS("vmin"),
                       {{"u32.u32.u32", {"0x01ff0304", "0x02000105", "0"}, "0x01000104"}}, {});
  video_rows<VideoMax>(rows, BANKSHOT_VIDEO_FORMS("vmax"),
                       {{"s32.s32.s32", {"0x01ff0304", "0x02000105", "0"}, "0x02000305"}}, {});
  constexpr std::string_view kCompare = "atype = u32 s32; btype = u32 s32; cmp = eq ne lt le gt ge";
  rows.push_back({"vset2.atype.btype.cmp{.add} d:b32, a:b32, b:b32, c:b32",
                  kCompare,
                  Unit::alu,
                  select_video_set<s16, u16>,
                  lower_packed,
                  {{"s32.s32.lt", {"0xffff0005", "0x00000005", "0"}, "0x00010000"}}});
  rows.push_back({"vset4.atype.btype.cmp{.add} d:b32, a:b32, b:b32, c:b32",
                  kCompare,
                  Unit::alu,
                  select_video_set<s8, u8>,
                  lower_packed,
                  {{"u32.u32.lt", {"0x01ff0304", "0x02000305", "0"}, "0x01000001"},
                   {"u32.u32.ge.add", {"0x01ff0304", "0x02000305", "100"}, "102"}}});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

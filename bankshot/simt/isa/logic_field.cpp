// Bit fields, funnel shifts and byte permutation. Source: PTX ISA, "Integer Arithmetic Instructions" (bfe, bfi, bfind,
// bmsk, szext, fns), "Logic and Shift Instructions" (shf) and "Data Movement" (prmt).
#include <limits>

#include "bankshot/simt/isa/lanes/parts.hpp"
#include "bankshot/simt/isa/lanes/scalar.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// The n lowest bits set, n ≥ the width for all.
template <class T>
T low_ones(u32 n) {
  return static_cast<T>(~shift_left<T>(static_cast<T>(~T{0}), n));
}

/// A position or length of a field of a T. Of 32 bits only the low 8 count; of 64 GPUs look at all of it, though the
/// manual says the same. More than 64 are as good as 64.
template <class T>
u32 field_amount(u32 n) {
  return kBits<T> == 64 ? least(n, 64u) : n & 0xff;
}

/// `length` bits of a from `position` on; what lies beyond the register is the field's sign bit, or 0 if unsigned.
template <class T>
T extract(T a, u32 position, u32 length) {
  position = field_amount<T>(position);
  length = field_amount<T>(length);
  const T field = shift_right(a, position);
  if constexpr (std::is_signed_v<T>) {
    const u32 spare = position + length >= static_cast<u32>(kBits<T>) || length == 0 ? 0 : kBits<T> - length;
    const T extended = shift_right(shift_left(field, spare), spare);
    return length == 0 ? T{0} : extended;
  } else {
    return field & low_ones<T>(length);
  }
}

template <class T>
T insert(T a, T into, u32 position, u32 length) {
  position = field_amount<T>(position);
  const T field = shift_left(low_ones<T>(field_amount<T>(length)), position);
  return static_cast<T>((into & ~field) | (shift_left(a, position) & field));
}

/// Position of the highest bit that differs from the sign, or ~0; with Shift the distance from the top instead.
template <class T, bool Shift>
struct FindBit {
  u32 operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U x = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    const u32 above = leading_zeros(x);
    return x == 0 ? ~0u : Shift ? above : kBits<T> - 1 - above;
  }
};

/// The word 64-bit value's upper (left) or lower half after a shift by n.
constexpr auto funnel_left = [](u32 low, u32 high, u32 n) {
  return static_cast<u32>((static_cast<u64>(high) << 32 | low) << n >> 32);
};
constexpr auto funnel_right = [](u32 low, u32 high, u32 n) {
  return static_cast<u32>((static_cast<u64>(high) << 32 | low) >> n);
};

template <bool Clamp>
struct BitMask {
  u32 operator()(u32 position, u32 length) const {
    const bool beyond = Clamp && position >= 32, all = Clamp && length >= 32;
    const u32 from = position & 31, to = from + (length & 31);
    const u32 above = to >= 32 || all ? 0 : ~0u << to;
    return beyond ? 0 : (~0u << from) & ~above;
  }
};

/// Extends the n lowest bits of a. Wrap takes n modulo 32; 0 bits give 0.
template <class T, bool Clamp>
struct Extend {
  u32 operator()(u32 a, u32 n) const {
    const bool whole = Clamp && n >= 32;
    const u32 width = n & 31;
    const u32 above = whole ? 0 : ~0u << width;
    const bool negative = std::is_signed_v<T> && width != 0 && !whole && (a >> ((width - 1) & 31) & 1) != 0;
    return (a & ~above) | (negative ? above : 0);
  }
};

/// The |offset|-th set bit of the mask, counted from bit `base` up (offset > 0) or down, or ~0. Offset 0: base itself.
/// Of the least offset, which has no magnitude, GPUs make 0.
constexpr auto find_set = [](u32 mask, u32 base, s32 offset) {
  if (offset == std::numeric_limits<s32>::min()) return 0u;
  if (offset == 0) return base < 32 && (mask >> base & 1) != 0 ? base : ~0u;
  const s64 step = offset > 0 ? 1 : -1;
  s64 left = (offset > 0 ? static_cast<s64>(offset) : -static_cast<s64>(offset)) - 1;
  for (s64 at = static_cast<s32>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && left-- == 0) return static_cast<u32>(at);
  }
  return ~0u;
};

/// The bytes 0…7 of b:a that the nibbles of c choose; a nibble's top bit replicates the sign of its byte.
constexpr auto permute = [](u32 a, u32 b, u32 c) {
  const u64 bytes = static_cast<u64>(b) << 32 | a;
  u32 d = 0;
  for (int k = 0; k < 4; ++k) {
    const u32 selector = c >> (4 * k) & 0xf;
    u32 byte = static_cast<u32>(bytes >> (8 * (selector & 7))) & 0xff;
    byte = (selector & 8) != 0 ? (0u - (byte >> 7)) & 0xff : byte;
    d |= byte << (8 * k);
  }
  return d;
};

/// The selectors of prmt's named modes, for c & 3 = 0…3.
constexpr u32 kForward4[4] = {0x3210, 0x4321, 0x5432, 0x6543}, kBackward4[4] = {0x5670, 0x6701, 0x7012, 0x0123},
              kReplicate8[4] = {0x0000, 0x1111, 0x2222, 0x3333}, kClampLeft[4] = {0x3210, 0x3211, 0x3222, 0x3333},
              kClampRight[4] = {0x0000, 0x1110, 0x2210, 0x3210}, kReplicate16[4] = {0x1010, 0x3232, 0x1010, 0x3232};

template <const u32 (&Selectors)[4]>
Handler permute_by() {
  return lanes_of<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) { return permute(a, b, Selectors[c & 3]); });
}

Handler permute_handler(const Match& m) {
  if (m.has("f4e")) return permute_by<kForward4>();
  if (m.has("b4e")) return permute_by<kBackward4>();
  if (m.has("rc8")) return permute_by<kReplicate8>();
  if (m.has("ecl")) return permute_by<kClampLeft>();
  if (m.has("ecr")) return permute_by<kClampRight>();
  if (m.has("rc16")) return permute_by<kReplicate16>();
  return lanes_of<u32, u32, u32, u32>(permute);
}

/// A row's `select` for .clamp and .wrap.
template <class Clamp, class Wrap>
auto clamp_or_wrap(Clamp, Wrap) {
  return [](const Match& m) -> Handler {
    return m.has("clamp") ? lanes_of<u32, u32, u32, u32>(Clamp{}) : lanes_of<u32, u32, u32, u32>(Wrap{});
  };
}

[[gnu::cold]] void shuffle_rows(Rows& rows) {
  constexpr std::string_view kMode = "mode = wrap clamp";
  rows.push_back(
      {"shf.l.mode.b32 d, a, b, c",
       kMode,
       Unit::alu,
       clamp_or_wrap([](u32 a, u32 b, u32 n) { return funnel_left(a, b, least(n, 32u)); },
                     [](u32 a, u32 b, u32 n) { return funnel_left(a, b, n & 31); }),
       nullptr,
       {{"wrap.b32", {"0x80000000", "0x1", "33"}, "3"}, {"clamp.b32", {"0x80000000", "0x1", "33"}, "0x80000000"}}});
  rows.push_back(
      {"shf.r.mode.b32 d, a, b, c",
       kMode,
       Unit::alu,
       clamp_or_wrap([](u32 a, u32 b, u32 n) { return funnel_right(a, b, least(n, 32u)); },
                     [](u32 a, u32 b, u32 n) { return funnel_right(a, b, n & 31); }),
       nullptr,
       {{"wrap.b32", {"0x80000000", "0x1", "33"}, "0xc0000000"}, {"clamp.b32", {"0x80000000", "0x1", "33"}, "1"}}});
  rows.push_back({"prmt.b32{.mode} d, a, b, c",
                  "mode = f4e b4e rc8 ecl ecr rc16",
                  Unit::alu,
                  permute_handler,
                  nullptr,
                  {{"b32", {"0x33221100", "0x77665544", "0x7531"}, "0x77553311"},
                   {"b32", {"0x00008000", "0", "0x0009"}, "0x000000ff"},
                   {"b32.f4e", {"0x33221100", "0x77665544", "1"}, "0x44332211"},
                   {"b32.b4e", {"0x33221100", "0x77665544", "1"}, "0x66770011"},
                   {"b32.rc8", {"0x33221100", "0", "2"}, "0x22222222"},
                   {"b32.ecl", {"0x33221100", "0", "2"}, "0x33222222"},
                   {"b32.ecr", {"0x33221100", "0", "2"}, "0x22221100"},
                   {"b32.rc16", {"0x33221100", "0", "1"}, "0x33223322"}}});
}

}  // namespace

[[gnu::cold]] void logic_field_rows(Rows& rows) {
  rows.push_back({"bfe.type d, a, b:u32, c:u32",
                  "type = u32 u64 s32 s64",
                  Unit::alu,
                  for_types<u32, u64, s32, s64>([](auto tag) -> Handler {
                    using T = typename decltype(tag)::type;
                    return lanes_of<T, T, u32, u32>([](T a, u32 b, u32 c) { return extract(a, b, c); });
                  }),
                  nullptr,
                  {{"u32", {"0x12345678", "8", "12"}, "0x456"},
                   {"s32", {"0x00000f00", "8", "4"}, "-1"},
                   {"s32", {"0x80000000", "28", "40"}, "-8"},
                   {"s32", {"-1", "3", "0"}, "0"},
                   {"u64", {"0x123456789abcdef0", "60", "64"}, "1"},
                   {"u64", {"0x7f", "2", "0x80000000"}, "0x1f"},
                   {"u64", {"0x7f", "0x8000", "0x7f"}, "0"},
                   {"s64", {"-2", "100", "1"}, "-1"}}});
  rows.push_back({"bfi.type f, a, b, c:u32, d:u32",
                  "type = b32 b64",
                  Unit::alu,
                  for_types<u32, u64>([](auto tag) -> Handler {
                    using T = typename decltype(tag)::type;
                    return lanes_of<T, T, T, u32, u32>([](T a, T b, u32 c, u32 d) { return insert(a, b, c, d); });
                  }),
                  nullptr,
                  {{"b32", {"0xabc", "0x12345678", "8", "8"}, "0x1234bc78"},
                   {"b32", {"0xf", "0", "30", "10"}, "0xc0000000"},
                   {"b32", {"0xf", "5", "32", "1"}, "5"},
                   {"b64", {"0xf", "0", "60", "4"}, "0xf000000000000000"},
                   {"b64", {"0x7f", "0x7f", "3", "0x101"}, "0x3ff"},
                   {"b64", {"0x7f", "5", "0x101", "0x7f"}, "5"}}});
  rows.push_back({"bfind{.shiftamt}.type d:u32, a",
                  "type = u32 u64 s32 s64",
                  Unit::sfu,
                  [](const Match& m) -> Handler {
                    return by_type<u32, u64, s32, s64>(m.type, [&m](auto tag) -> Handler {
                      using T = typename decltype(tag)::type;
                      return m.has("shiftamt") ? lanes_of<u32, T>(FindBit<T, true>{})
                                               : lanes_of<u32, T>(FindBit<T, false>{});
                    });
                  },
                  nullptr,
                  {{"u32", {"0x00010000"}, "16"},
                   {"u32", {"0"}, "0xffffffff"},
                   {"s32", {"-2"}, "0"},
                   {"shiftamt.u32", {"0x00010000"}, "15"},
                   {"shiftamt.s64", {"-1"}, "0xffffffff"}}});
  rows.push_back({"bmsk.mode.b32 d, a, b",
                  "mode = clamp wrap",
                  Unit::alu,
                  [](const Match& m) -> Handler {
                    return m.has("clamp") ? lanes_of<u32, u32, u32>(BitMask<true>{})
                                          : lanes_of<u32, u32, u32>(BitMask<false>{});
                  },
                  nullptr,
                  {{"clamp.b32", {"4", "8"}, "0x00000ff0"},
                   {"clamp.b32", {"4", "40"}, "0xfffffff0"},
                   {"clamp.b32", {"32", "1"}, "0"},
                   {"wrap.b32", {"36", "8"}, "0x00000ff0"}}});
  rows.push_back({"szext.mode.type d, a, b:u32",
                  "mode = clamp wrap; type = u32 s32",
                  Unit::alu,
                  [](const Match& m) -> Handler {
                    return by_type<u32, s32>(m.type, [&m](auto tag) -> Handler {
                      using T = typename decltype(tag)::type;
                      return m.has("clamp") ? lanes_of<u32, u32, u32>(Extend<T, true>{})
                                            : lanes_of<u32, u32, u32>(Extend<T, false>{});
                    });
                  },
                  nullptr,
                  {{"clamp.s32", {"0x000000f0", "8"}, "-16"},
                   {"clamp.u32", {"0x000001f0", "8"}, "0xf0"},
                   {"clamp.s32", {"0x000001f0", "32"}, "0x1f0"},
                   {"wrap.u32", {"0x000001f0", "36"}, "0"}}});
  rows.push_back({"fns.b32 d, a, b, c:s32",
                  "",
                  Unit::alu,
                  always(lanes_of<u32, u32, u32, s32>(find_set)),
                  nullptr,
                  {{"b32", {"0xb4", "3", "1"}, "4"},
                   {"b32", {"0xb4", "4", "-2"}, "2"},
                   {"b32", {"0xb4", "4", "0"}, "4"},
                   {"b32", {"0xb4", "3", "9"}, "0xffffffff"},
                   {"b32", {"0x7f", "0x7f", "0x80000000"}, "0"}}});
  shuffle_rows(rows);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

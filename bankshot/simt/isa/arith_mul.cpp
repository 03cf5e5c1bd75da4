// Integer multiplication. Source: PTX ISA, "Integer Arithmetic Instructions": mul, mad, mul24, mad24, dp4a, dp2a.
#include "bankshot/simt/isa/lanes/parts.hpp"
#include "bankshot/simt/isa/lanes/scalar.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// The exact 48-bit product of the low 24 bits of a and b, signed or not as T says.
template <class T>
Wider<T> product24(T a, T b) {
  const auto low24 = [](T x) { return static_cast<T>(static_cast<T>(static_cast<u32>(x) << 8) >> 8); };
  return wide_mul(low24(a), low24(b));
}
/// mul24.lo takes bits 0…31 of it, mul24.hi bits 16…47.
template <class T>
T low24_mul(T a, T b) {
  return static_cast<T>(product24(a, b));
}
template <class T>
T high24_mul(T a, T b) {
  return static_cast<T>(product24(a, b) >> 16);
}

/// Byte k of a, extended as T says.
template <class T>
s32 byte_of(u32 a, int k) {
  return std::is_signed_v<T> ? static_cast<s32>(a << (24 - 8 * k)) >> 24 : static_cast<s32>(a >> (8 * k) & 0xff);
}
template <class T>
s32 half_of(u32 a, int k) {
  return std::is_signed_v<T> ? static_cast<s32>(a << (16 - 16 * k)) >> 16 : static_cast<s32>(a >> (16 * k) & 0xffff);
}

template <class A, class B>
struct Dot4 {
  u32 operator()(u32 a, u32 b, u32 c) const {
    for (int k = 0; k < 4; ++k) c += static_cast<u32>(byte_of<A>(a, k) * byte_of<B>(b, k));
    return c;
  }
};
/// Halves of a by bytes of b: the lower two bytes (First = 0) or the upper two (First = 2).
template <class A, class B, int First>
struct Dot2 {
  u32 operator()(u32 a, u32 b, u32 c) const {
    for (int k = 0; k < 2; ++k) c += static_cast<u32>(half_of<A>(a, k) * byte_of<B>(b, First + k));
    return c;
  }
};

/// A row's `select` for d = f<A, B>(a, b, c), where A and B are the signedness of .atype and .btype.
template <class Make>
auto dot(Make) {
  return [](const Match& m) -> Handler {
    return by_type<u32, s32>(m.type, [&m](auto a) -> Handler {
      return by_type<u32, s32>(m.type2, [&m, a](auto b) -> Handler { return Make{}(m, a, b); });
    });
  };
}

[[gnu::cold]] void dot_rows(Rows& rows) {
  constexpr std::string_view kTypes = "mode = lo hi; atype = u32 s32; btype = u32 s32";
  rows.push_back(
      {"dp4a.atype.btype d:b32, a:b32, b:b32, c:b32",
       kTypes,
       Unit::multiply,
       dot([](const Match&, auto a, auto b) -> Handler {
         return &elementwise<Dot4<typename decltype(a)::type, typename decltype(b)::type>, u32, u32, u32, u32>;
       }),
       nullptr,
       {{"u32.u32", {"0x01020304", "0x01010101", "5"}, "15"},
        {"s32.s32", {"0xff020304", "0x02000000", "0"}, "-2"},
        {"s32.u32", {"0xff000000", "0xff000000", "0"}, "-255"}}});
  rows.push_back({"dp2a.mode.atype.btype d:b32, a:b32, b:b32, c:b32",
                  kTypes,
                  Unit::multiply,
                  dot([](const Match& m, auto a, auto b) -> Handler {
                    using A = typename decltype(a)::type;
                    using B = typename decltype(b)::type;
                    if (m.has("hi")) return &elementwise<Dot2<A, B, 2>, u32, u32, u32, u32>;
                    return &elementwise<Dot2<A, B, 0>, u32, u32, u32, u32>;
                  }),
                  nullptr,
                  {{"lo.u32.u32", {"0x00020003", "0x05040302", "1"}, "13"},
                   {"hi.u32.u32", {"0x00020003", "0x05040302", "1"}, "23"},
                   {"hi.s32.s32", {"0xffff0001", "0x02ff0000", "0"}, "-3"}}});
}

[[gnu::cold]] void mul24_rows(Rows& rows) {
  constexpr std::string_view kTypes = "type = u32 s32";
  rows.push_back({"mul24.lo.type d, a, b",
                  kTypes,
                  Unit::multiply,
                  same_type<2, u32, s32>([](auto a, auto b) { return low24_mul(a, b); }),
                  nullptr,
                  {{"u32", {"0xff000003", "5"}, "15"}, {"s32", {"0x00ffffff", "5"}, "-5"}}});
  rows.push_back({"mul24.hi.type d, a, b",
                  kTypes,
                  Unit::multiply,
                  same_type<2, u32, s32>([](auto a, auto b) { return high24_mul(a, b); }),
                  nullptr,
                  {{"u32", {"0x00800000", "0x00020000"}, "0x01000000"}, {"s32", {"0x00ffffff", "1"}, "-1"}}});
  rows.push_back({"mad24.lo.type d, a, b, c",
                  kTypes,
                  Unit::multiply,
                  same_type<3, u32, s32>([](auto a, auto b, auto c) { return wrap_add(low24_mul(a, b), c); }),
                  nullptr,
                  {{"u32", {"0xff000003", "5", "2"}, "17"}}});
  rows.push_back({"mad24.hi.type d, a, b, c",
                  kTypes,
                  Unit::multiply,
                  same_type<3, u32, s32>([](auto a, auto b, auto c) { return wrap_add(high24_mul(a, b), c); }),
                  nullptr,
                  {{"s32", {"0x00ffffff", "1", "3"}, "2"}}});
  rows.push_back({"mad24.hi.sat.type d, a, b, c",
                  "type = s32",
                  Unit::multiply,
                  same_type<3, s32>([](auto a, auto b, auto c) { return saturating_add(high24_mul(a, b), c); }),
                  nullptr,
                  {{"s32", {"0x007fffff", "0x007fffff", "2147483647"}, "2147483647"}}});
}

}  // namespace

[[gnu::cold]] void arith_mul_rows(Rows& rows) {
  constexpr std::string_view kAll = "type = u16 u32 u64 s16 s32 s64", kNarrow = "type = u16 u32 s16 s32";
  rows.push_back({"mul.lo.type d, a, b",
                  kAll,
                  Unit::multiply,
                  same_type<2, u16, u32, u64, s16, s32, s64>([](auto a, auto b) { return wrap_mul(a, b); }),
                  nullptr,
                  {{"u32", {"0x10001", "0x10001"}, "0x20001"}, {"s16", {"300", "-300"}, "-24464"}}});
  rows.push_back({"mul.hi.type d, a, b",
                  kAll,
                  Unit::multiply,
                  same_type<2, u16, u32, u64, s16, s32, s64>([](auto a, auto b) { return high_mul(a, b); }),
                  nullptr,
                  {{"u32", {"0x10001", "0x10001"}, "1"},
                   {"s32", {"-1", "1"}, "-1"},
                   {"u64", {"0xffffffffffffffff", "0xffffffffffffffff"}, "0xfffffffffffffffe"}}});
  rows.push_back({"mul.wide.type d:wide, a, b",
                  kNarrow,
                  Unit::multiply,
                  for_types<u16, u32, s16, s32>([](auto tag) -> Handler {
                    using T = typename decltype(tag)::type;
                    return lanes_of<Wider<T>, T, T>([](T a, T b) { return wide_mul(a, b); });
                  }),
                  nullptr,
                  {{"u32", {"4294967295", "4294967295"}, "0xfffffffe00000001"}, {"s16", {"-2", "300"}, "-600"}}});
  rows.push_back(
      {"mad.lo.type d, a, b, c",
       kAll,
       Unit::multiply,
       same_type<3, u16, u32, u64, s16, s32, s64>([](auto a, auto b, auto c) { return wrap_add(wrap_mul(a, b), c); }),
       nullptr,
       {{"s32", {"-3", "5", "7"}, "-8"}, {"u16", {"65535", "2", "5"}, "3"}}});
  rows.push_back(
      {"mad.hi.type d, a, b, c",
       kAll,
       Unit::multiply,
       same_type<3, u16, u32, u64, s16, s32, s64>([](auto a, auto b, auto c) { return wrap_add(high_mul(a, b), c); }),
       nullptr,
       {{"u32", {"0x10001", "0x10001", "41"}, "42"}, {"s64", {"-1", "1", "1"}, "0"}}});
  rows.push_back({"mad.hi.sat.type d, a, b, c",
                  "type = s32",
                  Unit::multiply,
                  same_type<3, s32>([](auto a, auto b, auto c) { return saturating_add(high_mul(a, b), c); }),
                  nullptr,
                  {{"s32", {"0x7fffffff", "0x7fffffff", "0x7fffffff"}, "0x7fffffff"}}});
  rows.push_back({"mad.wide.type d:wide, a, b, c:wide",
                  kNarrow,
                  Unit::multiply,
                  for_types<u16, u32, s16, s32>([](auto tag) -> Handler {
                    using T = typename decltype(tag)::type;
                    return lanes_of<Wider<T>, T, T, Wider<T>>(
                        [](T a, T b, Wider<T> c) { return wrap_add(wide_mul(a, b), c); });
                  }),
                  nullptr,
                  {{"s32", {"-2", "3", "10"}, "4"}, {"u32", {"4294967295", "2", "2"}, "0x200000000"}}});
  mul24_rows(rows);
  dot_rows(rows);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

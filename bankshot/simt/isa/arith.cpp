// Integer addition and relatives. Source: PTX ISA, "Integer Arithmetic Instructions".
#include "bankshot/simt/isa/lanes/parts.hpp"
#include "bankshot/simt/isa/lanes/scalar.hpp"
#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// A row's `select` for the packed forms: f on both halves, as .u16x2 or .s16x2 says.
template <class F>
auto packed(F) {
  return [](const Match& m) -> Handler {
    if (m.type == ptx::Type::u16x2)
      return lanes_of<u32, u32, u32>([](u32 a, u32 b) { return on_halves<u16>(a, b, F{}); });
    return lanes_of<u32, u32, u32>([](u32 a, u32 b) { return on_halves<s16>(a, b, F{}); });
  };
}

constexpr auto add = [](auto a, auto b) { return wrap_add(a, b); };
constexpr auto sub = [](auto a, auto b) { return wrap_sub(a, b); };
constexpr auto add_sat = [](auto a, auto b) { return saturating_add(a, b); };
constexpr auto sub_sat = [](auto a, auto b) { return saturating_sub(a, b); };
constexpr auto min = [](auto a, auto b) { return least(a, b); };
constexpr auto max = [](auto a, auto b) { return greatest(a, b); };
/// .relu: what is below zero becomes zero.
constexpr auto min_relu = [](auto a, auto b) { return greatest(least(a, b), static_cast<decltype(a)>(0)); };
constexpr auto max_relu = [](auto a, auto b) { return greatest(greatest(a, b), static_cast<decltype(a)>(0)); };

}  // namespace

[[gnu::cold]] void arith_rows(Rows& rows) {
  constexpr std::string_view kAll = "type = u16 u32 u64 s16 s32 s64", kSigned = "type = s16 s32 s64",
                             kPacked = "type = u16x2 s16x2";
  rows.push_back({"add.type d, a, b",
                  kAll,
                  Unit::alu,
                  same_type<2, u16, u32, u64, s16, s32, s64>(add),
                  nullptr,
                  {{"u32", {"4294967295", "2"}, "1"},
                   {"s16", {"32767", "1"}, "-32768"},
                   {"u64", {"0xffffffff", "1"}, "0x100000000"}}});
  rows.push_back({"add.sat.type d, a, b",
                  "type = s32",
                  Unit::alu,
                  same_type<2, s32>(add_sat),
                  nullptr,
                  {{"s32", {"2147483647", "1"}, "2147483647"}, {"s32", {"-2147483648", "-5"}, "-2147483648"}}});
  rows.push_back(
      {"add.type d, a, b",
       kPacked,
       Unit::alu,
       packed(add),
       lower_packed,
       {{"u16x2", {"0xffff0001", "0x00010002"}, "0x00000003"}, {"s16x2", {"0x7fff8000", "0x00018000"}, "0x80000000"}}});

  rows.push_back({"sub.type d, a, b",
                  kAll,
                  Unit::alu,
                  same_type<2, u16, u32, u64, s16, s32, s64>(sub),
                  nullptr,
                  {{"u32", {"1", "2"}, "4294967295"}, {"s16", {"-32768", "1"}, "32767"}, {"s64", {"5", "-7"}, "12"}}});
  rows.push_back({"sub.sat.type d, a, b",
                  "type = s32",
                  Unit::alu,
                  same_type<2, s32>(sub_sat),
                  nullptr,
                  {{"s32", {"-2147483648", "1"}, "-2147483648"}, {"s32", {"0", "-2147483648"}, "2147483647"}}});

  rows.push_back({"neg.type d, a",
                  kSigned,
                  Unit::alu,
                  same_type<1, s16, s32, s64>([](auto a) { return wrap_neg(a); }),
                  nullptr,
                  {{"s32", {"5"}, "-5"}, {"s16", {"-32768"}, "-32768"}, {"s64", {"-1"}, "1"}}});
  rows.push_back({"abs.type d, a",
                  kSigned,
                  Unit::alu,
                  same_type<1, s16, s32, s64>([](auto a) { return a < 0 ? wrap_neg(a) : a; }),
                  nullptr,
                  {{"s32", {"-7"}, "7"}, {"s32", {"-2147483648"}, "-2147483648"}, {"s64", {"-1"}, "1"}}});
  rows.push_back(
      {"sad.type d, a, b, c",
       kAll,
       Unit::alu,
       same_type<3, u16, u32, u64, s16, s32, s64>([](auto a, auto b, auto c) { return wrap_add(c, distance(a, b)); }),
       nullptr,
       {{"u32", {"3", "10", "100"}, "107"}, {"s32", {"-3", "10", "1"}, "14"}}});

  rows.push_back({"min.type d, a, b",
                  kAll,
                  Unit::alu,
                  same_type<2, u16, u32, u64, s16, s32, s64>(min),
                  nullptr,
                  {{"s32", {"-1", "1"}, "-1"}, {"u32", {"4294967295", "1"}, "1"}}});
  rows.push_back({"max.type d, a, b",
                  kAll,
                  Unit::alu,
                  same_type<2, u16, u32, u64, s16, s32, s64>(max),
                  nullptr,
                  {{"s32", {"-1", "1"}, "1"}, {"u32", {"4294967295", "1"}, "4294967295"}}});
  rows.push_back({"min.relu.type d, a, b",
                  "type = s32",
                  Unit::alu,
                  same_type<2, s32>(min_relu),
                  nullptr,
                  {{"s32", {"-1", "1"}, "0"}, {"s32", {"3", "4"}, "3"}}});
  rows.push_back({"max.relu.type d, a, b",
                  "type = s32",
                  Unit::alu,
                  same_type<2, s32>(max_relu),
                  nullptr,
                  {{"s32", {"-1", "-2"}, "0"}, {"s32", {"3", "4"}, "4"}}});
  rows.push_back(
      {"min.type d, a, b",
       kPacked,
       Unit::alu,
       packed(min),
       lower_packed,
       {{"u16x2", {"0xffff0001", "0x00010002"}, "0x00010001"}, {"s16x2", {"0xffff0001", "0x00010002"}, "0xffff0001"}}});
  rows.push_back(
      {"max.type d, a, b",
       kPacked,
       Unit::alu,
       packed(max),
       lower_packed,
       {{"u16x2", {"0xffff0001", "0x00010002"}, "0xffff0002"}, {"s16x2", {"0xffff0001", "0x00010002"}, "0x00010002"}}});
  rows.push_back({"min.relu.type d, a, b",
                  "type = s16x2",
                  Unit::alu,
                  packed(min_relu),
                  lower_packed,
                  {{"s16x2", {"0xffff0001", "0x00010002"}, "0x00000001"}}});
  rows.push_back({"max.relu.type d, a, b",
                  "type = s16x2",
                  Unit::alu,
                  packed(max_relu),
                  lower_packed,
                  {{"s16x2", {"0xffff0001", "0xfffe0002"}, "0x00000002"}}});

  arith_mul_rows(rows);
  arith_div_rows(rows);
  arith_carry_rows(rows);
  arith_video_rows(rows);
  scalar_video_rows(rows);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

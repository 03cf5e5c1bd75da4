// Comparison and selection. Source: PTX ISA, "Comparison and Selection Instructions": setp, set, selp, slct.
#include "bankshot/simt/isa/lanes/compare.hpp"

#include "bankshot/simt/isa/lanes/parts.hpp"
#include "bankshot/simt/isa/lanes/scalar.hpp"
#include "bankshot/simt/lower/lower_compare.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// Not inlined: the rarer users of comparisons share this code.
template <class T, class C>
[[gnu::noinline]] uint64_t compared(const T* a, const T* b) {
  return C::of(a, b);
}

/// d = mask bit l ? imm : 0
template <class D>
[[gnu::noinline]] const Instr* write_flags(Warp& w, const Instr* i, uint64_t mask) {
  D lanes[kLanes];
  spread_mask<D>(lanes, mask, static_cast<D>(i->imm), 0);
  blend(w.row<D>(i->op[0]), lanes, w.active);
  return i + 1;
}

/// setp p|q, a, b{, c}: p = (a ? b) op c and q = !(a ? b) op c.
template <class T, class C, Combine How>
BANKSHOT_LANES_ONLY const Instr* setp(Warp& w, const Instr* i) {
  if (needs_other_mode<T>(w, i)) return in_changed_mode(w, i, &setp<T, C, How>);
  const T* const a = w.row<const T>(i->op[2]);
  const T* const b = w.row<const T>(i->op[3]);
  if constexpr (How == Combine::none) {
    const uint64_t t = C::of(a, b);
    write_predicate(w, i->op[0], t);
    write_predicate(w, i->op[1], ~t);
  } else {
    const uint64_t t = compared<T, C>(a, b), c = w.predicate_value(i->op[4]);
    write_predicate(w, i->op[0], combined<How>(t, c));
    write_predicate(w, i->op[1], combined<How>(~t, c));
  }
  return i + 1;
}

/// set d, a, b{, c}: d = (a ? b) op c ? imm : 0
template <class T, class C, Combine How, class D>
BANKSHOT_LANES_ONLY const Instr* set(Warp& w, const Instr* i) {
  if (needs_other_mode<T>(w, i)) return in_changed_mode(w, i, &set<T, C, How, D>);
  uint64_t t = compared<T, C>(w.row<const T>(i->op[1]), w.row<const T>(i->op[2]));
  if constexpr (How != Combine::none) t = combined<How>(t, w.predicate_value(i->op[3]));
  return write_flags<D>(w, i, t);
}

Handler setp_handler(const Match& m) {
  return by_type<u16, u32, u64, s16, s32, s64, f32, f64>(m.type, [&m](auto tag) {
    using T = typename decltype(tag)::type;
    return by_comparison<T>(m, [&m](auto comparison) {
      return by_combine(m, [](auto how) -> Handler { return &setp<T, decltype(comparison), how()>; });
    });
  });
}

Handler set_handler(const Match& m) {
  if (m.has("ftz") && m.type == ptx::Type::bf16) return nullptr;
  return by_type<u16, u32, u64, s16, s32, s64, f32, f64>(m.type2, [&m](auto tag) {
    using T = typename decltype(tag)::type;
    return by_comparison<T>(m, [&m](auto comparison) {
      return by_combine(m, [&m](auto how) -> Handler {
        using C = decltype(comparison);
        return ptx::bits(m.type) == 16 ? &set<T, C, how(), u16> : &set<T, C, how(), u32>;
      });
    });
  });
}

/// d = c ? a : b. op[3] is the predicate.
template <class T>
BANKSHOT_LANES_ONLY const Instr* selp(Warp& w, const Instr* i) {
  if (w.active != kAllLanes) return for_active_lanes<sizeof(T)>(w, i, &selp<T>);
  select_lanes(w.row<T>(i->op[0]), w.row<const T>(i->op[1]), w.row<const T>(i->op[2]), w.predicate_value(i->op[3]));
  return i + 1;
}

/// d = c ≥ 0 ? a : b, of floats by their bits: -0 is not below 0, and NaN chooses b.
/// A negative subnormal number is -0 with .ftz.
template <class T, bool Flush>
struct SelectBySign {
  T operator()(T a, T b, u32 c) const {
    const bool nan = (c & 0x7fffffffu) > 0x7f800000u;
    const u32 least_negative = Flush ? 0x80800000u : 0x80000001u;
    return !nan && c < least_negative ? a : b;
  }
};

[[gnu::cold]] void select_rows(Rows& rows) {
  constexpr std::string_view kTypes = "type = b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64";
  const auto slct_float = [](const Match& m) -> Handler {
    return by_type<u16, u32, u64, s16, s32, s64, f32, f64>(m.type, [&m](auto tag) -> Handler {
      using T = Bits<sizeof(typename decltype(tag)::type)>;
      return m.has("ftz") ? lanes_of<T, T, T, u32>(SelectBySign<T, true>{})
                          : lanes_of<T, T, T, u32>(SelectBySign<T, false>{});
    });
  };
  rows.push_back({"selp.type d, a, b, c:pred",
                  kTypes,
                  Unit::alu,
                  for_types<u16, u32, u64, s16, s32, s64, f32, f64>(
                      [](auto tag) -> Handler { return &selp<Bits<sizeof(typename decltype(tag)::type)>>; }),
                  nullptr,
                  {{"b32", {"1", "2", "true"}, "1"},
                   {"s16", {"1", "-2", "false"}, "-2"},
                   {"f64", {"0d3FF0000000000000", "0d4000000000000000", "true"}, "0d3FF0000000000000"}}});
  rows.push_back({"slct.type.s32 d, a, b, c:s32",
                  kTypes,
                  Unit::alu,
                  for_types<u16, u32, u64, s16, s32, s64, f32, f64>([](auto tag) -> Handler {
                    using T = Bits<sizeof(typename decltype(tag)::type)>;
                    return lanes_of<T, T, T, s32>([](T a, T b, s32 c) { return c >= 0 ? a : b; });
                  }),
                  nullptr,
                  {{"u32.s32", {"1", "2", "0"}, "1"}, {"u64.s32", {"1", "2", "-1"}, "2"}}});
  rows.push_back({"slct{.ftz}.type.f32 d, a, b, c:f32",
                  kTypes,
                  Unit::alu,
                  slct_float,
                  nullptr,
                  {{"u32.f32", {"1", "2", "0f80000000"}, "1"},
                   {"u32.f32", {"1", "2", "0f80000001"}, "2"},
                   {"ftz.u32.f32", {"1", "2", "0f80000001"}, "1"},
                   {"u32.f32", {"1", "2", "0f7FFFFFFF"}, "2"}}});
}

}  // namespace

/// The operators of setp and set for some types; `dtype` and `half` are set's.
#define BANKSHOT_COMPARE_SET(operators, types) \
  "dtype = u32 s32 f32; half = f16 bf16; bool = and or xor; cmp = " operators "; type = " types

[[gnu::cold]] void compare_rows(Rows& rows) {
  constexpr std::string_view kWords = BANKSHOT_COMPARE_SET("eq ne", "b16 b32 b64");
  constexpr std::string_view kSigned = BANKSHOT_COMPARE_SET("eq ne lt le gt ge", "s16 s32 s64");
  constexpr std::string_view kUnsigned = BANKSHOT_COMPARE_SET("eq ne lt le gt ge lo ls hi hs", "u16 u32 u64");
  constexpr std::string_view kSingle = BANKSHOT_COMPARE_SET("eq ne lt le gt ge equ neu ltu leu gtu geu num nan", "f32");
  constexpr std::string_view kDouble = BANKSHOT_COMPARE_SET("eq ne lt le gt ge equ neu ltu leu gtu geu num nan", "f64");
  const auto add = [&rows](std::string_view syntax, std::string_view sets, Handler (*select)(const Match&), Unit unit,
                           std::vector<Example> examples) {
    rows.push_back({syntax, sets, unit, select, nullptr, std::move(examples)});
  };
  const auto add_set = [&rows](std::string_view syntax, std::string_view sets, Unit unit,
                               std::vector<Example> examples) {
    rows.push_back({syntax, sets, unit, set_handler, lower_set, std::move(examples)});
  };
  // The examples show p; the tests also check that q is its opposite.
  const auto integers = [&](std::string_view sets, Unit unit, std::vector<Example> test, std::vector<Example> combine,
                            std::vector<Example> set) {
    add("setp.cmp.type p|q, a, b", sets, setp_handler, unit, std::move(test));
    add("setp.cmp.bool.type p|q, a, b, c:pred", sets, setp_handler, unit, std::move(combine));
    add_set("set.cmp.dtype.type d, a:type2, b:type2", sets, unit, std::move(set));
    add_set("set.cmp.bool.dtype.type d, a:type2, b:type2, c:pred", sets, unit, {});
    add_set("set.cmp.half.type d, a:type2, b:type2", sets, unit, {});
    add_set("set.cmp.bool.half.type d, a:type2, b:type2, c:pred", sets, unit, {});
  };
  integers(kWords, Unit::alu, {{"eq.b32", {"7", "7"}, "true"}, {"ne.b64", {"0x100000000", "0"}, "true"}},
           {{"eq.and.b16", {"7", "7", "false"}, "false"}}, {{"ne.u32.b32", {"1", "2"}, "0xffffffff"}});
  integers(kSigned, Unit::alu,
           {{"lt.s32", {"-1", "0"}, "true"}, {"ge.s16", {"-1", "0"}, "false"}, {"gt.s64", {"0", "-5"}, "true"}},
           {{"le.or.s32", {"4", "3", "true"}, "true"}}, {{"lt.f32.s32", {"-1", "0"}, "0f3F800000"}});
  integers(
      kUnsigned, Unit::alu,
      {{"lt.u32", {"0xffffffff", "0"}, "false"}, {"hs.u16", {"65535", "1"}, "true"}, {"ls.u64", {"5", "5"}, "true"}},
      {{"hi.xor.u32", {"4", "3", "true"}, "false"}}, {{"lo.s32.u16", {"1", "65535"}, "-1"}});
  integers(kDouble, Unit::fp64,
           {{"lt.f64", {"0d3FF0000000000000", "0d4000000000000000"}, "true"},
            {"eq.f64", {"0d0000000000000000", "0d8000000000000000"}, "true"},
            {"num.f64", {"0d7FF8000000000000", "0d0000000000000000"}, "false"}},
           {{"gtu.and.f64", {"0d7FF8000000000000", "0d0000000000000000", "true"}, "true"}},
           {{"le.u32.f64", {"0d3FF0000000000000", "0d4000000000000000"}, "0xffffffff"}});
  add("setp.cmp{.ftz}.type p|q, a, b", kSingle, setp_handler, Unit::alu,
      {{"lt.f32", {"0f3F800000", "0f40000000"}, "true"},
       {"neu.f32", {"0f7FFFFFFF", "0f7FFFFFFF"}, "true"},
       {"ne.f32", {"0f7FFFFFFF", "0f3F800000"}, "false"},
       {"eq.ftz.f32", {"0f00000001", "0f80000002"}, "true"}});
  add("setp.cmp.bool{.ftz}.type p|q, a, b, c:pred", kSingle, setp_handler, Unit::alu,
      {{"num.and.f32", {"0f7FFFFFFF", "0f3F800000", "true"}, "false"},
       {"gt.xor.f32", {"0f40000000", "0f3F800000", "true"}, "false"},
       {"geu.or.f32", {"0f3F800000", "0f40000000", "!true"}, "false"}});
  add_set("set.cmp{.ftz}.dtype.type d, a:type2, b:type2", kSingle, Unit::alu,
          {{"eq.f32.f32", {"0f3F800000", "0f3F800000"}, "0f3F800000"},
           {"nan.u32.f32", {"0f7FFFFFFF", "0f3F800000"}, "0xffffffff"}});
  add_set("set.cmp.bool{.ftz}.dtype.type d, a:type2, b:type2, c:pred", kSingle, Unit::alu,
          {{"lt.and.s32.f32", {"0f3F800000", "0f40000000", "true"}, "-1"}});
  add_set("set.cmp{.ftz}.half.type d, a:type2, b:type2", kSingle, Unit::alu, {});
  add_set("set.cmp.bool{.ftz}.half.type d, a:type2, b:type2, c:pred", kSingle, Unit::alu, {});
  select_rows(rows);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

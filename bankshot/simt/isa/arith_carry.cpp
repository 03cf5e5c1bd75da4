// Arithmetic on numbers longer than a register. Source: PTX ISA, "Extended-Precision Integer Arithmetic Instructions".
// CC.CF is Warp::carry, a bit a lane. A subtraction is the sum x + ~y + 1, and its carry goes out, so that CC.CF is 1
// if nothing was borrowed, and subc is x + ~y + CC.CF. The manual speaks of a borrow, which is the same within a chain
// of subtractions; but nvcc's division of 128-bit numbers reads it by addc behind subc.cc, and goes past a correction
// if it is not zero. Signed types do the same as unsigned ones, but for mad.hi, whose product is signed.
#include "bankshot/simt/isa/lanes/parts.hpp"
#include "bankshot/simt/isa/lanes/scalar.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

enum class Chain { add, sub, mad_low, mad_high };

/// d = x + y (+ CF) or x + ~y + 1 (or + CF), where x is a, or half of the product a·b.
template <class T, Chain C, bool In, bool Out>
const Instr* chained(Warp& w, const Instr* i) {
  using U = std::make_unsigned_t<T>;
  constexpr bool kMad = C == Chain::mad_low || C == Chain::mad_high;
  const T* const a = w.row<const T>(i->op[1]);
  const T* const b = w.row<const T>(i->op[2]);
  const T* const c = w.row<const T>(i->op[kMad ? 3 : 2]);
  U result[kLanes], change[kLanes];  // a sum goes up by the carry, a difference goes down by what was borrowed
  u8 carry[kLanes];
  if constexpr (In) spread_mask<U>(change, w.carry, C == Chain::sub ? 0 : 1, C == Chain::sub ? 1 : 0);
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    U x = static_cast<U>(a[l]);
    if constexpr (C == Chain::mad_low) x = static_cast<U>(wrap_mul(a[l], b[l]));
    if constexpr (C == Chain::mad_high) x = static_cast<U>(high_mul(a[l], b[l]));
    const U y = static_cast<U>(c[l]);
    const U in = In ? change[l] : 0;
    if constexpr (C == Chain::sub) {
      const U first = x - y;
      result[l] = first - in;
      carry[l] = static_cast<u8>((x >= y) & (first >= in));
    } else {
      const U first = x + y;
      result[l] = first + in;
      carry[l] = static_cast<u8>((first < x) | (result[l] < first));
    }
  }
  blend(reinterpret_cast<U*>(w.row<T>(i->op[0])), result, w.active);
  if constexpr (Out) w.carry = (w.carry & ~w.active) | (mask_of(carry) & w.active);
  return i + 1;
}

/// A row's `select`: the carry always goes out when none comes in, and as .cc says otherwise.
template <Chain C, bool In>
Handler chain_handler(const Match& m) {
  return by_type<u32, u64, s32, s64>(m.type, [&m](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    using X = std::conditional_t<C == Chain::mad_high, T, std::make_unsigned_t<T>>;  // fewer different handlers
    if constexpr (!In) return &chained<X, C, false, true>;
    if (m.has("cc")) return &chained<X, C, true, true>;
    return &chained<X, C, true, false>;
  });
}

}  // namespace

[[gnu::cold]] void arith_carry_rows(Rows& rows) {
  constexpr std::string_view kTypes = "type = u32 s32 u64 s64";
  // The examples run with CC.CF set in all lanes.
  rows.push_back({"add.cc.type d, a, b",
                  kTypes,
                  Unit::alu,
                  chain_handler<Chain::add, false>,
                  nullptr,
                  {{"cc.u32", {"4294967295", "1"}, "0"}, {"cc.u64", {"4294967295", "1"}, "4294967296"}}});
  rows.push_back({"addc{.cc}.type d, a, b",
                  kTypes,
                  Unit::alu,
                  chain_handler<Chain::add, true>,
                  nullptr,
                  {{"u32", {"1", "2"}, "4"}, {"cc.u64", {"0xffffffffffffffff", "0"}, "0"}}});
  rows.push_back({"sub.cc.type d, a, b",
                  kTypes,
                  Unit::alu,
                  chain_handler<Chain::sub, false>,
                  nullptr,
                  {{"cc.u32", {"0", "1"}, "4294967295"}}});
  rows.push_back({"subc{.cc}.type d, a, b",
                  kTypes,
                  Unit::alu,
                  chain_handler<Chain::sub, true>,
                  nullptr,
                  {{"u32", {"5", "3"}, "2"}, {"cc.s64", {"0", "1"}, "-1"}}});
  rows.push_back({"mad.lo.cc.type d, a, b, c",
                  kTypes,
                  Unit::multiply,
                  chain_handler<Chain::mad_low, false>,
                  nullptr,
                  {{"lo.cc.u32", {"0x10000", "0x10000", "7"}, "7"}}});
  rows.push_back({"mad.hi.cc.type d, a, b, c",
                  kTypes,
                  Unit::multiply,
                  chain_handler<Chain::mad_high, false>,
                  nullptr,
                  {{"hi.cc.u32", {"0x10000", "0x10000", "7"}, "8"}, {"hi.cc.s32", {"-1", "1", "0"}, "-1"}}});
  rows.push_back({"madc.lo{.cc}.type d, a, b, c",
                  kTypes,
                  Unit::alu,
                  chain_handler<Chain::mad_low, true>,
                  nullptr,
                  {{"lo.u32", {"3", "5", "7"}, "23"}, {"lo.cc.u64", {"3", "5", "7"}, "23"}}});
  rows.push_back({"madc.hi{.cc}.type d, a, b, c",
                  kTypes,
                  Unit::alu,
                  chain_handler<Chain::mad_high, true>,
                  nullptr,
                  {{"hi.u32", {"0x10000", "0x10000", "7"}, "9"}, {"hi.cc.s64", {"-1", "1", "0"}, "0"}}});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// Comparison, selection and classes of numbers. Source: PTX ISA, "Comparison and Selection Instructions", "Half
// Precision Comparison Instructions" and testp.
#include "conformance.hpp"
#include "reference_float.hpp"

namespace bankshot::simt::conformance {
namespace {

using T = ptx::Type;

enum class Order { less, equal, greater, unordered };

Order order_of(T type, unsigned bits, bool flush, uint64_t a, uint64_t b) {
  if (is_float_type(type)) {
    const Format f = format_of(type);
    const Real x(f, flush ? f.flushed(a) : a), y(f, flush ? f.flushed(b) : b);
    if (mpfr_unordered_p(x, y)) return Order::unordered;
    const int sign = mpfr_cmp(x, y);
    return sign < 0 ? Order::less : sign > 0 ? Order::greater : Order::equal;
  }
  // The sign bit of signed integers turned round, they are in the order of unsigned ones.
  const bool with_sign = type == T::s16 || type == T::s32 || type == T::s64;
  const uint64_t turn = with_sign ? uint64_t{1} << (bits - 1) : 0, x = a ^ turn, y = b ^ turn;
  return x < y ? Order::less : x > y ? Order::greater : Order::equal;
}

bool holds(const std::string& cmp, Order order) {
  const bool less = order == Order::less, equal = order == Order::equal, greater = order == Order::greater;
  const bool unordered = order == Order::unordered;
  if (cmp == "num" || cmp == "nan") return unordered == (cmp == "nan");
  // equ … geu also hold of NaNs. lo, ls, hi and hs are lt, le, gt and ge of unsigned integers.
  const bool with_nan = cmp.size() == 3;
  if (unordered) return with_nan;
  const std::string base = cmp.substr(0, 2);
  if (base == "eq") return equal;
  if (base == "ne") return !equal;
  if (base == "lt" || base == "lo") return less;
  if (base == "le" || base == "ls") return less || equal;
  if (base == "gt" || base == "hi") return greater;
  return greater || equal;
}

struct Comparing {
  std::string cmp;
  T type;
  unsigned bits, numbers;
  bool flush, takes_and, takes_or, takes_xor;

  Comparing(const Spelling& s, T compared)
      : cmp(s.modifiers[0]),
        type(compared),
        bits(is_float_type(type) ? static_cast<unsigned>(format_of(type).bits()) : ptx::bits(type)),
        numbers(numbers_in(type)),
        flush(s.has("ftz")),
        takes_and(s.has("and")),
        takes_or(s.has("or")),
        takes_xor(s.has("xor")) {}

  /// The comparison of the k-th numbers; v[2] is the predicate to combine it with.
  bool operator()(Sources v, unsigned k, bool negate = false) const {
    const bool t = holds(cmp, order_of(type, bits, flush, low_bits(v[0] >> k * bits, bits),
                                       low_bits(v[1] >> k * bits, bits))) != negate;
    if (takes_and) return t && v[2] != 0;
    if (takes_or) return t || v[2] != 0;
    return takes_xor ? t != (v[2] != 0) : t;
  }
};

/// Of single numbers q is the opposite comparison, of pairs that of the upper numbers.
Rule setp_rule(const Spelling& s) {
  Rule rule;
  rule.results = [compare = Comparing(s, s.type())](Sources v) {
    return Results{uint64_t{compare(v, 0)}, uint64_t{compare.numbers == 2 ? compare(v, 1) : compare(v, 0, true)}};
  };
  rule.most = 1200;
  return rule;
}

/// 1.0 in float types, all ones in others; of pairs one for each half.
Rule set_rule(const Spelling& s) {
  const Comparing compare(s, s.type(1));
  const unsigned width = s.results[0].bits() / compare.numbers;
  const T to = s.type(0);
  const uint64_t yes = !is_float_type(to) ? low_bits(~uint64_t{0}, width)
                                          : static_cast<uint64_t>(format_of(to).bias()) << format_of(to).mantissa_bits;
  Rule rule;
  rule.results = [=](Sources v) {
    uint64_t d = 0;
    for (unsigned k = 0; k < compare.numbers; ++k) d |= (compare(v, k) ? yes : 0) << k * width;
    return one(d);
  };
  rule.most = 500;
  return rule;
}

/// d = c ≥ 0 ? a : b. Of a float, -0 is zero, and NaN chooses b.
Rule slct_rule(const Spelling& s) {
  const T type = s.type(1);
  const bool flush = s.has("ftz");
  Rule rule;
  rule.results = [=](Sources v) {
    const Order order = order_of(type, 32, flush, v[2], 0);
    return one(order == Order::greater || order == Order::equal ? v[0] : v[1]);
  };
  return rule;
}

/// Zero is a normal number.
Rule testp_rule(const Spelling& s) {
  const Format f = format_of(s.type());
  const std::string op = s.modifiers[0];
  Rule rule;
  rule.results = [=](Sources v) {
    const Real x(f, v[0]);
    const bool subnormal = f.is_subnormal(v[0]);
    const bool yes = op == "finite"       ? mpfr_number_p(x) != 0
                     : op == "infinite"   ? mpfr_inf_p(x) != 0
                     : op == "number"     ? mpfr_nan_p(x) == 0
                     : op == "notanumber" ? mpfr_nan_p(x) != 0
                     : op == "normal"     ? mpfr_number_p(x) != 0 && !subnormal
                                          : subnormal;
    return one(uint64_t{yes});
  };
  return rule;
}

}  // namespace

std::optional<Rule> compare_rule(const Spelling& s) {
  if (s.opcode == "setp") return setp_rule(s);
  if (s.opcode == "set") return set_rule(s);
  if (s.opcode == "slct") return slct_rule(s);
  if (s.opcode == "testp") return testp_rule(s);
  if (s.opcode != "selp") return {};
  Rule rule;
  rule.results = [](Sources v) { return one(v[2] != 0 ? v[0] : v[1]); };
  return rule;
}

}  // namespace bankshot::simt::conformance

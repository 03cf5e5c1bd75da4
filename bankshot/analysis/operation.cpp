#include "bankshot/analysis/operation.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace bankshot::analysis {
namespace {

using ptx::Type;
using Maybe = std::optional<Value>;

bool known(Value v) { return v.form == Forms::kKnown; }

/// An address of shared memory in the generic space is only a number to add to.
bool is_number(Value v) { return (v.arrays & Value::kGeneric) == 0; }

int64_t as_signed(uint64_t bits, unsigned width) { return static_cast<int64_t>(extended(bits, width, true)); }

/// Operations on numbers that are known, as a function of their bits.
template <auto F>
Maybe numbers(Forms&, const Shape& s, const Value* in) {
  constexpr bool one = std::is_invocable_v<decltype(F), const Shape&, uint64_t>;
  constexpr bool two = std::is_invocable_v<decltype(F), const Shape&, uint64_t, uint64_t>;
  constexpr unsigned count = one ? 1 : two ? 2 : 3;
  Value out;
  for (unsigned k = 0; k < count; ++k) {
    if (!known(in[k]) || !is_number(in[k])) return std::nullopt;
    out.arrays |= in[k].arrays;
  }
  const uint64_t all = low_bits(s.bits);
  if constexpr (one) {
    out.bits = F(s, in[0].bits & all);
  } else if constexpr (two) {
    out.bits = F(s, in[0].bits & all, in[1].bits & all);
  } else {
    out.bits = F(s, in[0].bits & all, in[1].bits & all, in[2].bits & all);
  }
  out.bits &= low_bits(s.result);
  return out;
}

Maybe copy(Forms& forms, const Shape& s, const Value* in) { return forms.extend(in[0], s.bits, s.is_signed, s.result); }

Maybe to_space(Forms& forms, const Shape& s, const Value* in) {
  Value v = forms.extend(in[0], s.bits, false, s.result);
  if (s.right) {  // cvta.shared: into the generic space
    v.arrays |= Value::kGeneric;
  } else {
    v.arrays &= ~Value::kGeneric;
  }
  return v;
}

Maybe add(Forms& forms, const Shape& s, const Value* in) { return forms.add(in[0], in[1], s.bits); }

Maybe subtract(Forms& forms, const Shape& s, const Value* in) {
  Value result = forms.subtract(in[0], in[1], s.bits);
  if ((in[0].arrays & in[1].arrays) != 0) result.arrays = 0;  // the distance of two addresses
  return result;
}

Maybe product(Forms& forms, const Shape& s, const Value* in) {
  if (known(in[0]) && known(in[1]) && s.half == Shape::Half::hi) {
    const auto wide =
        s.is_signed ? static_cast<unsigned __int128>(static_cast<__int128>(as_signed(in[0].bits, s.bits)) *
                                                     as_signed(in[1].bits, s.bits))
                    : static_cast<unsigned __int128>(in[0].bits & low_bits(s.bits)) * (in[1].bits & low_bits(s.bits));
    return Value{static_cast<uint64_t>(wide >> s.bits) & low_bits(s.bits), Forms::kKnown, 0};
  }
  if (s.half == Shape::Half::hi) return std::nullopt;
  const Value a = forms.extend(in[0], s.bits, s.is_signed, s.result);
  const Value b = forms.extend(in[1], s.bits, s.is_signed, s.result);
  Value result;
  if (known(b)) {
    result = forms.scale(a, b.bits, s.result);
  } else if (known(a)) {
    result = forms.scale(b, a.bits, s.result);
  } else {
    return std::nullopt;
  }
  result.arrays = 0;
  return result;
}

Maybe product_and_sum(Forms& forms, const Shape& s, const Value* in) {
  const Maybe p = product(forms, s, in);
  if (!p) return std::nullopt;
  return forms.add(*p, in[2], s.result);
}

Maybe negate(Forms& forms, const Shape& s, const Value* in) { return forms.scale(in[0], ~uint64_t{0}, s.bits); }

/// Bits beyond those that are known must stay as they are or vanish.
Maybe conjunction(Forms& forms, const Shape& s, const Value* in) {
  const uint64_t all = low_bits(s.bits);
  for (const auto& [x, mask] : {std::pair(in[0], in[1]), std::pair(in[1], in[0])}) {
    if (!known(mask)) continue;
    if ((mask.bits & all) == 0) return Value{};
    if (known(x)) {
      if (!is_number(x)) continue;
      return Value{x.bits & mask.bits & all, Forms::kKnown, x.arrays | mask.arrays};
    }
    if ((mask.bits & all) == all) return x;
    const uint64_t low = low_bits(forms.low_known(x));
    if (forms.is_unknown(x) || !is_number(x)) continue;
    if ((mask.bits & all & ~low) == 0) return Value{x.bits & mask.bits, Forms::kKnown, x.arrays};
    if ((mask.bits & all & ~low) == (all & ~low)) {  // takes known bits away
      Value kept = x;
      kept.bits &= mask.bits | ~low;
      return kept;
    }
  }
  return std::nullopt;
}

template <bool exclusive>
Maybe disjunction(Forms& forms, const Shape& s, const Value* in) {
  const uint64_t all = low_bits(s.bits);
  for (const auto& [x, y] : {std::pair(in[0], in[1]), std::pair(in[1], in[0])}) {
    if (!known(y)) continue;
    if (!exclusive && (y.bits & all) == all) return Value{all, Forms::kKnown, 0};
    if (!known(x) && (forms.is_unknown(x) || (y.bits & all & ~low_bits(forms.low_known(x))) != 0)) continue;
    if (!is_number(x) && y.bits != 0) continue;
    Value result = x;
    result.bits = (exclusive ? x.bits ^ y.bits : x.bits | y.bits) & all;
    result.arrays |= y.arrays;
    return result;
  }
  return std::nullopt;
}

Maybe shift_left(Forms& forms, const Shape& s, const Value* in) {
  if (!known(in[1])) return std::nullopt;
  const uint64_t by = in[1].bits & low_bits(32);
  return by >= s.bits ? Value{} : forms.scale(in[0], uint64_t{1} << by, s.bits);
}

Maybe shift_right(Forms& forms, const Shape& s, const Value* in) {
  if (!known(in[1]) || !is_number(in[0])) return std::nullopt;
  const auto by = static_cast<unsigned>(std::min<uint64_t>(in[1].bits & low_bits(32), 64));
  if (known(in[0]) && s.is_signed) {
    const auto value = static_cast<uint64_t>(as_signed(in[0].bits, s.bits) >> std::min(by, 63u));
    return Value{value & low_bits(s.bits), Forms::kKnown, in[0].arrays};
  }
  return forms.shift_right(in[0], by, s.bits);
}

/// Values that differ by something known are equal or not, whatever they are.
std::optional<bool> compared(Forms& forms, const Shape& s, Value a, Value b) {
  if (!known(a) || !known(b) || !is_number(a) || !is_number(b)) {
    if (forms.is_unknown(a) || forms.is_unknown(b) || is_number(a) != is_number(b)) return std::nullopt;
    const Value distance = forms.subtract(a, b, s.bits);
    if (!known(distance)) return std::nullopt;
    if (s.compare == Shape::Compare::eq) return distance.bits == 0;
    if (s.compare == Shape::Compare::ne) return distance.bits != 0;
    if (distance.bits != 0) return std::nullopt;  // which is less depends on where they wrap around
    return s.compare == Shape::Compare::le || s.compare == Shape::Compare::ge;
  }
  const bool is_signed = s.is_signed && !s.compares_unsigned;
  const uint64_t flip = is_signed ? uint64_t{1} << 63 : 0;
  const uint64_t x = extended(a.bits, s.bits, is_signed) ^ flip, y = extended(b.bits, s.bits, is_signed) ^ flip;
  switch (s.compare) {
    case Shape::Compare::eq: return x == y;
    case Shape::Compare::ne: return x != y;
    case Shape::Compare::lt: return x < y;
    case Shape::Compare::le: return x <= y;
    case Shape::Compare::gt: return x > y;
    case Shape::Compare::ge: return x >= y;
  }
  return std::nullopt;
}

Maybe set_predicate(Forms& forms, const Shape& s, const Value* in) {
  const std::optional<bool> result = compared(forms, s, in[0], in[1]);
  Shape bit;
  bit.bits = bit.result = 1;
  if (s.combine == Shape::Combine::none) return result ? Maybe(Value{*result, Forms::kKnown, 0}) : std::nullopt;
  const Value operands[] = {result ? Value{*result, Forms::kKnown, 0} : forms.unknown("a comparison"), in[2]};
  switch (s.combine) {
    case Shape::Combine::conjunction: return conjunction(forms, bit, operands);
    case Shape::Combine::disjunction: return disjunction<false>(forms, bit, operands);
    default: return disjunction<true>(forms, bit, operands);
  }
}

template <bool most>
Maybe extreme(Forms&, const Shape& s, const Value* in) {
  if (!known(in[0]) || !known(in[1]) || !is_number(in[0]) || !is_number(in[1])) return std::nullopt;
  const uint64_t all = low_bits(s.bits);
  const bool less = s.is_signed ? as_signed(in[0].bits, s.bits) < as_signed(in[1].bits, s.bits)
                                : (in[0].bits & all) < (in[1].bits & all);
  return less != most ? in[0] : in[1];
}

Maybe select(Forms&, const Shape&, const Value* in) {
  if (known(in[2])) return (in[2].bits & 1) != 0 ? in[0] : in[1];
  if (in[0] == in[1]) return in[0];
  return std::nullopt;
}

/// The position or length of a bit field: as field_amount in simt/isa/logic_field.cpp.
unsigned field_amount(const Shape& s, const Value& value) {
  return s.bits == 64 ? static_cast<unsigned>(std::min<uint64_t>(value.bits & low_bits(32), 64)) : value.bits & 255;
}

Maybe bit_field(Forms& forms, const Shape& s, const Value* in) {
  if (!known(in[1]) || !known(in[2]) || !is_number(in[0])) return std::nullopt;
  const unsigned position = field_amount(s, in[1]), length = field_amount(s, in[2]);
  if (known(in[0])) {
    const unsigned top = std::min(position + length, s.bits);  // the sign is that of the highest bit that is there
    const bool sign = s.is_signed && length != 0 && (in[0].bits >> (top - 1) & 1) != 0;
    uint64_t field = position >= s.bits ? 0 : in[0].bits >> position & low_bits(std::min(length, s.bits - position));
    if (sign) field |= ~low_bits(position >= s.bits ? 0 : std::min(length, s.bits - position));
    return Value{field & low_bits(s.bits), Forms::kKnown, in[0].arrays};
  }
  if (s.is_signed || position >= s.bits || forms.is_unknown(in[0]) || position + length > forms.low_known(in[0]))
    return std::nullopt;
  return Value{in[0].bits >> position & low_bits(length), Forms::kKnown, in[0].arrays};
}

Maybe insert_field(Forms&, const Shape& s, const Value* in) {
  for (unsigned k = 0; k < 4; ++k) {
    if (!known(in[k]) || !is_number(in[k])) return std::nullopt;
  }
  const unsigned position = field_amount(s, in[2]), length = field_amount(s, in[3]);
  if (position >= s.bits) return in[1];
  const uint64_t field = low_bits(std::min(length, s.bits - position)) << position;
  return Value{((in[1].bits & ~field) | (in[0].bits << position & field)) & low_bits(s.bits), Forms::kKnown,
               in[0].arrays | in[1].arrays};
}

Maybe three_bits(Forms&, const Shape& s, const Value* in) {
  uint64_t out = 0;
  uint32_t arrays = 0;
  for (unsigned k = 0; k < 4; ++k) {
    if (!known(in[k]) || !is_number(in[k])) return std::nullopt;
    arrays |= in[k].arrays;
  }
  for (unsigned row = 0; row < 8; ++row) {
    if ((in[3].bits >> row & 1) == 0) continue;
    const uint64_t a = (row & 4) != 0 ? in[0].bits : ~in[0].bits, b = (row & 2) != 0 ? in[1].bits : ~in[1].bits;
    out |= a & b & ((row & 1) != 0 ? in[2].bits : ~in[2].bits);
  }
  return Value{out & low_bits(s.bits), Forms::kKnown, arrays};
}

// Division by zero gives all ones, and so does its remainder, as the engine has it; of the least number by -1 it wraps
// around.
uint64_t divide(const Shape& s, uint64_t a, uint64_t b) {
  if (b == 0) return ~uint64_t{0};
  if (!s.is_signed) return a / b;
  if (as_signed(b, s.bits) == -1) return 0 - a;
  return static_cast<uint64_t>(as_signed(a, s.bits) / as_signed(b, s.bits));
}

uint64_t remainder(const Shape& s, uint64_t a, uint64_t b) {
  if (b == 0) return ~uint64_t{0};
  if (!s.is_signed) return a % b;
  if (as_signed(b, s.bits) == -1) return 0;
  return static_cast<uint64_t>(as_signed(a, s.bits) % as_signed(b, s.bits));
}

/// Division of what is known by a power of two is a shift, and its remainder the low bits.
template <bool rest>
Maybe quotient(Forms& forms, const Shape& s, const Value* in) {
  if (!is_number(in[0]) || !known(in[1])) return std::nullopt;
  if (known(in[0])) {
    const uint64_t a = in[0].bits & low_bits(s.bits), b = in[1].bits & low_bits(s.bits);
    const uint64_t value = rest ? remainder(s, a, b) : divide(s, a, b);
    return Value{value & low_bits(s.bits), Forms::kKnown, in[0].arrays};
  }
  if (s.is_signed || !std::has_single_bit(in[1].bits & low_bits(s.bits))) return std::nullopt;
  const auto shift = static_cast<unsigned>(std::countr_zero(in[1].bits));
  if (!rest) return forms.shift_right(in[0], shift, s.bits);
  if (shift > forms.low_known(in[0])) return std::nullopt;
  return Value{in[0].bits & low_bits(shift), Forms::kKnown, in[0].arrays};
}

uint64_t invert(const Shape&, uint64_t a) { return ~a; }
uint64_t is_zero(const Shape&, uint64_t a) { return a == 0; }
uint64_t absolute(const Shape& s, uint64_t a) { return as_signed(a, s.bits) < 0 ? 0 - a : a; }
uint64_t count_ones(const Shape&, uint64_t a) { return static_cast<uint64_t>(std::popcount(a)); }
uint64_t leading_zeros(const Shape& s, uint64_t a) {
  return static_cast<uint64_t>(std::countl_zero(a)) - (64 - s.bits);
}
uint64_t reversed(const Shape& s, uint64_t a) {
  uint64_t out = 0;
  for (unsigned k = 0; k < s.bits; ++k) out |= (a >> k & 1) << (s.bits - 1 - k);
  return out;
}
uint64_t funnel(const Shape& s, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t both = b << 32 | (a & low_bits(32));
  const auto by = static_cast<unsigned>(s.wraps ? c & 31 : std::min<uint64_t>(c & low_bits(32), 32));
  return s.right ? both >> by : both << by >> 32;
}

constexpr std::array kOperations = {
    Operation{"mov", 1, copy},
    Operation{"cvt", 1, copy},
    Operation{"cvta", 1, to_space},
    Operation{"add", 2, add},
    Operation{"sub", 2, subtract},
    Operation{"mul", 2, product},
    Operation{"mad", 3, product_and_sum},
    Operation{"neg", 1, negate},
    Operation{"and", 2, conjunction},
    Operation{"or", 2, disjunction<false>},
    Operation{"xor", 2, disjunction<true>},
    Operation{"not", 1, numbers<invert>},
    Operation{"cnot", 1, numbers<is_zero>},
    Operation{"shl", 2, shift_left},
    Operation{"shr", 2, shift_right},
    Operation{"shf", 3, numbers<funnel>},
    Operation{"setp", 2, set_predicate},
    Operation{"selp", 3, select},
    Operation{"min", 2, extreme<false>},
    Operation{"max", 2, extreme<true>},
    Operation{"div", 2, quotient<false>},
    Operation{"rem", 2, quotient<true>},
    Operation{"bfe", 3, bit_field},
    Operation{"bfi", 4, insert_field},
    Operation{"lop3", 4, three_bits},
    Operation{"abs", 1, numbers<absolute>},
    Operation{"popc", 1, numbers<count_ones>},
    Operation{"clz", 1, numbers<leading_zeros>},
    Operation{"brev", 1, numbers<reversed>},
};

bool is_integer(Type type) {
  return (type >= Type::b8 && type <= Type::s64 && type != Type::b128) || type == Type::pred;
}
bool is_signed(Type type) { return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64; }

bool read_modifier(const std::string& m, Shape& s) {
  using Compare = Shape::Compare;
  static const std::map<std::string, std::pair<Compare, bool>> compares = {
      {"eq", {Compare::eq, false}}, {"ne", {Compare::ne, false}}, {"lt", {Compare::lt, false}},
      {"le", {Compare::le, false}}, {"gt", {Compare::gt, false}}, {"ge", {Compare::ge, false}},
      {"lo", {Compare::lt, true}},  {"ls", {Compare::le, true}},  {"hi", {Compare::gt, true}},
      {"hs", {Compare::ge, true}}};
  if (const auto found = compares.find(m); found != compares.end()) {
    s.compare = found->second.first;
    s.compares_unsigned = found->second.second;
    if (m == "hi") s.half = Shape::Half::hi;
    return true;
  }
  if (m == "wide") return s.half = Shape::Half::wide, true;
  if (m == "wrap") return s.wraps = true;
  if (m == "r" || m == "shared" || m == "shared::cta") return s.right = true;
  if (m == "and") return s.combine = Shape::Combine::conjunction, true;
  if (m == "or") return s.combine = Shape::Combine::disjunction, true;
  if (m == "xor") return s.combine = Shape::Combine::parity, true;
  return m == "l" || m == "clamp" || m == "to" || m == "global" || m == "local" || m == "const" || m == "param";
}

}  // namespace

const Operation* operation_of(const ptx::Instruction& instruction, Shape& shape) {
  const auto found = std::find_if(kOperations.begin(), kOperations.end(),
                                  [&](const Operation& operation) { return operation.name == instruction.opcode; });
  if (found == kOperations.end()) return nullptr;
  std::vector<Type> types;
  bool to = false;
  for (const std::string& m : instruction.modifiers) {
    const Type type = ptx::type_named(m);
    if (type != Type::none) {
      types.push_back(type);
    } else if (!read_modifier(m, shape)) {
      return nullptr;  // saturation, carries, rounding: not addresses
    }
    to |= m == "to";
  }
  if (types.empty()) return nullptr;
  if (found->name == "mov" && ptx::is_float(types[0])) return nullptr;
  for (const Type type : types) {
    if (!is_integer(type)) return nullptr;
  }
  shape.bits = ptx::bits(types.back());
  shape.is_signed = is_signed(types.back());
  shape.result = shape.half == Shape::Half::wide ? 2 * shape.bits : ptx::bits(types.front());
  shape.result_signed = is_signed(types.front());
  if (found->name == "setp") shape.result = 1;
  if (found->name == "popc" || found->name == "clz") shape.result = 32;
  if (found->name == "cvta" && to) shape.right = false;
  return &*found;
}

}  // namespace bankshot::analysis

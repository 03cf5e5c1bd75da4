// Integer arithmetic as exact numbers, of which a type keeps the low bits. Source: PTX ISA, "Integer Arithmetic
// Instructions", "Extended-Precision Integer Arithmetic Instructions" and "SIMD Video Instructions".
#include <algorithm>

#include "exact_integers.hpp"

namespace bankshot::simt::conformance {
namespace {

using T = ptx::Type;
__extension__ typedef unsigned __int128 UnsignedWide;

/// The product modulo 2^128: enough, as its upper half is that of the exact one up to 64 bits.
Wide product(Wide a, Wide b) { return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b)); }
Wide sum(Wide a, Wide b) { return static_cast<Wide>(static_cast<UnsignedWide>(a) + static_cast<UnsignedWide>(b)); }

using Exact = std::function<Wide(Wide a, Wide b, Wide c)>;

/// Division towards zero. By zero it gives all ones: PTX leaves that open, NVIDIA's GPUs do so.
Wide quotient(Wide a, Wide b) { return b == 0 ? -1 : a / b; }
Wide rest(Wide a, Wide b) { return b == 0 ? -1 : a % b; }
Wide distance(Wide a, Wide b) { return a < b ? b - a : a - b; }

/// Bits 0…31 or 16…47 of the product of 24-bit numbers.
Wide product24(Wide a, Wide b, bool high, bool with_sign) {
  const auto low24 = [with_sign](Wide x) { return number(static_cast<uint64_t>(x), 24, with_sign); };
  return high ? product(low24(a), low24(b)) >> 16 : product(low24(a), low24(b));
}

Exact plain_operation(const Spelling& s, unsigned bits, bool with_sign) {
  const std::string& op = s.opcode;
  const bool high = s.has("hi");
  if (op == "add") return [](Wide a, Wide b, Wide) { return a + b; };
  if (op == "sub") return [](Wide a, Wide b, Wide) { return a - b; };
  if (op == "neg") return [](Wide a, Wide, Wide) { return -a; };
  if (op == "abs") return [](Wide a, Wide, Wide) { return a < 0 ? -a : a; };
  if (op == "min") return [](Wide a, Wide b, Wide) { return std::min(a, b); };
  if (op == "max") return [](Wide a, Wide b, Wide) { return std::max(a, b); };
  if (op == "sad") return [](Wide a, Wide b, Wide c) { return c + distance(a, b); };
  if (op == "div") return [](Wide a, Wide b, Wide) { return quotient(a, b); };
  if (op == "rem") return [](Wide a, Wide b, Wide) { return rest(a, b); };
  if (op == "mul") return [=](Wide a, Wide b, Wide) { return high ? product(a, b) >> bits : product(a, b); };
  if (op == "mad") {
    return [=](Wide a, Wide b, Wide c) {
      return sum(high ? number(static_cast<uint64_t>(product(a, b) >> bits), bits, with_sign) : product(a, b), c);
    };
  }
  if (op == "mul24") return [=](Wide a, Wide b, Wide) { return product24(a, b, high, with_sign); };
  if (op == "mad24") return [=](Wide a, Wide b, Wide c) { return product24(a, b, high, with_sign) + c; };
  return nullptr;
}

bool knows(const std::string& op) {
  static const std::vector<std::string> all = {"add", "sub", "neg", "abs",   "min",   "max",  "sad",  "div",
                                               "rem", "mul", "mad", "mul24", "mad24", "addc", "subc", "madc"};
  return std::find(all.begin(), all.end(), op) != all.end();
}

/// What fits into a type, or with .sat its nearest number, or with .relu not below zero.
Rule plain_rule(const Spelling& s, T type) {
  const unsigned bits = ptx::bits(type);
  const bool with_sign = is_signed(type), saturates = s.has("sat"), relu = s.has("relu"), wide = s.has("wide");
  const Exact exact = plain_operation(s, bits, with_sign);
  Rule rule;
  rule.results = [=](Sources v) {
    const auto operand = [&](size_t k, unsigned width) {
      return k < v.size() - 1 ? number(v[k], width, with_sign) : 0;
    };
    Wide x = exact(operand(0, bits), operand(1, bits), operand(2, wide ? 2 * bits : bits));
    if (saturates) x = clamped(x, bits, with_sign);
    if (relu) x = std::max<Wide>(x, 0);
    return one(static_cast<uint64_t>(x));
  };
  return rule;
}

/// d = x + y + CF or x + ~y + CF, with 1 for CF where sub.cc begins a chain, and the carry out of its type's bits.
Rule chain_rule(const Spelling& s) {
  const T type = s.type();
  const unsigned bits = ptx::bits(type);
  const bool with_sign = is_signed(type), subtracts = s.opcode.starts_with("sub"),
             multiplies = s.opcode.starts_with("mad");
  const bool high = s.has("hi"), takes = s.opcode.back() == 'c';
  Rule rule;
  rule.carry_in = takes;
  rule.carry_out = true;
  const bool gives = s.has("cc");
  rule.results = [=](Sources v) {
    const uint64_t carry = v.back();
    uint64_t x = v[0];
    const uint64_t y = low_bits(v[multiplies ? 2 : 1], bits);
    if (multiplies) {
      const Wide p = product(number(v[0], bits, with_sign), number(v[1], bits, with_sign));
      x = static_cast<uint64_t>(high ? p >> bits : p);
    }
    x = low_bits(x, bits);
    const Wide in = takes ? static_cast<Wide>(carry) : subtracts ? 1 : 0;
    const Wide d = static_cast<Wide>(x) + static_cast<Wide>(subtracts ? low_bits(~y, bits) : y) + in;
    const bool out = d >> bits != 0;
    return Results{static_cast<uint64_t>(d), gives ? uint64_t{out} : carry};
  };
  return rule;
}

/// dp4a: bytes by bytes. dp2a: halves of a by the lower or upper two bytes of b.
Rule dot_rule(const Spelling& s) {
  const bool four = s.opcode == "dp4a", a_signed = s.type(0) == T::s32, b_signed = s.type(1) == T::s32;
  const unsigned first = s.has("hi") ? 2 : 0;
  Rule rule;
  rule.results = [=](Sources v) {
    Wide d = number(v[2], 32, false);
    for (unsigned k = 0; k < (four ? 4 : 2); ++k) {
      const unsigned width = four ? 8 : 16;
      d += number(v[0] >> width * k, width, a_signed) * number(v[1] >> 8 * (first + k), 8, b_signed);
    }
    return one(static_cast<uint64_t>(d));
  };
  return rule;
}

Exact video_operation(const std::string& name) {
  if (name == "vadd") return [](Wide a, Wide b, Wide) { return a + b; };
  if (name == "vsub") return [](Wide a, Wide b, Wide) { return a - b; };
  if (name == "vavrg") return [](Wide a, Wide b, Wide) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; };
  if (name == "vabsdiff") return [](Wide a, Wide b, Wide) { return distance(a, b); };
  if (name == "vmin") return [](Wide a, Wide b, Wide) { return std::min(a, b); };
  if (name == "vmax") return [](Wide a, Wide b, Wide) { return std::max(a, b); };
  return nullptr;
}

Exact video_comparison(const Spelling& s) {
  if (s.has("eq")) return [](Wide a, Wide b, Wide) -> Wide { return a == b; };
  if (s.has("ne")) return [](Wide a, Wide b, Wide) -> Wide { return a != b; };
  if (s.has("lt")) return [](Wide a, Wide b, Wide) -> Wide { return a < b; };
  if (s.has("le")) return [](Wide a, Wide b, Wide) -> Wide { return a <= b; };
  if (s.has("gt")) return [](Wide a, Wide b, Wide) -> Wide { return a > b; };
  return [](Wide a, Wide b, Wide) -> Wide { return a >= b; };
}

}  // namespace

std::optional<Rule> integer_rule(const Spelling& s) {
  if (s.opcode == "dp4a" || s.opcode == "dp2a") return dot_rule(s);
  if (!knows(s.opcode)) return {};
  const T type = s.type();
  if (type == T::u16x2 || type == T::s16x2) return packed(plain_rule(s, type == T::u16x2 ? T::u16 : T::s16), 16, 2);
  const bool integer = is_signed(type) || type == T::u16 || type == T::u32 || type == T::u64;
  if (!integer) return {};
  if (s.has("cc") || s.opcode == "addc" || s.opcode == "subc" || s.opcode == "madc") return chain_rule(s);
  return plain_rule(s, type);
}

/// Fields of both operands, extended as .atype and .btype say; results modulo the field, saturated as .dtype says, or
/// summed up with c.
std::optional<Rule> video_rule(const Spelling& s) {
  if (s.opcode[0] != 'v' || s.opcode.size() < 5) return {};
  const unsigned width = s.opcode.back() == '2' ? 16 : 8;
  const std::string name = s.opcode.substr(0, s.opcode.size() - 1);
  const bool sets = name == "vset";  // which has no .dtype
  const Exact exact = sets ? video_comparison(s) : video_operation(name);
  if (!exact) return {};
  const auto is_signed = [&](size_t k) { return s.type(k) == T::s32; };
  const bool d_signed = is_signed(0), a_signed = is_signed(sets ? 0 : 1), b_signed = is_signed(sets ? 1 : 2);
  const bool adds = s.has("add"), saturates = s.has("sat");
  Rule rule;
  rule.results = [=](Sources v) {
    Wide sum = number(v[2], 32, false);
    uint64_t d = 0;
    for (unsigned shift = 0; shift < 32; shift += width) {
      Wide x = exact(number(v[0] >> shift, width, a_signed), number(v[1] >> shift, width, b_signed), 0);
      sum += x;
      if (saturates) x = clamped(x, width, d_signed);
      d |= low_bits(static_cast<uint64_t>(x), width) << shift;
    }
    return one(adds ? static_cast<uint64_t>(sum) : d);
  };
  rule.most = 1500;
  return rule;
}

}  // namespace bankshot::simt::conformance

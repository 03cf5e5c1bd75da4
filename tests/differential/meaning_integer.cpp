// Integer arithmetic: numbers of 128 bits, wrapped at the end. Source: PTX ISA 9.0, sections 9.7.1 and 9.7.2.
#include <algorithm>

#include "tests/differential/meaning.hpp"

namespace bankshot::differential {
namespace {

/// The exact product modulo 2^128, as its low and high half.
struct Product {
  Wide low, high;
  Wide all;
};
Product product(uint64_t a, uint64_t b, Type type) {
  const UnsignedWide all = static_cast<UnsignedWide>(number(a, type)) * static_cast<UnsignedWide>(number(b, type));
  const unsigned bits = ptx::bits(type);
  return {static_cast<Wide>(low(static_cast<uint64_t>(all), bits)),
          static_cast<Wide>(static_cast<uint64_t>(all >> bits)), static_cast<Wide>(all)};
}

Type twice(Type type) {
  switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    default: return Type::s64;
  }
}

Wide distance(Wide a, Wide b) { return a < b ? b - a : a - b; }

/// One of two operands, on numbers.
using Rule = std::function<Wide(Wide, Wide)>;

Meaning of_two(Type type, const Rule& rule, bool saturates) {
  const Type element = element_of(type);
  const auto one = [=](uint64_t a, uint64_t b) {
    const Wide exact = rule(number(a, element), number(b, element));
    return wrapped(saturates ? limited(exact, element) : exact, element);
  };
  if (!is_packed(type)) return [=](Values& v) { v.d = one(v.s[0], v.s[1]); };
  return [=](Values& v) { v.d = low(one(v.s[0], v.s[1]), 16) | low(one(v.s[0] >> 16, v.s[1] >> 16), 16) << 16; };
}

Meaning sums(Name& name) {
  const bool saturates = name.take("sat");
  const Type type = name.take_type();
  if (ptx::is_float(element_of(type)) || name.sources != 2) return nullptr;
  if (name.opcode == "add") return of_two(type, [](Wide a, Wide b) { return a + b; }, saturates);
  return of_two(type, [](Wide a, Wide b) { return a - b; }, saturates);
}

Meaning extrema(Name& name) {
  const bool relu = name.take("relu"), greater = name.opcode == "max";
  const Type type = name.take_type();
  if (ptx::is_float(element_of(type)) || name.sources != 2) return nullptr;
  return of_two(
      type,
      [=](Wide a, Wide b) {
        const Wide chosen = greater ? std::max(a, b) : std::min(a, b);
        return relu ? std::max<Wide>(chosen, 0) : chosen;
      },
      false);
}

Meaning products(Name& name) {
  const bool adds = name.opcode == "mad", saturates = name.take("sat");
  const std::string part = name.take_one({"lo", "hi", "wide"});
  const Type type = name.take_type();
  if (part.empty() || ptx::is_float(type)) return nullptr;
  if (part == "wide") {
    return [=](Values& v) {
      const Wide c = adds ? number(v.s[2], twice(type)) : 0;
      v.d = wrapped(product(v.s[0], v.s[1], type).all + c, twice(type));
    };
  }
  return [=](Values& v) {
    const Product p = product(v.s[0], v.s[1], type);
    const Wide half = part == "lo" ? p.low : p.high;
    const Wide c = adds ? number(v.s[2], type) : 0;
    v.d = saturates ? wrapped(limited(number(static_cast<uint64_t>(half), type) + c, type), type)
                    : wrapped(half + c, type);
  };
}

/// Numbers of 24 bits: the low half of 48 is bits 31–0, the high one bits 47–16.
Meaning products_24(Name& name) {
  const bool adds = name.opcode == "mad24", saturates = name.take("sat"), high = name.take_one({"lo", "hi"}) == "hi";
  const Type type = name.take_type();
  const auto of_24 = [type](uint64_t x) {
    const Wide bits = static_cast<Wide>(low(x, 24));
    return is_signed(type) && (x >> 23 & 1) != 0 ? bits - (1 << 24) : bits;
  };
  return [=](Values& v) {
    const Wide all = of_24(v.s[0]) * of_24(v.s[1]);
    const uint64_t part = static_cast<uint64_t>(high ? all >> 16 : all);
    const Wide sum = number(part, type) + (adds ? number(v.s[2], type) : 0);
    v.d = wrapped(saturates ? limited(sum, type) : sum, type);
  };
}

Meaning dot_products(Name& name) {
  const bool halves = name.opcode == "dp2a";
  const unsigned first = halves && name.take_one({"lo", "hi"}) == "hi" ? 2 : 0;
  const Type a = name.take_type(), b = name.take_type();
  const Type byte_a = a == Type::s32 ? (halves ? Type::s16 : Type::s8) : (halves ? Type::u16 : Type::u8);
  const Type byte_b = b == Type::s32 ? Type::s8 : Type::u8;
  return [=](Values& v) {
    Wide sum = number(v.s[2], Type::u32);
    for (unsigned k = 0; k < (halves ? 2 : 4); ++k) {
      sum += number(v.s[0] >> k * ptx::bits(byte_a), byte_a) * number(v.s[1] >> 8 * (first + k), byte_b);
    }
    v.d = wrapped(sum, Type::u32);
  };
}

/// Divisors are not 0: what that gives is open.
Meaning quotients(Name& name) {
  const bool remainder = name.opcode == "rem";
  const Type type = name.take_type();
  if (ptx::is_float(type)) return nullptr;
  return [=](Values& v) {
    const Wide a = number(v.s[0], type), b = number(v.s[1], type);
    v.d = b == 0 ? 0 : wrapped(remainder ? a % b : a / b, type);
  };
}

}  // namespace

Meaning integer_meaning(Name& name) {
  const std::string& op = name.opcode;
  if (op == "add" || op == "sub") return sums(name);
  if (op == "min" || op == "max") return extrema(name);
  if (op == "mul" || op == "mad") return products(name);
  if (op == "mul24" || op == "mad24") return products_24(name);
  if (op == "dp4a" || op == "dp2a") return dot_products(name);
  if (op == "div" || op == "rem") return quotients(name);
  if (op != "neg" && op != "abs" && op != "sad") return nullptr;
  const Type type = name.take_type();
  if (type == Type::none || ptx::is_float(element_of(type))) return nullptr;
  if (op == "neg") return [=](Values& v) { v.d = wrapped(-number(v.s[0], type), type); };
  if (op == "abs") return [=](Values& v) { v.d = wrapped(distance(number(v.s[0], type), 0), type); };
  return [=](Values& v) {
    v.d = wrapped(number(v.s[2], type) + distance(number(v.s[0], type), number(v.s[1], type)), type);
  };
}

/// add.cc, addc, sub.cc, subc, mad.cc, madc: CC.CF is the carry out of the sum; a difference borrows if it is 0.
Meaning carry_meaning(Name& name) {
  const std::string& op = name.opcode;
  const bool reads = op == "addc" || op == "subc" || op == "madc", writes = name.take("cc");
  const bool multiplies = op == "mad" || op == "madc", subtracts = op == "sub" || op == "subc";
  if (!(reads || writes) || !(multiplies || subtracts || op == "add" || op == "addc")) return nullptr;
  const std::string part = multiplies ? name.take_one({"lo", "hi"}) : "";
  const Type type = name.take_type();
  const unsigned bits = ptx::bits(type);
  return [=](Values& v) {
    const UnsignedWide in = reads && v.carry ? 1 : 0;
    UnsignedWide a = low(v.s[0], bits), b = low(v.s[1], bits);
    if (multiplies) {
      const Product p = product(v.s[0], v.s[1], type);
      a = low(static_cast<uint64_t>(part == "lo" ? p.low : p.high), bits);
      b = low(v.s[2], bits);
    }
    const UnsignedWide borrowed = reads && !v.carry ? 1 : 0;
    const UnsignedWide all = subtracts ? a - b - borrowed : a + b + in;
    v.d = wrapped(static_cast<Wide>(all), type);
    if (writes) v.carry = ((all >> bits & 1) != 0) != subtracts;
  };
}

/// vadd2 … vmax4: on halves or bytes of a and b; merged into all of d, or with .add summed up upon c.
Meaning video_meaning(Name& name) {
  if (name.opcode.size() < 5 || name.opcode[0] != 'v') return nullptr;
  const unsigned parts = static_cast<unsigned>(name.opcode.back() - '0');
  const std::string what = name.opcode.substr(1, name.opcode.size() - 2);
  if (parts != 2 && parts != 4) return nullptr;
  const auto part_of = [=](Type type) {
    return parts == 2 ? (is_signed(type) ? Type::s16 : Type::u16) : (is_signed(type) ? Type::s8 : Type::u8);
  };
  const Type d = part_of(name.take_type()), a = part_of(name.take_type()), b = part_of(name.take_type());
  const bool saturates = name.take("sat"), accumulates = name.take("add");
  Rule rule;
  if (what == "add") rule = [](Wide x, Wide y) { return x + y; };
  if (what == "sub") rule = [](Wide x, Wide y) { return x - y; };
  // Rounded to the nearest, ties away from zero.
  if (what == "avrg") rule = [](Wide x, Wide y) { return (x + y + (x + y >= 0 ? 1 : 0)) >> 1; };
  if (what == "absdiff") rule = distance;
  if (what == "min") rule = [](Wide x, Wide y) { return std::min(x, y); };
  if (what == "max") rule = [](Wide x, Wide y) { return std::max(x, y); };
  if (!rule) return nullptr;
  return [=](Values& v) {
    const unsigned width = 32 / parts;
    uint64_t merged = 0;
    Wide sum = number(v.s[2], Type::u32);
    for (unsigned k = 0; k < parts; ++k) {
      const Wide exact = rule(number(v.s[0] >> k * width, a), number(v.s[1] >> k * width, b));
      merged |= low(wrapped(saturates ? limited(exact, d) : exact, d), width) << k * width;
      sum += exact;
    }
    v.d = accumulates ? wrapped(sum, Type::u32) : merged;
  };
}

}  // namespace bankshot::differential

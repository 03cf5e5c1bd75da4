// Logic, shifts and bit fields, bit by bit. Source: PTX ISA, "Logic and Shift Instructions", "Integer Arithmetic
// Instructions" (bfe, bfi, bfind, bmsk, szext, fns, popc, clz, brev) and "Data Movement" (prmt, mov).
#include <algorithm>
#include <limits>

#include "exact_integers.hpp"

namespace bankshot::simt::conformance {
namespace {

using T = ptx::Type;

bool has_bit(uint64_t x, uint64_t n) { return (x >> n & 1) != 0; }

/// A number of `bits` bits of which bit n is f(n).
template <class F>
uint64_t from_bits(unsigned bits, F f) {
  uint64_t d = 0;
  for (unsigned n = 0; n < bits; ++n) d |= static_cast<uint64_t>(f(n) ? 1 : 0) << n;
  return d;
}

Rule rule_of_bits(std::function<uint64_t(Sources)> f) {
  Rule rule;
  rule.results = [f](Sources v) { return one(f(v)); };
  return rule;
}

std::optional<Rule> logic_rule(const Spelling& s) {
  const unsigned bits = s.results[0].bits();
  if (s.opcode == "and")
    return rule_of_bits(
        [=](Sources v) { return from_bits(bits, [&](unsigned n) { return has_bit(v[0], n) && has_bit(v[1], n); }); });
  if (s.opcode == "or")
    return rule_of_bits(
        [=](Sources v) { return from_bits(bits, [&](unsigned n) { return has_bit(v[0], n) || has_bit(v[1], n); }); });
  if (s.opcode == "xor")
    return rule_of_bits(
        [=](Sources v) { return from_bits(bits, [&](unsigned n) { return has_bit(v[0], n) != has_bit(v[1], n); }); });
  if (s.opcode == "not")
    return rule_of_bits([=](Sources v) { return from_bits(bits, [&](unsigned n) { return !has_bit(v[0], n); }); });
  if (s.opcode == "cnot") return rule_of_bits([=](Sources v) { return uint64_t{low_bits(v[0], bits) == 0}; });
  return {};
}

/// Bit n of d is the entry a b c of the table, read as a number. With .and and .or p tells whether d is not zero,
/// combined with q.
Rule lop3_rule(const Spelling& s) {
  const auto table = static_cast<uint64_t>(s.literal);
  const bool takes_and = s.has("and"), takes_or = s.has("or");
  Rule rule;
  rule.results = [=](Sources v) {
    const uint64_t d = from_bits(32, [&](unsigned n) {
      return has_bit(table, 4u * has_bit(v[0], n) + 2u * has_bit(v[1], n) + has_bit(v[2], n));
    });
    const bool q = (takes_and || takes_or) && v[3] != 0;
    return Results{d, uint64_t{takes_and ? d != 0 && q : d != 0 || q}};
  };
  rule.most = 120;
  return rule;
}

std::optional<Rule> shift_rule(const Spelling& s) {
  const unsigned bits = s.results[0].bits();
  if (s.opcode == "shl") {
    return rule_of_bits([=](Sources v) {
      return from_bits(bits, [&](uint64_t n) { return n >= low_bits(v[1], 32) && has_bit(v[0], n - v[1]); });
    });
  }
  if (s.opcode == "shr") {
    const bool sign = is_signed(s.type());
    return rule_of_bits([=](Sources v) {
      return from_bits(bits, [&](uint64_t n) {
        const uint64_t from = n + low_bits(v[1], 32);
        return from < bits ? has_bit(v[0], from) : sign && has_bit(v[0], bits - 1);
      });
    });
  }
  if (s.opcode != "shf") return {};
  const bool left = s.has("l"), clamp = s.has("clamp");
  return rule_of_bits([=](Sources v) {
    const uint64_t count = low_bits(v[2], 32), by = clamp ? std::min<uint64_t>(count, 32) : count % 32;
    const uint64_t from = left ? 32 - by : by;  // of the 64 bits b:a
    return from_bits(32, [&](uint64_t n) {
      return n + from < 32 ? has_bit(v[0], n + from) : n + from < 64 && has_bit(v[1], n + from - 32);
    });
  });
}

uint64_t highest_bit(uint64_t x, unsigned bits, bool sign) {
  for (unsigned n = bits; n-- > 0;) {
    if (has_bit(x, n) != (sign && has_bit(x, bits - 1))) return n;
  }
  return ~uint64_t{0};
}

std::optional<Rule> count_rule(const Spelling& s) {
  const unsigned bits = s.type() == T::none ? 0 : ptx::bits(s.type());
  if (s.opcode == "popc") {
    return rule_of_bits([=](Sources v) {
      uint64_t n = 0;
      for (unsigned k = 0; k < bits; ++k) n += has_bit(v[0], k);
      return n;
    });
  }
  if (s.opcode == "clz") {
    // highest_bit is -1 of zero
    return rule_of_bits([=](Sources v) { return bits - 1 - highest_bit(v[0], bits, false); });
  }
  if (s.opcode == "brev")
    return rule_of_bits(
        [=](Sources v) { return from_bits(bits, [&](unsigned n) { return has_bit(v[0], bits - 1 - n); }); });
  if (s.opcode == "bfind") {
    const bool sign = is_signed(s.type()), amount = s.has("shiftamt");
    return rule_of_bits([=](Sources v) {
      const uint64_t at = highest_bit(low_bits(v[0], bits), bits, sign);
      return at != ~uint64_t{0} && amount ? bits - 1 - at : at;
    });
  }
  return {};
}

std::optional<Rule> field_rule(const Spelling& s) {
  const unsigned bits = s.type() == T::none ? 0 : ptx::bits(s.type());
  const bool sign = is_signed(s.type()), clamp = s.has("clamp");
  // The manual says that positions and lengths count modulo 256. Of 64 bits an H200 takes them whole.
  const uint64_t amount = bits == 64 ? 0xffffffff : 0xff;
  if (s.opcode == "bfe") {
    return rule_of_bits([=](Sources v) {
      const uint64_t position = v[1] & amount, length = v[2] & amount;
      const bool filling = sign && length != 0 && has_bit(v[0], std::min<uint64_t>(position + length - 1, bits - 1));
      return from_bits(
          bits, [&](uint64_t n) { return n < length && position + n < bits ? has_bit(v[0], position + n) : filling; });
    });
  }
  if (s.opcode == "bfi") {
    return rule_of_bits([=](Sources v) {
      const uint64_t position = v[2] & amount, length = v[3] & amount;
      return from_bits(bits, [&](uint64_t n) {
        return n >= position && n - position < length ? has_bit(v[0], n - position) : has_bit(v[1], n);
      });
    });
  }
  if (s.opcode == "bmsk") {
    return rule_of_bits([=](Sources v) {
      const uint64_t a = low_bits(v[0], 32), b = low_bits(v[1], 32);
      if (clamp && a >= 32) return uint64_t{0};
      const uint64_t from = a % 32, length = clamp && b >= 32 ? 32 : b % 32;
      return from_bits(32, [&](uint64_t n) { return n >= from && n - from < length; });
    });
  }
  if (s.opcode == "szext") {
    return rule_of_bits([=](Sources v) {
      const uint64_t b = low_bits(v[1], 32), width = clamp ? std::min<uint64_t>(b, 32) : b % 32;
      const bool filling = sign && width != 0 && has_bit(v[0], width - 1);
      return from_bits(32, [&](uint64_t n) { return n < width ? has_bit(v[0], n) : filling; });
    });
  }
  return {};
}

/// The offset-th set bit of the mask from base up or down; base itself if the offset is 0. Of offset -2^31 an H200
/// makes 0.
Rule fns_rule() {
  return rule_of_bits([](Sources v) -> uint64_t {
    const auto base = static_cast<int64_t>(static_cast<int32_t>(v[1])),
               offset = static_cast<int64_t>(static_cast<int32_t>(v[2]));
    if (offset == std::numeric_limits<int32_t>::min()) return 0;
    if (offset == 0)
      return base >= 0 && base < 32 && has_bit(v[0], static_cast<uint64_t>(base)) ? static_cast<uint64_t>(base)
                                                                                  : ~uint64_t{0};
    int64_t found = 0;
    for (int64_t at = base; at >= 0 && at < 32; at += offset > 0 ? 1 : -1) {
      found += has_bit(v[0], static_cast<uint64_t>(at));
      if (found == std::abs(offset)) return static_cast<uint64_t>(at);
    }
    return ~uint64_t{0};
  });
}

/// Bytes of b:a, named 0 to 7. Generic mode: the nibbles of c, whose top bit replicates the sign of the byte.
Rule prmt_rule(const Spelling& s) {
  const std::string mode(s.which({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}));
  return rule_of_bits([mode](Sources v) {
    const auto byte = [&](uint64_t n) { return (n < 4 ? v[0] >> 8 * n : v[1] >> 8 * (n - 4)) & 0xff; };
    const uint64_t c = v[2] & 3;
    uint64_t d = 0;
    for (uint64_t k = 0; k < 4; ++k) {
      const uint64_t nibble = v[2] >> 4 * k & 15;
      uint64_t from = nibble & 7;
      if (mode == "f4e") from = c + k;
      if (mode == "b4e") from = (c + 8 - k) % 8;
      if (mode == "rc8") from = c;
      if (mode == "ecl") from = std::max(c, k);
      if (mode == "ecr") from = std::min(c, k);
      if (mode == "rc16") from = 2 * (c & 1) + (k & 1);
      uint64_t x = byte(from);
      if (mode.empty() && nibble > 7) x = x >= 0x80 ? 0xff : 0;
      d |= x << 8 * k;
    }
    return d;
  });
}

}  // namespace

std::optional<Rule> bits_rule(const Spelling& s) {
  if (s.opcode == "lop3") return lop3_rule(s);
  if (s.opcode == "fns") return fns_rule();
  if (s.opcode == "mov") return rule_of_bits([](Sources v) { return v[0]; });
  if (s.opcode == "prmt") return prmt_rule(s);
  for (auto* family : {logic_rule, shift_rule, count_rule, field_rule}) {
    if (auto rule = family(s)) return rule;
  }
  return {};
}

}  // namespace bankshot::simt::conformance

// Integer rows against arithmetic in 128 bits and against definitions bit by bit.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "rows_reference.hpp"

namespace bankshot::simt::testing {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

/// The value of the low bits of x as a signed or unsigned integer.
Wide as_integer(uint64_t x, unsigned bits, bool is_signed) {
  const uint64_t low = bits == 64 ? x : x & ((uint64_t{1} << bits) - 1);
  if (!is_signed || (low >> (bits - 1)) == 0) return static_cast<Wide>(low);
  return static_cast<Wide>(low) - (static_cast<Wide>(1) << bits);
}

/// Random integers: of all magnitudes, and near the ends of each width.
uint64_t integer_operand(uint64_t seed) {
  std::mt19937_64 random(seed);
  random.discard(3);
  const uint64_t bits = random();
  switch (bits % 5) {
    case 0: return random() >> (bits >> 8) % 64;
    case 1: return ~(random() >> (bits >> 8) % 64);
    case 2: return (uint64_t{1} << (bits >> 8) % 64) + (bits >> 16) % 3 - 1;
    case 3: return (bits >> 8) % 4 - 1;
    default: return random();
  }
}

/// One rule for exact integers, of which each type of 128 bits can hold what it is used for.
struct IntegerRule {
  template <class F>
  IntegerRule(const char* opcode, F rule) : name(opcode), for_signed(rule), for_unsigned(rule) {}
  std::string name;
  std::function<Wide(Wide a, Wide b, Wide c, unsigned bits)> for_signed;
  std::function<UnsignedWide(UnsignedWide a, UnsignedWide b, UnsignedWide c, unsigned bits)> for_unsigned;
};

TEST(IntegerRows, follow_exact_arithmetic) {
  const IntegerRule kRules[] = {
      {"add", [](auto a, auto b, auto, unsigned) { return a + b; }},
      {"sub", [](auto a, auto b, auto, unsigned) { return a - b; }},
      {"mul.lo", [](auto a, auto b, auto, unsigned) { return a * b; }},
      {"mul.hi", [](auto a, auto b, auto, unsigned bits) { return (a * b) >> bits; }},
      {"mad.lo", [](auto a, auto b, auto c, unsigned) { return a * b + c; }},
      {"mad.hi", [](auto a, auto b, auto c, unsigned bits) { return ((a * b) >> bits) + c; }},
      {"min", [](auto a, auto b, auto, unsigned) { return a < b ? a : b; }},
      {"max", [](auto a, auto b, auto, unsigned) { return a > b ? a : b; }},
      {"sad", [](auto a, auto b, auto c, unsigned) { return c + (a < b ? b - a : a - b); }},
      {"div", [](auto a, auto b, auto, unsigned) { return b == 0 ? ~decltype(a){0} : a / b; }},
      {"rem", [](auto a, auto b, auto, unsigned) { return b == 0 ? ~decltype(a){0} : a % b; }},
  };
  for (const IntegerRule& rule : kRules) {
    for (const char* type : {"u16", "u32", "u64", "s16", "s32", "s64"}) {
      const bool is_signed = type[0] == 's';
      const unsigned bits = static_cast<unsigned>(std::stoi(type + 1));
      compare_with(rule.name + "." + type, integer_operand, [&](const std::vector<uint64_t>& s) {
        const Wide a = as_integer(s[0], bits, is_signed), b = as_integer(s[1], bits, is_signed);
        const Wide c = s.size() > 2 ? as_integer(s[2], bits, is_signed) : 0;
        if (is_signed) return static_cast<uint64_t>(rule.for_signed(a, b, c, bits));
        return static_cast<uint64_t>(rule.for_unsigned(static_cast<UnsignedWide>(a), static_cast<UnsignedWide>(b),
                                                       static_cast<UnsignedWide>(c), bits));
      });
    }
  }
}

TEST(IntegerRows, widen_and_saturate) {
  for (const char* type : {"u16", "u32", "s16", "s32"}) {
    const bool is_signed = type[0] == 's';
    const unsigned bits = static_cast<unsigned>(std::stoi(type + 1));
    compare_with(std::string("mul.wide.") + type, integer_operand, [&](const std::vector<uint64_t>& s) {
      return static_cast<uint64_t>(as_integer(s[0], bits, is_signed) * as_integer(s[1], bits, is_signed));
    });
    compare_with(std::string("mad.wide.") + type, integer_operand, [&](const std::vector<uint64_t>& s) {
      return static_cast<uint64_t>(as_integer(s[0], bits, is_signed) * as_integer(s[1], bits, is_signed)) + s[2];
    });
  }
  const auto clamp = [](Wide x) {
    return static_cast<uint64_t>(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x);
  };
  compare_with("add.sat.s32", integer_operand, [&](const std::vector<uint64_t>& s) {
    return clamp(as_integer(s[0], 32, true) + as_integer(s[1], 32, true));
  });
  compare_with("mad.hi.sat.s32", integer_operand, [&](const std::vector<uint64_t>& s) {
    return clamp(((as_integer(s[0], 32, true) * as_integer(s[1], 32, true)) >> 32) + as_integer(s[2], 32, true));
  });
}

TEST(IntegerRows, chains_add_and_multiply_numbers_of_128_bits) {
  using Long = UnsignedWide;
  for (std::string_view isa : hosts()) {
    const Rows& rows = *rows_of(isa);
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round) {
      Registers r;
      const uint64_t a0 = integer_operand(random()), a1 = random(), b0 = integer_operand(random()), b1 = random();
      const uint64_t inputs[] = {0, 0, a0, a1, b0, b1};
      for (unsigned k = 0; k < 6; ++k) {
        for (unsigned l = 0; l < 32; ++l) r.set(k, 8, l, inputs[k]);
      }
      uint64_t carry = random();
      // Registers: sum r0 r1, a r2 r3, b r4 r5.
      const auto step = [&](const char* text, unsigned d, unsigned a, unsigned b) {
        auto prepared = prepare(rows, text);
        ASSERT_TRUE(prepared) << text;
        prepared->instr.op[0] = Registers::offset(d);
        prepared->instr.op[1] = Registers::offset(a);
        prepared->instr.op[2] = Registers::offset(b);
        execute(*prepared, r, 0xffffffff, carry);
      };
      const Long a = static_cast<Long>(a1) << 64 | a0, b = static_cast<Long>(b1) << 64 | b0;
      step("add.cc.u64", 0, 2, 4);
      step("addc.u64", 1, 3, 5);
      ASSERT_EQ((static_cast<Long>(r.get(1, 8, 3)) << 64 | r.get(0, 8, 3)) == a + b, true) << isa;
      step("sub.cc.u64", 0, 2, 4);
      step("subc.u64", 1, 3, 5);
      ASSERT_EQ((static_cast<Long>(r.get(1, 8, 3)) << 64 | r.get(0, 8, 3)) == a - b, true) << isa;
    }
  }
}

TEST(BitRows, follow_their_bit_by_bit_definitions) {
  const auto bit = [](uint64_t x, uint64_t k) { return x >> k & 1; };
  for (unsigned bits : {32u, 64u}) {
    const std::string width = std::to_string(bits);
    const uint64_t amount = bits == 64 ? 0xffffffff : 0xff;  // of a position or length, as an H200 has it
    for (bool is_signed : {false, true}) {
      compare_with("bfe." + std::string(is_signed ? "s" : "u") + width, integer_operand,
                   [&](const std::vector<uint64_t>& s) {
                     const uint64_t pos = s[1] & amount, len = s[2] & amount, msb = bits - 1;
                     const uint64_t sign = !is_signed || len == 0 ? 0 : bit(s[0], std::min(pos + len - 1, msb));
                     uint64_t d = 0;
                     for (uint64_t i = 0; i <= msb; ++i)
                       d |= (i < len && pos + i <= msb ? bit(s[0], pos + i) : sign) << i;
                     return d;
                   });
    }
    compare_with("bfi.b" + width, integer_operand, [&](const std::vector<uint64_t>& s) {
      const uint64_t pos = s[2] & amount, len = s[3] & amount;
      uint64_t d = s[1];
      for (uint64_t i = 0; i < len && pos + i < bits; ++i)
        d = (d & ~(uint64_t{1} << (pos + i))) | bit(s[0], i) << (pos + i);
      return d;
    });
    compare_with("popc.b" + width, integer_operand, [&](const std::vector<uint64_t>& s) {
      uint64_t n = 0;
      for (unsigned i = 0; i < bits; ++i) n += bit(s[0], i);
      return n;
    });
    compare_with("brev.b" + width, integer_operand, [&](const std::vector<uint64_t>& s) {
      uint64_t d = 0;
      for (unsigned i = 0; i < bits; ++i) d |= bit(s[0], i) << (bits - 1 - i);
      return d;
    });
    compare_with("bfind.s" + width, integer_operand, [&](const std::vector<uint64_t>& s) {
      for (unsigned i = bits; i-- > 0;) {
        if (bit(s[0], i) != bit(s[0], bits - 1)) return static_cast<uint64_t>(i);
      }
      return ~uint64_t{0};
    });
  }
  compare_with("prmt.b32", integer_operand, [&](const std::vector<uint64_t>& s) {
    uint64_t d = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const uint64_t selector = s[2] >> 4 * k & 15, from = selector & 7;
      uint64_t byte = (from < 4 ? s[0] >> 8 * from : s[1] >> 8 * (from - 4)) & 0xff;
      if (selector & 8) byte = byte & 0x80 ? 0xff : 0;
      d |= byte << 8 * k;
    }
    return d;
  });
}

TEST(BitRows, lop3_gives_every_table) {
  for (std::string_view isa : hosts()) {
    for (const Row& row : *rows_of(isa)) {
      if (!row.syntax.starts_with("lop3.b32")) continue;
      for (int64_t lut = 0; lut < 256; ++lut) {
        const auto prepared = prepare(row, {"b32"}, {{}, {0, 0, 0, lut}});
        ASSERT_TRUE(prepared);
        Registers r;
        for (unsigned l = 0; l < 32; ++l) {
          r.set(1, 4, l, 0xf0);
          r.set(2, 4, l, 0xcc);
          r.set(3, 4, l, 0xaa);
        }
        uint64_t carry = 0;
        execute(*prepared, r, 0xffffffff, carry);
        ASSERT_EQ(r.get(0, 4, 31) & 0xff, static_cast<uint64_t>(lut)) << isa;
      }
    }
  }
}

}  // namespace
}  // namespace bankshot::simt::testing

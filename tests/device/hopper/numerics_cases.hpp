// Cases for `numerics`: operands of dot products, in groups that each tell one thing (p, q, r are places in the row):
//   near       exponents within 4 of each other
//   wide       exponents over the whole range
//   bits       random codes, among them NaN and infinity
//   window     products 0..40 binary places below the largest, c from 10 above to 40 below
//   cancel     +x at p, -x at r, a product d = 0..45 places lower at q: what of it survives
//   cancel_c   the same with c in place of the product at r
//   small_c    +x at p, -x at r, and c d places lower
//   round_c    c with a full mantissa and one product 30 below to 30 above
//   round      one product of 1 and others d places lower, all of one sign or of both
//   ties       products that lie halfway between two results
//   subnormal  results at the lower end of the accumulator's range, subnormal operands
//   overflow   results at its upper end
//   special    infinities, NaN with payloads, zeros, largest and smallest numbers
//   zeros      signs of zeros
//   only_c     products of zero, c random
//   sticky     a tie of the result, broken by products at the last places that are kept
//   tiny       several products just below the accumulator's least number, beside a subnormal one
//   unused     tf32: the 13 low bits are random
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "common.hpp"
#include "number.hpp"

namespace hopper {

struct Case {
  const char* group;
  uint32_t a[8], b[8], c;  ///< 32 bytes of each operand
};

struct Types {
  Format a, b, d;
};

class Generator {
 public:
  Generator(const Types& types, uint64_t seed) : types_(types), count_(32 / types.a.bytes), random_(seed) {}

  std::vector<Case> cases() {
    const auto group = [&](const char* name, int count, auto make) {
      for (int i = 0; i < count; ++i) {
        current_ = {name, {}, {}, 0};
        make(i);
        all_.push_back(current_);
      }
    };
    const Format& d = types_.d;
    group("near", 200, [&](int) {
      for (int k = 0; k < count_; ++k)
        set_a(k, number(types_.a, random_.between(-2, 2))), set_b(k, number(types_.b, random_.between(-2, 2)));
      current_.c = number(d, random_.between(-4, 4));
    });
    group("wide", 200, [&](int) {
      for (int k = 0; k < count_; ++k) set_a(k, anywhere(types_.a)), set_b(k, anywhere(types_.b));
      current_.c = random_.below(2) ? anywhere(d) : 0;
    });
    group("bits", 100, [&](int) {
      for (uint32_t& word : current_.a) word = random_.bits();
      for (uint32_t& word : current_.b) word = random_.bits();
      current_.c = code_mask(d) & random_.bits();
    });
    group("window", 500, [&](int) {
      const int top = any_top(), width = random_.between(4, 40), used = random_.between(1, count_);
      for (int k = 0; k < used; ++k) product(random_.below(count_), top - random_.below(width + 1));
      if (random_.below(3)) current_.c = number(d, top - random_.between(-10, 40));
    });
    group("cancel", 600, [&](int i) {
      const int top = any_top();
      int p, q, r;
      places(p, q, r);
      opposite(p, r, top);
      product(q, top - i % 46);
      if (random_.below(4) == 0) current_.c = number(d, top - random_.below(46));
    });
    group("cancel_c", 400, [&](int i) {
      const int top = any_top();
      int p, q, r;
      places(p, q, r);
      const bool negative = random_.below(2);
      power(p, top, negative);
      current_.c = encode(d, !negative, top, 0);
      product(q, top - i % 46);
      if (random_.below(2)) product(r, top - random_.below(46));
    });
    group("small_c", 300, [&](int i) {
      const int top = any_top();
      int p, q, r;
      places(p, q, r);
      opposite(p, r, top);
      current_.c = number(d, top - i % 46);
      if (random_.below(4) == 0) product(q, top - random_.below(46));
    });
    group("round_c", 300, [&](int i) {
      const int top = random_.between(-8, 8);
      current_.c = number(d, top);
      product(random_.below(count_), top - 30 + i % 61);
    });
    group("round", 400, [&](int i) {
      const int top = any_top(), sign = random_.below(3);
      const int p = random_.below(count_), used = random_.between(1, count_ - 1);
      power(p, top, random_.below(2));
      for (int k = 0, q = p; k < used; ++k) {
        q = (q + 1) % count_;
        power(q, top - i % 40, sign == 2 ? random_.below(2) : sign);
      }
    });
    group("ties", 300, [&](int i) {
      const int top = any_top(), ulp = top - d.mantissa_bits;
      int p, q, r;
      places(p, q, r);
      const bool negative = random_.below(2), odd = random_.below(2);
      if (i % 2) {
        current_.c =
            encode(d, negative, top, (odd ? 1u << (32 - d.mantissa_bits) : 0) | (random_.below(2) ? 0x40000000 : 0));
      } else {
        power(p, top, negative);
        if (odd) current_.c = encode(d, negative, ulp, 0);
      }
      power(q, ulp - 1, random_.below(2));
      if (random_.below(2)) power(r, ulp - 2 - random_.below(12), random_.below(2));
    });
    group("subnormal", 300, [&](int) {
      const int low = d.lowest() - d.mantissa_bits;
      const int least = types_.a.lowest() + types_.b.lowest() - types_.a.mantissa_bits - types_.b.mantissa_bits;
      const int used = random_.between(1, count_);
      for (int k = 0; k < used; ++k) product(random_.below(count_), std::max(low, least) + random_.between(-3, 30));
      if (random_.below(2))
        current_.c = code_mask(d) & (random_.bits() & (d.sign_bit() | ((2u << d.mantissa_bits) - 1)));
    });
    group("overflow", 200, [&](int) {
      const int most = std::min(d.highest(), types_.a.highest() + types_.b.highest());
      const int used = random_.between(1, count_);
      for (int k = 0; k < used; ++k) product(random_.below(count_), most + random_.between(-4, 1));
      if (random_.below(2)) current_.c = number(d, d.highest() - random_.below(3));
    });
    group("special", 300, [&](int) {
      const int used = random_.between(1, 4);
      for (int k = 0; k < count_; ++k)
        set_a(k, encode(types_.a, random_.below(2), 0, 0)), set_b(k, encode(types_.b, random_.below(2), 0, 0));
      for (int k = 0; k < used; ++k)
        (random_.below(2) ? set_a(random_.below(count_), special(types_.a))
                          : set_b(random_.below(count_), special(types_.b)));
      current_.c = random_.below(2) ? special(d) : number(d, 0);
    });
    group("zeros", 60, [&](int i) {
      for (int k = 0; k < count_; ++k) {
        const int sign = i % 3 == 2 ? random_.below(2) : i % 3;
        set_a(k, random_.below(2) ? encode(types_.a, sign, 0, 0) : sign ? types_.a.sign_bit() : 0);
        set_b(k, 0);
      }
      current_.c = random_.below(2) ? d.sign_bit() : 0;
    });
    group("sticky", 400, [&](int i) {
      const int top = any_top(), p = random_.below(count_), large = i % 2;  // 1.5 x 1.5 is a binade higher
      const bool negative = random_.below(2);
      int x, y;
      split(top, x, y);
      set_a(p, encode(types_.a, negative, x, large ? 1u << 31 : 0));
      set_b(p, encode(types_.b, false, y, large ? 1u << 31 : 0));
      const int half = top + large - d.mantissa_bits - 1;
      int q = (p + 1 + random_.below(count_ - 1)) % count_;
      if (i % 4 < 2)
        power(q, half, negative);
      else
        current_.c = encode(d, negative, half, 0);
      for (int k = 0, used = random_.between(1, 3); k < used; ++k) {
        const int r = (q + 1 + k) % count_;
        if (r != p && r != q) power(r, top - random_.between(11, 28), random_.below(4) ? negative : !negative);
      }
    });
    group("tiny", 300, [&](int i) {
      const int low = d.lowest() - d.mantissa_bits, used = random_.between(2, count_);
      for (int k = 0; k < used; ++k)
        random_.below(2) ? product(random_.below(count_), low - random_.below(5))
                         : power(random_.below(count_), low - random_.below(5), i % 3 == 0);
      if (i % 2) current_.c = random_.below(1 << random_.between(1, d.mantissa_bits)) | (i % 4 == 1 ? d.sign_bit() : 0);
    });
    group("only_c", 100, [&](int i) {
      set_a(random_.below(count_), number(types_.a, 0));
      current_.c = i % 2 ? code_mask(d) & random_.bits() : number(d, random_.between(-20, 20));
    });
    if (types_.a.unused_bits)
      group("unused", 100, [&](int) {
        for (int k = 0; k < count_; ++k)
          set_a(k, number(types_.a, random_.between(-2, 2)) | (random_.bits() & 0x1fff)),
              set_b(k, number(types_.b, random_.between(-2, 2)) | (random_.bits() & 0x1fff));
      });
    return all_;
  }

 private:
  static uint32_t code_mask(const Format& f) { return f.sign_bit() | (f.sign_bit() - 1); }
  void set(uint32_t* words, int k, int bytes, uint32_t code) {
    std::memcpy(reinterpret_cast<char*>(words) + k * bytes, &code, bytes);
  }
  void set_a(int k, uint32_t code) { set(current_.a, k, types_.a.bytes, code); }
  void set_b(int k, uint32_t code) { set(current_.b, k, types_.b.bytes, code); }
  /// 1.0, all ones, one more than 1.0, or random.
  uint32_t fraction(const Format& f) {
    switch (random_.below(5)) {
      case 0: return 0;
      case 1: return ~0u;
      case 2: return 1u << (32 - f.mantissa_bits);
      default: return random_.bits();
    }
  }
  uint32_t number(const Format& f, int exponent) { return encode(f, random_.below(2), exponent, fraction(f)); }
  uint32_t anywhere(const Format& f) { return number(f, random_.between(f.lowest() - f.mantissa_bits, f.highest())); }
  uint32_t special(const Format& f) {
    const uint32_t sign = random_.below(2) ? f.sign_bit() : 0;
    switch (random_.below(8)) {
      case 0:
      case 1: return sign | f.infinity();
      case 2:
        return sign | f.infinity() |
               (f.finite_only ? 0 : (1 + random_.below((1 << f.mantissa_bits) - 1)) << f.unused_bits);
      case 3: return sign | (f.infinity() - (1u << f.unused_bits));
      case 4: return sign | (1u << f.unused_bits);
      case 5: return sign | ((1u << f.mantissa_bits) - 1) << f.unused_bits;
      default: return sign;
    }
  }
  /// Splits an exponent of a product among the factors, as evenly as their ranges allow, at random otherwise.
  void split(int exponent, int& of_a, int& of_b) {
    const int low_a = std::max(types_.a.lowest(), exponent - types_.b.highest()),
              high_a = std::min(types_.a.highest(), exponent - types_.b.lowest());
    of_a = low_a <= high_a ? random_.between(low_a, high_a)
           : exponent < 0  ? types_.a.lowest() - random_.below(types_.a.mantissa_bits + 1)
                           : types_.a.highest();
    of_b = exponent - of_a;
  }
  void product(int k, int exponent) {
    int x, y;
    split(exponent, x, y);
    set_a(k, number(types_.a, x));
    set_b(k, number(types_.b, y));
  }
  void power(int k, int exponent, bool negative) {
    int x, y;
    split(exponent, x, y);
    set_a(k, encode(types_.a, negative, x, 0));
    set_b(k, encode(types_.b, false, y, 0));
  }
  void opposite(int p, int r, int exponent) {
    const bool negative = random_.below(2);
    power(p, exponent, negative);
    power(r, exponent, !negative);
  }
  void places(int& p, int& q, int& r) {
    p = random_.below(count_);
    do q = random_.below(count_);
    while (q == p);
    do r = random_.below(count_);
    while (r == p || r == q);
  }
  /// An exponent for the largest product that leaves room below it, and that c can have.
  int any_top() {
    const int most = std::min({types_.a.highest() + types_.b.highest(), types_.d.highest(), 40}) - 2;
    return random_.between(std::min(most, 0), most);
  }

  Types types_;
  int count_;
  Random random_;
  Case current_{};
  std::vector<Case> all_;
};

inline std::vector<Case> integer_cases(uint64_t seed, bool bits) {
  Random random(seed);
  std::vector<Case> all;
  for (int i = 0; i < 384; ++i) {
    Case x{"random", {}, {}, random.bits()};
    for (uint32_t& w : x.a) w = random.bits();
    for (uint32_t& w : x.b) w = random.bits();
    if (i % 4 == 1) x.group = "small_c", x.c = random.below(1000) - 500;
    if (i % 4 == 2 && !bits) {
      const uint32_t extreme[] = {0x7f7f7f7f, 0x80808080, 0xffffffff};
      x.group = "extreme", x.c = 0x7fffffff - random.below(3);
      for (uint32_t& w : x.a) w = extreme[i / 4 % 3];
      for (uint32_t& w : x.b) w = extreme[i / 12 % 3];
      if (i % 8 == 2) x.c = 0x80000000 + random.below(3);
    }
    all.push_back(x);
  }
  return all;
}

}  // namespace hopper

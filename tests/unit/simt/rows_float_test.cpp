// Float rows against the C library in the same rounding mode.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <random>

#include "rows_reference.hpp"

namespace bankshot::simt::testing {
namespace {

float to_float(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
double to_double(uint64_t bits) { return std::bit_cast<double>(bits); }

uint64_t float_operand(uint64_t seed) {
  std::mt19937_64 random(seed);
  random.discard(3);
  const uint64_t kind = random() % 8, bits = random();
  if (kind == 0) return (bits & 0x807fffff) | (bits >> 40) % 3 << 23;           // subnormal and tiny
  if (kind == 1) return (bits & 0x807fffff) | (0xfd + (bits >> 40) % 3) << 23;  // huge, infinite, NaN
  if (kind == 2) return bits & 0x80000000;
  if (kind == 3) return bits & 0xffffffff;
  return (bits & 0x807fffff) | (127 - 13 + (bits >> 40) % 26) << 23;
}
uint64_t double_operand(uint64_t seed) {
  std::mt19937_64 random(seed);
  random.discard(3);
  const uint64_t kind = random() % 8, bits = random(), exponent = random();
  if (kind == 0) return (bits & 0x800fffffffffffff) | exponent % 3 << 52;
  if (kind == 1) return (bits & 0x800fffffffffffff) | (0x7fd + exponent % 2) << 52;
  if (kind == 2) return bits & 0x8000000000000000;
  if (kind == 3 && (bits & 0x7ff0000000000000) != 0x7ff0000000000000) return bits;
  return (bits & 0x800fffffffffffff) | (1023 - 28 + exponent % 56) << 52;
}

constexpr std::pair<const char*, int> kRoundings[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

template <class T, class F>
T in_fenv_mode(int mode, F f) {
  std::fesetround(mode);
  volatile T result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(FloatRows, single_precision_rounds_the_exact_result_once) {
  const auto bits = [](float x) { return std::isnan(x) ? uint64_t{0x7fffffff} : uint64_t{std::bit_cast<uint32_t>(x)}; };
  for (const auto& [name, mode] : kRoundings) {
    const std::string suffix = std::string(".") + name + ".f32";
    // Sums and products of floats are exact in 64 bits of mantissa unless far apart; fma of the C library is exact.
    const auto rule = [&, mode = mode](auto f) {
      return [f, mode, &bits](const std::vector<uint64_t>& s) {
        volatile float a = to_float(s[0]), b = s.size() > 1 ? to_float(s[1]) : 0, c = s.size() > 2 ? to_float(s[2]) : 0;
        return bits(in_fenv_mode<float>(mode, [&] { return f(a, b, c); }));
      };
    };
    compare_with("add" + suffix, float_operand, rule([](float a, float b, float) { return std::fma(a, 1.0f, b); }));
    compare_with("sub" + suffix, float_operand, rule([](float a, float b, float) { return std::fma(b, -1.0f, a); }));
    compare_with("fma" + suffix, float_operand, rule([](float a, float b, float c) { return std::fma(a, b, c); }), 200);
    compare_with("mul" + suffix, float_operand, rule([](float a, float b, float) {
                   volatile double product = static_cast<double>(a) * static_cast<double>(b);
                   return static_cast<float>(product);
                 }));
    compare_with("sqrt" + suffix, float_operand, rule([](float a, float, float) {
                   volatile float x = a;
                   return std::sqrt(x);
                 }));
    compare_with("div" + suffix, float_operand, rule([](float a, float b, float) {
                   volatile float x = a, y = b;
                   return x / y;
                 }));
  }
}

TEST(FloatRows, double_precision_rounds_the_exact_result_once) {
  const auto bits = [](double x) { return std::isnan(x) ? uint64_t{0xfff8000000000000} : std::bit_cast<uint64_t>(x); };
  for (const auto& [name, mode] : kRoundings) {
    compare_with(
        std::string("fma.") + name + ".f64", double_operand,
        [&, mode = mode](const std::vector<uint64_t>& s) {
          volatile double a = to_double(s[0]), b = to_double(s[1]), c = to_double(s[2]);
          return bits(in_fenv_mode<double>(mode, [&] { return std::fma(a, b, c); }));
        },
        400);
    compare_with(std::string("add.") + name + ".f64", double_operand, [&, mode = mode](const std::vector<uint64_t>& s) {
      volatile double a = to_double(s[0]), b = to_double(s[1]);
      return bits(in_fenv_mode<double>(mode, [&] { return a + b; }));
    });
  }
}

TEST(FloatRows, ftz_flushes_operands_and_results) {
  const auto flush = [](float x) { return std::fabs(x) < 1.17549435e-38f ? std::copysign(0.0f, x) : x; };
  const auto bits = [](float x) { return std::isnan(x) ? uint64_t{0x7fffffff} : uint64_t{std::bit_cast<uint32_t>(x)}; };
  for (const char* op : {"add.ftz.f32", "mul.ftz.f32", "fma.rn.ftz.f32"}) {
    compare_with(op, float_operand, [&](const std::vector<uint64_t>& s) {
      const float a = flush(to_float(s[0])), b = flush(to_float(s[1])), c = s.size() > 2 ? flush(to_float(s[2])) : 0;
      return bits(flush(op[0] == 'a' ? std::fma(a, 1.0f, b) : op[0] == 'm' ? a * b : std::fma(a, b, c)));
    });
  }
}

TEST(FloatRows, comparisons_are_false_or_true_with_nan) {
  const std::pair<const char*, bool (*)(float, float)> kOperators[] = {
      {"eq", [](float a, float b) { return a == b; }},
      {"ne", [](float a, float b) { return a < b || a > b; }},
      {"lt", [](float a, float b) { return a < b; }},
      {"le", [](float a, float b) { return a <= b; }},
      {"gt", [](float a, float b) { return a > b; }},
      {"ge", [](float a, float b) { return a >= b; }},
      {"num", [](float a, float b) { return a == a && b == b; }},
  };
  const std::pair<const char*, int> kOpposites[] = {{"neu", 0}, {"equ", 1}, {"geu", 2}, {"gtu", 3},
                                                    {"leu", 4}, {"ltu", 5}, {"nan", 6}};
  for (const auto& [name, rule] : kOperators) {
    compare_with(std::string("setp.") + name + ".f32", float_operand, [rule = rule](const std::vector<uint64_t>& s) {
      return uint64_t{rule(to_float(s[1]), to_float(s[2]))};  // s[0] is q
    });
  }
  for (const auto& [name, k] : kOpposites) {
    compare_with(std::string("setp.") + name + ".f32", float_operand,
                 [rule = kOperators[k].second](const std::vector<uint64_t>& s) {
                   return uint64_t{!rule(to_float(s[1]), to_float(s[2]))};
                 });
  }
}

}  // namespace
}  // namespace bankshot::simt::testing

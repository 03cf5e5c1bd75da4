// The accuracy of approximate instructions against what the PTX manual promises ("Floating Point Instructions").
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "rows_harness.hpp"

namespace bankshot::simt::testing {
namespace {

/// The results of a one-operand f32 instruction.
std::vector<float> run(const char* text, const std::vector<float>& inputs) {
  const auto prepared = prepare(*rows_of(best_isa()), text);
  if (!prepared) throw std::runtime_error(text);
  std::vector<float> out;
  for (size_t begin = 0; begin < inputs.size(); begin += 32) {
    Registers r;
    for (unsigned l = 0; l < 32; ++l)
      r.set(1, 4, l, std::bit_cast<uint32_t>(inputs[std::min(begin + l, inputs.size() - 1)]));
    uint64_t carry = 0;
    execute(*prepared, r, 0xffffffff, carry);
    for (unsigned l = 0; l < 32 && begin + l < inputs.size(); ++l)
      out.push_back(std::bit_cast<float>(static_cast<uint32_t>(r.get(0, 4, l))));
  }
  return out;
}

/// Random numbers with exponents from `low` to `high` of 2; of both signs if wanted.
std::vector<float> numbers(int low, int high, bool negative) {
  std::mt19937 random(1);
  std::vector<float> out;
  for (int k = 0; k < 100000; ++k) {
    const uint32_t exponent =
        static_cast<uint32_t>(low + 127 + static_cast<int>(random() % static_cast<unsigned>(high - low + 1)));
    const uint32_t sign = negative ? static_cast<uint32_t>(random()) & 0x80000000 : 0;
    out.push_back(std::bit_cast<float>((static_cast<uint32_t>(random()) & 0x7fffff) | exponent << 23 | sign));
  }
  return out;
}
std::vector<float> between(double low, double high) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> distribution(low, high);
  std::vector<float> out;
  for (int k = 0; k < 100000; ++k) out.push_back(static_cast<float>(distribution(random)));
  return out;
}

using Exact = std::function<double(double)>;

double worst_absolute(const char* text, const std::vector<float>& inputs, const Exact& exact) {
  const std::vector<float> results = run(text, inputs);
  double worst = 0;
  for (size_t k = 0; k < inputs.size(); ++k) worst = std::max(worst, std::fabs(results[k] - exact(inputs[k])));
  return worst;
}
double worst_relative(const char* text, const std::vector<float>& inputs, const Exact& exact) {
  const std::vector<float> results = run(text, inputs);
  double worst = 0;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const double e = exact(inputs[k]);
    if (std::fabs(e) >= 0x1p-126 && std::fabs(e) < 0x1p127)
      worst = std::max(worst, std::fabs(results[k] - e) / std::fabs(e));
  }
  return worst;
}

TEST(ApproximateRows, are_as_accurate_as_promised) {
  const double kPi = 3.14159265358979323846;
  EXPECT_LT(worst_absolute("sin.approx.f32", between(-2 * kPi, 2 * kPi), [](double x) { return std::sin(x); }),
            std::exp2(-20.5));
  EXPECT_LT(worst_absolute("cos.approx.f32", between(-2 * kPi, 2 * kPi), [](double x) { return std::cos(x); }),
            std::exp2(-20.5));
  EXPECT_LT(worst_absolute("sin.approx.f32", between(-100 * kPi, 100 * kPi), [](double x) { return std::sin(x); }),
            std::exp2(-14.7));
  EXPECT_LT(worst_absolute("cos.approx.f32", between(-100 * kPi, 100 * kPi), [](double x) { return std::cos(x); }),
            std::exp2(-14.7));
  EXPECT_LT(worst_absolute("lg2.approx.f32", between(0.5, 2), [](double x) { return std::log2(x); }), std::exp2(-22));
  EXPECT_LT(worst_relative("lg2.approx.f32", numbers(-126, 127, false), [](double x) { return std::log2(x); }),
            std::exp2(-22));
  EXPECT_LT(worst_relative("ex2.approx.f32", between(-126, 127), [](double x) { return std::exp2(x); }),
            std::exp2(-22));
  EXPECT_LT(worst_relative("rsqrt.approx.f32", numbers(-126, 127, false), [](double x) { return 1 / std::sqrt(x); }),
            std::exp2(-22.9));
  EXPECT_LT(worst_relative("sqrt.approx.f32", numbers(-126, 127, false), [](double x) { return std::sqrt(x); }),
            std::exp2(-23));
  EXPECT_LT(worst_relative("rcp.approx.f32", numbers(-125, 125, true), [](double x) { return 1 / x; }), std::exp2(-23));
  EXPECT_LT(worst_relative("tanh.approx.f32", numbers(-126, 5, true), [](double x) { return std::tanh(x); }),
            std::exp2(-11));
}

TEST(ApproximateRows, elementary_functions_are_rounded_correctly_but_for_ties_and_near_ties) {
  // 2^-24 is half a unit of the last place; the polynomials add less than 2^-30.
  const double kNearlyExact = std::exp2(-24) + std::exp2(-30);
  EXPECT_LT(worst_relative("ex2.approx.f32", between(-126, 127), [](double x) { return std::exp2(x); }), kNearlyExact);
  EXPECT_LT(worst_relative("lg2.approx.f32", numbers(-126, 127, false), [](double x) { return std::log2(x); }),
            kNearlyExact);
  EXPECT_LT(worst_relative("tanh.approx.f32", numbers(-7, 5, true), [](double x) { return std::tanh(x); }),
            std::exp2(-19.9));
}

/// x/2π as GPUs have it: to the float towards zero, and whole 2^-25.
double turns_of(double x) {
  const double product = x * static_cast<double>(0x1.45f306p-3F);
  auto turns = static_cast<float>(product);
  if (std::fabs(static_cast<double>(turns)) > std::fabs(product)) turns = std::nextafter(turns, 0.0F);
  return std::trunc(static_cast<double>(turns) * 0x1p25) * 0x1p-25;
}

TEST(ApproximateRows, sine_is_rounded_correctly_after_the_reduction_of_gpus) {
  const double k2Pi = 6.28318530717958647693, kHalfUnit = std::exp2(-25) + std::exp2(-30);
  EXPECT_LT(worst_absolute("sin.approx.f32", numbers(-40, 23, true),
                           [&](double x) { return std::sin(k2Pi * std::fmod(turns_of(x), 1)); }),
            kHalfUnit);
  EXPECT_LT(worst_absolute("cos.approx.f32", numbers(-40, 23, true),
                           [&](double x) { return std::cos(k2Pi * std::fmod(turns_of(x), 1)); }),
            kHalfUnit);
}

TEST(ApproximateRows, sine_is_that_of_an_h200_also_far_from_0) {
  const auto bits = [](uint32_t x) { return std::bit_cast<float>(x); };
  // Arguments and results of an H200, which are within 2^-21.6 of those of the reduced argument.
  const std::vector<std::pair<uint32_t, uint32_t>> sine = {
      {0x43000000, 0x3f389626}, {0x42ffffff, 0x3f3896b2}, {0x437fffff, 0xbf7fcc02}};
  const std::vector<std::pair<uint32_t, uint32_t>> cosine = {
      {0x43000001, 0xbf3161f1}, {0x437fffff, 0xbd231f5c}, {0x47000000, 0x3ebf9268}, {0x456730a2, 0xbe3d5ccd}};
  for (const auto& [text, results] : {std::pair{"sin.approx.f32", sine}, std::pair{"cos.approx.f32", cosine}}) {
    for (const auto& [x, d] : results) EXPECT_NEAR(run(text, {bits(x)})[0], bits(d), 0x1p-21) << text << x;
  }
  // 1.8e18, 2^64, 2^-24 and 8388609, whose 1335088.5 turns end at -0.
  EXPECT_EQ(std::bit_cast<uint32_t>(run("sin.approx.f32", {bits(0x5dc9e176)})[0]), 0u);
  EXPECT_EQ(run("cos.approx.f32", {bits(0x5f800000)})[0], 1.0F);
  EXPECT_EQ(std::bit_cast<uint32_t>(run("sin.approx.f32", {bits(0xb3800000)})[0]), 0x80000000u);
  EXPECT_EQ(std::bit_cast<uint32_t>(run("sin.approx.f32", {bits(0x4b000001)})[0]), 0x80000000u);
}

TEST(ApproximateRows, sine_stays_within_one_for_any_number) {
  for (float y : run("sin.approx.f32", numbers(20, 127, true))) ASSERT_LE(std::fabs(y), 1.0f);
  for (float y : run("cos.approx.f32", numbers(20, 127, true))) ASSERT_LE(std::fabs(y), 1.0f);
}

}  // namespace
}  // namespace bankshot::simt::testing

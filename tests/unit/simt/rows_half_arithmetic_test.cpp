// Arithmetic of f16 and bf16 against exact references.
#include <random>

#include "rows_half_runner.hpp"

namespace bankshot::simt::testing {
namespace {

class HalfArithmetic : public OnEachIsa {};
BANKSHOT_ON_EACH_ISA(HalfArithmetic);

std::vector<uint64_t> random_halves(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  constexpr uint64_t kEdges[] = {0,      0x8000, 1,      0x8001, 0x3ff, 0x400,  0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00,
                                 0xfc00, 0x7e00, 0x3c01, 0x7f,   0x80,  0x3f80, 0xbf80, 0x7f7f, 0x7f80, 0xff80, 0x7fc0};
  std::vector<uint64_t> values;
  for (size_t k = 0; k < count; ++k)
    values.push_back(random() % 8 == 0 ? kEdges[random() % std::size(kEdges)] : random() & 0xffff);
  return values;
}

struct Special {
  const HalfFormat& format;
  /// For references in long double, whose infinities must be true ones.
  long double operator()(uint64_t h) const {
    if (format.is_nan(h)) return NAN;
    if ((h & 0x7fff) == format.infinity()) return h & 0x8000 ? -INFINITY : INFINITY;
    return format.value(h);
  }
};

/// Sum of p and c and the sign of its rounding error: Knuth's.
std::pair<long double, int> add(long double p, long double c) {
  const long double s = p + c, t = s - p, error = (p - (s - t)) + (c - t);
  return {s, std::isfinite(s) ? (error > 0) - (error < 0) : 0};
}

template <class Reference>
void expect_binary(std::string_view isa, const std::string& text, const HalfFormat& format, Reference reference) {
  Runner run(isa, text);
  const auto a = random_halves(100'000, 1), b = random_halves(100'000, 2);
  const auto d = run({a, b});
  const Special value{format};
  for (size_t k = 0; k < d.size(); ++k) {
    ASSERT_EQ(d[k], format.round(reference(value(a[k]), value(b[k]))))
        << text << std::hex << " " << a[k] << " " << b[k];
  }
}

TEST_P(HalfArithmetic, sums_differences_and_products_are_rounded_once) {
  // long double has 64 bits of mantissa: f16 sums and products are exact in it, and for bf16 64 >= 2 * 8 + 2.
  for (const auto& [type, format] : {std::pair{"f16", kF16}, std::pair{"bf16", kBf16}}) {
    expect_binary(GetParam(), std::string("add.") + type, format, [](long double a, long double b) { return a + b; });
    expect_binary(GetParam(), std::string("sub.") + type, format, [](long double a, long double b) { return a - b; });
    expect_binary(GetParam(), std::string("mul.") + type, format, [](long double a, long double b) { return a * b; });
  }
}

TEST_P(HalfArithmetic, fma_is_rounded_once) {
  for (const auto& [type, format] : {std::pair{"f16", kF16}, std::pair{"bf16", kBf16}}) {
    Runner run(GetParam(), std::string("fma.rn.") + type);
    auto a = random_halves(400'000, 3), b = random_halves(400'000, 4), c = random_halves(400'000, 5);
    const Special value{format};
    std::mt19937 random(6);
    for (size_t k = 0; k < a.size(); ++k) {
      // Half of the time, a c near the product, so that bits cancel.
      if (k % 2 != 0) c[k] = format.round(-value(a[k]) * value(b[k])) + random() % 5 - 2, c[k] &= 0xffff;
    }
    const auto d = run({a, b, c});
    for (size_t k = 0; k < d.size(); ++k) {
      const auto [sum, error] = add(value(a[k]) * value(b[k]), value(c[k]));
      ASSERT_EQ(d[k], format.round(sum, "rn", error)) << type << std::hex << " " << a[k] << " " << b[k] << " " << c[k];
    }
  }
}

TEST_P(HalfArithmetic, fma_sees_a_tiny_addend_behind_a_tie) {
  Runner f16(GetParam(), "fma.rn.f16"), bf16(GetParam(), "fma.rn.bf16");
  const uint64_t three = 0x4200, n683 = kF16.round(683);
  EXPECT_EQ(f16({{three, three, three}, {n683, n683, n683}, {0, 1, 0x8001}}),  // 2049 lies between 2048 and 2050
            (std::vector<uint64_t>{kF16.round(2048), kF16.round(2050), kF16.round(2048)}));
  const uint64_t seven = kBf16.round(7), n37 = kBf16.round(37);
  EXPECT_EQ(bf16({{seven, seven, seven}, {n37, n37, n37}, {0, 1, 0x8001}}),  // 259 lies between 258 and 260
            (std::vector<uint64_t>{kBf16.round(260), kBf16.round(260), kBf16.round(258)}));
}

TEST_P(HalfArithmetic, subnormal_numbers_count_unless_flushed) {
  EXPECT_EQ(Runner(GetParam(), "add.f16")({{1, 0x3ff}, {1, 1}}), (std::vector<uint64_t>{2, 0x400}));
  EXPECT_EQ(Runner(GetParam(), "add.ftz.f16")({{1, 0x8001, 0x3c00}, {1, 0x8000, 0x3ff}}),
            (std::vector<uint64_t>{0, 0x8000, 0x3c00}));
  EXPECT_EQ(Runner(GetParam(), "mul.ftz.f16")({{0x400, 0x8400}, {0x3800, 0x3800}}), (std::vector<uint64_t>{0, 0x8000}));
  EXPECT_EQ(Runner(GetParam(), "add.bf16")({{1}, {1}}), (std::vector<uint64_t>{2}));
}

TEST_P(HalfArithmetic, saturates_and_rectifies) {
  EXPECT_EQ(Runner(GetParam(), "add.sat.f16")({{0x3c00, 0xbc00, 0x7e00, 0x3800}, {0x3c00, 0, 0, 0}}),
            (std::vector<uint64_t>{0x3c00, 0, 0, 0x3800}));
  EXPECT_EQ(Runner(GetParam(), "fma.rn.relu.bf16")({{0xbf80, 0x7fc0, 0x8000}, {0x3f80, 0, 0x3f80}, {0, 0, 0x8000}}),
            (std::vector<uint64_t>{0, 0x7fff, 0}));
}

TEST_P(HalfArithmetic, both_halves_of_a_pair_are_computed) {
  EXPECT_EQ(Runner(GetParam(), "add.f16x2")({{0x3c004000}, {0x3c003c00}}), (std::vector<uint64_t>{0x40004200}));
  EXPECT_EQ(Runner(GetParam(), "fma.rn.bf16x2")({{0x40003f80}, {0x40403f80}, {0x3f800000}}),
            (std::vector<uint64_t>{0x40e03f80}));
}

TEST_P(HalfArithmetic, extrema_follow_the_manual_for_all_pairs_of_specials) {
  const auto values = random_halves(200, 7);
  for (const auto& [type, format] : {std::pair{std::string("f16"), kF16}, std::pair{std::string("bf16"), kBf16}}) {
    for (const bool most : {false, true}) {
      for (const std::string modifiers : {".", ".NaN.", ".xorsign.abs.", ".NaN.xorsign.abs."}) {
        Runner run(GetParam(), (most ? "max" : "min") + modifiers + type);
        std::vector<uint64_t> a, b;
        for (uint64_t x : values) {
          for (uint64_t y : values) a.push_back(x), b.push_back(y);
        }
        const auto d = run({a, b});
        for (size_t k = 0; k < d.size(); ++k) {
          const bool xorsign = modifiers.find("xor") != std::string::npos,
                     nan = modifiers.find("NaN") != std::string::npos;
          const uint64_t x = xorsign ? a[k] & 0x7fff : a[k], y = xorsign ? b[k] & 0x7fff : b[k];
          uint64_t expected;
          if (format.is_nan(x) && format.is_nan(y))
            expected = 0x7fff;
          else if (nan && (format.is_nan(x) || format.is_nan(y)))
            expected = 0x7fff;
          else if (format.is_nan(x) || format.is_nan(y))
            expected = format.is_nan(x) ? y : x;
          else if (format.value(x) == format.value(y))
            expected = most ? x & y : x | y;  // zeros of both signs
          else
            expected = (format.value(x) > format.value(y)) == most ? x : y;
          if (xorsign && !format.is_nan(expected)) expected |= (a[k] ^ b[k]) & 0x8000;
          ASSERT_EQ(d[k], expected) << modifiers << type << std::hex << " " << a[k] << " " << b[k];
        }
      }
    }
  }
}

TEST_P(HalfArithmetic, signs_of_all_numbers) {
  const auto all = all_halves();
  const auto negated = Runner(GetParam(), "neg.f16")({all}), absolute = Runner(GetParam(), "abs.bf16")({all});
  const auto flushed = Runner(GetParam(), "abs.ftz.f16")({all});
  for (uint64_t h = 0; h < 65536; ++h) {
    const bool nan = (h & 0x7fff) > 0x7c00, bf16_nan = (h & 0x7fff) > 0x7f80;  // canonical, as on an H200
    ASSERT_EQ(negated[h], nan ? 0x7fff : h ^ 0x8000);
    ASSERT_EQ(absolute[h], bf16_nan ? 0x7fff : h & 0x7fff);
    ASSERT_EQ(flushed[h], nan ? 0x7fff : (h & 0x7c00) == 0 ? 0 : h & 0x7fff);
  }
}

TEST_P(HalfArithmetic, approximations_are_within_one_unit_in_the_last_place) {
  const auto all = all_halves();
  for (const auto& [suffix, format] :
       {std::pair{std::string(".approx.f16"), kF16}, std::pair{std::string(".approx.bf16"), kBf16}}) {
    const bool flush = suffix.find("bf16") != std::string::npos;
    const auto ex2 = Runner(GetParam(), flush ? "ex2.approx.ftz.bf16" : "ex2.approx.f16")({all});
    const auto tanh = Runner(GetParam(), "tanh" + suffix)({all});
    const Special value{format};
    for (uint64_t h = 0; h < 65536; ++h) {
      const long double x = value(h), least = format.value(1u << format.mantissa_bits);
      const uint64_t power = format.round(std::exp2(x)), tangent = format.round(std::tanh(x));
      const bool tiny = flush && std::fabs(std::exp2(x)) < least;
      ASSERT_LE(tiny ? ex2[h] : ex2[h] - power + 1, tiny ? 0u : 2u) << suffix << std::hex << " " << h << " " << ex2[h];
      ASSERT_LE(tanh[h] - tangent + 1, 2u) << suffix << std::hex << " " << h << " " << tanh[h] << " " << tangent;
    }
  }
}

TEST(ExtremumForms, rejects_half_of_xorsign_abs) {
  const Rows& rows = *rows_of("portable");
  for (const char* text : {"min.abs.f16", "max.xorsign.f16", "min.NaN.abs.bf16x2", "max.xorsign.f32"}) {
    EXPECT_FALSE(prepare(rows, text)) << text;
  }
  for (const char* text : {"min.xorsign.abs.f16", "max.NaN.xorsign.abs.bf16x2", "min.ftz.xorsign.abs.f32"}) {
    EXPECT_TRUE(prepare(rows, text)) << text;
  }
  EXPECT_FALSE(prepare(rows, "min.abs.f32", 3));
  EXPECT_TRUE(prepare(rows, "min.abs.f32", 4));
}

}  // namespace
}  // namespace bankshot::simt::testing

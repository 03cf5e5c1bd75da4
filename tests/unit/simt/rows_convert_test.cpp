// cvt between all types and in all rounding modes against references in long double, which holds every 64-bit integer,
// every f64 and every midpoint between two f32.
#include <cfenv>
#include <random>

#include "rows_half_runner.hpp"
#include "tests/sanitized.hpp"

namespace bankshot::simt::testing {
namespace {

class Convert : public OnEachIsa {};
BANKSHOT_ON_EACH_ISA(Convert);

struct IntegerType {
  std::string name;
  int bits;
  bool is_signed;
  long double least() const { return is_signed ? -std::ldexp(1.0L, bits - 1) : 0; }
  long double most() const { return std::ldexp(1.0L, is_signed ? bits - 1 : bits) - 1; }
  uint64_t cut(uint64_t x) const { return bits == 64 ? x : x & ((uint64_t{1} << bits) - 1); }
  long double value(uint64_t x) const {
    if (!is_signed) return static_cast<long double>(cut(x));
    return static_cast<long double>(static_cast<int64_t>(x << (64 - bits)) >> (64 - bits));
  }
};
const IntegerType kIntegers[] = {{"u16", 16, false}, {"s16", 16, true},  {"u32", 32, false},
                                 {"s32", 32, true},  {"u64", 64, false}, {"s64", 64, true}};

std::vector<uint64_t> some_integers(unsigned seed) {
  std::vector<uint64_t> values = {0, 1, ~uint64_t{0}};
  for (int shift = 1; shift < 64; ++shift) {
    for (int d = -2; d <= 2; ++d) values.push_back((uint64_t{1} << shift) + static_cast<uint64_t>(d));
  }
  std::mt19937_64 random(seed);
  for (int k = 0; k < 2000; ++k) values.push_back(random() >> random() % 64);
  return values;
}

/// Numbers at which conversions to integers change their mind, infinities and NaN.
std::vector<double> some_floats(unsigned seed) {
  std::vector<double> values = {0.0, -0.0, INFINITY, -INFINITY, NAN, 5e-324, -5e-324, 1e-45, -1e-45, 1e300, -1e300};
  for (double base : {0.0,
                      0.25,
                      0.5,
                      1.0,
                      1.5,
                      2.5,
                      126.5,
                      127.5,
                      128.0,
                      254.5,
                      255.5,
                      256.0,
                      32767.5,
                      32768.5,
                      65535.5,
                      8388607.5,
                      2147483647.0,
                      2147483648.0,
                      4294967295.0,
                      4294967296.0,
                      9223372036854775808.0,
                      18446744073709551616.0}) {
    for (double x : {base, std::nextafter(base, 0.0), std::nextafter(base, 1e30),
                     static_cast<double>(std::nextafter(static_cast<float>(base), 0.0f))}) {
      values.push_back(x);
      values.push_back(-x);
    }
  }
  std::mt19937_64 random(seed);
  for (int k = 0; k < 3000; ++k)
    values.push_back(std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -static_cast<int>(random() % 80)));
  return values;
}

int round_mode(std::string_view mode) {
  return mode.starts_with("rz")   ? FE_TOWARDZERO
         : mode.starts_with("rm") ? FE_DOWNWARD
         : mode.starts_with("rp") ? FE_UPWARD
                                  : FE_TONEAREST;
}

/// f() with the host in a rounding mode, on values that the compiler does not know.
template <class F>
auto in_mode(std::string_view mode, F f) {
  std::fesetround(round_mode(mode));
  asm volatile("" ::: "memory");
  auto result = f();
  asm volatile("" ::: "memory");
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST_P(Convert, floats_to_integers_round_and_clamp) {
  const std::vector<double> values = some_floats(1);
  for (const std::string from : {"f32", "f64", "f16", "bf16"}) {
    std::vector<uint64_t> sources;
    std::vector<long double> numbers;
    for (double x : values) {
      const HalfFormat& half = from == "f16" ? kF16 : kBf16;
      const uint64_t bits = from == "f64" ? bits_of(x) : from == "f32" ? bits_of(static_cast<float>(x)) : half.round(x);
      sources.push_back(bits);
      const bool infinite = from.ends_with("f16") && (bits & 0x7fff) == half.infinity();
      numbers.push_back(from == "f64"       ? static_cast<long double>(x)
                        : from == "f32"     ? static_cast<long double>(static_cast<float>(x))
                        : half.is_nan(bits) ? NAN
                        : infinite          ? (bits & 0x8000 ? -INFINITY : INFINITY)
                                            : half.value(bits));
    }
    for (const IntegerType& to : kIntegers) {
      for (const std::string mode : {"rni", "rzi", "rmi", "rpi"}) {
        const auto results = Runner(GetParam(), "cvt." + mode + "." + to.name + "." + from)({sources});
        for (size_t k = 0; k < results.size(); ++k) {
          const long double x = numbers[k];
          uint64_t expected;
          if (std::isnan(x)) {
            expected = from == "f64" || to.bits == 64 ? uint64_t{1} << (to.bits - 1) : 0;
          } else {
            const long double rounded = in_mode(mode, [&] { return std::nearbyint(x); });
            const long double clamped = rounded < to.least() ? to.least() : rounded > to.most() ? to.most() : rounded;
            expected = to.cut(clamped < 0 ? static_cast<uint64_t>(static_cast<int64_t>(clamped))
                                          : static_cast<uint64_t>(clamped));
          }
          ASSERT_EQ(results[k], expected) << mode << "." << to.name << "." << from << " of " << static_cast<double>(x);
        }
      }
    }
  }
}

TEST_P(Convert, integers_to_floats_are_rounded_once) {
  const std::vector<uint64_t> sources = some_integers(2);
  for (const IntegerType& from : kIntegers) {
    for (const std::string mode : {"rn", "rz", "rm", "rp"}) {
      const auto run = [&](const std::string& to) {
        return Runner(GetParam(), "cvt." + mode + "." + to + "." + from.name)({sources});
      };
      const auto f32 = run("f32"), f64 = run("f64"), f16 = run("f16"), bf16 = run("bf16");
      for (size_t k = 0; k < sources.size(); ++k) {
        const volatile long double x = from.value(sources[k]);
        const float single = in_mode(mode, [&] { return static_cast<float>(x); });
        const double twice = in_mode(mode, [&] { return static_cast<double>(x); });
        const auto text = [&] { return mode + " of " + from.name + " " + std::to_string(sources[k]); };
        ASSERT_EQ(f32[k], bits_of(single)) << text();
        ASSERT_EQ(f64[k], bits_of(twice)) << text();
        ASSERT_EQ(f16[k], kF16.round(x, mode)) << text();
        ASSERT_EQ(bf16[k], kBf16.round(x, mode)) << text();
      }
    }
  }
}

TEST_P(Convert, integers_are_cut_extended_or_clamped) {
  const std::vector<uint64_t> sources = some_integers(3);
  for (const IntegerType& from : kIntegers) {
    for (const IntegerType& to : kIntegers) {
      const auto plain = Runner(GetParam(), "cvt." + to.name + "." + from.name)({sources});
      const auto sat = Runner(GetParam(), "cvt.sat." + to.name + "." + from.name)({sources});
      for (size_t k = 0; k < sources.size(); ++k) {
        const long double x = from.value(sources[k]);
        const auto bits = x < 0 ? static_cast<uint64_t>(static_cast<int64_t>(x)) : static_cast<uint64_t>(x);
        const long double c = x < to.least() ? to.least() : x > to.most() ? to.most() : x;
        const auto clamped = c < 0 ? static_cast<uint64_t>(static_cast<int64_t>(c)) : static_cast<uint64_t>(c);
        ASSERT_EQ(plain[k], to.cut(bits)) << to.name << "." << from.name << " of " << sources[k];
        ASSERT_EQ(sat[k], to.cut(clamped)) << "sat." << to.name << "." << from.name << " of " << sources[k];
      }
    }
  }
}

TEST_P(Convert, f64_to_narrower_floats_in_all_modes) {
  std::vector<uint64_t> sources;
  for (double x : some_floats(4)) sources.push_back(bits_of(x));
  std::mt19937_64 random(5);
  for (int k = 0; k < 20000; ++k) {
    // Around numbers of the narrow formats and their midpoints, of all magnitudes.
    const uint64_t h = random() & 0xffff;
    const double base =
        static_cast<double>((k % 2 != 0 ? kF16 : kBf16).value(h)) * (1 + static_cast<double>(random() % 3) / 512);
    sources.push_back(bits_of(base) + random() % 3 - 1);
  }
  for (const std::string mode : {"rn", "rz", "rm", "rp"}) {
    const auto f32 = Runner(GetParam(), "cvt." + mode + ".f32.f64")({sources});
    const auto f16 = Runner(GetParam(), "cvt." + mode + ".f16.f64")({sources});
    const auto bf16 = Runner(GetParam(), "cvt." + mode + ".bf16.f64")({sources});
    for (size_t k = 0; k < sources.size(); ++k) {
      const volatile double x = double_of(sources[k]);
      const float single = in_mode(mode, [&] { return static_cast<float>(x); });
      if (std::isnan(x)) continue;
      ASSERT_EQ(f32[k], bits_of(single)) << mode << " of " << x;
      ASSERT_EQ(f16[k], kF16.round(x, mode)) << mode << " of " << x;
      ASSERT_EQ(bf16[k], kBf16.round(x, mode)) << mode << " of " << x;
    }
  }
}

TEST_P(Convert, nan_of_f64_keeps_sign_and_upper_payload_as_on_an_h200) {
  const std::vector<uint64_t> nans = {0x7ff0000000000001, 0x7ff8000000000005, 0xfff0000000000001, 0xffffffffffffffff};
  for (const std::string mode : {"rn", "rz", "rm", "rp"}) {
    const auto f32 = Runner(GetParam(), "cvt." + mode + ".f32.f64")({nans});
    const auto f16 = Runner(GetParam(), "cvt." + mode + ".f16.f64")({nans});
    const auto bf16 = Runner(GetParam(), "cvt." + mode + ".bf16.f64")({nans});
    EXPECT_EQ(std::vector<uint64_t>(f32.begin(), f32.begin() + 4),
              (std::vector<uint64_t>{0x7fc00000, 0x7fc00000, 0xffc00000, 0xffffffff}));
    EXPECT_EQ(std::vector<uint64_t>(f16.begin(), f16.begin() + 4),
              (std::vector<uint64_t>{0x7e00, 0x7e00, 0xfe00, 0xffff}));
    EXPECT_EQ(std::vector<uint64_t>(bf16.begin(), bf16.begin() + 4),
              (std::vector<uint64_t>{0x7fc0, 0x7fc0, 0xffc0, 0xffff}));
  }
}

TEST_P(Convert, f32_to_halves_around_every_number_and_midpoint) {
  for (const auto& [type, format] : {std::pair{std::string("f16"), kF16}, std::pair{std::string("bf16"), kBf16}}) {
    std::vector<uint64_t> sources;
    for (uint64_t h = 0; h < 65536; h += kSanitized ? 7 : 1) {
      const uint32_t at = bits_of(static_cast<float>(format.value(h)));
      const uint32_t half_step = type == "f16" ? 1u << 12 : 1u << 15;
      for (uint32_t x : {at, at + half_step}) {
        for (uint32_t d : {0u, 1u, ~0u}) sources.push_back(x + d);
      }
    }
    for (const std::string mode : {"rn", "rz", "rm", "rp"}) {
      const auto results = Runner(GetParam(), "cvt." + mode + "." + type + ".f32")({sources});
      for (size_t k = 0; k < sources.size(); ++k) {
        ASSERT_EQ(results[k], format.round(float_of(sources[k]), mode))
            << mode << "." << type << " of " << std::hex << sources[k];
      }
    }
  }
}

TEST_P(Convert, all_halves_widen_exactly) {
  const auto all = all_halves();
  for (const auto& [type, format] : {std::pair{std::string("f16"), kF16}, std::pair{std::string("bf16"), kBf16}}) {
    const auto f32 = Runner(GetParam(), "cvt.f32." + type)({all}), f64 = Runner(GetParam(), "cvt.f64." + type)({all});
    for (uint64_t h = 0; h < 65536; ++h) {
      if (format.is_nan(h)) {
        ASSERT_EQ(f32[h], type == "f16" ? 0x7fffffffu : h << 16);  // bf16 are only moved
        ASSERT_TRUE(std::isnan(double_of(f64[h])));
        continue;
      }
      const bool infinite = (h & 0x7fff) == format.infinity();
      const double x = infinite ? (h & 0x8000 ? -INFINITY : INFINITY) : static_cast<double>(format.value(h));
      ASSERT_EQ(f32[h], bits_of(static_cast<float>(x)));
      ASSERT_EQ(f64[h], bits_of(x));
    }
  }
}

TEST_P(Convert, floats_round_to_integral_values) {
  const std::vector<double> values = some_floats(6);
  std::vector<uint64_t> f32, f64;
  for (double x : values) f32.push_back(bits_of(static_cast<float>(x))), f64.push_back(bits_of(x));
  for (const std::string mode : {"rni", "rzi", "rmi", "rpi"}) {
    const auto single = Runner(GetParam(), "cvt." + mode + ".f32.f32")({f32}),
               twice = Runner(GetParam(), "cvt." + mode + ".f64.f64")({f64});
    for (size_t k = 0; k < values.size(); ++k) {
      if (std::isnan(values[k])) continue;
      const float x = float_of(f32[k]);
      ASSERT_EQ(single[k], bits_of(in_mode(mode, [&] { return std::nearbyint(x); }))) << mode << " " << x;
      ASSERT_EQ(twice[k], bits_of(in_mode(mode, [&] { return std::nearbyint(values[k]); })))
          << mode << " " << values[k];
    }
  }
  EXPECT_EQ(Runner(GetParam(), "cvt.rpi.f16.f16")({{0xb800, 0x3801}}), (std::vector<uint64_t>{0x8000, 0x3c00}));
}

TEST_P(Convert, ftz_flushes_f32_sources_and_results_only) {
  EXPECT_EQ(Runner(GetParam(), "cvt.rpi.ftz.s32.f32")({{1, 0x80000001, 0x00800000}}), (std::vector<uint64_t>{0, 0, 1}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rpi.s32.f32")({{1, 0x80000001}}), (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rpi.ftz.f32.f32")({{1, 0x80000001}}), (std::vector<uint64_t>{0, 0x80000000}));
  EXPECT_EQ(Runner(GetParam(), "cvt.ftz.f64.f32")({{1, 0x80000001}}), (std::vector<uint64_t>{0, uint64_t{1} << 63}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rn.ftz.f32.f64")({{bits_of(1e-40), bits_of(-1e-40)}}),
            (std::vector<uint64_t>{0, 0x80000000}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rn.f32.f64")({{bits_of(1e-40)}}), (std::vector<uint64_t>{bits_of(1e-40f)}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rn.ftz.f16.f32")({{bits_of(0x1p-24f)}}), (std::vector<uint64_t>{1}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rp.f16.f32")({{1}}), (std::vector<uint64_t>{1}));
  // As on an H200, which does not flush what becomes f16.
  EXPECT_EQ(Runner(GetParam(), "cvt.rp.ftz.f16.f32")({{1, 0x007fffff}}), (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rm.ftz.f16.f32")({{0x80000001}}), (std::vector<uint64_t>{0x8001}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rp.ftz.bf16.f32")({{1}}), (std::vector<uint64_t>{0}));
}

TEST_P(Convert, saturation_relu_and_satfinite) {
  EXPECT_EQ(Runner(GetParam(), "cvt.sat.f32.f32")({{bits_of(2.0f), bits_of(-1.0f), 0x7fc00000, bits_of(0.25f)}}),
            (std::vector<uint64_t>{bits_of(1.0f), 0, 0, bits_of(0.25f)}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rn.sat.f16.f32")({{bits_of(1.5f), 0x80000000}}),
            (std::vector<uint64_t>{0x3c00, 0}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rn.relu.f16.f32")({{bits_of(-1.5f), 0x7fc00000, bits_of(1.5f)}}),
            (std::vector<uint64_t>{0, 0x7fff, 0x3e00}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rn.satfinite.f16.f32")({{bits_of(1e9f), bits_of(-INFINITY), 0x7fc00000}}),
            (std::vector<uint64_t>{0x7bff, 0xfbff, 0x7fff}));
}

TEST_P(Convert, registers_may_be_wider_than_the_types) {
  // Widths of the registers, in bytes, are what the decoder found: here they are set by hand.
  const auto run = [&](const char* text, unsigned d_bytes, unsigned a_bytes, uint64_t a) {
    auto prepared = prepare(*rows_of(GetParam()), text);
    EXPECT_TRUE(prepared) << text;
    prepared->instr.aux = (prepared->instr.aux & ~0xffu) | d_bytes | a_bytes << 4;
    Registers registers;
    registers.set(1, a_bytes, 3, a);
    uint64_t carry = 0;
    execute(*prepared, registers, 8, carry);
    EXPECT_EQ(registers.get(0, d_bytes, 2), 0u);
    return registers.get(0, d_bytes, 3);
  };
  EXPECT_EQ(run("cvt.s32.s8", 4, 2, 0x12f0), 0xfffffff0u);
  EXPECT_EQ(run("cvt.s64.s8", 8, 4, 0x1234567f), 0x7fu);
  EXPECT_EQ(run("cvt.u32.u8", 4, 4, 0x123456f0), 0xf0u);
  EXPECT_EQ(run("cvt.s8.s32", 4, 4, 0x80), 0xffffff80u);  // cut to s8, then extended to the register
  EXPECT_EQ(run("cvt.u8.u32", 2, 4, 0x1ff), 0xffu);
  EXPECT_EQ(run("cvt.sat.s8.s32", 2, 4, 1000), 127u);
  EXPECT_EQ(run("cvt.rzi.s8.f32", 4, 4, bits_of(-1000.0f)), 0xffffff80u);
  EXPECT_EQ(run("cvt.rzi.u8.f64", 2, 8, bits_of(double{NAN})), 0x80u);
  EXPECT_EQ(run("cvt.rn.f16.f32", 4, 4, bits_of(-1.0f)), 0xbc00u);
  EXPECT_EQ(run("cvt.rn.f32.s8", 4, 2, 0xff), bits_of(-1.0f));
}

TEST_P(Convert, packs_pairs_with_the_first_source_above) {
  EXPECT_EQ(Runner(GetParam(), "cvt.rn.f16x2.f32")({{bits_of(1.0f)}, {bits_of(-2.0f)}}),
            (std::vector<uint64_t>{0x3c00c000}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rz.relu.bf16x2.f32")({{bits_of(1.999f)}, {bits_of(-2.0f)}}),
            (std::vector<uint64_t>{0x3fff0000}));
  EXPECT_EQ(Runner(GetParam(), "cvt.pack.sat.s16.s32")({{40000}, {0xffff0000}}), (std::vector<uint64_t>{0x7fff8000}));
  EXPECT_EQ(Runner(GetParam(), "cvt.pack.sat.s8.s32.b32")({{200}, {static_cast<uint32_t>(-200)}, {0xabcd1234}}),
            (std::vector<uint64_t>{0x12347f80}));
  EXPECT_EQ(Runner(GetParam(), "cvt.pack.sat.u4.s32.b32")({{99}, {3}, {0x00abcdef}}),
            (std::vector<uint64_t>{0xabcdeff3}));
  EXPECT_EQ(Runner(GetParam(), "cvt.pack.sat.s2.s32.b32")({{5}, {static_cast<uint32_t>(-1)}, {0xf}}),
            (std::vector<uint64_t>{0xf7}));
}

TEST_P(Convert, tf32_keeps_ten_bits) {
  EXPECT_EQ(Runner(GetParam(), "cvt.rna.tf32.f32")({{0x3f800fff, 0x3f801000, 0xbf801000, 0x7f7fffff, 0xffc00000}}),
            (std::vector<uint64_t>{0x3f800000, 0x3f802000, 0xbf802000, 0x7f800000, 0xffc00000}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rn.tf32.f32")({{0x3f801000, 0x3f803000}}),
            (std::vector<uint64_t>{0x3f800000, 0x3f804000}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rna.satfinite.tf32.f32")({{0x7f7fffff, 0xff800000}}),
            (std::vector<uint64_t>{0x7f7fe000, 0xff7fe000}));
  // NaN of an H200: .rna cuts the last 13 bits off, .satfinite takes one unit besides.
  EXPECT_EQ(Runner(GetParam(), "cvt.rna.tf32.f32")({{0x7f800001, 0xffffffff}}),
            (std::vector<uint64_t>{0x7f800000, 0xffffe000}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rna.satfinite.tf32.f32")({{0x7f800001, 0x7fca9fea, 0xffffffff}}),
            (std::vector<uint64_t>{0x7f7fe000, 0x7fca6000, 0xffffc000}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rz.tf32.f32")({{0xffd8a22f}}), (std::vector<uint64_t>{0x7fffe000}));
}

TEST_P(Convert, all_eight_bit_floats_survive_a_round_trip) {
  std::vector<uint64_t> pairs;
  for (uint64_t b = 0; b < 256; ++b) pairs.push_back(b << 8 | (255 - b));
  for (const std::string type : {"e4m3x2", "e5m2x2"}) {
    const auto halves = Runner(GetParam(), "cvt.rn.f16x2." + type)({pairs});
    const auto back = Runner(GetParam(), "cvt.rn.satfinite." + type + ".f16x2")({halves});
    const auto expected = [&](uint64_t b) -> uint64_t {
      const uint64_t magnitude = b & 0x7f;
      if (type == "e4m3x2") return magnitude == 0x7f ? 0x7f : b;
      return magnitude > 0x7c ? 0x7f : magnitude == 0x7c ? b - 1 : b;  // NaN; infinity saturates
    };
    for (size_t k = 0; k < pairs.size(); ++k) {
      EXPECT_EQ(back[k], expected(pairs[k] >> 8) << 8 | expected(pairs[k] & 0xff))
          << type << std::hex << " " << pairs[k];
    }
  }
  // Ties to even, subnormal numbers, saturation. 448 and 57344 are the largest.
  EXPECT_EQ(Runner(GetParam(), "cvt.rn.satfinite.e4m3x2.f32")(
                {{bits_of(17.0f), bits_of(1e9f)}, {bits_of(0x1p-10f), bits_of(-0x1.8p-9f)}}),
            (std::vector<uint64_t>{0x5800, 0x7e82}));
  EXPECT_EQ(Runner(GetParam(), "cvt.rn.satfinite.e5m2x2.f32")({{bits_of(9.0f)}, {bits_of(-INFINITY)}}),
            (std::vector<uint64_t>{0x48fb}));
}

TEST(ConvertForms, rejects_missing_and_superfluous_rounding) {
  const Rows& rows = *rows_of("portable");
  for (const char* text : {"cvt.s32.f32", "cvt.f32.s32", "cvt.f32.f64", "cvt.rni.f32.s32", "cvt.rzi.f32.f64",
                           "cvt.rn.f32.f16", "cvt.rn.f64.f32", "cvt.rn.f32.f32"}) {
    EXPECT_FALSE(prepare(rows, text)) << text;
  }
  for (const char* text : {"cvt.f16.bf16", "cvt.rn.f32.bf16", "cvt.f32.f32"}) EXPECT_TRUE(prepare(rows, text)) << text;
}

TEST(ConvertForms, rejects_ftz_where_nothing_is_f32) {
  const Rows& rows = *rows_of("portable");
  for (const char* text : {"cvt.ftz.f64.f64", "cvt.rzi.ftz.s32.f64", "cvt.rn.ftz.f64.bf16", "cvt.rn.ftz.f16.f64"}) {
    EXPECT_FALSE(prepare(rows, text)) << text;
  }
  for (const char* text : {"cvt.ftz.f64.f32", "cvt.rn.ftz.f32.f64", "cvt.rzi.ftz.s32.f32"})
    EXPECT_TRUE(prepare(rows, text)) << text;
}

}  // namespace
}  // namespace bankshot::simt::testing

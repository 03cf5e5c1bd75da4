// mma against plain loops over matrices put together by the manual's fragment layouts, with sums in integers.
#include <bit>
#include <cfenv>
#include <cmath>

#include "tensor_harness.hpp"

namespace bankshot::simt {
namespace {

class MmaRows : public TensorTest {};
INSTANTIATE_TEST_SUITE_P(hosts, MmaRows, ::testing::Values("portable", "avx2", "avx512"),
                         [](const auto& info) { return std::string(info.param); });

struct Format {
  std::string name;
  unsigned bits, exponent, fraction;  ///< fields; tf32 has 32 bits of which the lowest 13 do not count
};
const Format kF16{"f16", 16, 5, 10}, kBf16{"bf16", 16, 8, 7}, kTf32{"tf32", 32, 8, 10}, kE4m3{"e4m3", 8, 4, 3},
    kE5m2{"e5m2", 8, 5, 2}, kF32{"f32", 32, 8, 23};

/// significand · 2^(exponent - fraction), with the exponent that the format gives it; or a special number.
struct Number {
  __int128 significand = 0;
  int exponent = 0;
  double special = 0;  ///< infinity or NaN; else 0
};

Number decode_number(const Format& f, uint64_t bits) {
  if (f.name == "tf32") bits >>= 13;
  const uint64_t fraction = bits & ((1u << f.fraction) - 1), field = bits >> f.fraction & ((1u << f.exponent) - 1);
  const bool negative = (bits >> (f.fraction + f.exponent) & 1) != 0;
  const int bias = (1 << (f.exponent - 1)) - 1;
  if (f.name == "e4m3") {
    if (field == 15 && fraction == 7) return {0, 0, NAN};
  } else if (field == (1u << f.exponent) - 1) {
    return {0, 0, fraction != 0 ? NAN : negative ? -INFINITY : INFINITY};
  }
  const int64_t magnitude = static_cast<int64_t>(field == 0 ? fraction : fraction | 1u << f.fraction);
  return {negative ? -magnitude : magnitude, (field == 0 ? 1 : static_cast<int>(field)) - bias, 0};
}

/// ± magnitude · 2^exponent to f32 towards zero, or to f16 to the nearest even.
uint32_t encode(bool half, bool negative, unsigned __int128 magnitude, int exponent) {
  const int fraction = half ? 10 : 23, least = half ? -14 : -126, most = half ? 15 : 127;
  const uint32_t sign = negative ? (half ? 0x8000u : 0x80000000u) : 0;
  if (magnitude == 0) return 0;
  int top = 127;
  while ((magnitude >> top & 1) == 0) --top;
  const int scale = std::max(top + exponent, least);  // the exponent of the leading bit
  const int shift = scale - fraction - exponent;      // places to cut off
  unsigned __int128 kept = shift <= 0 ? magnitude << -shift : shift > 127 ? 0 : magnitude >> shift;
  if (half && shift > 0) {
    const unsigned __int128 rest =
        shift > 127 ? magnitude : magnitude & ((static_cast<unsigned __int128>(1) << shift) - 1);
    const unsigned __int128 middle = static_cast<unsigned __int128>(1) << (shift - 1);
    if (shift <= 127 && (rest > middle || (rest == middle && (kept & 1) != 0))) ++kept;
  }
  const auto bits = static_cast<uint64_t>(kept) + (static_cast<uint64_t>(scale - least) << fraction);
  const uint64_t infinity = static_cast<uint64_t>(most - least + 2) << fraction;
  return bits == 0 ? 0 : sign | static_cast<uint32_t>(std::min(bits, infinity));  // an H100 makes no -0
}

/// The rule of docs/ptx.md, in integers.
uint32_t sum_of(const std::vector<Number>& a, const std::vector<Number>& b, unsigned places, const Number& c,
                unsigned c_places, bool half) {
  double special = c.special;
  for (size_t k = 0; k < a.size(); ++k) {
    const double x = a[k].special != 0 ? a[k].special : static_cast<double>(a[k].significand);
    const double y = b[k].special != 0 ? b[k].special : static_cast<double>(b[k].significand);
    if (a[k].special != 0 || b[k].special != 0) special += x * y;
  }
  if (std::isnan(special)) return half ? 0x7fff : 0x7fffffff;
  if (special != 0) return half ? (special < 0 ? 0xfc00 : 0x7c00) : (special < 0 ? 0xff800000 : 0x7f800000);
  int largest = -126;
  if (c.significand != 0) largest = std::max(largest, c.exponent);
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k].significand != 0 && b[k].significand != 0) largest = std::max(largest, a[k].exponent + b[k].exponent);
  }
  // In units of 2^(largest - 25), each cut off towards zero.
  const auto in_units = [&](__int128 significand, int exponent) -> __int128 {
    const int shift = exponent - (largest - 25);
    const bool negative = significand < 0;
    const __int128 magnitude = negative ? -significand : significand;
    const __int128 cut = shift >= 0 ? magnitude << shift : shift < -120 ? 0 : magnitude >> -shift;
    return negative ? -cut : cut;
  };
  __int128 sum = in_units(c.significand, c.exponent - static_cast<int>(c_places));
  for (size_t k = 0; k < a.size(); ++k)
    sum += in_units(a[k].significand * b[k].significand, a[k].exponent + b[k].exponent - static_cast<int>(places));
  return encode(half, sum < 0, static_cast<unsigned __int128>(sum < 0 ? -sum : sum), largest - 25);
}

/// Bits that are a number near 1, any, or an edge, by kind; or products and sums are near 2^-100, or near 2^124: the
/// ends of what is done side by side; or they have few bits, so that sums mostly are exact, but for accumulators that
/// are not multiples of the products' last bits (5) or near to where they have too many bits (6), and factors are
/// subnormal (7).
uint64_t random_bits(std::mt19937_64& random, const Format& f, int kind) {
  const uint64_t all = random() & (~uint64_t{0} >> (64 - f.bits));
  const unsigned low = f.bits - 1 - f.exponent;  // of the exponent field
  const uint64_t sign = all & uint64_t{1} << (f.bits - 1), bias = (1u << (f.exponent - 1)) - 1;
  if (kind == 0) return (all & ((uint64_t{1} << low) - 1)) | sign | (bias - random() % 4) << low;
  if (kind == 7) {  // few bits, of which many are subnormal
    const bool narrow = f.name == "f32" ? random() % 2 == 0 : random() % 3 != 0;
    if (random() % 8 == 0) return sign;
    const uint64_t last = uint64_t{1} << random() % 2;
    const int least = f.name == "f32" ? -30 + static_cast<int>(random() % 8) : 1 + static_cast<int>(random() % 3);
    return narrow && f.name != "f32"
               ? sign | last
               : sign | (f.name == "f32" ? bias + static_cast<uint64_t>(static_cast<int64_t>(least))
                                         : static_cast<uint64_t>(least))
                            << low;
  }
  if (kind >= 5) {
    const bool accumulator = f.bits == 32 && f.name == "f32";
    if (random() % 8 == 0) return sign;
    if (kind == 5 && accumulator && random() % 24 == 0) return random_bits(random, f, 0);
    const uint64_t few = all & (uint64_t{3} << low) >> 2, exponent = bias + 1 - random() % 4;
    if (kind == 6 && accumulator) {
      const uint64_t last = random() % 2 == 0 ? 0xf : 0;
      return (all & ((uint64_t{1} << low) - 1) & ~last) | sign | (bias + 11 + random() % 4) << low;
    }
    return sign | few | exponent << low;
  }
  if (kind >= 3) {
    const int of_product = kind == 3 ? -100 : 124, exponent = f.name == "f32" ? of_product : of_product / 2;
    return (all & ((uint64_t{1} << low) - 1)) | sign |
           (bias + static_cast<uint64_t>(exponent + 2) - random() % 4) << low;
  }
  if (kind == 1) {  // finite
    const uint64_t field = all >> low & ((1u << f.exponent) - 1), most = (1u << f.exponent) - 2;
    return field > most ? all ^ uint64_t { 1 } << low : all;
  }
  switch (random() % 24) {
    case 0: return ((uint64_t{1} << f.exponent) - 1) << low | sign;  // infinity, of e4m3 a number
    case 1: return ((uint64_t{1} << (f.exponent + 1)) - 1) << (low - 1) | sign | ((uint64_t{1} << low) - 1);  // NaN
    case 2: return sign;
    case 3: return sign | (all & ((uint64_t{1} << low) - 1));  // subnormal
    case 4:
      // The largest: a unit in the last place below infinity, which e4m3 does not have.
      return sign | ((((uint64_t{1} << f.exponent) - 1) << low) -
                     (f.name == "e4m3" ? 0 : uint64_t{1} << (low - std::min(low, f.fraction))));
    default: return random_bits(random, f, 0);
  }
}

struct Floats {
  unsigned m, k;
  Format a, b, sum;
};

void check_floats(const Floats& form, const std::string& shape, int kind, uint64_t seed,
                  const std::function<TensorRegisters(const std::string&, size_t, const TensorRegisters&,
                                                      const TensorRegisters&, const TensorRegisters&)>& run) {
  std::mt19937_64 random(seed);
  const unsigned m = form.m, n = 8, k = form.k, bits = form.a.bits, sum_bits = form.sum.bits;
  std::vector<uint64_t> a(m * k), b(k * n), c(m * n);
  for (uint64_t& x : a) x = random_bits(random, form.a, kind);
  for (uint64_t& x : b) x = random_bits(random, form.b, kind);
  for (uint64_t& x : c) x = random_bits(random, form.sum, kind == 1 ? 1 : kind);
  const unsigned per_lane_a = m * k / 32, per_lane_b = k * n / 32, per_lane_c = m * n / 32;
  TensorRegisters ra(m * k * bits / 1024), rb(k * n * bits / 1024), rc(m * n * sum_bits / 1024);
  for (unsigned l = 0; l < 32; ++l) {
    for (unsigned i = 0; i < per_lane_a; ++i) {
      const FragmentPlace p = place_in_a(m, bits, l, i);
      put_bits(ra, l, i, bits, a[p.row * k + p.column]);
    }
    for (unsigned i = 0; i < per_lane_b; ++i) {
      const FragmentPlace p = place_in_b(bits, l, i);
      put_bits(rb, l, i, bits, b[p.row * n + p.column]);
    }
    for (unsigned i = 0; i < per_lane_c; ++i)
      put_bits(rc, l, i, sum_bits, c[place_in_c(l, i).row * n + place_in_c(l, i).column]);
  }
  const std::string text = "mma.sync.aligned." + shape + ".row.col." + form.sum.name + "." + form.a.name + "." +
                           form.b.name + "." + form.sum.name;
  const TensorRegisters rd = run(text, rc.size(), ra, rb, rc);
  for (unsigned l = 0; l < 32; ++l) {
    for (unsigned i = 0; i < per_lane_c; ++i) {
      const FragmentPlace p = place_in_c(l, i);
      std::vector<Number> row, column;
      for (unsigned q = 0; q < k; ++q) {
        row.push_back(decode_number(form.a, a[p.row * k + q]));
        column.push_back(decode_number(form.b, b[q * n + p.column]));
      }
      const uint32_t expected =
          sum_of(row, column, form.a.fraction + form.b.fraction, decode_number(form.sum, c[p.row * n + p.column]),
                 form.sum.fraction, sum_bits == 16);
      ASSERT_EQ(get_bits(rd, l, i, sum_bits), expected)
          << text << " kind " << kind << " seed " << seed << " row " << p.row << " column " << p.column;
    }
  }
}

TEST_P(MmaRows, floating_point_sums_follow_the_rule_in_every_format) {
  const std::vector<std::pair<std::string, Floats>> forms = {
      {"m16n8k8", {16, 8, kF16, kF16, kF32}},     {"m16n8k16", {16, 16, kF16, kF16, kF32}},
      {"m16n8k8", {16, 8, kF16, kF16, kF16}},     {"m16n8k16", {16, 16, kF16, kF16, kF16}},
      {"m16n8k8", {16, 8, kBf16, kBf16, kF32}},   {"m16n8k16", {16, 16, kBf16, kBf16, kF32}},
      {"m16n8k4", {16, 4, kTf32, kTf32, kF32}},   {"m16n8k8", {16, 8, kTf32, kTf32, kF32}},
      {"m16n8k32", {16, 32, kE4m3, kE4m3, kF32}}, {"m16n8k32", {16, 32, kE5m2, kE4m3, kF32}},
      {"m16n8k16", {16, 16, kE4m3, kE5m2, kF32}}, {"m16n8k32", {16, 32, kE5m2, kE5m2, kF16}}};
  for (const auto& [shape, form] : forms) {
    for (int kind = 0; kind < 8; ++kind) {
      const bool wide = form.a.exponent == kF32.exponent;
      if (!wide && (kind == 3 || kind == 4)) continue;
      for (uint64_t seed = 1; seed <= 6; ++seed) {
        check_floats(form, shape, kind, seed,
                     [&](const auto& text, size_t d, const auto& a, const auto& b, const auto& c) {
                       return multiply(text, 4, d, a, b, c);
                     });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(MmaRows, worked_examples_of_sums) {
  const auto sum = [&](uint32_t a, uint32_t b, uint32_t c) {
    return multiply("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, filled(4, a * 0x10001u),
                    filled(2, b * 0x10001u), filled(4, c))[0][7];
  };
  EXPECT_EQ(sum(0x3c00, 0x3c00, 0x3f800000), 0x41880000u) << "16 products of 1 and 1 are 17";
  EXPECT_EQ(sum(0x3c00, 0x3c00, 0x4b800000), 0x4b800008u) << "2^24 + 16: the 16 are added up before anything is lost";
  // 2^-13 · 2^-13 = 2^-26 is below the 25th place of 1: each of the 16 is cut off, though together they are 2^-22.
  EXPECT_EQ(sum(0x0800, 0x0800, 0x3f800000), 0x3f800000u);
  // 2^-13 · 2^-12 = 2^-25 is not: 16 of them are 2^-21, four units in the last place of 1.
  EXPECT_EQ(sum(0x0800, 0x0c00, 0x3f800000), 0x3f800004u);
  EXPECT_EQ(sum(0x8800, 0x0c00, 0x3f800000), 0x3f7ffff8u) << "1 - 2^-21";
  EXPECT_EQ(sum(0x0001, 0x0001, 0), 0x29800000u) << "subnormal factors: 16 times 2^-48 is 2^-44";
  EXPECT_EQ(sum(0x7bff, 0x7bff, 0x7f7fffff), 0x7f7fffffu)
      << "16 · 65504^2 is below half of the last place of the largest f32";
  EXPECT_EQ(sum(0x0000, 0x3c00, 0x00000001), 0x00000001u) << "a subnormal accumulator stays";
  EXPECT_EQ(sum(0x7c00, 0x0000, 0x3f800000), 0x7fffffffu) << "infinity times 0";
  EXPECT_EQ(sum(0x7c00, 0xbc00, 0x3f800000), 0xff800000u);
  EXPECT_EQ(sum(0x7c00, 0x3c00, 0xff800000), 0x7fffffffu) << "infinity less infinity";
}

TEST_P(MmaRows, half_sums_are_rounded_once_to_nearest_even) {
  const auto sum = [&](uint32_t a, uint32_t b, uint32_t c) {
    return multiply("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 4, 2, filled(2, a * 0x10001u),
                    filled(1, b * 0x10001u), filled(2, c * 0x10001u))[1][30] &
           0xffff;
  };
  EXPECT_EQ(sum(0x3c00, 0x3c00, 0x6800), 0x6804u) << "2048 + 8; the last place is 2";
  EXPECT_EQ(sum(0x3000, 0x3c00, 0x6800), 0x6800u) << "2048 + 8/8 is a tie, and goes to the even one";
  EXPECT_EQ(sum(0x3000, 0x3c00, 0x6801), 0x6802u) << "2050 + 1 is a tie: the even one is 2052";
  EXPECT_EQ(sum(0x7bff, 0x7bff, 0x0000), 0x7c00u) << "too large";
  EXPECT_EQ(sum(0x0001, 0x3c00, 0x0000), 0x0008u) << "eight times the least subnormal number";
}

TEST_P(MmaRows, doubles_are_a_chain_of_fma_in_the_order_of_k) {
  std::mt19937_64 random(3);
  for (const auto& [shape, m, k] : {std::tuple("m8n8k4", 8u, 4u), std::tuple("m16n8k4", 16u, 4u),
                                    std::tuple("m16n8k8", 16u, 8u), std::tuple("m16n8k16", 16u, 16u)}) {
    std::vector<double> a(m * k), b(k * 8), c(m * 8);
    for (auto* matrix : {&a, &b, &c}) {
      for (double& x : *matrix)
        x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 20) - 70) *
            (random() % 2 == 0 ? 1 : -1);
    }
    a[0] = INFINITY;
    b[5] = 5e-324;
    TensorRegisters ra(m * k / 32), rb(k * 8 / 32), rc(m * 8 / 32);
    for (unsigned l = 0; l < 32; ++l) {
      for (unsigned i = 0; i < ra.size(); ++i)
        ra[i][l] = std::bit_cast<uint64_t>(a[place_in_a(m, 64, l, i).row * k + place_in_a(m, 64, l, i).column]);
      for (unsigned i = 0; i < rb.size(); ++i)
        rb[i][l] = std::bit_cast<uint64_t>(b[place_in_b(64, l, i).row * 8 + place_in_b(64, l, i).column]);
      for (unsigned i = 0; i < rc.size(); ++i)
        rc[i][l] = std::bit_cast<uint64_t>(c[place_in_c(l, i).row * 8 + place_in_c(l, i).column]);
    }
    for (const auto& [rounding, mode] :
         {std::pair("", FE_TONEAREST), std::pair(".rn", FE_TONEAREST), std::pair(".rz", FE_TOWARDZERO),
          std::pair(".rm", FE_DOWNWARD), std::pair(".rp", FE_UPWARD)}) {
      const std::string text = "mma.sync.aligned." + std::string(shape) + ".row.col.f64.f64.f64.f64" + rounding;
      const TensorRegisters rd = multiply(text, 8, rc.size(), ra, rb, rc);
      for (unsigned l = 0; l < 32; ++l) {
        for (unsigned i = 0; i < rc.size(); ++i) {
          const FragmentPlace p = place_in_c(l, i);
          volatile double sum = c[p.row * 8 + p.column];
          std::fesetround(mode);
          for (unsigned q = 0; q < k; ++q) sum = std::fma(a[p.row * k + q], b[q * 8 + p.column], sum);
          std::fesetround(FE_TONEAREST);
          ASSERT_EQ(rd[i][l], std::bit_cast<uint64_t>(double{sum}))
              << text << " row " << p.row << " column " << p.column;
        }
      }
    }
  }
}

int64_t integer_of(const std::string& type, uint64_t bits) {
  if (type == "s8") return static_cast<int8_t>(bits);
  if (type == "s4") return static_cast<int64_t>(bits) - (bits >= 8 ? 16 : 0);
  return static_cast<int64_t>(bits);
}

TEST_P(MmaRows, integers_wrap_or_saturate) {
  std::mt19937_64 random(4);
  struct Form {
    const char* shape;
    unsigned m, k, bits;
  };
  for (const Form& f : {Form{"m8n8k16", 8, 16, 8}, Form{"m16n8k16", 16, 16, 8}, Form{"m16n8k32", 16, 32, 8},
                        Form{"m8n8k32", 8, 32, 4}, Form{"m16n8k32", 16, 32, 4}, Form{"m16n8k64", 16, 64, 4}}) {
    const std::string suffix = std::to_string(f.bits);
    for (const std::string& ta : {"s" + suffix, "u" + suffix}) {
      for (const std::string& tb : {"s" + suffix, "u" + suffix}) {
        for (const bool saturate : {false, true}) {
          std::vector<uint64_t> a(f.m * f.k), b(f.k * 8), c(f.m * 8);
          for (uint64_t& x : a) x = random() >> (64 - f.bits);
          for (uint64_t& x : b) x = random() >> (64 - f.bits);
          for (uint64_t& x : c)
            x = random() % 3 == 0   ? 0x7fffffff - random() % 100
                : random() % 2 == 0 ? 0x80000000 + random() % 100
                                    : random() >> 32;
          TensorRegisters ra(f.m * f.k * f.bits / 1024), rb(f.k * 8 * f.bits / 1024), rc(f.m / 4);
          for (unsigned l = 0; l < 32; ++l) {
            for (unsigned i = 0; i < f.m * f.k / 32; ++i)
              put_bits(ra, l, i, f.bits,
                       a[place_in_a(f.m, f.bits, l, i).row * f.k + place_in_a(f.m, f.bits, l, i).column]);
            for (unsigned i = 0; i < f.k / 4; ++i)
              put_bits(rb, l, i, f.bits, b[place_in_b(f.bits, l, i).row * 8 + place_in_b(f.bits, l, i).column]);
            for (unsigned i = 0; i < rc.size(); ++i) rc[i][l] = c[place_in_c(l, i).row * 8 + place_in_c(l, i).column];
          }
          const std::string text = std::string("mma.sync.aligned.") + f.shape + ".row.col" +
                                   (saturate ? ".satfinite" : "") + ".s32." + ta + "." + tb + ".s32";
          const TensorRegisters rd = multiply(text, 4, rc.size(), ra, rb, rc);
          for (unsigned l = 0; l < 32; ++l) {
            for (unsigned i = 0; i < rc.size(); ++i) {
              const FragmentPlace p = place_in_c(l, i);
              int64_t sum = static_cast<int32_t>(c[p.row * 8 + p.column]);
              for (unsigned q = 0; q < f.k; ++q)
                sum += integer_of(ta, a[p.row * f.k + q]) * integer_of(tb, b[q * 8 + p.column]);
              if (saturate) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
              ASSERT_EQ(static_cast<uint32_t>(rd[i][l]), static_cast<uint32_t>(sum)) << text;
            }
          }
        }
      }
    }
  }
}

TEST_P(MmaRows, single_bits_are_counted) {
  std::mt19937_64 random(5);
  for (const auto& [shape, m, k] :
       {std::tuple("m8n8k128", 8u, 128u), std::tuple("m16n8k128", 16u, 128u), std::tuple("m16n8k256", 16u, 256u)}) {
    for (const std::string op : {"xor", "and"}) {
      std::vector<uint64_t> a(m * k), b(k * 8), c(m * 8);
      for (uint64_t& x : a) x = random() % 2;
      for (uint64_t& x : b) x = random() % 2;
      for (uint64_t& x : c) x = random() >> 32;
      TensorRegisters ra(m * k / 1024), rb(k * 8 / 1024), rc(m / 4);
      for (unsigned l = 0; l < 32; ++l) {
        for (unsigned i = 0; i < m * k / 32; ++i)
          put_bits(ra, l, i, 1, a[place_in_a(m, 1, l, i).row * k + place_in_a(m, 1, l, i).column]);
        for (unsigned i = 0; i < k / 4; ++i)
          put_bits(rb, l, i, 1, b[place_in_b(1, l, i).row * 8 + place_in_b(1, l, i).column]);
        for (unsigned i = 0; i < rc.size(); ++i) rc[i][l] = c[place_in_c(l, i).row * 8 + place_in_c(l, i).column];
      }
      const TensorRegisters rd =
          multiply("mma.sync.aligned." + std::string(shape) + ".row.col.s32.b1.b1.s32." + op + ".popc", 4, rc.size(),
                   ra, rb, rc);
      for (unsigned l = 0; l < 32; ++l) {
        for (unsigned i = 0; i < rc.size(); ++i) {
          const FragmentPlace p = place_in_c(l, i);
          uint32_t sum = static_cast<uint32_t>(c[p.row * 8 + p.column]);
          for (unsigned q = 0; q < k; ++q)
            sum += static_cast<uint32_t>(op == "xor" ? a[p.row * k + q] ^ b[q * 8 + p.column]
                                                     : a[p.row * k + q] & b[q * 8 + p.column]);
          ASSERT_EQ(static_cast<uint32_t>(rd[i][l]), sum) << shape << op;
        }
      }
    }
  }
}

/// The manual's layouts of m8n8k4: "row = …, col = …" of element i of a lane, each for its pair of quads.
TEST_P(MmaRows, quad_pairs_make_four_products) {
  std::mt19937_64 random(6);
  for (const std::string la : {"row", "col"}) {
    for (const std::string lb : {"row", "col"}) {
      for (const auto& [td, tc] : {std::pair("f32", "f32"), std::pair("f16", "f16"), std::pair("f32", "f16")}) {
        const unsigned bits_c = tc == std::string("f16") ? 16 : 32, bits_d = td == std::string("f16") ? 16 : 32;
        uint64_t a[4][8][4], b[4][4][8], c[4][8][8];
        TensorRegisters ra(2), rb(2), rc(8 * bits_c / 32);
        for (auto& quad : a)
          for (auto& row : quad)
            for (uint64_t& x : row) x = random_bits(random, kF16, 0);
        for (auto& quad : b)
          for (auto& row : quad)
            for (uint64_t& x : row) x = random_bits(random, kF16, 0);
        for (auto& quad : c)
          for (auto& row : quad)
            for (uint64_t& x : row) x = random_bits(random, bits_c == 16 ? kF16 : kF32, 0);
        const auto place_c = [](unsigned bits, unsigned l, unsigned i) -> FragmentPlace {
          const unsigned high = l < 16 ? 0 : 4;
          if (bits == 16) return {l % 4 + high, i};
          return {(l & 1) + (i & 2) + high, (i & 4) + (l & 2) + (i & 1)};
        };
        for (unsigned l = 0; l < 32; ++l) {
          const unsigned quad = l / 4 % 4, high = l < 16 ? 0 : 4;
          for (unsigned i = 0; i < 4; ++i) {
            put_bits(ra, l, i, 16, la == "row" ? a[quad][l % 4 + high][i] : a[quad][i + high][l % 4]);
            put_bits(rb, l, i, 16, lb == "row" ? b[quad][l % 4][i + high] : b[quad][i][l % 4 + high]);
          }
          for (unsigned i = 0; i < 8; ++i)
            put_bits(rc, l, i, bits_c, c[quad][place_c(bits_c, l, i).row][place_c(bits_c, l, i).column]);
        }
        const std::string text = "mma.sync.aligned.m8n8k4." + la + "." + lb + "." + td + ".f16.f16." + tc;
        const TensorRegisters rd = multiply(text, 4, 8 * bits_d / 32, ra, rb, rc);
        for (unsigned l = 0; l < 32; ++l) {
          for (unsigned i = 0; i < 8; ++i) {
            const FragmentPlace p = place_c(bits_d, l, i);
            std::vector<Number> row, column;
            for (unsigned q = 0; q < 4; ++q) {
              row.push_back(decode_number(kF16, a[l / 4 % 4][p.row][q]));
              column.push_back(decode_number(kF16, b[l / 4 % 4][q][p.column]));
            }
            const Format& format = bits_c == 16 ? kF16 : kF32;
            ASSERT_EQ(get_bits(rd, l, i, bits_d),
                      sum_of(row, column, 20, decode_number(format, c[l / 4 % 4][p.row][p.column]), format.fraction,
                             bits_d == 16))
                << text;
          }
        }
      }
    }
  }
}

TEST(MmaForms, rejects_what_is_no_form) {
  Engine engine{EngineOptions{}};
  const auto refusal = [&](const std::string& instruction) {
    const std::string text =
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<20>;\n" + instruction +
        ";\nret;\n}\n";
    const auto program = engine.load(text, "test.ptx");
    return program ? "" : format_diagnostics(program.error(), "test.ptx", text);
  };
  const std::string operands = " {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, {%r10,%r11,%r12,%r13}";
  EXPECT_EQ(refusal("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" + operands), "");
  EXPECT_NE(refusal("mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32" + operands).find("not supported"),
            std::string::npos);
  EXPECT_NE(refusal("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r0,%r1,%r2}, {%r4,%r5,%r6,%r7}, {%r8,%r9}, "
                    "{%r10,%r11,%r12,%r13}")
                .find("expected 4 registers in braces for this matrix, found 3"),
            std::string::npos);
  EngineOptions wide;
  wide.machine.warp_size = 64;
  Engine of_64{wide};
  const std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b32 "
      "%r<20>;\nmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" +
      operands + ";\nret;\n}\n";
  const auto program = of_64.load(text, "test.ptx");
  ASSERT_FALSE(program);
  EXPECT_NE(format_diagnostics(program.error(), "t", text).find("needs warps of 32 lanes"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::simt

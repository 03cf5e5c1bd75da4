// tcgen05.mma: types of sums and scale factors, negation, and operands that are MN-major. Sources: docs/blackwell.md.
#include <algorithm>

#include "tensor_product_harness.hpp"

namespace bankshot::simt {
namespace {

using EngineTensorKinds = TensorProductTest;

const std::string kHalves = "tcgen05.mma.cta_group::1.kind::f16 [%r9], %rd4, %rd5, %r12, %p5";
constexpr uint32_t kAnySize = 0x08000000 | 32 / 8 << 17;  // M 128, N 32

/// x to the nearest number with 10 bits of fraction, ties to even.
double to_half(double x) {
  const double last = std::ldexp(1, x == 0 ? 0 : std::ilogb(x) - 10);
  return std::nearbyint(x / last) * last;
}
double half_of(uint32_t word) { return word >> 16 != 0 ? std::nan("") : minifloat(word, 5, 10); }

TEST_F(EngineTensorKinds, scale_factors_of_e4m3_are_numbers) {
  // Bytes 0x38, 0x39, 0x3a: 1, 1.125, 1.25. Bit 7 does not count, and 0xb9 is the same as 0x39.
  for (const unsigned least : {0x38u, 0xb8u}) {
    Case c{"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%r9], %rd4, %rd5, %r12, [%r18], [%r19], %p5",
           kAnySize | 0x480, kAny};
    c.least_scale = least;
    const auto number = [](unsigned lane, unsigned line, unsigned b) {
      return 1 + (scale_byte(lane / 32 * 32 + line % 32, line / 32, b, 0)) / 8.0;
    };
    expect_sums(c, [&](unsigned, unsigned lane, unsigned column) {
      double all = 0;
      for (unsigned k = 0; k < 64; ++k)
        all += packed_e2m1(kAny, place_a, lane, k) * packed_e2m1(kAny, place_b, column, k) *
               number(lane, lane, k / 16) * number(lane, column, k / 16);
      return all;
    });
  }
}

TEST_F(EngineTensorKinds, sparse_bytes_are_integers) {
  // A of s8, B of u8.
  const Case c{"tcgen05.mma.sp.cta_group::1.kind::i8 [%r9], %rd4, %rd5, [%r17], %r12, %p5", kAnySize | 0xa4, kAny};
  expect_sums(
      c,
      [&](unsigned, unsigned row, unsigned column) {
        int all = 0;
        for (unsigned k = 0; k < 32; ++k) {
          const auto chosen = static_cast<unsigned>(metadata(c, row) >> (4 * (k / 2) + 2 * (k % 2)) & 3);
          all += static_cast<int8_t>(kAny.byte(place_a(row, k))) *
                 static_cast<int>(kAny.byte(place_b(column, k / 2 * 4 + chosen)));
        }
        return all;
      },
      [](uint32_t word) { return static_cast<int32_t>(word); });
}

TEST_F(EngineTensorKinds, sums_of_halves_are_rounded_to_the_nearest) {
  for (const bool sparse : {false, true}) {
    Case c{kHalves, kAnySize | (sparse ? 4u : 0u), kHalvesNearOne};
    if (sparse) c.product = "tcgen05.mma.sp.cta_group::1.kind::f16 [%r9], %rd4, %rd5, [%r17], %r12, %p5";
    std::fill_n(c.metadata, 4, 0x44444444);  // the first two of four
    expect_sums(
        c,
        [&](unsigned, unsigned row, unsigned column) {
          double all = 0;
          for (unsigned k = 0; k < 16; ++k)
            all += half_at(kHalvesNearOne, place_a(row, 2 * k)) *
                   half_at(kHalvesNearOne, place_b(column, 2 * (sparse ? k / 2 * 4 + k % 2 : k)));
          return to_half(all);
        },
        half_of);
  }
}

TEST_F(EngineTensorKinds, sums_of_halves_are_added_to_halves) {
  Case c{kHalves, kAnySize, kHalvesNearOne};
  c.product += ";\n@!%p2 " + kHalves.substr(0, kHalves.size() - 3) + "1";
  expect_sums(
      c,
      [&](unsigned, unsigned row, unsigned column) {
        double all = 0;
        for (unsigned k = 0; k < 16; ++k)
          all += half_at(kHalvesNearOne, place_a(row, 2 * k)) * half_at(kHalvesNearOne, place_b(column, 2 * k));
        return to_half(to_half(all) + all);
      },
      half_of);
}

TEST_F(EngineTensorKinds, either_operand_may_be_negated) {
  for (const unsigned negated : {1u, 2u, 3u}) {
    for (const bool scaled : {false, true}) {
      expect_sums({std::string("tcgen05.mma.cta_group::1.kind::") +
                       (scaled ? "mxf8f6f4.block_scale [%r9], %rd4, %rd5, %r12, [%r18], [%r19], %p5"
                               : "f8f6f4 [%r9], %rd4, %rd5, %r12, %p5"),
                   kAnySize | (scaled ? 0x00800000u : 0x10u) | negated << 13, kBytesNearOne},
                  [&](unsigned, unsigned lane, unsigned column) {
                    double all = 0;
                    for (unsigned k = 0; k < 32; ++k)
                      all += minifloat(kBytesNearOne.byte(place_a(lane, k)), 4, 3) *
                             minifloat(kBytesNearOne.byte(place_b(column, k)), 4, 3);
                    if (scaled) all *= scale(lane / 32, lane, 0) * scale(lane / 32, column, 0);
                    return negated == 3 ? all : -all;
                  });
    }
  }
}

TEST_F(EngineTensorKinds, halves_of_b_may_be_mn_major) {
  // Without a swizzle: eight columns are 16 bytes, eight k 128. With that of 128 bytes: a k is 128 bytes.
  for (const bool swizzled : {false, true}) {
    Case c{kHalves, kAnySize | 0x10010, kHalvesNearOne};
    c.descriptors = std::string("or.b64 %rd4, %rd3, 0x0000401000080000; or.b64 %rd5, %rd3, ") +
                    (swizzled ? "0x4000404000000000" : "0x0000402000080000") + ";\n";
    expect_sums(c, [&](unsigned, unsigned row, unsigned column) {
      double all = 0;
      for (unsigned k = 0; k < 16; ++k) {
        const unsigned at =
            kStartB + column % 8 * 2 +
            (swizzled ? column / 8 * 16 + k / 8 * 1024 + k % 8 * 128 : column / 8 * 512 + k / 8 * 128 + k % 8 * 16);
        all += half_at(kHalvesNearOne, place_a(row, 2 * k)) *
               half_at(kHalvesNearOne, swizzled ? at ^ (at >> 7 & 7) << 4 : at);
      }
      return all;
    });
  }
}

TEST_F(EngineTensorKinds, bytes_of_b_may_be_mn_major) {
  expect_sums({"tcgen05.mma.cta_group::1.kind::f8f6f4 [%r9], %rd4, %rd5, %r12, %p5", kAnySize | 0x10010, kBytesNearOne},
              [&](unsigned, unsigned row, unsigned column) {
                double all = 0;
                for (unsigned k = 0; k < 32; ++k) {
                  const unsigned at = kStartB + column / 16 * 512 + k / 8 * 128 + k % 8 * 16 + column % 16;
                  all += minifloat(kBytesNearOne.byte(place_a(row, k)), 4, 3) * minifloat(kBytesNearOne.byte(at), 4, 3);
                }
                return all;
              });
}

}  // namespace
}  // namespace bankshot::simt

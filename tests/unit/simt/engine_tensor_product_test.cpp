// tcgen05.mma with narrow elements and scale factors, and what it refuses.
#include <algorithm>

#include "tensor_product_harness.hpp"

namespace bankshot::simt {
namespace {

using EngineTensorProduct = TensorProductTest;

TEST_F(EngineTensorProduct, narrow_elements_are_sixteen_in_16_bytes) {
  struct Type {
    unsigned code, bits;
    int exponent, mantissa;
  };
  for (const auto& [code, bits, exponent, mantissa] : {Type{3, 6, 2, 3}, Type{4, 6, 3, 2}, Type{5, 4, 2, 1}}) {
    const auto number = [&](auto at, unsigned r, unsigned k) {
      return minifloat(in_sixteen(kAny, at, r, k, bits), exponent, mantissa);
    };
    expect_sums({"tcgen05.mma.cta_group::1.kind::f8f6f4 [%r9], %rd4, %rd5, %r12, %p5",
                 0x08000010 | kN / 8 << 17 | code << 7 | code << 10, kAny},
                [&](unsigned, unsigned lane, unsigned column) {
                  double all = 0;
                  for (unsigned k = 0; k < 32; ++k) all += number(place_a, lane, k) * number(place_b, column, k);
                  return all;
                });
  }
}

TEST_F(EngineTensorProduct, narrow_elements_in_tensor_memory_have_a_byte_each) {
  // Bits 2 to 5 of a byte.
  expect_sums({"tcgen05.mma.cta_group::1.kind::f8f6f4 [%r9], [%r16], %rd5, %r12, %p5",
               0x08000010 | kN / 8 << 17 | 5 << 7 | 5 << 10, kAny},
              [&](unsigned, unsigned lane, unsigned column) {
                double all = 0;
                for (unsigned k = 0; k < 32; ++k)
                  all += e2m1(kAny.byte(place_a(lane, k)) >> 2) * e2m1(in_sixteen(kAny, place_b, column, k, 4));
                return all;
              });
}

TEST_F(EngineTensorProduct, each_32_bytes_have_a_scale_factor) {
  for (const unsigned a_byte : {0u, 3u}) {
    const unsigned b_byte = 1;
    expect_sums({"tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%r9], %rd4, %rd5, %r12, [%r18], "
                 "[%r19], %p5",
                 0x08800000 | kN / 8 << 17 | a_byte << 29 | b_byte << 4, kBytesNearOne},
                [&](unsigned, unsigned lane, unsigned column) {
                  double all = 0;
                  for (unsigned k = 0; k < 32; ++k)
                    all += minifloat(kBytesNearOne.byte(place_a(lane, k)), 4, 3) *
                           minifloat(kBytesNearOne.byte(place_b(column, k)), 4, 3);
                  return all * scale(lane / 32, lane, a_byte) * scale(lane / 32, column, b_byte);
                });
  }
}

TEST_F(EngineTensorProduct, packed_elements_have_two_or_four_scale_factors) {
  for (const unsigned scales : {2u, 4u}) {
    const std::string vector = scales == 2 ? "block32" : "block16";
    const unsigned byte = scales == 2 ? 2 : 0;
    expect_sums({"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale." + vector +
                     " [%r9], %rd4, %rd5, %r12, [%r18], [%r19], %p5",
                 0x08800480 | kN / 8 << 17 | byte << 29 | byte << 4, kAny},
                [&](unsigned, unsigned lane, unsigned column) {
                  double all = 0;
                  for (unsigned k = 0; k < 64; ++k) {
                    const unsigned b = byte + k * scales / 64;
                    all += packed_e2m1(kAny, place_a, lane, k) * packed_e2m1(kAny, place_b, column, k) *
                           scale(lane / 32, lane, b) * scale(lane / 32, column, b);
                  }
                  return all;
                });
  }
}

TEST_F(EngineTensorProduct, rows_of_96_packed_elements_have_three_or_six_scale_factors) {
  for (const bool in_tensor_memory : {false, true}) {
    for (const auto& [vector, scales, byte] :
         {std::tuple("block32", 3u, 3u), std::tuple("block16", 6u, 2u), std::tuple("scale_vec::4X", 6u, 0u)}) {
      // In tensor memory there are 32 bytes of a row of A, and behind them zeros.
      const unsigned kept = in_tensor_memory ? 64 : 96;
      expect_sums({std::string("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.") + vector + " [%r9], " +
                       (in_tensor_memory ? "[%r16]" : "%rd4") + ", %rd5, %r12, [%r18], [%r19], %p5",
                   0x88800480 | kN / 8 << 17 | byte << 29 | byte << 4, kAny},
                  [&](unsigned, unsigned lane, unsigned column) {
                    double all = 0;
                    for (unsigned k = 0; k < kept; ++k) {
                      const unsigned b = byte + k * scales / 96;
                      all += packed_e2m1(kAny, place_a, lane, k) * packed_e2m1(kAny, place_b, column, k) *
                             scale(lane / 32, lane, b) * scale(lane / 32, column, b);
                    }
                    return all;
                  });
    }
  }
}

TEST_F(EngineTensorProduct, what_is_behind_a_row_of_128_bytes_is_at_the_leading_address) {
  // The rows of A begin 96 bytes behind s, with 128 bytes from one to the next; their last 16 bytes are at s + 2048.
  Case c{"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32 [%r9], %rd4, %rd5, %r12, [%r18], [%r19], %p5",
         0x88800480 | kN / 8 << 17, kAny};
  const auto descriptors = [](const std::string& layout) {
    return "add.u64 %rd7, %rd3, 128; shl.b64 %rd7, %rd7, 16; or.b64 %rd7, %rd7, %rd3; add.u64 %rd4, %rd7, 6; "
           "or.b64 %rd4, %rd4, " +
           layout + "; or.b64 %rd5, %rd3, 0x0000402000080000;\n";
  };
  c.descriptors = descriptors("0x4010401000000000");
  expect_sums(c, [&](unsigned, unsigned lane, unsigned column) {
    const auto place_in_a = [](unsigned r, unsigned b) {
      const unsigned at = r / 8 * 256 + r % 8 * 128 + (b < 32 ? 96 + b : 2048 + b - 32);
      return at ^ (at >> 7 & 7) << 4;
    };
    double all = 0;
    for (unsigned k = 0; k < 96; ++k)
      all += packed_e2m1(kAny, place_in_a, lane, k) * packed_e2m1(kAny, place_b, column, k) *
             scale(lane / 32, lane, k / 32) * scale(lane / 32, column, k / 32);
    return all;
  });
  for (const char* layout : {"0xc010401000000000", "0x4012401000000000"}) {
    c.descriptors = descriptors(layout);
    EXPECT_NE(message_of(c).find("bit 52, an absolute leading offset, needs layout 2"), std::string::npos);
  }
  Case mn_major{"tcgen05.mma.cta_group::1.kind::f16 [%r9], %rd4, %rd5, %r12, %p5", 0x08008010 | kN / 8 << 17, kAny};
  mn_major.descriptors = descriptors("0x4010401000000000");
  EXPECT_NE(message_of(mn_major).find("bit 52, an absolute leading offset, is for operands that are K-major"),
            std::string::npos);
}

TEST_F(EngineTensorProduct, columns_of_zeros_and_shifted_columns) {
  // Seven columns in turn: four of B, three of zeros; the first is left out. Column c is column c + 5 of B.
  for (const bool sparse : {false, true}) {
    Case c{"tcgen05.mma.ws" + std::string(sparse ? ".sp" : "") + ".cta_group::1.kind::f16 [%r9], %rd4, %rd5, " +
               (sparse ? "[%r17], " : "") + "%r12, %p5, 0x0503028000000001",
           0x48000010 | 64 / 8 << 17 | (sparse ? 4u : 0u), kHalvesNearOne};
    // 0x4: the first two of four elements are kept.
    std::fill_n(c.metadata, 4, 0x44444444);
    c.descriptors = "or.b64 %rd4, %rd3, 0x0000401000080000; or.b64 %rd5, %rd3, 0x0000401000080000;\n";
    expect_sums(c, [&](unsigned, unsigned lane, unsigned column) {
      if ((column + 1) % 7 >= 4) return 0.0;
      double all = 0;
      for (unsigned k = 0; k < 16; ++k) {
        const unsigned in_b = sparse ? k / 2 * 4 + k % 2 : k;
        all += half_at(kHalvesNearOne, place_a(lane, 2 * k)) *
               half_at(kHalvesNearOne, place(kStartB, 256, column + 5, 2 * in_b));
      }
      return all;
    });
  }
}

TEST_F(EngineTensorProduct, scale_factors_may_be_e4m3) {
  // Bytes 126 to 128 are 448, NaN and 0.
  const auto number = [](unsigned byte) { return byte == 127 ? std::nan("") : byte == 126 ? 448.0 : 0.0; };
  Case c{
      "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%r9], %rd4, %rd5, %r12, [%r18], [%r19], %p5",
      0x08000480 | kN / 8 << 17, kAny};
  const auto stats = run(text_of(c), {1, 1, 1}, {128, 1, 1}, 128 * kN);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned at = 0; at < 128 * kN; ++at) {
    const unsigned lane = at / kN, column = at % kN;
    double all = 0;
    for (unsigned b = 0; b < 4; ++b) {
      const double both = number(scale_byte(lane, lane / 32, b)) * number(scale_byte(lane / 32 * 32 + column, 0, b));
      for (unsigned k = 16 * b; k < 16 * b + 16; ++k)
        all += packed_e2m1(kAny, place_a, lane, k) * packed_e2m1(kAny, place_b, column, k) * both;
    }
    EXPECT_TRUE(std::isnan(all)) << "each row has a NaN";
    ASSERT_EQ(out[at], 0x7fffffffu) << at;
  }
}

TEST_F(EngineTensorProduct, sums_that_are_not_exact_are_cut_off_25_places_below_the_largest_exponent) {
  // Elements from 2^-9 to 240, and the accumulator is what another product has left.
  constexpr Fill kWide{0xf7f7f7f7, 0};
  const std::string once =
      "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r9], %rd4, %rd5, %r12, [%r18], [%r19], ";
  const auto exponent = [](double x, int least) { return x == 0 ? -5000 : std::max(std::ilogb(x), least); };
  expect_sums({once + "%p5;\n@!%p2 " + once + "1", 0x08800000 | kN / 8 << 17, kWide},
              [&](unsigned, unsigned lane, unsigned column) {
                const double both = scale(lane / 32, lane, 0) * scale(lane / 32, column, 0);
                double sum = 0;
                for (unsigned product = 0; product < 2; ++product) {
                  double addend[33] = {};
                  int largest = exponent(sum, -126);
                  for (unsigned k = 0; k < 32; ++k) {
                    const double a = minifloat(kWide.byte(place_a(lane, k)), 4, 3);
                    const double b = minifloat(kWide.byte(place_b(column, k)), 4, 3);
                    addend[k] = a * b * both;
                    if (addend[k] != 0)
                      largest = std::max(largest, exponent(a, -6) + exponent(b, -6) + std::ilogb(both));
                  }
                  addend[32] = sum;
                  sum = 0;
                  for (const double x : addend)
                    sum += std::ldexp(std::trunc(std::ldexp(x, 25 - largest)), largest - 25);
                  const int last = std::ilogb(sum) - 23;
                  if (sum != 0) sum = std::ldexp(std::trunc(std::ldexp(sum, -last)), last);
                }
                return sum;
              });
}

TEST_F(EngineTensorProduct, other_sizes_leave_no_columns_out) {
  // N 8: the columns are fewer than the host adds side by side. Columns behind them keep 0.
  expect_sums({"tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r9], %rd4, %rd5, %r12, [%r18], [%r19], %p5",
               0x08800000 | 8 / 8 << 17, kBytesNearOne},
              [&](unsigned, unsigned lane, unsigned column) {
                double all = 0;
                for (unsigned k = 0; k < 32 && column < 8; ++k)
                  all += minifloat(kBytesNearOne.byte(place_a(lane, k)), 4, 3) *
                         minifloat(kBytesNearOne.byte(place_b(column, k)), 4, 3);
                return all * scale(lane / 32, lane, 0) * scale(lane / 32, column, 0);
              });
}

TEST_F(EngineTensorProduct, a_pair_has_scale_factors_of_its_rows_and_of_all_columns) {
  // M 256: all columns in each lane. M 128: columns 0 to 15 in lanes 0 to 63, the others in lanes 64 to 127.
  for (const unsigned m : {256u, 128u}) {
    expect_sums({"tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale [%r9], %rd4, %rd5, %r12, [%r18], [%r19], %p5",
                 m / 128 << 27 | 0x00800000 | kN / 8 << 17, kBytesNearOne, true},
                [&](unsigned, unsigned lane, unsigned d_column) {
                  if (d_column >= (m == 256 ? kN : kN / 2)) return std::nan("");
                  const unsigned row = lane % (m / 2), column = m == 256 ? d_column : d_column + lane / 64 * 16;
                  double all = 0;
                  for (unsigned k = 0; k < 32; ++k)
                    all += minifloat(kBytesNearOne.byte(place_a(row, k)), 4, 3) *
                           minifloat(kBytesNearOne.byte(place_b(column % 16, k)), 4, 3);
                  return all * scale(lane / 32, row, 0) * scale(lane / 32, d_column, 0);
                });
  }
}

TEST_F(EngineTensorProduct, words_that_are_mn_major_are_swizzled_in_units_of_32_bytes) {
  // Of A: eight chunks of four rows are 128 bytes, of four k; the other four k are 512 bytes behind.
  Case c{"tcgen05.mma.cta_group::1.kind::tf32 [%r9], %rd4, %rd5, %r12, %p5", 0x08008910 | kN / 8 << 17, kWordsNearOne};
  c.descriptors = "or.b64 %rd4, %rd3, 0x2000402000400000; or.b64 %rd5, %rd3, 0x0000402000080000;\n";
  const auto number = [](unsigned at) {
    return static_cast<double>(
        std::bit_cast<float>(kWordsNearOne.byte(at + 2) << 16 | kWordsNearOne.byte(at + 3) << 24));
  };
  expect_sums(c, [&](unsigned, unsigned row, unsigned column) {
    double all = 0;
    for (unsigned k = 0; k < 8; ++k) {
      const unsigned at = row / 4 % 8 * 16 + row / 32 * 1024 + k % 4 * 128 + k / 4 * 512 + row % 4 * 4;
      all += number(at ^ (at >> 7 & 3) << 5) * number(place_b(column, 4 * k));
    }
    return all;
  });
  c.descriptors = "or.b64 %rd4, %rd3, 0x4000402000400000; or.b64 %rd5, %rd3, 0x0000402000080000;\n";
  EXPECT_NE(message_of(c).find("tf32 operands that are MN-major need layout 1"), std::string::npos) << message_of(c);
}

TEST_F(EngineTensorProduct, rows_of_a_are_shifted_on_the_way) {
  expect_sums({"tcgen05.mma.cta_group::1.kind::f16.ashift [%r9], [%r16], %rd5, %r12, %p5", 0x08000010 | kN / 8 << 17,
               kHalvesNearOne},
              [&](unsigned, unsigned lane, unsigned column) {
                double all = 0;
                const auto number = [](unsigned at) {
                  return minifloat(kHalvesNearOne.byte(at) | kHalvesNearOne.byte(at + 1) << 8, 5, 10);
                };
                for (unsigned k = 0; k < 16; ++k)
                  all += number(place_a(std::min(lane + 1, 127u), 2 * k)) * number(place_b(column, 2 * k));
                return all;
              });
}

TEST_F(EngineTensorProduct, what_descriptors_and_operands_cannot_be_is_named) {
  const std::string scaled =
      "tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%r9], %rd4, %rd5, %r12, [%r18], [%r19], %p5";
  const auto expect = [&](const std::string& product, uint32_t descriptor, const std::string& message) {
    const std::string found = message_of({product, descriptor, kAny});
    EXPECT_NE(found.find(message), std::string::npos) << found;
  };
  expect(scaled, 0x08080480, "scale factors of .kind::mxf4 are ue8m0: bit 23 must be 1");
  expect("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block32 [%r9], %rd4, %rd5, %r12, [%r18], [%r19], %p5",
         0x08080480, "scale factors of .kind::mxf4nvf4, two of a row, are ue8m0: bit 23 must be 1");
  expect(scaled, 0x28880480,
         "the byte of the scale factors of A (bits 29 and 30) is 1, but with 2 of them it must be 0 or 2");
  expect("tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale [%r9], %rd4, %rd5, [%r17], %r12, [%r18], [%r19], %p5",
         0x88880484, "bit 31, K of 96, is for .kind::mxf4 and .kind::mxf4nvf4 without .sp");
  expect("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%r9], %rd4, %rd5, %r12, [%r18], [%r19], %p5",
         0xa8880480, "(bits 29 and 30) is 1, but with 6 of them it must be 0 or 2");
  expect(scaled, 0x10880480, "M is 256, but .kind::mxf4 takes 128");
  expect(scaled, 0x08880490, "the byte of the scale factors of B (bits 4 and 5) is 1");
  expect(scaled, 0x08888480, "A has elements of 4 bits, which cannot be MN-major");
  expect(scaled, 0x08880484, "bit 2 says that A is sparse, but the instruction is not .sp");
  std::string at_lane_32 = scaled;
  at_lane_32.replace(at_lane_32.find("[%r18]"), 6, "[%r18+2097152]");
  expect(at_lane_32, 0x08880480, "scale factors of A must begin at lane 0 of tensor memory, but they are at lane 32");
  expect("tcgen05.mma.sp.cta_group::1.kind::f16 [%r9], %rd4, %rd5, [%r17], %r12, %p5", 0x08080010,
         "bit 2 must be 1 for an instruction with .sp");
  expect("tcgen05.mma.ws.cta_group::1.kind::f16 [%r9], %rd4, %rd5, %r12, %p5, %rd3", 0x08100010, "it ran");
  expect("tcgen05.mma.ws.cta_group::1.kind::f16 [%r9], %rd4, %rd5, %r12, %p5, 0x1000000000", 0x08100010,
         "zero-column-mask-desc does not fit: bits 36 to 38, 62 and 63 must be 0");
  const auto refused = [&](const std::string& product) { return refusal(text_of({product, 0, kAny})); };
  EXPECT_NE(refused("tcgen05.mma.cta_group::1.kind::f16.ashift [%r9], %rd4, %rd5, %r12, %p5")
                .find(".ashift needs A in tensor memory"),
            std::string::npos);
  EXPECT_NE(refused("tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%r9], %rd4, %rd5, %r12, %r18, [%r19], %p5")
                .find("expected an address in tensor memory in brackets"),
            std::string::npos);
  EXPECT_NE(refused("tcgen05.cp.cta_group::1.128x128b.b8x16 [%r9], %rd4").find(".b8x16 needs .b6x16_p32"),
            std::string::npos);
}

}  // namespace
}  // namespace bankshot::simt

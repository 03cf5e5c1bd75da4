// tcgen05.mma with a sparse A.
#include <algorithm>

#include "tensor_product_harness.hpp"

namespace bankshot::simt {
namespace {

using EngineTensorSparse = TensorProductTest;

TEST_F(EngineTensorSparse, sparse_rows_of_64_and_stationary_ones_have_metadata_of_their_lanes) {
  const auto sum = [](const Case& c, unsigned row, unsigned lane, unsigned column) {
    double all = 0;
    for (unsigned k = 0; k < 32; ++k) {
      const unsigned chosen = static_cast<unsigned>(metadata(c, lane) >> (4 * (k / 2) + 2 * (k % 2)) & 3);
      all += minifloat(kBytesNearOne.byte(place_a(row, k)), 4, 3) *
             minifloat(kBytesNearOne.byte(place_b(column, k / 2 * 4 + chosen)), 4, 3);
    }
    return all;
  };
  const Case spread{"tcgen05.mma.sp.cta_group::1.kind::f8f6f4 [%r9], %rd4, %rd5, [%r17], %r12, %p5",
                    0x04000014 | kN / 8 << 17, kBytesNearOne};
  expect_sums(spread, [&](unsigned, unsigned lane, unsigned column) {
    return lane % 32 >= 16 ? std::nan("") : sum(spread, lane / 32 * 16 + lane % 16, lane, column);
  });
  // M 64, N 64, .ws: columns 32 to 63 are in lanes 64 to 127.
  const Case stationary{"tcgen05.mma.ws.sp.cta_group::1.kind::f8f6f4 [%r9], %rd4, %rd5, [%r17], %r12, %p5", 0x04100014,
                        kBytesNearOne};
  expect_sums(stationary, [&](unsigned, unsigned lane, unsigned column) {
    return sum(stationary, lane % 64, lane, column + lane / 64 * 32);
  });
}

TEST_F(EngineTensorSparse, sparse_halves_and_words_meet_what_metadata_choose) {
  // A pair of a nibble chooses two of four k. For words 0x4 chooses the first of two, 0xe the second.
  struct Type {
    const char* kind;
    unsigned descriptor, bytes;
    Fill fill;
    uint32_t metadata[4];
  };
  for (const Type& type :
       {Type{"f16", 0, 2, kHalvesNearOne, {0x8c9de44c, 0xed48c94e, 0x49cd8e48, 0xce4d98dc}},
        Type{"tf32", 2 << 7 | 2 << 10, 4, kWordsNearOne, {0x4e44eee4, 0xe4e4ee44, 0x44e4ee4e, 0xeee44e4e}}}) {
    for (const unsigned selector : {0u, 1u}) {
      Case c{std::string("tcgen05.mma.sp.cta_group::1.kind::") + type.kind + " [%r9], %rd4, %rd5, [%r17], %r12, %p5",
             0x08000014 | kN / 8 << 17 | type.descriptor | selector, type.fill};
      std::copy(std::begin(type.metadata), std::end(type.metadata), c.metadata);
      const auto number = [&](unsigned at) {
        const unsigned half = type.fill.byte(at) | type.fill.byte(at + 1) << 8;
        return type.bytes == 2 ? minifloat(half, 5, 10)
                               : static_cast<double>(
                                     std::bit_cast<float>(type.fill.byte(at + 2) << 16 | type.fill.byte(at + 3) << 24));
      };
      const unsigned k_of_half = 32 / type.bytes;  // a lane of metadata has half of k
      expect_sums(c, [&](unsigned, unsigned row, unsigned column) {
        double all = 0;
        for (unsigned nibble = 0; nibble < 8; ++nibble) {
          const unsigned lane = row % 8 + nibble / 4 * 8 + row / 16 * 16;
          const auto word = static_cast<uint32_t>(metadata(c, lane) >> 32 * selector);
          const unsigned chosen = word >> (row / 8 % 2 * 16 + nibble % 4 * 4) & 15;
          const unsigned first = nibble / 4 * k_of_half + nibble % 4 * (k_of_half / 4);
          for (unsigned which = 0; which < 4 / type.bytes; ++which) {
            const unsigned kept = nibble * 4 / type.bytes + which;
            const unsigned k = first + (type.bytes == 2 ? chosen >> 2 * which & 3 : chosen >> 3);
            all += number(place_a(row, kept * type.bytes)) * number(place_b(column, k * type.bytes));
          }
        }
        return all;
      });
    }
  }
}

TEST_F(EngineTensorSparse, sparse_bytes_and_packed_pairs_meet_what_metadata_choose) {
  const auto chosen = [](const Case& c, unsigned row, unsigned group, unsigned which) {
    return static_cast<unsigned>(metadata(c, row) >> (4 * group + 2 * which) & 3);
  };
  for (const bool scaled : {false, true}) {
    const Case bytes{std::string("tcgen05.mma.sp.cta_group::1.kind::") + (scaled ? "mxf8f6f4.block_scale" : "f8f6f4") +
                         " [%r9], [%r16], %rd5, [%r17], %r12" + (scaled ? ", [%r18], [%r19]" : "") + ", %p5",
                     (scaled ? 0x08800004u : 0x08000014u) | kN / 8 << 17, kBytesNearOne};
    expect_sums(bytes, [&](unsigned, unsigned row, unsigned column) {
      double all = 0;
      for (unsigned c = 0; c < 32; ++c)
        all += minifloat(kBytesNearOne.byte(place_a(row, c)), 4, 3) *
               minifloat(kBytesNearOne.byte(place_b(column, c / 2 * 4 + chosen(bytes, row, c / 2, c % 2))), 4, 3);
      return scaled ? all * scale(row / 32, row, 0) * scale(row / 32, column, 0) : all;
    });
  }
  for (const unsigned scales : {2u, 4u}) {
    const Case pairs{std::string("tcgen05.mma.sp.cta_group::1.kind::") +
                         (scales == 2 ? "mxf4.block_scale" : "mxf4nvf4.block_scale.scale_vec::4X") +
                         " [%r9], %rd4, %rd5, [%r17], %r12, [%r18], [%r19], %p5",
                     0x08800484 | kN / 8 << 17, kAny};
    expect_sums(pairs, [&](unsigned, unsigned row, unsigned column) {
      double all = 0;
      for (unsigned c = 0; c < 64; ++c) {
        const unsigned k = c / 4 * 8 + 2 * chosen(pairs, row, c / 4, c / 2 % 2) + c % 2, b = k * scales / 128;
        all += packed_e2m1(kAny, place_a, row, c) * packed_e2m1(kAny, place_b, column, k) * scale(row / 32, row, b) *
               scale(row / 32, column, b);
      }
      return all;
    });
  }
}

}  // namespace
}  // namespace bankshot::simt

// tcgen05.mma with narrow elements, scale factors and sparse A, against sums that are made here from the layouts that
// docs/blackwell.md names.
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

/// Bytes of shared memory: byte a is (37 a + 11 (a / 32) + 5 (a / 512)) & keep | set, by the byte of keep and set that
/// belongs to a mod 4.
struct Fill {
  uint32_t keep = 0xffffffff, set = 0;
  unsigned byte(unsigned a) const {
    const unsigned x = a * 37 + (a >> 5) * 11 + (a >> 9) * 5;
    return (x & keep >> a % 4 * 8 & 0xff) | (set >> a % 4 * 8 & 0xff);
  }
};

constexpr Fill kAny{}, kBytesNearOne{0x87878787, 0x38383838}, kHalvesNearOne{0x83c083c0, 0x3c003c00},
    kWordsNearOne{0x80600000, 0x3f800000};

double e2m1(unsigned code) {
  static constexpr double kMagnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return ((code & 8) != 0 ? -1 : 1) * kMagnitudes[code & 7];
}
double minifloat(unsigned code, int exponent_bits, int mantissa_bits) {
  const int sign = static_cast<int>(code >> (exponent_bits + mantissa_bits) & 1), bias = (1 << (exponent_bits - 1)) - 1;
  const int e = static_cast<int>(code >> mantissa_bits & ((1u << exponent_bits) - 1));
  const double fraction = std::ldexp(code & ((1u << mantissa_bits) - 1), -mantissa_bits);
  const double magnitude = e == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, e - bias);
  return sign != 0 ? -magnitude : magnitude;
}

class EngineTensorProduct : public EngineTest {
 protected:
  static constexpr unsigned kN = 32, kStartB = 4096, kStrideA = 256, kStrideB = 512;
  /// Where A, the scale factors of A and B and the metadata begin, in columns.
  static constexpr unsigned kColumnA = 256, kColumnScalesA = 320, kColumnScalesB = 340, kColumnMetadata = 360;

  struct Case {
    std::string product;  ///< what follows "@!%p2 "
    uint32_t descriptor = 0;
    Fill fill;
    bool pair = false;
    uint32_t metadata[4] = {0x8c9de44c, 0xed48c94e, 0x49cd8e48, 0xce4d98dc};
    std::string descriptors = "or.b64 %rd4, %rd3, 0x0000401000080000; or.b64 %rd5, %rd3, 0x0000402000080000;\n";
  };

  /// Bytes of scale factors: of lane l of column c byte b.
  static unsigned scale_byte(unsigned lane, unsigned column, unsigned b) { return 126 + (lane + column + b) % 3; }
  /// Words of metadata, two of them: of a lane.
  static uint64_t metadata(const Case& c, unsigned lane) {
    return c.metadata[lane % 2] | uint64_t{c.metadata[2 + lane / 2 % 2]} << 32;
  }

  /// Thread t stores scale factors and metadata of lane t, one thread makes the product, and row t of 32 columns goes
  /// to out.
  std::string text_of(const Case& c) const {
    const auto store = [](unsigned column, const std::string& registers, unsigned count) {
      return "tcgen05.st.sync.aligned.32x32b.x" + std::to_string(count) + ".b32 [%r13+" + std::to_string(column) +
             "], {" + registers + "};\n";
    };
    std::string scales;
    for (unsigned column = 0; column < 4; ++column) {
      for (unsigned b = 0; b < 4; ++b) {
        const std::string from = std::to_string(column + b), shift = std::to_string(8 * b);
        scales += "add.u32 %r14, %r3, " + from +
                  "; rem.u32 %r14, %r14, 3; add.u32 %r14, %r14, 126; shl.b32 %r14, %r14, " + shift + "; " +
                  (b == 0 ? "mov.b32 %r15, %r14;\n" : "or.b32 %r15, %r15, %r14;\n");
      }
      scales += store(kColumnScalesA + column, "%r15", 1) + store(kColumnScalesB + column, "%r15", 1);
    }
    const auto hex = [](uint32_t x) { return std::to_string(x); };
    std::string loads, stores;
    for (unsigned part = 0; part < 4; ++part) {
      loads += "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [%r13+" +
               std::to_string(8 * part) + "]; tcgen05.wait::ld.sync.aligned;\n";
      for (unsigned k = 0; k < 8; ++k)
        loads += "st.global.b32 [%rd6+" + std::to_string(4 * (8 * part + k)) + "], %r" + std::to_string(20 + k) + ";\n";
    }
    std::string text =
        ".version 8.8\n.target sm_103a\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
        ".reg .b32 %r<64>; .reg .b64 %rd<32>; .reg .pred %p<8>; .reg .b16 %h<4>;\n"
        ".shared .align 1024 .b8 s[8192]; .shared .align 8 .b64 bar; .shared .b32 place;\nld.param.u64 %rd1, [out];\n"
        "mov.u32 %r3, %tid.x; mov.u32 %r4, %ctaid.x; mad.lo.u32 %r5, %r4, 128, %r3; mul.wide.u32 %rd6, %r5, 128; "
        "add.u64 %rd6, %rd1, %rd6;\n"
        "setp.ne.u32 %p2, %r3, 0; setp.ge.u32 %p3, %r3, 32; mov.u32 %r10, bar; mov.u32 %r11, place; mov.u32 %r5, %r3;\n"
        "L: mul.lo.u32 %r6, %r5, 37; shr.u32 %r7, %r5, 5; mad.lo.u32 %r6, %r7, 11, %r6; shr.u32 %r7, %r5, 9; "
        "mad.lo.u32 "
        "%r6, %r7, 5, %r6;\nand.b32 %r7, %r5, 3; shl.b32 %r7, %r7, 3; shr.u32 %r8, " +
        hex(c.fill.keep) + ", %r7; and.b32 %r6, %r6, %r8; shr.u32 %r8, " + hex(c.fill.set) +
        ", %r7; or.b32 %r6, %r6, %r8;\nmov.u32 %r7, s; add.u32 %r7, %r7, %r5; cvt.u16.u32 %h1, %r6; st.shared.u8 "
        "[%r7], "
        "%h1; add.u32 %r5, %r5, 128; setp.lt.u32 %p1, %r5, 8192; @%p1 bra L; fence.proxy.async.shared::cta;\n"
        "@!%p2 mbarrier.init.shared.b64 [%r10], 1;\n"
        "@%p3 bra A; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], 512;\nA: bar.sync 0; "
        "ld.shared.b32 %r9, [place];\nmov.u32 %r8, s; bfe.u32 %r8, %r8, 4, 14; cvt.u64.u32 %rd3, %r8;\n" +
        c.descriptors + "add.u64 %rd5, %rd5, " + std::to_string(kStartB / 16) +
        ";\nsetp.ne.u32 %p5, %r3, %r3; and.b32 %r13, %r3, 96; shl.b32 %r13, %r13, 16; add.u32 %r13, %r13, %r9;\n" +
        scales + "and.b32 %r14, %r3, 1; setp.eq.u32 %p6, %r14, 0; selp.b32 %r15, " + hex(c.metadata[0]) + ", " +
        hex(c.metadata[1]) + ", %p6; and.b32 %r14, %r3, 2; setp.eq.u32 %p6, %r14, 0; selp.b32 %r16, " +
        hex(c.metadata[2]) + ", " + hex(c.metadata[3]) + ", %p6;\n" + store(kColumnMetadata, "%r15, %r16", 2) +
        // Row t of A as its descriptor names it.
        "shr.u32 %r14, %r3, 3; shl.b32 %r14, %r14, 8; and.b32 %r15, %r3, 7; shl.b32 %r15, %r15, 4; add.u32 %r14, %r14, "
        "%r15;\nmov.u32 %r15, s; add.u32 %r14, %r14, %r15; ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r14];\n"
        "ld.shared.v4.b32 {%r24, %r25, %r26, %r27}, [%r14+128];\n" +
        store(kColumnA, "%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27", 8) +
        "tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0; "
        "tcgen05.fence::after_thread_sync;\nmov.b32 %r12, " +
        hex(c.descriptor) + "; add.u32 %r16, %r9, " + std::to_string(kColumnA) + "; add.u32 %r17, %r9, " +
        std::to_string(kColumnMetadata) + "; add.u32 %r18, %r9, " + std::to_string(kColumnScalesA) +
        "; add.u32 %r19, %r9, " + std::to_string(kColumnScalesB) + ";\n";
    const std::string wait =
        "W: mbarrier.try_wait.parity.shared.b64 %p6, [%r10], 0; @!%p6 bra W; tcgen05.fence::after_thread_sync;\n";
    if (c.pair) {
      text +=
          "mov.u32 %r30, %cluster_ctarank; barrier.cluster.arrive; barrier.cluster.wait; setp.ne.or.u32 %p7, %r30, "
          "0, %p2; mov.b16 %h2, 3;\n@!%p7 " +
          c.product +
          ";\n@!%p7 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
          "[%r10], %h2;\n" +
          wait + loads + "barrier.cluster.arrive; barrier.cluster.wait;\n";
    } else {
      text += "@!%p2 " + c.product +
              ";\n@!%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r10];\n" + wait + loads;
    }
    text += "bar.sync 0; @%p3 bra B; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, 512;\nB: ret;\n}\n";
    if (c.pair) {
      for (size_t at = 0; (at = text.find("cta_group::1", at)) != std::string::npos;) text[at + 11] = '2';
    }
    return text;
  }

  /// Runs it and compares out with what sum() gives for a lane of a CTA and a column.
  void expect_sums(const Case& c, const std::function<double(unsigned cta, unsigned lane, unsigned column)>& sum) {
    const unsigned ctas = c.pair ? 2 : 1;
    cluster = {ctas, 1, 1};
    const auto stats = run(text_of(c), {ctas, 1, 1}, {128, 1, 1}, ctas * 128 * kN);
    ASSERT_TRUE(stats) << c.product << ": " << stats.error().message;
    bool other_than_zero = false;
    for (unsigned at = 0; at < ctas * 128 * kN; ++at) {
      const double expected = sum(at / kN / 128, at / kN % 128, at % kN);
      if (std::isnan(expected)) continue;  // not a place of D
      ASSERT_EQ(static_cast<double>(std::bit_cast<float>(out[at])), expected)
          << c.product << ", lane " << at / kN % 128 << " of CTA " << at / kN / 128 << ", column " << at % kN;
      other_than_zero = other_than_zero || expected != 0;
    }
    EXPECT_TRUE(other_than_zero);
  }
  std::string message_of(const Case& c) {
    const auto stats = run(text_of(c), {1, 1, 1}, {128, 1, 1}, 128 * kN);
    return stats ? "it ran" : stats.error().message;
  }

  /// Byte b of row r, K-major without swizzle.
  static unsigned place(unsigned start, unsigned stride, unsigned r, unsigned b) {
    return start + r / 8 * stride + b / 16 * 128 + r % 8 * 16 + b % 16;
  }
  static unsigned place_a(unsigned r, unsigned b) { return place(0, kStrideA, r, b); }
  static unsigned place_b(unsigned r, unsigned b) { return place(kStartB, kStrideB, r, b); }
  /// Element k of `bits` bits, of which sixteen begin at each 16 bytes.
  template <class Place>
  static unsigned in_sixteen(const Fill& fill, Place at, unsigned r, unsigned k, unsigned bits) {
    const unsigned first = k % 16 * bits;
    const auto byte = [&](unsigned b) { return fill.byte(at(r, k / 16 * 16 + b)); };
    const unsigned two = byte(first / 8) | (first / 8 < 15 ? byte(first / 8 + 1) << 8 : 0);
    return two >> first % 8 & ((1u << bits) - 1);
  }
  /// Element k of packed e2m1.
  template <class Place>
  static double packed_e2m1(const Fill& fill, Place at, unsigned r, unsigned k) {
    return e2m1(fill.byte(at(r, k / 2)) >> k % 2 * 4);
  }
  /// The power of two that is a scale factor: of a line, of block b; its lane may be in any quarter.
  static double scale(unsigned quarter, unsigned line, unsigned b) {
    return std::ldexp(1, static_cast<int>(scale_byte(32 * quarter + line % 32, line / 32, b)) - 127);
  }
};

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

TEST_F(EngineTensorProduct, sparse_rows_of_64_and_stationary_ones_have_metadata_of_their_lanes) {
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

TEST_F(EngineTensorProduct, sparse_halves_and_words_meet_what_metadata_choose) {
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

TEST_F(EngineTensorProduct, sparse_bytes_and_packed_pairs_meet_what_metadata_choose) {
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
         "the byte of the scale factors of A (bits 29 and 30) is 1, but with two of them it must be 0 or 2");
  expect(scaled, 0x88880480, "bit 31, K of 96, is not supported");
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
  expect("tcgen05.mma.ws.cta_group::1.kind::f16 [%r9], %rd4, %rd5, %r12, %p5, 0x8000000000", 0x08100010,
         "zero-column-mask-desc asks for columns of zeros");
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

TEST_F(EngineTensorProduct, copies_give_narrow_elements_a_byte_each) {
  for (const unsigned bits : {4u, 6u}) {
    const Case c{std::string("tcgen05.cp.cta_group::1.128x256b.b8x16.") + (bits == 4 ? "b4x16_p64" : "b6x16_p32") +
                     " [%r9], %rd4",
                 0, kAny};
    const auto stats = run(text_of(c), {1, 1, 1}, {128, 1, 1}, 128 * kN);
    ASSERT_TRUE(stats) << stats.error().message;
    for (unsigned lane = 0; lane < 128; ++lane) {
      for (unsigned k = 0; k < 32; ++k) {
        const unsigned code = in_sixteen(kAny, place_a, lane, k, bits);
        ASSERT_EQ(out[lane * kN + k / 4] >> k % 4 * 8 & 0xff, bits == 4 ? code << 2 : code) << lane << ", " << k;
      }
    }
  }
}

TEST_F(EngineTensorProduct, loads_may_reduce) {
  // Four words that the copy brings: the sign and the order are those of the type.
  struct Form {
    const char* form;
    uint32_t (*both)(uint32_t, uint32_t);
  };
  static constexpr auto kFloat = [](uint32_t x) { return std::bit_cast<float>(x); };
  for (const Form& f :
       {Form{"max.f32", [](uint32_t a, uint32_t b) { return kFloat(a) > kFloat(b) ? a : b; }},
        Form{"min.f32", [](uint32_t a, uint32_t b) { return kFloat(a) < kFloat(b) ? a : b; }},
        Form{"max.abs.f32", [](uint32_t a, uint32_t b) { return std::max(a & 0x7fffffff, b & 0x7fffffff); }},
        Form{"min.u32", [](uint32_t a, uint32_t b) { return std::min(a, b); }},
        Form{"max.s32", [](uint32_t a, uint32_t b) {
               return static_cast<uint32_t>(std::max(static_cast<int32_t>(a), static_cast<int32_t>(b)));
             }}}) {
    const Case c{"tcgen05.cp.cta_group::1.128x128b [%r9], %rd4", 0, kWordsNearOne};
    std::string text = text_of(c);
    const std::string last = "bar.sync 0; @%p3 bra B;";
    text.insert(text.find(last), std::string("tcgen05.ld.red.sync.aligned.32x32b.x4.") + f.form +
                                     " {%r20, %r21, %r22, %r23}, %r24, [%r13]; tcgen05.wait::ld.sync.aligned; "
                                     "st.global.b32 [%rd6+16], %r24;\n");
    const auto stats = run(text, {1, 1, 1}, {128, 1, 1}, 128 * kN);
    ASSERT_TRUE(stats) << stats.error().message;
    for (unsigned lane = 0; lane < 128; ++lane) {
      const uint32_t* const row = out.data() + lane * kN;
      ASSERT_EQ(row[4], f.both(f.both(row[0], row[1]), f.both(row[2], row[3]))) << f.form << " " << lane;
    }
  }
}

TEST_F(EngineTensorProduct, loads_of_two_halves_reduce_what_a_thread_loads) {
  const Case c{"tcgen05.cp.cta_group::1.128x128b [%r9], %rd4", 0, kWordsNearOne};
  std::string text = text_of(c);
  const std::string last = "bar.sync 0; @%p3 bra B;";
  text.insert(text.find(last),
              "tcgen05.ld.red.sync.aligned.16x32bx2.x2.max.u32 {%r20, %r21}, %r24, [%r13], 2; "
              "tcgen05.wait::ld.sync.aligned; st.global.b32 [%rd6+16], %r24;\n");
  const auto stats = run(text, {1, 1, 1}, {128, 1, 1}, 128 * kN);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) {
    const uint32_t* const row = out.data() + (t / 32 * 32 + t % 16) * kN + t % 32 / 16 * 2;
    ASSERT_EQ(out[t * kN + 4], std::max(row[0], row[1])) << t;
  }
}

}  // namespace
}  // namespace bankshot::simt

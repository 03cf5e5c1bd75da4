// Products of tcgen05.mma whose operands are a pattern of bytes, against sums that a test makes from the layouts that
// docs/blackwell.md names.
#pragma once

#include <bit>
#include <cmath>
#include <functional>

#include "engine_harness.hpp"

namespace bankshot::simt {

/// Bytes of shared memory: byte a is (37 a + 11 (a / 32) + 5 (a / 512)) & keep | set, by the byte of keep and set that
/// belongs to a mod 4.
struct Fill {
  uint32_t keep = 0xffffffff, set = 0;
  unsigned byte(unsigned a) const {
    const unsigned x = a * 37 + (a >> 5) * 11 + (a >> 9) * 5;
    return (x & keep >> a % 4 * 8 & 0xff) | (set >> a % 4 * 8 & 0xff);
  }
};

inline constexpr Fill kAny{}, kBytesNearOne{0x87878787, 0x38383838}, kHalvesNearOne{0x83c083c0, 0x3c003c00},
    kWordsNearOne{0x80600000, 0x3f800000};

inline double e2m1(unsigned code) {
  static constexpr double kMagnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return ((code & 8) != 0 ? -1 : 1) * kMagnitudes[code & 7];
}
inline double minifloat(unsigned code, int exponent_bits, int mantissa_bits) {
  const int sign = static_cast<int>(code >> (exponent_bits + mantissa_bits) & 1), bias = (1 << (exponent_bits - 1)) - 1;
  const int e = static_cast<int>(code >> mantissa_bits & ((1u << exponent_bits) - 1));
  const double fraction = std::ldexp(code & ((1u << mantissa_bits) - 1), -mantissa_bits);
  const double magnitude = e == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, e - bias);
  return sign != 0 ? -magnitude : magnitude;
}

class TensorProductTest : public EngineTest {
 protected:
  static constexpr unsigned kN = 32, kStartB = 4096, kStrideA = 256, kStrideB = 512;
  /// Where A, the scale factors of A and B and the metadata begin, in columns.
  static constexpr unsigned kColumnA = 256, kColumnScalesA = 320, kColumnScalesB = 340, kColumnMetadata = 360;

  struct Case {
    std::string product;  ///< what follows "@!%p2 "
    uint32_t descriptor = 0;
    Fill fill;
    bool pair = false;
    unsigned least_scale = 126;  ///< of the bytes of scale factors
    uint32_t metadata[4] = {0x8c9de44c, 0xed48c94e, 0x49cd8e48, 0xce4d98dc};
    std::string descriptors = "or.b64 %rd4, %rd3, 0x0000401000080000; or.b64 %rd5, %rd3, 0x0000402000080000;\n";
  };

  /// Bytes of scale factors: of lane l of column c byte b.
  static unsigned scale_byte(unsigned lane, unsigned column, unsigned b, unsigned least = 126) {
    return least + (lane + column + b) % 3;
  }
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
    for (unsigned column = 0; column < 8; ++column) {
      for (unsigned b = 0; b < 4; ++b) {
        const std::string from = std::to_string(column + b), shift = std::to_string(8 * b);
        scales += "add.u32 %r14, %r3, " + from + "; rem.u32 %r14, %r14, 3; add.u32 %r14, %r14, " +
                  std::to_string(c.least_scale) + "; shl.b32 %r14, %r14, " + shift + "; " +
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

  static double as_float(uint32_t word) { return static_cast<double>(std::bit_cast<float>(word)); }
  static double half_at(const Fill& fill, unsigned at) {
    return minifloat(fill.byte(at) | fill.byte(at + 1) << 8, 5, 10);
  }
  /// Runs it and compares out with what sum() gives for a lane of a CTA and a column.
  void expect_sums(const Case& c, const std::function<double(unsigned cta, unsigned lane, unsigned column)>& sum,
                   const std::function<double(uint32_t word)>& value = as_float) {
    const unsigned ctas = c.pair ? 2 : 1;
    cluster = {ctas, 1, 1};
    const auto stats = run(text_of(c), {ctas, 1, 1}, {128, 1, 1}, ctas * 128 * kN);
    ASSERT_TRUE(stats) << c.product << ": " << stats.error().message;
    bool other_than_zero = false;
    for (unsigned at = 0; at < ctas * 128 * kN; ++at) {
      const double expected = sum(at / kN / 128, at / kN % 128, at % kN);
      if (std::isnan(expected)) continue;  // not a place of D
      ASSERT_EQ(value(out[at]), expected)
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
  /// The power of two that is a scale factor: of a line, of block b; its lane may be in any quarter. The factors behind
  /// the first four bytes are four columns further.
  static double scale(unsigned quarter, unsigned line, unsigned b) {
    return std::ldexp(1, static_cast<int>(scale_byte(32 * quarter + line % 32, line / 32 + b / 4 * 4, b % 4)) - 127);
  }
};

}  // namespace bankshot::simt

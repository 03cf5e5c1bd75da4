// ldmatrix and stmatrix of elements of 8 bits and less. Expected places are worked by hand from the figures of the PTX
// ISA and CuTe's layouts.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineByteMatrix : public EngineTest {
 protected:
  /// Byte b of shared memory `s` is b, modulo 251; %r5 = lane; %r10 = the line of 16 bytes of that number.
  static inline const std::string kNumbered =
      ".shared .align 128 .b8 s[512];\nmov.u32 %r5, %laneid; mov.u32 %r9, s; mov.u32 %r6, %r5;\n"
      "L: rem.u32 %r7, %r6, 251; add.u32 %r8, %r9, %r6; st.shared.u8 [%r8], %r7; add.u32 %r6, %r6, 32; "
      "setp.lt.u32 %p1, %r6, 512; @%p1 bra L; bar.warp.sync 0xffffffff; mad.lo.u32 %r10, %r5, 16, %r9; "
      "mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, 0; mov.u32 %r23, 0;\n";
  /// out[4 * lane + k] = %r(20 + k)
  static inline const std::string kStoreFour =
      "mul.wide.u32 %rd3, %r5, 16; add.u64 %rd3, %rd1, %rd3; st.global.v4.u32 [%rd3], {%r20, %r21, %r22, %r23}; ret;\n";

  void load(const std::string& instruction) {
    const auto result = run(kernel(kNumbered + instruction + kStoreFour), {1}, {32}, 128);
    ASSERT_TRUE(result) << result.error().message;
    wavefronts = result->sites.back().counter.wavefronts;
  }
  unsigned byte(unsigned lane, unsigned reg, unsigned k) const { return out[4 * lane + reg] >> 8 * k & 0xff; }
  static unsigned at(unsigned line, unsigned column) { return (line * 16 + column) % 251; }
  uint64_t wavefronts = 0;
};

TEST_F(EngineByteMatrix, sixteen_by_sixteen_is_transposed) {
  load("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r20, %r21, %r22, %r23}, [%r10];\n");
  for (unsigned l = 0; l < 32; ++l) {
    for (unsigned reg = 0; reg < 4; ++reg) {
      // Column l / 4, or eight further, of matrix reg / 2; four lines from 4 (l % 4) on.
      for (unsigned k = 0; k < 4; ++k)
        EXPECT_EQ(byte(l, reg, k), at(reg / 2 * 16 + l % 4 * 4 + k, l / 4 + reg % 2 * 8)) << l << ' ' << reg;
    }
  }
  EXPECT_EQ(wavefronts, 4u);
  load("ldmatrix.sync.aligned.m16n16.x1.trans.shared::cta.b8 {%r20, %r21}, [%r10];\n");
  EXPECT_EQ(byte(6, 1, 3), at(2 * 4 + 3, 1 + 8));
  EXPECT_EQ(out[4 * 6 + 2], 0u);
}

/// Element k of a line whose bytes are numbered: `bits` bits of it, the lowest first.
unsigned packed(unsigned line, unsigned k, unsigned bits) {
  unsigned value = 0;
  for (unsigned bit = 0; bit < bits; ++bit) {
    const unsigned place = k * bits + bit;
    value |= ((line * 16 + place / 8) % 251 >> place % 8 & 1) << bit;
  }
  return value;
}

TEST_F(EngineByteMatrix, packed_elements_get_a_byte_each) {
  for (const auto& [format, bits] : {std::pair("b6x16_p32", 6u), std::pair("b4x16_p64", 4u)}) {
    load(std::string("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.") + format + " {%r20, %r21, %r22, %r23}, [%r10];\n");
    for (unsigned l = 0; l < 32; ++l) {
      for (unsigned reg = 0; reg < 4; ++reg) {
        for (unsigned k = 0; k < 4; ++k)
          EXPECT_EQ(byte(l, reg, k), packed(8 * reg + l / 4, l % 4 * 4 + k, bits)) << format << ' ' << l << ' ' << reg;
      }
    }
    load(std::string("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.") + format + " {%r20, %r21}, [%r10];\n");
    for (unsigned l = 0; l < 32; ++l) {
      for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(byte(l, 1, k), packed(l % 4 * 4 + k, l / 4 + 8, bits)) << l;
    }
  }
}

TEST_F(EngineByteMatrix, accumulators_are_stored_by_columns) {
  // Byte e of register k of lane l is 4 l + e + 100 k. The warp reads the lines back as words.
  const auto result = run(
      kernel(kNumbered +
             "shl.b32 %r11, %r5, 2; mul.lo.u32 %r11, %r11, 0x01010101; add.u32 %r20, %r11, 0x03020100; add.u32 %r21, "
             "%r20, 0x64646464; stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%r10], {%r20, %r21};\n"
             "bar.warp.sync 0xffffffff; shl.b32 %r6, %r5, 3; add.u32 %r6, %r6, %r9; ld.shared.v2.u32 {%r20, %r21}, "
             "[%r6];" +
             kStoreFour),
      {1}, {32}, 128);
  ASSERT_TRUE(result) << result.error().message;
  for (unsigned l = 0; l < 32; ++l) {
    for (unsigned k = 0; k < 8; ++k) {
      const unsigned place = l * 8 + k, line = place / 16, row = place % 16, matrix = line / 8, column = line % 8;
      // Row r and column c are in lane 4 (r % 8) + c / 2: element c % 2, or two more in the lower half.
      const unsigned lane = row % 8 * 4 + column / 2, element = column % 2 + row / 8 * 2;
      EXPECT_EQ(byte(l, k / 4, k % 4), (4 * lane + element + 100 * matrix) & 0xff) << line << ' ' << row;
    }
  }
}

TEST_F(EngineByteMatrix, rejects_spellings_that_ptxas_does_not_take) {
  for (const std::string text : {"ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8 {%r1, %r2, %r3, %r4}, [%r5];",
                                 "ldmatrix.sync.aligned.m16n16.x1.shared.b8 {%r1, %r2}, [%r5];",
                                 "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1}, [%r5];",
                                 "ldmatrix.sync.aligned.m8n16.x1.shared.b8 {%r1}, [%r5];",
                                 "stmatrix.sync.aligned.m16n8.x1.shared.b8 [%r5], {%r1};"}) {
    EXPECT_NE(refusal(kernel(text + " ret;")), "") << text;
  }
}

}  // namespace
}  // namespace bankshot::simt

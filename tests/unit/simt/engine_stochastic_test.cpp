// cvt.rs of four numbers, whose braces the rules of tests/ptx do not write. Expected values are worked by hand.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineStochastic : public EngineTest {
 protected:
  /// The result for a, b, e and f and random bits.
  uint32_t converted(const std::string& type, const std::string& numbers, const std::string& random) {
    const bool half = type.ends_with("e2m1x4");
    const auto result = run(
        kernel(".reg .b16 %h1; mov.b32 %r1, " + random + "; cvt.rs." + type + ".f32 " + (half ? "%h1" : "%r2") + ", {" +
               numbers + "}, %r1;" + (half ? "cvt.u32.u16 %r2, %h1;" : "") + "st.global.u32 [%rd1], %r2; ret;"),
        {1}, {1}, 1);
    EXPECT_TRUE(result) << result.error().message;
    return out[0];
  }
};

TEST_F(EngineStochastic, halves_of_the_random_bits_round_two_numbers_each) {
  // 1.0625 is half way from 1 to the next e4m3, 1.125: the upper half 0x8000 carries, the lower one 0x7fff does not.
  EXPECT_EQ(converted("satfinite.e4m3x4", "0f3F880000, 0fBF880000, 0f3F880000, 0fBF880000", "0x80007fff"), 0x39b938b8u);
  // 1.125 of e5m2, and what is too large: 65536.
  EXPECT_EQ(converted("satfinite.e5m2x4", "0f3F900000, 0f47800000, 0f3F900000, 0fC7800000", "0x80000000"), 0x3d7b3cfbu);
  // e2m3: NaN is the largest number, 7.5; -1.0625 with .relu is 0.
  EXPECT_EQ(converted("relu.satfinite.e2m3x4", "0f7FC00000, 0fBF880000, 0f3F880000, 0f41000000", "0x0000ffff"),
            0x1f00091fu);
  // e3m2: 0.03125 is half of the least number, 2^-4; above 28 all is 28.
  EXPECT_EQ(converted("satfinite.e3m2x4", "0f3D000000, 0f41F00000, 0f3D000000, 0f80000000", "0x7fff8000"), 0x001f0120u);
}

TEST_F(EngineStochastic, bytes_of_the_random_bits_round_numbers_of_four_bits) {
  // 1.25 is half way from 1 to 1.5. The upper bytes 0x80 and 0x00 make 0x8000, which carries; the lower ones 0x7f and
  // 0xff do not.
  EXPECT_EQ(converted("satfinite.e2m1x4", "0f3FA00000, 0fBFA00000, 0f3FA00000, 0f41000000", "0x807f00ff"), 0x3b27u);
}

}  // namespace
}  // namespace bankshot::simt

// Rounding and flushing are an instruction's own: those of the one before do not reach it.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineMode : public EngineTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(EngineMode, cvt_to_tf32_with_relu_keeps_subnormal_numbers_after_an_instruction_that_flushes) {
  options.isa = GetParam();
  // 2^-127 and its half; tf32 has 10 bits behind the point, so that both are exact.
  for (const std::string rounding : {"rn", "rz"}) {
    ASSERT_TRUE(run(kernel(kThread +
                           "mov.b32 %f1, 0f00400000; mov.b32 %f2, 0f00200000; mov.b32 %f3, 0f80400000;"
                           "add.ftz.f32 %f4, %f1, %f2;"
                           "cvt." +
                           rounding + ".relu.tf32.f32 %r5, %f1; cvt." + rounding +
                           ".relu.tf32.f32 %r6, %f3;"
                           "st.global.f32 [%rd1], %f4; st.global.u32 [%rd1+4], %r5; st.global.u32 [%rd1+8], %r6; ret;"),
                    {1}, {1}, 3));
    EXPECT_EQ(out, (std::vector<uint32_t>{0, 0x00400000, 0})) << rounding;
  }
}

TEST_P(EngineMode, each_mode_is_in_force_whichever_was_before) {
  options.isa = GetParam();
  struct Mode {
    const char* modifiers;
    uint32_t positive, negative, subnormal;
  };
  // ±(1 + 1.5 · 2^-24), which lies between ±1 and ±(1 + 2^-23), nearer to the latter; 2^-127.
  const Mode modes[] = {{"rn", 0x3f800001, 0xbf800001, 0x00400000}, {"rm", 0x3f800000, 0xbf800001, 0x00400000},
                        {"rp", 0x3f800001, 0xbf800000, 0x00400000}, {"rz", 0x3f800000, 0xbf800000, 0x00400000},
                        {"rn.ftz", 0x3f800001, 0xbf800001, 0},      {"rm.ftz", 0x3f800000, 0xbf800001, 0},
                        {"rp.ftz", 0x3f800001, 0xbf800000, 0},      {"rz.ftz", 0x3f800000, 0xbf800000, 0}};
  for (const Mode& before : modes) {
    for (const Mode& mode : modes) {
      const std::string add = "add." + std::string(mode.modifiers) + ".f32 ";
      ASSERT_TRUE(
          run(kernel(kThread +
                     "mov.b32 %f1, 0f3F800000; mov.b32 %f2, 0f33C00000; mov.b32 %f3, 0fBF800000;"
                     "mov.b32 %f4, 0fB3C00000; mov.b32 %f5, 0f00400000; mov.b32 %f6, 0f00000000;"
                     "add." +
                     before.modifiers + ".f32 %f7, %f1, %f2;" + add + "%f8, %f1, %f2;" + add + "%f9, %f3, %f4;" + add +
                     "%f10, %f5, %f6; st.global.f32 [%rd1], %f7; st.global.f32 [%rd1+4], %f8;"
                     "st.global.f32 [%rd1+8], %f9; st.global.f32 [%rd1+12], %f10; ret;"),
              {1}, {1}, 4));
      EXPECT_EQ(out, (std::vector<uint32_t>{before.positive, mode.positive, mode.negative, mode.subnormal}))
          << before.modifiers << ", then " << mode.modifiers;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(hosts, EngineMode, ::testing::Values("portable", "avx2", ""));

}  // namespace
}  // namespace bankshot::simt

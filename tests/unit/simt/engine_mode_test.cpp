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

INSTANTIATE_TEST_SUITE_P(hosts, EngineMode, ::testing::Values("portable", ""));

}  // namespace
}  // namespace bankshot::simt

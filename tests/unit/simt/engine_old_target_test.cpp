// A kernel for sm_13 as nvcc 3 wrote it: names with $, registers of 16 bits for coordinates, mad without rounding.
// ptxas 13.0 takes the text.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

using EngineOldTarget = EngineTest;

TEST_F(EngineOldTarget, kernels_of_ptx_1_4_run) {
  const std::string text = R"(
	.version 1.4
	.target sm_13
	.entry k (
		.param .u64 __cudaparm_k_out)
	{
	.reg .u16 %rh<4>;
	.reg .u32 %r<8>;
	.reg .u64 %rd<5>;
	.reg .f32 %f<5>;
	.reg .pred %p<3>;
	.shared .align 4 .b8 __cuda_s[256];
	.loc	2	5	0
$LDWbegin_k:
	mov.u16 	%rh1, %ctaid.x;
	mov.u16 	%rh2, %ntid.x;
	mul.wide.u16 	%r1, %rh1, %rh2;
	cvt.u32.u16 	%r2, %tid.x;
	add.u32 	%r3, %r2, %r1;
	mov.u32 	%r4, 60;
	setp.ge.u32 	%p1, %r3, %r4;
	@%p1 bra 	$Lt_0_1026;
	add.u32 	%r5, %r3, %r3;
	mov.f32 	%f1, 0f00000001;
	mov.f32 	%f2, 0f3f800000;
	mad.f32 	%f3, %f1, %f2, %f2;
	add.f32 	%f3, %f1, %f1;
	mov.b32 	%r6, %f3;
	add.u32 	%r5, %r5, %r6;
	cvt.u64.u32 	%rd1, %r3;
	mul.lo.u64 	%rd2, %rd1, 4;
	ld.param.u64 	%rd3, [__cudaparm_k_out];
	add.u64 	%rd4, %rd3, %rd2;
	st.global.u32 	[%rd4+0], %r5;
$Lt_0_1026:
	exit;
$LDWend_k:
	} // k
)";
  const auto result = run(text, {2, 1, 1}, {32, 1, 1}, 64);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i < 60 ? 2 * i : 0) << i;
}

}  // namespace
}  // namespace bankshot::simt

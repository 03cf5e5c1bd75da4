#include "bankshot/cuda/modules/grid_barrier.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"

namespace bankshot::cuda {
namespace {

/// Source: CUDA 13, cooperative_groups/details/sync.h and helpers.h: envreg 1 and 2 are the workspace, in which the
/// barrier's word is at byte 4. A CTA adds 1 and the first one what makes the sum 2^31, so that the highest bit changes
/// when all have arrived.
constexpr const char* kGridBarrier = R"(.version 6.0
.target sm_30
.address_size 64

.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
	.reg .b32 	%r<3>;
	.reg .b64 	%rd<2>;
	mov.u32 	%r1, %envreg2;
	mov.u32 	%r2, %envreg1;
	mov.b64 	%rd1, {%r1, %r2};
	st.param.b64 	[handle], %rd1;
	ret;
}

.visible .func (.param .b32 status) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<15>;
	.reg .b64 	%rd<2>;
	ld.param.u64 	%rd1, [handle];
	setp.eq.s64 	%p1, %rd1, 0;
	@%p1 trap;
	bar.sync 	0;
	mov.u32 	%r1, %tid.x;
	mov.u32 	%r2, %tid.y;
	or.b32 	%r1, %r1, %r2;
	mov.u32 	%r2, %tid.z;
	or.b32 	%r1, %r1, %r2;
	setp.ne.s32 	%p1, %r1, 0;
	@%p1 bra 	$passed;
	mov.u32 	%r3, %nctaid.x;
	mov.u32 	%r4, %nctaid.y;
	mul.lo.s32 	%r3, %r3, %r4;
	mov.u32 	%r4, %nctaid.z;
	mul.lo.s32 	%r3, %r3, %r4;
	sub.s32 	%r5, 0x80000001, %r3;
	mov.u32 	%r6, %ctaid.x;
	mov.u32 	%r7, %ctaid.y;
	or.b32 	%r6, %r6, %r7;
	mov.u32 	%r7, %ctaid.z;
	or.b32 	%r6, %r6, %r7;
	setp.eq.s32 	%p1, %r6, 0;
	selp.b32 	%r8, %r5, 1, %p1;
	membar.gl;
	atom.add.u32 	%r9, [%rd1+4], %r8;
$waiting:
	ld.volatile.u32 	%r10, [%rd1+4];
	xor.b32 	%r11, %r10, %r9;
	setp.ge.s32 	%p2, %r11, 0;
	@%p2 bra 	$waiting;
	membar.gl;
$passed:
	bar.sync 	0;
	mov.u32 	%r12, 0;
	st.param.b32 	[status], %r12;
	ret;
}
)";

bool calls_it_without_having_it(const ptx::Module& module) {
  return std::any_of(module.items.begin(), module.items.end(), [](const ptx::Item& item) {
    const auto* function = std::get_if<ptx::Function>(&item);
    return function != nullptr && function->body == nullptr &&
           (function->name == "cudaCGGetIntrinsicHandle" || function->name == "cudaCGSynchronize");
  });
}

}  // namespace

std::optional<std::string> with_grid_barrier(const std::string& text) {
  if (text.find("cudaCG") == std::string::npos) return std::nullopt;
  auto module = ptx::parse(text);
  if (!module || !calls_it_without_having_it(*module)) return std::nullopt;
  auto barrier = ptx::parse(kGridBarrier);
  std::vector<ptx::Unit> units;
  units.push_back({"the module", std::move(*module)});
  units.push_back({"the barrier of the grid", std::move(*barrier)});
  const auto linked = ptx::link(std::move(units));
  if (!linked) return std::nullopt;
  return ptx::print(*linked);
}

}  // namespace bankshot::cuda

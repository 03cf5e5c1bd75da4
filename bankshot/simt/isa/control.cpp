// Branches, calls, barriers, fences. Source: PTX ISA, control flow and parallel synchronization instructions. What they
// do does not depend on the host's instruction set: control.cpp and paths.cpp of the folder above.
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/isa/families.hpp"
#include "bankshot/simt/lower/lower_control.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

const Instr* no_operation(Warp&, const Instr* i) { return i + 1; }

}  // namespace

void control_rows(Rows& rows) {
  const auto add = [&](std::string_view syntax, std::string_view sets, Handler handler, Lower lower) {
    rows.push_back({syntax, sets, Unit::control, always(handler), lower});
  };
  add("bra{.uni} target:label", "", &run_branch, &lower_branch);
  add("brx.idx{.uni} a:u32, targets:label", "", &run_branch_indexed, &lower_branch_indexed);
  add("call{.uni} results, function, arguments, prototype", "", &run_call, &lower_call);
  add("ret{.uni}", "", &run_branch, &lower_return);
  add("exit", "", &run_exit, &lower_exit);
  add("trap", "", &run_trap, &lower_trap);
  add("brkpt", "", &no_operation, &lower_nothing);
  add("bar{.cta}.op a, b", "op = sync arrive", &run_barrier, &lower_barrier);
  add("bar{.cta}.red.popc.u32 d, a, b, c:pred", "", &run_barrier, &lower_barrier);
  add("bar{.cta}.red.op.pred p, a, b, c:pred", "op = and or", &run_barrier, &lower_barrier);
  add("barrier{.cta}.op{.aligned} a, b", "op = sync arrive", &run_barrier, &lower_barrier);
  add("barrier{.cta}.red.popc{.aligned}.u32 d, a, b, c:pred", "", &run_barrier, &lower_barrier);
  add("barrier{.cta}.red.op{.aligned}.pred p, a, b, c:pred", "op = and or", &run_barrier, &lower_barrier);
  add("membar.level", "level = cta gl sys proxy.alias", &no_operation, &lower_fence);
  add("fence{.sem}.scope", "sem = sc acq_rel acquire release; scope = cta cluster gpu sys", &no_operation,
      &lower_fence);
  add("fence.proxy.alias", "", &no_operation, &lower_fence);
  add("fence.proxy.async{.space}", "space = global shared::cta shared::cluster", &no_operation, &lower_fence);
  add("fence.mbarrier_init.release.cluster", "", &no_operation, &lower_fence);
  add("fence.proxy.tensormap::generic.sem.scope", "sem = release; scope = cta cluster gpu sys", &no_operation,
      &lower_fence);
  add("fence.proxy.tensormap::generic.acquire.scope [a], size:imm", "scope = cta cluster gpu sys", &no_operation,
      &lower_tensor_map_fence);
  constexpr std::string_view kRestricted =
      "to = acquire.sync_restrict::shared::cluster release.sync_restrict::shared::cta";
  add("fence.proxy.async::generic.to.cluster", kRestricted, &no_operation, &lower_fence);
  add("fence.to.cluster", kRestricted, &no_operation, &lower_fence);
  add("nanosleep.u32 a", "", &run_nanosleep, &lower_sleep);
  add("griddepcontrol.op", "op = launch_dependents wait", &no_operation, &lower_nothing);
  add("pmevent{.mask} a:imm", "", &no_operation, &lower_event);
  add("setmaxnreg.op.sync.aligned.u32 a:imm", "op = inc dec", &no_operation, &lower_register_count);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// Branches, calls, barriers, fences. Source: PTX ISA, control flow and parallel synchronization instructions. What they
// do does not depend on the host's instruction set: it is in simt/control.
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/lower/lower_control.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
void control_rows(Rows& rows) {
  const auto add = [&](Unit unit, std::string_view syntax, std::string_view sets, Handler handler, Lower lower) {
    rows.push_back({syntax, sets, unit, always(handler), lower});
  };
  add(Unit::branch, "bra{.uni} target:label", "", &run_branch, &lower_branch);
  add(Unit::branch, "brx.idx{.uni} a:u32, targets:label", "", &run_branch_indexed, &lower_branch_indexed);
  add(Unit::call, "call{.uni} results, function, arguments, prototype", "", &run_call, &lower_call);
  add(Unit::ret, "ret{.uni}", "", &run_branch, &lower_return);
  add(Unit::exit, "exit", "", &run_exit, &lower_exit);
  add(Unit::exit, "trap", "", &run_trap, &lower_trap);
  add(Unit::control, "brkpt", "", &no_operation, &lower_nothing);
  add(Unit::barrier, "bar{.cta}.op a, b", "op = sync arrive", &run_barrier, &lower_barrier);
  add(Unit::barrier, "bar{.cta}.red.popc.u32 d, a, b, c:pred", "", &run_barrier, &lower_barrier);
  add(Unit::barrier, "bar{.cta}.red.op.pred p, a, b, c:pred", "op = and or", &run_barrier, &lower_barrier);
  add(Unit::barrier, "barrier{.cta}.op{.aligned} a, b", "op = sync arrive", &run_barrier, &lower_barrier);
  add(Unit::barrier, "barrier{.cta}.red.popc{.aligned}.u32 d, a, b, c:pred", "", &run_barrier, &lower_barrier);
  add(Unit::barrier, "barrier{.cta}.red.op{.aligned}.pred p, a, b, c:pred", "op = and or", &run_barrier,
      &lower_barrier);
  add(Unit::fence, "membar.level", "level = cta gl sys proxy.alias", &no_operation, &lower_fence);
  add(Unit::fence, "fence{.sem}.scope", "sem = sc acq_rel acquire release; scope = cta cluster gpu sys", &no_operation,
      &lower_fence);
  add(Unit::fence, "fence.proxy.alias", "", &no_operation, &lower_fence);
  add(Unit::fence, "fence.proxy.async{.space}", "space = global shared::cta shared::cluster", &no_operation,
      &lower_fence);
  add(Unit::fence, "fence.mbarrier_init.release.cluster", "", &no_operation, &lower_fence);
  add(Unit::fence, "fence.proxy.tensormap::generic.sem.scope", "sem = release; scope = cta cluster gpu sys",
      &no_operation, &lower_fence);
  add(Unit::fence, "fence.proxy.tensormap::generic.acquire.scope [a], size:imm", "scope = cta cluster gpu sys",
      &no_operation, &lower_tensor_map_fence);
  constexpr std::string_view kRestricted =
      "to = acquire.sync_restrict::shared::cluster release.sync_restrict::shared::cta";
  add(Unit::fence, "fence.proxy.async::generic.to.cluster", kRestricted, &no_operation, &lower_fence);
  add(Unit::fence, "fence.to.cluster", kRestricted, &no_operation, &lower_fence);
  add(Unit::sleep, "nanosleep.u32 a", "", &run_nanosleep, &lower_sleep);
  add(Unit::control, "griddepcontrol.op", "op = launch_dependents wait", &no_operation, &lower_nothing);
  add(Unit::control, "pmevent{.mask} a:imm", "", &no_operation, &lower_event);
  add(Unit::control, "setmaxnreg.op.sync.aligned.u32 a:imm", "op = inc dec", &no_operation, &lower_register_count);
}

}  // namespace bankshot::simt::BANKSHOT_ISA

#include "bankshot/fix/judge.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "bankshot/report/text/text.hpp"

namespace bankshot::fix {
namespace {

using report::grouped;

/// What a form costs, for comparison: cycles, or wavefronts and warp instructions.
uint64_t cost(const Form& form, bool by_cycles) {
  return by_cycles ? *form.cycles : form.shared.wavefronts + form.warp_instructions;
}

void judge(KernelPlan& kernel, bool even_if_slower) {
  std::vector<Remedy> tried;
  for (const Remedy remedy : {Remedy::padding, Remedy::hash}) {
    if (kernel.is_rewritten(remedy)) tried.push_back(remedy);
  }
  if (tried.empty()) return;
  const bool by_cycles = kernel.original.cycles &&
                         std::ranges::all_of(tried, [&](Remedy r) { return kernel.forms[r].cycles.has_value(); });
  const Remedy best = *std::ranges::min_element(tried, {}, [&](Remedy r) { return cost(kernel.forms[r], by_cycles); });
  const uint64_t before = cost(kernel.original, by_cycles), after = cost(kernel.forms[best], by_cycles);
  const bool better = by_cycles ? after <= before - before / 100 && after < before : after < before;
  if (better || even_if_slower) kernel.chosen = best;
  const char* unit = by_cycles ? "cycles" : "wavefronts and warp instructions";
  kernel.verdict = kernel.chosen
                       ? fmt::format("{} chosen{}: {} {} instead of {}", name(best),
                                     better ? "" : ", though it is not worth it", grouped(after), unit, grouped(before))
                       : fmt::format("left alone, as it is not worth it: {} {} with {}, {} as it is", grouped(after),
                                     unit, name(best), grouped(before));
}

}  // namespace

void judge(Plan& plan, bool even_if_slower) {
  for (KernelPlan& kernel : plan.kernels) judge(kernel, even_if_slower);
}

}  // namespace bankshot::fix

#include "bankshot/fix/judge.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "bankshot/fix/source.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::fix {
namespace {

using report::grouped;

/// What a form costs, for comparison: cycles, or wavefronts and warp instructions.
uint64_t cost(const Form& form, bool by_cycles) {
  return by_cycles ? *form.cycles : form.shared.wavefronts + form.warp_instructions;
}

void judge(KernelPlan& kernel, unsigned word_bytes, bool even_if_slower) {
  std::vector<Remedy> tried;
  for (const Remedy remedy : {Remedy::padding, Remedy::hash}) {
    if (kernel.is_rewritten(remedy)) tried.push_back(remedy);
  }
  if (tried.empty()) return;
  const bool by_cycles = kernel.original.cycles &&
                         std::ranges::all_of(tried, [&](Remedy r) { return kernel.forms[r].cycles.has_value(); });
  const auto cost_of = [&](Remedy r) { return cost(kernel.forms[r], by_cycles); };
  const uint64_t before = cost(kernel.original, by_cycles);
  const auto is_better = [&](Remedy r) {
    return cost_of(r) < before && (!by_cycles || cost_of(r) <= before - before / 100);
  };
  Remedy best = *std::ranges::min_element(tried, {}, cost_of);
  // One per cent is worth less than a change that can be written in the source.
  std::string instead;
  if ((is_better(best) || even_if_slower) && !can_be_written(kernel, best, word_bytes)) {
    const uint64_t least = cost_of(best);
    const auto other = std::ranges::find_if(tried, [&](Remedy r) {
      return r != best && cost_of(r) - least <= least / 100 && is_better(r) == is_better(best) &&
             can_be_written(kernel, r, word_bytes);
    });
    if (other != tried.end()) {
      instead = fmt::format("; {} would take {}, but cannot be written in the source", name(best), grouped(least));
      best = *other;
    }
  }
  const uint64_t after = cost_of(best);
  const bool better = is_better(best);
  if (better || even_if_slower) kernel.chosen = best;
  const char* unit = by_cycles ? "cycles" : "wavefronts and warp instructions";
  kernel.verdict = kernel.chosen ? fmt::format("{} chosen{}: {} {} instead of {}{}", name(best),
                                               better ? "" : ", though it is not worth it", grouped(after), unit,
                                               grouped(before), instead)
                                 : fmt::format("left alone, as it is not worth it: {} {} with {}, {} as it is",
                                               grouped(after), unit, name(best), grouped(before));
}

}  // namespace

void judge(Plan& plan, bool even_if_slower) {
  for (KernelPlan& kernel : plan.kernels) judge(kernel, plan.rules.bank_bytes, even_if_slower);
}

}  // namespace bankshot::fix

#include "bankshot/fix/apply.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bankshot/fix/compare.hpp"
#include "bankshot/fix/modules.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/printer.hpp"

namespace bankshot::fix {
namespace {

/// The numbers of a kernel's instructions after rewriting, by those before.
using StepsAfter = std::map<std::string, std::vector<size_t>, std::less<>>;

/// Rewrites a kernel's arrays for which the remedy is open. @return nothing if there are none
Result<std::optional<rewrite::Rewritten>> rewrite_kernel(const KernelPlan& kernel, Remedy remedy, unsigned bank_bytes,
                                                         ptx::Module& module) {
  std::vector<rewrite::Choice> choices;
  for (const ArrayPlan& array : kernel.arrays) {
    if (array.is_open(remedy)) choices.push_back({array.array.name, *array.move(remedy)});
  }
  if (choices.empty()) return std::optional<rewrite::Rewritten>();
  Result<rewrite::Rewritten> done = rewrite::rewrite(module, kernel.kernel.name, choices, bank_bytes);
  if (!done) return Error{"internal error: " + done.error().message};
  return std::optional(std::move(*done));
}

/// Rewrites the kernels of one module. @return how their instructions moved; empty if there was nothing to rewrite
Result<StepsAfter> rewrite_module(Plan& plan, Remedy remedy, const std::string& digest, ptx::Module& module) {
  StepsAfter steps_after;
  for (KernelPlan& kernel : plan.kernels) {
    if (kernel.kernel.module.digest != digest) continue;
    Result<std::optional<rewrite::Rewritten>> done = rewrite_kernel(kernel, remedy, plan.rules.bank_bytes, module);
    if (!done) return done.error();
    if (!*done) continue;
    for (const rewrite::RewrittenArray& what : (*done)->arrays) {
      for (ArrayPlan& array : kernel.arrays) {
        if (array.array.name == what.array) array.tried[remedy].rewritten = what;
      }
    }
    steps_after[kernel.kernel.name] = std::move((*done)->step_after);
  }
  return steps_after;
}

/// Fills in the lines that accesses have in the patched text, and what its kernels take.
/// @param steps_after  of the kernels that were rewritten
std::optional<Error> look_again(Plan& plan, Remedy remedy, Loader& loader, const gpu::Gpu& gpu,
                                const std::string& digest, const StepsAfter& steps_after, const WitnessedRun& run) {
  const std::string& text = plan.patches[remedy].at(digest);
  const Result<std::shared_ptr<simt::Program>> program = loader.load(text);
  if (!program) return Error{"internal error: what was rewritten cannot be loaded: " + program.error().message};
  const Result<ptx::Module> after = parse(text);
  if (!after) return after.error();
  for (KernelPlan& kernel : plan.kernels) {
    if (kernel.kernel.module.digest != digest) continue;
    const ptx::KernelCode code(*after, *ptx::find_kernel(*after, kernel.kernel.name));
    const auto moved = steps_after.find(kernel.kernel.name);
    for (ArrayPlan& array : kernel.arrays) {
      for (const rewrite::Access& access : array.array.accesses) {
        const size_t step = moved == steps_after.end() ? access.step : moved->second.at(access.step);
        array.tried[remedy].lines.push_back(code.steps().at(step).instruction->position.line);
      }
    }
    const simt::KernelInfo* info = info_of(**program, kernel.kernel.name);
    const uint64_t dynamic = dynamic_shared(run, kernel.kernel.name).most;
    Form& form = kernel.forms[remedy];
    form.static_bytes = info->static_shared;
    form.shared_bytes = dynamic != 0 ? info->dynamic_base + dynamic : info->static_shared;
    form.ctas = ctas_on_sm(gpu, kernel.kernel, form);
  }
  return std::nullopt;
}

/// Static shared memory is at most 48 KB on every GPU: ptxas refuses more. Gives arrays up that do not fit when their
/// rows are filled up: first those that grow, then those that are aligned only. @return whether there are any
bool give_up_what_does_not_fit(Plan& plan, Remedy remedy) {
  constexpr uint64_t kMostStatic = 48 * 1024;
  bool any = false;
  for (KernelPlan& kernel : plan.kernels) {
    const uint64_t bytes = kernel.forms[remedy].static_bytes;
    if (bytes <= kMostStatic || !kernel.is_rewritten(remedy)) continue;
    const auto grows = [&](const ArrayPlan& array) {
      return array.tried[remedy].rewritten && array.tried[remedy].rewritten->extra_bytes != 0;
    };
    const bool growing = std::ranges::any_of(kernel.arrays, grows);
    for (ArrayPlan& array : kernel.arrays) {
      if (!array.tried[remedy].rewritten || (growing && !grows(array))) continue;
      array.tried[remedy].refusal = rewrite::Refusal{
          fmt::format("{} would take the kernel's static shared memory to {} bytes; {} are allowed",
                      remedy == Remedy::hash ? "whole and aligned rows" : "longer rows", bytes, kMostStatic),
          {}};
      any = true;
    }
  }
  return any;
}

/// Forgets what the last rewriting told.
void start_again(Plan& plan, Remedy remedy) {
  plan.patches[remedy].clear();
  for (KernelPlan& kernel : plan.kernels) {
    kernel.forms[remedy] = kernel.original;
    for (ArrayPlan& array : kernel.arrays) {
      array.tried[remedy].lines.clear();
      array.tried[remedy].rewritten.reset();
      array.tried[remedy].after = array.before;
    }
  }
}

}  // namespace

std::optional<Error> rewrite_modules(Plan& plan, Remedy remedy, const WitnessedRun& run, const gpu::Gpu& gpu) {
  Loader loader(gpu);
  start_again(plan, remedy);
  for (const auto& [digest, text] : run.seen.ptx) {
    Result<ptx::Module> module = parse(text);
    if (!module) return module.error();
    const Result<StepsAfter> steps_after = rewrite_module(plan, remedy, digest, *module);
    if (!steps_after) return steps_after.error();
    if (steps_after->empty()) continue;
    plan.patches[remedy][digest] = ptx::print(*module);
    if (const auto error = look_again(plan, remedy, loader, gpu, digest, *steps_after, run)) return error;
  }
  return give_up_what_does_not_fit(plan, remedy) ? rewrite_modules(plan, remedy, run, gpu) : std::nullopt;
}

std::optional<Error> rewrite_chosen(Plan& plan, const WitnessedRun& run) {
  plan.chosen.clear();
  for (const auto& [digest, text] : run.seen.ptx) {
    Result<ptx::Module> module = parse(text);
    if (!module) return module.error();
    bool any = false;
    for (const KernelPlan& kernel : plan.kernels) {
      if (kernel.kernel.module.digest != digest || !kernel.chosen) continue;
      const auto done = rewrite_kernel(kernel, *kernel.chosen, plan.rules.bank_bytes, *module);
      if (!done) return done.error();
      any |= done->has_value();
    }
    if (any) plan.chosen[digest] = ptx::print(*module);
  }
  return std::nullopt;
}

void give_up(KernelPlan& kernel, Remedy remedy, const std::string& reason) {
  for (ArrayPlan& array : kernel.arrays) {
    if (array.is_open(remedy)) array.tried[remedy].refusal = rewrite::Refusal{reason, {}};
  }
}

bool drop_what_does_not_help(Plan& plan, Remedy remedy) {
  bool dropped = false;
  for (KernelPlan& kernel : plan.kernels) {
    for (ArrayPlan& array : kernel.arrays) {
      Tried& tried = array.tried[remedy];
      if (!tried.rewritten || tried.after.wavefronts < array.before.wavefronts) continue;
      const std::string reason =
          fmt::format("the best {} found does not lessen its wavefronts when the program runs", name(remedy));
      tried.refusal =
          rewrite::Refusal{reason + (array.sampled ? "; it was found from a sample of the accesses" : ""), {}};
      dropped = true;
    }
  }
  return dropped;
}

void add_results(Plan& plan, Remedy remedy, const WitnessedRun& run) {
  for (KernelPlan& kernel : plan.kernels) {
    for (const report::Kernel& after : run.seen.report.kernels) {
      if (after.name != kernel.kernel.name || after.module.digest != kernel.kernel.module.digest) continue;
      add_counts(kernel.forms[remedy], after);
      for (ArrayPlan& array : kernel.arrays) {
        Tried& tried = array.tried[remedy];
        tried.after = totals_at(after, tried.lines.empty() ? array.lines : tried.lines);
      }
    }
  }
}

}  // namespace bankshot::fix

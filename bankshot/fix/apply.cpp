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

/// Fills in the lines that accesses have in the patched text, and what its kernels take.
/// @param steps_after  of the kernels that were rewritten
std::optional<Error> look_again(Plan& plan, Loader& loader, const gpu::Gpu& gpu, const std::string& digest,
                                const StepsAfter& steps_after, const WitnessedRun& run) {
  const std::string& text = plan.patches.at(digest);
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
        array.new_lines.push_back(code.steps().at(step).instruction->position.line);
      }
    }
    const simt::KernelInfo* info = info_of(**program, kernel.kernel.name);
    const uint64_t dynamic = dynamic_shared(run, kernel.kernel.name);
    kernel.static_after = info->static_shared;
    kernel.shared_after = dynamic != 0 ? info->dynamic_base + dynamic : info->static_shared;
    kernel.ctas_after = ctas_on_sm(gpu, kernel.kernel, kernel.shared_after);
  }
  return std::nullopt;
}

/// Rewrites the kernels of one module. @return how their instructions moved; empty if there was nothing to rewrite
Result<StepsAfter> rewrite_module(Plan& plan, const std::string& digest, ptx::Module& module) {
  StepsAfter steps_after;
  for (KernelPlan& kernel : plan.kernels) {
    if (kernel.kernel.module.digest != digest) continue;
    std::vector<rewrite::Choice> choices;
    for (const ArrayPlan& array : kernel.arrays) {
      if (!array.left_alone) choices.push_back({array.array.name, array.found->hash});
    }
    if (choices.empty()) continue;
    Result<rewrite::Rewritten> done = rewrite::rewrite(module, kernel.kernel.name, choices, plan.rules.bank_bytes);
    if (!done) return Error{"internal error: " + done.error().message};
    for (const rewrite::RewrittenArray& what : done->arrays) {
      for (ArrayPlan& array : kernel.arrays) {
        if (array.array.name == what.array) array.rewritten = what;
      }
    }
    steps_after[kernel.kernel.name] = std::move(done->step_after);
  }
  return steps_after;
}

/// Static shared memory is at most 48 KB on every GPU: ptxas refuses more. Leaves arrays alone that do not fit when
/// their rows are filled up: first those that grow, then those that are aligned only. @return whether there are any
bool leave_alone_what_does_not_fit(Plan& plan) {
  constexpr uint64_t kMostStatic = 48 * 1024;
  bool any = false;
  for (KernelPlan& kernel : plan.kernels) {
    if (kernel.static_after <= kMostStatic) continue;
    const bool growing = std::any_of(kernel.arrays.begin(), kernel.arrays.end(),
                                     [](const ArrayPlan& a) { return a.rewritten && a.rewritten->extra_bytes != 0; });
    for (ArrayPlan& array : kernel.arrays) {
      if (!array.rewritten || (growing && array.rewritten->extra_bytes == 0)) continue;
      array.left_alone = rewrite::Refusal{
          fmt::format("whole and aligned rows would take the kernel's static shared memory to {} bytes; {} are allowed",
                      kernel.static_after, kMostStatic),
          {}};
      any = true;
    }
    kernel.static_after = 0;
    for (ArrayPlan& array : kernel.arrays) array.rewritten.reset();
    kernel.shared_after = kernel.shared_before;
    kernel.ctas_after = kernel.ctas_before;
  }
  return any;
}

}  // namespace

std::optional<Error> rewrite_modules(Plan& plan, const WitnessedRun& run, const gpu::Gpu& gpu) {
  Loader loader(gpu);
  plan.patches.clear();
  for (KernelPlan& kernel : plan.kernels) {
    for (ArrayPlan& array : kernel.arrays) array.new_lines.clear();
  }
  for (const auto& [digest, text] : run.seen.ptx) {
    Result<ptx::Module> module = parse(text);
    if (!module) return module.error();
    const Result<StepsAfter> steps_after = rewrite_module(plan, digest, *module);
    if (!steps_after) return steps_after.error();
    if (steps_after->empty()) continue;
    plan.patches[digest] = ptx::print(*module);
    if (const auto error = look_again(plan, loader, gpu, digest, *steps_after, run)) return error;
  }
  return leave_alone_what_does_not_fit(plan) ? rewrite_modules(plan, run, gpu) : std::nullopt;
}

bool drop_what_does_not_help(Plan& plan) {
  bool dropped = false;
  for (KernelPlan& kernel : plan.kernels) {
    bool rewritten = false;
    for (ArrayPlan& array : kernel.arrays) {
      if (array.rewritten && array.after.conflicts() >= array.before.conflicts()) {
        array.rewritten.reset();
        array.after = array.before;
        const std::string reason = "the best hash found does not lessen its conflicts when the program runs";
        array.left_alone =
            rewrite::Refusal{reason + (array.sampled ? "; it was found from a sample of the accesses" : ""), {}};
        dropped = true;
      }
      rewritten |= array.rewritten.has_value();
    }
    if (!rewritten) kernel.shared_after = kernel.shared_before, kernel.ctas_after = kernel.ctas_before;
  }
  return dropped;
}

void add_results(Plan& plan, const WitnessedRun& run) {
  for (KernelPlan& kernel : plan.kernels) {
    for (const report::Kernel& after : run.seen.report.kernels) {
      if (after.name != kernel.kernel.name || after.module.digest != kernel.kernel.module.digest) continue;
      kernel.instructions_after = after.warp_instructions;
      for (ArrayPlan& array : kernel.arrays) {
        array.after = totals_at(after, array.new_lines.empty() ? array.lines : array.new_lines);
      }
    }
  }
}

}  // namespace bankshot::fix

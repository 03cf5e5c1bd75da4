#include "bankshot/fix/measured.hpp"

#include <algorithm>

#include "bankshot/fix/modules.hpp"
#include "bankshot/fix/replay.hpp"

namespace bankshot::fix {
namespace {

bool has_forms(const KernelPlan& kernel) {
  return std::ranges::any_of(kRemedies, [&](Remedy remedy) { return kernel.is_rewritten(remedy); });
}

uint64_t threads(const cuda::RecordedLaunch& launch) { return launch.grid.count() * launch.block.count(); }

/// The first of those with the most threads; null if there is none.
const cuda::RecordedLaunch* largest(const std::vector<cuda::RecordedLaunch>& launches, const report::Kernel& kernel) {
  const cuda::RecordedLaunch* best = nullptr;
  for (const cuda::RecordedLaunch& launch : launches) {
    if (launch.kernel != kernel.name || launch.module != kernel.module.digest) continue;
    if (!best || threads(launch) > threads(*best)) best = &launch;
  }
  return best;
}

/// @return why it was not measured, or empty
std::string measure_kernel(KernelPlan& kernel, const Plan& plan, const cuda::RecordedLaunch& launch,
                           const std::string& ptx, measure::Runner& runner) {
  if (!launch.refusal.empty()) return launch.refusal;
  const Result<ptx::Module> module = parse(ptx);
  if (!module) return module.error().message;
  if (std::string why = cannot_replay(*module, launch.kernel); !why.empty()) return why;
  const Result<Replayed> original = replay(runner, launch, ptx);
  if (!original) return original.error().message;
  ByRemedy<std::optional<double>> times;
  for (const Remedy remedy : kRemedies) {
    if (!kernel.is_rewritten(remedy)) continue;
    const Result<Replayed> form = replay(runner, launch, plan.patches[remedy].at(launch.module));
    const std::string with = std::string("with ") + name(remedy) + ": ";
    if (!form) return with + form.error().message;
    if (original->repeats && (!form->repeats || form->after != original->after))
      return with + "the launch leaves other results in memory than as it is";
    times[remedy] = form->nanoseconds;
  }
  kernel.measured = {launch.grid, launch.block, original->repeats};
  kernel.original.nanoseconds = original->nanoseconds;
  for (const Remedy remedy : kRemedies) kernel.forms[remedy].nanoseconds = times[remedy];
  return {};
}

}  // namespace

std::vector<std::string> kernels_to_measure(const Plan& plan) {
  std::vector<std::string> names;
  for (const KernelPlan& kernel : plan.kernels) {
    if (has_forms(kernel)) names.push_back(kernel.kernel.name);
  }
  return names;
}

void add_measured(Plan& plan, const std::vector<cuda::RecordedLaunch>& launches,
                  const std::map<std::string, std::string>& ptx, measure::Runner& runner) {
  for (KernelPlan& kernel : plan.kernels) {
    if (!has_forms(kernel)) continue;
    const cuda::RecordedLaunch* const launch = largest(launches, kernel.kernel);
    const auto text = ptx.find(kernel.kernel.module.digest);
    kernel.not_measured = launch && text != ptx.end()
                              ? measure_kernel(kernel, plan, *launch, text->second, runner)
                              : "it was not launched when the program was run again to record launches";
  }
}

}  // namespace bankshot::fix

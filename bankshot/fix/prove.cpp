#include "bankshot/fix/prove.hpp"

#include <csignal>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "bankshot/fix/apply.hpp"
#include "bankshot/fix/compare.hpp"
#include "bankshot/host/signals.hpp"

namespace bankshot::fix {
namespace {

using Kind = Failure::Kind;

/// Why a run is not one to work on; empty if it is.
std::string failure_of(const WitnessedRun& run) {
  if (run.seen.ending.shell_status() != 0)
    return fmt::format("the program failed (exit status {}): there is nothing to prove a fix with",
                       run.seen.ending.shell_status());
  if (!run.seen.unfinished.empty()) return run.seen.unfinished[0];
  if (run.seen.report.is_partial()) return "launches of kernels failed: there is nothing to prove a fix with";
  return unproved(run);
}

/// @return a failure if the program could not be run or was interrupted
Result<WitnessedRun, Failure> run_again(RepeatedRuns& runs, const std::map<std::string, std::string>& patches) {
  Result<WitnessedRun> run = runs.run(patches);
  if (!run) return Failure{Kind::not_run, run.error().message};
  if (run->seen.ending.signal == SIGINT) return Failure{Kind::failed, failure_of(*run), std::move(*run)};
  return std::move(*run);
}

/// Why the counters of a rewritten array are not to be trusted; empty if it has as many accesses as before.
std::string miscounted(const Plan& plan) {
  for (const KernelPlan& kernel : plan.kernels) {
    for (const ArrayPlan& array : kernel.arrays) {
      if (array.rewritten && array.after.accesses != array.before.accesses)
        return fmt::format("array {} of kernel {} has {} accesses and not {} as in the original", array.array.name,
                           kernel.kernel.name, array.after.accesses, array.before.accesses);
    }
  }
  return {};
}

/// Runs the original once more and the rewritten program. @return why nothing is proved; nothing if all is well
std::optional<Failure> rewrite_and_prove(RepeatedRuns& runs, const WitnessedRun& original, Plan& plan,
                                         const gpu::Gpu& gpu) {
  if (const auto error = rewrite_modules(plan, original, gpu)) return Failure{Kind::unproved, error->message};
  if (plan.patches.empty()) return std::nullopt;
  const Result<WitnessedRun, Failure> again = run_again(runs, {});
  if (!again) return again.error();
  const Unsteady times = unsteady(original, *again);
  plan.not_compared = times.text();
  if (const std::string what = difference(original, *again, times); !what.empty()) {
    return Failure{
        Kind::unproved,
        "the program does not repeat itself, so that nothing can be proved: two runs of the original differ in " +
            what};
  }
  do {
    const Result<WitnessedRun, Failure> fixed = run_again(runs, plan.patches);
    if (!fixed) return fixed.error();
    if (const std::string what = difference(original, *fixed, times); !what.empty()) {
      return Failure{Kind::unproved,
                     "the rewritten program differs from the original, and nothing is written: " + what};
    }
    if (const std::string what = failure_of(*fixed); !what.empty())
      return Failure{Kind::unproved, "the rewritten program: " + what};
    add_results(plan, *fixed);
    if (const std::string what = miscounted(plan); !what.empty())
      return Failure{Kind::unproved, "the rewritten program: " + what};
    if (!drop_what_does_not_help(plan)) return std::nullopt;
    if (const auto error = rewrite_modules(plan, original, gpu)) return Failure{Kind::unproved, error->message};
  } while (!plan.patches.empty());
  return std::nullopt;
}

}  // namespace

Result<Plan, Failure> fix_program(const host::Setup& setup, const std::vector<std::string>& command,
                                  std::chrono::milliseconds time_limit) {
  const host::Signals held;  // or Ctrl-C would leave the folder of the patches behind
  Result<RepeatedRuns> runs = RepeatedRuns::make(setup, command);
  if (!runs) return Failure{Kind::not_run, runs.error().message};
  Result<WitnessedRun> original = runs->run({});
  if (!original) return Failure{Kind::not_run, original.error().message};
  if (const std::string why = failure_of(*original); !why.empty())
    return Failure{Kind::failed, why, std::move(*original)};
  Result<Plan> plan = make_plan(*original, setup.gpu, time_limit);
  if (!plan) return Failure{Kind::not_run, plan.error().message};
  if (auto failure = rewrite_and_prove(*runs, *original, *plan, setup.gpu)) return std::move(*failure);
  return std::move(*plan);
}

}  // namespace bankshot::fix

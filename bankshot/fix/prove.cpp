#include "bankshot/fix/prove.hpp"

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/fix/apply.hpp"
#include "bankshot/fix/compare.hpp"
#include "bankshot/fix/judge.hpp"
#include "bankshot/fix/measured.hpp"
#include "bankshot/fix/modules.hpp"
#include "bankshot/fix/wanted_changes.hpp"
#include "bankshot/host/signals.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::fix {
namespace {

using Kind = Failure::Kind;

Failure interrupted() { return {Kind::interrupted, "interrupted"}; }

/// @return a failure if the program could not be run or was interrupted
Result<WitnessedRun, Failure> run_again(RepeatedRuns& runs, const std::map<std::string, std::string>& patches) {
  Result<WitnessedRun> run = runs.run(patches);
  if (!run) return Failure{Kind::not_run, run.error().message};
  if (run->seen.ending.signal == SIGINT) return interrupted();
  return std::move(*run);
}

/// One program fixed.
class Fixer {
 public:
  Fixer(RepeatedRuns& runs, const host::Setup& setup, const FixOptions& options)
      : runs_(runs), setup_(setup), options_(options) {}

  Result<Fixed, Failure> fix() {
    if (auto failure = work()) return std::move(*failure);
    return Fixed{std::move(plan_), std::move(original_), std::move(simulated_), std::move(times_)};
  }

 private:
  using Problem = std::optional<Failure>;

  Problem work() {
    options_.progress("running the program");
    Result<WitnessedRun, Failure> original = run_again(runs_, {});
    if (!original) return original.error();
    if (const std::string why = failure_of(*original); !why.empty())
      return Failure{Kind::failed, why, std::move(*original)};
    original_ = std::move(*original);
    options_.progress("searching");
    Result<Plan> plan = make_plan(original_, setup_.gpu, options_);
    if (!plan) return Failure{Kind::not_run, plan.error().message};
    plan_ = std::move(*plan);
    if (!anything_open()) return {};
    if (auto failure = find_times()) return failure;
    for (const Remedy remedy : kRemedies) {
      if (auto failure = try_out(remedy)) return failure;
    }
    if (anything_rewritten()) {
      add_machine_code();
      if (auto failure = add_cycles()) return failure;
    }
    judge(plan_, options_.even_if_slower);
    if (auto failure = prove_chosen()) return failure;
    add_source_edits(plan_, original_);
    return measure();
  }

  bool anything_open() const {
    return std::ranges::any_of(plan_.kernels, [](const KernelPlan& kernel) {
      return std::ranges::any_of(kernel.arrays, [](const ArrayPlan& array) {
        return array.is_open(Remedy::hash) || array.is_open(Remedy::padding);
      });
    });
  }

  bool anything_rewritten() const {
    return std::ranges::any_of(plan_.patches.values, [](const auto& patches) { return !patches.empty(); });
  }

  /// What the original does not repeat.
  Problem find_times() {
    options_.progress("running the program again");
    const Result<WitnessedRun, Failure> again = run_again(runs_, {});
    if (!again) return again.error();
    times_ = unsteady(original_, *again);
    plan_.not_compared = times_.text();
    const std::string what = difference(original_, *again, times_);
    if (what.empty()) return {};
    return Failure{
        Kind::unproved,
        "the program does not repeat itself, so that nothing can be proved: two runs of the original differ in " +
            what};
  }

  /// Runs the original once more: short times may have been the same twice by chance.
  /// @return whether more numbers change than was known
  Result<bool, Failure> find_more_times() {
    options_.progress("running the original once more");
    const Result<WitnessedRun, Failure> again = run_again(runs_, {});
    if (!again) return again.error();
    const Unsteady before = times_, more = unsteady(original_, *again);
    times_.output.insert(more.output.begin(), more.output.end());
    times_.error.insert(more.error.begin(), more.error.end());
    plan_.not_compared = times_.text();
    return times_.output.size() + times_.error.size() > before.output.size() + before.error.size();
  }

  /// Rewrites by one remedy, as far as it helps and changes nothing.
  Problem try_out(Remedy remedy) {
    for (;;) {
      if (const auto error = rewrite_modules(plan_, remedy, original_, setup_.gpu))
        return Failure{Kind::unproved, error->message};
      if (plan_.patches[remedy].empty()) return {};
      options_.progress(std::string("running the program with ") + name(remedy));
      const Result<WitnessedRun, Failure> run = run_again(runs_, plan_.patches[remedy]);
      if (!run) return run.error();
      if (const std::string what = disproved("the rewritten program", original_, *run, times_); !what.empty()) {
        const Result<bool, Failure> more = find_more_times();
        if (!more) return more.error();
        if (*more) continue;
        if (auto failure = exclude(remedy, what)) return failure;
        continue;
      }
      add_results(plan_, remedy, *run);
      if (!drop_what_does_not_help(plan_, remedy)) return {};
    }
  }

  /// Gives up a remedy for the kernels with which alone the program is not the same; for all if there are none.
  Problem exclude(Remedy remedy, const std::string& what_of_all) {
    bool any = false;
    for (size_t k = 0; k < plan_.kernels.size(); ++k) {
      if (!plan_.kernels[k].is_rewritten(remedy)) continue;
      options_.progress(fmt::format("running the program with {} in {} alone", name(remedy), plan_.kernels[k].title));
      Plan alone = plan_;
      for (size_t other = 0; other < alone.kernels.size(); ++other) {
        if (other != k) give_up(alone.kernels[other], remedy, "another kernel is tried");
      }
      if (const auto error = rewrite_modules(alone, remedy, original_, setup_.gpu))
        return Failure{Kind::unproved, error->message};
      const Result<WitnessedRun, Failure> run = run_again(runs_, alone.patches[remedy]);
      if (!run) return run.error();
      const std::string what = disproved("the rewritten program", original_, *run, times_);
      if (what.empty()) continue;
      give_up(plan_.kernels[k], remedy, what + cause(plan_.kernels[k], remedy));
      any = true;
    }
    if (any) return {};
    for (KernelPlan& kernel : plan_.kernels) give_up(kernel, remedy, what_of_all);
    return {};
  }

  /// "; the kernel reads the clock": what of a kernel is seen though it computes the same; empty if that is not known.
  std::string cause(const KernelPlan& kernel, Remedy remedy) const {
    std::string text;
    for (const auto& [digest, ptx] : original_.seen.ptx) {
      if (digest != kernel.kernel.module.digest) continue;
      const Result<ptx::Module> module = parse(ptx);
      if (module && reads_clock(*module, kernel.kernel.name)) text += "; the kernel reads the clock";
    }
    const uint64_t before = kernel.original.shared_bytes, after = kernel.forms[remedy].shared_bytes;
    if (before != after) {
      text += fmt::format("; the kernel takes {} bytes of shared memory in place of {}, which queries of occupancy see",
                          after, before);
    }
    return text;
  }

  /// Simulates the original and what was rewritten.
  Problem add_cycles() {
    if (!options_.cycles) {
      plan_.no_cycles = "not asked for (--no-cycles)";
      return {};
    }
    if (const auto config = cuda::simulated_config(setup_.gpu, {}, ""); !config) {
      plan_.no_cycles = config.error().message;
      return {};
    }
    auto original = simulate("as it is", {});
    if (!original) return original.error();
    simulated_ = std::move(*original);
    if (simulated_) add_cycles(*simulated_, "as it is", [](KernelPlan& k) -> Form& { return k.original; });
    for (const Remedy remedy : kRemedies) {
      if (!plan_.no_cycles.empty() || plan_.patches[remedy].empty()) continue;
      const std::string what = std::string("with ") + name(remedy);
      const auto run = simulate(what, plan_.patches[remedy]);
      if (!run) return run.error();
      if (*run) add_cycles(**run, what, [&](KernelPlan& k) -> Form& { return k.forms[remedy]; });
    }
    return {};
  }

  /// @return nothing if the program failed for it: Plan::no_cycles
  Result<std::optional<WitnessedRun>, Failure> simulate(const std::string& what,
                                                        const std::map<std::string, std::string>& patches) {
    options_.progress("simulating the program " + what);
    Result<WitnessedRun> run = runs_.simulate(patches);
    if (!run) return Failure{Kind::not_run, run.error().message};
    if (run->seen.ending.signal == SIGINT) return interrupted();
    if (run->seen.ending.shell_status() == 0 && !run->seen.report.is_partial())
      return std::optional<WitnessedRun>(std::move(*run));
    plan_.no_cycles = "the program did not come to its end when it was simulated " + what;
    return std::optional<WitnessedRun>();
  }

  void add_cycles(const WitnessedRun& run, const std::string& what, auto form_of) {
    for (KernelPlan& kernel : plan_.kernels) {
      const auto same = [&](const report::Kernel& after) {
        return after.name == kernel.kernel.name && after.module.digest == kernel.kernel.module.digest;
      };
      const auto after = std::ranges::find_if(run.seen.report.kernels, same);
      const uint64_t launches = after == run.seen.report.kernels.end() ? 0 : after->launches;
      if (launches != kernel.kernel.launches) {
        if (plan_.no_cycles.empty()) plan_.no_cycles = other_launches(kernel, what, launches);
      } else if (after->timing) {
        form_of(kernel).cycles = after->timing->counters.cycles;
      }
    }
  }

  static std::string other_launches(const KernelPlan& kernel, const std::string& what, uint64_t launches) {
    const auto times = [](uint64_t count) { return report::counted(count, "time", "times"); };
    return fmt::format(
        "{} was launched {} when the program was simulated {}, {} before; a program that chooses its launches by "
        "measured times does that, such as an autotuner: give it one choice",
        kernel.title, times(launches), what, times(kernel.kernel.launches));
  }

  /// What ptxas makes of each form of the kernels that were rewritten.
  void add_machine_code() {
    if (plan_.machine_code == 0) {
      plan_.no_machine_code = setup_.request.joined
                                  ? "the model of ptxas does not cover " + setup_.gpu.name
                                  : "not asked for: accesses are counted as the PTX has them (--as-written)";
      return;
    }
    for (const auto& [digest, text] : original_.seen.ptx) {
      std::set<std::string> kernels;
      for (const KernelPlan& kernel : plan_.kernels) {
        if (kernel.kernel.module.digest == digest &&
            (kernel.is_rewritten(Remedy::hash) || kernel.is_rewritten(Remedy::padding)))
          kernels.insert(kernel.kernel.name);
      }
      if (kernels.empty()) continue;
      options_.progress("asking ptxas");
      add_machine_code(digest, text, kernels, [](KernelPlan& k) -> Form& { return k.original; });
      for (const Remedy remedy : kRemedies) {
        const auto patch = plan_.patches[remedy].find(digest);
        if (patch == plan_.patches[remedy].end()) continue;
        add_machine_code(digest, patch->second, kernels, [&](KernelPlan& k) -> Form& { return k.forms[remedy]; });
      }
    }
  }

  void add_machine_code(const std::string& digest, const std::string& text, const std::set<std::string>& kernels,
                        auto form_of) {
    Result<ptx::Module> module = parse(text);
    if (!module) return;
    const auto all = machine_code(std::move(*module), kernels, plan_.machine_code);
    if (!all) {
      plan_.no_machine_code = all.error().message;
      return;
    }
    for (KernelPlan& kernel : plan_.kernels) {
      const auto found = all->find(kernel.kernel.name);
      if (kernel.kernel.module.digest != digest || found == all->end()) continue;
      Form& form = form_of(kernel);
      form.machine_code = found->second;
      form.ctas = ctas_on_sm(setup_.gpu, kernel.kernel, form);
    }
  }

  /// Puts together what was chosen, and proves it unless that is what ran before.
  Problem prove_chosen() {
    if (const auto error = rewrite_chosen(plan_, original_)) return Failure{Kind::unproved, error->message};
    if (plan_.chosen.empty() || std::ranges::find(plan_.patches.values, plan_.chosen) != plan_.patches.values.end())
      return {};
    options_.progress("running the program with what was chosen");
    const Result<WitnessedRun, Failure> run = run_again(runs_, plan_.chosen);
    if (!run) return run.error();
    if (const std::string what = disproved("the rewritten program", original_, *run, times_); !what.empty())
      return Failure{Kind::unproved, what};
    return {};
  }

  /// Repeats launches on the GPU that there is.
  Problem measure() {
    if (options_.runner == nullptr) return {};
    plan_.measured_on = {options_.runner->device().name, options_.runner->device().driver};
    const std::vector<std::string> kernels = kernels_to_measure(plan_);
    if (kernels.empty()) return {};
    options_.progress("recording launches");
    const Result<WitnessedRun> run = runs_.record(kernels);
    if (!run) return Failure{Kind::not_run, run.error().message};
    if (run->seen.ending.signal == SIGINT) return interrupted();
    options_.progress("measuring");
    add_measured(plan_, run->seen.launches, original_.seen.ptx, *options_.runner);
    return {};
  }

  RepeatedRuns& runs_;
  const host::Setup& setup_;
  const FixOptions& options_;
  WitnessedRun original_;
  std::optional<WitnessedRun> simulated_;
  Plan plan_;
  Unsteady times_;
};

}  // namespace

Result<Fixed, Failure> fix_program(const host::Setup& setup, const std::vector<std::string>& command,
                                   const FixOptions& options) {
  const host::Signals held;  // or Ctrl-C would leave the folder of the patches behind
  Result<RepeatedRuns> runs = RepeatedRuns::make(setup, command);
  if (!runs) return Failure{Kind::not_run, runs.error().message};
  return Fixer(*runs, setup, options).fix();
}

}  // namespace bankshot::fix

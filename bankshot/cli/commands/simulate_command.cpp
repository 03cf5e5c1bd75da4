// bankshot simulate: runs the program on a simulated GPU and reports where its cycles went.
#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/format_output.hpp"
#include "bankshot/cli/base/keep_kernels.hpp"
#include "bankshot/cli/base/outcome.hpp"
#include "bankshot/cli/base/project_options.hpp"
#include "bankshot/cli/base/report_output.hpp"
#include "bankshot/cli/base/run_options.hpp"
#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/timing/chip/components.hpp"

namespace bankshot::cli {
namespace {

/// "gto, lrr"
std::string names(const std::vector<timing::Component>& components) {
  std::string list;
  for (const timing::Component& each : components) list += (list.empty() ? "" : ", ") + each.name;
  return list;
}

/// "Schedulers:" and a line each.
std::string table(const std::string& title, const std::vector<timing::Component>& components) {
  std::string text = "\n" + title + ":\n";
  for (const timing::Component& each : components) {
    text +=
        "  " + each.name + std::string(each.name.size() < 12 ? 12 - each.name.size() : 1, ' ') + each.summary + "\n";
  }
  return text;
}

/// A CLI11 check of a number of cycles.
std::string some_cycles(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits && text.find_first_not_of('0') != std::string::npos
             ? ""
             : "'" + text + "' is not a number of cycles from 1 to 999999999999999999";
}

/// core cycles of all simulated launches
uint64_t all_cycles(const report::RunReport& report) {
  uint64_t cycles = 0;
  for (const report::Kernel& kernel : report.kernels) cycles += kernel.timing ? kernel.timing->counters.cycles : 0;
  return cycles;
}

class Simulate final : public Command {
 public:
  void define(CLI::App& app) override {
    options_.define(app);
    const auto component = [&](const char* option, std::string& name, const std::string& what,
                               const std::string& known) {
      app.add_option(option, name, what + ": " + known + " (default: as in the GPU's file)")->type_name("NAME");
    };
    options_.define_bank_hash(app);
    options_.define_as_written(app);
    options_.define_machine_code(app);
    component("--scheduler", request_.scheduler, "warp scheduler", names(timing::schedulers()));
    component("--pipeline", request_.pipeline, "organisation of the pipeline", names(timing::pipelines()));
    component("--atomics", request_.atomics, "unit for shared-memory atomics", names(timing::atomics_units()));
    component("--aware", request_.aware, "how bank conflicts are predicted, so that memory accesses can avoid them",
              names(timing::foresights()));
    app.add_option("--set", request_.set,
                   "override a value of the GPU's file, for example --set l1.bytes=0 --set clocks.core_khz=1000000")
        ->allow_extra_args(false)
        ->type_name("SECTION.KEY=VALUE");
    app.add_option(
           "--lock-hash", request_.lock_hash,
           "choose the locks of atomics with this hash: none, xor, add, rows:…; only for the atomics unit 'lock'")
        ->type_name("SPEC");
    app.add_option("--max-cycles", request_.max_cycles, "stop after N cycles over all launches, with exit status 4")
        ->check(some_cycles)
        ->type_name("N");
    app.add_flag("--sample", request_.sample,
                 "simulate only part of the launches, and part of the CTAs of large launches; the rest runs without "
                 "simulation, and its cycles are estimated, with an error");
    app.add_option("--trace", trace_, "write a timeline for Perfetto or chrome://tracing")->type_name("FILE");
    trace_cycles_option_ =
        app.add_option("--trace-cycles", trace_cycles_, "length of the timeline in cycles, from the first launch on")
            ->check(some_cycles)
            ->capture_default_str()
            ->type_name("N");
    output_.define(app, false);
    formats_.define(app, true, true);
    project_.define(app, compare::Mode::simulate);
    app.footer(app.get_footer() + table("Schedulers", timing::schedulers()) + table("Pipelines", timing::pipelines()) +
               table("Atomics units", timing::atomics_units()) + table("Foresight (--aware)", timing::foresights()) +
               "\nTransactions on shared memory (<bankshot/tm.cuh>):\n"
               "  --set transactions.KEY=VALUE with unit, detection, filter_bits, filter_hash or sets; "
               "docs/transactions.md\n");
  }
  bool takes_target() const override { return true; }

  std::vector<std::string> values_of(const std::string& option) const override {
    const std::vector<timing::Component> components = option == "--scheduler"  ? timing::schedulers()
                                                      : option == "--pipeline" ? timing::pipelines()
                                                      : option == "--atomics"  ? timing::atomics_units()
                                                      : option == "--aware"    ? timing::foresights()
                                                                               : std::vector<timing::Component>();
    std::vector<std::string> names;
    for (const timing::Component& one : components) names.push_back(one.name);
    return names;
  }

  int run(const std::vector<std::string>& command) override {
    if (const std::string reason = output_.problem("simulate", command); !reason.empty()) return refuse(reason);
    if (const std::string reason = trace_problem(); !reason.empty()) return refuse(reason);
    const std::vector<OutputFile> others{{"--json", output_.json}, {"--html", output_.html.file}, {"--trace", trace_}};
    if (const std::string reason = formats_.problem(others); !reason.empty()) return refuse(reason);
    output_.without_text = formats_.takes_standard_output();
    if (!trace_.empty()) {
      if (const auto error = host::cannot_write(trace_)) return refuse(error->message);
      request_.timeline_cycles = trace_cycles_;
    }
    if (request_.sample && request_.max_cycles != timing::kNever)
      return refuse("--max-cycles and --sample cannot be used together: --sample itself chooses what to simulate");
    if (command.empty()) return refuse(which_program("simulate"));
    if (!request_.sample) options_.quicker = "--sample (simulates a part and estimates the rest)";
    if (const auto error = project_.read(options_.gpu, output_.source_roots)) return refuse(error->message);
    if (options_.gpu.find(',') != std::string::npos) return compare(command);
    if (const auto problem = cuda::problem_of(request_)) return refuse(problem->message);
    Result<host::Setup> setup = set_up(options_, command);
    if (!setup) return refuse(setup.error().message);
    std::vector<host::Input> inputs = host::inputs_of(*setup);
    if (const auto error = project_.add_inputs(command, inputs)) return refuse(error->message);
    if (const auto error = output_.overwrites(inputs)) return refuse(error->message);
    if (const auto error = host::overwrites("--trace", trace_, inputs)) return refuse(error->message);
    if (const auto error = formats_.overwrites(inputs)) return refuse(error->message);
    if (const auto error = project_.prepare(command, output_.kernels)) return refuse(error->message);
    const Result<timing::Config> config =
        cuda::simulated_config(setup->gpu, request_, options_.bank_hash, !options_.instruction_hashes.empty());
    if (!config) return refuse(config.error().message);
    setup->request.simulate = request_;
    output_.request(setup->request);
    Result<host::Observation> seen = host::observe(*setup, command, {.output = output_.program_output()});
    if (!seen) return refuse(seen.error().message);
    const Status missing = say_what_is_missing(*seen);
    if (!seen->report.machine) seen->report.machine = report::machine_of(*config, setup->gpu.machine.transactions);
    const bool stopped = stops_early() && seen->report.partial_launches() != 0 && seen->ending.signal != SIGINT;
    const uint64_t cycles = all_cycles(seen->report);
    const bool written = write_timelines(*seen);
    int status = kDone;
    ProjectOptions::Judgement judgement;
    if (const std::string reason = keep_kernels(seen->report, output_.kernels); !reason.empty()) {
      status = refuse(reason);
    } else {
      project_.apply(seen->report, output_.sources_of(seen->report.program));
      formats::Verdict verdict{.gaps = incomplete(setup->target, *seen)};
      judgement = project_.judge(seen->report, verdict);
      if (!output_.tell("simulate", setup->target, *seen, verdict)) return kBadInput;
      if (!formats_.tell({{seen->report, verdict}}, output_.sources_of(seen->report.program))) return kBadInput;
    }
    if (stopped) {
      project_.say_no_verdict();
      say("stopped after " + report::counted(cycles, "cycle", "cycles") + " (--max-cycles)");
      return missing == kBadInput ? missing : kStopped;
    }
    say_how_it_ended(setup->target, seen->ending);
    if (seen->ending.signal == SIGINT) return seen->ending.shell_status();
    if (missing == kBadInput) return missing;
    if (say_failed_launches(seen->report) || missing != kDone || seen->ending.shell_status() != 0 ||
        (project_.has_baseline() && status == kDone && seen->report.kernels.empty())) {
      project_.say_no_verdict();
      return kProgramFailed;
    }
    if (status == kDone) status = project_.settle(judgement, seen->report);
    return written ? status : kBadInput;
  }

 private:
  bool stops_early() const { return request_.max_cycles != timing::kNever; }

  /// The program on each of several GPUs, one run after the other.
  int compare(const std::vector<std::string>& command) {
    if (!trace_.empty()) return refuse("--trace needs one GPU, but --gpu names several");
    if (const std::string option = project_.given(); !option.empty())
      return refuse(option + " needs one GPU, but --gpu names several");
    const std::string not_compared = project_.several_gpus();
    if (!not_compared.empty()) say(not_compared);
    if (const auto problem = cuda::problem_of(request_)) return refuse(problem->message);
    std::vector<std::string> gpus;
    std::vector<host::Setup> setups;
    std::vector<timing::Config> configs;
    for (size_t at = 0; at <= options_.gpu.size();) {
      const size_t comma = std::min(options_.gpu.find(',', at), options_.gpu.size());
      RunOptions one = options_;
      one.gpu = options_.gpu.substr(at, comma - at);
      at = comma + 1;
      if (one.gpu.empty()) return refuse("--gpu " + options_.gpu + ": a name is missing between the commas");
      if (std::ranges::find(gpus, one.gpu) != gpus.end()) return refuse("--gpu names " + one.gpu + " twice");
      Result<host::Setup> setup = set_up(one, command);
      if (!setup) return refuse(setup.error().message);
      std::vector<host::Input> inputs = host::inputs_of(*setup);
      if (const auto error = project_.add_inputs(command, inputs)) return refuse(error->message);
      if (const auto error = output_.overwrites(inputs)) return refuse(error->message);
      if (const auto error = formats_.overwrites(inputs)) return refuse(error->message);
      const Result<timing::Config> config =
          cuda::simulated_config(setup->gpu, request_, options_.bank_hash, !options_.instruction_hashes.empty());
      if (!config) return refuse(config.error().message);
      setup->request.simulate = request_;
      output_.request(setup->request);
      gpus.push_back(one.gpu);
      setups.push_back(*std::move(setup));
      configs.push_back(*config);
    }
    int status = kDone;
    std::vector<host::Observation> runs;
    for (size_t k = 0; k < setups.size(); ++k) {
      Result<host::Observation> seen = host::observe(setups[k], command, {.output = output_.program_output()});
      if (!seen) return refuse(seen.error().message);
      const Status missing = say_what_is_missing(*seen);
      say_how_it_ended(setups[k].target, seen->ending);
      if (missing == kBadInput) return missing;
      const bool interrupted = seen->ending.signal == SIGINT;
      if (interrupted && seen->report.kernels.empty() && runs.empty()) return seen->ending.shell_status();
      report::RunReport& report = seen->report;
      if (!report.machine) report.machine = report::machine_of(configs[k], setups[k].gpu.machine.transactions);
      if (interrupted) {
        status = seen->ending.shell_status();
      } else if (stops_early() && report.partial_launches() != 0) {
        say("stopped after " + report::counted(all_cycles(report), "cycle", "cycles") + " on " + gpus[k] +
            " (--max-cycles)");
        status = kStopped;
      } else if ((say_failed_launches(report) || missing != kDone || seen->ending.shell_status() != 0) &&
                 status == kDone) {
        status = kProgramFailed;
      }
      if (const std::string reason = keep_kernels(report, output_.kernels); !reason.empty() && !interrupted)
        return refuse(reason);
      project_.apply(report, output_.sources_of(report.program));
      runs.push_back(*std::move(seen));
      if (interrupted) break;
    }
    if (runs.size() < gpus.size()) {
      const auto left = gpus.begin() + static_cast<std::ptrdiff_t>(runs.size());
      say(fmt::format("interrupted: not simulated on {}", fmt::join(left, gpus.end(), ", ")));
      gpus.erase(left, gpus.end());
    }
    std::vector<formats::Run> judged;
    for (size_t k = 0; k < runs.size(); ++k)
      judged.push_back({runs[k].report, {.gaps = incomplete(setups[k].target, runs[k])}});
    return output_.tell(gpus, setups[0].target, runs, judged, not_compared) &&
                   formats_.tell(judged, output_.sources_of(command[0]))
               ? status
               : kBadInput;
  }

  /// Why the requested timeline is not possible, or empty.
  std::string trace_problem() const {
    if (trace_.empty())
      return trace_cycles_option_->count() == 0 ? ""
                                                : "--trace-cycles sets the length of the timeline: add --trace FILE";
    if (trace_ == "-") return "--trace needs the name of a file: standard output is used by the program and the report";
    if (const auto error = host::names_a_program("--trace", trace_)) return error->message;
    if (host::same_file(trace_, output_.html.file)) return "--trace and --html name the same file, " + trace_;
    return host::same_file(trace_, output_.json) ? "--trace and --json name the same file, " + trace_ : "";
  }

  /// FILE, and FILE.2 … for further processes. @return false after a message if one cannot be written
  bool write_timelines(const host::Observation& seen) const {
    if (trace_.empty()) return true;
    const std::vector<std::string>& timelines = seen.timelines;
    if (timelines.empty() && seen.lost.empty())
      say("--trace: no simulated launch finished or was stopped, so there is no timeline");
    for (size_t i = 0; i < timelines.size(); ++i) {
      const std::string file = i == 0 ? trace_ : trace_ + "." + std::to_string(i + 1);
      if (const auto error = host::write_file(file, timelines[i])) {
        say(error->message);
        return false;
      }
      if (i != 0) say("another process simulated launches; its timeline is in " + file);
    }
    return true;
  }

  RunOptions options_;
  ReportOutput output_;
  FormatOutput formats_;
  ProjectOptions project_;
  cuda::SimulateRequest request_;
  std::string trace_;
  timing::Cycle trace_cycles_ = 2000;
  const CLI::Option* trace_cycles_option_ = nullptr;
};

const RegisterCommand simulate_registered(
    {"simulate", "Run a CUDA program on a simulated GPU and show where its cycles go",
     "The program runs as with `bankshot run`, but its launches are simulated cycle by cycle; the report follows its "
     "output. Exit\nstatus: 0; 1 if the program or one of its kernels failed, or Ctrl-C stopped a kernel of a program "
     "that went on,\nor one of its processes was killed; 2 if it cannot be run, or a report was lost (on a full disk), "
     "or the baseline is of other conditions; 3 if something is "
     "worse than in\nthe baseline; 4 if --max-cycles stopped it; 130 after Ctrl-C,\nwith a "
     "report on what ran before.\n\n"
     "Examples:\n"
     "  bankshot simulate --gpu gtx480 ./app\n"
     "  bankshot simulate --gpu gtx480 --bank-hash xor --scheduler gto ./app 1024\n"
     "  bankshot simulate --gpu machine.toml --json report.json ./app\n"
     "  bankshot simulate --gpu v100,h100 ./app                                one table for both\n"
     "  bankshot simulate --csv ncu=metrics.csv ./app                          as Nsight Compute writes it\n"
     "  bankshot simulate --trace timeline.json --trace-cycles 5000 ./app      for https://ui.perfetto.dev\n"
     "  bankshot simulate --html report.html ./app                              for a browser\n",
     [] { return std::make_unique<Simulate>(); }});

}  // namespace
}  // namespace bankshot::cli

// bankshot check: runs the program and reports misused memory and barriers.
#include <csignal>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/format_output.hpp"
#include "bankshot/cli/base/keep_kernels.hpp"
#include "bankshot/cli/base/outcome.hpp"
#include "bankshot/cli/base/project_options.hpp"
#include "bankshot/cli/base/report_output.hpp"
#include "bankshot/cli/base/run_options.hpp"
#include "bankshot/cli/commands/code_place.hpp"
#include "bankshot/report/text/findings_text.hpp"

namespace bankshot::cli {
namespace {

class Check final : public Command {
 public:
  void define(CLI::App& app) override {
    options_.define(app);
    app.add_flag("--memory", checks_.memory,
                 "check for out-of-bounds accesses, reads of uninitialised memory and memory leaks");
    app.add_flag("--race", checks_.race, "check for data races in shared memory");
    app.add_flag("--sync", checks_.sync, "check for barriers that some of the required threads do not reach");
    app.add_flag("--strict", strict_,
                 "warnings count as errors; also report races with stores of the value that is already there");
    output_.define(app, true);
    formats_.define(app, true, false);
    project_.define(app, compare::Mode::check);
  }
  bool takes_target() const override { return true; }

  int run(const std::vector<std::string>& command) override {
    if (const std::string reason = output_.problem("check", command); !reason.empty()) return refuse(reason);
    if (const std::string reason = formats_.problem({{"--json", output_.json}, {"--html", output_.html.file}});
        !reason.empty())
      return refuse(reason);
    output_.without_text = formats_.takes_standard_output();
    if (command.empty()) return refuse(which_program("check"));
    if (const auto error = project_.read(options_.gpu, output_.source_roots)) return refuse(error->message);
    if (!checks_.any()) checks_ = {.memory = true, .race = true, .sync = true};
    Result<host::Setup> setup = set_up(options_, command);
    if (!setup) return refuse(setup.error().message);
    std::vector<host::Input> inputs = host::inputs_of(*setup);
    if (const auto error = project_.add_inputs(command, inputs)) return refuse(error->message);
    if (const auto error = output_.overwrites(inputs)) return refuse(error->message);
    if (const auto error = formats_.overwrites(inputs)) return refuse(error->message);
    if (const auto error = project_.prepare(command, output_.kernels)) return refuse(error->message);
    checks_.same_value = strict_ && checks_.race;
    setup->request.checks = checks_;
    output_.request(setup->request);
    Result<host::Observation> outcome = host::observe(*setup, command, {.output = output_.program_output()});
    if (!outcome) return refuse(outcome.error().message);
    const Status missing = say_what_is_missing(*outcome);
    report::RunReport& report = outcome->report;
    report.checks = checks_;
    if (const std::string reason = keep_kernels(report, output_.kernels); !reason.empty()) return refuse(reason);
    for (simt::Finding& finding : report.findings) {
      for (const simt::Finding::Caller& caller : finding.callers) {
        const std::string place = code_place(caller.file, caller.offset);
        if (place.empty()) continue;
        finding.detail = "allocated in " + place;
        break;
      }
    }
    project_.apply(report, output_.sources_of(report.program));
    formats::Verdict verdict{.gaps = incomplete(setup->target, *outcome), .strict = strict_};
    const ProjectOptions::Judgement judgement = project_.judge(report, verdict, strict_);
    if (!output_.tell("check", setup->target, *outcome, verdict)) return kBadInput;
    if (!formats_.tell({{report, verdict}}, output_.sources_of(report.program))) return kBadInput;
    return conclude(*outcome, judgement, setup->target, missing);
  }

 private:
  int conclude(const host::Observation& seen, const ProjectOptions::Judgement& judgement, const host::Target& target,
               Status missing) const {
    const report::RunReport& report = seen.report;
    const host::Ending& ending = seen.ending;
    say_how_it_ended(target, ending);
    if (ending.signal == SIGINT) return ending.shell_status();
    if (missing == kBadInput) return missing;
    const bool failed = say_failed_launches(report) || report.partial;
    const bool found = report::errors_in(report) + (strict_ ? report::warnings_in(report) : 0) != 0;
    if (found && !project_.has_baseline()) {
      std::fputs(judgement.said.c_str(), stderr);
      return kGateFailed;
    }
    const bool unchecked = report.kernels.empty();
    if (unchecked && !failed) say("no kernel was launched, so no kernel was checked");
    if (failed || unchecked || ending.shell_status() != 0) {
      project_.say_no_verdict();
      return kProgramFailed;
    }
    return project_.settle(judgement, report);
  }

  RunOptions options_;
  ReportOutput output_;
  FormatOutput formats_;
  ProjectOptions project_;
  simt::CheckOptions checks_;
  bool strict_ = false;
};

const RegisterCommand check_registered(
    {"check", "Run a CUDA program and report misused memory, races and barriers",
     "Without --memory, --race and --sync all checks are made. The program runs as with `bankshot run`, but on one "
     "host thread\nand several times slower.\n"
     "Exit status: 0 if no error was found; 1 if the program or one of its kernels failed, or Ctrl-C stopped a "
     "kernel\nof a program that went on, or none was launched; 2 if it cannot be run, or a report was lost (on a full "
     "disk);\n3 if an error was found (with --strict: or a warning),\n"
     "whatever the program's own status; with --baseline, only if the run was complete and an error is not in the "
     "baseline; 130 after Ctrl-C.\n\n"
     "Build the program with: nvcc -lineinfo app.cu -o app\n\n"
     "Examples:\n"
     "  bankshot check ./app\n"
     "  bankshot check --race ./app 1024\n"
     "  bankshot check --memory --sync --json report.json ./app\n"
     "  bankshot check --html report.html ./app\n"
     "  bankshot check --sarif findings.sarif --junit tests.xml ./app\n",
     [] { return std::make_unique<Check>(); }});

}  // namespace
}  // namespace bankshot::cli

// bankshot explain: runs the program and reports which source lines lose time to bank conflicts.
#include <csignal>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/format_output.hpp"
#include "bankshot/cli/base/keep_kernels.hpp"
#include "bankshot/cli/base/outcome.hpp"
#include "bankshot/cli/base/project_options.hpp"
#include "bankshot/cli/base/report_output.hpp"
#include "bankshot/cli/base/run_options.hpp"
#include "bankshot/cli/commands/static_explain.hpp"
#include "bankshot/compare/gate.hpp"
#include "bankshot/formats/ncu_report.hpp"
#include "bankshot/report/text/sampled_text.hpp"

namespace bankshot::cli {
namespace {

class Explain final : public Command {
 public:
  void define(CLI::App& app) override {
    options_.define(app);
    options_.define_bank_hash(app);
    options_.define_as_written(app);
    options_.define_machine_code(app);
    app.add_flag("--l1", l1_,
                 "also count accesses to global memory: the cycles that they take in the first-level cache if they "
                 "hit, by source line. Programs run a third longer; with scattered accesses several times longer");
    app.add_option("--sample-ctas", sample_ctas_,
                   "of each launch with more CTAs than N, run only N, evenly spread over the grid, and estimate the "
                   "counts of all CTAs from theirs. The program's own results are then wrong")
        ->check(CLI::Range(2, static_cast<int>(cuda::kMostSampledCtas)))
        ->type_name("N");
    app.add_flag("--verbose", verbose_,
                 "show for each kernel what was compiled to host code, and why the rest was not");
    app.add_option("--fail-on", gates_, "exit with status 3 if a kernel has more than N; may be repeated")
        ->type_name("'conflicts>N'|'wavefronts>N'")
        ->allow_extra_args(false);
    output_.define(app, true);
    formats_.define(app, true, true);
    app.add_flag("--as-ncu", as_ncu_,
                 "report by kernel what Bankshot knows of Nsight Compute's metrics, by their names");
    project_.define(app, compare::Mode::explain);
    static_.define(app);
  }
  bool takes_target() const override { return true; }

  int run(const std::vector<std::string>& command) override {
    if (const auto error = project_.read(options_.gpu, output_.source_roots)) return refuse(error->message);
    if (static_.wanted()) return run_static(command);
    if (static_.is_launch_given())
      return refuse("--block, --grid and --param are for --static; in a run the program determines them");
    std::vector<compare::Gate> gates;
    for (const std::string& text : gates_) {
      const Result<compare::Gate> gate = compare::parse_gate(text);
      if (!gate) return refuse("--fail-on " + gate.error().message);
      gates.push_back(*gate);
    }
    if (gates.empty()) gates = project_.limits();
    has_limits_ = !gates.empty();
    if (const std::string reason = output_.problem("explain", command); !reason.empty()) return refuse(reason);
    if (const std::string reason = formats_.problem({{"--json", output_.json}, {"--html", output_.html.file}});
        !reason.empty())
      return refuse(reason);
    if (as_ncu_ && !output_.html.file.empty()) return refuse("--html and --as-ncu cannot be combined");
    output_.without_text = formats_.takes_standard_output();
    if (command.empty()) return refuse(which_program("explain"));
    if (sample_ctas_ == 0) options_.quicker = "--sample-ctas 64 (runs 64 CTAs of each launch and estimates the rest)";
    Result<host::Setup> setup = set_up(options_, command);
    if (!setup) return refuse(setup.error().message);
    setup->request.sample_ctas = sample_ctas_;
    if (l1_ && !setup->gpu.l1_rules()) {
      return refuse(
          "--l1: the description of this GPU (" + setup->gpu.name +
          ") has no first-level cache with banks for global loads (l1.banks, l1.global); --gpu names another one");
    }
    setup->request.l1 = l1_;
    setup->request.tell_compiled = verbose_;
    std::vector<host::Input> inputs = host::inputs_of(*setup);
    if (const auto error = project_.add_inputs(command, inputs)) return refuse(error->message);
    if (const auto error = output_.overwrites(inputs)) return refuse(error->message);
    if (const auto error = formats_.overwrites(inputs)) return refuse(error->message);
    if (const auto error = project_.prepare(command, output_.kernels)) return refuse(error->message);
    output_.request(setup->request);
    Result<host::Observation> outcome = host::observe(*setup, command, {.output = output_.program_output()});
    if (!outcome) return refuse(outcome.error().message);
    const Status missing = say_what_is_missing(*outcome);
    if (const std::string reason = keep_kernels(outcome->report, output_.kernels); !reason.empty()) {
      const int status = refuse(reason);
      return outcome->ending.shell_status() == 0 ? status : conclude(*outcome, {}, {}, setup->target, missing);
    }
    project_.apply(outcome->report, output_.sources_of(outcome->report.program));
    formats::Verdict verdict{.gaps = incomplete(setup->target, *outcome)};
    for (size_t k = 0; k < outcome->report.kernels.size(); ++k) {
      for (const compare::Gate& gate : gates)
        verdict.judged.push_back(
            {k, gate.text, compare::how_exceeded(gate, outcome->report.kernels[k], outcome->report)});
    }
    const std::vector<formats::Judged> limits = verdict.judged;
    const ProjectOptions::Judgement judgement = project_.judge(outcome->report, verdict);
    if (!tell(*setup, *outcome, verdict)) return kBadInput;
    if (!formats_.tell({{outcome->report, verdict}}, output_.sources_of(outcome->report.program))) return kBadInput;
    return conclude(*outcome, limits, judgement, setup->target, missing);
  }

 private:
  /// Why an option cannot go with --static, which runs nothing; or empty.
  std::string refused_with_static() const {
    if (!options_.bank_hash.empty())
      return "--bank-hash (or BANKSHOT_BANK_HASH) needs a run: conflicts then depend on where an array starts, which "
             "--static does not know";
    if (!options_.instruction_hashes.empty())
      return "--instruction-hashes (or BANKSHOT_INSTRUCTION_HASHES) needs a run";
    if (options_.machine_code)
      return "--machine-code needs a run; bankshot ptx --machine-code FILE.cubin FILE.ptx compares accesses without "
             "one";
    const std::initializer_list<std::pair<bool, std::string>> others = {{!gates_.empty(), "--fail-on"},
                                                                        {true, project_.given()},
                                                                        {l1_, "--l1"},
                                                                        {sample_ctas_ != 0, "--sample-ctas"},
                                                                        {!output_.html.file.empty(), "--html"},
                                                                        {verbose_, "--verbose"},
                                                                        {as_ncu_, "--as-ncu"},
                                                                        {true, formats_.first_option()},
                                                                        {true, output_.first_run_option()}};
    for (const auto& [given, option] : others) {
      if (given && !option.empty()) return option + " needs a run, but --static runs nothing";
    }
    return {};
  }

  int run_static(const std::vector<std::string>& command) {
    if (!command.empty())
      return refuse("unexpected argument '" + command[0] +
                    "': --static runs nothing, so nothing may follow the file; put options before it");
    if (const std::string reason = refused_with_static(); !reason.empty()) return refuse(reason);
    project_.say_static();
    std::vector<host::Input> inputs;
    if (const auto error = project_.add_inputs({}, inputs)) return refuse(error->message);
    return static_.run(options_.gpu, output_.json, output_.kernels, !options_.as_written, inputs);
  }

  bool tell(const host::Setup& setup, const host::Observation& seen, const formats::Verdict& verdict) const {
    if (!as_ncu_) return output_.tell("explain", setup.target, seen, verdict);
    const std::string text = output_.without_text ? "" : "\n" + formats::to_ncu_text(seen.report, false);
    return deliver(output_.json, formats::to_ncu_json(seen.report), text) == kDone;
  }

  /// Reports what a gate must not pass: failed launches, and with gates anything that was not measured. @return whether
  /// there was any
  static bool is_incomplete(const report::RunReport& report, bool gated) {
    if (say_failed_launches(report)) return true;
    if (!gated) return false;
    if (report.partial) {
      say("the program did not finish, so not everything was measured");
    } else if (report.kernels.empty()) {
      say("no kernel was launched, so nothing was measured");
    }
    const std::string sampled = report::sampled_sentence(report);
    if (!sampled.empty()) say(sampled);
    return report.partial || report.kernels.empty() || !sampled.empty();
  }

  /// @param limits  of --fail-on, applied to each kernel
  int conclude(const host::Observation& seen, const std::vector<formats::Judged>& limits,
               const ProjectOptions::Judgement& judgement, const host::Target& target, Status missing) const {
    const report::RunReport& report = seen.report;
    say_how_it_ended(target, seen.ending);
    if (report.sampled().launches != 0 && (seen.ending.shell_status() != 0 || report.failed_launches() != 0))
      say("the results of the CTAs that did not run are missing (--sample-ctas), which may be the reason");
    if (seen.ending.signal == SIGINT) return seen.ending.shell_status();
    if (missing == kBadInput) return missing;
    bool exceeds = false;
    for (const formats::Judged& limit : limits) {
      if (limit.sentence.empty()) continue;
      say(limit.sentence);
      exceeds = true;
    }
    if (is_incomplete(report, has_limits_ || project_.has_baseline()) || missing != kDone ||
        seen.ending.shell_status() != 0) {
      project_.say_no_verdict();
      return kProgramFailed;
    }
    const Status settled = project_.settle(judgement, report);
    return settled == kDone && exceeds ? kGateFailed : settled;
  }

  RunOptions options_;
  StaticExplain static_;
  ReportOutput output_;
  FormatOutput formats_;
  ProjectOptions project_;
  std::vector<std::string> gates_;
  unsigned sample_ctas_ = 0;
  bool l1_ = false, verbose_ = false, as_ncu_ = false, has_limits_ = false;
};

const RegisterCommand explain_registered(
    {"explain", "Run a CUDA program and show which lines lose time to bank conflicts",
     "The program runs as with `bankshot run`; the report follows its output. Exit status: 0; 1 if the\n"
     "program or one of its kernels failed, or Ctrl-C stopped a kernel of a program that went on, or one of its "
     "processes was killed,\nor --fail-on or --baseline could not "
     "be judged\nbecause no kernel was launched or not everything was measured; 2 if it cannot be run, or a report was "
     "lost (on a full disk),\nor the baseline is of other conditions; 3 if a limit of --fail-on is exceeded, or "
     "something is worse than in the baseline;\n130 after Ctrl-C.\n\n"
     "Build the program with: nvcc -lineinfo app.cu -o app\n\n"
     "Examples:\n"
     "  bankshot explain ./app\n"
     "  bankshot explain --gpu a100 ./app\n"
     "  bankshot explain --top 3 --json report.json ./app 1024\n"
     "  bankshot explain --json - ./app > report.json\n"
     "  bankshot explain --html report.html ./app             the same for a browser, with sources and pictures\n"
     "  bankshot explain --kernel reduce --kernel scan ./app\n"
     "  bankshot explain --l1 ./app                           also global loads in the first-level cache\n"
     "  bankshot explain --sample-ctas 64 ./app               64 CTAs of each launch, for a program that takes too "
     "long\n"
     "  bankshot explain --bank-hash xor ./app                what hardware with that hash would cost\n"
     "  bankshot explain --fail-on 'conflicts>0' ./app        a gate for continuous integration\n"
     "  bankshot explain --sarif lines.sarif --github - ./app the lines with conflicts, in a pull request\n"
     "  bankshot explain --as-ncu ./app                       what Nsight Compute would count\n"
     "  bankshot explain --baseline conflicts.json ./app      a gate that admits what is there, but nothing worse\n"
     "  bankshot explain --static kernel.ptx --block 16,16    from the code alone, with no run\n"
     "  bankshot explain --static ./app --block 256 --grid 64 --param 2=16384 --json -\n",
     [] { return std::make_unique<Explain>(); }});

}  // namespace
}  // namespace bankshot::cli

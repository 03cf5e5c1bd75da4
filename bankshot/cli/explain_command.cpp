// bankshot explain: runs the program and reports which source lines lose time to bank conflicts.
#include <csignal>

#include <CLI/CLI.hpp>

#include "bankshot/cli/command.hpp"
#include "bankshot/cli/gate.hpp"
#include "bankshot/cli/observe.hpp"
#include "bankshot/cli/report_output.hpp"
#include "bankshot/cli/static_explain.hpp"

namespace bankshot::cli {
namespace {

class Explain final : public Command {
 public:
  void define(CLI::App& app) override {
    options_.define(app);
    options_.define_bank_hash(app);
    app.add_option("--fail-on", gates_, "exit with 3 if a kernel has more; may be repeated")
        ->type_name("'conflicts>N'|'wavefronts>N'")
        ->allow_extra_args(false);
    output_.define(app, true);
    static_.define(app);
  }
  bool takes_target() const override { return true; }

  int run(const std::vector<std::string>& command) override {
    if (static_.wanted()) {
      if (!command.empty())
        return refuse("--static runs nothing, so '" + command[0] + "' is too much; options stand before it");
      if (!gates_.empty()) return refuse("--fail-on judges a run, and --static runs nothing");
      if (!options_.bank_hash.empty()) {
        return refuse(
            "--bank-hash (or BANKSHOT_BANK_HASH) needs a run: where an array starts decides, and --static does not "
            "know it");
      }
      return static_.run(options_.gpu, output_.json, output_.kernels);
    }
    if (static_.is_launch_given())
      return refuse("--block, --grid and --param are for --static; a run tells them itself");
    std::vector<Gate> gates;
    for (const std::string& text : gates_) {
      const Result<Gate> gate = parse_gate(text);
      if (!gate) return refuse(gate.error().message);
      gates.push_back(*gate);
    }
    if (const std::string reason = output_.problem("explain", command); !reason.empty()) return refuse(reason);
    if (command.empty()) return refuse(which_program("explain"));
    Result<Setup> setup = set_up(options_, command);
    if (!setup) return refuse(setup.error().message);
    if (const auto error = overwrites("--json", output_.json, inputs_of(*setup))) return refuse(error->message);
    Result<Observation> outcome = observe(*setup, command, {.launch = {.output = output_.program_output()}});
    if (!outcome) return refuse(outcome.error().message);
    for (const std::string& problem : outcome->problems) say(problem);
    if (const std::string reason = keep_kernels(outcome->report, output_.kernels); !reason.empty()) {
      const int status = refuse(reason);
      return outcome->ending.shell_status() == 0 ? status : judge(outcome->report, {}, *setup, outcome->ending);
    }
    if (!output_.tell(outcome->report)) return kBadInput;
    return judge(outcome->report, gates, *setup, outcome->ending);
  }

 private:
  /// What a gate must not pass: launches that failed, and with gates anything that was not measured. @return whether so
  static bool is_incomplete(const report::RunReport& report, bool gated) {
    if (say_failed_launches(report)) return true;
    if (!gated) return false;
    if (report.partial) {
      say("--fail-on: the program did not come to its end, so not everything was measured");
    } else if (report.kernels.empty()) {
      say("--fail-on: no kernel was launched, so nothing was measured");
    }
    return report.partial || report.kernels.empty();
  }

  static int judge(const report::RunReport& report, const std::vector<Gate>& gates, const Setup& setup,
                   const Ending& ending) {
    say_how_it_ended(setup, ending);
    if (ending.signal == SIGINT) return ending.shell_status();
    bool exceeds = false;
    for (const Gate& gate : gates) {
      for (const std::string& sentence : exceeded(gate, report)) {
        say(sentence);
        exceeds = true;
      }
    }
    if (is_incomplete(report, !gates.empty()) || ending.shell_status() != 0) return kProgramFailed;
    return exceeds ? kGateFailed : kDone;
  }

  RunOptions options_;
  StaticExplain static_;
  ReportOutput output_;
  std::vector<std::string> gates_;
};

const RegisterCommand registration(
    {"explain", "Run a CUDA program and show which lines lose time to bank conflicts",
     "The program runs as with `bankshot run`; the report follows its output. Exit status: 0; 1 if the\n"
     "program or one of its kernels failed, or --fail-on had nothing or not everything to judge; 2 if it\n"
     "cannot be run; 3 if a limit of --fail-on is exceeded; 130 after Ctrl-C.\n\n"
     "Build the program with: nvcc -lineinfo app.cu -o app\n\n"
     "Examples:\n"
     "  bankshot explain ./app\n"
     "  bankshot explain --top 3 --json report.json ./app 1024\n"
     "  bankshot explain --json - ./app > report.json\n"
     "  bankshot explain --kernel reduce --kernel scan ./app\n"
     "  bankshot explain --bank-hash xor ./app                what hardware with that hash would cost\n"
     "  bankshot explain --fail-on 'conflicts>0' ./app        a gate for continuous integration\n"
     "  bankshot explain --static kernel.ptx --block 16,16    from the code alone, with no run\n"
     "  bankshot explain --static ./app --block 256 --grid 64 --param 2=16384 --json -\n",
     [] { return std::make_unique<Explain>(); }});

}  // namespace
}  // namespace bankshot::cli

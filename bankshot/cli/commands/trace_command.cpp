// bankshot trace: the access patterns of a run, as a file that search and conflicts read.
#include <unistd.h>

#include <csignal>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/keep_kernels.hpp"
#include "bankshot/cli/base/outcome.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/cli/base/run_options.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/regions/by_instruction.hpp"
#include "bankshot/report/json/instruction_patterns_json.hpp"
#include "bankshot/report/json/patterns_json.hpp"
#include "bankshot/report/run/pattern_set.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::cli {
namespace {

class Trace final : public Command {
 public:
  void define(CLI::App& app) override {
    options_.define(app);
    options_.define_as_written(app);
    options_.define_machine_code(app);
    app.add_option(
           "-o,--output", file_,
           "the patterns file to write; - is standard output, and the program's output then goes to standard error")
        ->type_name("FILE|-")
        ->required();
    app.add_option("--kernel", kernels_, "only kernels with this in their name; may be repeated")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option(
           "--most", most_,
           "most different accesses to keep for each instruction; of more a sample is kept, weighted to represent all")
        ->check(CLI::Range(1, static_cast<int>(cuda::kMostTracedAccesses)))
        ->type_name("N")
        ->capture_default_str();
    app.add_flag("--per-instruction", per_instruction_,
                 "split the patterns into parts of shared memory whose instructions access no word of another part, "
                 "for bankshot search --per-instruction");
    app.add_flag(
        "--as-is", as_is_,
        "keep lanes and addresses unchanged: for hash add, whose conflicts depend on them, and for other GPUs");
  }
  bool takes_target() const override { return true; }

  int run(const std::vector<std::string>& command) override {
    if (command.empty()) return refuse(which_program("trace -o patterns.json"));
    if (per_instruction_ && as_is_) return refuse("--as-is and --per-instruction exclude each other");
    if (file_ != "-") {
      if (const auto error = host::cannot_write(file_)) return refuse(error->message);
    }
    Result<host::Setup> setup = set_up(options_, command);
    if (!setup) return refuse(setup.error().message);
    if (const auto error = host::overwrites("-o", file_, host::inputs_of(*setup))) return refuse(error->message);
    setup->request.trace_accesses = most_;
    setup->request.modules = per_instruction_;
    Result<host::Observation> seen =
        host::observe(*setup, command, {.output = file_ == "-" ? STDERR_FILENO : STDOUT_FILENO});
    if (!seen) return refuse(seen.error().message);
    const Status missing = say_what_is_missing(*seen);
    say_how_it_ended(setup->target, seen->ending);
    if (missing == kBadInput) return refuse("the patterns are incomplete and are not written");
    const bool failed = say_failed_launches(seen->report) || missing != kDone || seen->ending.shell_status() != 0;
    if (const std::string reason = keep_kernels(seen->report, kernels_); !reason.empty()) {
      const int status = refuse(reason);
      return failed ? kProgramFailed : status;
    }
    const int status = per_instruction_ ? write_by_instruction(*seen) : write(seen->report);
    if (seen->ending.signal == SIGINT) return seen->ending.shell_status();
    return failed ? kProgramFailed : status;
  }

 private:
  /// "; a sample at 2 instructions: see --most"
  static std::string sampled_text(const report::RunReport& report) {
    size_t sampled = 0;
    for (const report::Kernel& kernel : report.kernels) {
      for (const report::Site& site : kernel.sites) sampled += site.totals.trace.is_sample() ? 1 : 0;
    }
    return sampled == 0
               ? ""
               : fmt::format("; a sample at {}: see --most", report::counted(sampled, "instruction", "instructions"));
  }

  int write(const report::RunReport& report) const {
    const Result<scratchpad::PatternSet> set = report::pattern_set(report.rules, report.kernels, as_is_);
    if (!set) return refuse(set.error().message + "; there is nothing to write");
    uint64_t accesses = 0;
    for (const report::Kernel& kernel : report.kernels) {
      for (const report::Site& site : kernel.sites) accesses += site.totals.accesses;
    }
    return write(report::patterns_to_json(*set, &report),
                 fmt::format("{} different patterns of {} warp accesses{}\n", report::grouped(set->patterns.size()),
                             report::grouped(accesses), sampled_text(report)));
  }

  int write_by_instruction(const host::Observation& seen) const {
    const Result<report::InstructionPatterns> patterns = regions::by_instruction(seen.report, seen.ptx);
    if (!patterns) return refuse(patterns.error().message + "; there is nothing to write");
    if (patterns->kernels.empty()) return refuse("no access to shared memory was seen; there is nothing to write");
    size_t parts = 0;
    for (const report::PatternsOfKernel& kernel : patterns->kernels) parts += kernel.parts.size();
    return write(
        report::to_json(*patterns),
        fmt::format("{} of {}{}\n", report::counted(parts, "part of shared memory", "parts of shared memory"),
                    report::counted(patterns->kernels.size(), "kernel", "kernels"), sampled_text(seen.report)));
  }

  int write(const std::string& text, const std::string& summary) const {
    if (file_ == "-") {
      print(text);
    } else {
      if (const auto error = host::write_file(file_, text)) return refuse(error->message);
    }
    if (file_ == "-") {
      std::fputs(("bankshot: " + summary).c_str(), stderr);
    } else {
      print("\n" + file_ + ": " + summary);
    }
    return kDone;
  }

  RunOptions options_;
  std::string file_;
  std::vector<std::string> kernels_;
  unsigned most_ = 4096;
  bool as_is_ = false, per_instruction_ = false;
};

const RegisterCommand trace_registered(
    {"trace", "Run a CUDA program and write the access patterns of its shared memory",
     "Patterns are deduplicated and weighted. Lanes of a phase are sorted and addresses are translated by XOR; this "
     "changes\nno conflict under any XOR hash on GPUs with the same phases. docs/json.md describes the file.\n"
     "Exit status: 0; 1 if the program or one of its kernels failed, or Ctrl-C stopped a kernel of a program that went "
     "on, or one\nof its processes was killed; 2 if it cannot be run, there is nothing to write, or a report was lost "
     "(on a "
     "full disk); 130 after Ctrl-C.\n\n"
     "Examples:\n"
     "  bankshot trace -o patterns.json ./app\n"
     "  bankshot trace -o patterns.json --kernel reduce ./app 1024\n"
     "  bankshot trace -o - ./app | bankshot search -\n",
     [] { return std::make_unique<Trace>(); }});

}  // namespace
}  // namespace bankshot::cli

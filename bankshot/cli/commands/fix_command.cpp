// bankshot fix: bank hashes or padding for the shared arrays of a program, applied to its PTX, what they cost, and the
// proof that nothing else changed.
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/outcome.hpp"
#include "bankshot/cli/base/run_options.hpp"
#include "bankshot/cli/commands/fix_folder.hpp"
#include "bankshot/cli/commands/fix_ptx.hpp"
#include "bankshot/fix/json.hpp"
#include "bankshot/fix/prove.hpp"
#include "bankshot/fix/source_copy.hpp"
#include "bankshot/fix/text.hpp"
#include "bankshot/host/signals.hpp"
#include "bankshot/host/write_file.hpp"

namespace bankshot::cli {
namespace {

class Fix final : public Command {
 public:
  void define(CLI::App& app) override {
    options_.define(app);
    options_.define_as_written(app);
    app.add_option("-o,--output", folder_,
                   "write the rewritten PTX (one file a module), fix.txt and fix.json into this folder")
        ->type_name("DIR");
    app.add_option("--json", json_, "write the report as JSON; - is standard output")->type_name("FILE|-");
    app.add_option("--time-limit", seconds_, "seconds for the search of each array's hash")
        ->type_name("S")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    launch_.define(app, "for a PTX file: ");
    app.add_option("--hash", hash_, "for a PTX file: the hash of --array")->type_name("SPEC");
    app.add_option("--patterns", patterns_,
                   "for a PTX file: in place of --hash, access patterns to search it for: word addresses from the "
                   "array's start")
        ->type_name("FILE|-");
    app.add_option("--array", array_, "for a PTX file: the shared array, as in the PTX or in the source")
        ->type_name("NAME");
    app.add_option("--kernel", kernels_,
                   "only kernels with this in their name, with --array the first of them; may be repeated")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_flag("--even-if-slower", even_if_slower_, "rewrite kernels that are not faster for it, too");
    app.add_option(
           "--apply", apply_,
           "write what is chosen into a copy of the source in this folder, with fix.diff; build it, run it, and "
           "measure again")
        ->type_name("DIR");
    app.add_option(
           "--build", build_,
           "with --apply: the command that builds the program in DIR, under its own name, from the sources that "
           "change; without it nvcc, for one source")
        ->type_name("COMMAND");
    app.add_flag("--no-cycles", no_cycles_, "do not simulate: judge by wavefronts and instructions");
  }
  bool takes_target() const override { return true; }

  int run(const std::vector<std::string>& command) override {
    if (command.empty()) return refuse(which_program("fix"));
    if (command[0].ends_with(".ptx")) return fix_file(command);
    if (!hash_.empty() || !patterns_.empty() || !array_.empty() || launch_.is_given()) {
      return refuse(
          "--hash, --patterns, --array, --block, --grid and --param are for PTX files; a program is run, and its "
          "hashes "
          "are searched for");
    }
    if (const auto error = check_outputs()) return refuse(error->message);
    return fix_program(command);
  }

 private:
  std::optional<Error> check_outputs() const {
    if (const auto error = cannot_deliver(json_)) return error;
    if (!build_.empty() && apply_.empty()) return Error{"--build goes with --apply DIR"};
    if (!apply_.empty()) {
      if (const auto error = cannot_use_folder(apply_)) return error;
      if (const auto error = make_folder(apply_)) return error;
    }
    return folder_.empty() ? std::nullopt : cannot_use_folder(folder_);
  }

  int fix_file(const std::vector<std::string>& command) const {
    if (command.size() != 1) return refuse("a PTX file has no arguments");
    if (!apply_.empty() || !build_.empty())
      return refuse("--apply and --build are for programs: a PTX file has no source");
    if (!json_.empty()) return refuse("--json is for programs: a PTX file is not run");
    if (!folder_.empty()) {
      const std::string written = place_in_folder(folder_, command[0]);
      if (const auto error = host::overwrites("-o", written, {{"the PTX that is read", command[0]}}))
        return refuse(error->message);
    }
    if (const auto error = check_outputs()) return refuse(error->message);
    return fix_ptx({command[0], options_.gpu, folder_, hash_, patterns_, array_, kernels_, !options_.as_written,
                    &launch_, time_limit()});
  }

  std::chrono::milliseconds time_limit() const {
    return std::chrono::milliseconds(static_cast<int64_t>(seconds_ * 1000));
  }

  int fix_program(const std::vector<std::string>& command) {
    const Result<host::Setup> setup = set_up(options_, command);
    if (!setup) return refuse(setup.error().message);
    if (const auto error = host::overwrites("--json", json_, host::inputs_of(*setup))) return refuse(error->message);
    fix::FixOptions options;
    options.time_limit = time_limit();
    options.kernels = kernels_;
    options.cycles = !no_cycles_;
    options.even_if_slower = even_if_slower_;
    const bool to_terminal = isatty(STDERR_FILENO) != 0;
    if (to_terminal)
      options.progress = [](const std::string& what) { std::fprintf(stderr, "\r\033[K%s", what.c_str()); };
    Result<fix::Plan, fix::Failure> plan = fix::fix_program(*setup, command, options);
    if (plan && !apply_.empty() && !plan->chosen.empty()) apply(*plan, *setup, command, options);
    if (to_terminal) std::fputs("\r\033[K", stderr);
    if (!plan) return fail(*setup, plan.error());
    const int status = write(*plan);
    return status == kDone && plan->applied && !plan->applied->failure.empty() ? kProgramFailed : status;
  }

  /// Writes, builds, runs and measures a copy of the source: Plan::applied.
  void apply(fix::Plan& plan, const host::Setup& setup, const std::vector<std::string>& command,
             const fix::FixOptions& options) const {
    fix::Applied& applied = plan.applied.emplace();
    applied.folder = apply_;
    const auto sources = fix::write_sources(plan, apply_);
    if (!sources) {
      applied.failure = sources.error().message;
      return;
    }
    applied.sources = *sources;
    const std::string& path = setup.target.path;
    const std::string program = path.substr(path.rfind('/') + 1);
    options.progress("building the changed source");
    if (const auto error = fix::build_sources(plan, apply_, *sources, build_, program)) {
      applied.failure = "it was not built: " + error->message;
      return;
    }
    std::vector<std::string> changed_command = command;
    changed_command[0] = (apply_.find('/') == std::string::npos ? "./" : "") + apply_ + "/" + program;
    const Result<host::Setup> changed = set_up(options_, changed_command);
    if (!changed) {
      applied.failure = changed.error().message;
      return;
    }
    const auto kernels = fix::measure_sources(plan, setup, command, *changed, changed_command, options);
    if (kernels) {
      applied.kernels = *kernels;
    } else {
      applied.failure = kernels.error().why;
    }
  }

  int fail(const host::Setup& setup, const fix::Failure& failure) const {
    int status = failure.kind == fix::Failure::Kind::not_run ? kBadInput : kProgramFailed;
    if (failure.run) {
      const host::Ending& ending = failure.run->seen.ending;
      std::fputs(failure.run->error.c_str(), stderr);
      say_how_it_ended(setup.target, ending);
      if (ending.signal == SIGINT) status = ending.shell_status();
    }
    std::fprintf(stderr, "bankshot: %s\n", failure.why.c_str());
    if (!json_.empty() && failure.kind != fix::Failure::Kind::not_run) {
      const std::string json = fix::to_json(failure, setup.target.path, setup.gpu.name);
      if (const int written = deliver(json_, json, ""); written != kDone) return written;
    }
    return status;
  }

  int write(const fix::Plan& plan) const {
    const std::string text = fix::to_text(plan), json = fix::to_json(plan);
    if (!folder_.empty()) {
      const host::Signals held;
      if (const auto error = make_folder(folder_)) return refuse(error->message);
      for (const auto& [digest, ptx] : plan.chosen) {
        if (const auto error = host::write_file(folder_ + "/" + digest + ".ptx", ptx)) return refuse(error->message);
      }
      if (const auto error = host::write_file(folder_ + "/fix.txt", text)) return refuse(error->message);
      if (const auto error = host::write_file(folder_ + "/fix.json", json)) return refuse(error->message);
    }
    return deliver(json_, json, text);
  }

  RunOptions options_;
  DescribedLaunch launch_;
  std::string folder_, apply_, build_, json_, hash_, patterns_, array_;
  std::vector<std::string> kernels_;
  double seconds_ = 10;
  bool even_if_slower_ = false, no_cycles_ = false;
};

const RegisterCommand fix_registered(
    {"fix", "Remove bank conflicts from a CUDA program, and prove that nothing else changes",
     "Runs the program, searches for the best hash and the best padding of each shared array that has conflicts, "
     "rewrites the PTX\n"
     "with each, runs the original again and the rewritten programs, and simulates them. A kernel is rewritten if it "
     "takes at least\n"
     "1 % fewer cycles for it. Memory, standard output, standard error and exit status must be the same bit for bit. "
     "Where two\n"
     "runs of the original print "
     "different numbers\n"
     "(times), those numbers are not compared, and the report says so; files that the program writes are not compared "
     "either.\n"
     "Arrays for which this cannot be proved safe are left alone, with the reason. The program's standard input must "
     "be a\n"
     "file; anything else reads as empty. What the program writes is not shown.\n\n"
     "The exit status is 0 if all is proved or there is nothing to fix, 1 if the program or the proof failed (then "
     "nothing is\n"
     "written), 2 for bad input or no room for reports, 130 after Ctrl-C. With BANKSHOT_PATCH_DIR=DIR bankshot run "
     "takes the PTX that -o DIR "
     "wrote.\n\n"
     "Examples:\n"
     "  bankshot fix ./app\n"
     "  bankshot fix -o fixed ./app 1024\n"
     "  bankshot fix --apply changed ./app                        app.cu changed, built and measured\n"
     "  bankshot fix --block 16,16 kernel.ptx > fixed.ptx         from the code alone, with no run\n"
     "  bankshot fix --hash xor --array tile kernel.ptx > fixed.ptx\n"
     "  bankshot fix --patterns patterns.json --array tile kernel.ptx > fixed.ptx\n",
     [] { return std::make_unique<Fix>(); }});

}  // namespace
}  // namespace bankshot::cli

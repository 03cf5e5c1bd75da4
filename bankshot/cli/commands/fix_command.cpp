// bankshot fix: bank hashes or padding for the shared arrays of a program, applied to its PTX, what they cost, and the
// proof that nothing else changed.
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/folder.hpp"
#include "bankshot/cli/base/outcome.hpp"
#include "bankshot/cli/base/page_output.hpp"
#include "bankshot/cli/base/run_options.hpp"
#include "bankshot/cli/base/source_roots.hpp"
#include "bankshot/cli/base/text_look.hpp"
#include "bankshot/cli/commands/fix_ptx.hpp"
#include "bankshot/cli/commands/measure_on.hpp"
#include "bankshot/fix/json.hpp"
#include "bankshot/fix/prove.hpp"
#include "bankshot/fix/source_copy.hpp"
#include "bankshot/fix/text.hpp"
#include "bankshot/host/signals.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"

namespace bankshot::cli {
namespace {

class Fix final : public Command {
 public:
  void define(CLI::App& app) override {
    options_.define(app);
    options_.define_as_written(app);
    options_.without_machine_code = true;
    app.add_option("-o,--output", folder_,
                   "write the rewritten PTX (one file per module), fix.txt and fix.json into this folder")
        ->type_name("DIR");
    app.add_option("--json", json_, "write the report as JSON; - is standard output")->type_name("FILE|-");
    html_.define(app);
    app.add_option("--time-limit", seconds_,
                   "time limit in seconds for each hash search; an array may need up to four searches")
        ->type_name("S")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_option("--class", class_,
                   "hashes to choose from: " + scratchpad::searchable_classes() +
                       " (default: all that software can "
                       "apply in place, gf2)")
        ->type_name("C");
    launch_.define(app, "for a PTX file: ");
    app.add_option("--hash", hash_, "for a PTX file: the hash of --array")->type_name("SPEC");
    app.add_option("--patterns", patterns_,
                   "for a PTX file: instead of --hash, search a hash for these access patterns: word addresses from "
                   "the array's start")
        ->type_name("FILE|-");
    app.add_option("--array", array_, "for a PTX file: the shared array, as in the PTX or in the source")
        ->type_name("NAME");
    app.add_option("--kernel", kernels_,
                   "only kernels with this in their name, with --array the first of them; may be repeated")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_flag("--even-if-slower", even_if_slower_, "also rewrite kernels that do not get faster");
    app.add_option(
           "--apply", apply_,
           "apply the chosen remedies to a copy of the source in this folder, with fix.diff; build it, run it, and "
           "measure again. What fix wrote there before is replaced, nothing else")
        ->type_name("DIR");
    app.add_option(
           "--build", build_,
           "with --apply: the command that builds the program in DIR, under its own name, from the sources that "
           "change (folders of the other sources must be given: \"nvcc -arch=sm_75 -cudart shared -I $PWD/src app.cu "
           "-o "
           "app\"); default, for one .cu file: nvcc, or clang if there is no nvcc or $CUDACC names clang")
        ->type_name("COMMAND");
    source_roots_.define(app);
    look_.define(app, "what to paste into the source");
    measure_on_.define(app);
    app.add_flag("--no-cycles", no_cycles_, "do not simulate: judge by wavefronts and instructions");
  }
  bool takes_target() const override { return true; }

  std::vector<std::string> values_of(const std::string& option) const override {
    return option == "--class" ? scratchpad::searchable_class_names() : std::vector<std::string>();
  }

  int run(const std::vector<std::string>& command) override {
    if (command.empty()) return refuse(which_program("fix"));
    if (!class_.empty() && scratchpad::find_searchable_class(class_) == nullptr)
      return refuse(scratchpad::unknown_class(class_));
    if (!class_.empty() && !hash_.empty())
      return refuse("--class is for a search of hashes, and --hash names the hash");
    if (command[0].ends_with(".ptx")) return fix_file(command);
    if (!hash_.empty() || !patterns_.empty() || !array_.empty() || launch_.is_given()) {
      return refuse(
          "--hash, --patterns, --array, --block, --grid and --param are for PTX files; a program is run, and its "
          "hashes "
          "are searched for");
    }
    if (const std::string reason = measure_on_.problem(); !reason.empty()) return refuse(reason);
    if (const std::string reason = html_.problem("fix", command[0], json_); !reason.empty()) return refuse(reason);
    if (const auto error = check_outputs()) return refuse(error->message);
    return fix_program(command);
  }

 private:
  std::optional<Error> check_outputs() const {
    if (const auto error = cannot_deliver(json_)) return error;
    if (!build_.empty() && apply_.empty()) return Error{"--build goes with --apply DIR"};
    if (!apply_.empty()) {
      if (const auto error = cannot_use_folder(apply_, "fix.txt")) return error;
    }
    return folder_.empty() ? std::nullopt : cannot_use_folder(folder_, "fix.txt");
  }

  int fix_file(const std::vector<std::string>& command) const {
    if (command.size() != 1) return refuse("a PTX file has no arguments");
    if (!apply_.empty() || !build_.empty())
      return refuse("--apply and --build are for programs: a PTX file has no source");
    if (!json_.empty()) return refuse("--json is for programs: a PTX file is not run");
    if (!html_.file.empty()) return refuse("--html is for programs: a PTX file is not run");
    if (look_.quiet || look_.whole_names)
      return refuse("--quiet and --whole-names are for programs: of a PTX file, the PTX is written");
    if (measure_on_.is_given())
      return refuse("--backend, --driver and --device measure launches of a program: a PTX file is not run");
    if (!folder_.empty()) {
      const std::string written = place_in_folder(folder_, command[0]);
      if (const auto error = host::overwrites("-o", written, {{"the PTX that is read", command[0]}}))
        return refuse(error->message);
    }
    if (const auto error = check_outputs()) return refuse(error->message);
    return fix_ptx({command[0], options_.gpu, folder_, hash_, patterns_, array_, kernels_, !options_.as_written,
                    &launch_, time_limit(), class_});
  }

  std::chrono::milliseconds time_limit() const {
    return std::chrono::milliseconds(static_cast<int64_t>(seconds_ * 1000));
  }

  int fix_program(const std::vector<std::string>& command) {
    const Result<host::Setup> setup = set_up(options_, command);
    if (!setup) return refuse(setup.error().message);
    if (const auto error = host::overwrites("--json", json_, host::inputs_of(*setup))) return refuse(error->message);
    if (const auto error = host::overwrites("--html", html_.file, host::inputs_of(*setup)))
      return refuse(error->message);
    if (!apply_.empty()) {
      if (const auto error = fix::cannot_apply(apply_, *setup)) return refuse(error->message);
    }
    const Result<std::unique_ptr<measure::Runner>> runner = measure_on_.open(setup->gpu, options_.threads);
    if (!runner) return refuse(runner.error().message);
    fix::FixOptions options;
    options.runner = runner->get();
    options.time_limit = time_limit();
    options.kernels = kernels_;
    options.sources.roots = source_roots_.of(command[0]);
    options.hash_class = class_;
    options.cycles = !no_cycles_;
    options.even_if_slower = even_if_slower_;
    const bool to_terminal = isatty(STDERR_FILENO) != 0;
    if (to_terminal)
      options.progress = [](const std::string& what) { std::fprintf(stderr, "\r\033[K%s", what.c_str()); };
    Result<fix::Fixed, fix::Failure> fixed = fix::fix_program(*setup, command, options);
    std::optional<fix::Failure> failure;
    if (!fixed) {
      failure = fixed.error();
    } else if (!apply_.empty() && !fixed->plan.chosen.empty()) {
      const fix::ApplyOptions apply{apply_, build_,
                                    [&](const std::vector<std::string>& changed) { return set_up(options_, changed); }};
      failure = fix::apply_to_source(*fixed, *setup, command, apply, options);
    }
    if (to_terminal) std::fputs("\r\033[K", stderr);
    if (failure) return fail(*setup, *failure);
    const int status = write(fixed->plan);
    const std::optional<fix::Applied>& copy = fixed->plan.applied;
    const bool applied = !copy || (copy->failure.empty() && copy->left.empty());
    return status == kDone && !applied ? kProgramFailed : status;
  }

  int fail(const host::Setup& setup, const fix::Failure& failure) const {
    using Kind = fix::Failure::Kind;
    const int status = failure.kind == Kind::not_run       ? kBadInput
                       : failure.kind == Kind::interrupted ? host::Ending{0, SIGINT}.shell_status()
                                                           : kProgramFailed;
    if (failure.run) {
      std::fputs(failure.run->error.c_str(), stderr);
      say_how_it_ended(setup.target, failure.run->seen.ending);
    }
    std::fprintf(stderr, "bankshot: %s\n", failure.why.c_str());
    if (failure.kind != Kind::not_run) {
      const std::string json = fix::to_json(failure, setup.target.path, setup.gpu.name);
      if (!html_.write({.command = "fix",
                        .sources = {.roots = source_roots_.of(setup.target.path)},
                        .notes = {failure.why},
                        .json = json}))
        return kBadInput;
      if (json_.empty()) return status;
      if (const int written = deliver(json_, json, ""); written != kDone) return written;
    }
    return status;
  }

  int write(const fix::Plan& plan) const {
    const std::string json = fix::to_json(plan);
    if (!html_.write({.command = "fix", .sources = {.roots = source_roots_.of(plan.program)}, .json = json}))
      return kBadInput;
    if (!folder_.empty()) {
      const host::Signals held;
      if (const auto error = make_folder(folder_)) return refuse(error->message);
      for (const auto& [digest, ptx] : plan.chosen) {
        if (const auto error = host::write_file(folder_ + "/" + digest + ".ptx", ptx)) return refuse(error->message);
      }
      if (const auto error = host::write_file(folder_ + "/fix.txt", fix::to_text(plan, {.whole_names = true})))
        return refuse(error->message);
      if (const auto error = host::write_file(folder_ + "/fix.json", json)) return refuse(error->message);
    }
    return deliver(json_, json, fix::to_text(plan, look_.options()));
  }

  RunOptions options_;
  DescribedLaunch launch_;
  MeasureOn measure_on_;
  SourceRoots source_roots_;
  TextLook look_;
  PageOutput html_;
  std::string folder_, apply_, build_, json_, hash_, class_, patterns_, array_;
  std::vector<std::string> kernels_;
  double seconds_ = 10;
  bool even_if_slower_ = false, no_cycles_ = false;
};

const RegisterCommand fix_registered(
    {"fix", "Remove bank conflicts from a CUDA program, and prove that nothing else changes",
     "Runs the program, searches for the best hash and the best padding of each shared array that has conflicts, "
     "rewrites the PTX\n"
     "with each, runs the original again and the rewritten programs, and simulates them. A kernel is rewritten if that "
     "saves at\n"
     "least 1 % of its cycles. Memory, standard output, standard error and exit status must be the same bit for bit. "
     "Numbers that\n"
     "differ between two runs of the original (times) are not compared, and the report says so; files that the program "
     "writes are\n"
     "not compared either. Arrays for which this cannot be proved safe are left alone, with the reason. The program's "
     "standard\n"
     "input must be a file; anything else reads as empty. What the program writes is not shown.\n\n"
     "The exit status is 0 if all is proved or there is nothing to fix; 1 if the program or the proof failed (then -o "
     "writes nothing),\n"
     "or if --apply did, or left out part of the advice (what it wrote stays); 2 for bad input or no room for "
     "reports;\n"
     "130 after Ctrl-C. With BANKSHOT_PATCH_DIR=DIR, bankshot run uses the PTX that -o DIR wrote.\n\n"
     "Examples:\n"
     "  bankshot fix ./app\n"
     "  bankshot fix -o fixed ./app 1024\n"
     "  bankshot fix --html fix.html ./app\n"
     "  bankshot fix --class bitvector-xor ./app\n"
     "  bankshot fix --device 0 ./app                             each form also timed on a real GPU\n"
     "  bankshot fix --apply changed ./app                        app.cu changed, built and measured\n"
     "  bankshot fix --block 16,16 kernel.ptx > fixed.ptx         from the code alone, with no run\n"
     "  bankshot fix --hash xor --array tile kernel.ptx > fixed.ptx\n"
     "  bankshot fix --patterns patterns.json --array tile kernel.ptx > fixed.ptx\n",
     [] { return std::make_unique<Fix>(); }});

}  // namespace
}  // namespace bankshot::cli

#include "bankshot/fix/source_copy.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "bankshot/fix/modules.hpp"
#include "bankshot/fix/wanted_changes.hpp"
#include "bankshot/host/overwrite.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/host/shell.hpp"
#include "bankshot/host/signals.hpp"
#include "bankshot/host/target.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/support/find_program.hpp"
#include "bankshot/support/installation.hpp"
#include "bankshot/support/temporary_folder.hpp"
#include "bankshot/toolkit/ptxas.hpp"

namespace bankshot::fix {
namespace {

namespace fs = std::filesystem;
using report::grouped;

constexpr const char* kDiff = "/fix.diff";

/// Whether there is anything of this name, be it a link to nothing; what cannot be looked at counts as there.
bool is_there(const std::string& path) {
  std::error_code code;
  return fs::symlink_status(path, code).type() != fs::file_type::not_found;
}

/// Whether the folder is one that we wrote into before.
bool is_ours(const std::string& folder) {
  std::error_code code;
  return fs::is_regular_file(folder + kDiff, code);
}

std::string program_in(const std::string& folder, const host::Setup& setup) {
  return folder + "/" + fs::path(setup.target.path).filename().string();
}

/// As a command's argument that no option can be taken for.
std::string as_path(const std::string& path) { return path.starts_with('/') ? path : "./" + path; }

/// A source with its changes.
struct ChangedSource {
  std::string file;  ///< the original
  std::string name;  ///< in the folder
  std::string text;
};

/// The sources with the changes that can be made.
struct Changes {
  std::vector<ChangedSource> sources;
  std::vector<std::string> left;                       ///< why others cannot
  std::set<std::string> incomplete;                    ///< kernels that do not get all of their advice
  std::set<std::pair<std::string, uint32_t>> changed;  ///< declarations that change: file and line
};

Result<Changes> change_sources(const Plan& plan, const WitnessedRun& original) {
  Changes done;
  auto all = wanted_changes(plan, original);
  for (auto& [file, wanted] : all) {
    std::vector<SourceChange> list;
    for (const WantedChange& one : wanted) {
      if (one.refusal.empty()) list.push_back(one.change);
    }
    if (!list.empty()) {
      const std::string name = fs::path(file).filename().string();
      if (std::ranges::find(done.sources, name, &ChangedSource::name) != done.sources.end())
        return Error{"two sources are called " + name};
      const Result<std::string> text = host::read_text(file);
      if (!text) return text.error();
      ChangedText changed = change_source(*text, list, plan.rules.bank_bytes);
      auto refusal = changed.refusals.begin();
      for (WantedChange& one : wanted) {
        if (one.refusal.empty()) one.refusal = std::move(*refusal++);
      }
      const auto is_made = [](const WantedChange& one) { return one.refusal.empty(); };
      if (std::ranges::any_of(wanted, is_made)) done.sources.push_back({file, name, std::move(changed.text)});
    }
    for (const WantedChange& one : wanted) {
      if (one.refusal.empty()) {
        done.changed.emplace(file, one.change.array.declaration->line);
        continue;
      }
      done.left.push_back(one.refusal);
      done.incomplete.insert(one.kernels.begin(), one.kernels.end());
    }
  }
  return done;
}

/// How the sources differ from the originals.
Result<std::string> diff_of(const std::vector<ChangedSource>& sources, const std::string& folder) {
  if (find_in_path("diff").empty())
    return Error{"diff is not on PATH, and fix shows with it what it changes: install diffutils"};
  const Result<TemporaryFolder> temporary = TemporaryFolder::make();
  if (!temporary) return temporary.error();
  std::string diff;
  for (const ChangedSource& source : sources) {
    const std::string copy = temporary->path() + "/" + source.name;
    if (const auto error = host::write_file(copy, source.text)) return Error{error->message + "; " + kNeedsRoom};
    const std::string command = fmt::format("diff -u --label {} --label {} -- {} {}", host::shell_word(source.file),
                                            host::shell_word(folder + "/" + source.name), host::shell_word(source.file),
                                            host::shell_word(copy));
    const auto done = host::run_in_shell(command);
    if (!done) return done.error();
    if (done->ending.shell_status() > 1) return Error{done->failure(command)};  // 1: they differ
    diff += done->output;
  }
  return diff;
}

/// Makes the folder and writes all of it.
std::optional<Error> write_sources(const std::vector<ChangedSource>& sources, const std::string& folder) {
  const Result<std::string> diff = diff_of(sources, folder);
  if (!diff) return diff.error();
  const bool ours = is_ours(folder);
  for (const ChangedSource& source : sources) {
    const std::string copy = folder + "/" + source.name;
    if (host::same_file(copy, source.file)) return Error{copy + " is the source itself; name another folder"};
    if (is_there(copy) && !ours)
      return Error{copy + " is there already, and fix did not write it; name another folder"};
  }
  std::error_code code;
  fs::create_directory(folder, code);
  if (code) return Error{"cannot make the folder " + folder + ": " + code.message()};
  if (const auto error = host::write_file(folder + kDiff, *diff)) return error;
  for (const ChangedSource& source : sources) {
    const std::string copy = folder + "/" + source.name;
    fs::remove(copy, code);  // it may be a link
    if (const auto error = host::write_file(copy, source.text)) return error;
  }
  return {};
}

/// The copy of a program's source, and the program that is built from it.
class Copy {
 public:
  Copy(Fixed& fixed, const host::Setup& setup, const std::vector<std::string>& command, const ApplyOptions& options,
       const FixOptions& fix_options)
      : fixed_(fixed),
        plan_(fixed.plan),
        applied_(fixed.plan.applied.emplace()),
        setup_(setup),
        command_(command),
        options_(options),
        fix_options_(fix_options) {
    applied_.folder = options.folder;
  }

  std::optional<Failure> apply() {
    Result<Changes> changes = change_sources(plan_, fixed_.original);
    if (!changes) return fail(changes.error().message);
    applied_.left = std::move(changes->left);
    incomplete_ = std::move(changes->incomplete);
    changed_ = std::move(changes->changed);
    const std::vector<ChangedSource>& sources = changes->sources;
    if (sources.empty()) return fail(applied_.left.at(0));
    if (const auto error = write_sources(sources, options_.folder)) return fail(error->message);
    for (const ChangedSource& source : sources) applied_.sources.push_back(source.name);
    if (auto failure = build(sources); failure || !applied_.failure.empty()) return failure;
    return measure();
  }

 private:
  using Problem = std::optional<Failure>;

  /// What is no reason to stop the command.
  Problem fail(std::string why) {
    applied_.failure = std::move(why);
    return {};
  }
  static Problem interrupted() { return Failure{Failure::Kind::interrupted, "interrupted"}; }

  /// Builds one source: with nvcc, or with clang as tools/cudacc does, if $CUDACC says so or there is no nvcc.
  Result<std::string> compile_command(const ChangedSource& source, const std::string& program) const {
    const std::string folder = host::shell_word("-I" + fs::path(source.file).parent_path().string());
    const std::string rest =
        fmt::format("{} {} -o {}", folder, host::shell_word(as_path(source.name)), host::shell_word(as_path(program)));
    const char* const wanted = std::getenv("CUDACC");
    const std::string with = wanted == nullptr ? "" : wanted;
    const std::string nvcc = with.ends_with("/nvcc") ? with : toolkit::find_tool("nvcc");
    if (!nvcc.empty() && (with.empty() || with == "nvcc" || with == nvcc)) {
      return fmt::format("{} -std=c++17 -O3 -lineinfo -arch={} -cudart shared {}",
                         with != nvcc && !find_in_path("nvcc").empty() ? "nvcc" : host::shell_word(nvcc), plan_.target,
                         rest);
    }
    const std::string why = with.empty() || with == "nvcc" ? "nvcc was not found" : "CUDACC is " + with;
    const std::string otherwise = "; give the command that builds the program, --build COMMAND";
    std::string cudacc;
    for (const std::string& tools : data_folders("tools")) {
      if (cudacc.empty() && is_there(tools + "/cudacc")) cudacc = tools + "/cudacc";
    }
    if (cudacc.empty()) return Error{why + otherwise};
    if (plan_.target > "sm_75" || plan_.target.size() > 5) {
      return Error{fmt::format("{}, and clang builds for sm_75 only, not for {}{}", why, plan_.target, otherwise)};
    }
    return fmt::format("{} --with {} --lib {} -O3 {}", host::shell_word(cudacc),
                       with.empty() || with == "nvcc" ? "clang" : host::shell_word(with),
                       host::shell_word(library_folder()), rest);
  }

  Problem build(const std::vector<ChangedSource>& sources) {
    fix_options_.progress("building the changed source");
    const std::string program = fs::path(setup_.target.path).filename().string();
    std::string build = options_.build;
    if (build.empty()) {
      if (sources.size() != 1 || !sources[0].file.ends_with(".cu"))
        return fail("what changed is not one .cu file: say how the program is built, --build COMMAND");
      const Result<std::string> compile = compile_command(sources[0], program);
      if (!compile) return fail(compile.error().message);
      build = *compile;
    }
    std::error_code code;
    fs::remove(program_in(options_.folder, setup_), code);  // or it would be taken for what was built
    const auto done =
        host::run_in_shell(fmt::format("cd {} || exit\n{}", host::shell_word(as_path(options_.folder)), build));
    if (!done) return fail(done.error().message);
    if (done->interrupted()) return interrupted();
    if (done->ending.shell_status() != 0) return fail("it was not built: " + done->failure(build));
    if (!is_there(program_in(options_.folder, setup_)))
      return fail("it was not built: '" + build + "' made no " + program_in(options_.folder, setup_));
    return {};
  }

  Problem measure() {
    fix_options_.progress("running the program that was built from the changed source");
    std::vector<std::string> command = command_;
    command[0] = as_path(program_in(options_.folder, setup_));
    const Result<host::Setup> changed = options_.set_up(command);
    if (!changed) return fail(changed.error().message);
    Result<RepeatedRuns> runs = RepeatedRuns::make(*changed, command);
    if (!runs) return fail(runs.error().message);
    const Result<WitnessedRun> run = runs->run({});
    if (!run) return fail(run.error().message);
    if (run->seen.ending.signal == SIGINT) return interrupted();
    const std::string what = "the program that was built from the changed source";
    if (std::string why = disproved(what, fixed_.original, *run, fixed_.times); !why.empty())
      return fail(std::move(why));
    std::optional<WitnessedRun> simulated;
    if (fixed_.simulated) {
      fix_options_.progress("simulating it");
      Result<WitnessedRun> timed = runs->simulate({});
      if (!timed) return fail(timed.error().message);
      if (timed->seen.ending.signal == SIGINT) return interrupted();
      if (timed->seen.ending.shell_status() != 0 || timed->seen.report.is_partial())
        return fail(what + " did not come to its end when it was simulated");
      simulated = std::move(*timed);
    }
    compare(forms_of(fixed_.original, fixed_.simulated), forms_of(*run, simulated));
    return {};
  }

  struct KernelForm {
    std::string demangled;
    Form form;
  };
  /// What each kernel took, by its name in the PTX.
  std::map<std::string, KernelForm> forms_of(const WitnessedRun& run, const std::optional<WitnessedRun>& simulated) {
    std::map<std::string, KernelForm> all;
    Loader loader(setup_.gpu);
    for (const auto& [digest, text] : run.seen.ptx) {
      const auto program = loader.load(text);
      for (const report::Kernel& kernel : run.seen.report.kernels) {
        const simt::KernelInfo* info =
            program && kernel.module.digest == digest ? info_of(**program, kernel.name) : nullptr;
        if (info != nullptr) all[kernel.name] = {kernel.demangled, form_of(run, setup_.gpu, kernel, *info)};
      }
    }
    if (!simulated) return all;
    for (const report::Kernel& kernel : simulated->seen.report.kernels) {
      if (const auto at = all.find(kernel.name); at != all.end() && kernel.timing)
        at->second.form.cycles = kernel.timing->counters.cycles;
    }
    return all;
  }

  /// Tells what became of the kernels that changed; fails where it is not what the advice is for.
  void compare(const std::map<std::string, KernelForm>& before, const std::map<std::string, KernelForm>& after) {
    for (const auto& [name, was] : before) {
      const auto planned = std::ranges::find(plan_.kernels, name, [](const KernelPlan& k) { return k.kernel.name; });
      const bool chosen = planned != plan_.kernels.end() && planned->chosen;
      // The copy may be built by another compiler: of kernels that nothing changed, a difference says nothing.
      const bool whole = chosen && !incomplete_.contains(name);
      if (!whole && (planned == plan_.kernels.end() || !shares_a_change(*planned))) continue;
      const auto is = after.find(name);
      if (is == after.end()) {
        if (chosen) note("the changed source has no kernel " + was.demangled);
        continue;
      }
      const Form &x = was.form, &y = is->second.form;
      if (!chosen && x.shared.wavefronts == y.shared.wavefronts && x.shared_bytes == y.shared_bytes) continue;
      applied_.kernels.push_back({was.demangled, chosen, x, y});
      if (whole) {
        const uint64_t predicted = planned->forms[*planned->chosen].shared.wavefronts;
        // The compiler makes other code of the source than the rewriting: about as many will do.
        const bool falls = y.shared.wavefronts < x.shared.wavefronts &&
                           2 * (x.shared.wavefronts - y.shared.wavefronts) >= x.shared.wavefronts - predicted;
        if (!falls) {
          note(fmt::format("{} does not have the advice in effect: {} wavefronts, {} before, {} expected",
                           was.demangled, grouped(y.shared.wavefronts), grouped(x.shared.wavefronts),
                           grouped(predicted)));
        }
      } else if (y.shared.wavefronts > x.shared.wavefronts) {
        note(fmt::format("{} {}, and gets worse: {} wavefronts, {} before", was.demangled,
                         chosen ? "has a part of its advice" : "shares a declaration that changed",
                         grouped(y.shared.wavefronts), grouped(x.shared.wavefronts)));
      }
      if (x.cycles && y.cycles && *y.cycles > *x.cycles + (whole ? 0 : *x.cycles / 100) && !fix_options_.even_if_slower)
        note(fmt::format("{} is slower: {} cycles, {} before", was.demangled, grouped(*y.cycles), grouped(*x.cycles)));
    }
  }

  /// Whether a kernel has an array that is declared where a changed one is.
  bool shares_a_change(const KernelPlan& kernel) const {
    return std::ranges::any_of(kernel.arrays, [&](const ArrayPlan& array) {
      return array.declaration && changed_.contains({array.file, array.declaration->line});
    });
  }

  void note(const std::string& failure) { applied_.failure += (applied_.failure.empty() ? "" : "; ") + failure; }

  Fixed& fixed_;
  const Plan& plan_;
  Applied& applied_;
  const host::Setup& setup_;
  const std::vector<std::string>& command_;
  const ApplyOptions& options_;
  const FixOptions& fix_options_;
  std::set<std::pair<std::string, uint32_t>> changed_;  ///< declarations that changed: file and line
  std::set<std::string> incomplete_;                    ///< kernels that do not get all of their advice
};

}  // namespace

std::optional<Error> cannot_apply(const std::string& folder, const host::Setup& setup) {
  const std::string program = program_in(folder, setup);
  for (const host::Input& input : host::inputs_of(setup)) {
    if (host::same_file(program, input.path))
      return Error{"--apply would build over " + input.what + ", " + input.path + "; name another folder"};
  }
  if (is_there(program) && !is_ours(folder))
    return Error{program + " is there already, and fix did not build it; name another folder for --apply"};
  return {};
}

std::optional<Failure> apply_to_source(Fixed& fixed, const host::Setup& setup, const std::vector<std::string>& command,
                                       const ApplyOptions& options, const FixOptions& fix_options) {
  const host::Signals held;
  return Copy(fixed, setup, command, options, fix_options).apply();
}

}  // namespace bankshot::fix

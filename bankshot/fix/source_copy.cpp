#include "bankshot/fix/source_copy.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "bankshot/fix/change_source.hpp"
#include "bankshot/fix/compare.hpp"
#include "bankshot/fix/text.hpp"
#include "bankshot/host/captured.hpp"
#include "bankshot/host/launch.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/host/write_file.hpp"

namespace bankshot::fix {
namespace {

/// As one word of the shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Runs a command of the shell. @return its output; the error is how it failed, with the end of what it wrote
Result<std::string> shell(const std::string& command, int most_status = 0) {
  const Result<host::Captured> said = host::Captured::make();
  if (!said) return said.error();
  host::Target target;
  target.path = "/bin/sh";
  target.arguments = {"sh", "-c", command};
  const Result<host::Ending> ending =
      host::launch(target, {}, {.output = said->descriptor(), .error = said->descriptor(), .fixed_addresses = false});
  if (!ending) return ending.error();
  std::string text = said->text();
  if (ending->shell_status() <= most_status) return text;
  constexpr size_t kMostText = 2000;
  if (text.size() > kMostText) text = "…" + text.substr(text.size() - kMostText);
  while (text.ends_with('\n')) text.pop_back();
  return Error{
      fmt::format("'{}' ended with status {}{}{}", command, ending->shell_status(), text.empty() ? "" : "\n", text)};
}

/// What is to change in each source. An array that several kernels share changes once.
Result<std::map<std::string, std::vector<SourceChange>>> changes_of(const Plan& plan) {
  std::map<std::string, std::vector<SourceChange>> all;
  std::map<std::pair<std::string, uint32_t>, std::string> known;
  for (const KernelPlan& kernel : plan.kernels) {
    for (const ArrayPlan& array : kernel.arrays) {
      if (!kernel.chosen || !array.tried[*kernel.chosen].rewritten) continue;
      const std::string name = source_name(array.array.name);
      if (!array.declaration) return Error{name + ": its declaration was not found in the source"};
      const std::string& file = array.places[0].file;
      SourceChange change{source_array(array), {}, {}};
      if (*kernel.chosen == Remedy::hash) {
        change.hash = array.hash->hash;
      } else {
        change.padding = array.padding;
      }
      const std::string text = source_text(array, *kernel.chosen, plan.rules);
      const std::string what = text.substr(text.find('\n') + 1);  // less the lines of its accesses
      const auto [at, is_new] = known.try_emplace({file + " " + name, array.declaration->line}, what);
      if (is_new) all[file].push_back(std::move(change));
      if (at->second != what) return Error{name + ": kernels that share its declaration want it changed differently"};
    }
  }
  return all;
}

}  // namespace

Result<std::vector<std::string>> write_sources(const Plan& plan, const std::string& folder) {
  const auto changes = changes_of(plan);
  if (!changes) return changes.error();
  std::vector<std::string> names;
  std::string diff;
  for (const auto& [file, list] : *changes) {
    const std::string name = std::filesystem::path(file).filename().string(), copy = folder + "/" + name;
    if (std::ranges::find(names, name) != names.end()) return Error{"two sources are called " + name};
    const Result<std::string> text = host::read_text(file);
    if (!text) return text.error();
    const Result<std::string> changed = change_source(*text, list, plan.rules.bank_bytes);
    if (!changed) return changed.error();
    if (host::overwrites("--apply", copy, {{"the source", file}}))
      return Error{copy + " is the source itself; name another folder"};
    if (const auto error = host::write_file(copy, *changed)) return *error;
    const Result<std::string> lines =
        shell(fmt::format("diff -u --label {0} --label {1} {0} {1}", quoted(file), quoted(copy)), 1);
    if (!lines) return lines.error();
    diff += *lines;
    names.push_back(name);
  }
  if (const auto error = host::write_file(folder + "/fix.diff", diff)) return *error;
  return names;
}

std::optional<Error> build_sources(const Plan& plan, const std::string& folder, const std::vector<std::string>& sources,
                                   const std::string& command, const std::string& program) {
  std::string build = command;
  if (build.empty()) {
    if (sources.size() != 1) return Error{"several sources change: say how the program is built, --build COMMAND"};
    const std::string from = std::filesystem::path(changes_of(plan)->begin()->first).parent_path().string();
    build = fmt::format("nvcc -std=c++17 -O3 -lineinfo -arch={} -cudart shared -I {} {} -o {}", plan.target,
                        quoted(from), quoted(sources[0]), quoted(program));
  }
  const Result<std::string> done = shell(fmt::format("cd {} && {}", quoted(folder), build));
  return done ? std::nullopt : std::optional(done.error());
}

Result<std::vector<AppliedKernel>, Failure> measure_sources(const Plan& plan, const host::Setup& original,
                                                            const std::vector<std::string>& original_command,
                                                            const host::Setup& changed,
                                                            const std::vector<std::string>& changed_command,
                                                            const FixOptions& options) {
  using Kind = Failure::Kind;
  options.progress("running the program that was built from the changed source");
  Result<RepeatedRuns> before = RepeatedRuns::make(original, original_command);
  Result<RepeatedRuns> after = RepeatedRuns::make(changed, changed_command);
  if (!before || !after) return Failure{Kind::not_run, (before ? after.error() : before.error()).message};
  const Result<WitnessedRun> first = before->run({}), second = before->run({}), run = after->run({});
  for (const Result<WitnessedRun>* one : {&first, &second, &run}) {
    if (!*one) return Failure{Kind::not_run, one->error().message};
  }
  if (const std::string what = difference(*first, *run, unsteady(*first, *second)); !what.empty())
    return Failure{Kind::unproved,
                   "the program that was built from the changed source differs from the original: " + what};
  Result<WitnessedRun> simulated = Error{"not wanted"};
  if (plan.no_cycles.empty()) {
    options.progress("simulating it");
    simulated = after->simulate({});
    if (!simulated) return Failure{Kind::not_run, simulated.error().message};
  }
  const auto find = [](const WitnessedRun& in, const report::Kernel& kernel) -> const report::Kernel* {
    const auto& all = in.seen.report.kernels;
    const auto found = std::ranges::find(all, kernel.name, &report::Kernel::name);
    return found == all.end() ? nullptr : &*found;
  };
  std::vector<AppliedKernel> kernels;
  for (const KernelPlan& kernel : plan.kernels) {
    if (!kernel.chosen) continue;
    AppliedKernel& one = kernels.emplace_back();
    one.demangled = kernel.kernel.demangled;
    one.before = kernel.original.shared;
    one.cycles_before = kernel.original.cycles;
    const report::Kernel* counted = find(*run, kernel.kernel);
    if (counted == nullptr) return Failure{Kind::unproved, "the changed source has no kernel " + one.demangled};
    one.after = counted->shared();
    const report::Kernel* timed = simulated ? find(*simulated, kernel.kernel) : nullptr;
    if (timed != nullptr && timed->timing) one.cycles_after = timed->timing->counters.cycles;
  }
  return kernels;
}

}  // namespace bankshot::fix

#include "bankshot/cli/base/project_options.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bankshot/cli/base/baseline_verdict.hpp"
#include "bankshot/cli/base/report_output.hpp"
#include "bankshot/compare/baseline.hpp"
#include "bankshot/compare/diff_text.hpp"
#include "bankshot/host/embedded_ptx.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/host/shell.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/project/suppress.hpp"
#include "bankshot/ptx/library_headers.hpp"
#include "bankshot/report/text/quote_lines.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::cli {
namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// Under which other conditions the baseline was made; empty if they are the same.
std::string other_conditions(const compare::Snapshot& baseline, const compare::Snapshot& now,
                             const std::vector<compare::Condition>& conditions) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& before, const std::string& after) {
    const auto value = [](const std::string& said) { return said.empty() ? "-" : printable(said); };
    text += fmt::format("\n  {}: {}, now {}", printable(name), value(before), value(after));
  };
  const std::string before = file_name(baseline.program), after = file_name(now.program);
  if (before != after) add("program", before, after);
  for (const compare::Condition& one : conditions) add(one.name, one.before, one.after);
  return text;
}

/// As say() says it.
std::string message_line(const std::string& message) { return "bankshot: " + message + "\n"; }

/// What a new baseline changes, as the end of a sentence; empty if there was none.
std::string what_changed(const std::string& known, const compare::Snapshot& now) {
  if (known.empty()) return {};
  const Result<compare::Snapshot> before = compare::read_snapshot(known);
  if (!before) return "; the old one could not be read";
  if (before->mode != now.mode || file_name(before->program) != file_name(now.program))
    return printable(
        fmt::format("; the old one was of bankshot {} of {}", compare::name(before->mode), before->program));
  const Result<compare::Diff> diff = compare::diff(*before, now, {});
  if (!diff) return "; it cannot be compared with the old one: " + diff.error().message;
  if (const std::string other = other_conditions(*before, now, diff->conditions); !other.empty())
    return "; the old one was made under other conditions:" + other;
  return "; " + compare::verdict_text(*diff);
}

}  // namespace

void ProjectOptions::define(CLI::App& app, compare::Mode mode) {
  app_ = &app;
  mode_ = mode;
  app.add_option("--config", config_,
                 "read this file in place of the bankshot.toml in the working directory or a folder above it")
      ->type_name("FILE");
  app.add_flag("--no-config", no_config_, "read no bankshot.toml");
  app.add_option("--baseline", baseline_,
                 "exit with status 3 if a kernel or line is worse than in FILE, a baseline or a report as JSON")
      ->type_name("FILE");
  app.add_flag("--update-baseline", update_, "write the baseline instead, if the run is complete");
  app.add_option("--allow", allow_, "ignore changes of up to this amount against the baseline; may be repeated")
      ->type_name("'COUNTER+N'|'COUNTER+N%'")
      ->allow_extra_args(false);
  app.add_flag("--ratchet", ratchet_, "also exit with status 3 if something is better than in the baseline, or gone");
}

std::string ProjectOptions::given() const {
  if (!baseline_.empty()) return "--baseline";
  if (update_) return "--update-baseline";
  return !allow_.empty() ? "--allow" : ratchet_ ? "--ratchet" : "";
}

std::optional<Error> ProjectOptions::read(std::string& gpu, SourceRoots& source_roots) {
  if (no_config_ && !config_.empty()) return Error{"--config and --no-config exclude each other"};
  if (no_config_) return std::nullopt;
  std::error_code code;
  const std::string file =
      config_.empty() ? project::find_project(std::filesystem::current_path(code).string()) : config_;
  if (file.empty()) return std::nullopt;
  Result<project::Project> read = project::load_project(file);
  if (!read) return read.error();
  project_ = *std::move(read);
  say(printable("using " + project_->file));
  for (const std::string& sentence : project_->missing_folders) say(printable(sentence));
  gates_ = mode_ == compare::Mode::explain    ? project_->explain
           : mode_ == compare::Mode::simulate ? project_->simulate
                                              : project_->check;
  if (!project_->gpu.empty() && app_->get_option("--gpu")->count() == 0) gpu = project_->gpu;
  if (source_roots.given.empty()) source_roots.given = project_->source_roots;
  if (!project_->header_roots.empty() && app_->get_option("--header-roots")->count() == 0)
    ptx::set_header_roots(project_->header_roots);
  return std::nullopt;
}

std::optional<Error> ProjectOptions::add_inputs(const std::vector<std::string>& command,
                                                std::vector<host::Input>& inputs) {
  if (project_) inputs.push_back({"the project's file", project_->file});
  if (baseline_.empty() && !gates_.baseline.empty() && !command.empty()) {
    std::string named = gates_.baseline;
    if (const size_t at = named.find(project::kProgramInNames); at != named.npos)
      named.replace(at, project::kProgramInNames.size(), file_name(command[0]));
    const Result<std::string> path = project::path_in(*project_, named);
    if (!path) return Error{project_->file + ": baseline: " + path.error().message};
    baseline_ = *path;
  }
  if (baseline_ == "-") return Error{"--baseline needs the name of a file"};
  if (update_) {
    if (auto error = host::overwrites("--baseline", baseline_, inputs)) return error;
  }
  if (!baseline_.empty()) inputs.push_back({"the baseline", baseline_});
  return std::nullopt;
}

std::optional<Error> ProjectOptions::prepare(const std::vector<std::string>& command,
                                             const std::vector<std::string>& kernels) {
  kernels_ = kernels;
  if (!allow_.empty()) gates_.allow.clear();
  for (const std::string& text : allow_) {
    const Result<compare::Allowance> allowance = compare::parse_allowance(text);
    if (!allowance) return Error{"--allow " + allowance.error().message};
    if (const std::string why = compare::without_effect(*allowance, mode_, mode_); !why.empty())
      return Error{"--allow '" + text + "': " + why};
    gates_.allow.push_back(*allowance);
  }
  ratchet_ |= gates_.ratchet;
  if (baseline_.empty()) {
    if (const std::string option = given(); !option.empty())
      return Error{option + " needs a baseline: --baseline FILE, or `baseline` in bankshot.toml"};
    return std::nullopt;
  }
  std::error_code code;
  const bool exists = std::filesystem::exists(baseline_, code);
  std::string remedy = fmt::format("bankshot {} --update-baseline", compare::name(mode_));
  if (gates_.baseline.empty()) remedy += " --baseline " + host::shell_word(baseline_);
  for (const std::string& word : command) remedy += " " + host::shell_word(word);
  remedy = printable(remedy);
  if (update_) {
    if (!kernels.empty())
      return Error{"--update-baseline and --kernel exclude each other: the baseline would lack the other kernels"};
    if (auto error = host::cannot_write(baseline_)) return error;
    if (!exists) return std::nullopt;
  } else if (!exists) {
    return Error{"there is no baseline " + baseline_ + "; to make it: " + remedy};
  }
  const Result<std::string> text = host::read_text(baseline_);
  if (!text) return text.error();
  known_text_ = *text;
  if (update_ && !compare::is_baseline(known_text_))
    return Error{baseline_ + " is not a baseline, so --update-baseline does not replace it; name another file"};
  if (update_) return std::nullopt;
  Result<compare::Snapshot> known = compare::read_snapshot(known_text_);
  if (!known) {
    return Error{baseline_ + ": " + known.error().message +
                 (compare::is_baseline(known_text_) ? "; to create it again: " + remedy
                                                    : "; name a baseline, or a report of --json")};
  }
  known_ = *std::move(known);
  if (!known_->incomplete.empty())
    return Error{baseline_ + " cannot be a baseline: its run was incomplete: " + known_->incomplete};
  return std::nullopt;
}

void ProjectOptions::apply(report::RunReport& report, const report::SourcePolicy& sources) {
  report::SourceLines lines(sources);
  report::quote_lines(report, lines);
  if (project_) unused_ = project::suppress(*project_, report);
}

ProjectOptions::Judgement ProjectOptions::judge(const report::RunReport& report, formats::Verdict& verdict,
                                                bool warnings) const {
  Judgement all;
  if (!formats::all_gaps({report, verdict}).empty()) return all;
  const bool unused_counts = project_ && kernels_.empty() && project_->unused_suppressions != project::Unused::ignore;
  for (const project::Suppression* one : unused_counts ? unused_ : decltype(unused_){}) {
    const std::string sentence = "this suppression matches nothing: remove it";
    all.said += message_line(fmt::format("{}:{}: {}", printable(project_->file), one->position.line, sentence));
    if (project_->unused_suppressions != project::Unused::error) continue;
    all.status = kGateFailed;
    verdict.judged.push_back({.kernel = formats::Judged::kProgram,
                              .limit = "unused_suppressions",
                              .sentence = sentence,
                              .rule = "unused-suppression",
                              .lines = {{{project_->file, one->position.line, 0, {}}, sentence}}});
  }
  if (baseline_.empty()) return all;
  if (update_) {  // the findings are those of the new baseline
    for (size_t k = 0; k < report.findings.size(); ++k) verdict.known.insert(k);
    return all;
  }
  Judgement held = hold_against_baseline(report, verdict, warnings);
  return {held.status == kDone ? all.status : held.status, all.said + held.said};
}

Status ProjectOptions::settle(const Judgement& judgement, const report::RunReport& report) const {
  std::fputs(judgement.said.c_str(), stderr);
  if (baseline_.empty() || !update_) return judgement.status;
  const Status updated = update(compare::snapshot_of(report));
  return updated == kDone ? judgement.status : updated;
}

Status ProjectOptions::update(const compare::Snapshot& now) const {
  const std::string text = compare::to_baseline(now, project::folder_of(baseline_));
  if (text == known_text_) {
    say("the baseline " + printable(baseline_) + " is up to date");
    return kDone;
  }
  if (const auto error = host::write_file(baseline_, text)) {
    say(error->message);
    return kBadInput;
  }
  say("wrote the baseline " + printable(baseline_) + what_changed(known_text_, now));
  return kDone;
}

ProjectOptions::Judgement ProjectOptions::hold_against_baseline(const report::RunReport& report,
                                                                formats::Verdict& verdict, bool warnings) const {
  compare::Snapshot before = *known_, now = compare::snapshot_of(report);
  compare::keep_kernels(before, kernels_);
  if (!warnings) {
    for (compare::Snapshot* one : {&before, &now}) std::erase_if(one->findings, &compare::Finding::is_warning);
  }
  const Result<compare::Diff> diff = compare::diff(before, now, gates_.allow);
  const std::string other = diff ? other_conditions(before, now, diff->conditions) : "\n  " + diff.error().message;
  if (!other.empty()) {
    const std::string sentence =
        "the baseline " + printable(baseline_) + " was made under other conditions, so there is no verdict";
    verdict.gaps.push_back(sentence);
    return {kBadInput, message_line(sentence + ":" + other + "\nuse --update-baseline to replace it")};
  }
  const bool is_stale = diff->is_better() || diff->kernel_tally.gone != 0;
  const bool fails = diff->is_worse() || (ratchet_ && is_stale);
  add_to_verdict(*diff, now, {.file = baseline_, .ratchet = ratchet_, .warnings = warnings}, report, verdict);
  std::string said;
  if (fails)
    said = compare::diff_text(*diff, before, now,
                              {.colour = false, .top = 10, .before_name = baseline_, .after_name = "this run"});
  said += message_line("baseline " + printable(baseline_) + ": " + compare::verdict_text(*diff) +
                       (is_stale && !diff->is_worse() ? "; use --update-baseline to record this" : ""));
  return {fails ? kGateFailed : kDone, said};
}

std::string ProjectOptions::several_gpus() const {
  if (gates_.baseline.empty()) return {};
  return "the baseline of " + printable(project_->file) + " is for one GPU, but --gpu names several: not compared";
}

void ProjectOptions::say_static() const {
  const bool limits = !gates_.fail_on.empty(), baseline = !gates_.baseline.empty();
  if (!limits && !baseline) return;
  say(fmt::format("{}: {} of [explain] not applied: --static runs nothing; check the limits with a run",
                  printable(project_->file),
                  limits && baseline ? "fail_on and baseline"
                  : limits           ? "fail_on"
                                     : "baseline"));
}

void ProjectOptions::say_no_verdict() const {
  if (has_baseline())
    say(update_ ? "the run is not complete, so the baseline stays as it is"
                : "the run is not complete, so there is no verdict against the baseline");
}

}  // namespace bankshot::cli

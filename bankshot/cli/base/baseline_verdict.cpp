#include "bankshot/cli/base/baseline_verdict.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bankshot/report/text/text.hpp"

namespace bankshot::cli {
namespace {

/// "3,968 conflicts, 3,000 in the baseline", or empty if both are equal.
std::string changed(uint64_t before, uint64_t after, std::string_view counter) {
  if (before == after) return {};
  return fmt::format("{} {}, {} in the baseline", report::grouped(after), counter, report::grouped(before));
}

/// How a kernel differs from the baseline, as a sentence.
std::string kernel_sentence(const compare::KernelPair& kernel) {
  const compare::Numbers none, &after = kernel.after->numbers;
  const compare::Numbers& before = kernel.is_new() ? none : kernel.before->numbers;
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() || part.empty() ? "" : "; ") + part; };
  add(changed(before.conflicts, after.conflicts, "conflicts"));
  add(changed(before.wavefronts, after.wavefronts, "wavefronts"));
  if (before.cycles && after.cycles) add(changed(*before.cycles, *after.cycles, "cycles"));
  const auto worse = std::ranges::count(kernel.lines, compare::Verdict::worse, &compare::Pair<compare::Line>::verdict);
  if (worse != 0) add(report::counted(static_cast<uint64_t>(worse), "line is worse", "lines are worse"));
  return kernel.after->demangled + " differs from the baseline: " + text;
}

formats::Judged judged_kernel(const compare::KernelPair& kernel, size_t index, const BaselineRules& rules) {
  formats::Judged judged{.kernel = index, .limit = "baseline " + rules.file, .rule = "baseline-differs"};
  const auto counts = [&](compare::Verdict verdict) {
    return verdict == compare::Verdict::worse || (rules.ratchet && verdict == compare::Verdict::better);
  };
  bool fails = counts(kernel.verdict);
  for (const compare::Pair<compare::Line>& line : kernel.lines) {
    if (!counts(line.verdict)) continue;
    fails = true;
    judged.lines.push_back({{line.after->file, line.after->line, 0, {}},
                            changed(line.is_new() ? 0 : line.before->conflicts, line.after->conflicts, "conflicts") +
                                "; in " + kernel.after->demangled});
  }
  if (fails) judged.sentence = kernel_sentence(kernel);
  return judged;
}

/// The findings of a run that do not fail.
std::set<size_t> known_findings(const compare::Diff& diff, const compare::Snapshot& now, const BaselineRules& rules,
                                const report::RunReport& report) {
  std::vector<size_t> places;  // of the snapshot's findings in the report
  for (size_t k = 0; k < report.findings.size(); ++k) {
    if (rules.warnings || !report.findings[k].is_warning) places.push_back(k);
  }
  std::set<size_t> known;
  for (const compare::Pair<compare::Finding>& finding : diff.findings) {
    if (finding.is_gone() || finding.verdict == compare::Verdict::worse) continue;
    known.insert(places[static_cast<size_t>(finding.after - now.findings.data())]);
  }
  return known;
}

}  // namespace

void add_to_verdict(const compare::Diff& diff, const compare::Snapshot& now, const BaselineRules& rules,
                    const report::RunReport& report, formats::Verdict& verdict) {
  std::vector<formats::Judged> kernels(now.kernels.size());
  uint64_t gone = 0;
  for (const compare::KernelPair& kernel : diff.kernels) {
    gone += kernel.is_gone();
    if (kernel.is_gone()) continue;
    const auto index = static_cast<size_t>(kernel.after - now.kernels.data());
    kernels[index] = judged_kernel(kernel, index, rules);
  }
  if (now.mode != compare::Mode::check) verdict.judged.insert(verdict.judged.end(), kernels.begin(), kernels.end());
  verdict.known = known_findings(diff, now, rules, report);
  const uint64_t better = diff.finding_tally.better + diff.finding_tally.gone;
  if (!rules.ratchet || gone + better == 0) return;
  std::string text;
  if (gone != 0)
    text = report::counted(gone, "kernel of the baseline did not run", "kernels of the baseline did not run");
  if (better != 0)
    text += (text.empty() ? "" : "; ") + report::counted(better, "finding of the baseline is gone or better",
                                                         "findings of the baseline are gone or better");
  verdict.judged.push_back({.kernel = formats::Judged::kProgram,
                            .limit = "baseline " + rules.file,
                            .sentence = text + "; use --update-baseline to record this",
                            .rule = "baseline-differs"});
}

}  // namespace bankshot::cli

#include "bankshot/formats/verdict_json.hpp"

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json.hpp"
#include "bankshot/report/run/line_groups.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::formats {
namespace {

using nlohmann::ordered_json;

/// The lines that are the reason why a limit is exceeded; if none is named, the one with the most conflicts.
ordered_json lines_json(const Judged& judged, const report::RunReport& report) {
  ordered_json lines = ordered_json::array();
  const auto add = [&](const simt::Source& source, const std::string& sentence) {
    lines.push_back({{"file", source.file}, {"line", source.line}, {"says", sentence}});
  };
  for (const Judged::Line& line : judged.lines) add(line.source, line.sentence);
  if (!judged.lines.empty() || judged.kernel == Judged::kProgram) return lines;
  const report::Kernel& kernel = report.kernels[judged.kernel];
  if (const auto line = report::heaviest_line(report, kernel); line && line->shared.conflicts() != 0)
    add(kernel.sites[line->sites[0]].source, report::counted(line->shared.conflicts(), "conflict", "conflicts"));
  return lines;
}

ordered_json limit_json(const Judged& judged, const report::RunReport& report, bool has_gaps) {
  ordered_json limit{{"limit", judged.limit}};
  if (judged.kernel != Judged::kProgram) limit["kernel"] = judged.kernel;
  limit["result"] = !judged.sentence.empty() ? "exceeded" : has_gaps ? "no-verdict" : "kept";
  if (judged.sentence.empty()) return limit;
  limit["says"] = judged.sentence;
  if (ordered_json lines = lines_json(judged, report); !lines.empty()) limit["lines"] = std::move(lines);
  return limit;
}

/// What a check demands: no finding that counts. Those of the baseline do not, and warnings only if the check is
/// strict.
ordered_json findings_limit_json(const Run& run, bool has_gaps) {
  const bool strict = run.verdict.strict;
  uint64_t errors = 0, warnings = 0;
  std::vector<size_t> counting;
  for (size_t k = 0; k < run.report.findings.size(); ++k) {
    const bool is_warning = run.report.findings[k].is_warning;
    if (run.verdict.known.contains(k) || (is_warning && !strict)) continue;
    ++(is_warning ? warnings : errors);
    counting.push_back(k);
  }
  Judged judged{.kernel = Judged::kProgram, .limit = strict ? "no error or warning" : "no error"};
  if (!run.verdict.known.empty()) judged.limit += " that is not in the baseline";
  if (errors != 0) judged.sentence = report::counted(errors, "error", "errors");
  if (warnings != 0) judged.sentence += (errors != 0 ? " and " : "") + report::counted(warnings, "warning", "warnings");
  ordered_json limit = limit_json(judged, run.report, has_gaps);
  if (!counting.empty()) limit["findings"] = counting;
  return limit;
}

}  // namespace

ordered_json verdict_json(const Run& run) {
  const std::vector<std::string> gaps = all_gaps(run);
  ordered_json limits = ordered_json::array();
  if (run.report.checks.any()) limits.push_back(findings_limit_json(run, !gaps.empty()));
  for (const Judged& judged : run.verdict.judged) limits.push_back(limit_json(judged, run.report, !gaps.empty()));
  return {{"gaps", gaps}, {"limits", std::move(limits)}};
}

std::string to_json(const Run& run) { return report::to_json(run.report, verdict_json(run)); }

}  // namespace bankshot::formats

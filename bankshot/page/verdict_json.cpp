#include "bankshot/page/verdict_json.hpp"

#include "bankshot/report/text/text.hpp"

namespace bankshot::page {
namespace {

using nlohmann::ordered_json;

ordered_json limit_json(const formats::Judged& judged, bool has_gaps) {
  ordered_json limit{{"limit", judged.limit}};
  if (judged.kernel != formats::Judged::kProgram) limit["kernel"] = judged.kernel;
  limit["result"] = !judged.sentence.empty() ? "exceeded" : has_gaps ? "no-verdict" : "kept";
  if (judged.sentence.empty()) return limit;
  limit["says"] = judged.sentence;
  ordered_json lines = ordered_json::array();
  for (const formats::Judged::Line& line : judged.lines)
    lines.push_back({{"file", line.source.file}, {"line", line.source.line}, {"says", line.sentence}});
  if (!lines.empty()) limit["lines"] = std::move(lines);
  return limit;
}

/// What a check demands: no finding that counts, but those of the baseline.
formats::Judged judged_findings(const formats::Run& run) {
  uint64_t errors = 0, warnings = 0;
  for (size_t k = 0; k < run.report.findings.size(); ++k) {
    if (run.verdict.known.contains(k)) continue;
    ++(run.report.findings[k].is_warning ? warnings : errors);
  }
  const bool strict = run.verdict.strict;
  formats::Judged judged{.kernel = formats::Judged::kProgram, .limit = strict ? "no error or warning" : "no error"};
  if (!run.verdict.known.empty()) judged.limit += " that is not in the baseline";
  if (errors != 0) judged.sentence = report::counted(errors, "error", "errors");
  if (strict && warnings != 0)
    judged.sentence += (errors != 0 ? " and " : "") + report::counted(warnings, "warning", "warnings");
  return judged;
}

}  // namespace

ordered_json verdict_json(const formats::Run& run) {
  const std::vector<std::string> gaps = formats::all_gaps(run);
  ordered_json limits = ordered_json::array();
  if (run.report.checks.any()) limits.push_back(limit_json(judged_findings(run), !gaps.empty()));
  for (const formats::Judged& judged : run.verdict.judged) limits.push_back(limit_json(judged, !gaps.empty()));
  return {{"gaps", gaps}, {"limits", std::move(limits)}};
}

}  // namespace bankshot::page

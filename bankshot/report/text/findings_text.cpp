#include "bankshot/report/text/findings_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "bankshot/report/text/failed_text.hpp"
#include "bankshot/report/text/names.hpp"
#include "bankshot/report/text/site_text.hpp"
#include "bankshot/report/text/source_lines.hpp"
#include "bankshot/report/text/suppressed_text.hpp"

namespace bankshot::report {
namespace {

using simt::Finding;
using Kind = Finding::Kind;

std::string triple(const simt::Dim3& at) { return fmt::format("({},{},{})", at.x, at.y, at.z); }

/// "thread (33,0,0)  reduce.cu:14  ld.shared.f32", and the line
std::string access_line(const char* who, const simt::Source& source, const std::string& op, const simt::Dim3& thread,
                        const TextOptions& options, SourceLines& sources) {
  std::string line =
      fmt::format("  {} {:<12} {}{}{}\n", who, triple(thread), place_text(source), op.empty() ? "" : "  ", op);
  const std::string code = options.read_sources && !source.file.empty() ? sources.get(source.file, source.line) : "";
  if (!code.empty()) line += "      | " + shortened(code, options) + "\n";
  return line + frames_text(source, options);
}

/// It ended the launch.
bool is_fault(Kind kind) { return kind == Kind::invalid_access || kind == Kind::invalid_barrier; }
bool is_race(Kind kind) { return std::string_view(check_of(kind)) == "race"; }

std::string where_in_memory(const Finding& finding) {
  if (finding.bytes == 0) return {};
  if (finding.kind == Kind::unwritten_global) return "  " + printable(finding.detail) + "\n";
  const std::string name = finding.variable.empty() ? "shared memory" : printable(demangle(finding.variable));
  return fmt::format("  {} at byte {} of {}\n", counted(finding.bytes, "byte", "bytes"), finding.address, name);
}

std::string leak_text(const Finding& finding) {
  std::string text = fmt::format("  {} in {}\n", counted(finding.bytes, "byte", "bytes"),
                                 counted(finding.count, "allocation", "allocations"));
  if (!finding.detail.empty()) return text + "  " + printable(finding.detail) + "\n";
  if (finding.callers.empty()) return text;
  text += fmt::format("  allocated at {}+{:#x}\n", printable(finding.callers[0].file), finding.callers[0].offset);
  return text;
}

std::string finding_text(const Finding& finding, const TextOptions& options, const Paint& paint, SourceLines& sources) {
  const std::string head = std::string(finding.is_warning ? "warning: " : "error: ") + finding_title(finding.kind);
  std::string text = (finding.is_warning ? paint.strong(head) : paint.bad(head)) + "\n";
  if (finding.kind == Kind::leak) return text + leak_text(finding);
  text += fmt::format("  in {}, {}, first in CTA {}\n", shown_name(demangle(finding.kernel), options),
                      counted(finding.count, "time", "times"), triple(finding.cta));
  text += access_line("thread", finding.source, finding.op, finding.thread, options, sources);
  const bool is_later =
      is_race(finding.kind) || finding.kind == Kind::wrong_swizzle || finding.kind == Kind::missing_wait;
  const char* const relation = is_later ? "after " : "while ";
  if (!finding.other_op.empty())
    text += access_line(relation, finding.other, finding.other_op, finding.other_thread, options, sources);
  text += where_in_memory(finding);
  if (!finding.detail.empty() && finding.kind != Kind::unwritten_global)
    text += "  " + printable(finding.detail) + "\n";
  return text;
}

uint64_t count(const RunReport& report, bool warnings) {
  return static_cast<uint64_t>(std::count_if(report.findings.begin(), report.findings.end(),
                                             [&](const Finding& finding) { return finding.is_warning == warnings; }));
}

/// Why what was found is not all that there may be; empty if it is.
std::string no_verdict(const RunReport& report) {
  if (report.lost != 0) return "a report was lost";
  if (report.partial && errors_in(report) == 0) return "the program did not finish";
  return report.kernels.empty() && report.failed.empty() ? "no kernel was launched" : "";
}

}  // namespace

std::string finding_title(Kind kind) {
  switch (kind) {
    case Kind::invalid_access: return "invalid access";
    case Kind::unwritten_shared: return "read of uninitialised shared memory";
    case Kind::unwritten_global: return "read of uninitialised global memory";
    case Kind::wrong_swizzle: return "operand read with another swizzle than it was written with";
    case Kind::leak: return "memory that is not freed";
    case Kind::unfreed_columns: return "tensor memory that is not freed";
    case Kind::read_after_write: return "race in shared memory: read after write";
    case Kind::write_after_read: return "race in shared memory: write after read";
    case Kind::write_after_write: return "race in shared memory: write after write";
    case Kind::divergent_barrier: return "barrier in divergent code";
    case Kind::barrier_count: return "barrier for part of a warp";
    case Kind::missing_member: return "membermask does not name the thread itself";
    case Kind::absent_member: return "membermask names a thread that never arrives";
    case Kind::missing_wait: return "asynchronous instruction that is not waited for";
    case Kind::invalid_barrier: return "invalid use of a barrier, or of an instruction that threads execute together";
  }
  return {};
}

uint64_t errors_in(const RunReport& report) { return count(report, false); }
uint64_t warnings_in(const RunReport& report) { return count(report, true); }

std::string findings_text(const RunReport& report, const TextOptions& options) {
  const Paint paint{options.colour};
  SourceLines sources(options.sources);
  // Launches that ended in a finding shown below need no further message.
  std::vector<FailedLaunches> others = report.failed;
  std::erase_if(others, [&](const FailedLaunches& failure) {
    return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
      return is_fault(finding.kind) && finding.kernel == failure.kernel;
    });
  });
  std::string text = partial_text(report, paint) + failed_text(others, paint);
  std::vector<const Finding*> order;
  for (const Finding& finding : report.findings) order.push_back(&finding);
  std::stable_sort(order.begin(), order.end(),
                   [](const Finding* a, const Finding* b) { return a->is_warning < b->is_warning; });
  const size_t shown = std::min<size_t>(options.top, order.size());
  for (size_t k = 0; k < shown; ++k) text += finding_text(*order[k], options, paint, sources) + "\n";
  if (shown < order.size())
    text += fmt::format("{} more: --top {} shows all, --json includes them\n\n", grouped(order.size() - shown),
                        order.size());
  for (const std::string& note : sources.notes()) text += note + "\n\n";
  uint64_t launches = report.failed_launches();
  size_t kernels = report.kernels.size();
  std::set<std::string> names, failed_names;
  for (const Kernel& kernel : report.kernels) {
    launches += kernel.launches;
    names.insert(kernel.name);
  }
  for (const FailedLaunches& failure : report.failed) {
    if (!names.contains(failure.kernel) && failed_names.insert(failure.kernel).second) ++kernels;
  }
  const std::string failed = report.failed.empty() ? "" : fmt::format(", {} failed", grouped(report.failed_launches()));
  const std::string why = no_verdict(report);
  const std::string found =
      fmt::format("{}, {} in {} of {}{}", counted(errors_in(report), "error", "errors"),
                  counted(warnings_in(report), "warning", "warnings"), counted(launches, "launch", "launches"),
                  counted(kernels, "kernel", "kernels"),
                  report.failed.empty() ? "" : fmt::format(", {} failed", grouped(report.failed_launches())));
  const std::string sum =
      fmt::format("check ({}): {}{}", simt::names_of(report.checks, ", "),
                  why.empty() ? "" : "no verdict: " + why + (report.findings.empty() ? "" : "; so far "),
                  why.empty() || !report.findings.empty() ? found : "");
  return text + (errors_in(report) != 0 ? paint.bad(sum) : paint.strong(sum)) + "\n" + suppressed_text(report, paint);
}

}  // namespace bankshot::report

#include "bankshot/formats/notices.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "bankshot/formats/place.hpp"
#include "bankshot/report/run/l1_lines.hpp"
#include "bankshot/report/run/line_groups.hpp"
#include "bankshot/report/text/findings_text.hpp"
#include "bankshot/report/text/site_text.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/support/digest.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::formats {
namespace {

/// A loss of less than a tenth of what its kernel needs is only noted. Nsight Compute's rule of bank conflicts has the
/// same limit.
Level level_of(uint64_t lost, uint64_t needed) { return lost >= needed / 10.0 ? Level::warning : Level::note; }

/// The calls that inlined code comes from; its own line is among them if the notice is for another one.
void add_frames(Notice& notice, const simt::Source& source) {
  for (size_t k = 0; k < source.frames.size(); ++k) {
    const ptx::SourceFrame& frame = source.frames[k];
    if (frame.file == notice.source.file && frame.line == notice.source.line) continue;
    const std::string function = frame.function.empty() ? "the kernel" : printable(frame.function);
    notice.related.push_back(
        {{frame.file, frame.line, 0, {}}, (k == 0 ? "the inlined code is in " : "inlined into ") + function});
  }
}

void add_conflicts(const report::RunReport& report, const report::Kernel& kernel, std::vector<Notice>& list) {
  const report::SharedTotals all = kernel.shared();
  for (const report::LineGroup& group : line_groups(kernel)) {
    const uint64_t conflicts = group.shared.conflicts();
    if (conflicts == 0 || report.is_suppressed(kernel, kernel.sites[group.sites[0]].source)) continue;
    uint64_t position = 0;
    for (const size_t i : group.sites) position += kernel.sites[i].totals.position;
    const report::Site& worst = kernel.sites[worst_site(kernel, group)];
    const bool is_position = 2 * position > conflicts;
    Notice notice{.rule = &rule(is_position ? "position-conflict" : "bank-conflict"),
                  .level = level_of(conflicts, all.wavefronts),
                  .kernel = kernel.demangled,
                  .source = kernel.sites[group.sites[0]].source,
                  .weight = conflicts};
    notice.message =
        fmt::format("{} of {} ({:.1f} %) are {} conflicts: {}, {}, at worst {} per access; in {}",
                    report::grouped(conflicts), report::counted(group.shared.wavefronts, "wavefront", "wavefronts"),
                    report::percent(conflicts, group.shared.wavefronts), is_position ? "position" : "bank",
                    operation_text(worst), report::class_text(worst.totals),
                    report::counted(worst.totals.degree_max, "wavefront", "wavefronts"), printable(kernel.demangled));
    add_frames(notice, worst.source);
    list.push_back(std::move(notice));
  }
}

void add_uncoalesced(const report::Kernel& kernel, std::vector<Notice>& list) {
  const uint64_t needed = kernel.l1().cycles;
  for (const report::L1Line& line : l1_lines(kernel)) {
    if (line.sums.lost() == 0) continue;
    const report::L1Site& site = kernel.l1_sites[line.sites[0]];
    Notice notice{.rule = &rule("uncoalesced-global"),
                  .level = level_of(line.sums.lost(), needed),
                  .kernel = kernel.demangled,
                  .source = site.source,
                  .weight = line.sums.lost()};
    notice.message =
        fmt::format("{} in the first-level cache where {} would do: {}, {}, at worst {} per access; in {}",
                    report::counted(line.sums.cycles, "cycle", "cycles"), report::grouped(line.sums.ideal_cycles),
                    printable(site.op), report::shape_text(site.totals.worst.shape),
                    report::counted(site.totals.worst.cost.cycles, "cycle", "cycles"), printable(kernel.demangled));
    add_frames(notice, site.source);
    list.push_back(std::move(notice));
  }
}

/// The line with most conflicts of those that are not suppressed.
simt::Source heaviest_line(const report::RunReport& report, const report::Kernel& kernel) {
  for (const report::LineGroup& group : line_groups(kernel)) {
    const simt::Source& source = kernel.sites[group.sites[0]].source;
    if (!report.is_suppressed(kernel, source)) return source;
  }
  return {};
}

void add_gates(const Run& run, std::vector<Notice>& list) {
  for (const Judged& judged : run.verdict.judged) {
    if (judged.sentence.empty()) continue;
    const auto add = [&](const std::string& kernel, const std::string& sentence, const simt::Source& source) {
      list.push_back({.rule = &rule(judged.rule),
                      .level = Level::error,
                      .kernel = kernel,
                      .message = printable(sentence) + " (" + printable(judged.limit) + ")",
                      .source = source});
    };
    const bool of_program = judged.kernel == Judged::kProgram;
    const std::string kernel = of_program ? "" : run.report.kernels[judged.kernel].demangled;
    for (const Judged::Line& line : judged.lines) add(kernel, line.sentence, line.source);
    if (judged.lines.empty())
      add(kernel, judged.sentence,
          of_program ? simt::Source{} : heaviest_line(run.report, run.report.kernels[judged.kernel]));
  }
}

std::string thread_text(const simt::Dim3& at) { return fmt::format("thread ({},{},{})", at.x, at.y, at.z); }

std::string finding_message(const simt::Finding& finding) {
  std::string text = report::finding_title(finding.kind);
  if (finding.kind == simt::Finding::Kind::leak) {
    text += fmt::format(": {} in {}", report::counted(finding.bytes, "byte", "bytes"),
                        report::counted(finding.count, "allocation", "allocations"));
    return finding.detail.empty() ? text : text + ", " + printable(finding.detail);
  }
  text += fmt::format(": {} {}", thread_text(finding.thread), printable(finding.op));
  if (!finding.other_op.empty())
    text += fmt::format("; {} {}", thread_text(finding.other_thread), printable(finding.other_op));
  if (!finding.detail.empty()) text += "; " + printable(finding.detail);
  return text + fmt::format("; {}, first in CTA ({},{},{}); in {}", report::counted(finding.count, "time", "times"),
                            finding.cta.x, finding.cta.y, finding.cta.z, printable(report::demangle(finding.kernel)));
}

void add_findings(const Run& run, std::vector<Notice>& list) {
  for (size_t k = 0; k < run.report.findings.size(); ++k) {
    const simt::Finding& finding = run.report.findings[k];
    const bool known = run.verdict.known.contains(k);
    Notice notice{.rule = &rule(finding.kind),
                  .level = known                ? Level::note
                           : finding.is_warning ? Level::warning
                                                : Level::error,
                  .kernel = report::demangle(finding.kernel),
                  .message = finding_message(finding) + (known ? " (in the baseline)" : ""),
                  .source = finding.source,
                  .weight = finding.count};
    if (!finding.other_op.empty())
      notice.related.push_back({finding.other, thread_text(finding.other_thread) + " " + printable(finding.other_op)});
    add_frames(notice, finding.source);
    list.push_back(std::move(notice));
  }
}

/// The module of a kernel, with a file that stands for a place that is not known.
report::ModuleId module_for(const report::RunReport& report, const std::string& kernel) {
  const auto found = std::ranges::find(report.kernels, kernel, &report::Kernel::demangled);
  report::ModuleId module = found == report.kernels.end() ? report::ModuleId() : found->module;
  if (module.file.empty()) module.file = report.program;
  return module;
}

}  // namespace

std::vector<Notice> notices(const Run& run) {
  std::vector<Notice> list;
  add_gates(run, list);
  add_findings(run, list);
  for (const report::Kernel& kernel : run.report.kernels) {
    add_conflicts(run.report, kernel, list);
    add_uncoalesced(kernel, list);
  }
  for (Notice& notice : list) {
    const report::ModuleId module = module_for(run.report, notice.kernel);
    notice.file = module.file;
    notice.module = module.digest;
  }
  std::ranges::stable_sort(list, [](const Notice& a, const Notice& b) {
    return a.level != b.level ? a.level < b.level : a.weight > b.weight;
  });
  return list;
}

std::vector<Accepted> accepted(const report::RunReport& report) {
  std::vector<Accepted> list;
  for (const report::Suppressed& one : report.suppressed) {
    const std::string kernel = report::demangle(one.kernel);
    const bool is_conflict = one.kind == report::kBankConflict;
    list.push_back({{.rule = &rule(one.kind),
                     .level = Level::note,
                     .kernel = kernel,
                     .message = (is_conflict ? report::counted(one.count, "conflict", "conflicts")
                                             : report::counted(one.count, "time", "times")) +
                                (kernel.empty() ? "" : " in " + printable(kernel)),
                     .source = one.source,
                     .file = module_for(report, kernel).file,
                     .weight = one.count},
                    one.reason});
  }
  return list;
}

std::string message_with_place(const Notice& notice) {
  if (notice.source.line != 0 || notice.source.ptx_line == 0) return notice.message;
  return notice.message + "; at " + report::place_text(notice.source);
}

std::vector<std::string> fingerprints(const std::vector<Notice>& notices, const Surroundings& around) {
  std::map<std::string, unsigned> seen;
  std::vector<std::string> texts;
  for (const Notice& notice : notices) {
    Digest digest;
    digest.add_text(notice.rule->id);
    digest.add_text(notice.kernel);
    if (notice.source.line != 0) {
      digest.add_text(place_of(around.root, notice.source.file).path);
      const std::string line = around.line_of ? around.line_of(notice.source) : "";
      digest.add_text(line.empty() ? "line " + std::to_string(notice.source.line) : line);
    } else {
      digest.add_text("PTX line " + std::to_string(notice.source.ptx_line));
    }
    const std::string text = digest.text();
    texts.push_back(text + ":" + std::to_string(++seen[text]));
  }
  return texts;
}

}  // namespace bankshot::formats

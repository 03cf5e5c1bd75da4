#include "bankshot/project/suppress.hpp"

#include <algorithm>

#include "bankshot/report/run/line_groups.hpp"

namespace bankshot::project {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool file_fits(const std::string& pattern, const std::string& file) {
  const std::string end = "/" + pattern, path = "/" + file;
  return pattern.ends_with('/') ? has(path, end) : path.ends_with(end);
}

/// Whether a place in a kernel is one that the suppression names.
bool fits(const Suppression& one, const std::string& demangled, const simt::Source& source,
          const report::RunReport& report) {
  if (!one.kernel.empty() && !has(demangled, one.kernel)) return false;
  if (!one.file.empty() && !file_fits(one.file, source.file)) return false;
  return one.text.empty() || has(report.text_of(source), one.text);
}

bool fits(const Suppression& one, const simt::Finding& finding, const report::RunReport& report) {
  if (one.kind != simt::name_of(finding.kind) && one.kind != simt::check_of(finding.kind)) return false;
  const std::string demangled = report::demangle(finding.kernel);
  return fits(one, demangled, finding.source, report) ||
         (!finding.other_op.empty() && fits(one, demangled, finding.other, report));
}

/// Whether a run of this kind finds what the suppression is about.
bool can_match(const Suppression& one, const report::RunReport& report) {
  const std::string program = report.program.substr(report.program.rfind('/') + 1);
  if (!one.program.empty() && one.program != program) return false;
  if (one.kind == report::kBankConflict) return !report.checks.any();
  for (const simt::CheckName& check : simt::kCheckNames) {
    if (!(report.checks.*check.wanted)) continue;
    if (one.kind == check.name) return true;
    for (unsigned k = 0; k < simt::kFindingKinds; ++k) {
      const auto kind = static_cast<simt::Finding::Kind>(k);
      if (one.kind == simt::name_of(kind) && std::string_view(simt::check_of(kind)) == check.name) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<const Suppression*> suppress(const Project& project, report::RunReport& report) {
  report.project = project.file;
  std::vector<const Suppression*> unused;
  for (const Suppression& one : project.suppressions) {
    if (can_match(one, report)) unused.push_back(&one);
  }
  const std::vector<const Suppression*> candidates = unused;
  /// The first suppression that `fit` accepts is used, and is the reason.
  const auto first = [&](auto fit) {
    const Suppression* found = nullptr;
    for (const Suppression* const one : candidates) {
      if (!fit(one)) continue;
      std::erase(unused, one);  // also of those that are not the first: each would do without the others
      if (found == nullptr) found = one;
    }
    return found;
  };
  if (!report.checks.any()) {
    for (const report::Kernel& kernel : report.kernels) {
      for (const report::LineGroup& group : report::line_groups(kernel)) {
        const simt::Source& source = kernel.sites[group.sites[0]].source;
        if (group.shared.conflicts() == 0) break;  // the others have none, either
        const Suppression* const one =
            first([&](const Suppression* each) { return fits(*each, kernel.demangled, source, report); });
        if (one != nullptr)
          report.suppressed.push_back({one->kind, kernel.name, source, group.shared.conflicts(), one->reason});
      }
    }
  }
  std::erase_if(report.findings, [&](const simt::Finding& finding) {
    const Suppression* const one = first([&](const Suppression* each) { return fits(*each, finding, report); });
    if (one != nullptr)
      report.suppressed.push_back(
          {simt::name_of(finding.kind), finding.kernel, finding.source, finding.count, one->reason});
    return one != nullptr;
  });
  report::sort(report.suppressed);
  return unused;
}

}  // namespace bankshot::project

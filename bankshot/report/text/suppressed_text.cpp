#include "bankshot/report/text/suppressed_text.hpp"

#include <fmt/format.h>

#include "bankshot/support/printable.hpp"

namespace bankshot::report {

std::string suppressed_text(const RunReport& report, const Paint& paint) {
  if (report.suppressed.empty()) return {};
  std::string list;
  uint64_t conflicts = 0, lines = 0, findings = 0;
  for (const Suppressed& one : report.suppressed) {
    const bool is_conflict = one.kind == kBankConflict;
    conflicts += is_conflict ? one.count : 0;
    ++(is_conflict ? lines : findings);
    list += fmt::format("  {}", is_conflict ? counted(one.count, "conflict", "conflicts") : one.kind);
    if (!one.source.file.empty() || one.source.ptx_line != 0) list += " at " + printable(place_text(one.source));
    if (!one.kernel.empty()) list += " in " + printable(demangle(one.kernel));
    list += "\n    " + printable(one.reason) + "\n";
  }
  std::string what;
  if (lines != 0) what = counted(conflicts, "conflict", "conflicts") + " in " + counted(lines, "line", "lines");
  if (findings != 0) what += (what.empty() ? "" : ", ") + counted(findings, "finding", "findings");
  return "\n" + paint.strong("suppressed: " + what) + ", by " + printable(report.project) + "\n" + list;
}

}  // namespace bankshot::report

#include "bankshot/report/text/quote_lines.hpp"

namespace bankshot::report {

void quote_lines(RunReport& report, SourceLines& sources) {
  const auto quote = [&](const simt::Source& source) {
    if (source.line == 0) return;
    const auto [entry, is_new] = report.source_text.try_emplace({source.file, source.line});
    if (is_new) entry->second = sources.get(source.file, source.line);
  };
  for (const Kernel& kernel : report.kernels) {
    for (const Site& site : kernel.sites) quote(site.source);
    for (const L1Site& site : kernel.l1_sites) quote(site.source);
    if (!kernel.timing) continue;
    for (const timing::LineTiming& line : kernel.timing->lines) quote(line.source);
  }
  for (const simt::Finding& finding : report.findings) {
    quote(finding.source);
    if (!finding.other_op.empty()) quote(finding.other);
  }
  report.changed_sources = sources.changed_files();
}

}  // namespace bankshot::report

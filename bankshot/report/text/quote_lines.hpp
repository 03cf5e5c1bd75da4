// The text of the lines that a report names, kept in it.
#pragma once

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/source_lines.hpp"

namespace bankshot::report {

/// Fills report.source_text: lines with shared-memory instructions, and places of findings; and
/// report.changed_sources.
void quote_lines(RunReport& report, SourceLines& sources);

}  // namespace bankshot::report

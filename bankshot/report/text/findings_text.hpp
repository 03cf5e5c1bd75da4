// What `bankshot check` found, as a person reads it.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::report {

/// Errors first; each with the source lines of its accesses, and a line that sums up. @param options  `top` findings
/// are shown
std::string findings_text(const RunReport& report, const TextOptions& options = {});

/// "race in shared memory: read after write"
std::string finding_title(simt::Finding::Kind kind);

/// Findings that are errors, and those that are warnings.
uint64_t errors_in(const RunReport& report);
uint64_t warnings_in(const RunReport& report);

}  // namespace bankshot::report

// On what the numbers of a report stand.
#pragma once

#include <string>

#include "bankshot/report/run_report.hpp"

namespace bankshot::report {

/// How to read the pictures, and the evidence for the rules that decided counts of this report. Empty if shared memory
/// was not used.
std::string evidence_text(const RunReport& report);

}  // namespace bankshot::report

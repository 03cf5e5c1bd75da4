// On what the numbers of a report stand.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// What follows pictures: how to read them, and the evidence for the rules that decided counts of this report.
std::string evidence_text(const RunReport& report);

}  // namespace bankshot::report

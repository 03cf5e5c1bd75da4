// Which machine code accesses were compared with, and where its accesses differ from the expected ones.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// A line for each source of machine code, then the kernels and lines that differ; empty without --machine-code.
std::string machine_code_text(const RunReport& report);

}  // namespace bankshot::report

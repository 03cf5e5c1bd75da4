// What accesses were held against, and where machine code has others than expected.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// A line for each source of machine code, then the kernels and lines that differ; empty unless it was asked for.
std::string machine_code_text(const RunReport& report);

}  // namespace bankshot::report

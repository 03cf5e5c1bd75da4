// The section of the text about launches that failed.
#pragma once

#include <string>

#include "bankshot/report/run_report.hpp"
#include "bankshot/report/site_text.hpp"

namespace bankshot::report {

/// Kernels whose launches failed, each with its reasons; empty if none did.
std::string failed_text(const RunReport& report, const Paint& paint);

}  // namespace bankshot::report

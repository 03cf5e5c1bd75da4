// The sections of the text about launches that did not come to their end.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/site_text.hpp"

namespace bankshot::report {

/// Kernels whose launches failed, each with its reasons; empty if none did.
std::string failed_text(const std::vector<FailedLaunches>& failed, const Paint& paint);

/// Kernels that ran when the program ended, a line each; empty if none did.
std::string running_text(const RunReport& report);

}  // namespace bankshot::report

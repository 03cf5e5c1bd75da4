// The sections of the text about launches that did not come to their end.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/site_text.hpp"

namespace bankshot::report {

/// Kernels whose launches failed, each with its reasons; empty if none did.
std::string failed_text(const std::vector<FailedLaunches>& failed, const Paint& paint);

/// Says that the report is not of the whole run, and which kernels ran when the program ended, a line each; empty if
/// all is there.
std::string partial_text(const RunReport& report, const Paint& paint);

}  // namespace bankshot::report

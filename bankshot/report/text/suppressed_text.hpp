// What bankshot.toml suppresses in a report.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/site_text.hpp"

namespace bankshot::report {

/// A line that counts them, then each with its reason; empty if nothing is suppressed.
std::string suppressed_text(const RunReport& report, const Paint& paint);

}  // namespace bankshot::report

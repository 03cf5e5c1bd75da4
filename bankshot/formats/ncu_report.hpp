// The report of `explain --as-ncu`: metrics by Nsight Compute's names.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::formats {

std::string to_ncu_text(const report::RunReport& report, bool colour);

/// The form "bankshot/ncu/1".
std::string to_ncu_json(const report::RunReport& report);

}  // namespace bankshot::formats

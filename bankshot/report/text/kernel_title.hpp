// What a kernel is called in texts.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// Its name as in the source; with its file, or its number where that tells nothing, if another kernel has the same
/// name.
std::string kernel_title(const Kernel& kernel, const RunReport& report);

}  // namespace bankshot::report

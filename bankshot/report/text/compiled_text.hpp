// What was compiled of a kernel, and why the rest was not.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// Nothing if that was not to be told.
std::string compiled_text(const Kernel& kernel);

}  // namespace bankshot::report

// What products read by matrix descriptors, and what threads' accesses to the same tiles cost by swizzle.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::report {

/// Empty if the kernel has no such products.
std::string operands_text(const Kernel& kernel, const TextOptions& options);

}  // namespace bankshot::report

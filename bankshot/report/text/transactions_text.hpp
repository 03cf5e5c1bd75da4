// What became of the transactions of a kernel, in words.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// Lines; empty if the kernel has no transactions.
std::string transactions_text(const Kernel& kernel);

}  // namespace bankshot::report

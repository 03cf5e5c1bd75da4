// Which kernels of a run are reported and judged: --kernel NAME.
#pragma once

#include <string>
#include <vector>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::cli {

/// Keeps the kernels whose names in the source contain one of `parts`; keeps all if `parts` is empty.
/// @return  empty, or an error if a part occurs in no kernel's name: a gate must not pass because of a typo
std::string keep_kernels(report::RunReport& report, const std::vector<std::string>& parts);

}  // namespace bankshot::cli
